package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// Network interfaces: net/if.h, linux/sockios.h.

const ifNameLen = 16

// ifreqOf is struct ifreq with one member of its union.
func ifreqOf(name string, t Type) *Struct {
	return NewStruct(Arg{"ifr_name", cstr(ifNameLen)}, Arg{name, filled(t)}, Arg{"", ifreqRest(t)})
}

// ifreqRest is what is left of the union behind a member, whose largest member
// is struct ifmap.
func ifreqRest(t Type) Type {
	v := Type{Width: None, Mem: func(*Call, []byte, uint64) {}}
	for l := range numLay {
		v.Size[l], v.Align[l] = uint16(max(ifMap.size(l)-t.size(l), 0)), 1
	}
	return v
}

var (
	ifMap = NewStruct(
		Arg{"mem_start", lhex}, Arg{"mem_end", lhex}, Arg{"base_addr", hex16}, Arg{"irq", hex8}, Arg{"dma", hex8}, Arg{"port", hex8},
		Arg{"", pad(3)},
	).Type()
	ifSockaddr = memOf(16, 2, func(c *Call, b []byte, _ uint64) { c.Sockaddr(b) })
	ifHWAddr   = memOf(16, 2, func(c *Call, b []byte, _ uint64) {
		const ether, most = 6, 14
		c.BeginStruct()
		c.Field("sa_family")
		kind := c.U16(b)
		c.Enum(kind, xlat.HardwareTypes)
		c.Field("sa_data")
		n := most
		if kind == 1 {
			n = ether
		}
		c.HWAddr(b[2:16], n)
		c.EndStruct()
	})
	ifSlave = cstr(ifNameLen)
	// ifNameAsk is the index of an interface whose name is told.
	ifNameAsk = NewStruct(
		Arg{"", pad(ifNameLen)}, Arg{"ifr_ifindex", dec},
		Arg{"ifr_name", filled(within(pad(0), func(c *Call, s []byte, _ int, _ uint64) { c.FixedStr(s[:ifNameLen]) }))},
		Arg{"", ifreqRest(dec)},
	)
	ifBridge = NewStruct(Arg{"", pad(ifNameLen)}, Arg{"ifr_ifindex", printed(I32, (*Call).IfIndex)}, Arg{"", ifreqRest(dec)}).Type()
)

// ifreq are the requests that get a member of the union, and that set it.
func ifreq(name string, t Type, get, set []string) []ioctl {
	s := ifreqOf(name, t)
	return append(each(argp(inout(s)), get...), each(argp(in(s.Type())), set...)...)
}

// The lists of struct ifconf.
var (
	ifconf      = NewStruct(Arg{"ifc_len", dec}, Arg{"ifc_buf", addr})
	ifconfType  = ifconf.Type()
	ifconfEntry = NewStruct(Arg{"ifr_name", cstr(ifNameLen)}, Arg{"ifr_addr", ifSockaddr}, Arg{"", ifreqRest(ifSockaddr)}).Type()
)

// ifconfLen writes the length of a list, and how many elements it is.
func (c *Call) ifconfLen(n int64) {
	c.Int(n)
	size := int64(ifconfEntry.size(c.Lay))
	if n > 0 && n%size == 0 && !c.Opt.JSON {
		c.Syntax(" /* ")
		c.Int(n / size)
		c.Syntax(" * sizeof(struct ifreq) */")
	}
}

var ifconfArg = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		size := ifconfType.size(c.Lay)
		at := ifconf.Off(c.Lay, "ifc_buf")
		c.AtEntry = true
		b, ok := c.Read(v, size)
		c.AtEntry = false
		if !ok {
			c.Addr(v)
			return
		}
		room, buf := c.I32(b), c.Word(b[at:])
		c.BeginStruct()
		c.Field("ifc_len")
		if buf != 0 {
			c.ifconfLen(room)
		}
		now, ok := c.Read(v, size)
		if !ok || !c.Returned() {
			if buf == 0 {
				c.ifconfLen(room)
			}
			ifconf.PrintField(c, b, "ifc_buf")
			c.EndStruct()
			return
		}
		got := c.I32(now)
		if buf != 0 && got != room {
			c.Syntax(" => ")
		}
		if buf == 0 || got != room {
			c.ifconfLen(got)
		}
		if buf == 0 || c.Failed() {
			ifconf.PrintField(c, b, "ifc_buf")
			if after := c.Word(now[at:]); after != buf {
				c.Syntax(" => ")
				c.Addr(after)
			}
		} else {
			c.Field("ifc_buf")
			c.Array(c.Word(now[at:]), uint64(max(got, 0))/uint64(ifconfEntry.size(c.Lay)), &ifconfEntry)
		}
		c.EndStruct()
	},
	Cap: func(b *Caps, at Place) {
		whole := event.Capture{Kind: event.CapBytes, Size: uint16(ifconfType.size(b.Lay)), When: readAtEntry}
		b.Add(at, whole)
		whole.When = event.AtExit
		op := b.Add(at, whole)
		b.Add(In(op, ifconf.Off(b.Lay, "ifc_buf"), 0), event.Capture{
			Kind: event.CapBytes, Len: event.LenField, LenWidth: 4, Max: 16384, When: filledAtEnd,
		})
	},
}

