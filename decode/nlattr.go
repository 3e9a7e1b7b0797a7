package decode

import (
	"encoding/binary"

	"perftrace/decode/out"
	"perftrace/decode/xlat"
)

// A nlShow shows the payload of a netlink attribute, n bytes at addr, or reports
// that it is not of its kind: it is shown as bytes then.
type nlShow func(c *Call, addr uint64, n int) bool

// A nlTable is a set of attributes: their names and how they are shown. A type
// without an entry is shown as bytes.
type nlTable struct {
	names *out.Xlat // nil: numbers
	of    map[uint16]nlShow
	every nlShow // for all types, if of is nil
}

// nlScope is what the attributes of a message need to know of their
// surroundings.
type nlScope struct {
	family uint64   // of the message's header
	table  *nlTable // of the attributes that are being shown
	typ    uint16   // of the attribute that is being shown
	kind   linkKind // of a link, as an attribute before told
	slave  linkKind // of what a link is part of
	cmds   int      // generic netlink: index of genlCommands
}

const (
	nlaHeader       = 4
	nlaNested       = 0x8000
	nlaNetByteorder = 0x4000
	nlaTypeMask     = 0x3fff
)

func nlAlign(n int) int { return (n + 3) &^ 3 }

// Attrs writes the attributes in the n bytes at addr: [{nla_len=…, nla_type=…},
// payload], in an array if there are several.
func (c *Call) Attrs(addr uint64, n int, t *nlTable) {
	if c.Deep() {
		c.HexAt(addr, uint64(n))
		return
	}
	table, typ := c.net.nl.table, c.net.nl.typ
	list := false
	for i := 0; ; i++ {
		if list {
			c.Elem()
		}
		if n < nlaHeader {
			c.HexAt(addr, uint64(n))
			break
		}
		b, ok := c.Read(addr, nlaHeader)
		if !ok {
			if list {
				c.Unreadable(addr)
			} else {
				c.Addr(addr)
			}
			break
		}
		if c.Abbrev && i >= c.Opts.StringMax {
			c.More()
			break
		}
		length := int(binary.LittleEndian.Uint16(b))
		next := 0 // what is left behind this one
		if length >= nlaHeader {
			next = max(n-nlAlign(length), 0)
		}
		if !list && next > 0 {
			c.BeginArray()
			c.Elem()
			list = true
		}
		c.attr(addr, n, length, binary.LittleEndian.Uint16(b[2:]), t)
		if next == 0 {
			break
		}
		addr += uint64(nlAlign(length))
		n = next
	}
	if list {
		c.EndArray()
	}
	c.net.nl.table, c.net.nl.typ = table, typ
}

// attr writes one attribute.
func (c *Call) attr(addr uint64, n, length int, typ uint16, t *nlTable) {
	data := min(length, n) - nlaHeader
	if data > 0 {
		c.BeginArray()
		c.Elem()
	}
	c.BeginStruct()
	c.Field("nla_len")
	c.Uint(uint64(length))
	c.Field("nla_type")
	c.attrType(typ, t.names)
	c.EndStruct()
	if data <= 0 {
		return
	}
	c.Elem()
	show := t.every
	if t.of != nil {
		show = t.of[typ&nlaTypeMask]
	}
	c.net.nl.table, c.net.nl.typ = t, typ
	addr += nlaHeader
	if show == nil || !show(c, addr, data) {
		c.HexAt(addr, uint64(data))
	}
	c.EndArray()
}

func (c *Call) attrType(typ uint16, names *out.Xlat) {
	v := uint64(typ & nlaTypeMask)
	if typ != uint16(v) {
		c.BeginExpr(uint64(typ))
		for i := range nlaFlags {
			if f := &nlaFlags[i]; uint64(typ)&f.Entries[0].Val != 0 {
				c.Enum(f.Entries[0].Val, f)
				c.Syntax("|")
			}
		}
	}
	if names == nil {
		c.Hex(v)
	} else {
		c.Enum(v, names)
	}
	if typ != uint16(v) {
		c.EndExpr()
	}
}

var nlaFlags = [...]out.Xlat{
	{Entries: []out.Entry{{Val: nlaNested, Name: "NLA_F_NESTED"}}},
	{Entries: []out.Entry{{Val: nlaNetByteorder, Name: "NLA_F_NET_BYTEORDER"}}},
}

