package decode

import (
	"math/bits"

	"perftrace/decode/xlat"
	"perftrace/event"
)

// sig is a signal number: SIGKILL, or a decimal number if it is none.
var sig = Type{Width: I32, Print: func(c *Call, v uint64) { c.EnumDec(v, xlat.Signals) }}

// maxSigset is the size of the kernel's signal sets in bytes, on all ABIs.
const maxSigset = 8

// sigset is a set of signals as the kernel has it: [HUP INT].
var sigset = Type{
	Width: None, Size: [numLay]uint16{8, 8, 8}, Align: [numLay]uint16{8, 4, 4},
	Mem: func(c *Call, b []byte, _ uint64) { c.Sigset(b) },
}

// sigsetPtr is a pointer to a signal set of as many bytes as argument n says;
// any other size than a word to 8 bytes leaves the address. how is in, inPair,
// outPtr.
func sigsetPtr(how func(Type) Type, n int) Type {
	return sigsetOf(how, n, func(l Lay) uint64 { return uint64(l.Word()) })
}

// sigsetOf is sigsetPtr with another least size.
func sigsetOf(how func(Type) Type, n int, least func(Lay) uint64) Type {
	p := how(sigset)
	when := momentOf(p)
	return Type{
		Width: Ulong,
		Out:   p.Out,
		Print: func(c *Call, v uint64) {
			size := c.args[n]
			if size < least(c.Lay) || size > maxSigset || p.Out && (c.Failed() || !c.Returned()) {
				c.Addr(v)
				return
			}
			old := c.AtEntry
			c.AtEntry = when&event.AtEntry != 0
			if b, ok := c.ReadOr(v, int(size)); ok {
				c.Sigset(b)
			}
			c.AtEntry = old
		},
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenArg, LenFrom: uint8(n), Max: maxSigset, When: when})
		},
	}
}

// momentOf is when a pointer type captures what it points to.
func momentOf(p Type) event.When {
	var probe Caps
	p.Cap(&probe, argPlace(0))
	return probe.list[0].When
}

// Sigset writes a set of signals, at most 8 bytes of it. If most signals are in
// it, those that are not are shown: ~[KILL STOP].
func (c *Call) Sigset(b []byte) {
	set, n := uint64(0), (min(len(b), maxSigset)+3)/4*32
	for i := range min(len(b), maxSigset) {
		set |= uint64(b[i]) << (8 * i)
	}
	inverted := bits.OnesCount64(set) >= n*2/3
	if inverted {
		set = ^set & (1<<n - 1)
	}
	c.BeginSet(inverted)
	for ; set != 0; set &= set - 1 {
		nr := uint64(bits.TrailingZeros64(set)) + 1
		name, _ := xlat.Signals.Name(nr)
		c.Member()
		switch {
		case c.Opt.JSON:
			c.Text(name[3:])
		case c.Opt.Xlat == 1:
			c.Uint(nr)
		case c.Opt.Xlat == 2:
			c.Uint(nr)
			c.Comment(name[3:])
		default:
			c.Text(name[3:])
		}
	}
	c.EndSet()
}
