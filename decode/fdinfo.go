package decode

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"strconv"

	"perftrace/decode/xlat"
	"perftrace/event"
)

// FD writes a descriptor, with what it is if that is wanted and known.
func (c *Call) FD(n int64) {
	if n < 0 { // also AT_FDCWD, which means nothing here
		c.Desc(n)
		return
	}
	c.descriptor(n, "")
}

// DirFD writes a descriptor that a path is relative to.
func (c *Call) DirFD(n int64) {
	if int32(n) == atFDCWD {
		c.descriptor(atFDCWD, "AT_FDCWD")
		return
	}
	c.FD(n)
}

const atFDCWD = -100

func (c *Call) descriptor(n int64, label string) {
	if c.Opts.FDs != 0 {
		if f, ok := parseFD(c.FDInfo(n)); ok && f.shown(c.Opts.FDs) {
			c.BeginDesc(n, label)
			f.print(c)
			c.EndDesc(f.deleted())
			return
		}
	}
	if label != "" {
		c.symbol(uint64(n), label)
		return
	}
	c.Int(n)
}

// fdInfo is what a PieceFD tells of a descriptor (struct fd_info of bpf/progs).
type fdInfo struct {
	head []byte // event.FDHead bytes
	text []byte // path, name, or the name that a unix socket is bound to
}

func parseFD(b []byte) (fdInfo, bool) {
	if len(b) < event.FDHead {
		return fdInfo{}, false
	}
	return fdInfo{b[:event.FDHead], b[event.FDHead:]}, true
}

func (f *fdInfo) u16(at int) uint16 { return binary.LittleEndian.Uint16(f.head[at:]) }
func (f *fdInfo) u32(at int) uint32 { return binary.LittleEndian.Uint32(f.head[at:]) }
func (f *fdInfo) u64(at int) uint64 { return binary.LittleEndian.Uint64(f.head[at:]) }

func (f *fdInfo) kind() event.FDKind { return event.FDKind(f.head[event.FDKindAt]) }
func (f *fdInfo) deleted() bool {
	return f.head[event.FDFlagsAt]&event.FDDeleted != 0 || f.kind() == event.FDName && f.u32(event.FDMagicAt) == tmpfsMagic
}

// Magic numbers of file systems whose files have no path: linux/magic.h.
const (
	pipefsMagic  = 0x50495045
	sockfsMagic  = 0x534f434b
	anonfsMagic  = 0x09041934
	pidfsMagic   = 0x50494446
	nsfsMagic    = 0x6e736673
	tmpfsMagic   = 0x01021994
	dmabufMagic  = 0x444d4142
	secretMagic  = 0x5345434d
	modeFmt      = 0o170000
	modeBlock    = 0o060000
	modeChar     = 0o020000
	ptmxMajor    = 5
	ptmxMinor    = 2
	maxUnixName  = 108
	afUnix       = 1
	afInet       = 2
	afInet6      = 10
	afNetlink    = 16
	tcpListening = 10
)

// detail is the kind of detail, beyond the path, that this descriptor has.
func (f *fdInfo) detail() FDDetail {
	switch {
	case f.kind() == event.FDSocket:
		return FDSocket
	case f.kind() == event.FDPath && (f.u16(event.FDModeAt)&modeFmt == modeBlock || f.u16(event.FDModeAt)&modeFmt == modeChar):
		return FDDevice
	case f.kind() != event.FDName:
	case f.isPidfd():
		return FDPid
	case f.is("[signalfd]"):
		return FDSignal
	case f.is("[eventfd]"):
		return FDEvent
	}
	return 0
}

func (f *fdInfo) is(anon string) bool {
	return f.u32(event.FDMagicAt) == anonfsMagic && string(f.text) == anon
}

func (f *fdInfo) isPidfd() bool { return f.u32(event.FDMagicAt) == pidfsMagic || f.is("[pidfd]") }

func (f *fdInfo) shown(want FDDetail) bool { return want&(FDPath|f.detail()) != 0 }

// print writes the text between < and >.
func (f *fdInfo) print(c *Call) {
	switch d := f.detail() & c.Opts.FDs; d {
	case FDSocket:
		f.socket(c)
	case FDDevice:
		f.device(c)
	case FDPid:
		c.Syntax("pid:")
		c.Int(int64(f.u64(event.FDValueAt)))
	case FDSignal:
		c.Syntax("signalfd:")
		c.Sigset(f.head[event.FDValueAt : event.FDValueAt+8])
	case FDEvent:
		c.Syntax("{eventfd-count=")
		c.Hex(f.u64(event.FDValueAt))
		c.Syntax(", eventfd-id=")
		c.Uint(uint64(f.u32(event.FDIDAt)))
		c.Syntax(", eventfd-semaphore=")
		c.Uint(uint64(f.u16(event.FDProtocolAt)))
		c.Syntax("}")
	default:
		f.path(c)
	}
}

