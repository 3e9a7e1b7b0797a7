package decode

import "perftrace/decode/xlat"

// Bridges, their ports and virtual functions over rtnetlink.

var (
	bridgeID = layout(has("prio", listOf(2, udec8)), has("addr", macOf(6)))
	nlBridge = nlMsg(bridgeID)

	bridgeVlan   = layout(has("flags", flagsIn(U16, xlat.BridgeVlanFlags)), has("vid", udec16))
	nlBridgeVlan = nlMsgThen(bridgeVlan, (*Call).hexRest)

	bridgeAttrs = &nlTable{names: xlat.LinkBridgeAttrs, of: map[uint16]nlShow{
		xlat.IFLA_BRIDGE_FLAGS:     nlFlags(2, xlat.LinkBridgeFlags),
		xlat.IFLA_BRIDGE_MODE:      nlEnum(2, xlat.LinkBridgeModes),
		xlat.IFLA_BRIDGE_VLAN_INFO: nlBridgeVlan,
		xlat.IFLA_BRIDGE_VLAN_TUNNEL_INFO: nlNested(&nlTable{names: xlat.LinkVlanTunnelAttrs, of: map[uint16]nlShow{
			xlat.IFLA_BRIDGE_VLAN_TUNNEL_ID:    nlU32,
			xlat.IFLA_BRIDGE_VLAN_TUNNEL_VID:   nlU16,
			xlat.IFLA_BRIDGE_VLAN_TUNNEL_FLAGS: nlFlags(2, xlat.BridgeVlanFlags),
		}}),
	}}

	bridgePortAttrs = &nlTable{names: xlat.BridgePortAttrs, of: map[uint16]nlShow{
		xlat.IFLA_BRPORT_STATE:                 nlU8,
		xlat.IFLA_BRPORT_PRIORITY:              nlU16,
		xlat.IFLA_BRPORT_COST:                  nlU32,
		xlat.IFLA_BRPORT_MODE:                  nlU8,
		xlat.IFLA_BRPORT_GUARD:                 nlU8,
		xlat.IFLA_BRPORT_PROTECT:               nlU8,
		xlat.IFLA_BRPORT_FAST_LEAVE:            nlU8,
		xlat.IFLA_BRPORT_LEARNING:              nlU8,
		xlat.IFLA_BRPORT_UNICAST_FLOOD:         nlU8,
		xlat.IFLA_BRPORT_PROXYARP:              nlU8,
		xlat.IFLA_BRPORT_LEARNING_SYNC:         nlU8,
		xlat.IFLA_BRPORT_PROXYARP_WIFI:         nlU8,
		xlat.IFLA_BRPORT_ROOT_ID:               nlBridge,
		xlat.IFLA_BRPORT_BRIDGE_ID:             nlBridge,
		xlat.IFLA_BRPORT_DESIGNATED_PORT:       nlU16,
		xlat.IFLA_BRPORT_DESIGNATED_COST:       nlU16,
		xlat.IFLA_BRPORT_ID:                    nlU16,
		xlat.IFLA_BRPORT_NO:                    nlU16,
		xlat.IFLA_BRPORT_TOPOLOGY_CHANGE_ACK:   nlU8,
		xlat.IFLA_BRPORT_CONFIG_PENDING:        nlU8,
		xlat.IFLA_BRPORT_MESSAGE_AGE_TIMER:     nlClock,
		xlat.IFLA_BRPORT_FORWARD_DELAY_TIMER:   nlClock,
		xlat.IFLA_BRPORT_HOLD_TIMER:            nlClock,
		xlat.IFLA_BRPORT_MULTICAST_ROUTER:      nlU8,
		xlat.IFLA_BRPORT_MCAST_FLOOD:           nlU8,
		xlat.IFLA_BRPORT_MCAST_TO_UCAST:        nlU8,
		xlat.IFLA_BRPORT_VLAN_TUNNEL:           nlU8,
		xlat.IFLA_BRPORT_BCAST_FLOOD:           nlU8,
		xlat.IFLA_BRPORT_GROUP_FWD_MASK:        nlX16,
		xlat.IFLA_BRPORT_NEIGH_SUPPRESS:        nlU8,
		xlat.IFLA_BRPORT_ISOLATED:              nlU8,
		xlat.IFLA_BRPORT_BACKUP_PORT:           nlIfIndex,
		xlat.IFLA_BRPORT_MRP_RING_OPEN:         nlU8,
		xlat.IFLA_BRPORT_MRP_IN_OPEN:           nlU8,
		xlat.IFLA_BRPORT_MCAST_EHT_HOSTS_LIMIT: nlU32,
		xlat.IFLA_BRPORT_MCAST_EHT_HOSTS_CNT:   nlU32,
		xlat.IFLA_BRPORT_LOCKED:                nlU8,
		xlat.IFLA_BRPORT_MAB:                   nlU8,
		xlat.IFLA_BRPORT_MCAST_N_GROUPS:        nlU32,
		xlat.IFLA_BRPORT_MCAST_MAX_GROUPS:      nlU32,
		xlat.IFLA_BRPORT_NEIGH_VLAN_SUPPRESS:   nlU8,
		xlat.IFLA_BRPORT_BACKUP_NHID:           nlU32,
		xlat.IFLA_BRPORT_NEIGH_FORWARD_GRAT:    nlU8,
	}}

	bridgeDataAttrs = &nlTable{names: xlat.BridgeAttrs, of: map[uint16]nlShow{
		xlat.IFLA_BR_FORWARD_DELAY:              nlClock,
		xlat.IFLA_BR_HELLO_TIME:                 nlClock,
		xlat.IFLA_BR_MAX_AGE:                    nlClock,
		xlat.IFLA_BR_AGEING_TIME:                nlClock,
		xlat.IFLA_BR_STP_STATE:                  nlU32,
		xlat.IFLA_BR_PRIORITY:                   nlU16,
		xlat.IFLA_BR_VLAN_FILTERING:             nlU8,
		xlat.IFLA_BR_VLAN_PROTOCOL:              nlEtherProto,
		xlat.IFLA_BR_GROUP_FWD_MASK:             nlX16,
		xlat.IFLA_BR_ROOT_ID:                    nlBridge,
		xlat.IFLA_BR_BRIDGE_ID:                  nlBridge,
		xlat.IFLA_BR_ROOT_PORT:                  nlU16,
		xlat.IFLA_BR_ROOT_PATH_COST:             nlU32,
		xlat.IFLA_BR_TOPOLOGY_CHANGE:            nlU8,
		xlat.IFLA_BR_TOPOLOGY_CHANGE_DETECTED:   nlU8,
		xlat.IFLA_BR_HELLO_TIMER:                nlClock,
		xlat.IFLA_BR_TCN_TIMER:                  nlClock,
		xlat.IFLA_BR_TOPOLOGY_CHANGE_TIMER:      nlClock,
		xlat.IFLA_BR_GC_TIMER:                   nlClock,
		xlat.IFLA_BR_GROUP_ADDR:                 nlMac,
		xlat.IFLA_BR_MCAST_ROUTER:               nlU8,
		xlat.IFLA_BR_MCAST_SNOOPING:             nlU8,
		xlat.IFLA_BR_MCAST_QUERY_USE_IFADDR:     nlU8,
		xlat.IFLA_BR_MCAST_QUERIER:              nlU8,
		xlat.IFLA_BR_MCAST_HASH_ELASTICITY:      nlU32,
		xlat.IFLA_BR_MCAST_HASH_MAX:             nlU32,
		xlat.IFLA_BR_MCAST_LAST_MEMBER_CNT:      nlU32,
		xlat.IFLA_BR_MCAST_STARTUP_QUERY_CNT:    nlU32,
		xlat.IFLA_BR_MCAST_LAST_MEMBER_INTVL:    nlClock,
		xlat.IFLA_BR_MCAST_MEMBERSHIP_INTVL:     nlClock,
		xlat.IFLA_BR_MCAST_QUERIER_INTVL:        nlClock,
		xlat.IFLA_BR_MCAST_QUERY_INTVL:          nlClock,
		xlat.IFLA_BR_MCAST_QUERY_RESPONSE_INTVL: nlClock,
		xlat.IFLA_BR_MCAST_STARTUP_QUERY_INTVL:  nlClock,
		xlat.IFLA_BR_NF_CALL_IPTABLES:           nlU8,
		xlat.IFLA_BR_NF_CALL_IP6TABLES:          nlU8,
		xlat.IFLA_BR_NF_CALL_ARPTABLES:          nlU8,
		xlat.IFLA_BR_VLAN_DEFAULT_PVID:          nlU16,
		xlat.IFLA_BR_VLAN_STATS_ENABLED:         nlU8,
		xlat.IFLA_BR_MCAST_STATS_ENABLED:        nlU8,
		xlat.IFLA_BR_MCAST_IGMP_VERSION:         nlU8,
		xlat.IFLA_BR_MCAST_MLD_VERSION:          nlU8,
		xlat.IFLA_BR_VLAN_STATS_PER_PORT:        nlU8,
		xlat.IFLA_BR_MULTI_BOOLOPT:              nlBridgeBools,
		xlat.IFLA_BR_MCAST_QUERIER_STATE:        nlNested(bridgeQuerier),
		xlat.IFLA_BR_FDB_N_LEARNED:              nlU32,
		xlat.IFLA_BR_FDB_MAX_LEARNED:            nlU32,
		xlat.IFLA_BR_STP_MODE:                   nlEnum(4, xlat.BridgeSTPModes),
	}}
	nlBridgeBools = nlMsg(layout(has("optval", flags(xlat.BridgeBoolOptFlags)), has("optmask", flags(xlat.BridgeBoolOptFlags))))
	bridgeQuerier = &nlTable{names: xlat.BridgeQuerierAttrs, of: map[uint16]nlShow{
		xlat.BRIDGE_QUERIER_IP_ADDRESS:       nlIn4,
		xlat.BRIDGE_QUERIER_IP_PORT:          nlIfIndex,
		xlat.BRIDGE_QUERIER_IP_OTHER_TIMER:   nlClock,
		xlat.BRIDGE_QUERIER_IPV6_ADDRESS:     nlIn6,
		xlat.BRIDGE_QUERIER_IPV6_PORT:        nlIfIndex,
		xlat.BRIDGE_QUERIER_IPV6_OTHER_TIMER: nlClock,
	}}
)

