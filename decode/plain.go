package decode

import (
	"strconv"
	"strings"
)

// plainCalls are the calls of which strace shows numbers only: those that no
// kernel has any more, or never had, those of other systems, and those of amd64
// that x32 has under its own numbers ("#64"). They stand by how many arguments
// they have.
var plainCalls = [...]string{
	0: "break rt_sigreturn#64 breakpoint ftime get_tls idle lock mpx pause prof rseq_slice_yield uretprobe uprobe usr26 usr32",
	1: "_sysctl#64 get_kernel_syms get_kernel_syms#64 get_thread_area#64 set_thread_area#64 set_tls uselib#64 vm86old",
	2: "bdflush create_module create_module#64 gtty io_setup#64 mq_notify#64 rt_sigpending#64 set_robust_list#64 sigaltstack#64 stty ulimit",
	3: "cacheflush execve#64 get_robust_list#64 io_submit#64 ioctl#64 nfsservctl nfsservctl#64 pciconfig_iobase readv#64 recvmsg#64 " +
		"rt_sigqueueinfo#64 security sendmsg#64 timer_create#64 tuxcall writev#64",
	4: "epoll_ctl_old epoll_ctl_old#64 epoll_wait_old epoll_wait_old#64 kexec_load#64 preadv#64 profil ptrace#64 pwritev#64 " +
		"rt_sigaction#64 rt_sigtimedwait#64 rt_tgsigqueueinfo#64 sendmmsg#64 vmsplice#64",
	5: "afs_syscall cmpxchg execveat#64 getpmsg getsockopt#64 pciconfig_read pciconfig_write putpmsg query_module query_module#64 " +
		"recvmmsg#64 setsockopt#64 syscall vm86 vserver vserver#64 waitid#64",
	6: "move_pages#64 preadv2#64 process_vm_readv#64 process_vm_writev#64 pwritev2#64 recvfrom#64",
}

// plainRows are their rows.
func plainRows() (rows []Row) {
	for n, names := range plainCalls {
		for _, name := range strings.Fields(names) {
			rows = append(rows, Row{Name: name, Args: plainArgs(name, n)})
		}
	}
	return rows
}

// plainArgs are n arguments with the kernel's names, if it has as many.
func plainArgs(call string, n int) (list args) {
	base, _, _ := strings.Cut(call, "#")
	known, _ := ArgNames(base)
	names := strings.Fields(known)
	for i := range n {
		name := "arg" + strconv.Itoa(i+1)
		if len(names) == n {
			name = names[i]
		}
		list = append(list, Arg{name, lhex})
	}
	return list
}
