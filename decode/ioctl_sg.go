package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// Commands to SCSI devices: scsi/sg.h (version 3) and linux/bsg.h (version 4).
var (
	sgV3 = NewStruct(
		Arg{"interface_id", udec}, Arg{"dxfer_direction", enum(xlat.SgDirection)}, Arg{"cmd_len", udec8}, Arg{"mx_sb_len", udec8},
		Arg{"iovec_count", udec16}, Arg{"dxfer_len", udec}, Arg{"dxferp", addr}, Arg{"cmdp", addr}, Arg{"sbp", addr},
		Arg{"timeout", udec}, Arg{"flags", flags(xlat.SgFlags)}, Arg{"pack_id", dec}, Arg{"usr_ptr", addr},
		Arg{"status", hex8}, Arg{"masked_status", hex8}, Arg{"msg_status", hex8}, Arg{"sb_len_wr", udec8},
		Arg{"host_status", hex16}, Arg{"driver_status", hex16}, Arg{"resid", dec}, Arg{"duration", udec},
		Arg{"info", flags(xlat.SgInfo)},
	)
	sgV4 = NewStruct(
		Arg{"guard", udec}, Arg{"protocol", enum(xlat.BsgProtocol)}, Arg{"subprotocol", enum(xlat.BsgSubprotocol)},
		Arg{"request_len", udec}, Arg{"request", addr64}, Arg{"request_tag", hex64}, Arg{"request_attr", udec},
		Arg{"request_priority", udec}, Arg{"request_extra", udec}, Arg{"max_response_len", udec}, Arg{"response", hex64},
		Arg{"dout_iovec_count", udec}, Arg{"dout_xfer_len", udec}, Arg{"din_iovec_count", udec}, Arg{"din_xfer_len", udec},
		Arg{"dout_xferp", addr64}, Arg{"din_xferp", hex64}, Arg{"timeout", udec}, Arg{"flags", flags(xlat.BsgFlags)},
		Arg{"usr_ptr", hex64}, Arg{"spare_in", udec}, Arg{"driver_status", hex}, Arg{"transport_status", hex},
		Arg{"device_status", hex}, Arg{"retry_delay", udec}, Arg{"info", flags(xlat.SgInfo)}, Arg{"duration", udec},
		Arg{"response_len", udec}, Arg{"din_resid", dec}, Arg{"dout_resid", dec}, Arg{"generated_tag", hex64},
		Arg{"spare_out", udec}, Arg{"padding", udec},
	)
	sgV3Type, sgV4Type = sgV3.Type(), sgV4.Type()
)

const (
	sgToDev     = -2
	sgFromDev   = -3
	sgToFromDev = -4
)

// num is the value of a field of an sg struct.
func (s *Struct) num(c *Call, b []byte, name string) uint64 {
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Name == name {
			return f.Width.load(b[s.off[c.Lay][i]:], c.Lay)
		}
	}
	return 0
}

// sgBuffer writes the data of a transfer, which is an array of iovecs if there
// are any.
func (c *Call) sgBuffer(name string, addr, size, iovecs uint64) {
	c.Field(name)
	if iovecs > 0 {
		c.Iovecs(addr, iovecs, size, iovStr)
		return
	}
	c.HexBufAt(addr, size)
}

