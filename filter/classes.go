package filter

import (
	"slices"
	"strings"
)

// A class is one of strace's groups of calls: the calls of all tables that
// belong to it.
type class struct {
	name  string // without the leading %
	calls string // sorted, separated by blanks
}

// bareClasses are the classes that -e trace= also takes without %, strace's
// older spelling.
const bareClasses = " desc file memory process signal ipc network "

// classNamed returns the class with a name, which has no leading % ("%stat" is
// the name of %%stat).
func classNamed(name string) *class {
	if name == "net" {
		name = "network"
	}
	for i := range classes {
		if classes[i].name == name {
			return &classes[i]
		}
	}
	return nil
}

// words returns the calls of the class, sorted.
func (c *class) words() []string { return strings.Fields(c.calls) }

// inWords reports whether a call is among sorted words. Strace's mark for what
// x32 should not use, as in ioctl#64, does not count.
func inWords(words []string, call string) bool {
	call, _, _ = strings.Cut(call, "#")
	_, ok := slices.BinarySearch(words, call)
	return ok
}

var classes = [...]class{
	{"desc", `
		_llseek _newselect bpf cachestat close copy_file_range creat dup dup2 dup3 epoll_create
		epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 execveat faccessat
		faccessat2 fadvise64 fadvise64_64 fallocate fanotify_init fanotify_mark fchdir fchmod fchmodat
		fchmodat2 fchown fchown32 fchownat fcntl fcntl64 fdatasync fgetxattr file_getattr file_setattr
		finit_module flistxattr flock fremovexattr fsconfig fsetxattr fsmount fsopen fspick fstat fstat64
		fstatat64 fstatfs fstatfs64 fsync ftruncate ftruncate64 futimesat getdents getdents64 getxattrat
		inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_uring_enter io_uring_register
		io_uring_setup ioctl kexec_file_load landlock_add_rule landlock_create_ruleset
		landlock_restrict_self linkat listxattrat lseek memfd_create memfd_secret mkdirat mknodat mmap mmap2
		mount_setattr move_mount mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedreceive_time64
		mq_timedsend mq_timedsend_time64 name_to_handle_at newfstatat oldfstat open open_by_handle_at
		open_tree open_tree_attr openat openat2 perf_event_open pidfd_getfd pidfd_open pidfd_send_signal
		pipe pipe2 poll ppoll ppoll_time64 pread64 preadv preadv2 process_madvise process_mrelease pselect6
		pselect6_time64 pwrite64 pwritev pwritev2 quotactl_fd read readahead readdir readlinkat readv
		removexattrat renameat renameat2 select sendfile sendfile64 setns setxattrat signalfd signalfd4
		socketcall splice statx symlinkat sync_file_range sync_file_range2 syncfs tee timerfd_create
		timerfd_gettime timerfd_gettime64 timerfd_settime timerfd_settime64 unlinkat userfaultfd utimensat
		utimensat_time64 vmsplice write writev`},
	{"file", `
		access acct chdir chmod chown chown32 chroot creat execve execveat faccessat faccessat2
		fanotify_mark fchmodat fchmodat2 fchownat file_getattr file_setattr fsconfig fspick fstatat64
		futimesat getcwd getxattr getxattrat inotify_add_watch lchown lchown32 lgetxattr link linkat
		listxattr listxattrat llistxattr lremovexattr lsetxattr lstat lstat64 mkdir mkdirat mknod mknodat
		mount mount_setattr move_mount name_to_handle_at newfstatat oldlstat oldstat open open_tree
		open_tree_attr openat openat2 pivot_root quotactl readlink readlinkat removexattr removexattrat
		rename renameat renameat2 rmdir setxattr setxattrat stat stat64 statfs statfs64 statx swapoff swapon
		symlink symlinkat truncate truncate64 umount umount2 unlink unlinkat uselib utime utimensat
		utimensat_time64 utimes`},
	{"memory", `
		break brk cacheflush get_mempolicy io_destroy io_setup io_uring_register madvise map_shadow_stack
		mbind migrate_pages mincore mlock mlock2 mlockall mmap mmap2 move_pages mprotect mremap mseal msync
		munlock munlockall munmap pkey_mprotect remap_file_pages set_mempolicy set_mempolicy_home_node shmat
		shmdt`},
	{"process", `
		clone clone3 execve execveat exit exit_group fork kill pidfd_send_signal rt_sigqueueinfo
		rt_tgsigqueueinfo tgkill tkill vfork wait4 waitid waitpid`},
	{"creds", `
		capget capset getegid getegid32 geteuid geteuid32 getgid getgid32 getgroups getgroups32 getresgid
		getresgid32 getresuid getresuid32 getuid getuid32 prctl setfsgid setfsgid32 setfsuid setfsuid32
		setgid setgid32 setgroups setgroups32 setregid setregid32 setresgid setresgid32 setresuid
		setresuid32 setreuid setreuid32 setuid setuid32`},
	{"signal", `
		io_uring_enter kill pause pidfd_send_signal rt_sigaction rt_sigpending rt_sigprocmask
		rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo
		sgetmask sigaction sigaltstack signal signalfd signalfd4 sigpending sigprocmask sigreturn sigsuspend
		ssetmask tgkill tkill`},
	{"ipc", `
		ipc msgctl msgget msgrcv msgsnd semctl semget semop semtimedop semtimedop_time64 shmat shmctl shmdt
		shmget`},
	{"network", `
		accept accept4 bind connect getpeername getpmsg getsockname getsockopt listen putpmsg recv recvfrom
		recvmmsg recvmmsg_time64 recvmsg send sendfile sendfile64 sendmmsg sendmsg sendto setsockopt
		shutdown socket socketpair`},
	{"stat", `oldstat stat stat64`},
	{"lstat", `lstat lstat64 oldlstat`},
	{"fstat", `fstat fstat64 fstatat64 newfstatat oldfstat statx`},
	{"%stat", `fstat fstat64 fstatat64 lstat lstat64 newfstatat oldfstat oldlstat oldstat stat stat64 statx`},
	{"statfs", `statfs statfs64`},
	{"fstatfs", `fstatfs fstatfs64`},
	{"%statfs", `fstatfs fstatfs64 statfs statfs64 ustat`},
	{"pure", `
		get_tls getegid getegid32 geteuid geteuid32 getgid getgid32 getpgrp getpid getppid gettid getuid
		getuid32`},
	{"clock", `
		adjtimex clock_adjtime clock_adjtime64 clock_getres clock_getres_time64 clock_gettime
		clock_gettime64 clock_settime clock_settime64 gettimeofday settimeofday time`},
}
