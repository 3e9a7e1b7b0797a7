package decode

import "perftrace/decode/xlat"

// Sockets over netlink (sock_diag): requests and answers by address family.

// sockDiagPayload writes a request for sockets, or an answer.
func (c *Call) sockDiagPayload(m nlmsg, addr uint64, n int) bool {
	if m.typ == xlat.NLMSG_DONE {
		return false
	}
	b, ok := c.Read(addr, 1)
	if !ok {
		c.Addr(addr)
		return true
	}
	family := uint64(b[0])
	h := (*nlHeader)(nil)
	if n > 1 {
		k := sockDiagHeaders[family]
		h = k.answer
		if m.flags&xlat.NLM_F_REQUEST != 0 {
			h = k.request
			if h == inetDiagReq && (m.typ == xlat.TCPDIAG_GETSOCK || m.typ == xlat.DCCPDIAG_GETSOCK) {
				h = inetDiagReqOld
			}
		}
	}
	if h == nil {
		c.familyOnly(family, addr, n)
		return true
	}
	h.show(c, family, addr, n)
	return true
}

var sockDiagHeaders = map[uint64]struct{ request, answer *nlHeader }{
	xlat.AF_UNIX:    {unixDiagReq, unixDiagMsg},
	xlat.AF_INET:    {inetDiagReq, inetDiagMsg},
	xlat.AF_INET6:   {inetDiagReq, inetDiagMsg},
	xlat.AF_NETLINK: {netlinkDiagReq, netlinkDiagMsg},
	xlat.AF_PACKET:  {packetDiagReq, packetDiagMsg},
	xlat.AF_SMC:     {smcDiagReq, smcDiagMsg},
}

// request is a header that nothing follows.
func request(field string, rest ...msgField) *nlHeader {
	h := header(field, nil, rest...)
	h.last = true
	return h
}

// cookie identifies a socket.
var cookie = listOf(2, udec)

// nlMeminfo is what a socket's memory is used for.
var nlMeminfo = nlIndexed(udec, xlat.SockMeminfo)

var (
	unixDiagReq = request(
		"sdiag_family",
		has("sdiag_protocol", udec8), gap(2), has("udiag_states", flags(xlat.TCPStateFlags)), has("udiag_ino", udec),
		has("udiag_show", flags(xlat.UnixDiagShow)), has("udiag_cookie", cookie),
	)
	unixDiagMsg = header(
		"udiag_family", &nlTable{names: xlat.UnixDiagAttrs, of: map[uint16]nlShow{
			xlat.UNIX_DIAG_NAME:     nlStr,
			xlat.UNIX_DIAG_VFS:      unixDiagVFS,
			xlat.UNIX_DIAG_PEER:     nlU32,
			xlat.UNIX_DIAG_ICONS:    nlArray(udec),
			xlat.UNIX_DIAG_RQLEN:    nlMsg(layout(has("udiag_rqueue", udec), has("udiag_wqueue", udec))),
			xlat.UNIX_DIAG_MEMINFO:  nlMeminfo,
			xlat.UNIX_DIAG_SHUTDOWN: nlU8,
			xlat.UNIX_DIAG_UID:      nlID,
		}},
		has("udiag_type", enumIn(U8, xlat.SocketTypes)), has("udiag_state", enumIn(U8, xlat.TCPStates)), gap(1),
		has("udiag_ino", udec), has("udiag_cookie", cookie),
	)

	// the device is shown last in memory but first in the line
	unixDiagVFS = nlVal(bytesType(8, func(c *Call, b []byte) {
		c.BeginStruct()
		c.Field("udiag_vfs_dev")
		c.Dev(c.U32(b[4:]))
		c.Field("udiag_vfs_ino")
		c.Uint(c.U32(b))
		c.EndStruct()
	}))
)

