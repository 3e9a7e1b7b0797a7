package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// uringOperations are what io_uring_register's third argument is, by operation.
func uringOperations() map[uint32]*Command {
	m := make(map[uint32]*Command)
	for op, t := range map[uint32]Type{
		xlat.IORING_REGISTER_BUFFERS:          addrIovec(3),
		xlat.IORING_REGISTER_FILES:            array(in, fd, argCount32(3)),
		xlat.IORING_REGISTER_EVENTFD:          array(in, fd, argCount32(3)),
		xlat.IORING_REGISTER_EVENTFD_ASYNC:    array(in, fd, argCount32(3)),
		xlat.IORING_REGISTER_FILES_UPDATE:     uringFilesUpdate,
		xlat.IORING_REGISTER_PROBE:            uringProbe,
		xlat.IORING_REGISTER_RESTRICTIONS:     array(in, uringRestriction, argCount32(3)),
		xlat.IORING_REGISTER_FILES2:           uringResources(false, fd),
		xlat.IORING_REGISTER_BUFFERS2:         uringResources(false, Type{}),
		xlat.IORING_REGISTER_FILES_UPDATE2:    uringResources(true, uringUpdateFD),
		xlat.IORING_REGISTER_BUFFERS_UPDATE:   uringResources(true, Type{}),
		xlat.IORING_REGISTER_IOWQ_AFF:         uringCPUs,
		xlat.IORING_REGISTER_IOWQ_MAX_WORKERS: uringWorkers,
		xlat.IORING_REGISTER_RING_FDS:         array(in, uringRingFD, argCount32(3)),
		xlat.IORING_UNREGISTER_RING_FDS:       array(in, uringNoRingFD, argCount32(3)),
		xlat.IORING_REGISTER_PBUF_RING:        only(1, in(uringBufReg)),
		xlat.IORING_UNREGISTER_PBUF_RING:      only(1, in(uringBufReg)),
		xlat.IORING_REGISTER_SYNC_CANCEL:      only(1, in(uringCancel)),
		xlat.IORING_REGISTER_FILE_ALLOC_RANGE: only(1, in(uringRange)),
		xlat.IORING_REGISTER_PBUF_STATUS:      only(1, outPtr(uringBufStatus)),
		xlat.IORING_REGISTER_NAPI:             only(1, uringNapiChange),
		xlat.IORING_UNREGISTER_NAPI:           only(1, outPtr(uringNapi)),
		xlat.IORING_REGISTER_CLOCK:            only(0, in(uringClock)),
		xlat.IORING_REGISTER_CLONE_BUFFERS:    only(1, in(uringClone)),
		xlat.IORING_REGISTER_SEND_MSG_RING:    only(1, uringSqe),
		xlat.IORING_REGISTER_ZCRX_IFQ:         only(1, in(uringZcrx)),
		xlat.IORING_REGISTER_RESIZE_RINGS:     only(1, in(uringResize)),
		xlat.IORING_REGISTER_MEM_REGION:       only(1, in(uringRegion)),
		xlat.IORING_REGISTER_QUERY:            only(0, uringQuery),
		xlat.IORING_REGISTER_ZCRX_CTRL:        only(1, uringZcrxCtrl),
	} {
		m[op] = &Command{Args: uringRegister(t)[2:]}
	}
	return m
}

// only is a pointer that is looked at only if there are n of it.
func only(n uint64, t Type) Type {
	print := t.Print
	t.Print = func(c *Call, v uint64) {
		if c.args[3] != n {
			c.Addr(v)
			return
		}
		print(c, v)
	}
	return t
}

