package decode

import (
	"encoding/binary"
	"strconv"

	"perftrace/decode/out"
	"perftrace/decode/xlat"
)

// Values of the network: ports and addresses in its byte order, interfaces,
// hardware addresses.

// beginNet begins a value that is shown by a symbol or call, or (-X raw and -X
// verbose) by its bytes. It reports whether the symbol is to be written; endNet
// ends it.
func (c *Call) beginNet(raw []byte) bool {
	if c.Opt.JSON || c.Opt.Xlat == out.Abbrev {
		return true
	}
	c.StrHex(raw, false)
	if c.Opt.Xlat == out.Raw {
		return false
	}
	c.Syntax(" /* ")
	return true
}

func (c *Call) endNet() {
	if !c.Opt.JSON && c.Opt.Xlat == out.Verbose {
		c.Syntax(" */")
	}
}

// symbolFrom makes what was appended to Buf from from on a value.
func (c *Call) symbolFrom(from int) {
	if !c.Opt.JSON {
		return
	}
	c.Buf = append(c.Buf, 0, '"')
	copy(c.Buf[from+1:], c.Buf[from:len(c.Buf)-2])
	c.Buf[from] = '"'
}

// wrap writes name(v), for numbers in the byte order of the network.
func (c *Call) wrap(name string, v uint64) {
	c.BeginCall(name)
	c.Param()
	c.Uint(v)
	c.EndCall()
}

// EnumVerbose is Enum for names that programs can't use: the number is always
// shown.
func (c *Call) EnumVerbose(v uint64, x *out.Xlat) {
	old := c.Opt.Xlat
	if old == out.Abbrev {
		c.Opt.Xlat = out.Verbose
	}
	c.Enum(v, x)
	c.Opt.Xlat = old
}

// FlagsVerbose is Flags in the same way.
func (c *Call) FlagsVerbose(v uint64, x *out.Xlat) {
	old := c.Opt.Xlat
	if old == out.Abbrev {
		c.Opt.Xlat = out.Verbose
	}
	c.Flags(v, x)
	c.Opt.Xlat = old
}

func enumVerbose(w Width, x *out.Xlat) Type {
	return printed(w, func(c *Call, v uint64) { c.EnumVerbose(v, x) })
}

// withDefault is a table whose unknown values are commented differently.
func withDefault(x *out.Xlat, dflt string) *out.Xlat {
	y := *x
	y.Default = dflt
	if x.On != nil {
		on := *x.On
		for i, m := range on {
			if m != nil {
				z := *m
				z.Default = dflt
				on[i] = &z
			}
		}
		y.On = &on
	}
	return &y
}

// netPort is a port: htons(80).
var netPort = bytesType(2, func(c *Call, b []byte) {
	if c.beginNet(b) {
		c.wrap("htons", uint64(binary.BigEndian.Uint16(b)))
		c.endNet()
	}
})

// htonlHex is a 32-bit number in network order: htonl(0x10).
var htonlHex = bytesType(4, func(c *Call, b []byte) {
	c.BeginCall("htonl")
	c.Param()
	c.Hex(uint64(binary.BigEndian.Uint32(b)))
	c.EndCall()
})

// inAddr is an IPv4 address.
var inAddr = bytesType(4, func(c *Call, b []byte) { c.InetAddr(xlat.AF_INET, b) })

// inetField is a field of n bytes that holds an address of the family at the
// moment of printing (AF_INET uses its first 4 bytes).
func inetField(name string, n int, family func(c *Call) uint64) msgField {
	return msgField{
		Arg: Arg{name, pad(n)},
		own: func(c *Call, name string, b []byte) { c.InetField(name, family(c), b) },
	}
}

func inet6(*Call) uint64 { return xlat.AF_INET6 }

// InetField writes a field with the address in b: name=inet_addr("…"), but of
// IPv6 inet_pton(AF_INET6, "…", &name), as a program would set it.
func (c *Call) InetField(name string, family uint64, b []byte) {
	if family == xlat.AF_INET6 && len(b) >= 16 && !c.Opt.JSON && c.Opt.Xlat == out.Abbrev {
		c.Elem()
		c.inetPton(b, name)
		return
	}
	c.Field(name)
	c.InetAddr(family, b)
}

// InetAddr writes the address in b; a family that is not IP: as bytes.
func (c *Call) InetAddr(family uint64, b []byte) {
	switch {
	case family == xlat.AF_INET && len(b) >= 4:
		if !c.beginNet(b) {
			return
		}
		c.BeginCall("inet_addr")
		c.Param()
		c.Str(appendIPv4(c.net.scratch[:0], b), false)
		c.EndCall()
		c.endNet()
	case family == xlat.AF_INET6 && len(b) >= 16:
		if !c.beginNet(b) {
			return
		}
		c.inetPton(b, "")
		c.endNet()
	default:
		c.StrHex(b, false)
	}
}