var (
	netlinkDiagReq = request(
		"sdiag_family",
		has("sdiag_protocol", printed(U8, func(c *Call, v uint64) {
			if v == xlat.NDIAG_PROTO_ALL {
				c.Enum(v, diagProtoAll)
				return
			}
			c.Enum(v, xlat.NetlinkProtocols)
		})),
		gap(2), has("ndiag_ino", udec), has("ndiag_show", flags(xlat.NetlinkDiagShow)), has("ndiag_cookie", cookie),
	)
	netlinkDiagMsg = header(
		"ndiag_family", &nlTable{names: xlat.NetlinkDiagAttrs, of: map[uint16]nlShow{
			xlat.NETLINK_DIAG_MEMINFO: nlMeminfo,
			xlat.NETLINK_DIAG_GROUPS:  netlinkDiagGroups,
			xlat.NETLINK_DIAG_RX_RING: nlMsg(netlinkDiagRing),
			xlat.NETLINK_DIAG_TX_RING: nlMsg(netlinkDiagRing),
			xlat.NETLINK_DIAG_FLAGS:   nlVal(flags(xlat.NetlinkSocketFlags)),
		}},
		has("ndiag_type", enumIn(U8, xlat.SocketTypes)), has("ndiag_protocol", enumIn(U8, xlat.NetlinkProtocols)),
		has("ndiag_state", enumIn(U8, xlat.NetlinkStates)), has("ndiag_portid", udec), has("ndiag_dst_portid", udec),
		has("ndiag_dst_group", udec), has("ndiag_ino", udec), has("ndiag_cookie", cookie),
	)
	netlinkDiagRing = layout(counters(udec, "ndr_block_size", "ndr_block_nr", "ndr_frame_size", "ndr_frame_nr")...)

	netlinkGroups64 = nlArray(hexPad(U64))
	netlinkGroups32 = nlArray(hexPad(U32))
)

// netlinkDiagGroups is a bit mask in words of the ABI.
func netlinkDiagGroups(c *Call, addr uint64, n int) bool {
	if c.Lay.Word() == 4 {
		return netlinkGroups32(c, addr, n)
	}
	return netlinkGroups64(c, addr, n)
}

var (
	packetDiagReq = request(
		"sdiag_family",
		has("sdiag_protocol", hex8), gap(2), has("pdiag_ino", udec), has("pdiag_show", flags(xlat.PacketDiagShow)),
		has("pdiag_cookie", cookie),
	)
	packetDiagMsg = header(
		"pdiag_family", &nlTable{names: xlat.PacketDiagAttrs, of: map[uint16]nlShow{
			xlat.PACKET_DIAG_INFO: nlMsg(layout(
				has("pdi_index", ifIndex), has("pdi_version", enum(xlat.PacketVersions)), has("pdi_reserve", udec),
				has("pdi_copy_thresh", udec), has("pdi_tstamp", udec), has("pdi_flags", flags(xlat.PacketDiagFlags)),
			)),
			xlat.PACKET_DIAG_MCLIST:  nlArray(bytesType(packetMclistHead.size+maxHWAddr, packetMclist)),
			xlat.PACKET_DIAG_RX_RING: nlMsg(packetDiagRing),
			xlat.PACKET_DIAG_TX_RING: nlMsg(packetDiagRing),
			xlat.PACKET_DIAG_FANOUT:  nlU32,
			xlat.PACKET_DIAG_UID:     nlID,
			xlat.PACKET_DIAG_MEMINFO: nlMeminfo,
			xlat.PACKET_DIAG_FILTER: func(c *Call, addr uint64, n int) bool {
				if k := n / sockFilterSize; k == 0 || k != int(uint16(k)) {
					return false
				}
				c.sockFilter(addr, uint64(n/sockFilterSize))
				return true
			},
		}},
		has("pdiag_type", enumIn(U8, xlat.SocketTypes)), has("pdiag_num", enumIn(U16, xlat.EtherProtocols)),
		has("pdiag_ino", udec), has("pdiag_cookie", cookie),
	)
	packetDiagRing = layout(counters(
		udec, "pdr_block_size", "pdr_block_nr", "pdr_frame_size", "pdr_frame_nr", "pdr_retire_tmo",
		"pdr_sizeof_priv", "pdr_features",
	)...)
	packetMclistHead = layout(
		has("pdmc_index", ifIndex), has("pdmc_count", udec), has("pdmc_type", udec16), has("pdmc_alen", udec16),
	)
)