var (
	uringBufReg = NewStruct(
		Arg{"ring_addr", addr64}, Arg{"ring_entries", udec}, Arg{"bgid", udec16}, Arg{"flags", hex16}, Arg{"min_left", udec}, Arg{"resv", spare32(5)},
	).Type()
	uringCancel = NewStruct(
		Arg{"addr", addr64}, Arg{"fd", fd}, Arg{"flags", flags(xlat.UringCancelFlags)},
		Arg{"timeout", NewStruct(Arg{"tv_sec", dec64}, Arg{"tv_nsec", dec64}).Type()},
		Arg{"opcode", enumIn(U8, xlat.UringOps)}, Arg{"pad", spareBytes(7)}, Arg{"pad2", spare64(3)},
	).Type()
	uringRange     = NewStruct(Arg{"off", udec}, Arg{"len", udec}, Arg{"resv", shy(hex64)}).Type()
	uringBufStatus = NewStruct(Arg{"buf_group", hex}, Arg{"head", hex}, Arg{"resv", spare32(8)}).Type()
	uringClock     = NewStruct(Arg{"clockid", enum(xlat.Clocks)}, Arg{"__resv", spare32(3)}).Type()
	uringClone     = NewStruct(
		Arg{"src_fd", fd}, Arg{"flags", flags(xlat.UringCloneFlags)}, Arg{"src_off", udec}, Arg{"dst_off", udec}, Arg{"nr", udec}, Arg{"pad", spare32(3)},
	).Type()
	uringRegion = NewStruct(Arg{"region_uptr", addr64}, Arg{"flags", flagsIn(U64, xlat.UringMemRegionFlags)}, Arg{"__resv", spare64(2)}).Type()
	uringZcrx   = NewStruct(
		Arg{"if_idx", udec}, Arg{"if_rxq", udec}, Arg{"rq_entries", udec}, Arg{"flags", flags(xlat.UringZcrxRegFlags)},
		Arg{"area_ptr", addr64}, Arg{"region_ptr", addr64},
		Arg{"offsets", NewStruct(Arg{"head", udec}, Arg{"tail", udec}, Arg{"rqes", udec}, Arg{"__resv2", shy(hex)}, Arg{"__resv", spare64(2)}).Type()},
		Arg{"zcrx_id", udec}, Arg{"rx_buf_len", udec}, Arg{"event_desc", addr64}, Arg{"__resv", spare64(2)},
	).Type()
)

// uringResize are the parameters of rings that change their size.
var uringResize = fixed(uringParamsSize, func(c *Call, b []byte) {
	c.Field("sq_entries")
	c.Uint(c.U32(b))
	c.Field("cq_entries")
	c.Uint(c.U32(b[4:]))
	c.Field("flags")
	c.Flags(c.U32(b[8:]), xlat.UringSetupFlags)
	c.userAddr("sq_off", c.U64(b[72:]))
	c.userAddr("cq_off", c.U64(b[112:]))
	if !allZero(b[28:40]) {
		c.Field("resv")
		uringResv3.Val(c, b[28:40], 0)
	}
})

func (c *Call) userAddr(name string, v uint64) {
	if v != 0 {
		c.Field(name)
		c.BeginStruct()
		c.Field("user_addr")
		c.Hex(v)
		c.EndStruct()
	}
}

// fixed is a struct of n bytes, the same in every ABI, whose fields a function
// shows.
func fixed(n int, fields func(c *Call, b []byte)) Type {
	t := bytesType(n, func(c *Call, b []byte) {
		c.BeginStruct()
		fields(c, b)
		c.EndStruct()
	})
	t.Align = [numLay]uint16{8, 4, 8}
	return t
}

// uringNapi says how to poll the network.
var uringNapi = fixed(16, func(c *Call, b []byte) {
	c.Field("busy_poll_to")
	c.Hex(c.U32(b))
	c.Field("prefer_busy_poll")
	c.Hex(uint64(b[4]))
	c.Field("opcode")
	c.Enum(uint64(b[5]), xlat.UringNapiOps)
	if !allZero(b[6:8]) {
		c.Field("pad")
		uringPad2.Val(c, b[6:8], 0)
	}
	c.Field("op_param")
	if b[5] == xlat.IO_URING_NAPI_REGISTER_OP {
		c.Enum(c.U32(b[8:]), xlat.UringNapiTracking)
	} else {
		c.Hex(c.U32(b[8:]))
	}
	c.shyHex("resv", c.U32(b[12:]))
})

