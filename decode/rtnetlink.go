package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
)

// A nlHeader is the header of the messages of one kind: the address family and,
// behind it, rest; then attributes.
type nlHeader struct {
	field    string // name of the family
	families *out.Xlat
	rest     *message // nil: nothing is shown
	size     int      // of the header
	attrs    *nlTable
	last     bool // nothing follows it
	// tables by family, if attrs is nil
	byFamily map[uint64]*nlTable
}

// header makes the header of messages with these attributes; the fields of rest
// begin behind the first byte.
func header(field string, attrs *nlTable, rest ...msgField) *nlHeader {
	h := &nlHeader{field: field, families: xlat.AddressFamilies, size: 4, attrs: attrs}
	if len(rest) > 0 {
		h.rest = layout(rest...)
		h.size = 1 + h.rest.size
	}
	return h
}

// show writes a message of n bytes at addr that begins with family.
func (h *nlHeader) show(c *Call, family uint64, addr uint64, n int) {
	c.net.nl.family = family
	c.BeginStruct()
	c.Field(h.field)
	c.Enum(family, h.families)
	whole := true
	switch {
	case h.rest == nil:
	case n < h.size:
		c.MoreFields()
		whole = false
	default:
		if b, ok := c.Read(addr+1, h.size-1); ok {
			h.rest.PrintFields(c, b)
		} else {
			c.fieldAddr(addr + 1)
			whole = false
		}
	}
	c.EndStruct()
	at := nlAlign(h.size)
	if !whole || h.last || n <= at {
		return
	}
	table := h.attrs
	if table == nil && h.byFamily != nil {
		table = h.byFamily[family]
	}
	c.Elem()
	if table == nil {
		c.HexAt(addr+uint64(at), uint64(n-at))
		return
	}
	c.Attrs(addr+uint64(at), n-at, table)
}

// fieldAddr says inside a struct that the rest of it, at addr, can't be read.
func (c *Call) fieldAddr(addr uint64) {
	if c.Opt.JSON {
		c.Field("unreadable")
	} else {
		c.Elem()
	}
	c.Addr(addr)
}

// familyOnly writes a message of which nothing but the family is known.
func (c *Call) familyOnly(family, addr uint64, n int) {
	c.BeginStruct()
	c.Field("family")
	c.Enum(family, xlat.AddressFamilies)
	if n > 1 {
		c.Field("data")
		c.HexAt(addr+1, uint64(n-1))
	}
	c.EndStruct()
}

// A routeKind is one kind of thing that rtnetlink messages are about: the header
// and which actions there are.
type routeKind struct {
	header  *nlHeader
	actions uint8
}

// Actions are bits by type&3.
const (
	rtNew = 1 << iota
	rtDelete
	rtGet
	rtSet
	rtUsual = rtNew | rtDelete | rtGet
)

// routeKinds are the kinds by (type-RTM_BASE)/4.
var routeKinds = map[uint16]routeKind{
	rtm(xlat.RTM_NEWLINK):        {linkHeader, rtNew | rtDelete | rtGet | rtSet},
	rtm(xlat.RTM_NEWADDR):        {addrHeader, rtUsual},
	rtm(xlat.RTM_NEWROUTE):       {routeHeader, rtUsual},
	rtm(xlat.RTM_NEWNEIGH):       {neighHeader, rtUsual},
	rtm(xlat.RTM_NEWRULE):        {ruleHeader, rtUsual},
	rtm(xlat.RTM_NEWQDISC):       {tcHeader, rtUsual},
	rtm(xlat.RTM_NEWTCLASS):      {tcHeader, rtUsual},
	rtm(xlat.RTM_NEWTFILTER):     {tcHeader, rtUsual},
	rtm(xlat.RTM_NEWACTION):      {actionHeader, rtUsual},
	rtm(xlat.RTM_GETMULTICAST):   {addrHeader, rtUsual},
	rtm(xlat.RTM_GETANYCAST):     {addrHeader, rtUsual},
	rtm(xlat.RTM_NEWNEIGHTBL):    {neighTableHeader, rtNew | rtGet | rtSet},
	rtm(xlat.RTM_NEWADDRLABEL):   {addrLabelHeader, rtUsual},
	rtm(xlat.RTM_GETDCB):         {dcbHeader, rtGet | rtSet},
	rtm(xlat.RTM_NEWNETCONF):     {netconfHeader, rtUsual},
	rtm(xlat.RTM_NEWMDB):         {mdbHeader, rtUsual},
	rtm(xlat.RTM_NEWNSID):        {nsidHeader, rtUsual},
	rtm(xlat.RTM_NEWSTATS):       {statsHeader, rtNew | rtGet},
	rtm(xlat.RTM_NEWCACHEREPORT): {cacheReportHeader, rtNew},
	rtm(xlat.RTM_NEWCHAIN):       {tcHeader, rtUsual},
	rtm(xlat.RTM_NEWNEXTHOP):     {nexthopHeader, rtUsual},
}

