package decode

import "perftrace/decode/xlat"

// sockOpts are the options whose values are more than an int or bytes, and those
// that are ints whatever their length is.
var sockOpts = sockOptTable()

func sockOptTable() map[optKey]sockOpt {
	t := map[optKey]sockOpt{
		{xlat.SOL_SOCKET, xlat.SO_LINGER}:    {get: cutOpt(linger), set: structOpt(linger)},
		{xlat.SOL_SOCKET, xlat.SO_PEERCRED}:  {get: cutOpt(ucred)},
		{xlat.SOL_SOCKET, xlat.SO_ERROR}:     {get: hexIfShort(4, boxedOpt(errorNumber))},
		{xlat.SOL_SOCKET, xlat.SO_TXREHASH}:  {get: hexIfShort(4, boxedOpt(txRehash)), set: ifLong(4, boxedOpt(txRehash))},
		{xlat.SOL_SOCKET, xlat.SO_PEERPIDFD}: {get: hexIfShort(4, boxedOpt(fd))},

		{xlat.SOL_SOCKET, xlat.SO_ATTACH_FILTER}:         {get: getFilter, set: setFilter},
		{xlat.SOL_SOCKET, xlat.SO_ATTACH_REUSEPORT_CBPF}: {set: setFilter},

		{xlat.SOL_IP, xlat.IP_LOCAL_PORT_RANGE}: {get: hexUnless(4, boxedOpt(portRange)), set: hexUnless(4, boxedOpt(portRange))},
		{xlat.SOL_IP, xlat.IP_PROTOCOL}:         {get: hexUnless(4, boxedOpt(enum(xlat.InetProtocols)))},
		{xlat.SOL_IP, xlat.IP_ADD_MEMBERSHIP}:   {set: structOpt(ipMreq)},
		{xlat.SOL_IP, xlat.IP_DROP_MEMBERSHIP}:  {set: structOpt(ipMreq)},
		{xlat.SOL_IP, xlat.MCAST_JOIN_GROUP}:    {set: groupReq},
		{xlat.SOL_IP, xlat.MCAST_LEAVE_GROUP}:   {set: groupReq},

		{xlat.SOL_IPV6, xlat.IPV6_ADD_MEMBERSHIP}:  {set: structOpt(ipv6Mreq)},
		{xlat.SOL_IPV6, xlat.IPV6_DROP_MEMBERSHIP}: {set: structOpt(ipv6Mreq)},
		{xlat.SOL_IPV6, xlat.IPV6_JOIN_ANYCAST}:    {set: structOpt(ipv6Mreq)},
		{xlat.SOL_IPV6, xlat.IPV6_LEAVE_ANYCAST}:   {set: structOpt(ipv6Mreq)},
		{xlat.SOL_IPV6, xlat.MCAST_JOIN_GROUP}:     {set: groupReq},
		{xlat.SOL_IPV6, xlat.MCAST_LEAVE_GROUP}:    {set: groupReq},

		{xlat.SOL_PACKET, xlat.PACKET_STATISTICS}:      {get: cutOpt(tpacketStats)},
		{xlat.SOL_PACKET, xlat.PACKET_RX_RING}:         {set: exactOpt(tpacketReq)},
		{xlat.SOL_PACKET, xlat.PACKET_TX_RING}:         {set: exactOpt(tpacketReq)},
		{xlat.SOL_PACKET, xlat.PACKET_ADD_MEMBERSHIP}:  {set: packetMreq},
		{xlat.SOL_PACKET, xlat.PACKET_DROP_MEMBERSHIP}: {set: packetMreq},

		{xlat.SOL_RAW, xlat.ICMP_FILTER}: {get: icmpFilter, set: icmpFilter},

		{xlat.SOL_NETLINK, xlat.NETLINK_LIST_MEMBERSHIPS}: {get: memberships, set: ifLong(4, showInt)},

		{xlat.SOL_TCP, xlat.TCP_AO_ADD_KEY}: {set: tcpAOKey},

		{xlat.SOL_TIPC, xlat.TIPC_IMPORTANCE}: {
			get: ifLong(4, boxedOpt(enum(xlat.TIPCImportance))), set: ifLong(4, boxedOpt(enum(xlat.TIPCImportance))),
		},
		{xlat.SOL_TIPC, xlat.TIPC_GROUP_JOIN}: {get: structOpt(tipcGroup), set: structOpt(tipcGroup)},
	}
	for _, name := range []uint64{
		xlat.SO_DEBUG, xlat.SO_REUSEADDR, xlat.SO_DONTROUTE, xlat.SO_BROADCAST, xlat.SO_SNDBUF, xlat.SO_RCVBUF,
		xlat.SO_KEEPALIVE, xlat.SO_OOBINLINE, xlat.SO_NO_CHECK, xlat.SO_PRIORITY, xlat.SO_BSDCOMPAT, xlat.SO_REUSEPORT,
		xlat.SO_PASSCRED, xlat.SO_RCVLOWAT, xlat.SO_SNDLOWAT, xlat.SO_DETACH_FILTER, xlat.SO_TIMESTAMP_OLD,
		xlat.SO_ACCEPTCONN, xlat.SO_SNDBUFFORCE, xlat.SO_RCVBUFFORCE, xlat.SO_PASSSEC, xlat.SO_TIMESTAMPNS_OLD,
		xlat.SO_MARK, xlat.SO_TIMESTAMPING_OLD, xlat.SO_RXQ_OVFL, xlat.SO_WIFI_STATUS, xlat.SO_PEEK_OFF, xlat.SO_NOFCS,
		xlat.SO_LOCK_FILTER, xlat.SO_SELECT_ERR_QUEUE, xlat.SO_BUSY_POLL, xlat.SO_INCOMING_CPU, xlat.SO_CNX_ADVICE,
		xlat.SO_INCOMING_NAPI_ID, xlat.SO_ZEROCOPY, xlat.SO_TIMESTAMP_NEW, xlat.SO_TIMESTAMPNS_NEW,
		xlat.SO_TIMESTAMPING_NEW, xlat.SO_DETACH_REUSEPORT_BPF, xlat.SO_PREFER_BUSY_POLL, xlat.SO_BUSY_POLL_BUDGET,
		xlat.SO_RESERVE_MEM, xlat.SO_RCVMARK, xlat.SO_PASSPIDFD, xlat.SO_RCVPRIORITY, xlat.SO_PASSRIGHTS, xlat.SO_INQ,
	} {
		t[optKey{xlat.SOL_SOCKET, name}] = sockOpt{get: hexIfShort(4, showInt), set: ifLong(4, showInt)}
	}
	return t
}