var uringPad2 = listOf(2, hex8)

// uringNapiChange is that before and after the call.
var uringNapiChange = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		c.AtEntry = true
		b, ok := c.ReadOr(v, 16)
		c.AtEntry = false
		if !ok {
			return
		}
		change := c.Returned() && !c.Failed()
		if change {
			c.BeginChange()
		}
		uringNapi.Val(c, b, v)
		if change {
			c.Then()
			if b, ok = c.ReadOr(v, 16); ok {
				uringNapi.Val(c, b, v)
			}
			c.EndChange()
		}
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: 16, When: event.AtEntry | event.AtExit})
	},
}

// uringUpdateFD is a descriptor that replaces another one, or says that it stays.
var uringUpdateFD = func() Type {
	t := fd
	t.Print = func(c *Call, v uint64) {
		if int64(v) < -1 {
			c.EnumDec(v, xlat.UringFilesUpdate)
			return
		}
		c.FD(int64(v))
	}
	return t
}()

// uringFilesUpdate is an array of descriptors and where they go.
var uringFilesUpdate = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		b, ok := c.ReadOr(v, 16)
		if !ok {
			return
		}
		c.BeginStruct()
		c.Field("offset")
		c.Uint(c.U32(b))
		if r := c.U32(b[4:]); r != 0 {
			c.Field("resv")
			c.Hex(r)
		}
		c.Field("fds")
		c.Array(c.U64(b[8:]), c.args[3], &uringUpdateFD)
		c.EndStruct()
	},
	Cap: func(b *Caps, at Place) {
		op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: 16, When: event.AtExit})
		fds := b.Add(In(op, 8, 0), event.Capture{Kind: event.CapBytes, Len: event.LenArg, LenFrom: 3, LenWidth: 4, Size: 4, Max: 4 * maxElems, When: event.AtExit})
		capFD(b, In(fds, 0, 4))
	},
}

// uringRestriction is what a ring may still do.
var uringRestriction = Type{
	Width: None, Size: [numLay]uint16{16, 16, 16}, Align: [numLay]uint16{4, 4, 4},
	Mem: func(c *Call, b []byte, _ uint64) {
		op, v := c.U16(b), uint64(b[2])
		c.BeginStruct()
		c.Field("opcode")
		c.Enum(op, xlat.UringRestrictions)
		switch op {
		case xlat.IORING_RESTRICTION_REGISTER_OP:
			c.Field("register_op")
			c.Enum(v, xlat.UringRegister)
		case xlat.IORING_RESTRICTION_SQE_OP:
			c.Field("sqe_op")
			c.Enum(v, xlat.UringOps)
		case xlat.IORING_RESTRICTION_SQE_FLAGS_ALLOWED, xlat.IORING_RESTRICTION_SQE_FLAGS_REQUIRED:
			c.Field("sqe_flags")
			c.Flags(v, xlat.UringSqeFlags)
		default:
			if !c.Opt.JSON {
				c.Syntax(" /* op: ")
				c.Hex(v)
				c.Syntax(" */")
			}
		}
		if b[3] != 0 {
			c.Field("resv")
			c.Hex(uint64(b[3]))
		}
		if !allZero(b[4:16]) {
			c.Field("resv2")
			uringResv3.Val(c, b[4:16], 0)
		}
		c.EndStruct()
	},
}

var uringResv3 = listOf(3, hex)

var (
	uringRingFD = NewStruct(
		Arg{"offset", printed(U32, func(c *Call, v uint64) { c.ID(v, 1<<32-1) })}, Arg{"resv", shy(hex)},
		Arg{"data", Type{Width: U64, Print: func(c *Call, v uint64) { c.FD(int64(int32(v))) }, Cap: capFD}},
	).Type()
	uringNoRingFD = NewStruct(Arg{"offset", udec}, Arg{"resv", shy(hex)}, Arg{"data", shy(hex64)}).Type()
)
