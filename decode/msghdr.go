package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// msgLayout is where the fields of struct msghdr are.
type msgLayout struct {
	name, namelen, iov, iovlen, control, controllen, flags, size uint64
	msgLen, msize                                                uint64 // struct mmsghdr
}

var (
	msgLayout64 = msgLayout{0, 8, 16, 24, 32, 40, 48, 56, 56, 64}
	msgLayout32 = msgLayout{0, 4, 8, 12, 16, 20, 24, 28, 28, 32}
)

func msgLayoutOf(l Lay) *msgLayout {
	if l.Word() == 4 {
		return &msgLayout32
	}
	return &msgLayout64
}

// maxControl is the most that is captured of control messages.
const maxControl = 20480 // the kernel's own default limit (optmem_max) until 6.7

// capMessages captures what the message headers in capture op point to; stride
// is 0 for one header, else the distance to the next.
func (b *Caps) capMessages(op int, stride uint64, when, data event.When) {
	m := msgLayoutOf(b.Lay)
	word, st := uint8(b.Lay.Word()), int(stride)
	b.Add(In(op, int(m.name), st), event.Capture{
		Kind: event.CapBytes, Len: event.LenField, LenOff: uint16(m.namelen), LenWidth: 4, Max: maxSockaddr, When: when,
	})
	control := b.Add(In(op, int(m.control), st), event.Capture{
		Kind: event.CapBytes, Len: event.LenField, LenOff: uint16(m.controllen), LenWidth: word, Max: maxControl, When: when,
	})
	if b.Opts != nil && b.Opts.wantFDs() {
		// any int behind the first header may be a descriptor that is passed
		b.Add(In(control, b.Lay.Word()+8, 4), event.Capture{Kind: event.CapFD, When: when})
	}
	iov := b.addIovecs(In(op, int(m.iov), st), event.Capture{
		Len: event.LenField, LenOff: uint16(m.iovlen), LenWidth: word,
	}, when)
	b.addIovecData(iov, when|data)
}

// inMsghdr is a pointer to the header of a message to be sent.
var inMsghdr = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		m := msgLayoutOf(c.Lay)
		if b, ok := c.ReadOr(v, int(m.size)); ok {
			c.msghdr(b, -1, noLimit)
		}
	},
	Cap: func(b *Caps, at Place) {
		op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(msgLayoutOf(b.Lay).size), When: event.AtExit})
		b.capMessages(op, 0, event.AtExit, 0)
	},
}

// outMsghdr is a pointer to the header of a message that was received. Of the
// header at entry, the room for the address is shown.
var outMsghdr = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		m := msgLayoutOf(c.Lay)
		c.AtEntry = true
		b, ok := c.ReadOr(v, int(m.size))
		c.AtEntry = false
		if !ok {
			return
		}
		room := c.I32(b[m.namelen:])
		if c.Failed() {
			c.BeginStruct()
			c.Field("msg_namelen")
			c.Int(room)
			c.EndStruct()
			return
		}
		if b, ok = c.ReadOr(v, int(m.size)); ok {
			c.msghdr(b, room, uint64(c.Ev.Ret))
		}
	},
	Cap: func(b *Caps, at Place) {
		op := b.Add(at, event.Capture{
			Kind: event.CapBytes, Size: uint16(msgLayoutOf(b.Lay).size), When: event.AtEntry | event.AtExit,
		})
		b.capMessages(op, 0, event.AtExit|event.IfOK, event.LimitRet)
	},
}

// msghdr writes the message header in b. room, if not negative, is msg_namelen
// as it was at entry; the message has at most limit bytes.
func (c *Call) msghdr(b []byte, room int64, limit uint64) {
	m := msgLayoutOf(c.Lay)
	namelen := c.I32(b[m.namelen:])
	shown := namelen
	if room >= 0 {
		shown = min(shown, room)
	}
	c.BeginStruct()
	c.Field("msg_name")
	family := c.SockaddrAt(c.Word(b[m.name:]), shown)
	c.Field("msg_namelen")
	if room >= 0 && room != namelen {
		c.BeginChange()
		c.Int(room)
		c.Then()
		c.Int(namelen)
		c.EndChange()
	} else {
		c.Int(namelen)
	}

	mode := iovStr
	if family == xlat.AF_NETLINK || family == -1 && c.netlinkProto() >= 0 {
		mode = iovNetlink
	}
	c.Field("msg_iov")
	n := c.Word(b[m.iovlen:])
	c.Iovecs(c.Word(b[m.iov:]), n, limit, mode)
	c.Field("msg_iovlen")
	c.Uint(n)

	controllen := c.Word(b[m.controllen:])
	if controllen != 0 {
		c.Field("msg_control")
		c.Control(c.Word(b[m.control:]), controllen)
	}
	c.Field("msg_controllen")
	c.Uint(controllen)
	c.Field("msg_flags")
	c.Flags(c.U32(b[m.flags:]), xlat.MessageFlags)
	c.EndStruct()
}

