package decode

import (
	"encoding/binary"

	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// maxSockaddr is sizeof(struct sockaddr_storage).
const maxSockaddr = 128

// inSockaddr is a pointer to a socket address that the call reads, as long as
// argument n says.
func inSockaddr(n int) Type {
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) { c.SockaddrAt(v, int64(int32(c.args[n]))) },
		Cap: func(b *Caps, at Place) {
			op := b.Add(at, event.Capture{
				Kind: event.CapBytes, Len: event.LenArg, LenFrom: uint8(n), LenWidth: 4,
				Max: maxSockaddr, When: event.AtExit,
			})
			if b.Opts != nil && b.Opts.wantFDs() { // of AF_XDP, the last field is a descriptor
				b.Add(In(op, 12, 0), event.Capture{Kind: event.CapFD, When: event.AtExit})
			}
		},
	}
}

// SockaddrAt writes the socket address of n bytes at addr and returns its
// family, or -1 if it could not be read.
func (c *Call) SockaddrAt(addr uint64, n int64) int {
	if n < 2 {
		c.Addr(addr)
		return -1
	}
	b, ok := c.ReadOr(addr, int(min(n, maxSockaddr)))
	if !ok {
		return -1
	}
	c.Sockaddr(b)
	return int(binary.LittleEndian.Uint16(b))
}

// A sockaddrKind is how addresses of one family are shown.
type sockaddrKind struct {
	min   int      // shorter ones are shown as bytes
	msg   *message // the fields behind the family; nil: print
	print func(c *Call, b []byte)
}

// Sockaddr writes the socket address in b.
func (c *Call) Sockaddr(b []byte) {
	c.BeginStruct()
	family := uint64(binary.LittleEndian.Uint16(b))
	c.Field("sa_family")
	c.Enum(family, xlat.AddressFamilies)
	if len(b) > 2 {
		switch k := sockaddrKindOf(family); {
		case k == nil || len(b) < k.min:
			c.Field("sa_data")
			c.Str(b[2:], false)
		case k.msg != nil:
			k.msg.PrintFields(c, b[2:])
		default:
			k.print(c, b)
		}
	}
	c.EndStruct()
}

func sockaddrKindOf(family uint64) *sockaddrKind {
	if family >= uint64(len(sockaddrKinds)) {
		return nil
	}
	return sockaddrKinds[family]
}

var sockaddrKinds = [...]*sockaddrKind{
	xlat.AF_UNIX:       {min: 3, print: (*Call).sockaddrUnix},
	xlat.AF_INET:       {min: 16, msg: sockaddrIn},
	xlat.AF_AX25:       {min: 16, print: (*Call).sockaddrAX25},
	xlat.AF_IPX:        {min: 16, msg: sockaddrIPX},
	xlat.AF_X25:        {min: 18, msg: layout(has("sx25_addr", inner(x25Address)))},
	xlat.AF_INET6:      {min: 24, print: (*Call).sockaddrIn6},
	xlat.AF_NETLINK:    {min: 12, msg: sockaddrNetlink},
	xlat.AF_PACKET:     {min: 20, print: (*Call).sockaddrPacket},
	xlat.AF_TIPC:       {min: 16, print: (*Call).sockaddrTIPC},
	xlat.AF_BLUETOOTH:  {min: 3, print: (*Call).sockaddrBluetooth},
	xlat.AF_RXRPC:      {min: 36, print: (*Call).sockaddrRxRPC},
	xlat.AF_IEEE802154: {min: 20, print: (*Call).sockaddrIEEE802154},
	xlat.AF_ALG:        {min: 25, print: (*Call).sockaddrALG},
	xlat.AF_NFC:        {min: 16, print: (*Call).sockaddrNFC},
	xlat.AF_VSOCK:      {min: 16, print: (*Call).sockaddrVsock},
	xlat.AF_QIPCRTR:    {min: 12, msg: sockaddrQRTR},
	xlat.AF_XDP:        {min: 16, print: (*Call).sockaddrXDP},
	xlat.AF_MCTP:       {min: 12, msg: sockaddrMCTP},
}