// path writes what readlink of /proc/PID/fd/N would have told.
func (f *fdInfo) path(c *Call) {
	switch f.kind() {
	case event.FDSocket:
		f.inode(c, "socket:[")
		return
	case event.FDName:
		switch f.u32(event.FDMagicAt) {
		case pipefsMagic:
			f.inode(c, "pipe:[")
			return
		case anonfsMagic:
			c.Syntax("anon_inode:")
		case pidfsMagic:
			c.Syntax("anon_inode:[pidfd]")
			return
		case nsfsMagic:
			c.EscapeAlso(f.text, "<>")
			f.inode(c, ":[")
			return
		default:
			c.Syntax("/")
		}
	}
	c.EscapeAlso(f.text, "<>")
}

func (f *fdInfo) inode(c *Call, before string) {
	c.Syntax(before)
	c.Uint(f.u64(event.FDInodeAt))
	c.Syntax("]")
}

func (f *fdInfo) device(c *Call) {
	f.path(c)
	major, minor := f.u32(event.FDRdevAt)>>20, f.u32(event.FDRdevAt)&0xfffff
	if f.u16(event.FDModeAt)&modeFmt == modeBlock {
		c.Syntax("<block ")
	} else {
		c.Syntax("<char ")
	}
	c.Uint(uint64(major))
	c.Syntax(":")
	c.Uint(uint64(minor))
	if major == ptmxMajor && minor == ptmxMinor && f.u64(event.FDValueAt) != 0 {
		c.Syntax(" @/dev/pts/")
		c.Uint(f.u64(event.FDValueAt) - 1)
	}
	c.Syntax(">")
}

// socket writes PROTO:[local->remote], PROTO:[inode->peer,"name"] and the like.
func (f *fdInfo) socket(c *Call) {
	proto := f.head[event.FDProtoAt : event.FDProtoAt+event.FDProtoLen]
	if i := bytes.IndexByte(proto, 0); i >= 0 {
		proto = proto[:i]
	}
	if len(proto) == 0 {
		f.path(c)
		return
	}
	c.Escape(proto)
	c.Syntax(":[")
	switch f.u16(event.FDFamilyAt) {
	case afInet, afInet6:
		if !f.inet(c) {
			c.Uint(f.u64(event.FDInodeAt))
		}
	case afNetlink:
		f.netlink(c)
	case afUnix:
		c.Uint(f.u64(event.FDInodeAt))
		if peer := f.u64(event.FDPeerAt); peer != 0 {
			c.Syntax("->")
			c.Uint(peer)
		}
		if name := f.text; len(name) > 0 {
			c.Syntax(",")
			if name[0] == 0 {
				c.Syntax("@")
				name = name[1:]
			} else if i := bytes.IndexByte(name, 0); i >= 0 {
				name = name[:i]
			}
			c.Str(name, false)
		}
	default:
		c.Uint(f.u64(event.FDInodeAt))
	}
	c.Syntax("]")
}

// inet writes local or local->remote; false: the socket has no address yet.
func (f *fdInfo) inet(c *Call) bool {
	n := 4
	if f.u16(event.FDFamilyAt) == afInet6 {
		n = 16
	}
	src := f.head[event.FDSrcAt : event.FDSrcAt+n]
	dst := f.head[event.FDDstAt : event.FDDstAt+n]
	sport, dport := f.u16(event.FDSportAt), f.u16(event.FDDportAt)
	if sport == 0 && dport == 0 {
		return false
	}
	endpoint(c, src, sport)
	if dport != 0 || !bytes.Equal(dst, make16[:n]) {
		c.Syntax("->")
		endpoint(c, dst, dport)
	}
	return true
}

var make16 [16]byte

func endpoint(c *Call, ip []byte, port uint16) {
	addr, _ := netip.AddrFromSlice(ip)
	if addr.Is6() {
		c.Buf = append(c.Buf, '[')
		c.Buf = addr.AppendTo(c.Buf)
		c.Buf = append(c.Buf, ']')
	} else {
		c.Buf = addr.AppendTo(c.Buf)
	}
	c.Buf = append(c.Buf, ':')
	c.Buf = strconv.AppendUint(c.Buf, uint64(port), 10)
}

func (f *fdInfo) netlink(c *Call) {
	if name, ok := xlat.NetlinkProtocols.Name(uint64(f.u16(event.FDProtocolAt))); ok {
		c.Syntax(name[len("NETLINK_"):])
	} else {
		c.Uint(uint64(f.u16(event.FDProtocolAt)))
	}
	c.Syntax(":")
	c.Uint(uint64(f.u32(event.FDPortidAt)))
}