// sgIO is a command, whose version is told by its first number.
var sgIO = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		c.AtEntry = true
		b, ok := c.ReadOr(v, 4)
		c.AtEntry = false
		if !ok {
			return
		}
		switch id := c.U32(b); id {
		case 'S':
			c.BeginStruct()
			c.sgVersion3(v)
			c.EndStruct()
		case 'Q':
			c.BeginStruct()
			c.sgVersion4(v)
			c.EndStruct()
		default:
			c.BeginArray()
			c.Elem()
			c.Uint(id)
			c.EndArray()
		}
	},
	Cap: func(b *Caps, at Place) {
		// 16 captures is all there is room for: what is only read by the call is
		// copied at exit.
		l := b.Lay
		whole := func(t *Type, when event.When) int {
			return b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(t.size(l)), When: when})
		}
		buf := func(op int, s *Struct, ptr, size string, width int, when event.When) {
			b.Add(In(op, s.Off(l, ptr), 0), event.Capture{
				Kind: event.CapBytes, Len: event.LenField, LenOff: uint16(s.Off(l, size)), LenWidth: uint8(width), When: when,
			})
		}
		vec := func(op int, s *Struct, ptr, n string, width int) {
			v := b.addIovecs(In(op, s.Off(l, ptr), 0), event.Capture{
				Len: event.LenField, LenOff: uint16(s.Off(l, n)), LenWidth: uint8(width),
			}, event.AtExit)
			b.addIovecData(v, event.AtExit)
		}
		v3 := whole(&sgV3Type, readAtEntry)
		whole(&sgV4Type, readAtEntry)
		buf(v3, sgV3, "dxferp", "dxfer_len", 4, readAtEntry)
		v3, v4 := whole(&sgV3Type, event.AtExit), whole(&sgV4Type, event.AtExit)
		buf(v3, sgV3, "cmdp", "cmd_len", 1, event.AtExit)
		buf(v3, sgV3, "sbp", "sb_len_wr", 1, event.AtExit)
		buf(v3, sgV3, "dxferp", "dxfer_len", 4, event.AtExit)
		vec(v3, sgV3, "dxferp", "iovec_count", 2)
		buf(v4, sgV4, "request", "request_len", 4, event.AtExit)
		buf(v4, sgV4, "response", "response_len", 4, event.AtExit)
		buf(v4, sgV4, "dout_xferp", "dout_xfer_len", 4, event.AtExit)
		buf(v4, sgV4, "din_xferp", "din_xfer_len", 4, event.AtExit)
		vec(v4, sgV4, "dout_xferp", "dout_iovec_count", 4)
	},
}

func (c *Call) sgVersion3(v uint64) {
	s := sgV3
	c.Field("interface_id")
	c.Text("'S'")
	c.AtEntry = true
	b, ok := c.Read(v, sgV3Type.size(c.Lay))
	if !ok {
		c.sgUnreadable(v + 4)
		return
	}
	s.PrintOnly(c, b, "dxfer_direction", "cmd_len")
	c.sgBuffer("cmdp", s.num(c, b, "cmdp"), s.num(c, b, "cmd_len"), 0)
	s.PrintOnly(c, b, "mx_sb_len", "iovec_count", "dxfer_len", "timeout", "flags")
	dir := int32(s.num(c, b, "dxfer_direction"))
	if dir == sgToDev || dir == sgToFromDev {
		c.sgBuffer("dxferp", s.num(c, b, "dxferp"), s.num(c, b, "dxfer_len"), s.num(c, b, "iovec_count"))
	}
	c.AtEntry = false
	asked := b
	if b, ok = c.Read(v, sgV3Type.size(c.Lay)); !ok || !c.Returned() {
		if dir == sgFromDev {
			s.PrintField(c, asked, "dxferp")
		}
		s.PrintField(c, asked, "sbp")
		return
	}
	if c.U32(b) != 'S' {
		c.Syntax(" => interface_id=")
		c.Uint(c.U32(b))
		return
	}
	dir = int32(s.num(c, b, "dxfer_direction"))
	size, resid := s.num(c, b, "dxfer_len"), int32(s.num(c, b, "resid"))
	if resid > 0 && uint64(resid) <= size {
		size -= uint64(resid)
	}
	switch {
	case dir == sgFromDev:
		c.sgBuffer("dxferp", s.num(c, b, "dxferp"), size, s.num(c, b, "iovec_count"))
	case dir == sgToFromDev && size > 0:
		c.Syntax(" => ")
		if n := s.num(c, b, "iovec_count"); n > 0 {
			c.Iovecs(s.num(c, b, "dxferp"), n, size, iovStr)
		} else {
			c.HexBufAt(s.num(c, b, "dxferp"), size)
		}
	}
	s.PrintOnly(c, b, "status", "masked_status", "msg_status", "sb_len_wr")
	c.sgBuffer("sbp", s.num(c, b, "sbp"), s.num(c, b, "sb_len_wr"), 0)
	s.PrintOnly(c, b, "host_status", "driver_status", "resid", "duration", "info")
}

// sgUnreadable writes the address of what can't be read of a struct, in the
// place of its fields.
func (c *Call) sgUnreadable(addr uint64) {
	c.AtEntry = false
	c.Elem()
	c.Addr(addr)
}

