package ptrace

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"perftrace/event"
)

// Names of architectures as the kernel's audit and seccomp use them.
const (
	archNative = unix.AUDIT_ARCH_X86_64
	archCompat = unix.AUDIT_ARCH_I386
	x32Bit     = 0x40000000
)

// numbers that this package itself has to know, by ABI.
var numbers = [event.NumABI]struct{ exit, exitGroup, execve, execveat, prctl uint32 }{
	event.Native: {60, 231, 59, 322, 157},
	event.Compat: {1, 252, 11, 358, 172},
	event.X32:    {60, 231, 520, 545, 157},
}

// abiOf tells the table of a call from what the kernel says of it.
func abiOf(arch uint32, nr uint64) (event.ABI, uint32) {
	n := uint32(nr)
	switch {
	case arch == archCompat:
		return event.Compat, n
	case n&x32Bit != 0 && n < 1<<31: // negative numbers are no x32 calls
		return event.X32, n &^ x32Bit
	}
	return event.Native, n
}

// resumed tells which call tid is returning from when its entry was not seen.
// The registers still hold all of it.
func resumed(tid int, arch uint32) (nr uint64, args [6]uint64, ok bool) {
	var r unix.PtraceRegsAmd64
	_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_GETREGS, uintptr(tid), 0, uintptr(unsafe.Pointer(&r)), 0, 0)
	if errno != 0 {
		return 0, args, false
	}
	if arch == archCompat {
		args = [6]uint64{r.Rbx, r.Rcx, r.Rdx, r.Rsi, r.Rdi, r.Rbp}
		for i := range args {
			args[i] = uint64(uint32(args[i]))
		}
	} else {
		args = [6]uint64{r.Rdi, r.Rsi, r.Rdx, r.R10, r.R8, r.R9}
	}
	return r.Orig_rax, args, true
}
