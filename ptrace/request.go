package ptrace

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// callInfo is struct ptrace_syscall_info. The union begins after sp: nr and
// args of an entry, or the result of an exit.
type callInfo struct {
	op    uint8
	_     [3]uint8
	arch  uint32
	ip    uint64
	sp    uint64
	nr    uint64 // entry, seccomp; exit: the result
	args  [6]uint64
	extra uint64
}

// request makes a ptrace request. The requests never wait, so the scheduler is
// not told.
func request(req, tid int, addr, data uintptr) error {
	_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, uintptr(req), uintptr(tid), addr, data, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// info reads about the call that tid is stopped in.
func (c *callInfo) read(tid int) bool {
	n, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(tid),
		unsafe.Sizeof(*c), uintptr(unsafe.Pointer(c)), 0, 0)
	return errno == 0 && n >= 24
}

// eventMessage is what the kernel tells with an event stop: the new task, or
// the thread that called execve.
func eventMessage(tid int) (int, bool) {
	var msg uint
	_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_GETEVENTMSG, uintptr(tid), 0, uintptr(unsafe.Pointer(&msg)), 0, 0)
	return int(msg), errno == 0
}

// siginfo fills b with the siginfo_t of a signal-delivery-stop.
func siginfo(tid int, b *[128]byte) bool {
	_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_GETSIGINFO, uintptr(tid), 0, uintptr(unsafe.Pointer(b)), 0, 0)
	return errno == 0
}

// __WALL tells of threads, too; __WNOTHREAD only of tracees and children of
// this thread, so children that other threads started are left to them.
const waitFlags = unix.WALL | unix.WNOTHREAD

// wait returns the next stop or end of a tracee. With block, only a signal that
// the alarm sends makes it return EINTR.
func wait(block bool) (tid int, status uint32, err error) {
	var st int32
	var r uintptr
	var errno unix.Errno
	if block {
		r, _, errno = unix.Syscall6(unix.SYS_WAIT4, ^uintptr(0), uintptr(unsafe.Pointer(&st)), waitFlags, 0, 0, 0)
	} else {
		r, _, errno = unix.RawSyscall6(unix.SYS_WAIT4, ^uintptr(0), uintptr(unsafe.Pointer(&st)), waitFlags|unix.WNOHANG, 0, 0, 0)
	}
	if errno != 0 {
		return 0, 0, errno
	}
	return int(r), uint32(st), nil
}
