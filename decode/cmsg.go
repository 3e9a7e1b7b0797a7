package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
)

// Control writes the control messages in the n bytes at addr.
func (c *Call) Control(addr, n uint64) {
	word := c.Lay.Word()
	head := word + 8
	have := min(n, maxControl)
	buf, ok := c.Read(addr, int(have))
	if !ok || len(buf) < head {
		c.Addr(addr)
		return
	}
	c.BeginArray()
	rest := buf
	for len(rest) >= head {
		size := c.Word(rest)
		level, kind := c.U32(rest[word:]), c.U32(rest[word+4:])
		c.Elem()
		c.BeginStruct()
		c.Field("cmsg_len")
		c.Uint(size)
		c.Field("cmsg_level")
		c.Enum(level, xlat.SocketLevels)
		c.Field("cmsg_type")
		end := int(min(size, uint64(len(rest))))
		c.controlData(level, kind, rest[head:max(end, head)])
		c.EndStruct()
		if end < head {
			rest = rest[head:]
			break
		}
		next := (size + uint64(word) - 1) &^ uint64(word-1)
		if next >= uint64(len(rest)) {
			rest = nil
			break
		}
		rest = rest[next:]
	}
	switch {
	case len(rest) > 0:
		c.Elem()
		c.Unreadable(addr + have - uint64(len(rest)))
	case have < n:
		c.Elem()
		c.More()
	}
	c.EndArray()
}

// A controlKind is how the data of one type of control message is shown, if
// there is at least min of it.
type controlKind struct {
	min   int
	print func(c *Call, b []byte)
}

// controlData writes the type of a control message and its data.
func (c *Call) controlData(level, kind uint64, b []byte) {
	var kinds map[uint64]controlKind
	switch level {
	case xlat.SOL_SOCKET:
		c.Enum(kind, xlat.SocketMessages)
		kinds = socketControls
	case xlat.SOL_IP:
		c.Enum(kind, xlat.IPMessages)
		kinds = ipControls
	default:
		c.Hex(kind)
	}
	if k, ok := kinds[kind]; ok && len(b) >= k.min {
		c.Field("cmsg_data")
		k.print(c, b)
	} else if len(b) > 0 {
		c.Field("cmsg_data")
		c.StrHex(b, false)
	}
}

var socketControls = map[uint64]controlKind{
	xlat.SCM_RIGHTS:      {4, elements(fd)},
	xlat.SCM_CREDENTIALS: {12, ucred.Print},
	xlat.SCM_SECURITY:    {1, plainString},
	xlat.SCM_PIDFD:       {4, func(c *Call, b []byte) { c.FD(c.I32(b)) }},

	xlat.SO_TIMESTAMP_OLD:    {1, times(timevalStruct, 1)},
	xlat.SO_TIMESTAMPNS_OLD:  {1, times(timespecStruct, 1)},
	xlat.SO_TIMESTAMPING_OLD: {1, times(timespecStruct, 3)},
	xlat.SO_TIMESTAMP_NEW:    {1, times(timeval64Struct, 1)},
	xlat.SO_TIMESTAMPNS_NEW:  {1, times(timespec64Struct, 1)},
	xlat.SO_TIMESTAMPING_NEW: {1, times(timespec64Struct, 3)},
}

var ipControls = map[uint64]controlKind{
	xlat.IP_PKTINFO:     {12, layout(has("ipi_ifindex", ifIndex), has("ipi_spec_dst", inAddr), has("ipi_addr", inAddr)).Print},
	xlat.IP_TTL:         {4, elements(udec)},
	xlat.IP_TOS:         {1, elements(hex8)},
	xlat.IP_RECVOPTS:    {1, elements(hex8)},
	xlat.IP_RETOPTS:     {1, elements(hex8)},
	xlat.IP_RECVERR:     {32, sockError.Print},
	xlat.IP_ORIGDSTADDR: {16, func(c *Call, b []byte) { c.Sockaddr(b[:min(len(b), maxSockaddr)]) }},
	xlat.IP_CHECKSUM:    {4, elements(udec)},
	xlat.IP_PROTOCOL:    {4, boxedEnum(withDefault(xlat.InetProtocols, "IP_???"))},
	xlat.SCM_SECURITY:   {1, plainString},
}

var (
	ucred = layout(has("pid", pid), has("uid", uid), has("gid", uid))

	sockError = layout(
		has("ee_errno", udec), has("ee_origin", udec8), has("ee_type", udec8), has("ee_code", udec8), gap(1),
		has("ee_info", udec), has("ee_data", udec),
		has("offender", bytesType(16, func(c *Call, b []byte) { c.Sockaddr(b) })),
	)
)

func plainString(c *Call, b []byte) { c.Str(b, false) }

func boxedEnum(x *out.Xlat) func(c *Call, b []byte) {
	return func(c *Call, b []byte) {
		c.BeginArray()
		c.Elem()
		c.Enum(c.U32(b), x)
		c.EndArray()
	}
}

// elements shows b as an array of values, abbreviated at the -s limit.
func elements(t Type) func(c *Call, b []byte) {
	return func(c *Call, b []byte) {
		size := t.size(c.Lay)
		c.BeginArray()
		for i := 0; len(b) >= size; i++ {
			c.Elem()
			if c.Abbrev && i >= c.Opts.StringMax {
				c.More()
				break
			}
			t.Val(c, b[:size], 0)
			b = b[size:]
		}
		c.EndArray()
	}
}

// times shows n structs of time; fewer: "???".
func times(s *Struct, n int) func(c *Call, b []byte) {
	t := s.Type()
	return func(c *Call, b []byte) {
		size := t.size(c.Lay)
		if len(b) < n*size {
			c.Text("???")
			return
		}
		if n == 1 {
			t.Val(c, b[:size], 0)
			return
		}
		c.BeginArray()
		for i := range n {
			c.Elem()
			t.Val(c, b[i*size:(i+1)*size], 0)
		}
		c.EndArray()
	}
}
