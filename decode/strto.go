package decode

import "perftrace/event"

// strTo is a pointer to a string of which at most n bytes count, and no more
// than -s says are shown.
func strTo(n int) Type {
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) { c.StrUpTo(v, uint64(n)) },
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{Kind: event.CapString, Max: uint16(min(n, b.Opts.StringMax)), When: event.AtExit})
		},
	}
}

// StrUpTo writes the string at addr, of which at most n bytes count: its end is
// not seen if it comes behind them.
func (c *Call) StrUpTo(addr, n uint64) {
	limit := min(n, uint64(c.Opts.StringMax))
	b, whole, fault, ok := c.CString(addr)
	switch {
	case addr == 0 || n > 0 && (!ok || fault && uint64(len(b)) < limit):
		c.Addr(addr)
	case uint64(len(b)) >= limit:
		c.Str(b[:limit], n > 0 && (uint64(len(b)) >= n || uint64(len(b)) > limit || !whole))
	default:
		c.Str(b, !whole)
	}
}
