package event

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
)

// A Memory is the memory of a target as an Interpreter reads it.
type Memory interface {
	// ReadMemory fills buf with the bytes from addr on and returns how many of
	// them, from the first on, could be read.
	ReadMemory(addr uint64, buf []byte) int
	// IsNetlink reports whether fd is a netlink socket of the target.
	IsNetlink(fd int32) bool
	// AppendFD appends what the piece of a descriptor of the target tells
	// (fdinfo.go); nothing if it is none, or if the source can't tell.
	AppendFD(fd int32, to []byte) []byte
}

// Limits of what an Interpreter copies for one phase of a call.
const (
	MaxPieces     = 256
	MaxPieceBytes = 1 << 20
)

// maxPiece is the most that a piece can hold (its length is a u16).
const maxPiece = 1<<16 - 1

// An Interpreter runs capture plans in user space: the same that bpf/progs does
// in the kernel, for the sources that stop their targets, and for calls in
// progress. It keeps nothing between calls but room, so one serves all tasks.
type Interpreter struct {
	StringMax uint32 // the -s limit, as Captures with Max 0 use it
	SP        uint64 // the stack pointer at the entry of the call, for FromSP

	mem    Memory
	ev     *Event
	caps   []Capture
	buf    []byte // pieces so far; those of this phase begin at start
	start  int
	pieces int
	cut    bool
}

// Entry appends to to what the plan copies when the call enters.
func (ip *Interpreter) Entry(m Memory, p *CallPlan, e *Event, to []byte) (pieces []byte, cut bool) {
	return ip.run(m, p, e, to, AtEntry, 0)
}

// Exit appends to to what the plan copies when the call has returned. e.In holds
// the pieces of its entry, if any; it does not share memory with to.
func (ip *Interpreter) Exit(m Memory, p *CallPlan, e *Event, to []byte) (pieces []byte, cut bool) {
	return ip.run(m, p, e, to, AtExit|IfFault, ip.failed(p.Choose(&e.Args), e.In))
}

// Choose returns the captures of a call with these arguments.
func (p *CallPlan) Choose(args *[6]uint64) []Capture {
	if p.CmdArg < 0 || int(p.CmdArg) >= len(args) || p.Commands == nil {
		return p.Captures
	}
	cmd := uint32(args[p.CmdArg])
	if p.CmdMask != 0 {
		cmd &= p.CmdMask
	}
	if c, ok := p.Commands[cmd]; ok {
		return c
	}
	return p.Captures
}

// failed returns the set of captures that failed at entry: one of their pieces
// faulted, or what holds their pointers failed.
func (ip *Interpreter) failed(caps []Capture, in []byte) (set uint32) {
	for {
		p, rest, ok := NextPiece(in)
		if !ok {
			break
		}
		in = rest
		if p.Status == PieceFault {
			set |= 1 << (p.Op & 31)
		}
	}
	if set == 0 {
		return 0
	}
	for i := range caps {
		if k := int(caps[i].From) - FromOp; k >= 0 && k < i && set>>k&1 != 0 {
			set |= 1 << i
		}
	}
	return set
}

func (ip *Interpreter) run(m Memory, p *CallPlan, e *Event, to []byte, phase When, failed uint32) ([]byte, bool) {
	ip.mem, ip.ev, ip.caps = m, e, p.Choose(&e.Args)
	ip.buf, ip.start, ip.pieces, ip.cut = to, len(to), 0, false
	if len(ip.caps) > MaxCaptures {
		ip.caps = ip.caps[:MaxCaptures]
	}
	for i := range ip.caps {
		c := &ip.caps[i]
		if c.When&phase == 0 {
			continue
		}
		if phase != AtEntry {
			if c.When&IfFault != 0 && failed>>i&1 == 0 {
				continue
			}
			if _, bad := e.Failed(); bad && c.When&IfOK != 0 {
				continue
			}
		}
		ip.capture(i, c)
	}
	buf := ip.buf
	ip.mem, ip.ev, ip.caps, ip.buf = nil, nil, nil, nil
	return buf, ip.cut
}

// capture runs one Capture.
func (ip *Interpreter) capture(op int, c *Capture) {
	if c.Kind == CapNone || c.Kind > CapFD {
		return
	}
	left := uint64(1 << 32)
	if c.When&LimitRet != 0 {
		left = uint64(max(ip.ev.Ret, 0))
	}
	if c.Kind == CapFD && c.From == FromRet {
		ip.fd(op, c, int32(ip.ev.Ret))
		return
	}
	if c.From == FromSP {
		ip.object(op, c, ip.SP+uint64(c.Off), nil, &left)
		return
	}
	if c.From < FromOp {
		if int(c.From) >= len(ip.ev.Args) {
			return
		}
		ptr := ip.ev.Args[c.From]
		if ptr != 0 && c.When&InPlace != 0 {
			ptr += uint64(c.Off)
		}
		ip.object(op, c, ptr, nil, &left)
		return
	}
	parent := int(c.From) - FromOp
	if parent >= op {
		return
	}
	// Pieces of this phase go before those of the entry. The buffer grows (and
	// moves) while they are walked, so they are found by offset.
	if at, ok := ip.find(ip.buf[ip.start:], parent, 0); ok {
		end := len(ip.buf)
		for at += ip.start; ok; {
			p, rest, _ := NextPiece(ip.buf[at:end])
			next := end - len(rest)
			ip.elements(op, c, p, &left)
			at, ok = ip.find(ip.buf[:end], parent, next)
		}
		return
	}
	for at, ok := ip.find(ip.ev.In, parent, 0); ok; {
		p, rest, _ := NextPiece(ip.ev.In[at:])
		ip.elements(op, c, p, &left)
		at, ok = ip.find(ip.ev.In, parent, len(ip.ev.In)-len(rest))
	}
}

