package decode

import "perftrace/event"

// path is a pointer to a path, shown whole: in "…" up to PATH_MAX.
var path = Type{
	Width: Ulong,
	Role:  RolePath,
	Print: func(c *Call, v uint64) { c.PathAt(v) },
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapString, Max: event.MaxPath, When: event.AtExit})
	},
}

// linkText is like a path that need not lead anywhere, so that no file is looked
// for by it.
var linkText = Type{Width: path.Width, Print: path.Print, Cap: path.Cap}

// str is a pointer to a string that is cut at the -s limit.
var str = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) { c.StrAt(v) },
	Cap: func(b *Caps, at Place) {
		when := b.When
		if when == 0 {
			when = event.AtExit
		}
		b.Add(at, event.Capture{Kind: event.CapString, When: when})
	},
}

// strMax is a pointer to a string of which at most n bytes are looked at and
// shown, whatever -s says.
func strMax(n int) Type {
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) {
			b, whole, fault, ok := c.CString(v)
			if !ok || fault && len(b) < n {
				c.Addr(v)
				return
			}
			c.Str(b[:min(len(b), n)], !whole)
		},
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{Kind: event.CapString, Max: uint16(n), When: event.AtExit})
		},
	}
}

// PathAt writes the path at addr.
func (c *Call) PathAt(addr uint64) { c.cstring(addr, event.MaxPath-1) }

// StrAt writes the string at addr, cut at the -s limit.
func (c *Call) StrAt(addr uint64) { c.cstring(addr, c.Opts.StringMax) }

func (c *Call) cstring(addr uint64, limit int) {
	b, whole, fault, ok := c.CString(addr)
	switch {
	case addr == 0 || !ok || fault && len(b) <= limit:
		c.Addr(addr)
	case len(b) > limit:
		c.Str(b[:limit], true)
	default:
		c.Str(b, !whole)
	}
}

// inBuf is a pointer to bytes that the call reads, as many as argument n says,
// cut at the -s limit.
func inBuf(n int) Type {
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) { c.BufAt(v, c.args[n]) },
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{
				Kind: event.CapBytes, Len: event.LenArg, LenFrom: uint8(n), When: event.AtExit | event.Netlink,
			})
		},
	}
}

// outBuf is a pointer to bytes that the call fills in, as many as the result
// says.
var outBuf = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		if c.Failed() {
			c.Addr(v)
			return
		}
		c.BufAt(v, uint64(c.Ev.Ret))
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{
			Kind: event.CapBytes, Len: event.LenRet, When: event.AtExit | event.IfOK | event.Netlink,
		})
	},
}

// BufAt writes n bytes at addr as a string, cut at the -s limit. Not readable as
// far as that, and one byte more if there is more: the address.
func (c *Call) BufAt(addr, n uint64) {
	if addr == 0 {
		c.Addr(0)
		return
	}
	shown := min(n, uint64(c.Opts.StringMax))
	if shown == 0 {
		c.Str(nil, n > 0)
		return
	}
	b := c.Avail(addr, int(shown))
	if uint64(len(b)) < shown || n > shown && c.faultAt(addr, shown) {
		c.Addr(addr)
		return
	}
	c.Str(b, n > shown)
}
