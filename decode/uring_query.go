package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// uringProbeHead and uringProbeOp are the sizes of what a probe begins with and of
// one operation in it.
const (
	uringProbeHead = 16
	uringProbeOp   = 8
	uringProbeMax  = 256
)

// uringProbe asks which operations there are. It has to be all zeros; if it is
// not, it is shown as it was before the call, too.
var uringProbe = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		n := c.args[3]
		size := uringProbeHead + uringProbeOp*int(min(n, uringProbeMax))
		c.AtEntry = true
		before, ok := c.Read(v, size)
		c.AtEntry = false
		done := c.Returned() && !c.Failed()
		if n > uringProbeMax || !ok || !c.Verbose || allZero(before) && !done {
			c.Addr(v)
			return
		}
		shown := !allZero(before)
		if shown {
			if done {
				c.BeginChange()
			}
			c.probe(before, n, false)
		}
		if !done {
			return
		}
		if shown {
			c.Then()
		}
		if after, ok := c.Read(v, size); ok {
			c.probe(after, min(n, uint64(after[1])), n < uint64(after[1]))
		} else {
			c.Addr(v)
		}
		if shown {
			c.EndChange()
		}
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: uringProbeHead + uringProbeOp*uringProbeMax, When: event.AtEntry | event.AtExit})
	},
}

// probe writes a probe with n operations; more says that there are more than
// there was room for.
func (c *Call) probe(b []byte, n uint64, more bool) {
	c.BeginStruct()
	c.Field("last_op")
	c.EnumDec(uint64(b[0]), xlat.UringOps)
	c.Field("ops_len")
	c.Uint(uint64(b[1]))
	c.shyHex("resv", c.U16(b[2:]))
	if !allZero(b[4:16]) {
		c.Field("resv2")
		uringResv3.Val(c, b[4:16], 0)
	}
	c.Field("ops")
	c.BeginArray()
	for i := uint64(0); i < n; i++ {
		if c.Abbrev && i >= uint64(c.Opts.StringMax) {
			c.Elem()
			c.More()
			more = false
			break
		}
		c.Elem()
		uringProbeElem.Val(c, b[uringProbeHead+uringProbeOp*i:][:uringProbeOp], 0)
	}
	if more {
		c.Elem()
		c.More()
	}
	c.EndArray()
	c.EndStruct()
}

var uringProbeElem = fixed(uringProbeOp, func(c *Call, b []byte) {
	c.Field("op")
	c.EnumDec(uint64(b[0]), xlat.UringOps)
	c.shyHex("resv", uint64(b[1]))
	c.Field("flags")
	c.Flags(c.U16(b[2:]), xlat.UringOpFlags)
	c.shyHex("resv2", c.U32(b[4:]))
})

// Of a list of questions, all are captured that lie in an array, as lists mostly
// do, and some others.
const (
	uringQueryHead = 40
	uringQueryRow  = 64
	uringQueryHops = 5
	uringQueryMax  = 1000
)

// uringQuery is a list of questions: each is shown in the one before it, as its
// next_entry.
var uringQuery = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		count := 0
		for {
			b, ok := c.ReadOr(v, uringQueryHead)
			if !ok {
				break
			}
			if count >= uringQueryMax || c.Abbrev && count >= c.Opts.StringMax || c.Deep() {
				c.Addr(v)
				c.Comment("...")
				break
			}
			count++
			c.BeginStruct()
			c.question(b)
			c.Field("next_entry")
			v = c.U64(b)
		}
		for ; count > 0; count-- {
			c.EndStruct()
		}
	},
	Cap: func(b *Caps, at Place) {
		for range uringQueryHops {
			op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: uringQueryHead * uringQueryRow, When: event.AtExit})
			b.Add(In(op, 8, 0), event.Capture{Kind: event.CapBytes, Size: 48, When: event.AtExit})
			at = In(op, 0, 0)
		}
	},
}