// nlNested is attributes inside an attribute.
func nlNested(t *nlTable) nlShow {
	return func(c *Call, addr uint64, n int) bool {
		c.Attrs(addr, n, t)
		return true
	}
}

// nlVal is a value; more bytes than it has do not matter.
func nlVal(t Type) nlShow {
	size := t.size(Lay64)
	return func(c *Call, addr uint64, n int) bool {
		if n < size {
			return false
		}
		if b, ok := c.Read(addr, size); ok {
			t.Val(c, b, addr)
		} else {
			c.Addr(addr)
		}
		return true
	}
}

// nlMsg is a struct; nlMsgThen, one with something behind it.
func nlMsg(m *message) nlShow { return nlVal(inner(m)) }

func nlMsgThen(m *message, then func(c *Call, addr uint64, n int)) nlShow {
	show := nlMsg(m)
	return func(c *Call, addr uint64, n int) bool {
		if !show(c, addr, n) {
			return false
		}
		if at := nlAlign(m.size); n > at {
			c.Elem()
			then(c, addr+uint64(at), n-at)
		}
		return true
	}
}

// nlGrown is a struct that later kernels made longer: sizes, ascending, are what
// it may have; more than the last is fine too.
func nlGrown(m *message, sizes ...int) nlShow {
	sizes = append(sizes, m.size)
	return func(c *Call, addr uint64, n int) bool {
		size := 0
		for _, s := range sizes {
			if n == s || n >= m.size {
				size = s
			}
		}
		if size == 0 {
			return false
		}
		if b, ok := c.Read(addr, size); ok {
			m.Print(c, b)
		} else {
			c.Addr(addr)
		}
		return true
	}
}

// nlLoose is a number whose length the attribute gives; if size is not 0, it
// has at least so many bytes and the others don't matter.
func nlLoose(size int, show func(c *Call, v uint64)) nlShow {
	return func(c *Call, addr uint64, n int) bool {
		if n > 8 || n < size {
			return false
		}
		if size > 0 {
			n = size
		}
		b, ok := c.Read(addr, n)
		if !ok {
			c.Addr(addr)
			return true
		}
		v := uint64(0)
		for i := n - 1; i >= 0; i-- {
			v = v<<8 | uint64(b[i])
		}
		show(c, v)
		return true
	}
}

func nlEnum(size int, x *out.Xlat) nlShow {
	return nlLoose(size, func(c *Call, v uint64) { c.Enum(v, x) })
}

func nlFlags(size int, x *out.Xlat) nlShow {
	return nlLoose(size, func(c *Call, v uint64) { c.Flags(v, x) })
}

// nlArray is as many values as the attribute has room for.
func nlArray(t Type) nlShow {
	return func(c *Call, addr uint64, n int) bool {
		size := t.size(c.Lay)
		if n < size {
			return false
		}
		verbose := c.Verbose
		c.Verbose = true
		c.Array(addr, uint64(n/size), &t)
		c.Verbose = verbose
		return true
	}
}

// nlIndexed is nlArray with the names of the indices.
func nlIndexed(t Type, index *out.Xlat) nlShow {
	return func(c *Call, addr uint64, n int) bool {
		size := t.size(c.Lay)
		if n < size {
			return false
		}
		if _, ok := c.Read(addr, size); !ok {
			c.Addr(addr)
			return true
		}
		c.BeginArray()
		for i := range n / size {
			at := addr + uint64(i*size)
			b, ok := c.Read(at, size)
			if !ok {
				c.Elem()
				c.Unreadable(at)
				break
			}
			if c.Abbrev && i >= c.Opts.StringMax {
				c.Elem()
				c.More()
				break
			}
			c.indexed(uint64(i), index)
			t.Val(c, b, at)
		}
		c.EndArray()
		return true
	}
}

// indexed begins an element with its index: [NAME]=.
func (c *Call) indexed(i uint64, names *out.Xlat) {
	c.Elem()
	if c.Opt.JSON {
		return
	}
	c.Syntax("[")
	c.EnumDec(i, names)
	c.Syntax("]=")
}

