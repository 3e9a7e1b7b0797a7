package perf

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// An AccessError is a refusal of the kernel: what was tried, why it failed, and
// what to do.
type AccessError struct {
	What  string // "open raw_syscalls:sys_enter on CPU 3"
	Cause string // "permission denied (perf_event_paranoid is 2)"
	Fix   string // "run as root, or with CAP_PERFMON"
	Err   error  // the errno
}

func (e *AccessError) Error() string { return e.What + ": " + e.Cause + "; " + e.Fix }
func (e *AccessError) Unwrap() error { return e.Err }

// Capabilities, by number (linux/capability.h).
const (
	capIPCLock     = 14
	capSysAdmin    = 21
	capSysResource = 24
	capPerfmon     = 38
)

// hasCap reports whether this process has a capability in its effective set.
func hasCap(n int) bool {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(b), "\nCapEff:")
	line, _, _ := strings.Cut(rest, "\n")
	v, err := strconv.ParseUint(strings.TrimSpace(line), 16, 64)
	return err == nil && v>>n&1 != 0
}

// sysctl reads a number under /proc/sys/kernel; ok is false if it can't.
func sysctl(name string) (v int64, ok bool) {
	b, err := os.ReadFile("/proc/sys/kernel/" + name)
	if err != nil {
		return 0, false
	}
	v, err = strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	return v, err == nil
}

const runAsRoot = "run as root, or give the program CAP_PERFMON (setcap cap_perfmon=ep)"

// openError explains a failed perf_event_open.
func openError(what string, pid, cpu int, err error) error {
	e := &AccessError{What: "open " + what, Err: err, Cause: err.Error()}
	switch {
	case pid > 0:
		e.What += fmt.Sprintf(" for task %d on CPU %d", pid, cpu)
	default:
		e.What += fmt.Sprintf(" on CPU %d", cpu)
	}
	switch {
	case errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM):
		if v, ok := sysctl("perf_event_paranoid"); ok {
			e.Cause = fmt.Sprintf("permission denied (perf_event_paranoid is %d)", v)
		}
		e.Fix = runAsRoot
		if hasCap(capPerfmon) || hasCap(capSysAdmin) {
			e.Cause = "permission denied although this process has CAP_PERFMON"
			e.Fix = "look at the seccomp profile or LSM policy of this container or service"
			if pid > 0 {
				e.Fix += ", or whether the task belongs to another user (CAP_SYS_PTRACE)"
			}
		}
	case errors.Is(err, unix.ESRCH):
		e.Cause, e.Fix = fmt.Sprintf("there is no task %d", pid), "it may have ended; look it up with ps -eL"
	case errors.Is(err, unix.EMFILE):
		e.Cause = "too many open files"
		var l unix.Rlimit
		if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) == nil {
			e.Cause = fmt.Sprintf("too many open files (the hard limit is %d)", l.Max)
		}
		e.Fix = "every traced thread needs three on each CPU: raise ulimit -Hn, trace fewer tasks, or trace the whole machine"
	case errors.Is(err, unix.ENFILE):
		e.Cause, e.Fix = "the machine has too many open files", "raise the sysctl fs.file-max"
	case errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENXIO):
		e.Cause, e.Fix = "the CPU is offline", "leave it out, or bring it online"
	case errors.Is(err, unix.ENOSYS):
		e.Cause, e.Fix = "this kernel has no perf events", "use --backend=ptrace, or a kernel with CONFIG_PERF_EVENTS"
	case errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EOPNOTSUPP):
		e.Cause, e.Fix = "this kernel does not have that event", "it needs CONFIG_PERF_EVENTS and CONFIG_FTRACE_SYSCALLS"
	case errors.Is(err, unix.EINVAL) || errors.Is(err, unix.E2BIG):
		e.Cause, e.Fix = "this kernel does not know all attributes asked for", "it needs Linux 4.1 (use_clockid) at least"
	default:
		e.Fix = "see man perf_event_open"
	}
	return e
}

// mapError explains a failed mmap of a ring.
func mapError(cpu int, ringBytes uint64, rings int, err error) error {
	e := &AccessError{
		What: fmt.Sprintf("map a ring of %d KiB on CPU %d", ringBytes>>10, cpu), Err: err,
		Cause: err.Error(), Fix: "choose a smaller ring with -m",
	}
	switch {
	case errors.Is(err, unix.EPERM) || errors.Is(err, unix.EAGAIN):
		var l unix.Rlimit
		_ = unix.Getrlimit(unix.RLIMIT_MEMLOCK, &l)
		kb, _ := sysctl("perf_event_mlock_kb")
		e.Cause = fmt.Sprintf("more locked memory than a user without CAP_IPC_LOCK may have (perf_event_mlock_kb %d for each CPU, ulimit -l %d KiB; rings: %d)",
			kb, l.Cur>>10, rings)
		e.Fix = "choose a smaller ring with -m, raise one of the two, or give the program CAP_IPC_LOCK"
	case errors.Is(err, unix.ENOMEM):
		e.Cause = fmt.Sprintf("the kernel has no memory for rings of this size on %d CPUs", rings)
	case errors.Is(err, unix.EINVAL):
		e.Cause, e.Fix = "the size is no power of two of pages", "choose another with -m: 8KiB, 512KiB, 4MiB"
	}
	return e
}

// An UnsupportedFeature is something that this backend or kernel can't do.
type UnsupportedFeature struct {
	Feature string
	Fix     string
}

func (e *UnsupportedFeature) Error() string {
	return e.Feature + " is not possible with the perf backend; " + e.Fix
}

func (e *UnsupportedFeature) Unwrap() error { return errors.ErrUnsupported }