func packetMclist(c *Call, b []byte) {
	head := packetMclistHead.size
	c.BeginStruct()
	packetMclistHead.PrintFields(c, b)
	c.Field("pdmc_addr")
	c.StrHex(b[head:head+min(int(c.U16(b[head-2:])), maxHWAddr)], false)
	c.EndStruct()
}

var (
	smcDiagReq = request(
		"diag_family",
		gap(2), has("diag_ext", flagsIn(U8, xlat.SMCDiagExt)), has("id", sockIDOf(inet4)),
	)
	smcDiagMsg = header(
		"diag_family", &nlTable{names: xlat.SMCDiagAttrs, of: map[uint16]nlShow{
			xlat.SMC_DIAG_CONNINFO: nlMsg(smcConnInfo),
			xlat.SMC_DIAG_LGRINFO:  nlMsg(layout(has("lnk", listOf(1, inner(smcLink))), has("role", enumIn(U8, xlat.SMCRoles)))),
			xlat.SMC_DIAG_SHUTDOWN: nlFlags(1, xlat.ShutdownMask),
			xlat.SMC_DIAG_DMBINFO:  smcDMBInfo,
			xlat.SMC_DIAG_FALLBACK: nlMsg(layout(
				has("reason", enumVerbose(U32, xlat.SMCDeclineCodes)), has("peer_diagnosis", enumVerbose(U32, xlat.SMCDeclineCodes)),
			)),
		}},
		has("diag_state", enumIn(U8, xlat.SMCStates)), has("diag_fallback", enumIn(U8, xlat.SMCDiagModes)),
		has("diag_shutdown", udec8), has("id", sockIDOf(inet4)), has("diag_uid", udec), has("diag_inode", udec64),
	)

	smcCursor = inner(layout(has("reserved", udec16), has("wrap", udec16), has("count", udec)))

	smcConnInfo = layout(
		has("token", udec), has("sndbuf_size", udec), has("rmbe_size", udec), has("peer_rmbe_size", udec),
		has("rx_prod", smcCursor), has("rx_cons", smcCursor), has("tx_prod", smcCursor), has("tx_cons", smcCursor),
		has("rx_prod_flags", hexPad(U8)), has("rx_conn_state_flags", hexPad(U8)),
		has("tx_prod_flags", hexPad(U8)), has("tx_conn_state_flags", hexPad(U8)),
		has("tx_prep", smcCursor), has("tx_sent", smcCursor), has("tx_fin", smcCursor),
	)
	smcLink = layout(
		has("link_id", udec8), has("ibname", cstrOf(64)), has("ibport", udec8), has("gid", cstrOf(40)), has("peer_gid", cstrOf(40)),
	)
	smcDMB = layout(
		has("linkid", udec), gap(4), has("peer_gid", hex64), has("my_gid", hex64), has("token", hex64), has("peer_token", hex64),
		has("peer_gid_ext", hex64), has("my_gid_ext", hex64),
	)
)

// smcDMBInfo got two more fields later.
func smcDMBInfo(c *Call, addr uint64, n int) bool {
	if n < smcDMB.size-16 {
		return false
	}
	var whole [64]byte
	b, ok := c.Read(addr, min(n, smcDMB.size))
	if !ok {
		c.Addr(addr)
		return true
	}
	if copy(whole[:], b) > smcDMB.size-16 {
		b = whole[:smcDMB.size]
	}
	smcDMB.Print(c, b)
	return true
}
