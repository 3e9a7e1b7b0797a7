package decode

import "perftrace/event"

// A sized struct is one that grows with the kernel: an argument says how long
// the caller's is.
type sized struct {
	arg   int // the argument that has the size
	min   int // shorter ones are shown as an address
	known int // bytes that are described
	when  event.When
	tail  bool // bytes behind the known ones are shown if any is not 0
	// fields shows the fields of a struct of size bytes; b has the known ones,
	// zeros where the struct ends before.
	fields func(c *Call, b []byte, size uint64)
	caps   func(b *Caps, op int)
}

// maxSized is the most that is captured of such a struct: a page, as the kernel
// takes no more.
const maxSized = 4096

func (s *sized) Type() Type {
	return Type{
		Width: Ulong,
		Out:   s.when&event.AtEntry == 0 && s.when&event.IfOK != 0,
		Print: func(c *Call, v uint64) { s.print(c, v, c.args[s.arg]) },
		Cap: func(b *Caps, at Place) {
			op := b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenArg, LenFrom: uint8(s.arg), Max: maxSized, When: s.when})
			if s.caps != nil {
				s.caps(b, op)
			}
		},
	}
}

func (s *sized) print(c *Call, v, size uint64) {
	if size < uint64(s.min) || s.when&event.IfOK != 0 && (c.Failed() || !c.Returned()) {
		c.Addr(v)
		return
	}
	entry := c.AtEntry
	c.AtEntry = s.when&event.AtEntry != 0
	if b, ok := c.ReadOr(v, int(min(size, uint64(s.known)))); ok {
		c.BeginStruct()
		s.fields(c, c.padded(b, s.known), size)
		if s.tail {
			c.NonzeroTail(v, uint64(s.known), min(size, maxSized))
		}
		c.EndStruct()
	}
	c.AtEntry = entry
}

// maxPadded is the longest struct that padded can make.
const maxPadded = 256

// padded is b with zeros behind it, up to n bytes; it is valid until the next
// call of padded.
func (c *Call) padded(b []byte, n int) []byte {
	if len(b) >= n {
		return b
	}
	n = min(n, maxPadded)
	clear(c.scratch[copy(c.scratch[:n], b):n])
	return c.scratch[:n]
}
