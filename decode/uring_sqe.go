package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// sqeSize is the size of a submission; those of some operations are twice as long.
const sqeSize = 64

// uringSqe is a submission that is sent to another ring.
var uringSqe = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		if b, ok := c.ReadOr(v, sqeSize); ok {
			c.BeginStruct()
			c.sqe(b, v)
			c.EndStruct()
		}
	},
	Cap: func(b *Caps, at Place) {
		op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: 2 * sqeSize, When: event.AtExit})
		b.Add(In(op, 48, 0), event.Capture{Kind: event.CapBytes, Size: 32, When: event.AtExit})
		capFD(b, In(op, 4, 0))
	},
}

func (c *Call) sqe(b []byte, addr uint64) {
	op := uint64(b[0])
	c.Field("opcode")
	c.EnumDec(op, xlat.UringOps)
	c.Field("flags")
	c.Flags(uint64(b[1]), xlat.UringSqeFlags)
	c.Field("ioprio")
	c.sqePrio(op, c.U16(b[2:]))
	c.Field("fd")
	c.FD(c.I32(b[4:]))
	c.Field("off")
	if f, ok := parseFD(c.FDInfo(c.I32(b[4:]))); ok && uint64(f.u16(event.FDModeAt))&sIFMT == sIFSOCK && (op == xlat.IORING_OP_URING_CMD || op == xlat.IORING_OP_URING_CMD128) {
		c.EnumDec(c.U64(b[8:]), xlat.UringSocketOps)
	} else {
		c.Hex(c.U64(b[8:]))
	}
	c.Field("addr")
	c.Hex(c.U64(b[16:]))
	c.Field("len")
	c.Uint(c.U32(b[24:]))
	c.sqeFlags(op, c.U32(b[28:]))
	c.Field("user_data")
	c.Hex(c.U64(b[32:]))
	c.Field("buf_index")
	c.Hex(c.U16(b[40:]))
	c.Field("personality")
	c.Uint(c.U16(b[42:]))
	c.Field("file_index")
	c.Hex(c.U32(b[44:]))
	attr, mask := c.U64(b[48:]), c.U64(b[56:])
	if mask != 0 && sqeReads(op) {
		c.Field("attr_type_mask")
		c.Flags(mask, xlat.UringRWAttrFlags)
		c.Field("attr_ptr")
		c.sqeAttr(attr, mask)
	} else {
		c.Field("optval")
		c.Hex(attr)
	}
	if op == xlat.IORING_OP_NOP128 || op == xlat.IORING_OP_URING_CMD128 {
		c.Field("cmd")
		c.Array(addr+sqeSize, sqeSize, &sqeByte)
	}
}

var sqeByte = hex8

// sqePrio writes the field that is a priority or, for some operations, flags.
func (c *Call) sqePrio(op, v uint64) {
	switch op {
	case xlat.IORING_OP_ACCEPT:
		c.Flags(v, xlat.UringAcceptFlags)
	case xlat.IORING_OP_SEND, xlat.IORING_OP_SENDMSG, xlat.IORING_OP_SEND_ZC, xlat.IORING_OP_SENDMSG_ZC,
		xlat.IORING_OP_RECV, xlat.IORING_OP_RECVMSG, xlat.IORING_OP_RECV_ZC:
		c.Flags(v, xlat.UringRecvSendFlags)
	default:
		c.Uint(v)
	}
}

// sqeFlags writes the flags of an operation, whose name hangs on it.
func (c *Call) sqeFlags(op, v uint64) {
	switch op {
	case xlat.IORING_OP_NOP, xlat.IORING_OP_NOP128:
		c.Field("nop_flags")
		c.Flags(v, xlat.UringNopFlags)
	case xlat.IORING_OP_FIXED_FD_INSTALL:
		c.Field("install_fd_flags")
		c.Flags(v, xlat.UringFixedFDFlags)
	case xlat.IORING_OP_MSG_RING:
		c.Field("msg_ring_flags")
		c.Flags(v, xlat.UringMsgRingFlags)
	default:
		c.Field("rw_flags")
		c.Hex(v)
	}
}

// sqeReads reports whether an operation may have attributes: it reads or writes.
func sqeReads(op uint64) bool {
	switch op {
	case xlat.IORING_OP_READ, xlat.IORING_OP_WRITE, xlat.IORING_OP_READV, xlat.IORING_OP_WRITEV,
		xlat.IORING_OP_READ_FIXED, xlat.IORING_OP_WRITE_FIXED, xlat.IORING_OP_READV_FIXED, xlat.IORING_OP_WRITEV_FIXED,
		xlat.IORING_OP_SEND, xlat.IORING_OP_RECV, xlat.IORING_OP_SENDMSG, xlat.IORING_OP_RECVMSG,
		xlat.IORING_OP_SEND_ZC, xlat.IORING_OP_RECV_ZC, xlat.IORING_OP_READ_MULTISHOT:
		return true
	}
	return false
}

// sqeAttr writes the attributes at addr: how data is protected, if the mask says
// that.
func (c *Call) sqeAttr(addr, mask uint64) {
	const protection = 1
	if mask&protection == 0 {
		c.Addr(addr)
		return
	}
	if b, ok := c.ReadOr(addr, 32); ok {
		sqeProtection.Val(c, b, addr)
	}
}

var sqeProtection = NewStruct(
	Arg{"flags", hex16}, Arg{"app_tag", hex16}, Arg{"len", udec}, Arg{"addr", hex64}, Arg{"seed", hex64}, Arg{"rsvd", hex64},
).Type()

const sIFSOCK = 0o140000
