package decode

import (
	"encoding/binary"
	"strings"
	"testing"

	"perftrace/decode/xlat"
	"perftrace/event"
)

// netlinkLine decodes sendto(3, data, …) of a netlink socket, whose protocol a
// socket() before it told.
func netlinkLine(t *testing.T, o Options, proto uint64, data []byte) string {
	t.Helper()
	o.Column = 0
	d := New(NewRows("amd64"), o)
	call := func(name string, ret int64, out []byte, args ...uint64) {
		nr, ok := Table("amd64", event.Native).Number(name)
		if !ok {
			t.Fatal(name)
		}
		e := event.Event{NR: nr, Ret: ret, Out: out}
		copy(e.Args[:], args)
		d.Reset()
		d.Begin()
		d.Whole(&e)
	}
	call("socket", 3, nil, xlat.AF_NETLINK, 3, proto)
	piece := event.Piece{Addr: 0x1000, Data: data, Want: uint32(len(data))}
	call("sendto", int64(len(data)), event.AppendPiece(nil, piece), 3, 0x1000, uint64(len(data)))
	line := string(d.Buf)
	line, _ = strings.CutPrefix(line, "sendto(3, ")
	line, _, _ = strings.Cut(line, ", "+itoa(len(data))+", 0, NULL, 0) = ")
	return line
}

func itoa(n int) string {
	return strings.TrimLeft(string([]byte{byte('0' + n/100%10), byte('0' + n/10%10), byte('0' + n%10)}), "0")
}

// nl is a netlink message: a header and its payload.
func nl(typ, flags uint16, payload ...[]byte) []byte {
	b := make([]byte, 16)
	for _, p := range payload {
		b = append(b, p...)
	}
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	binary.LittleEndian.PutUint16(b[4:], typ)
	binary.LittleEndian.PutUint16(b[6:], flags)
	return b
}

