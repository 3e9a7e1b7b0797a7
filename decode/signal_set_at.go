package decode

// SigsetAt writes the set of signals in the n bytes at addr; with a size that no
// set has, the address.
func (c *Call) SigsetAt(addr, n uint64) {
	if n < uint64(c.Lay.Word()) || n > maxSigset {
		c.Addr(addr)
		return
	}
	if b, ok := c.ReadOr(addr, int(n)); ok {
		c.Sigset(b)
	}
}
