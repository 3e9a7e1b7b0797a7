package decode

import (
	"encoding/binary"

	"perftrace/decode/xlat"
)

// nlmsgHeader is sizeof(struct nlmsghdr).
const nlmsgHeader = 16

// A nlmsg is the header of a netlink message.
type nlmsg struct {
	length     uint32
	typ, flags uint16
	seq, pid   uint32
}

func nlmsgOf(b []byte) nlmsg {
	return nlmsg{
		binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint16(b[4:]), binary.LittleEndian.Uint16(b[6:]),
		binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:]),
	}
}

// Netlink writes the netlink messages in the n bytes at addr, of a socket of
// the given protocol (-1: not known): [{nlmsg_len=…, …}, payload], in an array
// if there are several.
func (c *Call) Netlink(proto int, addr, n uint64) {
	if proto == xlat.NETLINK_KOBJECT_UEVENT {
		c.uevent(addr, n)
		return
	}
	list := false
	for i := 0; ; i++ {
		if list {
			c.Elem()
		}
		if n < nlmsgHeader {
			c.HexOrNull(addr, n)
			break
		}
		b, ok := c.Read(addr, nlmsgHeader)
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
		h := nlmsgOf(b)
		step := (uint64(h.length) + 3) &^ 3
		next := uint64(0) // what is left behind this one
		if h.length >= nlmsgHeader && n > step {
			next = n - step
		}
		if !list && next > 0 {
			c.BeginArray()
			c.Elem()
			list = true
		}
		c.netlinkMessage(proto, h, addr, n)
		if next == 0 {
			break
		}
		addr += step
		n = next
	}
	if list {
		c.EndArray()
	}
}

// HexOrNull is HexAt for memory that may be NULL.
func (c *Call) HexOrNull(addr, n uint64) {
	if addr == 0 {
		c.Addr(0)
		return
	}
	c.HexAt(addr, n)
}

// netlinkMessage writes a message, of which n bytes at addr can be there.
func (c *Call) netlinkMessage(proto int, h nlmsg, addr, n uint64) {
	size := min(uint64(h.length), n)
	if size > nlmsgHeader {
		c.BeginArray()
		c.Elem()
	}
	c.BeginStruct()
	c.Field("nlmsg_len")
	c.Uint(uint64(h.length))
	c.Field("nlmsg_type")
	c.nlmsgType(proto, h.typ)
	c.Field("nlmsg_flags")
	c.Flags(uint64(h.flags), nlmsgFlags(proto, h.typ))
	c.Field("nlmsg_seq")
	c.Uint(uint64(h.seq))
	c.Field("nlmsg_pid")
	c.PID(int64(int32(h.pid)))
	c.EndStruct()
	if size > nlmsgHeader {
		c.Elem()
		c.nlmsgPayload(proto, h, addr+nlmsgHeader, int(min(size-nlmsgHeader, 1<<30)))
		c.EndArray()
	}
}

// nlPayloads show the payload of messages by protocol, or report that they
// don't know it.
func (c *Call) nlPayload(proto int, h nlmsg, addr uint64, n int) bool {
	c.net.nl = nlScope{}
	switch proto {
	case xlat.NETLINK_ROUTE:
		return c.routePayload(h, addr, n)
	case xlat.NETLINK_SOCK_DIAG:
		return c.sockDiagPayload(h, addr, n)
	case xlat.NETLINK_NETFILTER:
		return c.netfilterPayload(h, addr, n)
	case xlat.NETLINK_GENERIC:
		return c.genericPayload(h, addr, n)
	case xlat.NETLINK_CRYPTO:
		return c.cryptoPayload(h, addr, n)
	case xlat.NETLINK_SELINUX:
		return c.selinuxPayload(h, addr, n)
	}
	return false
}

func (c *Call) nlmsgPayload(proto int, h nlmsg, addr uint64, n int) {
	switch {
	case h.typ == xlat.NLMSG_ERROR:
		c.nlmsgError(proto, addr, n, h.flags&xlat.NLM_F_CAPPED != 0)
	case (h.typ >= xlat.NLMSG_MIN_TYPE || h.typ == xlat.NLMSG_DONE) && c.nlPayload(proto, h, addr, n):
	case h.typ == xlat.NLMSG_DONE && n == 4:
		nlS32(c, addr, n)
	default:
		c.HexAt(addr, uint64(n))
	}
}

// nlmsgError writes the answer to a message: an error, the message or (if it was
// capped) its header, and attributes that say more.
func (c *Call) nlmsgError(proto int, addr uint64, n int, capped bool) {
	const size = 4 + nlmsgHeader
	if n < size || c.Deep() {
		c.HexAt(addr, uint64(n))
		return
	}
	b, ok := c.Read(addr, size)
	if !ok {
		c.Addr(addr)
		return
	}
	h := nlmsgOf(b[4:])
	addr += 4
	n -= 4
	of := nlmsgHeader
	if !capped {
		of = max(of, int(min(h.length, 1<<30)))
	}
	of = min(of, n)
	if n > of {
		c.BeginArray()
		c.Elem()
	}
	c.BeginStruct()
	c.Field("error")
	c.ErrorNumber(c.I32(b), true)
	c.Field("msg")
	c.netlinkMessage(proto, h, addr, uint64(of))
	c.EndStruct()
	if n > of {
		c.Elem()
		c.Attrs(addr+uint64(of), n-of, nlmsgErrorAttrs)
		c.EndArray()
	}
}

var nlmsgErrorAttrs = &nlTable{names: xlat.NetlinkErrorAttrs, of: map[uint16]nlShow{
	1: nlStr, // NLMSGERR_ATTR_MSG
	2: nlU32, // NLMSGERR_ATTR_OFFS
	3: nlArray(udec8),
}}

// uevent writes a message about a device: from the kernel it is strings, from
// udev it has a header.
func (c *Call) uevent(addr, n uint64) {
	b, ok := c.Read(addr, udevHeader.size)
	if !c.Verbose || n < uint64(udevHeader.size) || !ok || string(b[:8]) != "libudev\x00" {
		c.BufAt(addr, n)
		return
	}
	rest := n - uint64(udevHeader.size)
	if rest > 0 {
		c.BeginArray()
		c.Elem()
	}
	udevHeader.Print(c, b)
	if rest > 0 {
		c.Elem()
		c.BufAt(addr+uint64(udevHeader.size), rest)
		c.EndArray()
	}
}

var udevHeader = layout(
	has("prefix", cstrOf(8)), has("magic", htonlHex), has("header_size", udec), has("properties_off", udec),
	has("properties_len", udec), has("filter_subsystem_hash", htonlHex), has("filter_devtype_hash", htonlHex),
	has("filter_tag_bloom_hi", htonlHex), has("filter_tag_bloom_lo", htonlHex),
)