// find returns the offset in b of the first piece of a capture from offset at on.
func (ip *Interpreter) find(b []byte, op, at int) (int, bool) {
	for {
		p, rest, ok := NextPiece(b[at:])
		if !ok {
			return 0, false
		}
		if int(p.Op) == op {
			return at, true
		}
		at = len(b) - len(rest)
	}
}

// elements copies what the pointers in one piece lead to.
func (ip *Interpreter) elements(op int, c *Capture, p Piece, left *uint64) {
	word := ip.word()
	if c.Kind == CapFD {
		word = 4
	}
	for base := 0; ; base += int(c.Stride) {
		at := base + int(c.Off)
		ptr := p.Addr + uint64(at)
		if c.When&InPlace == 0 {
			if at+word > len(p.Data) {
				return
			}
			ptr = load(p.Data[at:], word)
		} else if c.Stride != 0 && base >= len(p.Data) {
			return
		}
		if !ip.object(op, c, ptr, p.Data[min(base, len(p.Data)):], left) || c.Stride == 0 {
			return
		}
	}
}

// object copies the object at addr; elem is the element that holds its pointer.
// It returns false when the budget is used up.
func (ip *Interpreter) object(op int, c *Capture, addr uint64, elem []byte, left *uint64) bool {
	if c.Kind == CapFD {
		return ip.fd(op, c, int32(addr))
	}
	if ip.word() == 4 && ip.ev.ABI == Compat {
		addr &= 1<<32 - 1
	}
	if addr == 0 {
		return true
	}
	limit := uint64(c.Max)
	if limit == 0 {
		limit = uint64(ip.StringMax)
	}
	limit = min(limit, maxPiece)
	if c.Kind != CapBytes {
		if !ip.room(limit) {
			return false
		}
		if c.Kind == CapString {
			ip.str(op, addr, int(limit))
		} else {
			ip.vector(op, addr, int(limit))
		}
		return true
	}

	want, ok := ip.length(c, elem)
	if !ok {
		return true
	}
	size := uint64(max(c.Size, 1))
	if hi, lo := bits.Mul64(want, size); hi == 0 {
		want = min(lo, 1<<32-1)
	} else {
		want = 1<<32 - 1
	}
	if c.When&LimitRet != 0 {
		want = min(want, *left)
		*left -= want
	}
	if want == 0 {
		return true
	}
	if c.Len == LenConst && c.Max == 0 {
		limit = maxPiece
	}
	if c.When&Netlink != 0 && want > limit && limit < NetlinkMax && ip.mem.IsNetlink(int32(ip.ev.Args[0])) {
		limit = NetlinkMax
	} else if c.Max == 0 && limit < maxPiece {
		limit++ // to see whether what is cut goes on
	}
	n := min(want, limit)
	if !ip.room(n) {
		return false
	}
	ip.bytes(op, addr, int(n), uint32(want))
	return true
}

// room reports whether a piece of n bytes fits in the budget.
func (ip *Interpreter) room(n uint64) bool {
	if ip.pieces == MaxPieces || uint64(len(ip.buf)-ip.start)+n+PieceHeader > MaxPieceBytes {
		ip.cut = true
		return false
	}
	ip.pieces++
	return true
}

// length returns the length that c asks for, in units of its Size; false if it
// is in memory that was not copied.
func (ip *Interpreter) length(c *Capture, elem []byte) (uint64, bool) {
	switch c.Len {
	case LenConst:
		return 1, true
	case LenRet:
		return uint64(max(ip.ev.Ret, 0)), true
	case LenField:
		return ip.field(c, elem)
	case LenOp:
		b := ip.buf
		at, ok := ip.find(b[ip.start:], int(c.LenFrom), 0)
		if at += ip.start; !ok {
			b = ip.ev.In
			if at, ok = ip.find(b, int(c.LenFrom), 0); !ok {
				return 0, false
			}
		}
		p, _, _ := NextPiece(b[at:])
		return ip.field(c, p.Data)
	case LenIoctl:
		return ip.ev.Args[1] >> iocSizeShift & iocSizeMask, true
	}
	if int(c.LenFrom) >= len(ip.ev.Args) {
		return 0, false
	}
	v := ip.ev.Args[c.LenFrom]
	switch c.Len {
	case LenArg:
		if n := uint(c.LenWidth); n > 0 && n < 8 {
			v &= 1<<(8*n) - 1
		} else if ip.ev.ABI == Compat {
			v &= 1<<32 - 1
		}
		return v, true
	case LenFDSet:
		word := uint64(ip.word())
		n := uint64(max(int32(v), 0))
		return (n + 8*word - 1) / (8 * word) * word, true
	}
	return 0, false
}