// netlinkProto is the protocol of the netlink socket that argument 0 is, or -1.
func (c *Call) netlinkProto() int { return c.NetlinkProto(int64(int32(c.args[0]))) }

// inMmsgvec is a pointer to messages to be sent, as many as argument 2 says.
var inMmsgvec = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		sent := uint64(0)
		if !c.Failed() {
			sent = uint64(c.Ev.Ret)
		}
		c.mmsgvec(v, c.args[2], sent, false)
	},
	Cap: func(b *Caps, at Place) {
		b.capMmsgvec(at, event.Capture{Len: event.LenArg, LenFrom: 2, LenWidth: 4}, event.AtExit)
	},
}

// outMmsgvec is a pointer to messages that were received, as many as the result
// says.
var outMmsgvec = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		if c.Failed() {
			c.Addr(v)
			return
		}
		c.mmsgvec(v, uint64(c.Ev.Ret), uint64(c.Ev.Ret), true)
	},
	Cap: func(b *Caps, at Place) {
		size := uint16(msgLayoutOf(b.Lay).msize)
		b.Add(at, event.Capture{
			Kind: event.CapBytes, Len: event.LenArg, LenFrom: 2, LenWidth: 4, Size: size, Max: size * b.elements(maxMessages), When: event.AtEntry,
		})
		b.capMmsgvec(at, event.Capture{Len: event.LenRet}, event.AtExit|event.IfOK)
	},
}

// maxMessages is the most messages that are captured.
const maxMessages = 256

// elements is how many elements of an array are worth capturing: what is shown
// with abbreviation and the one that is replaced by "...", else most.
func (b *Caps) elements(most int) uint16 {
	if b.Abbrev {
		most = min(most, b.Opts.StringMax+1)
	}
	return uint16(most)
}

func (b *Caps) capMmsgvec(at Place, count event.Capture, when event.When) {
	size := msgLayoutOf(b.Lay).msize
	count.Kind, count.When = event.CapBytes, when
	count.Size, count.Max = uint16(size), uint16(size)*b.elements(maxMessages)
	b.capMessages(b.Add(at, count), size, when, 0)
}

// mmsgvec writes n messages at addr; done of them were sent or received.
func (c *Call) mmsgvec(addr, n, done uint64, received bool) {
	m := msgLayoutOf(c.Lay)
	if addr == 0 || !c.Verbose {
		c.Addr(addr)
		return
	}
	if n == 0 {
		c.BeginArray()
		c.EndArray()
		return
	}
	if _, ok := c.Read(addr, int(m.msize)); !ok {
		c.Addr(addr)
		return
	}
	c.BeginArray()
	for i := uint64(0); i < n; i++ {
		c.Elem()
		at := addr + i*m.msize
		b, ok := c.Read(at, int(m.msize))
		if !ok {
			c.Unreadable(at)
			break
		}
		if c.Abbrev && i >= uint64(c.Opts.StringMax) || i >= maxIovecs {
			c.More()
			break
		}
		room, limit := int64(-1), noLimit
		if received {
			limit = c.U32(b[m.msgLen:])
			c.AtEntry = true
			if e, ok := c.Read(at, int(m.msize)); ok {
				room = c.I32(e[m.namelen:])
			}
			c.AtEntry = false
		}
		c.BeginStruct()
		c.Field("msg_hdr")
		c.msghdr(b, room, limit)
		if i < done {
			c.Field("msg_len")
			c.Uint(c.U32(b[m.msgLen:]))
		}
		c.EndStruct()
	}
	c.EndArray()
}

// recvmmsgRow is a call that waits for messages as long as ts says, and tells
// how much of that time is left.
func recvmmsgRow(name string, ts *Struct, on ABIs) Row {
	t := ts.Type()
	timeout := Type{
		Width: Ulong,
		Out:   true,
		Print: func(c *Call, v uint64) {
			c.AtEntry = true
			if b, ok := c.ReadOr(v, t.size(c.Lay)); ok {
				t.Val(c, b, v)
			}
			c.AtEntry = false
		},
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{
				Kind: event.CapBytes, Size: uint16(t.size(b.Lay)), When: event.AtEntry | event.AtExit,
			})
		},
	}
	return Row{
		Name: name, ABIs: on,
		Args: args{
			{"sockfd", sockFD}, {"msgvec", outMmsgvec}, {"vlen", udec}, {"flags", msgFlags}, {"timeout", timeout},
		},
		Aux: func(c *Call) bool {
			if c.Ev.Ret == 0 {
				c.Text("Timeout")
				return true
			}
			v := c.args[4]
			if v == 0 || !c.Verbose {
				return false
			}
			c.Syntax("left ")
			if b, ok := c.ReadOr(v, t.size(c.Lay)); ok {
				t.Val(c, b, v)
			}
			return true
		},
	}
}
