package decode

import (
	"encoding/binary"
	"sort"

	"perftrace/decode/out"
	"perftrace/decode/xlat"

	"golang.org/x/sys/unix"
)

// Generic netlink: families have numbers that the running kernel gives them.

const genlHeader = 4 // struct genlmsghdr

// genlFamilies are the names of the families of this machine, asked for once.
func (s *netState) genlFamilies() *out.Xlat {
	if s.genl == nil {
		entries := askGenlFamilies()
		sort.Slice(entries, func(i, j int) bool { return entries[i].Val < entries[j].Val })
		s.genl = &out.Xlat{Entries: entries, Default: "GENERIC_FAMILY_???"}
	}
	return s.genl
}

// askGenlFamilies asks the kernel's controller for all families; without an
// answer, only the controller itself is known.
func askGenlFamilies() (list []out.Entry) {
	const ctrl = 0x10 // GENL_ID_CTRL
	list = []out.Entry{{Val: ctrl, Name: "nlctrl"}}
	s, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_GENERIC)
	if err != nil {
		return list
	}
	defer unix.Close(s)
	tv := unix.Timeval{Sec: 1}
	_ = unix.SetsockoptTimeval(s, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &tv)
	req := binary.LittleEndian.AppendUint32(nil, nlmsgHeader+genlHeader)
	req = binary.LittleEndian.AppendUint16(req, ctrl)
	req = binary.LittleEndian.AppendUint16(req, unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	req = append(req, 0, 0, 0, 0, 0, 0, 0, 0)
	req = append(req, unix.CTRL_CMD_GETFAMILY, 1, 0, 0)
	if unix.Sendto(s, req, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}) != nil {
		return list
	}
	buf := make([]byte, 1<<16)
	for range 64 {
		n, _, err := unix.Recvfrom(s, buf, 0)
		if err != nil || n < nlmsgHeader {
			return list
		}
		for b := buf[:n]; len(b) >= nlmsgHeader; {
			h := nlmsgOf(b)
			if h.typ != ctrl || int(h.length) < nlmsgHeader+genlHeader || int(h.length) > len(b) {
				return list
			}
			if e, ok := genlFamilyIn(b[nlmsgHeader+genlHeader : h.length]); ok && e.Val != ctrl {
				list = append(list, e)
			}
			b = b[min(nlAlign(int(h.length)), len(b)):]
		}
	}
	return list
}

// genlFamilyIn finds number and name of a family in its attributes.
func genlFamilyIn(b []byte) (e out.Entry, ok bool) {
	for len(b) >= nlaHeader {
		n := int(binary.LittleEndian.Uint16(b))
		if n < nlaHeader || n > len(b) {
			break
		}
		data := b[nlaHeader:n]
		switch binary.LittleEndian.Uint16(b[2:]) {
		case xlat.CTRL_ATTR_FAMILY_ID:
			if len(data) >= 2 {
				e.Val = uint64(binary.LittleEndian.Uint16(data))
			}
		case xlat.CTRL_ATTR_FAMILY_NAME:
			for i, ch := range data {
				if ch == 0 || ch == '"' || ch == '\\' || ch < ' ' || ch > '~' {
					data = data[:i]
					break
				}
			}
			e.Name = string(data)
		}
		b = b[min(nlAlign(n), len(b)):]
	}
	return e, e.Val != 0 && e.Name != ""
}

// genericPayload writes a generic netlink message; of the controller's, the
// attributes are known.
func (c *Call) genericPayload(h nlmsg, addr uint64, n int) bool {
	if n < genlHeader || h.typ == xlat.NLMSG_DONE {
		return false
	}
	b, ok := c.Read(addr, genlHeader)
	if !ok {
		c.Addr(addr)
		return true
	}
	head, table := genlHead, nlUnknown
	if h.typ == 0x10 {
		head, table = genlCtrlHead, genlCtrlAttrs
	}
	head.Print(c, b)
	if n > genlHeader {
		c.Elem()
		c.Attrs(addr+genlHeader, n-genlHeader, table)
	}
	return true
}

var (
	genlHead     = layout(has("cmd", hex8), has("version", udec8), opt("reserved", hex16))
	genlCtrlHead = layout(has("cmd", enumIn(U8, xlat.GenlCtrlCmds)), has("version", udec8), opt("reserved", hex16))

	// nlUnknown are attributes of which nothing is known.
	nlUnknown = &nlTable{}
)

