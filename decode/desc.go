package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// descRows are the calls on plain descriptors.
var descRows = []Row{
	{Name: "read", Args: args{{"fd", fd}, {"buf", outBuf}, {"count", size}}},
	{Name: "write", Args: args{{"fd", fd}, {"buf", inBuf(2)}, {"count", size}}},
	{Name: "pread64", Args: args{{"fd", fd}, {"buf", outBuf}, {"count", size}, {"offset", dec64}}},
	{Name: "pwrite64", Args: args{{"fd", fd}, {"buf", inBuf(2)}, {"count", size}, {"offset", dec64}}},
	{Name: "readv", Args: args{{"fd", fd}, {"iov", outIovec(2)}, {"iovcnt", size}}},
	{Name: "writev", Args: args{{"fd", fd}, {"iov", inIovec(2)}, {"iovcnt", size}}},
	{Name: "preadv", Args: args{{"fd", fd}, {"iov", outIovec(2)}, {"iovcnt", size}, {"offset", lowHigh(3)}, {"", hidden}}},
	{Name: "pwritev", Args: args{{"fd", fd}, {"iov", inIovec(2)}, {"iovcnt", size}, {"offset", lowHigh(3)}, {"", hidden}}},
	{Name: "preadv2", Args: args{{"fd", fd}, {"iov", outIovec(2)}, {"iovcnt", size}, {"offset", lowHigh(3)}, {"", hidden}, {"flags", flags(xlat.RWFlags)}}},
	{Name: "pwritev2", Args: args{{"fd", fd}, {"iov", inIovec(2)}, {"iovcnt", size}, {"offset", lowHigh(3)}, {"", hidden}, {"flags", flags(xlat.RWFlags)}}},
	// These two of x32 take the offset in one piece.
	{Name: "preadv2", ABIs: OnX32, Args: args{{"fd", fd}, {"iov", outIovec(2)}, {"iovcnt", size}, {"offset", dec64}, {"flags", flags(xlat.RWFlags)}}},
	{Name: "pwritev2", ABIs: OnX32, Args: args{{"fd", fd}, {"iov", inIovec(2)}, {"iovcnt", size}, {"offset", dec64}, {"flags", flags(xlat.RWFlags)}}},
	{Name: "lseek", Args: args{{"fd", fd}, {"offset", ldec}, {"whence", enum(xlat.Whence)}}},
	{Name: "_llseek", Args: args{{"fd", fd}, {"offset", highLow(1)}, {"", hidden}, {"result", boxed(outPtr, udec64)}, {"whence", enum(xlat.Whence)}}},

	{Name: "close", Args: args{{"fd", fd}}},
	{Name: "close_range", Args: args{{"first", udec}, {"last", udec}, {"flags", flags(xlat.CloseRangeFlags)}}},
	{Name: "dup", Ret: RetFD, Args: args{{"oldfd", fd}}},
	{Name: "dup2", Ret: RetFD, Args: args{{"oldfd", fd}, {"newfd", fd}}},
	{Name: "dup3", Ret: RetFD, Args: args{{"oldfd", fd}, {"newfd", fd}, {"flags", flags(xlat.OpenFlags)}}},
	{Name: "pipe", Args: args{{"pipefd", array(outPtr, fd, constCount(2))}}},
	{Name: "pipe2", Args: args{{"pipefd", array(outPtr, fd, constCount(2))}, {"flags", flags(xlat.OpenFlags)}}},
	{Name: "flock", Args: args{{"fd", fd}, {"op", flags(xlat.FlockCmds)}}},

	{Name: "sendfile", Args: args{{"out_fd", fd}, {"in_fd", fd}, {"offset", movedOffset(uldec)}, {"count", size}}},
	{Name: "sendfile64", Args: args{{"out_fd", fd}, {"in_fd", fd}, {"offset", movedOffset(udec64)}, {"count", size}}},
	{Name: "copy_file_range", Args: args{{"fd_in", fd}, {"off_in", boxed(inPair, dec64)}, {"fd_out", fd}, {"off_out", boxed(inPair, dec64)}, {"len", size}, {"flags", udec}}},
	{Name: "splice", Args: args{{"fd_in", fd}, {"off_in", boxed(inPair, dec64)}, {"fd_out", fd}, {"off_out", boxed(inPair, dec64)}, {"len", size}, {"flags", flags(xlat.SpliceFlags)}}},
	{Name: "tee", Args: args{{"fd_in", fd}, {"fd_out", fd}, {"len", size}, {"flags", flags(xlat.SpliceFlags)}}},
	{Name: "vmsplice", Args: args{{"fd", fd}, {"iov", inIovec(2)}, {"nr_segs", size}, {"flags", flags(xlat.SpliceFlags)}}},

	{Name: "memfd_create", Ret: RetFD, Args: args{{"name", strMax(maxMemfdName)}, {"flags", memfdFlags}}},
	{Name: "memfd_secret", Ret: RetFD, Args: args{{"flags", flags(xlat.MemfdSecretFlags)}}},
}

// maxMemfdName is NAME_MAX without "memfd:", plus one.
const maxMemfdName = 250

// lowHigh is a 64-bit offset in arguments i and i+1 on 32-bit ABIs, the low half
// first and without padding; on 64-bit ones argument i holds all of it.
func lowHigh(i int) Type {
	return Type{Width: Ulong, Print: func(c *Call, v uint64) {
		if c.Lay != Lay64 {
			v |= c.Ev.Args[i+1] << 32
		}
		c.Int(int64(v))
	}}
}

// highLow is the same with the high half first, in all ABIs.
func highLow(i int) Type {
	return Type{Width: Ulong, Print: func(c *Call, v uint64) {
		c.Int(int64(v<<32 | c.mask(c.Ev.Args[i+1])))
	}}
}

// movedOffset is a pointer to an offset that the call moves: [0 => 512].
func movedOffset(t Type) Type {
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) {
			n := t.size(c.Lay)
			c.AtEntry = true
			b, ok := c.ReadOr(v, n)
			c.AtEntry = false
			if !ok {
				return
			}
			c.BeginArray()
			c.Elem()
			after, ok := c.Read(v, n)
			if ok && c.Returned() && !c.Failed() && c.Ev.Ret != 0 && c.args[3] != 0 {
				c.BeginChange()
				t.Val(c, b, v)
				c.Then()
				t.Val(c, after, v)
				c.EndChange()
			} else {
				t.Val(c, b, v)
			}
			c.EndArray()
		},
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(t.size(b.Lay)), When: event.AtEntry | event.AtExit})
		},
	}
}

// memfdFlags are flags and, in the high bits, the logarithm of a page size.
var memfdFlags = Type{Width: U32, Print: func(c *Call, v uint64) {
	if v == 0 {
		c.Hex(0)
		return
	}
	c.Expr(v, func(c *Call, v uint64) { c.hugePage(v, xlat.MemfdFlags, "MFD_HUGE_SHIFT") })
}}

// Flags with a page size have its logarithm in six bits from bit 26 on.
const (
	hugeShift = 26
	hugeMask  = 0x3f << hugeShift
)

// hugePage writes flags with a page size: MFD_HUGETLB|21<<MFD_HUGE_SHIFT.
func (c *Call) hugePage(v uint64, x *out.Xlat, shift string) {
	huge := v & hugeMask
	v &^= hugeMask
	if v != 0 || huge == 0 {
		c.Flags(v, x)
	}
	if huge == 0 {
		return
	}
	if v != 0 {
		c.Syntax("|")
	}
	c.Uint(huge >> hugeShift)
	c.Syntax("<<")
	c.Syntax(shift)
}