var (
	sockaddrIn = layout(has("sin_port", netPort), has("sin_addr", inAddr))

	sockaddrIPX = layout(
		has("sipx_port", netPort),
		has("sipx_network", htonlHex),
		has("sipx_node", listOf(6, hexPad(U8))),
		has("sipx_type", hexPad(U8)),
		opt("sipx_zero", hex8),
	)

	x25Address = layout(has("x25_addr", cstrOf(16)))

	sockaddrNetlink = layout(
		opt("nl_pad", hex16),
		has("nl_pid", pid),
		has("nl_groups", hexPad(U32)),
	)

	sockaddrQRTR = layout(
		gap(2),
		has("sq_node", enumIn(U32, xlat.QRTRNodes)),
		has("sq_port", enumIn(U32, xlat.QRTRPorts)),
	)

	sockaddrMCTP = layout(
		opt("__smctp_pad0", hex16),
		has("smctp_network", enumIn(U32, xlat.MCTPNets)),
		has("smctp_addr", inner(layout(has("s_addr", enumIn(U8, xlat.MCTPAddresses))))),
		has("smctp_type", hex8),
		has("smctp_tag", hex8),
		opt("__smctp_pad1", hex8),
	)
)

// sockaddrUnix: a path, or with a leading NUL a name of the abstract namespace,
// shown with a @ before it.
func (c *Call) sockaddrUnix(b []byte) {
	path := b[2:min(len(b), 110)]
	c.Field("sun_path")
	if path[0] != 0 {
		for i, ch := range path {
			if ch == 0 {
				path = path[:i]
				break
			}
		}
		c.Str(path, false)
		return
	}
	if c.Opt.JSON {
		c.Str(path, false)
		return
	}
	c.Syntax("@")
	c.Str(path[1:], false)
}

func (c *Call) sockaddrIn6(b []byte) {
	c.Field("sin6_port")
	netPort.Mem(c, b[2:4], 0)
	c.Field("sin6_flowinfo")
	if c.beginNet(b[4:8]) {
		c.wrap("htonl", uint64(binary.BigEndian.Uint32(b[4:])))
		c.endNet()
	}
	ip := b[8:24]
	c.InetField("sin6_addr", xlat.AF_INET6, ip)
	if len(b) <= 24 {
		return
	}
	scope := uint64(0)
	for i := min(len(b), 28) - 1; i >= 24; i-- {
		scope = scope<<8 | uint64(b[i])
	}
	c.Field("sin6_scope_id")
	if ip[0] == 0xfe && ip[1]&0xc0 == 0x80 || ip[0] == 0xff && ip[1]&0xf == 2 { // link-local
		c.IfIndex(scope)
	} else {
		c.Uint(scope)
	}
}

func (c *Call) sockaddrPacket(b []byte) {
	c.Field("sll_protocol")
	if c.beginNet(b[2:4]) {
		old := c.Opt.Xlat
		c.Opt.Xlat = out.Abbrev
		etherProto.Mem(c, b[2:4], 0)
		c.Opt.Xlat = old
		c.endNet()
	}
	sockaddrPacketRest.PrintFields(c, b[4:12])
	n := int(b[11])
	if n == 0 {
		return
	}
	c.Field("sll_addr")
	c.BeginArray()
	for i := range n {
		c.Elem()
		if 12+i >= len(b) {
			c.More()
			break
		}
		hexByte.Print(c, uint64(b[12+i]))
	}
	c.EndArray()
}

var (
	hexByte = hexPad(U8)

	sockaddrPacketRest = layout(
		has("sll_ifindex", ifIndex),
		has("sll_hatype", enumIn(U16, xlat.HardwareTypes)),
		has("sll_pkttype", enumIn(U8, xlat.PacketTypes)),
		has("sll_halen", udec8),
	)
)

func (c *Call) sockaddrXDP(b []byte) {
	sockaddrXDPHead.PrintFields(c, b[2:])
	fd := binary.LittleEndian.Uint32(b[12:])
	switch {
	case b[2]&xlat.XDP_SHARED_UMEM != 0:
		c.Field("sxdp_shared_umem_fd")
		c.FD(int64(int32(fd)))
	case fd != 0:
		c.Field("sxdp_shared_umem_fd")
		c.Hex(uint64(fd))
	}
}

var sockaddrXDPHead = layout(
	has("sxdp_flags", flagsIn(U16, xlat.XDPAddressFlags)),
	has("sxdp_ifindex", ifIndex),
	has("sxdp_queue_id", udec),
)
