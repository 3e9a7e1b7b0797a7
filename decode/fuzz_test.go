package decode

import (
	"encoding/binary"
	"encoding/json"
	"testing"

	"perftrace/event"
)

// maxLine bounds the line of a record of a few hundred bytes.
const maxLine = 1 << 20

// FuzzAnyRecordMakesAnEscapedLine reads a record from arbitrary bytes: whatever a
// target holds in registers and memory, the line is bounded and printable, and
// as JSON it is valid.
func FuzzAnyRecordMakesAnEscapedLine(f *testing.F) {
	rows := []*Rows{NewRows("amd64"), NewRows("arm64")}
	for nr := range uint16(event.MaxNR) {
		seed := binary.LittleEndian.AppendUint16([]byte{byte(nr % 6), byte(nr)}, nr)
		for i := range uint64(6) {
			seed = binary.LittleEndian.AppendUint64(seed, i<<12)
		}
		seed = binary.LittleEndian.AppendUint64(seed, uint64(nr%3)-1)
		f.Add(append(seed, "\x11\x01\x28\x00\x20\x00\x00\x00\x00\x00\x00\x00\x12\x00/tmp/\x01\xff\"\\"...))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, o, ok := recordOf(b)
		if !ok {
			return
		}
		d := New(rows[b[0]&1], o)
		d.Begin()
		if o.JSON {
			d.Buf = append(d.Buf, `{"x":1`...)
			d.JSON(e)
			d.Buf = append(d.Buf, '}')
			if !json.Valid(d.Buf) {
				t.Fatalf("not JSON: %s", d.Buf)
			}
		} else if e.Kind == event.KindEnter {
			d.Enter(e)
		} else {
			d.Whole(e)
		}
		if len(d.Buf) > maxLine {
			t.Fatalf("a line of %d bytes: %.200s…", len(d.Buf), d.Buf)
		}
		for i, c := range d.Buf {
			if c < ' ' || c == 0x7f || c > 0x7f && !o.JSON {
				t.Fatalf("byte %d, %#x, is not escaped: %q", i, c, d.Buf)
			}
		}
	})
}

// recordOf makes an event of bytes: architecture, ABI, options, number,
// arguments, result and then pieces, each an address, a status and a length in
// front of its bytes.
func recordOf(b []byte) (*event.Event, Options, bool) {
	const head = 4 + 7*8
	if len(b) < head {
		return nil, Options{}, false
	}
	e := &event.Event{ABI: event.ABI(b[0] >> 1 % byte(event.NumABI)), NR: uint32(b[2]) | uint32(b[3]&1)<<8}
	o := Default()
	if b[1]&1 != 0 {
		o.Abbrev = [event.NumABI]event.CallSet{}
	}
	o.JSON = b[1]&2 != 0
	if b[1]&4 != 0 {
		o.Xlat = 2
	}
	if b[1]&8 != 0 {
		e.Kind = event.KindEnter
	}
	for i := range e.Args {
		e.Args[i] = binary.LittleEndian.Uint64(b[4+8*i:])
	}
	e.Ret = int64(binary.LittleEndian.Uint64(b[head-8:]))
	for b = b[head:]; len(b) >= 4; {
		n := min(int(binary.LittleEndian.Uint16(b[2:])), len(b)-4)
		p := event.Piece{
			Addr: uint64(b[0]&7)<<12 + uint64(b[0]>>4), Status: event.PieceStatus(b[1] & 3 % 3),
			Want: uint32(n) + uint32(b[1]>>4), Data: b[4 : 4+n],
		}
		if b[1]&4 != 0 {
			e.In = event.AppendPiece(e.In, p)
		} else {
			e.Out = event.AppendPiece(e.Out, p)
		}
		b = b[4+n:]
	}
	return e, o, true
}
