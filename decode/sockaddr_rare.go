package decode

import (
	"encoding/binary"

	"perftrace/decode/out"
	"perftrace/decode/xlat"
)

// Addresses of the families whose parts depend on each other or on the length.

// sockaddrVsock shows the port behind the context id, in memory it is before it.
func (c *Call) sockaddrVsock(b []byte) {
	if r := binary.LittleEndian.Uint16(b[2:]); r != 0 {
		c.Field("svm_reserved1")
		c.Hex(uint64(r))
	}
	c.Field("svm_cid")
	c.Enum(c.U32(b[8:]), xlat.VsockCIDs)
	c.Field("svm_port")
	c.Enum(c.U32(b[4:]), xlat.VsockPorts)
	c.Field("svm_flags")
	c.Flags(uint64(b[12]), xlat.VsockFlags)
	if !allZero(b[13:16]) {
		c.Field("svm_zero")
		c.StrHex(b[13:16], false)
	}
}

func (c *Call) sockaddrTIPC(b []byte) {
	kind := uint64(b[2])
	c.Field("addrtype")
	c.Enum(kind, xlat.TIPCAddressTypes)
	c.Field("scope")
	scope := int8(b[3])
	if scope < 0 {
		c.Syntax("-")
		scope = -scope
	}
	c.Enum(uint64(uint32(int32(scope))), xlat.TIPCScopes)
	c.Field("addr")
	m := (*message)(nil)
	switch kind {
	case xlat.TIPC_SERVICE_RANGE:
		m = tipcRange
	case xlat.TIPC_SERVICE_ADDR:
		m = tipcName
	case xlat.TIPC_SOCKET_ADDR:
		m = tipcID
	default:
		c.Str(b[4:16], false)
		return
	}
	m.Print(c, b[4:16])
}

// The members of struct sockaddr_tipc's union.
var (
	tipcRange = layout(has("nameseq", inner(layout(has("type", udec), has("lower", udec), has("upper", udec)))))
	tipcName  = layout(has("name", inner(layout(
		has("name", inner(layout(has("type", udec), has("instance", udec)))),
		has("domain", hex),
	))))
	tipcID = layout(has("id", inner(layout(has("ref", udec), has("node", hex)))))
)

// sockaddrBluetooth: the length tells which protocol's address it is.
func (c *Call) sockaddrBluetooth(b []byte) {
	switch len(b) {
	case 4, 6:
		c.Field("hci_dev")
		c.wrap("htobs", uint64(binary.LittleEndian.Uint16(b[2:])))
		if len(b) == 6 {
			c.Field("hci_channel")
			c.Enum(uint64(binary.LittleEndian.Uint16(b[4:])), xlat.HCIChannels)
		}
	case 8:
		c.Field("sco_bdaddr")
		c.Mac(b[2:8])
	case 10:
		c.Field("rc_bdaddr")
		c.Mac(b[2:8])
		c.Field("rc_channel")
		c.Uint(uint64(b[8]))
	case 12, 14:
		c.Field("l2_psm")
		c.l2cap(uint64(binary.LittleEndian.Uint16(b[2:])), xlat.L2CAPPSMs, l2capPSMRanges, "L2CAP_PSM_???")
		c.Field("l2_bdaddr")
		c.Mac(b[4:10])
		c.Field("l2_cid")
		c.l2cap(uint64(binary.LittleEndian.Uint16(b[10:])), xlat.L2CAPChannels, l2capCIDRanges, "L2CAP_CID_???")
		if len(b) == 14 {
			c.Field("l2_bdaddr_type")
			c.Enum(uint64(b[12]), xlat.BluetoothAddressTypes)
		}
	default:
		c.Field("sa_data")
		c.Str(b[2:], false)
	}
}

// A numberRange has a name for its first value; others are shown as that plus a
// number.
type numberRange struct {
	first, last uint64
	name        string
}

var (
	l2capPSMRanges = []numberRange{{0x80, 0xff, "L2CAP_PSM_LE_DYN_START"}, {0x1001, 0xffff, "L2CAP_PSM_DYN_START"}}
	l2capCIDRanges = []numberRange{{0x40, 0xffff, "L2CAP_CID_DYN_START"}}
)

