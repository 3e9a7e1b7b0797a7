package decode

import (
	"encoding/binary"

	"perftrace/decode/out"
	"perftrace/event"
)

// A Call is one call while it is printed: the event, what its row says, and the
// captured memory. It is reused; nothing of it is kept after the line.
type Call struct {
	out.Printer

	Ev   *event.Event
	Row  *Row
	Lay  Lay
	Opts *Options

	// what -e abbrev=, verbose=, raw= say about this call
	Abbrev, Verbose, Raw bool
	// Dir is which memory Read prefers: false, as it was when the call
	// returned; true, as it was at entry. The other is used when that one was not
	// captured there.
	AtEntry bool

	// Interrupted is the name of the call that restart_syscall goes on with. Who
	// knows sets it before the line.
	Interrupted string

	args    [6]uint64 // by argument of the row, extended
	in, out pieces
	depth   int
	// ofResult: it is the result that is printed, no argument
	ofResult bool
	scratch  [maxPadded]byte // of padded
	net      netState        // sockets and interfaces seen so far
	muxed    event.Event     // the call that the current one stands for (Mux)
}

// pieces is the parsed memory of one moment.
type pieces struct {
	n int
	p [maxPieces]event.Piece
}

const maxPieces = 256

func (m *pieces) parse(b []byte) {
	m.n = 0
	for m.n < maxPieces {
		p, rest, ok := event.NextPiece(b)
		if !ok {
			return
		}
		m.p[m.n] = p
		m.n++
		b = rest
	}
}

// find returns up to n bytes at addr that one piece holds: the most that any
// piece has.
func (m *pieces) find(addr uint64, n int) (best []byte, p *event.Piece) {
	for i := range m.n {
		q := &m.p[i]
		if q.Status == event.PieceFD || addr < q.Addr || addr-q.Addr > uint64(len(q.Data)) {
			continue
		}
		d := q.Data[addr-q.Addr:]
		if len(d) >= n {
			return d[:n], q
		}
		if p == nil || len(d) > len(best) {
			best, p = d, q
		}
	}
	return best, p
}

// Arg returns argument i as its type extends it.
func (c *Call) ArgVal(i int) uint64 { return c.args[i] }

// Failed reports whether the call returned an error.
func (c *Call) Failed() bool {
	_, f := c.Ev.Failed()
	return f
}

// Returned reports whether the call has returned: not so for an unfinished line.
func (c *Call) Returned() bool { return c.Ev.Kind == event.KindSyscall }

// Avail returns as many of the n bytes at addr as were captured, from the
// preferred moment or else from the other one.
func (c *Call) Avail(addr uint64, n int) []byte {
	if n <= 0 || addr == 0 {
		return nil
	}
	first, second := &c.out, &c.in
	if c.AtEntry {
		first, second = second, first
	}
	b, _ := first.find(addr, n)
	if len(b) < n {
		if b2, _ := second.find(addr, n); len(b2) > len(b) {
			return b2
		}
	}
	return b
}

// faultAt reports whether memory is known to end n bytes behind addr.
func (c *Call) faultAt(addr, n uint64) bool {
	m := &c.out
	if c.AtEntry {
		m = &c.in
	}
	b, p := m.find(addr, int(n)+1)
	return p != nil && uint64(len(b)) == n && p.Status == event.PieceFault
}

// Read returns the n bytes at addr; ok is false if not all of them were
// captured. n may be 0.
func (c *Call) Read(addr uint64, n int) (b []byte, ok bool) {
	if n < 0 || addr == 0 {
		return nil, false
	}
	b = c.Avail(addr, n)
	return b, len(b) == n
}

// ReadOr is Read that prints the address when the memory is not there, and also
// when -e verbose= says that structures are not to be shown.
func (c *Call) ReadOr(addr uint64, n int) (b []byte, ok bool) {
	if c.Verbose {
		if b, ok = c.Read(addr, n); ok {
			return b, true
		}
	}
	c.Addr(addr)
	return nil, false
}

// U16, U32, U64 and Word read from captured bytes.
func (c *Call) U16(b []byte) uint64 { return uint64(binary.LittleEndian.Uint16(b)) }
func (c *Call) U32(b []byte) uint64 { return uint64(binary.LittleEndian.Uint32(b)) }
func (c *Call) I32(b []byte) int64  { return int64(int32(binary.LittleEndian.Uint32(b))) }
func (c *Call) U64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// Word reads a pointer or unsigned long of the call's ABI.
func (c *Call) Word(b []byte) uint64 { return Ulong.load(b, c.Lay) }

// CString looks up the string at addr. whole says that its end was seen (b is
// without the NUL); otherwise it goes on behind b, or memory ends there
// (fault: strace then shows the address). A fault at one moment does not count
// if the other one has the string.
func (c *Call) CString(addr uint64) (b []byte, whole, fault, ok bool) {
	if addr == 0 {
		return nil, false, false, false
	}
	first, second := &c.out, &c.in
	if c.AtEntry {
		first, second = second, first
	}
	for _, m := range [2]*pieces{first, second} {
		// a piece that begins here is the string itself; others only hold it
		for pass := range 2 {
			for i := range m.n {
				p := &m.p[i]
				if p.Status == event.PieceFD || pass == 0 && p.Addr != addr ||
					addr < p.Addr || addr-p.Addr > uint64(len(p.Data)) {
					continue
				}
				d := p.Data[addr-p.Addr:]
				for j, ch := range d {
					if ch == 0 {
						return d[:j], true, false, true
					}
				}
				switch {
				case p.Status == event.PieceFault:
					if !ok || len(d) > len(b) {
						b, fault, ok = d, true, true
					}
				case p.Status == event.PieceOK && pass == 0 && uint32(len(p.Data)) < p.Want:
					return d, true, false, true
				case pass == 0 || len(d) > 0:
					return d, false, false, true
				}
			}
		}
	}
	return b, false, fault, ok
}

// FDInfo returns what is known about descriptor fd (a PieceFD piece), or nil: as
// it was when the call entered, or where the call stored it. What the result is
// does not count, unless it is the result that is printed.
func (c *Call) FDInfo(fd int64) []byte {
	made := c.madeFD()
	if c.ofResult {
		if made >= 0 {
			return c.out.p[made].Data
		}
		return nil
	}
	for _, m := range [2]*pieces{&c.in, &c.out} {
		for i := range m.n {
			p := &m.p[i]
			if p.Status == event.PieceFD && int64(int32(p.Addr)) == fd && (m == &c.in || i != made) {
				return p.Data
			}
		}
	}
	return nil
}

// madeFD is the piece in c.out that tells what the descriptor is that the call
// returned, or -1: the last one, as its capture is (capture, table.go).
func (c *Call) madeFD() int {
	if c.Row == nil || !c.Returned() || c.Failed() {
		return -1
	}
	if ret, _ := c.returns(); ret != RetFD {
		return -1
	}
	for i := c.out.n - 1; i >= 0; i-- {
		if p := &c.out.p[i]; p.Status == event.PieceFD {
			if int32(p.Addr) == int32(c.Ev.Ret) {
				return i
			}
			break
		}
	}
	return -1
}