// question writes one question and its answer, without the pointer to the next.
func (c *Call) question(b []byte) {
	data, op := c.U64(b[8:]), c.U32(b[16:])
	c.Field("query_data")
	c.Addr(data)
	c.Field("query_op")
	c.Enum(op, xlat.UringQueryOps)
	c.Field("size")
	c.Uint(c.U32(b[20:]))
	c.Field("result")
	c.Int(c.I32(b[24:]))
	if !allZero(b[28:40]) {
		c.Field("__resv")
		uringResv3.Val(c, b[28:40], 0)
	}
	if data == 0 || c.U32(b[20:]) == 0 {
		return
	}
	c.Field("query_data")
	t, ok := uringAnswers[op]
	if !ok {
		c.Addr(data)
		return
	}
	if a, ok := c.ReadOr(data, t.size(c.Lay)); ok {
		t.Val(c, a, data)
	}
}

var uringAnswers = map[uint64]Type{
	xlat.IO_URING_QUERY_OPCODES: NewStruct(
		Arg{"nr_request_opcodes", udec}, Arg{"nr_register_opcodes", udec}, Arg{"feature_flags", flagsIn(U64, xlat.UringFeatures)},
		Arg{"ring_setup_flags", flagsIn(U64, xlat.UringSetupFlags)}, Arg{"enter_flags", flagsIn(U64, xlat.UringEnterFlags)},
		Arg{"sqe_flags", flagsIn(U64, xlat.UringSqeFlags)}, Arg{"nr_query_opcodes", udec}, Arg{"__pad", shy(hex)},
	).Type(),
	xlat.IO_URING_QUERY_ZCRX: NewStruct(
		Arg{"register_flags", flagsIn(U64, xlat.UringZcrxRegFlags)}, Arg{"area_flags", flagsIn(U64, xlat.UringZcrxAreaFlags)},
		Arg{"nr_ctrl_opcodes", udec}, Arg{"features", hex}, Arg{"rq_hdr_size", udec}, Arg{"rq_hdr_alignment", udec}, Arg{"__resv2", shy(hex64)},
	).Type(),
	xlat.IO_URING_QUERY_SCQ: NewStruct(Arg{"hdr_size", udec64}, Arg{"hdr_alignment", udec64}).Type(),
	xlat.IO_URING_QUERY_ZCRX_EVENT: NewStruct(
		Arg{"event_flags", hex}, Arg{"stats_size", udec}, Arg{"stats_off_alignment", udec}, Arg{"__resv1", shy(hex)}, Arg{"__resv2", spare64(4)},
	).Type(),
}

// uringZcrxCtrl controls receiving without copying. What it exports is known
// when the call has returned.
var uringZcrxCtrl = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		const size = 72
		c.AtEntry = true
		b, ok := c.ReadOr(v, size)
		c.AtEntry = false
		if !ok {
			return
		}
		op := c.U32(b[4:])
		c.BeginStruct()
		c.Field("zcrx_id")
		c.Uint(c.U32(b))
		c.Field("op")
		c.Enum(op, xlat.UringZcrxCtrl)
		if !allZero(b[8:24]) {
			c.Field("__resv")
			uringResv2x64.Val(c, b[8:24], 0)
		}
		switch op {
		case xlat.ZCRX_CTRL_FLUSH_RQ:
			c.Field("zc_flush")
			zcrxFlush.Val(c, b[24:72], 0)
		case xlat.ZCRX_CTRL_ARM_EVENT:
			c.Field("zc_arm_event")
			zcrxArm.Val(c, b[24:72], 0)
		case xlat.ZCRX_CTRL_EXPORT:
			if b, ok := c.Read(v, size); ok && c.Returned() && !c.Failed() {
				c.Field("zc_export")
				zcrxExport.Val(c, b[24:72], 0)
			}
		}
		c.EndStruct()
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: 72, When: event.AtEntry | event.AtExit})
	},
}

var (
	uringResv2x64 = listOf(2, hex64)
	zcrxFlush     = NewStruct(Arg{"__resv", spare64(6)}).Type()
	zcrxArm       = NewStruct(Arg{"event_type", enum(xlat.UringZcrxEvents)}, Arg{"__resv", spare32(11)}).Type()
	zcrxExport    = NewStruct(Arg{"zcrx_fd", fd}, Arg{"__resv1", spare32(11)}).Type()
)
