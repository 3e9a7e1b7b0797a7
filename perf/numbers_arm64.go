package perf

import (
	"golang.org/x/sys/unix"

	"perftrace/event"
)

// special are the calls that need care here, by ABI.
var special = [event.NumABI]specialCalls{
	event.Native: {
		exit: unix.SYS_EXIT, exitGroup: unix.SYS_EXIT_GROUP,
		execve: unix.SYS_EXECVE, execveat: unix.SYS_EXECVEAT,
		sigreturn: unix.SYS_RT_SIGRETURN, rtSigreturn: unix.SYS_RT_SIGRETURN,
		clones: [4]uint32{unix.SYS_CLONE, unix.SYS_CLONE3, unix.SYS_CLONE, unix.SYS_CLONE3},
	},
	event.Compat: {
		exit: 1, exitGroup: 248, execve: 11, execveat: 387, sigreturn: 119, rtSigreturn: 173,
		clones: [4]uint32{2, 190, 120, 435},
	},
}

// regsUserMask asks for the instruction pointer alone (PERF_REG_ARM64_PC): some
// register must be asked for to get the ABI word.
const regsUserMask = 1 << 32

// x32Bit marks calls of the x32 ABI: none here, since no number is negative.
const x32Bit = 0
