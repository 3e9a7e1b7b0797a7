package ptrace

import (
	"encoding/binary"
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"

	"perftrace/event"
)

// appendSocket completes the piece at to[begin:] by what descriptor fd, a
// socket, says of itself. A duplicate of it is asked, which pidfd_getfd(2)
// (Linux 5.6) makes: so it is right in any network namespace. The target is
// stopped and the duplicate closed at once, so it does not outlive a close.
func (m *memory) appendSocket(fd int32, to []byte, begin int) []byte {
	head := to[begin:]
	name := m.protocolName(fd, head[event.FDProtoAt:event.FDProtoAt+event.FDProtoLen])
	clear(head[event.FDProtoAt+name : event.FDProtoAt+event.FDProtoLen])
	own, err := m.duplicate(fd)
	if err != nil {
		return to
	}
	defer unix.Close(own)
	option := func(at, name int) int {
		v, err := unix.GetsockoptInt(own, unix.SOL_SOCKET, name)
		if err != nil {
			return 0
		}
		binary.LittleEndian.PutUint16(head[at:], uint16(v))
		return v
	}
	family := option(event.FDFamilyAt, unix.SO_DOMAIN)
	option(event.FDTypeAt, unix.SO_TYPE)
	option(event.FDProtocolAt, unix.SO_PROTOCOL)

	var local, remote [128]byte
	n := sockname(unix.SYS_GETSOCKNAME, own, &local)
	switch family {
	case unix.AF_INET, unix.AF_INET6:
		sockname(unix.SYS_GETPEERNAME, own, &remote)
		putEndpoint(head[event.FDSrcAt:event.FDSrcAt+16], head[event.FDSportAt:], &local, family)
		putEndpoint(head[event.FDDstAt:event.FDDstAt+16], head[event.FDDportAt:], &remote, family)
	case unix.AF_NETLINK:
		copy(head[event.FDPortidAt:event.FDPortidAt+4], local[4:])
	case unix.AF_UNIX:
		inode := uint32(binary.LittleEndian.Uint64(head[event.FDInodeAt:]))
		binary.LittleEndian.PutUint64(head[event.FDPeerAt:], uint64(unixPeer(inode)))
		if n > 2 {
			to = append(to, local[2:n]...)
		}
	}
	return to
}

// duplicate makes the target's descriptor one of this process.
func (m *memory) duplicate(fd int32) (int, error) {
	// Threads have a pidfd of their own since Linux 6.9, and the table of
	// descriptors is nearly always that of the process.
	pidfd, err := unix.PidfdOpen(m.tid, unix.PIDFD_THREAD)
	if errors.Is(err, unix.EINVAL) {
		pidfd, err = unix.PidfdOpen(processOf(m.tid), 0)
	}
	if err != nil {
		return -1, err
	}
	defer unix.Close(pidfd)
	return unix.PidfdGetfd(pidfd, int(fd), 0)
}

// sockname fills b by getsockname or getpeername, and returns the length.
func sockname(call uintptr, fd int, b *[128]byte) int {
	n := uint32(len(b))
	_, _, errno := unix.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(b)), uintptr(unsafe.Pointer(&n)))
	if errno != 0 {
		return 0
	}
	return int(min(n, uint32(len(b))))
}

// putEndpoint writes the address and port of a struct sockaddr_in or sockaddr_in6.
func putEndpoint(ip, port []byte, sockaddr *[128]byte, family int) {
	binary.LittleEndian.PutUint16(port, binary.BigEndian.Uint16(sockaddr[2:]))
	if family == unix.AF_INET {
		copy(ip, sockaddr[4:8])
	} else {
		copy(ip, sockaddr[8:24])
	}
}

// unixPeer asks sock_diag(7) for the inode of the socket that a unix socket is
// connected with; 0: none, or in another network namespace.
func unixPeer(inode uint32) uint32 {
	const (
		byFamily    = 20 // SOCK_DIAG_BY_FAMILY
		showPeer    = 4  // UDIAG_SHOW_PEER
		unixPeerTag = 2  // UNIX_DIAG_PEER
		header      = unix.SizeofNlMsghdr
		diagMsg     = 16 // struct unix_diag_msg
	)
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	var req [header + 24]byte
	le := binary.NativeEndian
	le.PutUint32(req[0:], uint32(len(req)))
	le.PutUint16(req[4:], byFamily)
	le.PutUint16(req[6:], unix.NLM_F_REQUEST)
	unixReq := req[header:] // struct unix_diag_req
	unixReq[0] = unix.AF_UNIX
	le.PutUint32(unixReq[4:], 1<<32-1) // any state
	le.PutUint32(unixReq[8:], inode)
	le.PutUint32(unixReq[12:], showPeer)
	le.PutUint64(unixReq[16:], 1<<64-1) // whatever cookie
	if err := unix.Sendto(fd, req[:], 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return 0
	}
	var b [512]byte
	n, _, err := unix.Recvfrom(fd, b[:], unix.MSG_DONTWAIT) // it is answered within sendto
	if err != nil || n < header+diagMsg || le.Uint16(b[4:]) != byFamily {
		return 0
	}
	for attr := b[header+diagMsg : n]; len(attr) >= 4; {
		size := int(le.Uint16(attr))
		if size < 4 || size > len(attr) {
			return 0
		}
		if le.Uint16(attr[2:]) == unixPeerTag && size >= 8 {
			return le.Uint32(attr[4:])
		}
		attr = attr[min((size+3)&^3, len(attr)):]
	}
	return 0
}
