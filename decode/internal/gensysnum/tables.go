package main

import "fmt"

// A table is one system call table: the file of x/sys that it comes from and
// what strace calls differently.
type table struct {
	goarch   string
	file     string
	variable string
	rename   map[string]string // "": not a call
	extra    map[int]string    // by slot; see package decode for slots from 512 on
	// derive makes a second table of the finished first one.
	derive func(map[int]string) (variable string, names map[int]string, err error)
}

// File names carry the kernel's names of the architectures, since Go's would be
// taken for build constraints.
var tables = []table{
	{goarch: "amd64", file: "zsysnum_x86_64.go", variable: "AMD64", derive: deriveX32},
	{goarch: "386", file: "zsysnum_i386.go", variable: "I386"},
	{
		goarch: "arm64", file: "zsysnum_aarch64.go", variable: "ARM64",
		// A mark for the numbers 244 to 259, which are not used on arm64.
		rename: map[string]string{"arch_specific_syscall": ""},
	},
	{
		goarch: "arm", file: "zsysnum_armeabi.go", variable: "ARM",
		rename: map[string]string{
			"arm_fadvise64_64":    "fadvise64_64",
			"arm_sync_file_range": "sync_file_range2",
			"syscall_mask":        "", // a mask for numbers
		},
		extra: armExtra,
	},
}

// armExtra: calls of the old ABI, which EABI kernels refuse but programs may
// still make, a call newer than x/sys' table, and those above 0xf0000.
var armExtra = map[int]string{
	7:   "waitpid",
	13:  "time",
	17:  "break",
	18:  "oldstat",
	22:  "umount",
	25:  "stime",
	27:  "alarm",
	28:  "oldfstat",
	30:  "utime",
	31:  "stty",
	32:  "gtty",
	35:  "ftime",
	44:  "prof",
	48:  "signal",
	53:  "lock",
	56:  "mpx",
	58:  "ulimit",
	59:  "oldolduname",
	68:  "sgetmask",
	69:  "ssetmask",
	76:  "getrlimit",
	82:  "select",
	84:  "oldlstat",
	89:  "readdir",
	90:  "mmap",
	98:  "profil",
	101: "ioperm",
	102: "socketcall",
	109: "olduname",
	110: "iopl",
	112: "idle",
	113: "syscall",
	117: "ipc",
	123: "modify_ldt",
	127: "create_module",
	130: "get_kernel_syms",
	137: "afs_syscall",
	166: "vm86",
	167: "query_module",
	188: "getpmsg",
	189: "putpmsg",
	447: "memfd_secret",
	512: "cmpxchg",
	513: "breakpoint",
	514: "cacheflush",
	515: "usr26",
	516: "usr32",
	517: "set_tls",
	518: "get_tls",
}

// x32Own are the numbers from 512 on, by which x32 makes calls whose arguments
// are laid out as those of 32-bit tasks.
var x32Own = [...]string{
	"rt_sigaction",
	"rt_sigreturn",
	"ioctl",
	"readv",
	"writev",
	"recvfrom",
	"sendmsg",
	"recvmsg",
	"execve",
	"ptrace",
	"rt_sigpending",
	"rt_sigtimedwait",
	"rt_sigqueueinfo",
	"sigaltstack",
	"timer_create",
	"mq_notify",
	"kexec_load",
	"waitid",
	"set_robust_list",
	"get_robust_list",
	"vmsplice",
	"move_pages",
	"preadv",
	"pwritev",
	"rt_tgsigqueueinfo",
	"recvmmsg",
	"sendmmsg",
	"process_vm_readv",
	"process_vm_writev",
	"setsockopt",
	"getsockopt",
	"io_setup",
	"io_submit",
	"execveat",
	"preadv2",
	"pwritev2",
}

// x32Only64 are the numbers below 512 that are meant for 64-bit tasks alone.
// Strace marks their names, when x32 uses them, with "#64".
var x32Only64 = [...]int{
	13, 15, 16, 19, 20, 45, 46, 47, 54, 55, 59, 101, 127, 128,
	129, 131, 134, 156, 174, 177, 178, 180, 205, 206, 209, 211, 214, 215,
	222, 236, 244, 246, 247, 273, 274, 278, 279, 295, 296, 297, 299, 307,
	310, 311, 322, 327, 328,
}

func deriveX32(amd64 map[int]string) (string, map[int]string, error) {
	names := map[int]string{}
	for nr, name := range amd64 {
		names[nr] = name
	}
	for _, nr := range x32Only64 {
		if names[nr] == "" {
			return "", nil, fmt.Errorf("amd64 has no call %d, which x32 marks as 64-bit only", nr)
		}
		names[nr] += "#64"
	}
	for i, name := range x32Own {
		names[512+i] = name
	}
	return "X32", names, nil
}
