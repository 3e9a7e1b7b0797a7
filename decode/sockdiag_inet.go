package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
)

// Internet sockets over netlink (inet_diag).

func inet4(*Call) uint64 { return xlat.AF_INET }

// nlFamily is the family of the message that is being written.
func nlFamily(c *Call) uint64 { return c.net.nl.family }

// sockIDOf is a pair of addresses with ports.
func sockIDOf(family func(c *Call) uint64) Type {
	return inner(layout(
		has("idiag_sport", netPort), has("idiag_dport", netPort),
		inetField("idiag_src", 16, family), inetField("idiag_dst", 16, family),
		has("idiag_if", ifIndex), has("idiag_cookie", cookie),
	))
}

var (
	sockID = sockIDOf(nlFamily)

	inetDiagReq = header(
		"sdiag_family", inetDiagReqAttrs,
		has("sdiag_protocol", enumIn(U8, xlat.InetProtocols)), has("idiag_ext", flagsIn(U8, xlat.InetDiagExt)), gap(1),
		has("idiag_states", flags(xlat.TCPStateFlags)), has("id", sockID),
	)
	inetDiagReqOld = header(
		"idiag_family", inetDiagReqAttrs,
		has("idiag_src_len", udec8), has("idiag_dst_len", udec8), has("idiag_ext", flagsIn(U8, xlat.InetDiagExt)),
		has("id", sockID), has("idiag_states", flags(xlat.TCPStateFlags)), has("idiag_dbs", udec),
	)
	inetDiagReqAttrs = &nlTable{names: xlat.InetDiagReqAttrs, of: map[uint16]nlShow{
		xlat.INET_DIAG_REQ_BYTECODE: inetDiagBytecode,
		xlat.INET_DIAG_REQ_PROTOCOL: nlIPProto,
	}}

	inetDiagMsg = header(
		"idiag_family", inetDiagAttrs,
		has("idiag_state", enumIn(U8, xlat.TCPStates)), has("idiag_timer", udec8), has("idiag_retrans", udec8),
		has("id", sockID), has("idiag_expires", udec), has("idiag_rqueue", udec), has("idiag_wqueue", udec),
		has("idiag_uid", udec), has("idiag_inode", udec),
	)
	inetDiagAttrs = &nlTable{names: xlat.InetDiagAttrs, of: map[uint16]nlShow{
		xlat.INET_DIAG_MEMINFO:         nlMsg(layout(counters(udec, "idiag_rmem", "idiag_wmem", "idiag_fmem", "idiag_tmem")...)),
		xlat.INET_DIAG_VEGASINFO:       nlMsg(layout(counters(udec, "tcpv_enabled", "tcpv_rttcnt", "tcpv_rtt", "tcpv_minrtt")...)),
		xlat.INET_DIAG_CONG:            nlStr,
		xlat.INET_DIAG_TOS:             nlU8,
		xlat.INET_DIAG_TCLASS:          nlU8,
		xlat.INET_DIAG_SKMEMINFO:       nlMeminfo,
		xlat.INET_DIAG_SHUTDOWN:        nlLoose(1, func(c *Call, v uint64) { c.FlagsVerbose(v, xlat.ShutdownMask) }),
		xlat.INET_DIAG_DCTCPINFO:       nlMsg(dctcpInfo),
		xlat.INET_DIAG_PROTOCOL:        nlIPProto,
		xlat.INET_DIAG_SKV6ONLY:        nlU8,
		xlat.INET_DIAG_LOCALS:          nlSockaddrs,
		xlat.INET_DIAG_PEERS:           nlSockaddrs,
		xlat.INET_DIAG_MARK:            nlU32,
		xlat.INET_DIAG_BBRINFO:         nlMsg(bbrInfo),
		xlat.INET_DIAG_CLASS_ID:        nlU32,
		xlat.INET_DIAG_MD5SIG:          nlArray(bytesType(100, md5Sig)),
		xlat.INET_DIAG_ULP_INFO:        nlNested(ulpAttrs),
		xlat.INET_DIAG_SK_BPF_STORAGES: nlNested(bpfStorages),
		xlat.INET_DIAG_CGROUP_ID:       nlU64,
		xlat.INET_DIAG_SOCKOPT:         inetDiagSockOpt,
	}}

	dctcpInfo = layout(
		has("dctcp_enabled", udec16), has("dctcp_ce_state", udec16), has("dctcp_alpha", udec),
		has("dctcp_ab_ecn", udec), has("dctcp_ab_tot", udec),
	)
	bbrInfo = layout(
		has("bbr_bw_lo", hex), has("bbr_bw_hi", hex), has("bbr_min_rtt", udec), has("bbr_pacing_gain", udec), has("bbr_cwnd_gain", udec),
	)
	nlSockaddrs = nlArray(bytesType(maxSockaddr, func(c *Call, b []byte) { c.Sockaddr(b) }))

	ulpAttrs = &nlTable{names: xlat.ULPAttrs, of: map[uint16]nlShow{
		xlat.INET_ULP_INFO_NAME: nlStr,
		xlat.INET_ULP_INFO_TLS: nlNested(&nlTable{names: xlat.TLSAttrs, of: map[uint16]nlShow{
			xlat.TLS_INFO_VERSION: nlEnum(2, xlat.TLSVersions),
			xlat.TLS_INFO_CIPHER:  nlEnum(2, xlat.TLSCiphers),
			xlat.TLS_INFO_TXCONF:  nlEnum(2, xlat.TLSConfigs),
			xlat.TLS_INFO_RXCONF:  nlEnum(2, xlat.TLSConfigs),
		}}),
		xlat.INET_ULP_INFO_MPTCP: nlNested(&nlTable{names: xlat.MPTCPSubflowAttrs, of: map[uint16]nlShow{
			xlat.MPTCP_SUBFLOW_ATTR_TOKEN_REM:    nlX32,
			xlat.MPTCP_SUBFLOW_ATTR_TOKEN_LOC:    nlX32,
			xlat.MPTCP_SUBFLOW_ATTR_RELWRITE_SEQ: nlU32,
			xlat.MPTCP_SUBFLOW_ATTR_MAP_SEQ:      nlU64,
			xlat.MPTCP_SUBFLOW_ATTR_MAP_SFSEQ:    nlU32,
			xlat.MPTCP_SUBFLOW_ATTR_SSN_OFFSET:   nlU32,
			xlat.MPTCP_SUBFLOW_ATTR_MAP_DATALEN:  nlU16,
			xlat.MPTCP_SUBFLOW_ATTR_FLAGS:        nlFlags(4, xlat.MPTCPSubflowFlags),
			xlat.MPTCP_SUBFLOW_ATTR_ID_REM:       nlU8,
			xlat.MPTCP_SUBFLOW_ATTR_ID_LOC:       nlU8,
		}}),
	}}

	bpfStorages = &nlTable{names: xlat.BPFStoragesAttrs, of: map[uint16]nlShow{
		xlat.SK_DIAG_BPF_STORAGE: nlNested(&nlTable{names: xlat.BPFStorageAttrs, of: map[uint16]nlShow{
			xlat.SK_DIAG_BPF_STORAGE_MAP_ID:    nlU32,
			xlat.SK_DIAG_BPF_STORAGE_MAP_VALUE: nlHexInt,
		}}),
	}}
)

