package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// aioRows are the calls of asynchronous I/O.
var aioRows = []Row{
	{Name: "io_setup", Args: args{{"nr_events", udec}, {"ctx_idp", boxed(outPtr, addr)}}},
	{Name: "io_destroy", Args: args{{"ctx_id", addr}}},
	{Name: "io_submit", Args: args{{"ctx_id", addr}, {"nr", ldec}, {"iocbpp", iocbs}}},
	{Name: "io_cancel", Args: args{{"ctx_id", addr}, {"iocb", iocbHead}, {"result", outPtr(ioEvent)}}},
	{Name: "io_getevents", Args: ioGetevents(timespec)},
	{Name: "io_pgetevents", Args: ioPgetevents(timespec)},
	{Name: "io_pgetevents_time64", Args: ioPgetevents(timespec64)},
}

var ioEvent = NewStruct(Arg{"data", hex64}, Arg{"obj", hex64}, Arg{"res", dec64}, Arg{"res2", dec64}).Type()

func ioGetevents(ts Type) args {
	return args{{"ctx_id", addr}, {"min_nr", ldec}, {"nr", ldec}, {"events", array(outPtr, ioEvent, retCount())}, {"timeout", in(ts)}}
}

func ioPgetevents(ts Type) args {
	return append(ioGetevents(ts), Arg{"sig", aioSigset})
}

// aioSigset is a pointer to a struct with the address and the size of a set of
// signals.
var aioSigset = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		w := c.Lay.Word()
		b, ok := c.ReadOr(v, 2*w)
		if !ok {
			return
		}
		n := c.Word(b[w:])
		c.BeginStruct()
		c.Field("sigmask")
		c.SigsetAt(c.Word(b), n)
		c.Field("sigsetsize")
		c.Uint(n)
		c.EndStruct()
	},
	Cap: func(b *Caps, at Place) {
		w := b.Lay.Word()
		op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(2 * w), When: event.AtExit})
		b.Add(In(op, 0, 0), event.Capture{Kind: event.CapBytes, Len: event.LenField, LenOff: uint16(w), Max: 8, When: event.AtExit})
	},
}

// Offsets in struct iocb, 64 bytes.
const (
	iocbSize = 64

	iocbKey    = 8
	iocbRW     = 12
	iocbOp     = 16
	iocbPrio   = 18
	iocbFD     = 20
	iocbBuf    = 24
	iocbBytes  = 32
	iocbOffset = 40
	iocbFlags  = 56
	iocbResFD  = 60
)

// iocbs is an array of pointers to requests, as many as argument 1 says. What a
// request points to is copied with the length that it gives: of one that
// writes, bytes; of one that writes vectors, not all of them.
var iocbs = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		if n := int64(c.args[1]); n >= 0 {
			c.Array(v, uint64(n), &iocbPointer)
		} else {
			c.Addr(v)
		}
	},
	Cap: func(b *Caps, at Place) {
		w := b.Lay.Word()
		op := b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenArg, LenFrom: 1, Size: uint16(w), Max: uint16(w * maxElems), When: event.AtExit})
		b.capIocb(In(op, 0, w))
	},
}

func (b *Caps) capIocb(at Place) {
	w := b.Lay.Word()
	op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: iocbSize, When: event.AtExit})
	b.Add(In(op, iocbBuf, 0), event.Capture{Kind: event.CapBytes, Len: event.LenField, LenOff: iocbBytes, LenWidth: 8, When: event.AtExit})
	vec := b.Add(In(op, iocbBuf, 0), event.Capture{
		Kind: event.CapBytes, Len: event.LenField, LenOff: iocbBytes, LenWidth: 8, Size: uint16(2 * w), Max: uint16(2 * w * 64), When: event.AtExit,
	})
	b.addIovecData(vec, event.AtExit)
	capFD(b, In(op, iocbFD, 0))
}

var iocbPointer = Type{Width: Ulong, Print: func(c *Call, v uint64) {
	b, ok := c.ReadOr(v, iocbSize)
	if !ok {
		return
	}
	c.BeginStruct()
	c.iocb(b)
	c.EndStruct()
}}

// iocbHead is a request of which only the beginning is shown.
var iocbHead = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		if b, ok := c.ReadOr(v, iocbSize); ok {
			c.BeginStruct()
			c.iocbFields(b)
			c.EndStruct()
		}
	},
	Cap: func(b *Caps, at Place) {
		op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: iocbSize, When: event.AtExit})
		capFD(b, In(op, iocbFD, 0))
	},
}

func (c *Call) iocbFields(b []byte) {
	c.Field("aio_data")
	c.Hex(c.U64(b))
	if v := c.U32(b[iocbKey:]); v != 0 {
		c.Field("aio_key")
		c.Uint(v)
	}
	if v := c.U32(b[iocbRW:]); v != 0 {
		c.Field("aio_rw_flags")
		c.Flags(v, xlat.RWFlags)
	}
	c.Field("aio_lio_opcode")
	c.EnumDec(c.U16(b[iocbOp:]), xlat.AIOCmds)
	prio := c.U16(b[iocbPrio:])
	if c.U32(b[iocbFlags:])&xlat.IOCB_FLAG_IOPRIO != 0 {
		c.Field("aio_reqprio")
		c.Ioprio(prio, false)
	} else if prio != 0 {
		c.Field("aio_reqprio")
		c.Int(int64(int16(prio)))
	}
	c.Field("aio_fildes")
	c.FD(c.I32(b[iocbFD:]))
}

func (c *Call) iocb(b []byte) {
	c.iocbFields(b)
	buf, n := c.U64(b[iocbBuf:]), c.U64(b[iocbBytes:])
	valid := int64(n) >= 0
	op := c.U16(b[iocbOp:])
	switch op {
	case xlat.IOCB_CMD_PREAD, xlat.IOCB_CMD_PWRITE:
		c.Field("aio_buf")
		if op == xlat.IOCB_CMD_PWRITE && valid {
			c.BufAt(buf, n)
		} else {
			c.Hex(buf)
		}
		c.Field("aio_nbytes")
		c.Uint(n)
	case xlat.IOCB_CMD_PREADV, xlat.IOCB_CMD_PWRITEV:
		c.Field("aio_buf")
		switch {
		case !valid:
			c.Hex(buf)
			c.Field("aio_nbytes")
			c.Uint(n)
		case op == xlat.IOCB_CMD_PWRITEV:
			c.Iovecs(buf, n, noLimit, iovStr)
		default:
			c.Iovecs(buf, n, noLimit, iovAddr)
		}
	case xlat.IOCB_CMD_POLL:
		c.Field("aio_buf")
		c.Flags(buf, xlat.PollFlags)
		c.iocbRest(b)
		return
	default:
		return
	}
	c.Field("aio_offset")
	c.Int(int64(c.U64(b[iocbOffset:])))
	c.iocbRest(b)
}

// iocbRest writes the flags and the descriptor that is told of the end.
func (c *Call) iocbRest(b []byte) {
	flags := c.U32(b[iocbFlags:])
	if flags != 0 {
		c.Field("aio_flags")
		c.Flags(flags, xlat.AIOFlags)
	}
	if flags&xlat.IOCB_FLAG_RESFD != 0 {
		c.Field("aio_resfd")
		c.FD(c.I32(b[iocbResFD:]))
	} else if v := c.U32(b[iocbResFD:]); v != 0 {
		c.Field("aio_resfd")
		c.Hex(v)
	}
}
