package decode

import "perftrace/decode/xlat"

// Statistics and traffic control over rtnetlink.

// counters are fields that are plain numbers.
func counters(t Type, names ...string) (f []msgField) {
	for _, n := range names {
		f = append(f, has(n, t))
	}
	return f
}

var (
	linkStatNames = []string{
		"rx_packets", "tx_packets", "rx_bytes", "tx_bytes", "rx_errors", "tx_errors", "rx_dropped", "tx_dropped",
		"multicast", "collisions", "rx_length_errors", "rx_over_errors", "rx_crc_errors", "rx_frame_errors",
		"rx_fifo_errors", "rx_missed_errors", "tx_aborted_errors", "tx_carrier_errors", "tx_fifo_errors",
		"tx_heartbeat_errors", "tx_window_errors", "rx_compressed", "tx_compressed", "rx_nohandler",
	}
	linkStats     = layout(counters(udec, linkStatNames...)...)
	linkStats64   = layout(append(counters(udec64, linkStatNames...), has("rx_otherhost_dropped", udec64))...)
	nlLinkStats64 = nlGrown(linkStats64, linkStats64.size-16, linkStats64.size-8)

	statsHeader = header(
		"family", statsAttrs,
		opt("pad1", hex8), opt("pad2", hex16), has("ifindex", ifIndex), has("filter_mask", flags(xlat.IfStatsMask)),
	)
	statsAttrs = &nlTable{names: xlat.IfStatsAttrs, of: map[uint16]nlShow{
		xlat.IFLA_STATS_LINK_64:           nlLinkStats64,
		xlat.IFLA_STATS_LINK_XSTATS:       nlNested(xstatsAttrs),
		xlat.IFLA_STATS_LINK_XSTATS_SLAVE: nlNested(xstatsAttrs),
		xlat.IFLA_STATS_LINK_OFFLOAD_XSTATS: nlNested(&nlTable{names: xlat.OffloadXStats, of: map[uint16]nlShow{
			xlat.IFLA_OFFLOAD_XSTATS_CPU_HIT: nlLinkStats64,
		}}),
		xlat.IFLA_STATS_AF_SPEC: nlNested(&nlTable{names: xlat.AddressFamilies, of: map[uint16]nlShow{
			xlat.AF_MPLS: nlNested(&nlTable{names: xlat.MPLSStats, of: map[uint16]nlShow{
				xlat.MPLS_STATS_LINK: nlMsgThen(layout(counters(
					udec64, "rx_packets", "tx_packets", "rx_bytes", "tx_bytes", "rx_errors", "tx_errors",
					"rx_dropped", "tx_dropped", "rx_noroute",
				)...), (*Call).hexRest),
			}}),
		}}),
	}}

	xstatsAttrs = &nlTable{names: xlat.XStatsTypes, of: map[uint16]nlShow{
		xlat.LINK_XSTATS_TYPE_BRIDGE: nlNested(&nlTable{names: xlat.BridgeXStats, of: map[uint16]nlShow{
			xlat.BRIDGE_XSTATS_VLAN: nlMsgThen(layout(append(
				counters(udec64, "rx_bytes", "rx_packets", "tx_bytes", "tx_packets"),
				has("vid", udec16), has("flags", flagsIn(U16, xlat.BridgeVlanFlags)), opt("pad2", hex),
			)...), (*Call).hexRest),
			xlat.BRIDGE_XSTATS_MCAST: nlMsgThen(bridgeMcast, (*Call).hexRest),
			xlat.BRIDGE_XSTATS_STP: nlMsgThen(layout(counters(
				udec64, "transition_blk", "transition_fwd", "rx_bpdu", "tx_bpdu", "rx_tcn", "tx_tcn",
			)...), (*Call).hexRest),
		}}),
		xlat.LINK_XSTATS_TYPE_BOND: nlNested(&nlTable{names: xlat.BondXStats, of: map[uint16]nlShow{
			xlat.BOND_XSTATS_3AD: nlNested(&nlTable{names: xlat.Bond3ADStats, of: map[uint16]nlShow{
				xlat.BOND_3AD_STAT_LACPDU_RX:         nlU64,
				xlat.BOND_3AD_STAT_LACPDU_TX:         nlU64,
				xlat.BOND_3AD_STAT_LACPDU_UNKNOWN_RX: nlU64,
				xlat.BOND_3AD_STAT_LACPDU_ILLEGAL_RX: nlU64,
				xlat.BOND_3AD_STAT_MARKER_RX:         nlU64,
				xlat.BOND_3AD_STAT_MARKER_TX:         nlU64,
				xlat.BOND_3AD_STAT_MARKER_RESP_RX:    nlU64,
				xlat.BOND_3AD_STAT_MARKER_RESP_TX:    nlU64,
				xlat.BOND_3AD_STAT_MARKER_UNKNOWN_RX: nlU64,
			}}),
		}}),
	}}

	// mcastPair is received and sent.
	mcastPair = bytesType(16, func(c *Call, b []byte) {
		c.BeginArray()
		for i := range 2 {
			c.indexed(uint64(i), xlat.BridgeMcastIndices)
			c.Uint(c.U64(b[8*i:]))
		}
		c.EndArray()
	})
	bridgeMcast = layout(
		has("igmp_v1queries", mcastPair), has("igmp_v2queries", mcastPair), has("igmp_v3queries", mcastPair),
		has("igmp_leaves", mcastPair), has("igmp_v1reports", mcastPair), has("igmp_v2reports", mcastPair),
		has("igmp_v3reports", mcastPair), has("igmp_parse_errors", udec64),
		has("mld_v1queries", mcastPair), has("mld_v2queries", mcastPair), has("mld_leaves", mcastPair),
		has("mld_v1reports", mcastPair), has("mld_v2reports", mcastPair), has("mld_parse_errors", udec64),
		has("mcast_bytes", mcastPair), has("mcast_packets", mcastPair),
	)
)