// genlCommands are the commands of families: what programs send and what they
// receive. The first is that of the controller, used when there is no name.
var genlCommands = []struct {
	family     string
	send, recv *out.Xlat
}{
	{"nlctrl", xlat.GenlCtrlCmds, xlat.GenlCtrlCmds},
	{"devlink", xlat.DevlinkCmds, xlat.DevlinkCmds},
	{"ethtool", xlat.EthtoolSendCmds, xlat.EthtoolRecvCmds},
	{"IOAM6", xlat.IOAM6Cmds, xlat.IOAM6Cmds},
	{"mptcp_pm", xlat.MPTCPCmds, xlat.MPTCPCmds},
	{"netdev", xlat.NetdevCmds, xlat.NetdevCmds},
	{"nl80211", xlat.NL80211Cmds, xlat.NL80211Cmds},
	{"SEG6", xlat.Seg6Cmds, xlat.Seg6Cmds},
	{"TASKSTATS", xlat.TaskstatsCmds, xlat.TaskstatsCmds},
	{"tcp_metrics", xlat.TCPMetricsCmds, xlat.TCPMetricsCmds},
	{"thermal", xlat.ThermalCmds, xlat.ThermalCmds},
}

// genlName remembers which family the attributes behind it are about.
func genlName(c *Call, addr uint64, n int) bool {
	if b, ok := c.Read(addr, n); ok && n <= 16 {
		if n > 0 && b[n-1] == 0 {
			b = b[:n-1]
		}
		for i := range genlCommands {
			if string(b) == genlCommands[i].family {
				c.net.nl.cmds = i
			}
		}
	}
	return nlStr(c, addr, n)
}

func genlOp(c *Call, addr uint64, n int) bool {
	cmds := &genlCommands[c.net.nl.cmds]
	x := cmds.send
	if c.Row.receives() {
		x = cmds.recv
	}
	return nlEnum(4, x)(c, addr, n)
}

// receives reports whether the call is one that fills in messages.
func (r *Row) receives() bool { return len(r.Args) > 1 && r.Args[1].Out }

var (
	genlCtrlAttrs = &nlTable{names: xlat.GenlCtrlAttrs, of: map[uint16]nlShow{
		xlat.CTRL_ATTR_FAMILY_ID:    nlX16,
		xlat.CTRL_ATTR_FAMILY_NAME:  genlName,
		xlat.CTRL_ATTR_VERSION:      nlU32,
		xlat.CTRL_ATTR_HDRSIZE:      nlU32,
		xlat.CTRL_ATTR_MAXATTR:      nlU32,
		xlat.CTRL_ATTR_OPS:          nlListOf(nlNested(genlOpAttrs)),
		xlat.CTRL_ATTR_MCAST_GROUPS: nlListOf(nlNested(genlMcastAttrs)),
		xlat.CTRL_ATTR_POLICY:       nlListOf(nlListOf(nlNested(genlPolicyAttrs))),
		xlat.CTRL_ATTR_OP_POLICY:    nlListOf(nlNested(genlOpPolicyAttrs)),
		xlat.CTRL_ATTR_OP:           nlU32,
	}}
	genlOpAttrs = &nlTable{names: xlat.GenlOpAttrs, of: map[uint16]nlShow{
		xlat.CTRL_ATTR_OP_ID:    genlOp,
		xlat.CTRL_ATTR_OP_FLAGS: nlFlags(4, xlat.GenlOpFlags),
	}}
	genlMcastAttrs = &nlTable{names: xlat.GenlMcastAttrs, of: map[uint16]nlShow{
		xlat.CTRL_ATTR_MCAST_GRP_NAME: nlStr,
		xlat.CTRL_ATTR_MCAST_GRP_ID:   nlX32,
	}}
	genlOpPolicyAttrs = &nlTable{names: xlat.GenlPolicyAttrs, of: map[uint16]nlShow{
		xlat.CTRL_ATTR_POLICY_DO:   nlU32,
		xlat.CTRL_ATTR_POLICY_DUMP: nlU32,
	}}
	genlPolicyAttrs = &nlTable{names: xlat.PolicyTypeAttrs, of: map[uint16]nlShow{
		xlat.NL_POLICY_TYPE_ATTR_TYPE:            nlEnum(4, xlat.NetlinkAttrTypes),
		xlat.NL_POLICY_TYPE_ATTR_MIN_VALUE_S:     nlS64,
		xlat.NL_POLICY_TYPE_ATTR_MAX_VALUE_S:     nlS64,
		xlat.NL_POLICY_TYPE_ATTR_MIN_VALUE_U:     nlU64,
		xlat.NL_POLICY_TYPE_ATTR_MAX_VALUE_U:     nlU64,
		xlat.NL_POLICY_TYPE_ATTR_MIN_LENGTH:      nlU32,
		xlat.NL_POLICY_TYPE_ATTR_MAX_LENGTH:      nlU32,
		xlat.NL_POLICY_TYPE_ATTR_POLICY_IDX:      nlX32,
		xlat.NL_POLICY_TYPE_ATTR_POLICY_MAXTYPE:  nlX32,
		xlat.NL_POLICY_TYPE_ATTR_BITFIELD32_MASK: nlX32,
		xlat.NL_POLICY_TYPE_ATTR_MASK:            nlX64,
	}}
)

// nlListOf is attributes that are all of one kind, numbered by their types.
func nlListOf(show nlShow) nlShow { return nlNested(&nlTable{every: show}) }
