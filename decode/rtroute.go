package decode

import "perftrace/decode/xlat"

// Routes, next hops, rules and neighbours over rtnetlink.

var (
	routeHeader = header(
		"rtm_family", routeAttrs,
		has("rtm_dst_len", udec8), has("rtm_src_len", udec8), has("rtm_tos", flagsIn(U8, xlat.IPTypesOfService)),
		has("rtm_table", enumIn(U8, xlat.RouteTables)), has("rtm_protocol", enumIn(U8, xlat.RouteProtocols)),
		has("rtm_scope", enumIn(U8, xlat.RouteScopes)), has("rtm_type", enumIn(U8, xlat.RouteKinds)),
		has("rtm_flags", flags(xlat.RouteFlags)),
	)
	routeAttrs = &nlTable{names: xlat.RouteAttrs, of: map[uint16]nlShow{
		xlat.RTA_DST:           nlInet,
		xlat.RTA_SRC:           nlInet,
		xlat.RTA_IIF:           nlIfIndex,
		xlat.RTA_OIF:           nlIfIndex,
		xlat.RTA_GATEWAY:       nlInet,
		xlat.RTA_PRIORITY:      nlU32,
		xlat.RTA_PREFSRC:       nlInet,
		xlat.RTA_METRICS:       nlNested(routeMetrics),
		xlat.RTA_MULTIPATH:     routeMultipath,
		xlat.RTA_PROTOINFO:     nlU32,
		xlat.RTA_FLOW:          nlU32,
		xlat.RTA_CACHEINFO:     nlMsg(routeCacheInfo),
		xlat.RTA_MP_ALGO:       nlU32,
		xlat.RTA_TABLE:         nlRouteTable,
		xlat.RTA_MARK:          nlU32,
		xlat.RTA_MFC_STATS:     nlMsg(layout(has("mfcs_packets", udec64), has("mfcs_bytes", udec64), has("mfcs_wrong_if", udec64))),
		xlat.RTA_VIA:           routeVia,
		xlat.RTA_NEWDST:        nlInet,
		xlat.RTA_PREF:          nlU8,
		xlat.RTA_ENCAP_TYPE:    nlEncapType,
		xlat.RTA_EXPIRES:       nlU64,
		xlat.RTA_UID:           nlU32,
		xlat.RTA_TTL_PROPAGATE: nlU8,
		xlat.RTA_IP_PROTO:      nlU8,
		xlat.RTA_SPORT:         nlU16,
		xlat.RTA_DPORT:         nlU16,
		xlat.RTA_NH_ID:         nlU32,
		xlat.RTA_FLOWLABEL:     nlBE32,
	}}
	routeMetrics = &nlTable{names: xlat.RouteMetrics, of: map[uint16]nlShow{
		xlat.RTAX_LOCK:       nlU32,
		xlat.RTAX_MTU:        nlU32,
		xlat.RTAX_WINDOW:     nlU32,
		xlat.RTAX_RTT:        nlU32,
		xlat.RTAX_RTTVAR:     nlU32,
		xlat.RTAX_SSTHRESH:   nlU32,
		xlat.RTAX_CWND:       nlU32,
		xlat.RTAX_ADVMSS:     nlU32,
		xlat.RTAX_REORDERING: nlU32,
		xlat.RTAX_HOPLIMIT:   nlU32,
		xlat.RTAX_INITCWND:   nlU32,
		xlat.RTAX_FEATURES:   nlU32,
		xlat.RTAX_RTO_MIN:    nlU32,
		xlat.RTAX_INITRWND:   nlU32,
		xlat.RTAX_QUICKACK:   nlU32,
		xlat.RTAX_CC_ALGO:    nlStr,
	}}
	routeCacheInfo = layout(
		has("rta_clntref", udec), has("rta_lastuse", udec), has("rta_expires", udec), has("rta_error", udec),
		has("rta_used", udec), has("rta_id", hex), has("rta_ts", udec), has("rta_tsage", udec),
	)
	nlRouteTable = nlVal(enum(xlat.RouteTables))
	nlEncapType  = nlVal(enumIn(U16, xlat.EncapTypes))

	nextHop = layout(
		has("rtnh_len", udec16), has("rtnh_flags", flagsIn(U8, xlat.RouteNexthopFlags)), has("rtnh_hops", udec8),
		has("rtnh_ifindex", ifIndex),
	)
)

// routeMultipath is next hops, each with attributes of the route's kind.
func routeMultipath(c *Call, addr uint64, n int) bool {
	size := nextHop.size
	if n < size {
		return false
	}
	table := c.net.nl.table // that of routes: it holds this function, so it can't be named here
	list := false
	for first := true; ; first = false {
		b, ok := c.Read(addr, size)
		if !ok {
			if !first {
				c.Elem()
			}
			c.Addr(addr)
			break
		}
		length := int(c.U16(b))
		if first && length < n {
			c.BeginArray()
			list = true
		}
		if list {
			c.Elem()
		}
		length = min(length, n)
		if length > size {
			c.BeginArray()
			c.Elem()
		}
		nextHop.Print(c, b)
		if length > size {
			c.Elem()
			c.Attrs(addr+uint64(size), length-size, table)
			c.EndArray()
		}
		step := nlAlign(length)
		if step >= n || step == 0 {
			break
		}
		addr += uint64(step)
		n -= step
	}
	if list {
		c.EndArray()
	}
	return true
}