var (
	tcHeader = header(
		"tcm_family", tcAttrs,
		gap(3), has("tcm_ifindex", ifIndex), has("tcm_handle", udec), has("tcm_parent", udec), has("tcm_info", udec),
	)
	tcAttrs = &nlTable{names: xlat.TCAttrs, of: map[uint16]nlShow{
		xlat.TCA_KIND: nlStr,
		xlat.TCA_STATS: nlMsg(layout(append(
			[]msgField{has("bytes", udec64)},
			counters(udec, "packets", "drops", "overlimits", "bps", "pps", "qlen", "backlog")...,
		)...)),
		xlat.TCA_RATE:          nlMsg(layout(has("interval", dec8), has("ewma_log", udec8))),
		xlat.TCA_FCNT:          nlU32,
		xlat.TCA_STATS2:        nlNested(tcStats),
		xlat.TCA_STAB:          nlNested(tcStab),
		xlat.TCA_CHAIN:         nlU32,
		xlat.TCA_HW_OFFLOAD:    nlU8,
		xlat.TCA_INGRESS_BLOCK: nlU32,
		xlat.TCA_EGRESS_BLOCK:  nlU32,
		xlat.TCA_DUMP_FLAGS:    nlU32,
		xlat.TCA_EXT_WARN_MSG:  nlStr,
	}}
	tcBasic = nlMsg(layout(has("bytes", udec64), has("packets", udec)))
	tcStats = &nlTable{names: xlat.TCStatsAttrs, of: map[uint16]nlShow{
		xlat.TCA_STATS_BASIC:      tcBasic,
		xlat.TCA_STATS_RATE_EST:   nlMsg(layout(has("bps", udec), has("pps", udec))),
		xlat.TCA_STATS_QUEUE:      nlMsg(layout(counters(udec, "qlen", "backlog", "drops", "requeues", "overlimits")...)),
		xlat.TCA_STATS_RATE_EST64: nlMsg(layout(has("bps", udec64), has("pps", udec64))),
		xlat.TCA_STATS_BASIC_HW:   tcBasic,
		xlat.TCA_STATS_PKT64:      nlU64,
	}}
	tcStab = &nlTable{names: xlat.TCStabAttrs, of: map[uint16]nlShow{
		xlat.TCA_STAB_BASE: nlMsg(layout(
			has("cell_log", udec8), has("size_log", udec8), has("cell_align", dec16), has("overhead", dec),
			has("linklayer", udec), has("mpu", udec), has("mtu", udec), has("tsize", udec),
		)),
		xlat.TCA_STAB_DATA: nlArray(udec16),
	}}

	actionHeader = header("tca_family", &nlTable{names: xlat.TCRootAttrs, of: map[uint16]nlShow{
		xlat.TCA_ROOT_TAB:          nlListOf(nlNested(tcAction)),
		xlat.TCA_ROOT_FLAGS:        nlFlags(4, xlat.TCRootFlags),
		xlat.TCA_ROOT_COUNT:        nlU32,
		xlat.TCA_ROOT_TIME_DELTA:   nlMsecs,
		xlat.TCA_ROOT_EXT_WARN_MSG: nlStr,
	}})
	tcAction = &nlTable{names: xlat.TCActionAttrs, of: map[uint16]nlShow{
		xlat.TCA_ACT_KIND:          nlStr,
		xlat.TCA_ACT_INDEX:         nlU32,
		xlat.TCA_ACT_STATS:         nlNested(tcStats),
		xlat.TCA_ACT_FLAGS:         nlFlags(4, xlat.TCActionFlags),
		xlat.TCA_ACT_HW_STATS:      nlFlags(4, xlat.TCActionHWStats),
		xlat.TCA_ACT_USED_HW_STATS: nlFlags(4, xlat.TCActionHWStats),
		xlat.TCA_ACT_IN_HW_COUNT:   nlU32,
	}}
)