// l2cap writes htobs(NAME), or htobs(RANGE+n).
func (c *Call) l2cap(v uint64, names *out.Xlat, ranges []numberRange, unknown string) {
	c.BeginCall("htobs")
	c.Param()
	defer c.EndCall()
	name, known := names.Name(v)
	var in *numberRange
	for i := range ranges {
		if !known && v >= ranges[i].first && v <= ranges[i].last {
			in = &ranges[i]
			break
		}
	}
	if c.Opt.JSON {
		c.Uint(v)
		return
	}
	if c.Opt.Xlat != out.Abbrev || !known && in == nil {
		c.Hex(v)
	}
	if c.Opt.Xlat == out.Raw {
		return
	}
	comment := c.Opt.Xlat == out.Verbose || !known && in == nil
	if comment {
		c.Syntax(" /* ")
	}
	switch {
	case known:
		c.Text(name)
	case in != nil:
		old := c.Opt.Xlat
		if old == out.Verbose {
			c.Hex(in.first)
			c.Comment(in.name)
		} else {
			c.Text(in.name)
		}
		c.Opt.Xlat = old
		c.Syntax("+")
		c.Uint(v - in.first)
	default:
		c.Text(unknown)
	}
	if comment {
		c.Syntax(" */")
	}
}

// sockaddrRxRPC holds the address of its transport, which is IP.
func (c *Call) sockaddrRxRPC(b []byte) {
	rxrpcHead.PrintFields(c, b[2:8])
	want := int(binary.LittleEndian.Uint16(b[6:]))
	t := b[8:]
	n := min(want, len(t))
	family := uint64(binary.LittleEndian.Uint16(t))
	c.Field("transport")
	c.BeginStruct()
	switch family {
	case xlat.AF_INET:
		c.Field("sin")
		c.BeginStruct()
		c.Field("sin_family")
		c.Enum(family, xlat.AddressFamilies)
		if want >= 16 {
			sockaddrIn.PrintFields(c, t[2:])
		} else {
			c.restOf(t, n)
		}
		c.EndStruct()
	case xlat.AF_INET6:
		c.Field("sin6")
		c.BeginStruct()
		c.Field("sin6_family")
		c.Enum(family, xlat.AddressFamilies)
		if want >= 24 {
			c.sockaddrIn6(t[:n])
		} else {
			c.restOf(t, n)
		}
		c.EndStruct()
	default:
		c.Field("family")
		c.Enum(family, xlat.AddressFamilies)
		c.restOf(t, n)
	}
	c.EndStruct()
}

// restOf writes the bytes behind an address family that is not decoded.
func (c *Call) restOf(t []byte, n int) {
	if n <= 2 {
		return
	}
	if c.Opt.JSON {
		c.Field("data")
	} else {
		c.Elem()
	}
	c.Str(t[2:n], false)
}

var rxrpcHead = layout(
	has("srx_service", enumVerbose(U16, xlat.RxRPCServices)),
	has("transport_type", enumIn(U16, xlat.SocketTypes)),
	has("transport_len", udec16),
)

func (c *Call) sockaddrIEEE802154(b []byte) {
	c.Field("addr")
	c.BeginStruct()
	kind := c.U32(b[4:])
	c.Field("addr_type")
	c.EnumVerbose(kind, xlat.IEEE802154AddressTypes)
	c.Field("pan_id")
	c.EnumVerbose(uint64(binary.LittleEndian.Uint16(b[8:])), xlat.IEEE802154PANs)
	switch kind {
	case 0: // IEEE802154_ADDR_NONE
	case 2: // IEEE802154_ADDR_SHORT
		c.Field("short_addr")
		c.EnumVerbose(uint64(binary.LittleEndian.Uint16(b[10:])), xlat.IEEE802154Addresses)
	default:
		c.Field("hwaddr")
		c.Mac(b[10:18])
	}
	c.EndStruct()
}

// sockaddrALG ends in a string whose length the address gives.
func (c *Call) sockaddrALG(b []byte) {
	c.Field("salg_type")
	c.CStrIn(b[2:16])
	c.Field("salg_feat")
	c.FlagsVerbose(c.U32(b[16:]), xlat.CryptoAddressFlags)
	c.Field("salg_mask")
	c.FlagsVerbose(c.U32(b[20:]), xlat.CryptoAddressFlags)
	c.Field("salg_name")
	c.CStrIn(b[24:])
}