// nla is an attribute, padded.
func nla(typ uint16, payload ...[]byte) []byte {
	b := make([]byte, 4)
	for _, p := range payload {
		b = append(b, p...)
	}
	binary.LittleEndian.PutUint16(b, uint16(len(b)))
	binary.LittleEndian.PutUint16(b[2:], typ)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

func bytesAnd(b ...byte) []byte { return b }

func TestNetlinkMessagesAreShownByProtocol(t *testing.T) {
	link := make([]byte, 16)
	link[2] = 1 // ARPHRD_ETHER
	binary.LittleEndian.PutUint32(link[4:], 0x7fffffff)
	for _, c := range []struct {
		name  string
		proto uint64
		data  []byte
		want  string
	}{
		{
			"a dump request", xlat.NETLINK_ROUTE, nl(xlat.RTM_GETADDR, 0x301, bytesAnd(2)),
			`[{nlmsg_len=17, nlmsg_type=RTM_GETADDR, nlmsg_flags=NLM_F_REQUEST|NLM_F_DUMP, nlmsg_seq=0, nlmsg_pid=0}, {ifa_family=AF_INET, ...}]`,
		},
		{
			"a link with nested attributes", xlat.NETLINK_ROUTE,
			nl(xlat.RTM_NEWLINK, 0x401, link,
				nla(xlat.IFLA_IFNAME, []byte("br0\x00")),
				nla(0x8000|xlat.IFLA_LINKINFO, nla(xlat.IFLA_INFO_KIND, []byte("bridge\x00")),
					nla(xlat.IFLA_INFO_DATA, nla(xlat.IFLA_BR_FORWARD_DELAY, bytesAnd(200, 0, 0, 0))))),
			`[{nlmsg_len=68, nlmsg_type=RTM_NEWLINK, nlmsg_flags=NLM_F_REQUEST|NLM_F_CREATE, nlmsg_seq=0, nlmsg_pid=0}, ` +
				`{ifi_family=AF_UNSPEC, ifi_type=ARPHRD_ETHER, ifi_index=2147483647, ifi_flags=0, ifi_change=0}, ` +
				`[[{nla_len=8, nla_type=IFLA_IFNAME}, "br0"], [{nla_len=28, nla_type=NLA_F_NESTED|IFLA_LINKINFO}, ` +
				`[[{nla_len=11, nla_type=IFLA_INFO_KIND}, "bridge"], [{nla_len=12, nla_type=IFLA_INFO_DATA}, ` +
				`[{nla_len=8, nla_type=IFLA_BR_FORWARD_DELAY}, 200 /* 2.00 s */]]]]]]`,
		},
		{
			"a route with an address of the header's family", xlat.NETLINK_ROUTE,
			nl(xlat.RTM_NEWROUTE, 0, bytesAnd(2, 24, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0), nla(xlat.RTA_DST, bytesAnd(10, 0, 0, 0))),
			`[{nlmsg_len=36, nlmsg_type=RTM_NEWROUTE, nlmsg_flags=0, nlmsg_seq=0, nlmsg_pid=0}, {rtm_family=AF_INET, rtm_dst_len=24, ` +
				`rtm_src_len=0, rtm_tos=0, rtm_table=RT_TABLE_MAIN, rtm_protocol=RTPROT_BOOT, rtm_scope=RT_SCOPE_UNIVERSE, ` +
				`rtm_type=RTN_UNICAST, rtm_flags=0}, [{nla_len=8, nla_type=RTA_DST}, inet_addr("10.0.0.0")]]`,
		},
		{
			"an error with the message it answers", xlat.NETLINK_SOCK_DIAG,
			nl(xlat.NLMSG_ERROR, 0x100, bytesAnd(0xfe, 0xff, 0xff, 0xff), nl(20, 1)),
			`[{nlmsg_len=36, nlmsg_type=NLMSG_ERROR, nlmsg_flags=NLM_F_CAPPED, nlmsg_seq=0, nlmsg_pid=0}, {error=-ENOENT, ` +
				`msg={nlmsg_len=16, nlmsg_type=SOCK_DIAG_BY_FAMILY, nlmsg_flags=NLM_F_REQUEST, nlmsg_seq=0, nlmsg_pid=0}}]`,
		},
		{
			"several messages, the end of the dump last", xlat.NETLINK_XFRM, append(nl(xlat.XFRM_MSG_NEWSA, 2), nl(xlat.NLMSG_DONE, 2, bytesAnd(0, 0, 0, 0))...),
			`[{nlmsg_len=16, nlmsg_type=XFRM_MSG_NEWSA, nlmsg_flags=NLM_F_MULTI, nlmsg_seq=0, nlmsg_pid=0}, ` +
				`[{nlmsg_len=20, nlmsg_type=NLMSG_DONE, nlmsg_flags=NLM_F_MULTI, nlmsg_seq=0, nlmsg_pid=0}, 0]]`,
		},
		{
			"a netfilter message", xlat.NETLINK_NETFILTER, nl(xlat.NFNL_SUBSYS_NFTABLES<<8, 1, bytesAnd(2, 0, 0, 10)),
			`[{nlmsg_len=20, nlmsg_type=NFNL_SUBSYS_NFTABLES<<8|NFT_MSG_NEWTABLE, nlmsg_flags=NLM_F_REQUEST, nlmsg_seq=0, nlmsg_pid=0}, ` +
				`{nfgen_family=AF_INET, version=NFNETLINK_V0, res_id=htons(NFNL_SUBSYS_NFTABLES)}]`,
		},
		{
			"an attribute that says it is longer than the message", xlat.NETLINK_GENERIC,
			nl(0x7f, 1, bytesAnd(1, 2, 0, 0), bytesAnd(0xff, 0, 5, 0, 'a', 'b')),
			`[{nlmsg_len=26, nlmsg_type=0x7f /* GENERIC_FAMILY_??? */, nlmsg_flags=NLM_F_REQUEST, nlmsg_seq=0, nlmsg_pid=0}, ` +
				`{cmd=0x1, version=2}, [{nla_len=255, nla_type=0x5}, "\x61\x62"]]`,
		},
	} {
		if got := netlinkLine(t, Default(), c.proto, c.data); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// FuzzNetlinkMessagesOfAnyBytesDecode looks for messages that make the decoder
// fail or write without end.
func FuzzNetlinkMessagesOfAnyBytesDecode(f *testing.F) {
	f.Add(uint8(xlat.NETLINK_ROUTE), nl(xlat.RTM_NEWLINK, 0, make([]byte, 16), nla(xlat.IFLA_LINKINFO, nla(1, []byte("tun")))))
	f.Add(uint8(xlat.NETLINK_SOCK_DIAG), nl(20, 1, make([]byte, 60)))
	f.Add(uint8(xlat.NETLINK_ROUTE), nl(xlat.RTM_NEWROUTE, 0, make([]byte, 12), nla(xlat.RTA_MULTIPATH, make([]byte, 24))))
	f.Fuzz(func(t *testing.T, proto uint8, data []byte) {
		if len(data) > 4096 {
			return
		}
		for _, verbose := range []bool{false, true} {
			o := Default()
			if verbose {
				o.Abbrev = [event.NumABI]event.CallSet{}
			}
			if line := netlinkLine(t, o, uint64(proto%24), data); len(line) > 1<<20 {
				t.Fatalf("%d bytes make a line of %d", len(data), len(line))
			}
		}
	})
}

func TestDecodingOfNetlinkDoesNotAllocate(t *testing.T) {
	o := Default()
	d := New(NewRows("amd64"), o)
	link := make([]byte, 16)
	data := nl(
		xlat.RTM_NEWLINK, 0x401, link, nla(xlat.IFLA_IFNAME, []byte("br0\x00")), nla(xlat.IFLA_ADDRESS, bytesAnd(0, 1, 2, 3, 4, 5)),
		nla(xlat.IFLA_LINKINFO, nla(xlat.IFLA_INFO_KIND, []byte("bridge\x00"))), nla(xlat.IFLA_STATS64, make([]byte, linkStats64.size)),
	)
	nr, _ := Table("amd64", event.Native).Number("sendto")
	e := event.Event{NR: nr, Ret: int64(len(data)), Args: [6]uint64{3, 0x1000, uint64(len(data))}}
	e.Out = event.AppendPiece(nil, event.Piece{Addr: 0x1000, Data: data, Want: uint32(len(data))})
	d.net.proto = map[sockKey]int16{{0, 3}: xlat.NETLINK_ROUTE}
	line := func() {
		d.Reset()
		d.Begin()
		d.Whole(&e)
	}
	line()
	if n := testing.AllocsPerRun(100, line); n != 0 {
		t.Errorf("%v allocations for %s", n, d.Buf)
	}
}
