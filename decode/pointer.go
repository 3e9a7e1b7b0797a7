package decode

import (
	"math/bits"

	"perftrace/event"
)

// in is a pointer to a T that the call reads and leaves alone: it is captured
// when the call has returned. {…} or the address, NULL.
func in(t Type) Type { return pointer(t, event.AtExit, false) }

// inEntry is a pointer to a T that the call reads and may overwrite, or that is
// gone when the call has returned: captured at entry.
func inEntry(t Type) Type { return pointer(t, event.AtEntry, false) }

// outPtr is a pointer to a T that the call fills in; after a failure the
// address is shown.
func outPtr(t Type) Type { return pointer(t, event.AtExit|event.IfOK, true) }

// outAlways is outPtr for a T that is filled in on failure too.
func outAlways(t Type) Type { return pointer(t, event.AtExit, true) }

func pointer(t Type, when event.When, isOut bool) Type {
	return Type{
		Width: Ulong,
		Out:   isOut,
		Print: func(c *Call, v uint64) {
			if when&event.IfOK != 0 && (c.Failed() || !c.Returned()) {
				c.Addr(v)
				return
			}
			entry := c.AtEntry
			c.AtEntry = when&event.AtEntry != 0
			if b, ok := c.ReadOr(v, t.size(c.Lay)); ok {
				t.Val(c, b, v)
			}
			c.AtEntry = entry
		},
		Cap: func(b *Caps, at Place) {
			old := b.When
			b.When = when
			op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(t.size(b.Lay))})
			if t.Cap != nil {
				t.Cap(b, In(op, 0, 0))
			}
			b.When = old
		},
	}
}

// boxed is a pointer to one value, shown in brackets: [16], as strace shows
// integers behind pointers. how makes the pointer: in, inEntry, outPtr.
func boxed(how func(Type) Type, t Type) Type {
	return how(Type{
		Width: None, Size: sizes(t), Align: sizes(t),
		Mem: func(c *Call, b []byte, addr uint64) {
			c.BeginArray()
			c.Elem()
			t.Val(c, b, addr)
			c.EndArray()
		},
		Cap: t.Cap,
	})
}

func sizes(t Type) (s [numLay]uint16) {
	for l := range numLay {
		s[l] = uint16(t.size(l))
	}
	return s
}

// A count says how many elements an array has.
type count struct {
	kind  event.LenKind
	arg   int                          // LenArg
	width uint8                        // LenArg: bytes of the argument that count; 0: the ABI's word
	n     int                          // LenConst
	value func(c *Call) (uint64, bool) // as the printer sees it
}

// argCount: as many as argument i says.
func argCount(i int) count {
	return count{kind: event.LenArg, arg: i, value: func(c *Call) (uint64, bool) { return c.args[i], true }}
}

// argCount32: as many as argument i, an int, says.
func argCount32(i int) count {
	n := argCount(i)
	n.width = 4
	return n
}

// constCount: always n.
func constCount(n int) count {
	return count{kind: event.LenConst, n: n, value: func(*Call) (uint64, bool) { return uint64(n), true }}
}

// retCount: as many as the result says.
func retCount() count {
	return count{kind: event.LenRet, value: func(c *Call) (uint64, bool) { return uint64(max(c.Ev.Ret, 0)), true }}
}

// maxElems bounds the elements of an array that are captured (those of a line
// are bounded by the -s limit when abbreviated).
const maxElems = 1024

// array is a pointer to n elements of type t; how is in, inEntry, outPtr or
// outAlways. With abbreviation, at most -s elements are shown.
func array(how func(Type) Type, t Type, n count) Type {
	p := how(t)
	when := event.AtExit
	if p.Cap != nil {
		var probe Caps
		p.Cap(&probe, argPlace(0))
		when = probe.list[0].When
	}
	return Type{
		Width: Ulong,
		Out:   p.Out,
		Print: func(c *Call, v uint64) {
			k, _ := n.value(c)
			if when&event.IfOK != 0 && (c.Failed() || !c.Returned()) && (k != 0 || n.kind == event.LenRet) {
				c.Addr(v)
				return
			}
			entry := c.AtEntry
			c.AtEntry = when&event.AtEntry != 0
			c.Array(v, k, &t)
			c.AtEntry = entry
		},
		Cap: func(b *Caps, at Place) {
			old := b.When
			b.When = when
			size := t.size(b.Lay)
			op := b.Add(at, event.Capture{
				Kind: event.CapBytes, Len: n.kind, LenFrom: uint8(n.arg), LenWidth: n.width,
				Size: uint16(size * max(n.n, 1)), Max: uint16(min(size*maxElems, 32768)),
			})
			if t.Cap != nil {
				t.Cap(b, In(op, 0, size))
			}
			b.When = old
		},
	}
}

// Array writes n elements of type t that begin at addr: [a, b], cut by "..."
// at the -s limit when abbreviated. Unreadable from the start: the address. In
// between: "... /* 0x… */", as strace does.
func (c *Call) Array(addr, n uint64, t *Type) { c.ArrayUpTo(addr, n, maxElems, t) }

// ArrayUpTo is Array with at most limit elements.
func (c *Call) ArrayUpTo(addr, n, limit uint64, t *Type) {
	if addr == 0 || !c.Verbose {
		c.Addr(addr)
		return
	}
	if n == 0 {
		c.BeginArray()
		c.EndArray()
		return
	}
	size := t.size(c.Lay)
	over, bytes := bits.Mul64(n, uint64(size))
	if _, ok := c.Read(addr, size); !ok || over != 0 || c.mask(addr+bytes) <= addr {
		c.Addr(addr)
		return
	}
	c.BeginArray()
	for i := uint64(0); i < n; i++ {
		c.Elem()
		at := addr + i*uint64(size)
		b, ok := c.Read(at, size)
		if !ok && i < limit {
			c.Unreadable(at)
			break
		}
		if c.Abbrev && i >= uint64(c.Opts.StringMax) || i >= limit {
			c.More()
			break
		}
		t.Val(c, b, at)
	}
	c.EndArray()
}

// Unreadable says inside an array that the memory from addr on can't be read:
// ... /* 0x… */.
func (c *Call) Unreadable(addr uint64) {
	c.More()
	if c.Opt.JSON {
		return
	}
	c.Buf = append(c.Buf, " /* "...)
	c.Addr(addr)
	c.Buf = append(c.Buf, " */"...)
}
