package decode

import (
	"encoding/binary"

	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// netRows are the calls on sockets.
var netRows = []Row{
	{
		Name: "socket", Args: args{{"domain", enum(xlat.AddressFamilies)}, {"type", sockType}, {"protocol", sockProtocol}},
		Ret: RetFD, Aux: func(c *Call) bool { c.learnSocket(); return false },
	},
	{Name: "socketpair", Args: args{
		{"domain", enum(xlat.AddressFamilies)}, {"type", sockType}, {"protocol", udec}, {"sv", array(outPtr, fd, constCount(2))},
	}},
	{Name: "bind", Args: args{{"sockfd", fd}, {"addr", inSockaddr(2)}, {"addrlen", dec}}},
	{Name: "connect", Args: args{{"sockfd", fd}, {"addr", inSockaddr(2)}, {"addrlen", dec}}},
	{Name: "listen", Args: args{{"sockfd", fd}, {"backlog", dec}}},
	{Name: "accept", Args: sockName(), Ret: RetFD},
	{Name: "accept4", Args: append(sockName(), Arg{"flags", flags(xlat.SocketFlags)}), Ret: RetFD},
	{Name: "getsockname", Args: sockName()},
	{Name: "getpeername", Args: sockName()},
	{Name: "shutdown", Args: args{{"sockfd", fd}, {"how", enum(xlat.ShutdownModes)}}},

	{Name: "send", Args: args{{"sockfd", sockFD}, {"buf", inSockBuf(2)}, {"len", size}, {"flags", msgFlags}}},
	{Name: "recv", Args: args{{"sockfd", sockFD}, {"buf", outSockBuf(2)}, {"len", size}, {"flags", msgFlags}}},
	{Name: "sendto", Args: args{
		{"sockfd", sockFD},
		{"buf", inSockBuf(2)},
		{"len", size},
		{"flags", msgFlags},
		{"dest_addr", inSockaddr(5)},
		{"addrlen", dec},
	}},
	{Name: "recvfrom", Args: args{
		{"sockfd", sockFD},
		{"buf", outSockBuf(2)},
		{"len", size},
		{"flags", msgFlags},
		{"src_addr", outSockaddr(5)},
		{"addrlen", valueLen(4)},
	}},

	{Name: "sendmsg", Args: args{{"sockfd", sockFD}, {"msg", inMsghdr}, {"flags", msgFlags}}},
	{Name: "recvmsg", Args: args{{"sockfd", sockFD}, {"msg", outMsghdr}, {"flags", msgFlags}}},
	{Name: "sendmmsg", Args: args{{"sockfd", sockFD}, {"msgvec", inMmsgvec}, {"vlen", udec}, {"flags", msgFlags}}},
	recvmmsgRow("recvmmsg", timespecStruct, 0),
	recvmmsgRow("recvmmsg_time64", timespec64Struct, On32),

	{Name: "getsockopt", Args: append(sockOptHead(false), Arg{"optval", outSockOpt}, Arg{"optlen", optLen}), Cmd: getSockOptFilters},
	{Name: "setsockopt", Args: append(sockOptHead(true), Arg{"optval", inSockOpt}, Arg{"optlen", dec}), Cmd: setSockOptFilters},

	{Name: "socketcall", Args: args{{"call", printed(I32, func(c *Call, v uint64) { c.EnumDec(v, xlat.SocketCalls) })}, {"args", addr}}, Mux: socketMux},
}

var msgFlags = flags(xlat.MessageFlags)

// sockName are the arguments of calls that tell a socket's address.
func sockName() args {
	return args{{"sockfd", fd}, {"addr", outSockaddr(2)}, {"addrlen", valueLen(1)}}
}

// sockFD is fd of a call whose data may be netlink messages: which protocol it
// has decides how they are shown, so the source tells what a netlink socket is
// even if that is not asked for otherwise.
var sockFD = Type{
	Width: fd.Width, Role: fd.Role, Print: fd.Print,
	Cap: func(b *Caps, at Place) {
		if b.Opts != nil && b.Opts.wantFDs() {
			fd.Cap(b, at)
			return
		}
		b.Add(at, event.Capture{Kind: event.CapFD, When: event.AtExit | event.Netlink})
	},
}

const sockTypeMask = 0xf

// sockType is a type of socket with flags.
var sockType = printed(U32, func(c *Call, v uint64) {
	kind := v & sockTypeMask
	_, known := xlat.SocketTypes.Name(kind)
	switch {
	case known && v == kind:
		c.Enum(v, xlat.SocketTypes)
	case known:
		c.BeginExpr(v)
		c.Enum(kind, xlat.SocketTypes)
		c.Syntax("|")
		c.Flags(v&^sockTypeMask, xlat.SocketFlags)
		c.EndExpr()
	default:
		c.Flags(v, xlat.SocketFlags)
	}
})

// sockProtocols are the names of protocols by address family.
var sockProtocols = map[uint64]*out.Xlat{
	xlat.AF_INET:      xlat.InetProtocols,
	xlat.AF_INET6:     xlat.InetProtocols,
	xlat.AF_NETLINK:   xlat.NetlinkProtocols,
	xlat.AF_IRDA:      xlat.IrDAProtocols,
	xlat.AF_CAN:       xlat.CANProtocols,
	xlat.AF_BLUETOOTH: xlat.BluetoothProtocols,
	xlat.AF_RXRPC:     xlat.AddressFamilies,
	xlat.AF_ISDN:      xlat.ISDNProtocols,
	xlat.AF_PHONET:    xlat.PhonetProtocols,
	xlat.AF_CAIF:      xlat.CAIFProtocols,
	xlat.AF_NFC:       xlat.NFCSocketProtocols,
	xlat.AF_KCM:       xlat.KCMProtocols,
	xlat.AF_SMC:       xlat.SMCProtocols,
}

// sockProtocol is the protocol of a socket of the family that argument 0 says.
var sockProtocol = printed(U32, func(c *Call, v uint64) {
	switch family := c.args[0]; family {
	case xlat.AF_AX25:
		c.EnumVerbose(v, xlat.AX25Protocols)
	case xlat.AF_PACKET:
		var b [2]byte
		binary.LittleEndian.PutUint16(b[:], uint16(v))
		c.BeginCall("htons")
		c.Param()
		c.Enum(uint64(binary.BigEndian.Uint16(b[:])), xlat.EtherProtocols)
		c.EndCall()
	default:
		if x := sockProtocols[family]; x != nil {
			c.Enum(v, x)
		} else {
			c.Uint(v)
		}
	}
})

// sockLen is an int behind a pointer, the room for an address or option when the
// call began and its size when it returned. ok: it and the object at obj are there.
func (c *Call) sockLen(obj, ptr uint64, entry bool) (n int64, ok bool) {
	if obj == 0 || !c.Verbose {
		return 0, false
	}
	old := c.AtEntry
	c.AtEntry = entry
	b, ok := c.Read(ptr, 4)
	c.AtEntry = old
	if !ok {
		return 0, false
	}
	return c.I32(b), true
}

func addSockLen(b *Caps, arg int) int {
	return b.Add(argPlace(arg), event.Capture{Kind: event.CapBytes, Size: 4, When: event.AtEntry | event.AtExit})
}

// outSockaddr is a pointer to a socket address that the call fills in; the
// pointer to its length is argument n.
func outSockaddr(n int) Type {
	return Type{
		Width: Ulong,
		Out:   true,
		Print: func(c *Call, v uint64) {
			ulen, ok := c.sockLen(v, c.args[n], true)
			if !ok || c.Failed() {
				c.Addr(v)
				return
			}
			rlen, _ := c.sockLen(v, c.args[n], false)
			c.SockaddrAt(v, min(ulen, rlen))
		},
		Cap: func(b *Caps, at Place) {
			op := addSockLen(b, n)
			b.Add(at, event.Capture{
				Kind: event.CapBytes, Len: event.LenOp, LenFrom: uint8(max(op, 0)), LenWidth: 4,
				Max: maxSockaddr, When: event.AtExit | event.IfOK,
			})
		},
	}
}

// valueLen is a pointer to the length of what argument obj points to: [16], or
// [16 => 8] if the call changed it. The type of obj captures it.
func valueLen(obj int) Type { return lenChange(obj, false) }

// optLen is valueLen of an option: its change is shown on failure too, and the
// option need not be there.
var optLen = lenChange(-1, true)

func lenChange(obj int, always bool) Type {
	return Type{
		Width: Ulong,
		Out:   true,
		Print: func(c *Call, v uint64) {
			p := v
			if obj >= 0 {
				p = c.args[obj]
			}
			ulen, ok := c.sockLen(p, v, true)
			if !ok {
				c.Addr(v)
				return
			}
			rlen, _ := c.sockLen(p, v, false)
			c.BeginArray()
			c.Elem()
			if ulen == rlen || c.Failed() && !always {
				c.Int(ulen)
			} else {
				c.BeginChange()
				c.Int(ulen)
				c.Then()
				c.Int(rlen)
				c.EndChange()
			}
			c.EndArray()
		},
	}
}

// inSockBuf is a pointer to data that a socket is to send, as much as argument n
// says.
func inSockBuf(n int) Type {
	t := inBuf(n)
	t.Print = func(c *Call, v uint64) { c.SockBuf(v, c.args[n]) }
	return t
}

// outSockBuf is a pointer to data that was received, as much as the result says,
// but at most argument n.
func outSockBuf(n int) Type {
	t := outBuf
	t.Print = func(c *Call, v uint64) {
		if c.Failed() {
			c.Addr(v)
			return
		}
		c.SockBuf(v, min(uint64(c.Ev.Ret), c.args[n]))
	}
	return t
}

// SockBuf writes the data of the socket that is argument 0.
func (c *Call) SockBuf(addr, n uint64) {
	if c.Verbose {
		if p := c.NetlinkProto(int64(c.args[0])); p >= 0 {
			c.Netlink(p, addr, n)
			return
		}
	}
	c.BufAt(addr, n)
}