func (c *Call) sgVersion4(v uint64) {
	s := sgV4
	c.Field("guard")
	c.Text("'Q'")
	c.AtEntry = true
	b, ok := c.Read(v, sgV4Type.size(c.Lay))
	if !ok {
		c.sgUnreadable(v + 4)
		return
	}
	s.PrintOnly(c, b, "protocol", "subprotocol", "request_len")
	c.sgBuffer("request", s.num(c, b, "request"), s.num(c, b, "request_len"), 0)
	s.PrintOnly(c, b, "request_tag", "request_attr", "request_priority", "request_extra", "max_response_len",
		"dout_iovec_count", "dout_xfer_len", "din_iovec_count", "din_xfer_len")
	c.sgBuffer("dout_xferp", s.num(c, b, "dout_xferp"), s.num(c, b, "dout_xfer_len"), s.num(c, b, "dout_iovec_count"))
	s.PrintOnly(c, b, "timeout", "flags", "usr_ptr")
	c.AtEntry = false
	asked := b
	if b, ok = c.Read(v, sgV4Type.size(c.Lay)); !ok || !c.Returned() {
		s.PrintOnly(c, asked, "response", "din_xferp")
		return
	}
	if c.U32(b) != 'Q' {
		c.Syntax(" => guard=")
		c.Uint(c.U32(b))
		return
	}
	s.PrintField(c, b, "response_len")
	c.sgBuffer("response", s.num(c, b, "response"), s.num(c, b, "response_len"), 0)
	size, resid := s.num(c, b, "din_xfer_len"), int32(s.num(c, b, "din_resid"))
	if resid > 0 && uint64(resid) <= size {
		size -= uint64(resid)
	}
	c.sgBuffer("din_xferp", s.num(c, b, "din_xferp"), size, s.num(c, b, "din_iovec_count"))
	s.PrintOnly(c, b, "driver_status", "transport_status", "device_status", "retry_delay", "info", "duration",
		"response_len", "din_resid", "dout_resid", "generated_tag")
}

const sgNoEscalate = 0x100

// sgReset is what to reset, perhaps without going on to more if that fails.
var sgReset = Type{Width: U32, Print: func(c *Call, v uint64) {
	c.BeginExpr(v)
	if v&sgNoEscalate != 0 {
		c.Enum(sgNoEscalate, xlat.SgReset)
		c.Syntax("|")
	}
	c.Enum(v&^sgNoEscalate, xlat.SgReset)
	c.EndExpr()
}}

var (
	sgID = NewStruct(
		Arg{"host_no", dec}, Arg{"channel", dec}, Arg{"scsi_id", hex}, Arg{"lun", dec}, Arg{"scsi_type", hex},
		Arg{"h_cmd_per_lun", dec16}, Arg{"d_queue_depth", dec16}, Arg{"", pad(8)},
	).Type()
	sgRequest = NewStruct(
		Arg{"req_state", dec8}, Arg{"orphan", dec8}, Arg{"sg_io_owned", dec8}, Arg{"problem", dec8}, Arg{"pack_id", dec},
		Arg{"usr_ptr", addr}, Arg{"duration", udec},
	).Type()
)

var ioctlSg = joined(
	each(argp(sgIO), "SG_IO"),
	each(argp(outPtr(sgID)), "SG_GET_SCSI_ID"),
	each(argp(outPtr(vec(sgRequest, 16))), "SG_GET_REQUEST_TABLE"),
	each(argp(boxed(in, sgReset)), "SG_SCSI_RESET"),
	each(argp(boxed(in, dec)), "SG_NEXT_CMD_LEN", "SG_SET_COMMAND_Q", "SG_SET_DEBUG", "SG_SET_FORCE_LOW_DMA",
		"SG_SET_FORCE_PACK_ID", "SG_SET_KEEP_ORPHAN", "SG_SET_RESERVED_SIZE", "SG_SET_TIMEOUT"),
	each(argp(boxed(outPtr, dec)), "SG_EMULATED_HOST", "SG_GET_ACCESS_COUNT", "SG_GET_COMMAND_Q", "SG_GET_KEEP_ORPHAN",
		"SG_GET_LOW_DMA", "SG_GET_NUM_WAITING", "SG_GET_PACK_ID", "SG_GET_RESERVED_SIZE", "SG_GET_SG_TABLESIZE",
		"SG_GET_TRANSFORM", "SG_GET_VERSION_NUM"),
	each(argp(hex), "SG_SET_TRANSFORM"),
	each(nil, "SG_GET_TIMEOUT"),
)