// rtm is the kind of a type.
func rtm(typ uint16) uint16 { return (typ - xlat.RTM_BASE) / 4 }

// routePayload writes an rtnetlink message.
func (c *Call) routePayload(m nlmsg, addr uint64, n int) bool {
	if m.typ == xlat.NLMSG_DONE {
		return false
	}
	b, ok := c.Read(addr, 1)
	if !ok {
		c.Addr(addr)
		return true
	}
	family := uint64(b[0])
	k := routeKinds[rtm(m.typ)]
	if m.typ == xlat.RTM_GETNEIGH && family == xlat.AF_BRIDGE {
		k.header = linkHeader
	}
	if m.typ < xlat.RTM_BASE || k.actions>>(m.typ&3)&1 == 0 {
		c.familyOnly(family, addr, n)
		return true
	}
	k.header.show(c, family, addr, n)
	return true
}

var (
	addrHeader = header(
		"ifa_family", addrAttrs,
		has("ifa_prefixlen", udec8), has("ifa_flags", flagsIn(U8, xlat.AddrFlags)),
		has("ifa_scope", enumIn(U8, xlat.RouteScopes)), has("ifa_index", ifIndex),
	)
	addrAttrs = &nlTable{names: xlat.AddrAttrs, of: map[uint16]nlShow{
		xlat.IFA_ADDRESS:        nlInet,
		xlat.IFA_LOCAL:          nlInet,
		xlat.IFA_LABEL:          nlStr,
		xlat.IFA_BROADCAST:      nlInet,
		xlat.IFA_ANYCAST:        nlInet,
		xlat.IFA_CACHEINFO:      nlMsg(layout(has("ifa_prefered", udec), has("ifa_valid", udec), has("cstamp", udec), has("tstamp", udec))),
		xlat.IFA_MULTICAST:      nlInet,
		xlat.IFA_FLAGS:          nlVal(flags(xlat.AddrFlags)),
		xlat.IFA_RT_PRIORITY:    nlU32,
		xlat.IFA_TARGET_NETNSID: nlS32,
	}}

	addrLabelHeader = header(
		"ifal_family", &nlTable{names: xlat.AddrLabelAttrs, of: map[uint16]nlShow{xlat.IFAL_ADDRESS: nlInet, xlat.IFAL_LABEL: nlU32}},
		gap(1), has("ifal_prefixlen", udec8), has("ifal_flags", udec8), has("ifal_index", ifIndex), has("ifal_seq", udec),
	)

	dcbHeader = header("dcb_family", &nlTable{names: xlat.DCBAttrs}, has("cmd", enumIn(U8, xlat.DCBCommands)), gap(2))

	netconfHeader = header("ncm_family", &nlTable{names: xlat.NetconfAttrs, of: map[uint16]nlShow{
		xlat.NETCONFA_IFINDEX:                     nlIfIndex,
		xlat.NETCONFA_FORWARDING:                  nlS32,
		xlat.NETCONFA_RP_FILTER:                   nlS32,
		xlat.NETCONFA_MC_FORWARDING:               nlS32,
		xlat.NETCONFA_PROXY_NEIGH:                 nlS32,
		xlat.NETCONFA_IGNORE_ROUTES_WITH_LINKDOWN: nlS32,
		xlat.NETCONFA_INPUT:                       nlS32,
		xlat.NETCONFA_BC_FORWARDING:               nlS32,
		xlat.NETCONFA_FORCE_FORWARDING:            nlS32,
	}})

	nsidHeader = header("rtgen_family", &nlTable{names: xlat.NetnsAttrs, of: map[uint16]nlShow{
		xlat.NETNSA_NSID:         nlS32,
		xlat.NETNSA_PID:          nlU32,
		xlat.NETNSA_FD:           nlFD,
		xlat.NETNSA_TARGET_NSID:  nlS32,
		xlat.NETNSA_CURRENT_NSID: nlS32,
	}})

	cacheReportHeader = &nlHeader{
		field: "rtgen_family", families: xlat.RouteFamilies, size: 4,
		byFamily: map[uint64]*nlTable{
			xlat.RTNL_FAMILY_IPMR: {names: xlat.IPCacheReportAttrs, of: map[uint16]nlShow{
				xlat.IPMRA_CREPORT_MSGTYPE:  nlEnum(1, xlat.IPCacheReportTypes),
				xlat.IPMRA_CREPORT_VIF_ID:   nlU32,
				xlat.IPMRA_CREPORT_SRC_ADDR: nlIn4,
				xlat.IPMRA_CREPORT_DST_ADDR: nlIn4,
				xlat.IPMRA_CREPORT_TABLE:    nlU32,
			}},
			xlat.RTNL_FAMILY_IP6MR: {names: xlat.IP6CacheReportAttrs, of: map[uint16]nlShow{
				xlat.IP6MRA_CREPORT_MSGTYPE:  nlEnum(1, xlat.IP6CacheReportTypes),
				xlat.IP6MRA_CREPORT_MIF_ID:   nlU32,
				xlat.IP6MRA_CREPORT_SRC_ADDR: nlIn6,
				xlat.IP6MRA_CREPORT_DST_ADDR: nlIn6,
			}},
		},
	}
)

