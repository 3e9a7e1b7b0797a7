package decode

import (
	"bytes"

	"perftrace/decode/out"
)

// Types of what lies inside a struct: texts, arrays, and fields that depend on
// others.

// memOf is n bytes that print writes.
func memOf(n, align int, print func(c *Call, b []byte, addr uint64)) Type {
	s, a := uint16(n), uint16(align)
	return Type{Width: None, Size: [numLay]uint16{s, s, s}, Align: [numLay]uint16{a, a, a}, Mem: print}
}

// cstr is a text in n bytes that ends with a NUL.
func cstr(n int) Type {
	return memOf(n, 1, func(c *Call, b []byte, _ uint64) { c.FixedStr(b) })
}

// FixedStr writes the text in an array of bytes, up to its NUL. The last byte is
// meant to be one: it is never shown.
func (c *Call) FixedStr(b []byte) {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		c.Str(b[:i], false)
		return
	}
	c.Str(b[:max(len(b), 1)-1], len(b) > 0)
}

// vec is an array of n elements inside a struct. With abbreviation, at most -s
// of them are shown.
func vec(t Type, n int) Type { return vecUpto(t, n, nil) }

// vecUpto is vec of which only the first few count, as many as used says.
func vecUpto(t Type, n int, used func(c *Call, s []byte) uint64) Type {
	var size, align [numLay]uint16
	for l := range numLay {
		size[l], align[l] = uint16(t.size(l)*n), uint16(t.align(l))
	}
	v := Type{
		Width: None, Size: size, Align: align,
		Mem: func(c *Call, b []byte, addr uint64) { c.Vec(b, addr, n, &t) },
	}
	if used != nil {
		v.Within = func(c *Call, s []byte, at int, addr uint64) {
			k := int(min(used(c, s), uint64(n)))
			c.Vec(s[at:at+k*t.size(c.Lay)], addr+uint64(at), k, &t)
		}
	}
	return v
}

// Vec writes the n elements that b holds.
func (c *Call) Vec(b []byte, addr uint64, n int, t *Type) {
	size := t.size(c.Lay)
	c.BeginArray()
	for i := range n {
		c.Elem()
		if c.Abbrev && i >= c.Opts.StringMax {
			c.More()
			break
		}
		t.Val(c, b[i*size:(i+1)*size], addr+uint64(i*size))
	}
	c.EndArray()
}

// ifSet is a field that is shown only if a byte of it is not 0: reserved ones.
func ifSet(t Type) Type {
	t.Shown = func(c *Call, s []byte, at int) bool {
		return at+t.size(c.Lay) <= len(s) && !allZero(s[at:at+t.size(c.Lay)])
	}
	return t
}

// when is a field that is shown only if cond says so of the whole struct.
func when(cond func(c *Call, s []byte) bool, t Type) Type {
	t.Shown = func(c *Call, s []byte, _ int) bool { return cond(c, s) }
	return t
}

// within is t, printed by p from the whole struct.
func within(t Type, p func(c *Call, s []byte, at int, addr uint64)) Type {
	t.Within = p
	return t
}

// filled marks a field that the call fills in (inout).
func filled(t Type) Type {
	t.Out = true
	return t
}

// u8At and u32At tell the number at an offset of a struct, for
// vecUpto.
func u8At(off int) func(*Call, []byte) uint64 {
	return func(_ *Call, s []byte) uint64 { return uint64(s[off]) }
}

func u32At(off int) func(*Call, []byte) uint64 {
	return func(c *Call, s []byte) uint64 { return c.U32(s[off:]) }
}

// fd64 is a descriptor in a field of 64 bits.
var fd64 = Type{Width: I64, Role: NoRole, Print: func(c *Call, v uint64) { c.FD(int64(v)) }}

// ticks is a number of 10^-digits seconds, shown as seconds too.
func ticks(w Width, digits int) Type {
	hz := pow10(digits)
	return Type{Width: w, Print: func(c *Call, v uint64) {
		if w != I32 && w != I64 || int64(v) >= 0 {
			c.Ticks(v, hz, digits)
			return
		}
		c.Int(int64(v))
		if c.Opt.Xlat != out.Raw && !c.Opt.JSON {
			c.Syntax(" /* -")
			c.Uint(-v / hz)
			c.Syntax(".")
			c.Frac(-v%hz, digits)
			c.Syntax(" s */")
		}
	}}
}
