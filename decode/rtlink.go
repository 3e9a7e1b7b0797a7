package decode

import "perftrace/decode/xlat"

// Links (network interfaces) over rtnetlink.

var (
	linkHeader = header(
		"ifi_family", linkAttrs,
		gap(1), has("ifi_type", enumIn(U16, xlat.HardwareTypes)), has("ifi_index", ifIndex),
		has("ifi_flags", flags(xlat.LinkFlags)), has("ifi_change", hex),
	)
	linkAttrs = &nlTable{names: xlat.LinkAttrs, of: map[uint16]nlShow{
		xlat.IFLA_ADDRESS:                    nlLinkAddr,
		xlat.IFLA_BROADCAST:                  nlLinkAddr,
		xlat.IFLA_IFNAME:                     nlStr,
		xlat.IFLA_MTU:                        nlU32,
		xlat.IFLA_LINK:                       nlU32,
		xlat.IFLA_QDISC:                      nlStr,
		xlat.IFLA_STATS:                      nlGrown(linkStats, linkStats.size-4),
		xlat.IFLA_MASTER:                     nlU32,
		xlat.IFLA_PROTINFO:                   nlByFamily(map[uint64]*nlTable{xlat.AF_BRIDGE: bridgePortAttrs, xlat.AF_INET6: linkInet6}),
		xlat.IFLA_TXQLEN:                     nlU32,
		xlat.IFLA_MAP:                        nlMsg(linkMap),
		xlat.IFLA_WEIGHT:                     nlU32,
		xlat.IFLA_OPERSTATE:                  nlU8,
		xlat.IFLA_LINKMODE:                   nlU8,
		xlat.IFLA_LINKINFO:                   linkInfo,
		xlat.IFLA_NET_NS_PID:                 nlU32,
		xlat.IFLA_IFALIAS:                    nlStr,
		xlat.IFLA_NUM_VF:                     nlU32,
		xlat.IFLA_VFINFO_LIST:                nlNested(vfInfoList),
		xlat.IFLA_STATS64:                    nlLinkStats64,
		xlat.IFLA_VF_PORTS:                   nlNested(vfPorts),
		xlat.IFLA_PORT_SELF:                  nlNested(linkPort),
		xlat.IFLA_AF_SPEC:                    linkFamilies,
		xlat.IFLA_GROUP:                      nlU32,
		xlat.IFLA_NET_NS_FD:                  nlFD,
		xlat.IFLA_EXT_MASK:                   nlFlags(4, xlat.LinkFilterFlags),
		xlat.IFLA_PROMISCUITY:                nlU32,
		xlat.IFLA_NUM_TX_QUEUES:              nlU32,
		xlat.IFLA_NUM_RX_QUEUES:              nlU32,
		xlat.IFLA_CARRIER:                    nlU8,
		xlat.IFLA_CARRIER_CHANGES:            nlU32,
		xlat.IFLA_LINK_NETNSID:               nlS32,
		xlat.IFLA_PHYS_PORT_NAME:             nlStr,
		xlat.IFLA_PROTO_DOWN:                 nlU8,
		xlat.IFLA_GSO_MAX_SEGS:               nlU32,
		xlat.IFLA_GSO_MAX_SIZE:               nlU32,
		xlat.IFLA_XDP:                        nlNested(linkXDP),
		xlat.IFLA_EVENT:                      nlVal(enum(xlat.LinkEvents)),
		xlat.IFLA_NEW_NETNSID:                nlS32,
		xlat.IFLA_IF_NETNSID:                 nlS32,
		xlat.IFLA_CARRIER_UP_COUNT:           nlU32,
		xlat.IFLA_CARRIER_DOWN_COUNT:         nlU32,
		xlat.IFLA_NEW_IFINDEX:                nlIfIndex,
		xlat.IFLA_MIN_MTU:                    nlU32,
		xlat.IFLA_MAX_MTU:                    nlU32,
		xlat.IFLA_PROP_LIST:                  nlNested(&nlTable{names: xlat.LinkAttrs, of: map[uint16]nlShow{xlat.IFLA_ALT_IFNAME: nlStr}}),
		xlat.IFLA_ALT_IFNAME:                 nlStr,
		xlat.IFLA_PERM_ADDRESS:               nlLinkAddr,
		xlat.IFLA_PROTO_DOWN_REASON:          nlNested(protoDown),
		xlat.IFLA_PARENT_DEV_NAME:            nlStr,
		xlat.IFLA_PARENT_DEV_BUS_NAME:        nlStr,
		xlat.IFLA_GRO_MAX_SIZE:               nlU32,
		xlat.IFLA_TSO_MAX_SIZE:               nlU32,
		xlat.IFLA_TSO_MAX_SEGS:               nlU32,
		xlat.IFLA_ALLMULTI:                   nlU32,
		xlat.IFLA_DEVLINK_PORT:               nlU32,
		xlat.IFLA_GSO_IPV4_MAX_SIZE:          nlU32,
		xlat.IFLA_GRO_IPV4_MAX_SIZE:          nlU32,
		xlat.IFLA_MAX_PACING_OFFLOAD_HORIZON: nlU64,
		xlat.IFLA_NETNS_IMMUTABLE:            nlU8,
		xlat.IFLA_HEADROOM:                   nlU16,
		xlat.IFLA_TAILROOM:                   nlU16,
	}}

	linkMap = layout(
		has("mem_start", hex64), has("mem_end", hex64), has("base_addr", hex64),
		has("irq", udec16), has("dma", udec8), has("port", udec8),
	)
	linkXDP = &nlTable{names: xlat.XDPAttrs, of: map[uint16]nlShow{
		xlat.IFLA_XDP_FD:          nlFD,
		xlat.IFLA_XDP_ATTACHED:    nlEnum(1, xlat.XDPAttachModes),
		xlat.IFLA_XDP_FLAGS:       nlVal(flags(xlat.XDPFlags)),
		xlat.IFLA_XDP_PROG_ID:     nlU32,
		xlat.IFLA_XDP_DRV_PROG_ID: nlU32,
		xlat.IFLA_XDP_SKB_PROG_ID: nlU32,
		xlat.IFLA_XDP_HW_PROG_ID:  nlU32,
		xlat.IFLA_XDP_EXPECTED_FD: nlFD,
	}}
	protoDown = &nlTable{names: xlat.ProtoDownAttrs, of: map[uint16]nlShow{
		xlat.IFLA_PROTO_DOWN_REASON_MASK:  nlX32,
		xlat.IFLA_PROTO_DOWN_REASON_VALUE: nlX32,
	}}
	linkPort = &nlTable{names: xlat.LinkPortAttrs, of: map[uint16]nlShow{
		xlat.IFLA_PORT_VF:      nlU32,
		xlat.IFLA_PORT_PROFILE: nlStr,
		xlat.IFLA_PORT_VSI_TYPE: nlMsg(layout(
			has("vsi_mgr_id", udec8), has("vsi_type_id", hexOf(3)), has("vsi_type_version", udec8), opt("pad", hexOf(3)),
		)),
		xlat.IFLA_PORT_REQUEST:  nlU8,
		xlat.IFLA_PORT_RESPONSE: nlU16,
	}}
	vfPorts = &nlTable{names: xlat.VFPortAttrs, of: map[uint16]nlShow{xlat.IFLA_VF_PORT: nlNested(linkPort)}}
)

