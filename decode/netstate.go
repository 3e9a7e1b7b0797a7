package decode

import (
	"os"
	"strconv"
	"strings"

	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// netState is what a decoder remembers about the network between calls.
type netState struct {
	scratch [128]byte
	proto   map[sockKey]int16 // protocols of netlink sockets, as socket() told
	ifs     map[uint32]string // names of interfaces; "": none
	genl    *out.Xlat         // generic netlink families
	nl      nlScope           // of the netlink message that is being written
}

type sockKey struct {
	tgid uint32
	fd   int32
}

// maxRemembered bounds each map: what a traced program does can't make them grow.
const maxRemembered = 4096

// ifName is the name of an interface of this machine.
func (s *netState) ifName(index uint32) string {
	if name, ok := s.ifs[index]; ok {
		return name
	}
	if s.ifs == nil || len(s.ifs) > maxRemembered {
		s.ifs = make(map[uint32]string)
	}
	found := ""
	const dir = "/sys/class/net/"
	names, _ := os.ReadDir(dir)
	for _, e := range names {
		b, err := os.ReadFile(dir + e.Name() + "/ifindex")
		if err != nil {
			continue
		}
		if n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 32); err == nil && uint32(n) == index {
			found = e.Name()
		}
	}
	s.ifs[index] = found
	return found
}

// learnSocket remembers the protocol of a netlink socket when socket() has made
// one.
func (c *Call) learnSocket() {
	k := sockKey{c.Ev.TGID, int32(c.Ev.Ret)}
	if c.args[0] != xlat.AF_NETLINK {
		delete(c.net.proto, k)
		return
	}
	if c.net.proto == nil || len(c.net.proto) > maxRemembered {
		c.net.proto = make(map[sockKey]int16)
	}
	c.net.proto[k] = int16(c.args[2])
}

// NetlinkProto is the protocol (NETLINK_ROUTE, …) of descriptor fd of the
// current task, or -1 if it is no netlink socket or not known.
func (c *Call) NetlinkProto(fd int64) int {
	if f, ok := parseFD(c.FDInfo(fd)); ok && f.kind() == event.FDSocket {
		if f.u16(event.FDFamilyAt) != afNetlink {
			return -1
		}
		return int(f.u16(event.FDProtocolAt))
	}
	if p, ok := c.net.proto[sockKey{c.Ev.TGID, int32(fd)}]; ok {
		return int(p)
	}
	return -1
}
