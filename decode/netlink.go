package decode

// Netlink writes the netlink messages in the n bytes at addr, of a socket of
// the given protocol (-1: not known).
func (c *Call) Netlink(proto int, addr, n uint64) { c.BufAt(addr, n) }