// routeVia is an address with its family.
func routeVia(c *Call, addr uint64, n int) bool {
	if n < 2 {
		return false
	}
	b, ok := c.Read(addr, 2)
	if !ok {
		c.Addr(addr)
		return true
	}
	family := c.U16(b)
	c.BeginStruct()
	c.Field("rtvia_family")
	c.Enum(family, xlat.AddressFamilies)
	if n > 2 {
		c.inetAt(addr+2, n-2, family, "rtvia_addr")
	}
	c.EndStruct()
	return true
}

var (
	ruleHeader = header(
		"family", ruleAttrs,
		has("dst_len", udec8), has("src_len", udec8), has("tos", flagsIn(U8, xlat.IPTypesOfService)),
		has("table", enumIn(U8, withDefault(xlat.RouteTables, "RT_TABLE_???"))), gap(2),
		has("action", enumIn(U8, xlat.RuleActions)), has("flags", flags(xlat.RuleFlags)),
	)
	ruleAttrs = &nlTable{names: xlat.RuleAttrs, of: map[uint16]nlShow{
		xlat.FRA_DST:                nlInet,
		xlat.FRA_SRC:                nlInet,
		xlat.FRA_IIFNAME:            nlStr,
		xlat.FRA_GOTO:               nlU32,
		xlat.FRA_PRIORITY:           nlU32,
		xlat.FRA_FWMARK:             nlU32,
		xlat.FRA_FLOW:               nlU32,
		xlat.FRA_TUN_ID:             nlBE64,
		xlat.FRA_SUPPRESS_IFGROUP:   nlU32,
		xlat.FRA_SUPPRESS_PREFIXLEN: nlU32,
		xlat.FRA_TABLE:              nlRouteTable,
		xlat.FRA_FWMASK:             nlU32,
		xlat.FRA_OIFNAME:            nlStr,
		xlat.FRA_L3MDEV:             nlU8,
		xlat.FRA_UID_RANGE:          nlMsg(layout(has("start", udec), has("end", udec))),
		xlat.FRA_PROTOCOL:           nlVal(enumIn(U8, xlat.RouteProtocols)),
		xlat.FRA_IP_PROTO:           nlIPProto,
		xlat.FRA_SPORT_RANGE:        nlMsg(layout(has("start", udec16), has("end", udec16))),
		xlat.FRA_DPORT_RANGE:        nlMsg(layout(has("start", udec16), has("end", udec16))),
		xlat.FRA_DSCP:               nlU8,
		xlat.FRA_FLOWLABEL:          nlBE32,
		xlat.FRA_FLOWLABEL_MASK:     nlBE32,
		xlat.FRA_SPORT_MASK:         nlX16,
		xlat.FRA_DPORT_MASK:         nlX16,
		xlat.FRA_DSCP_MASK:          nlX8,
	}}

	nexthopHeader = header(
		"nh_family", nexthopAttrs,
		has("nh_scope", enumIn(U8, xlat.RouteScopes)), has("nh_protocol", enumIn(U8, xlat.RouteProtocols)),
		opt("resvd", hex8), has("nh_flags", flags(xlat.RouteNexthopFlags)),
	)
	nexthopAttrs = &nlTable{names: xlat.NexthopAttrs, of: map[uint16]nlShow{
		xlat.NHA_ID:         nlU32,
		xlat.NHA_GROUP:      nlArray(inner(layout(has("id", udec), has("weight", udec8), has("weight_high", udec8), opt("resvd2", hex16)))),
		xlat.NHA_GROUP_TYPE: nlEnum(2, xlat.NexthopGroupTypes),
		xlat.NHA_BLACKHOLE:  nlU32,
		xlat.NHA_OIF:        nlIfIndex,
		xlat.NHA_GATEWAY:    nlInet,
		xlat.NHA_ENCAP_TYPE: nlEncapType,
		xlat.NHA_GROUPS:     nlU32,
		xlat.NHA_MASTER:     nlIfIndex,
		xlat.NHA_FDB:        nlU32,
		xlat.NHA_RES_GROUP: nlNested(&nlTable{names: xlat.NexthopResGroupAttrs, of: map[uint16]nlShow{
			xlat.NHA_RES_GROUP_BUCKETS:          nlU16,
			xlat.NHA_RES_GROUP_IDLE_TIMER:       nlClock,
			xlat.NHA_RES_GROUP_UNBALANCED_TIMER: nlClock,
			xlat.NHA_RES_GROUP_UNBALANCED_TIME:  nlClock,
		}}),
		xlat.NHA_RES_BUCKET: nlNested(&nlTable{names: xlat.NexthopResBucketAttrs, of: map[uint16]nlShow{
			xlat.NHA_RES_BUCKET_INDEX:     nlU16,
			xlat.NHA_RES_BUCKET_IDLE_TIME: nlClock,
			xlat.NHA_RES_BUCKET_NH_ID:     nlU32,
		}}),
	}}

	neighHeader = header(
		"ndm_family", neighAttrs,
		gap(3), has("ndm_ifindex", ifIndex), has("ndm_state", flagsIn(U16, xlat.NeighStates)),
		has("ndm_flags", flagsIn(U8, xlat.NeighFlags)), has("ndm_type", enumIn(U8, xlat.RouteKinds)),
	)
	neighAttrs = &nlTable{names: xlat.NeighAttrs, of: map[uint16]nlShow{
		xlat.NDA_DST:    nlInet,
		xlat.NDA_LLADDR: nlMac,
		xlat.NDA_CACHEINFO: nlMsg(layout(
			has("ndm_confirmed", udec), has("ndm_used", udec), has("ndm_updated", udec), has("ndm_refcnt", udec),
		)),
		xlat.NDA_PROBES:       nlU32,
		xlat.NDA_VLAN:         nlU16,
		xlat.NDA_PORT:         nlBE16,
		xlat.NDA_VNI:          nlU32,
		xlat.NDA_IFINDEX:      nlIfIndex,
		xlat.NDA_MASTER:       nlIfIndex,
		xlat.NDA_LINK_NETNSID: nlU32,
		xlat.NDA_SRC_VNI:      nlU32,
		xlat.NDA_PROTOCOL:     nlIPProto,
		xlat.NDA_NH_ID:        nlU32,
		xlat.NDA_FDB_EXT_ATTRS: nlNested(&nlTable{names: xlat.NeighFDBAttrs, of: map[uint16]nlShow{
			xlat.NFEA_ACTIVITY_NOTIFY: nlFlags(1, xlat.FDBNotifyFlags),
		}}),
		xlat.NDA_FLAGS_EXT:      nlFlags(4, xlat.NeighExtFlags),
		xlat.NDA_NDM_STATE_MASK: nlFlags(2, xlat.NeighStates),
		xlat.NDA_NDM_FLAGS_MASK: nlFlags(1, xlat.NeighFlags),
	}}

	neighTableHeader = header("ndtm_family", &nlTable{names: xlat.NeighTableAttrs, of: map[uint16]nlShow{
		xlat.NDTA_NAME:        nlStr,
		xlat.NDTA_THRESH1:     nlU32,
		xlat.NDTA_THRESH2:     nlU32,
		xlat.NDTA_THRESH3:     nlU32,
		xlat.NDTA_CONFIG:      nlMsg(neighTableConfig),
		xlat.NDTA_PARMS:       nlNested(neighTableParms),
		xlat.NDTA_STATS:       nlGrown(neighTableStats, neighTableStats.size-8),
		xlat.NDTA_GC_INTERVAL: nlU64,
	}})
	neighTableConfig = layout(
		has("ndtc_key_len", udec16), has("ndtc_entry_size", udec16), has("ndtc_entries", udec),
		has("ndtc_last_flush", udec), has("ndtc_last_rand", udec), has("ndtc_hash_rnd", udec),
		has("ndtc_hash_mask", hexPad(U32)), has("ndtc_hash_chain_gc", udec), has("ndtc_proxy_qlen", udec),
	)
	neighTableStats = layout(
		has("ndts_allocs", udec64), has("ndts_destroys", udec64), has("ndts_hash_grows", udec64),
		has("ndts_res_failed", udec64), has("ndts_lookups", udec64), has("ndts_hits", udec64),
		has("ndts_rcv_probes_mcast", udec64), has("ndts_rcv_probes_ucast", udec64),
		has("ndts_periodic_gc_runs", udec64), has("ndts_forced_gc_runs", udec64), has("ndts_table_fulls", udec64),
	)
	neighTableParms = &nlTable{names: xlat.NeighTableParms, of: map[uint16]nlShow{
		xlat.NDTPA_IFINDEX:                nlIfIndex,
		xlat.NDTPA_REFCNT:                 nlU32,
		xlat.NDTPA_REACHABLE_TIME:         nlU64,
		xlat.NDTPA_BASE_REACHABLE_TIME:    nlU64,
		xlat.NDTPA_RETRANS_TIME:           nlU64,
		xlat.NDTPA_GC_STALETIME:           nlU64,
		xlat.NDTPA_DELAY_PROBE_TIME:       nlU64,
		xlat.NDTPA_QUEUE_LEN:              nlU32,
		xlat.NDTPA_APP_PROBES:             nlU32,
		xlat.NDTPA_UCAST_PROBES:           nlU32,
		xlat.NDTPA_MCAST_PROBES:           nlU32,
		xlat.NDTPA_ANYCAST_DELAY:          nlU64,
		xlat.NDTPA_PROXY_DELAY:            nlU64,
		xlat.NDTPA_PROXY_QLEN:             nlU32,
		xlat.NDTPA_LOCKTIME:               nlU64,
		xlat.NDTPA_QUEUE_LENBYTES:         nlU32,
		xlat.NDTPA_MCAST_REPROBES:         nlU32,
		xlat.NDTPA_INTERVAL_PROBE_TIME_MS: nlU64,
	}}
)
