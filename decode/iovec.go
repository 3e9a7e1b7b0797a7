package decode

import "perftrace/event"

// iovMode says how the memory that an iovec describes is shown.
type iovMode uint8

const (
	iovStr     iovMode = iota // as a string
	iovAddr                   // as an address: nothing is known about it
	iovNetlink                // as netlink messages
)

const (
	maxIovecs = 1024 // UIO_MAXIOV
	noLimit   = ^uint64(0)
)

// inIovec is a pointer to as many iovecs as argument n says, of memory that the
// call reads.
func inIovec(n int) Type {
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) { c.Iovecs(v, c.args[n], noLimit, iovStr) },
		Cap: func(b *Caps, at Place) {
			op := b.addIovecs(at, event.Capture{Len: event.LenArg, LenFrom: uint8(n)}, event.AtExit)
			b.addIovecData(op, event.AtExit)
		},
	}
}

// outIovec is a pointer to as many iovecs as argument n says, of memory that the
// call fills in, as far as its result says.
func outIovec(n int) Type {
	return Type{
		Width: Ulong,
		Out:   true,
		Print: func(c *Call, v uint64) {
			if c.Failed() || !c.Returned() {
				c.Iovecs(v, c.args[n], noLimit, iovAddr)
				return
			}
			c.Iovecs(v, c.args[n], uint64(c.Ev.Ret), iovStr)
		},
		Cap: func(b *Caps, at Place) {
			op := b.addIovecs(at, event.Capture{Len: event.LenArg, LenFrom: uint8(n)}, event.AtExit)
			b.addIovecData(op, event.AtExit|event.IfOK|event.LimitRet)
		},
	}
}

// addrIovec is a pointer to as many iovecs as argument n says, of memory that is
// not the task's own, or not of interest.
func addrIovec(n int) Type {
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) { c.Iovecs(v, c.args[n], noLimit, iovAddr) },
		Cap: func(b *Caps, at Place) {
			b.addIovecs(at, event.Capture{Len: event.LenArg, LenFrom: uint8(n)}, event.AtExit)
		},
	}
}

// addIovecs captures the array of iovecs that the pointer at the place points
// to; count carries Len and what belongs to it.
func (b *Caps) addIovecs(at Place, count event.Capture, when event.When) int {
	size := 2 * b.Lay.Word()
	count.Kind, count.When = event.CapBytes, when
	count.Size, count.Max = uint16(size), uint16(size*maxIovecs)
	return b.Add(at, count)
}

// addIovecData captures the memory that the iovecs of capture op describe.
func (b *Caps) addIovecData(op int, when event.When) {
	word := b.Lay.Word()
	b.Add(In(op, 0, 2*word), event.Capture{
		Kind: event.CapBytes, Len: event.LenField, LenOff: uint16(word),
		When: when | event.Netlink,
	})
}

// Iovecs writes n iovecs that begin at addr; together they hold at most limit
// bytes of interest.
func (c *Call) Iovecs(addr, n, limit uint64, mode iovMode) {
	if addr == 0 || !c.Verbose {
		c.Addr(addr)
		return
	}
	if n == 0 {
		c.BeginArray()
		c.EndArray()
		return
	}
	word := c.Lay.Word()
	size := uint64(2 * word)
	if _, ok := c.Read(addr, int(size)); !ok || n > (1<<63-1)/size || c.mask(addr+n*size) <= addr {
		c.Addr(addr)
		return
	}
	c.BeginArray()
	for i := uint64(0); i < n; i++ {
		c.Elem()
		at := addr + i*size
		b, ok := c.Read(at, int(size))
		if !ok {
			c.Unreadable(at)
			break
		}
		if c.Abbrev && i >= uint64(c.Opts.StringMax) || i >= maxIovecs {
			c.More()
			break
		}
		base, length := c.Word(b), c.Word(b[word:])
		shown := length
		if limit != noLimit {
			shown = min(shown, limit)
			limit -= shown
		}
		c.BeginStruct()
		c.Field("iov_base")
		switch mode {
		case iovStr:
			c.BufAt(base, shown)
		case iovAddr:
			c.Addr(base)
		case iovNetlink:
			c.Netlink(c.netlinkProto(), base, shown)
		}
		c.Field("iov_len")
		c.Uint(length)
		c.EndStruct()
	}
	c.EndArray()
}