// nlHexInt is a number of 1, 2, 4 or 8 bytes.
func nlHexInt(c *Call, addr uint64, n int) bool {
	switch n {
	case 1, 2, 4, 8:
		return nlLoose(0, func(c *Call, v uint64) { c.Hex(v) })(c, addr, n)
	}
	return false
}

// md5Sig is struct tcp_diag_md5sig.
func md5Sig(c *Call, b []byte) {
	family, keylen := uint64(b[0]), int(c.U16(b[2:]))
	c.BeginStruct()
	c.Field("tcpm_family")
	c.Enum(family, xlat.AddressFamilies)
	c.Field("tcpm_prefixlen")
	c.Uint(uint64(b[1]))
	c.Field("tcpm_keylen")
	c.Uint(uint64(keylen))
	c.InetField("tcpm_addr", family, b[4:20])
	c.Field("tcpm_key")
	c.StrHex(b[20:20+min(keylen, 80)], false)
	c.EndStruct()
}

// inetDiagBytecode is an instruction that selects sockets, and its operand.
func inetDiagBytecode(c *Call, addr uint64, n int) bool {
	b, ok := c.Read(addr, bytecode.size)
	switch {
	case n < bytecode.size:
		return false
	case !ok:
		c.Addr(addr)
		return true
	}
	bytecode.Print(c, b)
	addr += uint64(bytecode.size)
	n -= bytecode.size
	if n == 0 {
		return true
	}
	c.Elem()
	show := nlShow(nil)
	switch b[0] {
	case xlat.INET_DIAG_BC_S_COND, xlat.INET_DIAG_BC_D_COND:
		show = hostCond
	case xlat.INET_DIAG_BC_DEV_COND:
		show = nlIfIndex
	case xlat.INET_DIAG_BC_S_GE, xlat.INET_DIAG_BC_S_LE, xlat.INET_DIAG_BC_D_GE, xlat.INET_DIAG_BC_D_LE:
		show = nlBytecode
	case xlat.INET_DIAG_BC_MARK_COND:
		show = nlMarkCond
	}
	if show == nil || !show(c, addr, n) {
		c.HexAt(addr, uint64(n))
	}
	return true
}