func (c *Call) sockaddrNFC(b []byte) {
	c.Field("dev_idx")
	c.IfIndex(c.U32(b[4:]))
	c.Field("target_idx")
	c.Hex(c.U32(b[8:]))
	c.Field("nfc_protocol")
	c.Enum(c.U32(b[12:]), xlat.NFCProtocols)
	size, n := 96, uint64(0)
	if c.Lay.Word() == 4 {
		size = 88
	}
	if len(b) < size {
		if len(b) > 16 {
			c.MoreFields()
		}
		return
	}
	if size == 96 {
		n = c.U64(b[88:])
	} else {
		n = c.U32(b[84:])
	}
	c.Field("dsap")
	c.EnumVerbose(uint64(b[16]), xlat.NFCServiceAccessPoints)
	c.Field("ssap")
	c.EnumVerbose(uint64(b[17]), xlat.NFCServiceAccessPoints)
	c.Field("service_name")
	c.Str(b[18:18+min(n, 63)], false)
	c.Field("service_name_len")
	c.Uint(n)
}

// sockaddrAX25: the full form has digipeaters behind the address proper.
func (c *Call) sockaddrAX25(b []byte) {
	const size, digi, maxDigis = 16, 7, 8
	ndigis := int(int32(c.U32(b[12:])))
	full := ndigis != 0 || len(b) > size
	if full {
		c.Field("fsa_ax25")
		c.BeginStruct()
	}
	c.Field("sax25_call")
	c.AX25(b[2:9])
	c.Field("sax25_ndigis")
	c.Int(int64(ndigis))
	if !full {
		return
	}
	c.EndStruct()
	have := min((len(b)-size)/digi, maxDigis)
	want := min(max(ndigis, 0), maxDigis)
	if want > 0 {
		c.Field("fsa_digipeater")
		c.BeginArray()
		for i := range min(have, want) {
			c.Elem()
			c.AX25(b[size+i*digi : size+(i+1)*digi])
		}
		if want > have {
			c.Elem()
			c.More()
		}
		c.EndArray()
	}
	if len(b) > size+have*digi {
		c.MoreFields()
	}
}

// AX25 writes a call sign and its station number, CALL-0, together with or
// instead of its bytes if it is none.
func (c *Call) AX25(b []byte) {
	style := ax25Style(b)
	if style == out.Abbrev {
		style = c.Opt.Xlat
	}
	if style != out.Abbrev || c.Opt.JSON {
		c.BeginStruct()
		c.Field("ax25_call")
		c.StrHex(b, false)
		c.EndStruct()
	}
	if style == out.Raw || c.Opt.JSON {
		return
	}
	if style == out.Verbose {
		c.Syntax(" /* ")
	}
	end := 6
	for end > 0 && b[end-1]>>1 == ' ' {
		end--
	}
	ssid := b[6] >> 1 & 0xf
	switch {
	case end == 0 && ssid == 0:
		c.Buf = append(c.Buf, '*')
	default:
		for _, ch := range b[:end] {
			c.Buf = append(c.Buf, ch>>1)
		}
		c.Buf = append(c.Buf, '-')
		if ssid > 9 {
			c.Buf = append(c.Buf, '1')
			ssid -= 10
		}
		c.Buf = append(c.Buf, '0'+ssid)
	}
	if style == out.Verbose {
		c.Syntax(" */")
	}
}

// ax25Style says how an address can be shown: Abbrev, as a call sign; Verbose,
// as a call sign, but it is a strange one; Raw, only as bytes.
func ax25Style(b []byte) out.XlatMode {
	style := out.Abbrev
	space, char := false, false
	for _, ch := range b[:6] {
		if ch&1 != 0 {
			style = out.Verbose
		}
		ch >>= 1
		if ch == ' ' {
			space = true
		} else {
			char = true
			if space {
				style = out.Verbose
			}
		}
		if (ch < '0' || ch > '9') && (ch < 'A' || ch > 'Z') && ch != ' ' {
			style = out.Verbose
		}
		if ch < ' ' || ch > 0x7e || ch == '*' || ch == '/' {
			return out.Raw
		}
	}
	if b[6]&^0x1e != 0 || !char && b[6] != 0 {
		style = out.Verbose
	}
	return style
}