// nlLinkAddr is a hardware address; the family of the message is taken for the
// kind of hardware, as strace does.
func nlLinkAddr(c *Call, addr uint64, n int) bool {
	shown := n
	if size, ok := hardwareSizes[c.net.nl.family]; ok {
		shown = size
	}
	return c.hwAddrAt(addr, n, shown)
}

// hardwareSizes are the sizes of hardware addresses by ARPHRD_ number, where
// they are known.
var hardwareSizes = map[uint64]int{
	0: 7, 1: 6, 3: 7, 6: 6, 7: 1, 15: 2, 24: 16, 27: 8, 32: 20, 256: 0, 270: 5, 271: 0, 280: 0, 290: 1,
	512: 0, 518: 0, 519: 0, 768: 4, 769: 16, 772: 6, 773: 1, 774: 6, 776: 4, 777: 0, 778: 4, 779: 0, 780: 6,
	783: 4, 801: 6, 802: 6, 803: 6, 804: 8, 805: 8, 820: 1, 821: 1, 822: 0, 823: 16, 824: 0, 825: 8, 826: 0,
}

// nlByFamily is attributes of the kind that the family of the message has.
func nlByFamily(of map[uint64]*nlTable) nlShow {
	return func(c *Call, addr uint64, n int) bool {
		t := of[c.net.nl.family]
		if t == nil {
			return false
		}
		c.Attrs(addr, n, t)
		return true
	}
}

// linkFamilies: of a bridge, attributes; of other links, attributes for each
// address family.
func linkFamilies(c *Call, addr uint64, n int) bool {
	if c.net.nl.family == xlat.AF_BRIDGE {
		c.Attrs(addr, n, bridgeAttrs)
	} else {
		c.Attrs(addr, n, linkFamilyAttrs)
	}
	return true
}