// _IOC_SIZE: 14 bits from bit 16 on, on x86 and arm64.
const (
	iocSizeShift = 16
	iocSizeMask  = 1<<14 - 1
)

// field loads the length field of c from b.
func (ip *Interpreter) field(c *Capture, b []byte) (uint64, bool) {
	n := int(c.LenWidth)
	if n == 0 {
		n = ip.word()
	}
	if int(c.LenOff)+n > len(b) || n > 8 {
		return 0, false
	}
	return load(b[c.LenOff:], n), true
}

// fd has the piece of a descriptor made.
func (ip *Interpreter) fd(op int, c *Capture, fd int32) bool {
	if c.When&Netlink != 0 && !ip.mem.IsNetlink(fd) {
		return true
	}
	if !ip.room(FDHead + MaxPath) {
		return false
	}
	data := ip.begin(0)
	ip.buf = ip.mem.AppendFD(fd, ip.buf[:data])
	n := len(ip.buf) - data
	if n == 0 {
		ip.pieces--
		ip.buf = ip.buf[:data-PieceHeader]
		return true
	}
	ip.end(data, uint64(int64(fd)), n, uint32(n), PieceFD, op)
	return true
}

// bytes copies a piece of n bytes, of want that the call is about.
func (ip *Interpreter) bytes(op int, addr uint64, n int, want uint32) {
	data := ip.begin(n)
	got := ip.mem.ReadMemory(addr, ip.buf[data:data+n])
	status := PieceOK
	if got < n {
		status = PieceFault
	} else if uint32(n) < want {
		status = PieceCut
	}
	ip.end(data, addr, got, want, status, op)
}

// str copies a string. It is read up to the end of the page first, where most
// strings end, and so that a string right before unmapped memory is whole.
func (ip *Interpreter) str(op int, addr uint64, limit int) {
	data := ip.begin(limit + 1) // one more to see whether the NUL follows
	buf := ip.buf[data : data+limit+1]
	n, status := 0, PieceCut
	for n <= limit {
		chunk := min(limit+1-n, int(pageSize-(addr+uint64(n))%pageSize))
		got := ip.mem.ReadMemory(addr+uint64(n), buf[n:n+chunk])
		if i := bytes.IndexByte(buf[n:n+got], 0); i >= 0 {
			n, status = n+i, PieceOK
			break
		}
		if n += got; got < chunk {
			status = PieceFault
			break
		}
	}
	want := uint32(limit)
	if status == PieceOK {
		want = uint32(n) + 1 // its NUL, which is not copied
	}
	ip.end(data, addr, min(n, limit), want, status, op)
}

const pageSize = 4096

// vector copies an array of pointers up to its NULL.
func (ip *Interpreter) vector(op int, addr uint64, limit int) {
	word := ip.word()
	limit -= limit % word
	data := ip.begin(limit)
	buf := ip.buf[data : data+limit]
	n, status := 0, PieceCut
	for n < limit && status == PieceCut {
		// To the end of the page first: most vectors end there.
		chunk := min(limit-n, max(int(pageSize-(addr+uint64(n))%pageSize)&^(word-1), word))
		got := ip.mem.ReadMemory(addr+uint64(n), buf[n:n+chunk])
		for end := n + got; n+word <= end; {
			n += word
			if load(buf[n-word:], word) == 0 {
				status = PieceOK
				break
			}
		}
		if status == PieceCut && got < chunk {
			status = PieceFault
		}
	}
	want := uint32(limit)
	if status == PieceOK {
		want = uint32(n)
	}
	ip.end(data, addr, n, want, status, op)
}

// begin makes room for the header of a piece and n bytes, and returns where the
// bytes go.
func (ip *Interpreter) begin(n int) int {
	at := len(ip.buf)
	ip.buf = slices.Grow(ip.buf, PieceHeader+n+8)[:at+PieceHeader+n]
	return at + PieceHeader
}

// end completes the piece whose n bytes are at offset data.
func (ip *Interpreter) end(data int, addr uint64, n int, want uint32, status PieceStatus, op int) {
	h := ip.buf[data-PieceHeader:]
	binary.LittleEndian.PutUint64(h, addr)
	binary.LittleEndian.PutUint16(h[8:], uint16(n))
	h[10], h[11] = byte(status), byte(op)
	binary.LittleEndian.PutUint32(h[12:], want)
	ip.buf = ip.buf[:data+n]
	for n&7 != 0 {
		ip.buf = append(ip.buf, 0)
		n++
	}
}

// word is the size of a pointer in the target's memory.
func (ip *Interpreter) word() int {
	if ip.ev.ABI == Native {
		return 8
	}
	return 4
}

// load reads an unsigned number of n bytes.
func load(b []byte, n int) (v uint64) {
	for i := n - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}
