package filter

import (
	"strings"

	"perftrace/event"
)

// A family is what people call a group of calls that do the same: someone who
// asks for open wants to see files being opened, whichever call does it. A
// family that is called like a call holds that call. A member with a * at its
// end stands for all calls that begin so.
//
// read and write are no families: they are only themselves, since the rest of
// their relatives is of interest as seldom as a call of that name is frequent.
type family struct {
	name  string
	calls string // separated by blanks
}

var families = [...]family{
	// files by name
	{"open", "open openat openat2 creat"},
	{"stat", "stat lstat fstat newfstatat statx stat64 lstat64 fstat64 fstatat64 oldstat oldlstat oldfstat"},
	{"lstat", "lstat lstat64 oldlstat"},
	{"fstat", "fstat fstat64 oldfstat"},
	{"statfs", "statfs statfs64 fstatfs fstatfs64 ustat statmount"},
	{"access", "access faccessat faccessat2"},
	{"rename", "rename renameat renameat2"},
	{"unlink", "unlink unlinkat"},
	{"remove", "unlink unlinkat rmdir"},
	{"mkdir", "mkdir mkdirat"},
	{"link", "link linkat"},
	{"symlink", "symlink symlinkat"},
	{"readlink", "readlink readlinkat"},
	{"mknod", "mknod mknodat"},
	{"chmod", "chmod fchmod fchmodat fchmodat2"},
	{"chown", "chown fchown lchown fchownat chown32 fchown32 lchown32"},
	{"utime", "utime utimes futimesat utimensat utimensat_time64"},
	{"truncate", "truncate ftruncate truncate64 ftruncate64"},
	{"xattr", "setxattr* lsetxattr fsetxattr getxattr* lgetxattr fgetxattr listxattr* llistxattr flistxattr removexattr* lremovexattr fremovexattr"},
	{"chdir", "chdir fchdir chroot pivot_root"},
	{"mount", "mount umount umount2 move_mount mount_setattr open_tree open_tree_attr fsopen fsconfig fsmount fspick pivot_root statmount listmount"},
	{"umount", "umount umount2"},
	{"getdents", "getdents getdents64 readdir"},
	{"inotify", "inotify_*"},
	{"fanotify", "fanotify_*"},

	// descriptors
	{"reads", "read readv pread64 preadv preadv2"},
	{"writes", "write writev pwrite64 pwritev pwritev2"},
	{"io", "read readv pread64 preadv preadv2 write writev pwrite64 pwritev pwritev2"},
	{"lseek", "lseek _llseek"},
	{"sync", "sync fsync fdatasync syncfs sync_file_range sync_file_range2 msync"},
	{"dup", "dup dup2 dup3"},
	{"pipe", "pipe pipe2"},
	{"fcntl", "fcntl fcntl64"},
	{"sendfile", "sendfile sendfile64"},
	{"splice", "splice tee vmsplice"},
	{"poll", "poll ppoll ppoll_time64"},
	{"select", "select _newselect pselect6 pselect6_time64"},
	{"epoll", "epoll_*"},
	{"eventfd", "eventfd eventfd2"},
	{"signalfd", "signalfd signalfd4"},
	{"timerfd", "timerfd_*"},
	{"pidfd", "pidfd_*"},
	{"aio", "io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents io_pgetevents_time64"},
	{"io_uring", "io_uring_*"},

	// sockets
	{"accept", "accept accept4"},
	{"send", "send sendto sendmsg sendmmsg"},
	{"recv", "recv recvfrom recvmsg recvmmsg recvmmsg_time64"},
	{"sockopt", "getsockopt setsockopt"},

	// processes
	{"fork", "fork vfork clone clone3"},
	{"clone", "clone clone3"},
	{"exec", "execve execveat"},
	{"exit", "exit exit_group"},
	{"wait", "wait4 waitid waitpid"},
	{"kill", "kill tkill tgkill pidfd_send_signal"},
	{"sigaction", "rt_sigaction sigaction signal"},
	{"sigprocmask", "rt_sigprocmask sigprocmask sgetmask ssetmask"},
	{"sched", "sched_*"},
	{"futex", "futex*"},
	{"sleep", "nanosleep clock_nanosleep clock_nanosleep_time64"},
	{"getrlimit", "getrlimit ugetrlimit prlimit64"},
	{"setrlimit", "setrlimit prlimit64"},
	{"setuid", "setuid* setreuid* setresuid* setfsuid*"},
	{"setgid", "setgid* setregid* setresgid* setfsgid* setgroups*"},
	{"keys", "add_key request_key keyctl"},
	{"landlock", "landlock_*"},
	{"module", "init_module finit_module delete_module create_module query_module"},
	{"uname", "uname olduname oldolduname"},

	// memory and System V IPC
	{"mmap", "mmap mmap2"},
	{"mlock", "mlock mlock2 mlockall munlock munlockall"},
	{"shm", "shmat shmdt shmget shmctl"},
	{"sem", "semop semget semctl semtimedop semtimedop_time64"},
	{"msg", "msgsnd msgrcv msgget msgctl"},
	{"mq", "mq_*"},

	// time
	{"clock_gettime", "clock_gettime clock_gettime64"},
	{"timer", "timer_*"},
}

func familyNamed(name string) *family {
	for i := range families {
		if families[i].name == name {
			return &families[i]
		}
	}
	return nil
}

// has reports whether a call is of the family.
func (f *family) has(call string) bool {
	call, _, _ = strings.Cut(call, "#")
	for word := range strings.SplitSeq(f.calls, " ") {
		if start, ok := strings.CutSuffix(word, "*"); ok && strings.HasPrefix(call, start) || word == call {
			return true
		}
	}
	return false
}

// An Entry of List is a word of the filter language that stands for many calls.
type Entry struct {
	Name  string   // "open", "%file"
	Calls []string // that it stands for on this machine, without repetitions
}

// List tells what --list-filters prints: people's names, then strace's classes.
func List(arch string) []Entry {
	var list []Entry
	for i := range families {
		list = append(list, Entry{families[i].name, callsThat(arch, families[i].has)})
	}
	for i := range classes {
		words := classes[i].words()
		list = append(list, Entry{"%" + classes[i].name, callsThat(arch, func(call string) bool {
			return inWords(words, call)
		})})
	}
	return list
}

// callsThat are the names of an architecture that are wanted: the native
// table's by number, then those that only other tables have.
func callsThat(arch string, want func(string) bool) []string {
	var list []string
	seen := map[string]bool{}
	for abi := range event.NumABI {
		for _, name := range names(arch, abi) {
			name, _, _ = strings.Cut(name, "#")
			if !seen[name] && want(name) {
				seen[name] = true
				list = append(list, name)
			}
		}
	}
	return list
}