var ioctlSock = joined(
	each(argp(ifconfArg), "SIOCGIFCONF"),
	each(argp(ifNameStr), "SIOCBRADDBR", "SIOCBRDELBR"),
	each(argp(boxed(outPtr, dec)), "FIOGETOWN", "SIOCATMARK", "SIOCGIFENCAP", "SIOCGPGRP", "SIOCOUTQNSD"),
	each(argp(boxed(in, dec)), "FIOSETOWN", "SIOCSIFENCAP", "SIOCSPGRP"),
	each(argp(in(ifBridge)), "SIOCBRADDIF", "SIOCBRDELIF"),
	ifreq("ifr_addr", ifSockaddr, []string{"SIOCGIFADDR"}, []string{"SIOCSIFADDR"}),
	ifreq("ifr_dstaddr", ifSockaddr, []string{"SIOCGIFDSTADDR"}, []string{"SIOCSIFDSTADDR"}),
	ifreq("ifr_broadaddr", ifSockaddr, []string{"SIOCGIFBRDADDR"}, []string{"SIOCSIFBRDADDR"}),
	ifreq("ifr_netmask", ifSockaddr, []string{"SIOCGIFNETMASK"}, []string{"SIOCSIFNETMASK"}),
	ifreq("ifr_hwaddr", ifHWAddr, []string{"SIOCGIFHWADDR"}, []string{"SIOCADDMULTI", "SIOCDELMULTI", "SIOCSIFHWADDR", "SIOCSIFHWBROADCAST"}),
	ifreq("ifr_flags", flagsIn(U16, xlat.IfReqFlags), []string{"SIOCGIFFLAGS"}, []string{"SIOCSIFFLAGS"}),
	ifreq("ifr_ifindex", dec, []string{"SIOCGIFINDEX"}, nil),
	ifreq("ifr_metric", dec, []string{"SIOCGIFMETRIC"}, []string{"SIOCSIFMETRIC"}),
	ifreq("ifr_mtu", dec, []string{"SIOCGIFMTU"}, []string{"SIOCSIFMTU"}),
	ifreq("ifr_slave", ifSlave, []string{"SIOCGIFSLAVE"}, []string{"SIOCSIFSLAVE"}),
	ifreq("ifr_newname", ifSlave, nil, []string{"SIOCSIFNAME"}),
	each(argp(inout(ifNameAsk)), "SIOCGIFNAME"),
	ifreq("ifr_qlen", dec, []string{"SIOCGIFTXQLEN"}, []string{"SIOCSIFTXQLEN"}),
	ifreq("ifr_map", ifMap, []string{"SIOCGIFMAP"}, []string{"SIOCSIFMAP"}),
	each(argp(addr), "SIOCADDDLCI", "SIOCADDRT", "SIOCBONDCHANGEACTIVE", "SIOCBONDENSLAVE", "SIOCBONDINFOQUERY",
		"SIOCBONDRELEASE", "SIOCBONDSETHWADDR", "SIOCBONDSLAVEINFOQUERY", "SIOCDARP", "SIOCDELDLCI", "SIOCDELRT",
		"SIOCDIFADDR", "SIOCDRARP", "SIOCETHTOOL", "SIOCGARP", "SIOCGHWTSTAMP", "SIOCGIFBR", "SIOCGIFCOUNT", "SIOCGIFMEM",
		"SIOCGIFPFLAGS", "SIOCGIFVLAN", "SIOCGMIIPHY", "SIOCGMIIREG", "SIOCGRARP", "SIOCGSKNS", "SIOCGSTAMP_OLD",
		"SIOCGSTAMP_NEW", "SIOCGSTAMPNS_OLD", "SIOCGSTAMPNS_NEW", "SIOCRTMSG", "SIOCSARP", "SIOCSHWTSTAMP", "SIOCSIFBR",
		"SIOCSIFLINK", "SIOCSIFMEM", "SIOCSIFPFLAGS", "SIOCSIFVLAN", "SIOCSMIIREG", "SIOCSRARP", "SIOCWANDEV"),
)

// ifNameStr is a pointer to the name of an interface.
var ifNameStr = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		if v == 0 {
			c.Addr(v)
			return
		}
		c.BoundedStr(v, ifNameLen)
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: ifNameLen, When: event.AtExit})
	},
}