// hexRest shows what is behind a struct as bytes.
func (c *Call) hexRest(addr uint64, n int) { c.HexAt(addr, uint64(n)) }

var (
	vfInfoList = &nlTable{names: xlat.VFInfoAttrs, of: map[uint16]nlShow{xlat.IFLA_VF_INFO: nlNested(vfAttrs)}}

	vfAttrs = &nlTable{names: xlat.VFAttrs, of: map[uint16]nlShow{
		xlat.IFLA_VF_MAC:          nlMsg(layout(has("vf", udec), has("mac", macOf(32)))),
		xlat.IFLA_VF_VLAN:         nlMsg(layout(has("vf", udec), has("vlan", udec), has("qos", udec))),
		xlat.IFLA_VF_TX_RATE:      nlMsg(layout(has("vf", udec), has("rate", udec))),
		xlat.IFLA_VF_SPOOFCHK:     nlMsg(vfSetting),
		xlat.IFLA_VF_LINK_STATE:   nlMsg(layout(has("vf", udec), has("link_state", enum(xlat.VFLinkStates)))),
		xlat.IFLA_VF_RATE:         nlMsg(layout(has("vf", udec), has("min_tx_rate", udec), has("max_tx_rate", udec))),
		xlat.IFLA_VF_RSS_QUERY_EN: nlMsg(vfSetting),
		xlat.IFLA_VF_STATS: nlNested(&nlTable{names: xlat.VFStatsAttrs, of: map[uint16]nlShow{
			xlat.IFLA_VF_STATS_RX_PACKETS: nlU64,
			xlat.IFLA_VF_STATS_TX_PACKETS: nlU64,
			xlat.IFLA_VF_STATS_RX_BYTES:   nlU64,
			xlat.IFLA_VF_STATS_TX_BYTES:   nlU64,
			xlat.IFLA_VF_STATS_BROADCAST:  nlU64,
			xlat.IFLA_VF_STATS_MULTICAST:  nlU64,
			xlat.IFLA_VF_STATS_RX_DROPPED: nlU64,
			xlat.IFLA_VF_STATS_TX_DROPPED: nlU64,
		}}),
		xlat.IFLA_VF_TRUST:        nlMsg(vfSetting),
		xlat.IFLA_VF_IB_NODE_GUID: vfGUID,
		xlat.IFLA_VF_IB_PORT_GUID: vfGUID,
		xlat.IFLA_VF_VLAN_LIST: nlNested(&nlTable{names: xlat.VFVlanAttrs, of: map[uint16]nlShow{
			xlat.IFLA_VF_VLAN_INFO: nlMsg(layout(
				has("vf", udec), has("vlan", udec), has("qos", udec), has("vlan_proto", etherProto), gap(2),
			)),
		}}),
		xlat.IFLA_VF_BROADCAST: nlMsg(layout(has("broadcast", macOf(32)))),
	}}
	vfSetting = layout(has("vf", udec), has("setting", udec))
	vfGUID32  = layout(has("vf", udec), has("guid", hex64))
	vfGUID64  = layout(has("vf", udec), gap(4), has("guid", hex64))
)

// vfGUID: the struct is not aligned in the same way everywhere.
func vfGUID(c *Call, addr uint64, n int) bool {
	switch n {
	case vfGUID32.size:
		return nlMsg(vfGUID32)(c, addr, n)
	case vfGUID64.size:
		return nlMsg(vfGUID64)(c, addr, n)
	}
	return false
}
