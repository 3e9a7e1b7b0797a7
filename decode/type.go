package decode

import "perftrace/event"

// A Width says how many bytes a value has and how it is extended to 64 bits.
type Width uint8

const (
	I32 Width = iota // int
	U32
	Long  // the ABI's word, signed
	Ulong // the ABI's word, also pointers
	I64   // two registers in a 32-bit ABI
	U64
	I16
	U16
	I8
	U8
	None // no scalar: an aggregate of Type.Size bytes
)

// A Lay is the memory layout of an ABI.
type Lay uint8

const (
	Lay64   Lay = iota // words of 8 bytes
	LayI386            // words of 4 bytes, 8-byte integers aligned to 4
	LayARM             // words of 4 bytes, 8-byte integers aligned to 8
	numLay
)

// Word is the size of a pointer in bytes.
func (l Lay) Word() int {
	if l == Lay64 {
		return 8
	}
	return 4
}

func (w Width) size(l Lay) int {
	switch w {
	case Long, Ulong:
		return l.Word()
	case I64, U64:
		return 8
	case I16, U16:
		return 2
	case I8, U8:
		return 1
	case None:
		return 0
	}
	return 4
}

func (w Width) align(l Lay) int {
	if (w == I64 || w == U64) && l == LayI386 {
		return 4
	}
	return max(w.size(l), 1)
}

// extend cuts v to the width and extends it to 64 bits by the width's sign.
func (w Width) extend(v uint64, l Lay) uint64 {
	if w == Long || w == Ulong {
		if l == Lay64 {
			return v
		}
		w -= Long - I32
	}
	switch w {
	case I32:
		return uint64(int64(int32(v)))
	case U32:
		return uint64(uint32(v))
	case I16:
		return uint64(int64(int16(v)))
	case U16:
		return uint64(uint16(v))
	case I8:
		return uint64(int64(int8(v)))
	case U8:
		return uint64(uint8(v))
	}
	return v
}

// A Type is what is known about a value, be it an argument, a field of a struct
// or an element of an array.
type Type struct {
	Width Width
	// Print writes a scalar; v is extended by Width.
	Print func(c *Call, v uint64)

	// Aggregates (Width None) have a size and an alignment, in bytes by layout,
	// and print from their bytes; len(b) is Size, addr is where b was.
	Size, Align [numLay]uint16
	Mem         func(c *Call, b []byte, addr uint64)

	// Cap adds what must be copied to print a value that is found at a place;
	// nil: nothing.
	Cap func(b *Caps, at Place)

	// Out: the value can only be printed when the call has returned. strace
	// prints arguments up to the first such one at entry.
	Out bool
	// Role says that the value names a file, so that -P and -e trace-fds= can
	// look for it.
	Role Role
	// Named: strace shows the argument with its name, always.
	Named bool
	// Hide: the argument is not shown (it was printed as part of another one).
	Hide func(c *Call) bool
	// Shown: the field of a struct is shown only if so; s are the bytes of the
	// struct, at is the offset of the field.
	Shown func(c *Call, s []byte, at int) bool
	// Within prints the field of a struct that only the rest of the struct
	// explains: s are its bytes, at is the offset of the field, addr is where
	// the struct was.
	Within func(c *Call, s []byte, at int, addr uint64)
}

func (t *Type) size(l Lay) int {
	if t.Width == None {
		return int(t.Size[l])
	}
	return t.Width.size(l)
}

func (t *Type) align(l Lay) int {
	if t.Width == None {
		return int(max(t.Align[l], 1))
	}
	return t.Width.align(l)
}

// Val prints the value that lies in memory as b, which was at addr.
func (t *Type) Val(c *Call, b []byte, addr uint64) {
	if t.Width == None {
		t.Mem(c, b, addr)
		return
	}
	t.Print(c, t.Width.load(b, c.Lay))
}

// load reads a scalar of this width; b has at least its size.
func (w Width) load(b []byte, l Lay) uint64 {
	var v uint64
	for i := w.size(l) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return w.extend(v, l)
}

// A Role is what a value names.
type Role uint8

const (
	NoRole    Role = iota
	RolePath       // pointer to a path
	RoleFD         // descriptor
	RoleDirFD      // descriptor that a path is relative to
)

// A Place says where a pointer is found: in an argument, or inside what an
// earlier capture copied.
type Place struct {
	From        uint8
	Off, Stride uint16
}

// Caps collects the captures of one call in one ABI.
type Caps struct {
	Lay  Lay
	When event.When // the moment and conditions of captures that are added
	list []event.Capture
	Opts *Options
	// Abbrev: the call is abbreviated, so that what is left out then need not be
	// captured.
	Abbrev bool
}

// Add adds a capture of what the pointer at the place points to and returns its
// index, or -1 if there is no room (or at is no place), which In and Add accept.
func (b *Caps) Add(at Place, c event.Capture) int {
	if at == Nowhere || len(b.list) == event.MaxCaptures {
		return -1
	}
	c.From, c.Off, c.Stride = at.From, at.Off, at.Stride
	if c.When == 0 {
		c.When = b.When
	}
	b.list = append(b.list, c)
	return len(b.list) - 1
}

// Nowhere is a place that no capture can be made from.
var Nowhere = Place{From: 0xff}

// In is the place of a pointer at offset off of what capture op copied; with a
// stride, of the pointers at off, off+stride, … .
func In(op, off, stride int) Place {
	if op < 0 {
		return Nowhere
	}
	return Place{From: event.FromOp + uint8(op), Off: uint16(off), Stride: uint16(stride)}
}

// Arg0 … Arg5 are the places of pointers in arguments.
func argPlace(i int) Place { return Place{From: uint8(i)} }