var (
	linger = layout(has("l_onoff", dec), has("l_linger", dec))

	ipMreq   = layout(has("imr_multiaddr", inAddr), has("imr_interface", inAddr))
	ipv6Mreq = layout(inetField("ipv6mr_multiaddr", 16, inet6), has("ipv6mr_interface", ifIndex))

	tpacketStats = layout(has("tp_packets", udec), has("tp_drops", udec), has("tp_freeze_q_cnt", udec))
	tpacketReq   = layout(
		has("tp_block_size", udec), has("tp_block_nr", udec), has("tp_frame_size", udec), has("tp_frame_nr", udec),
	)

	tipcGroup = layout(
		has("type", udec), has("instance", udec),
		has("scope", enum(xlat.TIPCScopes)), has("flags", flags(xlat.TIPCGroupFlags)),
	)

	txRehash = printed(I32, func(c *Call, v uint64) {
		// the table has the values as a byte and as an int
		c.EnumDec(v, xlat.TXRehashValues)
	})

	// errorNumber is an error without a sign.
	errorNumber = printed(U32, func(c *Call, v uint64) { c.ErrorNumber(int64(v), false) })
)

// packetMreq: the address is as long as the struct says.
func packetMreq(c *Call, addr uint64, n int64) {
	b, ok := c.Read(addr, packetMreqHead.size+8)
	if n != int64(packetMreqHead.size)+8 || !ok {
		c.Addr(addr)
		return
	}
	c.BeginStruct()
	packetMreqHead.PrintFields(c, b)
	c.Field("mr_address")
	c.Mac(b[8 : 8+min(int(b[6])|int(b[7])<<8, 8)])
	c.EndStruct()
}

var packetMreqHead = layout(
	has("mr_ifindex", ifIndex), has("mr_type", enumIn(U16, xlat.PacketMreqTypes)), has("mr_alen", udec16),
)

// groupReq: the address is aligned to the ABI's word.
func groupReq(c *Call, addr uint64, n int64) {
	at := c.Lay.Word()
	if n < int64(at+maxSockaddr) {
		c.Addr(addr)
		return
	}
	b, ok := c.ReadOr(addr, at+maxSockaddr)
	if !ok {
		return
	}
	c.BeginStruct()
	c.Field("gr_interface")
	c.IfIndex(c.U32(b))
	c.Field("gr_group")
	c.Sockaddr(b[at:])
	c.EndStruct()
}

// memberships are a bit mask in 32-bit words.
func memberships(c *Call, addr uint64, n int64) {
	if ulen, ok := c.sockLen(1, c.args[4], true); ok {
		n = min(n, ulen)
	}
	c.Array(addr, uint64(n)/4, &udecElem)
}

var udecElem = udec // Array takes its address

// tcpAOKey: what the program did not give is zero.
func tcpAOKey(c *Call, addr uint64, n int64) {
	const (
		size   = 288 // struct tcp_ao_add
		keyAt  = 208
		bitsAt = 196
		lenAt  = 207
	)
	if n <= 0 {
		c.Addr(addr)
		return
	}
	given, ok := c.ReadOr(addr, int(min(n, size)))
	if !ok {
		return
	}
	var b [size]byte
	copy(b[:], given)
	c.BeginStruct()
	c.Field("addr")
	c.Sockaddr(b[:maxSockaddr])
	c.Field("prefix")
	c.Uint(uint64(b[202]))
	tcpAOName.PrintFields(c, b[maxSockaddr:bitsAt])
	c.Field("set_current")
	c.Uint(uint64(b[bitsAt] & 1))
	c.Field("set_rnext")
	c.Uint(uint64(b[bitsAt] >> 1 & 1))
	tcpAORest.PrintFields(c, b[203:lenAt])
	c.Field("key")
	keylen := int(b[lenAt])
	c.StrHex(b[keyAt:keyAt+min(keylen, size-keyAt)], false)
	c.Field("keylen")
	c.Uint(uint64(keylen))
	c.EndStruct()
}

var (
	tcpAOName = layout(has("alg_name", cstrOf(64)), has("ifindex", ifIndex))
	tcpAORest = layout(
		has("sndid", udec8), has("rcvid", udec8), has("maclen", udec8), has("keyflags", flagsIn(U8, xlat.TCPAOKeyFlags)),
	)
)