var (
	linkFamilyAttrs = &nlTable{names: xlat.AddressFamilies, of: map[uint16]nlShow{
		xlat.AF_INET: nlNested(&nlTable{names: xlat.LinkInetAttrs, of: map[uint16]nlShow{
			xlat.IFLA_INET_CONF: nlIndexed(dec, xlat.IPv4Devconf),
		}}),
		xlat.AF_INET6: nlNested(linkInet6),
		xlat.AF_MCTP: nlNested(&nlTable{names: xlat.LinkMCTPAttrs, of: map[uint16]nlShow{
			xlat.IFLA_MCTP_NET:          nlU32,
			xlat.IFLA_MCTP_PHYS_BINDING: nlX8,
		}}),
	}}
	linkInet6 = &nlTable{names: xlat.LinkInet6Attrs, of: map[uint16]nlShow{
		xlat.IFLA_INET6_FLAGS: nlFlags(4, xlat.IPv6IfFlags),
		xlat.IFLA_INET6_CONF:  nlIndexed(dec, xlat.IPv6Devconf),
		xlat.IFLA_INET6_STATS: nlIndexed(udec64, xlat.IPStats),
		xlat.IFLA_INET6_CACHEINFO: nlMsg(layout(
			has("max_reasm_len", udec), has("tstamp", udec), has("reachable_time", udec), has("retrans_time", udec),
		)),
		xlat.IFLA_INET6_ICMP6STATS:    nlIndexed(udec64, xlat.ICMP6Stats),
		xlat.IFLA_INET6_TOKEN:         nlIn6,
		xlat.IFLA_INET6_ADDR_GEN_MODE: nlEnum(1, xlat.IPv6GenModes),
		xlat.IFLA_INET6_RA_MTU:        nlU32,
	}}
)

// A linkKind is a kind of link that has attributes of its own.
type linkKind uint8

const (
	linkOther linkKind = iota
	linkBridge
	linkTun
	linkCAN
)

// linkInfo is a kind of link and, behind that, what links of this kind have.
func linkInfo(c *Call, addr uint64, n int) bool {
	kind, slave := c.net.nl.kind, c.net.nl.slave
	c.net.nl.kind, c.net.nl.slave = linkOther, linkOther
	c.Attrs(addr, n, linkInfoAttrs)
	c.net.nl.kind, c.net.nl.slave = kind, slave
	return true
}

// linkKindAt is the kind whose name is in the n bytes at addr.
func (c *Call) linkKindAt(addr uint64, n int) linkKind {
	b, _ := c.Read(addr, min(n, 64))
	for i, ch := range b {
		if ch == 0 {
			b = b[:i]
			break
		}
	}
	switch string(b) {
	case "bridge":
		return linkBridge
	case "tun":
		return linkTun
	case "can":
		return linkCAN
	}
	return linkOther
}

var linkInfoAttrs = &nlTable{names: xlat.LinkInfoAttrs, of: map[uint16]nlShow{
	xlat.IFLA_INFO_KIND: func(c *Call, addr uint64, n int) bool {
		c.net.nl.kind = c.linkKindAt(addr, n)
		return nlStrZ(c, addr, n)
	},
	xlat.IFLA_INFO_SLAVE_KIND: func(c *Call, addr uint64, n int) bool {
		c.net.nl.slave = c.linkKindAt(addr, n)
		return nlStrZ(c, addr, n)
	},
	xlat.IFLA_INFO_DATA: func(c *Call, addr uint64, n int) bool {
		switch c.net.nl.kind {
		case linkBridge:
			c.Attrs(addr, n, bridgeDataAttrs)
		case linkTun:
			c.Attrs(addr, n, tunAttrs)
		default:
			return false
		}
		return true
	},
	xlat.IFLA_INFO_XSTATS: func(c *Call, addr uint64, n int) bool {
		return c.net.nl.kind == linkCAN && nlCANStats(c, addr, n)
	},
	xlat.IFLA_INFO_SLAVE_DATA: func(c *Call, addr uint64, n int) bool {
		if c.net.nl.slave != linkBridge {
			return false
		}
		c.Attrs(addr, n, bridgePortAttrs)
		return true
	},
}}

var (
	nlCANStats = nlMsg(layout(
		has("bus_error", udec), has("error_warning", udec), has("error_passive", udec),
		has("bus_off", udec), has("arbitration_lost", udec), has("restarts", udec),
	))
	tunAttrs = &nlTable{names: xlat.TunAttrs, of: map[uint16]nlShow{
		xlat.IFLA_TUN_OWNER:               nlID,
		xlat.IFLA_TUN_GROUP:               nlID,
		xlat.IFLA_TUN_TYPE:                nlEnum(1, xlat.TunTypes),
		xlat.IFLA_TUN_PI:                  nlU8,
		xlat.IFLA_TUN_VNET_HDR:            nlU8,
		xlat.IFLA_TUN_PERSIST:             nlU8,
		xlat.IFLA_TUN_MULTI_QUEUE:         nlU8,
		xlat.IFLA_TUN_NUM_QUEUES:          nlU32,
		xlat.IFLA_TUN_NUM_DISABLED_QUEUES: nlU32,
	}}
)