// Attributes of common kinds.
var (
	nlU8  = nlVal(udec8)
	nlU16 = nlVal(udec16)
	nlU32 = nlVal(udec)
	nlU64 = nlVal(udec64)
	nlS32 = nlVal(dec)
	nlS64 = nlVal(dec64)
	nlX8  = nlVal(hex8)
	nlX16 = nlVal(hex16)
	nlX32 = nlVal(hex)
	nlX64 = nlVal(hex64)

	nlBE16 = nlVal(netShort)
	nlBE32 = nlVal(netLong)
	nlBE64 = nlVal(netLongLong)

	nlFD      = nlVal(fd)
	nlID      = nlVal(uid)
	nlIfIndex = nlVal(ifIndex)
	nlIn4     = nlVal(inAddr)
	nlIn6     = nlVal(bytesType(16, func(c *Call, b []byte) { c.InetAddr(xlat.AF_INET6, b) }))

	nlClock = nlLoose(0, func(c *Call, v uint64) { c.Ticks(v, 100, 2) })
	nlMsecs = nlLoose(0, func(c *Call, v uint64) { c.Ticks(v, 1000, 3) })

	nlIPProto    = nlEnum(0, xlat.InetProtocols)
	nlEtherProto = nlLoose(2, func(c *Call, v uint64) {
		c.BeginCall("htons")
		c.Param()
		c.Enum(v>>8&0xff|v&0xff<<8, etherProtosOther)
		c.EndCall()
	})
	etherProtosOther = withDefault(xlat.EtherProtocols, "ETHER_P_???")
)

// netShort, netLong and netLongLong are numbers in network order.
var (
	netShort = bytesType(2, func(c *Call, b []byte) { c.wrap("htons", uint64(binary.BigEndian.Uint16(b))) })
	netLong  = bytesType(4, func(c *Call, b []byte) { c.wrap("htonl", uint64(binary.BigEndian.Uint32(b))) })

	netLongLong = bytesType(8, func(c *Call, b []byte) { c.wrap("htobe64", binary.BigEndian.Uint64(b)) })
)

// nlStr is a string that should end in a NUL, which is not shown.
func nlStr(c *Call, addr uint64, n int) bool {
	size := min(n, c.Opts.StringMax)
	b, ok := c.Read(addr, min(n, c.Opts.StringMax+1))
	if !ok {
		c.Addr(addr)
		return true
	}
	b = b[:size]
	if size > 0 && b[size-1] == 0 && c.Opt.HexStrings == 0 {
		c.Str(b[:size-1], false)
		return true
	}
	c.Str(b, n > 0)
	return true
}

// nlStrZ is a string that ends at its NUL, or at the end of the attribute.
func nlStrZ(c *Call, addr uint64, n int) bool {
	shown := min(n, c.Opts.StringMax)
	b := c.Avail(addr, shown)
	for i, ch := range b {
		if ch == 0 {
			c.Str(b[:i], false)
			return true
		}
	}
	if len(b) < shown {
		c.Addr(addr)
		return true
	}
	c.Str(b, true)
	return true
}

// nlInet is an address of the family that the message is about.
func nlInet(c *Call, addr uint64, n int) bool {
	c.inetAt(addr, n, c.net.nl.family, "")
	return true
}

// inetAt writes the address of a family in the n bytes at addr, as a field if
// it has a name.
func (c *Call) inetAt(addr uint64, n int, family uint64, name string) {
	size := 0
	switch family {
	case xlat.AF_INET:
		size = 4
	case xlat.AF_INET6:
		size = 16
	}
	if size > 0 && n >= size {
		if b, ok := c.Read(addr, size); ok {
			if name != "" {
				c.InetField(name, family, b)
			} else {
				c.InetAddr(family, b)
			}
			return
		}
	}
	if name != "" {
		c.Field(name)
	}
	if size == 0 || n < size {
		c.HexAt(addr, uint64(n))
	} else {
		c.Addr(addr)
	}
}

// nlMac is a hardware address of any kind, nlHWAddr one of the kind that the
// message's family is taken for (as strace does).
func nlMac(c *Call, addr uint64, n int) bool { return c.hwAddrAt(addr, n, n) }

func (c *Call) hwAddrAt(addr uint64, n, shown int) bool {
	if n > maxHWAddr {
		return false
	}
	if b, ok := c.Read(addr, n); ok {
		c.HWAddr(b, shown)
	} else {
		c.Addr(addr)
	}
	return true
}

// Ticks writes a time that is counted in parts of a second: 123 /* 1.23 s */.
func (c *Call) Ticks(v, hz uint64, digits int) {
	c.Uint(v)
	if c.Opt.JSON || c.Opt.Xlat == out.Raw || v == 0 {
		return
	}
	c.Syntax(" /* ")
	c.Uint(v / hz)
	c.Syntax(".")
	c.Frac(v%hz, digits)
	c.Syntax(" s */")
}