var (
	bytecode   = layout(has("code", enumIn(U8, xlat.InetDiagBytecodes)), has("yes", udec8), has("no", udec16))
	nlBytecode = nlMsg(bytecode)
	nlMarkCond = nlMsg(layout(has("mark", udec), has("mask", udec)))

	hostCondHead = layout(
		has("family", enumIn(U8, xlat.AddressFamilies)), has("prefix_len", udec8), gap(2), has("port", dec),
	)
)

func hostCond(c *Call, addr uint64, n int) bool {
	size := hostCondHead.size
	if n < size {
		return false
	}
	b, ok := c.Read(addr, size)
	if !ok {
		c.Addr(addr)
		return true
	}
	c.BeginStruct()
	hostCondHead.PrintFields(c, b)
	if n > size {
		c.inetAt(addr+uint64(size), n-size, uint64(b[0]), "addr")
	}
	c.EndStruct()
	return true
}

// inetDiagSockOpt is bits; abbreviated, only those that are set are shown.
func inetDiagSockOpt(c *Call, addr uint64, n int) bool {
	if n < 2 {
		return false
	}
	b, ok := c.Read(addr, 2)
	if !ok {
		c.Addr(addr)
		return true
	}
	v := c.U16(b)
	c.BeginStruct()
	for i, name := range inetSockOptBits {
		if bit := v >> i & 1; bit != 0 || !c.Abbrev {
			c.Field(name)
			c.Uint(bit)
		}
	}
	if rest := v >> len(inetSockOptBits); rest != 0 || !c.Abbrev {
		c.Field("unused")
		c.Hex(rest)
		c.Comment("bits 3..8")
	}
	c.EndStruct()
	if size := min(n, 4096); size > 2 {
		c.nonzeroRest(addr, 2, size)
	}
	return true
}

var inetSockOptBits = [...]string{
	"recverr", "is_icsk", "freebind", "hdrincl", "mc_loop", "transparent", "mc_all", "nodefrag",
	"bind_address_no_port", "recverr_rfc4884", "defer_connect",
}

// nonzeroRest shows bytes from to size of the object at addr, unless all are 0.
func (c *Call) nonzeroRest(addr uint64, from, size int) {
	b, ok := c.Read(addr+uint64(from), size-from)
	switch {
	case !ok:
		c.Elem()
		c.Text("???")
	case !allZero(b):
		c.Elem()
		c.Syntax("/* bytes ")
		if !c.Opt.JSON {
			c.Uint(uint64(from))
			c.Syntax("..")
			c.Uint(uint64(size - 1))
		}
		c.Syntax(" */ ")
		shown := min(len(b), c.Opts.StringMax)
		c.StrHex(b[:shown], shown < len(b))
	}
}

var diagProtoAll = &out.Xlat{Entries: []out.Entry{{Val: xlat.NDIAG_PROTO_ALL, Name: "NDIAG_PROTO_ALL"}}}