func (c *Call) inetPton(b []byte, name string) {
	c.BeginCall("inet_pton")
	c.Param()
	c.Text("AF_INET6")
	c.Param()
	c.Str(appendIPv6(c.net.scratch[:0], b), false)
	if name != "" {
		c.Param()
		c.Syntax("&")
		c.Syntax(name)
	}
	c.EndCall()
}

func appendIPv4(to, b []byte) []byte {
	for i := range 4 {
		if i > 0 {
			to = append(to, '.')
		}
		to = strconv.AppendUint(to, uint64(b[i]), 10)
	}
	return to
}

// appendIPv6 writes an address as inet_ntop does: the first longest run of at
// least two zero words is "::", and an IPv4 address in the last two words is
// shown as such.
func appendIPv6(to, b []byte) []byte {
	var word [8]uint16
	for i := range word {
		word[i] = binary.BigEndian.Uint16(b[2*i:])
	}
	start, run := -1, 1
	for i := 0; i < 8; {
		n := 0
		for i+n < 8 && word[i+n] == 0 {
			n++
		}
		if n > run {
			start, run = i, n
		}
		i += n + 1
	}
	for i := 0; i < 8; {
		if i == start {
			to = append(to, ':')
			if i += run; i == 8 {
				to = append(to, ':')
			}
			continue
		}
		if i > 0 {
			to = append(to, ':')
		}
		if i == 6 && start == 0 && (run == 6 || run == 5 && word[5] == 0xffff) {
			return appendIPv4(to, b[12:])
		}
		to = strconv.AppendUint(to, uint64(word[i]), 16)
		i++
	}
	return to
}

// macOf is a hardware address of n bytes.
func macOf(n int) Type { return bytesType(n, func(c *Call, b []byte) { c.Mac(b) }) }

// maxHWAddr is MAX_ADDR_LEN.
const maxHWAddr = 32

// Mac writes a hardware address: 00:11:22:33:44:55.
func (c *Call) Mac(b []byte) { c.HWAddr(b, len(b)) }

// HWAddr is Mac that shows only the first n bytes in the symbolic form.
func (c *Call) HWAddr(b []byte, n int) {
	if len(b) > maxHWAddr {
		c.StrHex(b, false)
		return
	}
	if !c.beginNet(b) {
		return
	}
	from := len(c.Buf)
	const digits = "0123456789abcdef"
	for i, v := range b[:min(n, len(b))] {
		if i > 0 {
			c.Buf = append(c.Buf, ':')
		}
		c.Buf = append(c.Buf, digits[v>>4], digits[v&15])
	}
	c.symbolFrom(from)
	c.endNet()
}

// ifIndex is the index of a network interface.
var ifIndex = printed(U32, func(c *Call, v uint64) { c.IfIndex(v) })

// IfIndex writes the index of an interface: if_nametoindex("lo"), or the number
// if this machine has no such interface.
func (c *Call) IfIndex(v uint64) {
	name := ""
	if c.Opt.Xlat != out.Raw {
		name = c.net.ifName(uint32(v))
	}
	if name == "" {
		c.Uint(v)
		return
	}
	if c.Opt.Xlat == out.Verbose && !c.Opt.JSON {
		c.Uint(v)
		c.Syntax(" /* ")
	}
	c.BeginCall("if_nametoindex")
	c.Param()
	c.Str(append(c.net.scratch[:0], name...), false)
	c.EndCall()
	c.endNet()
}

// etherProto is a protocol in network order: htons(ETH_P_ALL).
var etherProto = bytesType(2, func(c *Call, b []byte) {
	c.BeginCall("htons")
	c.Param()
	c.Enum(uint64(binary.BigEndian.Uint16(b)), xlat.EtherProtocols)
	c.EndCall()
})

// hexPad is a number with all of its digits: 0x0001.
func hexPad(w Width) Type {
	n := 2 * w.size(Lay64)
	return printed(w, func(c *Call, v uint64) {
		if v == 0 && !c.Opt.JSON { // as printf's %#0*x has it
			for range n {
				c.Buf = append(c.Buf, '0')
			}
			return
		}
		c.HexPad(v, n-2)
	})
}

// ErrorNumber writes an error by its name; negated: as a negative number.
func (c *Call) ErrorNumber(v int64, negated bool) {
	n, sign := v, ""
	if negated {
		n, sign = -v, "-"
	}
	if name, _ := ErrnoName(n); name != "" {
		c.NamedNumber(v, sign, name)
	} else {
		c.Int(v)
	}
}
