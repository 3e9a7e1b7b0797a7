package ptrace

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"perftrace/event"
)

// Names of architectures as the kernel's audit and seccomp use them.
const (
	archNative = unix.AUDIT_ARCH_AARCH64
	archCompat = unix.AUDIT_ARCH_ARM
	x32Bit     = 0
)

// numbers that this package itself has to know, by ABI.
var numbers = [event.NumABI]struct{ exit, exitGroup, execve, execveat, prctl uint32 }{
	event.Native: {93, 94, 221, 281, 167},
	event.Compat: {1, 248, 11, 387, 172},
	event.X32:    {event.MaxNR, event.MaxNR, event.MaxNR, event.MaxNR, event.MaxNR},
}

// abiOf tells the table of a call from what the kernel says of it.
func abiOf(arch uint32, nr uint64) (event.ABI, uint32) {
	if arch == archCompat {
		return event.Compat, uint32(nr)
	}
	return event.Native, uint32(nr)
}

// resumed tells which call tid is returning from when its entry was not seen.
// The result took the place of the first argument; the others still stand.
func resumed(tid int, arch uint32) (nr uint64, args [6]uint64, ok bool) {
	var r unix.PtraceRegsArm64
	iov := unix.Iovec{Base: (*byte)(unsafe.Pointer(&r)), Len: uint64(unsafe.Sizeof(r))}
	const prstatus = 1
	_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_GETREGSET, uintptr(tid), prstatus, uintptr(unsafe.Pointer(&iov)), 0, 0)
	if errno != 0 {
		return 0, args, false
	}
	nr = r.Regs[8]
	if arch == archCompat {
		nr = r.Regs[7]
	}
	return nr, args, false
}
