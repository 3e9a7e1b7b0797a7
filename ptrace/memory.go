package ptrace

import (
	"bytes"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"

	"perftrace/event"
)

// memory reads a task's memory; it implements event.Memory.
type memory struct {
	tid  int
	path []byte // room for a path below /proc
}

// ReadMemory implements event.Memory. The kernel copies page by page and tells
// how far it came, so what can be read before a bad page is read.
func (m *memory) ReadMemory(addr uint64, buf []byte) int {
	if len(buf) == 0 {
		return 0
	}
	local := unix.Iovec{Base: &buf[0], Len: uint64(len(buf))}
	remote := unix.RemoteIovec{Base: uintptr(addr), Len: len(buf)}
	n, _, errno := unix.RawSyscall6(unix.SYS_PROCESS_VM_READV, uintptr(m.tid),
		uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&remote)), 1, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}

// IsNetlink implements event.Memory.
func (m *memory) IsNetlink(fd int32) bool {
	var name [event.FDProtoLen]byte
	return bytes.HasPrefix(name[:m.protocolName(fd, name[:])], []byte("NETLINK"))
}

// protocolName fills name with the name of a socket's protocol, without a NUL,
// and returns its length: sockets tell it in an extended attribute.
func (m *memory) protocolName(fd int32, name []byte) int {
	b := append(m.path[:0], "/proc/"...)
	b = strconv.AppendInt(b, int64(m.tid), 10)
	b = append(b, "/fd/"...)
	b = strconv.AppendInt(b, int64(fd), 10)
	b = append(b, 0)
	m.path = b
	const attribute = "system.sockprotoname\x00"
	n, _, errno := unix.RawSyscall6(unix.SYS_GETXATTR, uintptr(unsafe.Pointer(&b[0])),
		uintptr(unsafe.Pointer(unsafe.StringData(attribute))), uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), 0, 0)
	if errno != 0 {
		return 0
	}
	return len(bytes.TrimRight(name[:n], "\x00"))
}
