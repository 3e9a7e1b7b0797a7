package decode

import (
	"strings"
	"testing"

	"perftrace/event"
)

func dumping(t *testing.T, name string, ret int64, pieces []event.Piece, args ...uint64) string {
	t.Helper()
	rows := NewRows("amd64")
	o := Default()
	o.DumpRead = func(fd int64) bool { return fd == 3 }
	o.DumpWrite = func(fd int64) bool { return fd == 4 }
	d := New(rows, o)
	nr, ok := Table("amd64", event.Native).Number(name)
	if !ok {
		t.Fatalf("no call %s", name)
	}
	e := &event.Event{TID: 7, NR: nr, Ret: ret}
	copy(e.Args[:], args)
	for _, p := range pieces {
		e.Out = event.AppendPiece(e.Out, p)
	}
	d.Begin()
	d.Whole(e)
	from := len(d.Buf)
	d.Dump()
	return string(d.Buf[from:])
}

func piece(addr uint64, data string) event.Piece {
	return event.Piece{Addr: addr, Data: []byte(data), Want: uint32(len(data))}
}

func TestDataIsDumpedInLinesOfSixteenBytes(t *testing.T) {
	for _, test := range []struct {
		name, call string
		ret        int64
		pieces     []event.Piece
		args       []uint64
		want       string
	}{
		{
			"a buffer that was read", "read", 5,
			[]event.Piece{piece(0x1000, "he\"\n\xff")},
			[]uint64{3, 0x1000, 100},
			" | 00000  68 65 22 0a ff                                    he\"..            |\n",
		},
		{
			"two lines", "write", 17,
			[]event.Piece{piece(0x1000, "0123456789abcdefg")},
			[]uint64{4, 0x1000, 17},
			" | 00000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef |\n" +
				" | 00010  67                                                g                |\n",
		},
		{
			"what failed to be written is still shown", "write", -9,
			[]event.Piece{piece(0x1000, "x")},
			[]uint64{4, 0x1000, 1},
			" | 00000  78                                                x                |\n",
		},
		{"what failed to be read is not", "read", -9, []event.Piece{piece(0x1000, "x")}, []uint64{3, 0x1000, 1}, ""},
		{"another descriptor", "read", 1, []event.Piece{piece(0x1000, "x")}, []uint64{4, 0x1000, 1}, ""},
		{"nothing", "read", 0, nil, []uint64{3, 0x1000, 1}, ""},
		{
			"more than was captured", "write", 20,
			[]event.Piece{{Addr: 0x1000, Data: []byte("0123456789abcdef"), Want: 20, Status: event.PieceCut}},
			[]uint64{4, 0x1000, 20},
			" | 00000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef |\n" +
				" | <Cannot fetch 4 bytes from pid 7 @0x1010>\n",
		},
		{
			"memory that ends in between", "write", -14,
			[]event.Piece{{Addr: 0x1000, Data: []byte("abc"), Want: 20, Status: event.PieceFault}},
			[]uint64{4, 0x1000, 20},
			"",
		},
		{
			"vectors, as far as they were filled", "readv", 3,
			[]event.Piece{
				piece(0x100, "\x00\x10\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00"+
					"\x00\x20\x00\x00\x00\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00"),
				piece(0x1000, "ab"), piece(0x2000, "c"),
			},
			[]uint64{3, 0x100, 2},
			" * 2 bytes in buffer 0\n" +
				" | 00000  61 62                                             ab               |\n" +
				" * 1 bytes in buffer 1\n" +
				" | 00000  63                                                c                |\n",
		},
		{
			"more vectors than there can be", "writev", -22,
			[]event.Piece{piece(0x100, strings.Repeat("\x00", 16))},
			[]uint64{4, 0x100, 1 << 31},
			"",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := dumping(t, test.call, test.ret, test.pieces, test.args...); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestDataIsCapturedWholeOnlyWhereItIsDumped(t *testing.T) {
	var calls event.CallSets
	for i := range calls[event.Native] {
		calls[event.Native][i] = ^uint64(0)
	}
	o := Default()
	o.DumpWrite = func(int64) bool { return true }
	rows := NewRows("amd64")
	plans := rows.CallPlans(&calls, &o)
	for _, test := range []struct {
		call string
		want uint16
	}{{"write", maxDump}, {"read", 0}, {"writev", maxDump}, {"sendmsg", maxDump}, {"getrandom", 0}} {
		nr, _ := Table("amd64", event.Native).Number(test.call)
		list := plans[event.Native][nr].Captures
		if got := list[len(list)-1].Max; got != test.want {
			t.Errorf("%s: at most %d bytes of the data are captured, want %d", test.call, got, test.want)
		}
	}
}
