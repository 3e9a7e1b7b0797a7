package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
)

// nlmsgTypes are the types of messages by protocol.
var nlmsgTypes = map[int]*out.Xlat{
	xlat.NETLINK_AUDIT:     xlat.AuditTypes,
	xlat.NETLINK_CRYPTO:    xlat.CryptoTypes,
	xlat.NETLINK_ROUTE:     xlat.RouteTypes,
	xlat.NETLINK_SELINUX:   xlat.SELinuxTypes,
	xlat.NETLINK_SOCK_DIAG: xlat.SockDiagTypes,
	xlat.NETLINK_XFRM:      xlat.XfrmTypes,
}

// nlmsgType writes the type of a message; those below NLMSG_MIN_TYPE are the
// same in all protocols.
func (c *Call) nlmsgType(proto int, typ uint16) {
	v := uint64(typ)
	if typ >= xlat.NLMSG_MIN_TYPE {
		switch proto {
		case xlat.NETLINK_NETFILTER:
			c.netfilterType(v)
			return
		case xlat.NETLINK_GENERIC:
			c.Enum(v, c.net.genlFamilies())
			return
		}
		if x := nlmsgTypes[proto]; x != nil {
			c.Enum(v, x)
			return
		}
	}
	c.Enum(v, xlat.NetlinkTypes)
}

// netfilterSubsystems are the types of messages by netfilter subsystem.
var netfilterSubsystems = map[uint64]*out.Xlat{
	xlat.NFNL_SUBSYS_CTNETLINK:         xlat.NFConntrackTypes,
	xlat.NFNL_SUBSYS_CTNETLINK_EXP:     xlat.NFExpectTypes,
	xlat.NFNL_SUBSYS_QUEUE:             xlat.NFQueueTypes,
	xlat.NFNL_SUBSYS_ULOG:              xlat.NFLogTypes,
	xlat.NFNL_SUBSYS_OSF:               xlat.NFOSFTypes,
	xlat.NFNL_SUBSYS_IPSET:             xlat.NFIPSetTypes,
	xlat.NFNL_SUBSYS_ACCT:              xlat.NFAcctTypes,
	xlat.NFNL_SUBSYS_CTNETLINK_TIMEOUT: xlat.NFTimeoutTypes,
	xlat.NFNL_SUBSYS_CTHELPER:          xlat.NFHelperTypes,
	xlat.NFNL_SUBSYS_NFTABLES:          xlat.NFTablesTypes,
	xlat.NFNL_SUBSYS_NFT_COMPAT:        xlat.NFCompatTypes,
	xlat.NFNL_SUBSYS_HOOK:              xlat.NFHookTypes,
}

// netfilterType writes SUBSYSTEM<<8|TYPE, or the name of a message that begins
// or ends a batch.
func (c *Call) netfilterType(v uint64) {
	if _, ok := xlat.NFBatchTypes.Name(v); ok {
		c.Enum(v, xlat.NFBatchTypes)
		return
	}
	subsystem, kind := v>>8, v&0xff
	c.BeginExpr(v)
	c.Enum(subsystem, xlat.NFSubsystems)
	c.Syntax("<<")
	c.Uint(8)
	c.Syntax("|")
	if x := netfilterSubsystems[subsystem]; x != nil {
		c.Enum(kind, x)
	} else {
		c.Hex(kind)
	}
	c.EndExpr()
}

// nlmsgFlags are the names of a message's flags, some of which mean one thing in
// a request for data, another in one that makes or deletes something.
func nlmsgFlags(proto int, typ uint16) *out.Xlat {
	if typ < xlat.NLMSG_MIN_TYPE {
		if typ == xlat.NLMSG_ERROR {
			return xlat.NetlinkAckFlags
		}
		return xlat.NetlinkFlags
	}
	switch proto {
	case xlat.NETLINK_GENERIC, xlat.NETLINK_SOCK_DIAG:
		return xlat.NetlinkGetFlags
	case xlat.NETLINK_ROUTE:
		if typ == xlat.RTM_DELACTION {
			return xlat.NetlinkGetFlags
		}
		switch typ & 3 {
		case 0:
			return xlat.NetlinkNewFlags
		case 1:
			return xlat.NetlinkDeleteFlags
		case 2:
			return xlat.NetlinkGetFlags
		}
	case xlat.NETLINK_CRYPTO:
		return flagsByKind(uint64(typ), cryptoKinds)
	case xlat.NETLINK_XFRM:
		return flagsByKind(uint64(typ), xfrmKinds)
	case xlat.NETLINK_NETFILTER:
		return flagsByName(uint64(typ))
	}
	return xlat.NetlinkFlags
}

// A nlKind says what a message is for.
type nlKind uint8

const (
	nlOther nlKind = iota
	nlNew
	nlGet
	nlDelete
)

var nlKindFlags = [...]*out.Xlat{xlat.NetlinkFlags, xlat.NetlinkNewFlags, xlat.NetlinkGetFlags, xlat.NetlinkDeleteFlags}

func flagsByKind(v uint64, kinds map[uint64]nlKind) *out.Xlat { return nlKindFlags[kinds[v]] }

var cryptoKinds = map[uint64]nlKind{
	xlat.CRYPTO_MSG_NEWALG: nlNew, xlat.CRYPTO_MSG_GETALG: nlGet,
	xlat.CRYPTO_MSG_DELALG: nlDelete, xlat.CRYPTO_MSG_DELRNG: nlDelete,
}

var xfrmKinds = map[uint64]nlKind{
	xlat.XFRM_MSG_NEWSA: nlNew, xlat.XFRM_MSG_NEWPOLICY: nlNew, xlat.XFRM_MSG_NEWAE: nlNew,
	xlat.XFRM_MSG_NEWSADINFO: nlNew, xlat.XFRM_MSG_NEWSPDINFO: nlNew,
	xlat.XFRM_MSG_DELSA: nlDelete, xlat.XFRM_MSG_DELPOLICY: nlDelete,
	xlat.XFRM_MSG_GETSA: nlGet, xlat.XFRM_MSG_GETPOLICY: nlGet, xlat.XFRM_MSG_GETAE: nlGet,
	xlat.XFRM_MSG_GETSADINFO: nlGet, xlat.XFRM_MSG_GETSPDINFO: nlGet,
}

// flagsByName tells what a netfilter message is for by the name of its type. The
// subsystems that it does not hold for have no flags of their own.
func flagsByName(v uint64) *out.Xlat {
	switch v >> 8 {
	case xlat.NFNL_SUBSYS_QUEUE, xlat.NFNL_SUBSYS_ULOG, xlat.NFNL_SUBSYS_OSF, xlat.NFNL_SUBSYS_IPSET:
		return xlat.NetlinkFlags
	}
	x := netfilterSubsystems[v>>8]
	if x == nil {
		return xlat.NetlinkFlags
	}
	name, _ := x.Name(v & 0xff)
	for i := 0; i+3 <= len(name); i++ {
		if i > 0 && name[i-1] != '_' {
			continue
		}
		switch name[i : i+3] {
		case "DEF": // DEFAULT_SET, DEFAULT_GET
			return xlat.NetlinkFlags
		case "NEW":
			return xlat.NetlinkNewFlags
		case "GET":
			return xlat.NetlinkGetFlags
		case "DEL", "DES":
			return xlat.NetlinkDeleteFlags
		}
	}
	return xlat.NetlinkFlags
}