var (
	mdbHeader = header(
		"family", &nlTable{names: xlat.MDBAttrs, of: map[uint16]nlShow{
			xlat.MDBA_MDB: nlNested(&nlTable{names: xlat.MDBMdbAttrs, of: map[uint16]nlShow{
				xlat.MDBA_MDB_ENTRY: nlNested(&nlTable{names: xlat.MDBEntryAttrs, of: map[uint16]nlShow{
					xlat.MDBA_MDB_ENTRY_INFO: nlMsgThen(mdbEntry, attrsOf(&nlTable{
						names: xlat.MDBEntryExtraAttrs, of: map[uint16]nlShow{xlat.MDBA_MDB_EATTR_TIMER: nlClock},
					})),
				}}),
			}}),
			xlat.MDBA_ROUTER: nlNested(&nlTable{names: xlat.MDBRouterAttrs, of: map[uint16]nlShow{
				xlat.MDBA_ROUTER_PORT: mdbRouterPort,
			}}),
		}},
		gap(3), has("ifindex", ifIndex),
	)

	mdbEntry = layout(
		has("ifindex", ifIndex), has("state", enumIn(U8, xlat.MDBStates)), has("flags", flagsIn(U8, xlat.MDBFlags)),
		has("vid", udec16),
		has("addr", bytesType(20, func(c *Call, b []byte) {
			family := uint64(b[16])<<8 | uint64(b[17])
			c.BeginStruct()
			c.InetField("u", family, b[:16])
			c.Field("proto")
			c.BeginCall("htons")
			c.Param()
			c.Enum(family, xlat.AddressFamilies)
			c.EndCall()
			c.EndStruct()
		})),
	)

	mdbRouterPortAttrs = &nlTable{names: xlat.MDBRouterPortAttrs, of: map[uint16]nlShow{
		xlat.MDBA_ROUTER_PATTR_TIMER:       nlClock,
		xlat.MDBA_ROUTER_PATTR_TYPE:        nlVal(enumIn(U8, xlat.MDBRouterTypes)),
		xlat.MDBA_ROUTER_PATTR_INET_TIMER:  nlClock,
		xlat.MDBA_ROUTER_PATTR_INET6_TIMER: nlClock,
	}}
)

// attrsOf shows what stands behind a struct as attributes.
func attrsOf(t *nlTable) func(c *Call, addr uint64, n int) {
	return func(c *Call, addr uint64, n int) { c.Attrs(addr, n, t) }
}

func mdbRouterPort(c *Call, addr uint64, n int) bool {
	if !nlIfIndex(c, addr, n) {
		return false
	}
	if n > 4 {
		c.Elem()
		c.Attrs(addr+4, n-4, mdbRouterPortAttrs)
	}
	return true
}
