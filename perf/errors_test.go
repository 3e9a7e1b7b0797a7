package perf

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
	"perftrace/perf/mmap"
)

// dummyAttr is an event that anybody may open for himself.
func dummyAttr() *Attr {
	return &Attr{
		Name: "a dummy", Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_DUMMY,
		Bits: unix.PerfBitDisabled | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv, ReadFormat: unix.PERF_FORMAT_LOST,
	}
}

// refusals are tried as the user nobody: each prints the error that it gets.
var refusals = []struct {
	name string
	try  func() error
	want func() string
}{
	{"an event of a whole CPU", func() error {
		_, err := Open(dummyAttr(), -1, 0)
		return err
	}, func() string {
		v, _ := sysctl("perf_event_paranoid")
		return fmt.Sprintf("open a dummy on CPU 0: permission denied (perf_event_paranoid is %d); run as root, or give the program CAP_PERFMON (setcap cap_perfmon=ep)", v)
	}},
	{"a task of root", func() error {
		_, err := Open(dummyAttr(), os.Getppid(), 0)
		return err
	}, func() string {
		v, _ := sysctl("perf_event_paranoid")
		return fmt.Sprintf("open a dummy for task %d on CPU 0: permission denied (perf_event_paranoid is %d); run as root, or give the program CAP_PERFMON (setcap cap_perfmon=ep)", os.Getpid(), v)
	}},
	{"tracefs", func() error {
		_, err := OpenTracefs()
		return err
	}, func() string {
		return "mount tracefs: permission denied, and /sys/kernel/tracing is not mounted or not readable; run as root, or let root mount it: mount -t tracefs -o gid=GROUP,mode=750 none /sys/kernel/tracing"
	}},
	{"a ring over the mlock limit", func() error {
		if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{Cur: 64 << 10, Max: 64 << 10}); err != nil {
			return err
		}
		e, err := Open(dummyAttr(), unix.Gettid(), 0)
		if err != nil {
			return err
		}
		const size = 64 << 20
		_, err = mmap.Map(e.fd, 0, size/os.Getpagesize())
		return mapError(0, size, 1, err)
	}, func() string {
		kb, _ := sysctl("perf_event_mlock_kb")
		return fmt.Sprintf("map a ring of 65536 KiB on CPU 0: more locked memory than a user without CAP_IPC_LOCK may have (perf_event_mlock_kb %d for each CPU, ulimit -l 64 KiB; rings: 1); choose a smaller ring with -m, raise one of the two, or give the program CAP_IPC_LOCK", kb)
	}},
	{"more files than the hard limit", func() error {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 20, Max: 40}); err != nil {
			return err
		}
		for n := range 50 {
			if _, err := Open(dummyAttr(), unix.Gettid(), 0); err != nil {
				if n < 21 {
					return fmt.Errorf("the soft limit was not raised: only %d events, %w", n, err)
				}
				e := new(AccessError)
				errors.As(err, &e)
				return errors.New(e.Cause + "; " + e.Fix)
			}
		}
		return nil
	}, func() string {
		return "too many open files (the hard limit is 40); every traced thread needs three on each CPU: raise ulimit -Hn, trace fewer tasks, or trace the whole machine"
	}},
}

const refusalEnv = "PERFTRACE_TEST_REFUSAL"

// TestMain plays the user without rights, in a process of its own.
func TestMain(m *testing.M) {
	if name := os.Getenv(refusalEnv); name != "" {
		for _, r := range refusals {
			if r.name == name {
				fmt.Print(r.try())
				os.Exit(0)
			}
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestARefusalNamesItsCauseAndTheFix(t *testing.T) {
	need.Perf(t)
	// A place where nobody may execute the test.
	dir, err := os.MkdirTemp("", "perftrace-refusal")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "test")
	copyFile(t, os.Args[0], bin)
	for _, r := range refusals {
		t.Run(r.name, func(t *testing.T) {
			cmd := exec.Command(bin)
			cmd.Dir = "/"
			cmd.Env = []string{refusalEnv + "=" + r.name}
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			if want := r.want(); string(out) != want {
				t.Errorf("got\n%s\nwant\n%s", out, want)
			}
			if strings.Contains(string(out), "\n") {
				t.Error("it is more than one line")
			}
		})
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefusesWhatItCannotTrace(t *testing.T) {
	need.Perf(t)
	gone := exec.Command("/bin/true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	pid := gone.Process.Pid
	for _, c := range []struct {
		name string
		plan event.Plan
		want string
		is   error
	}{
		{
			"a process that is gone",
			event.Plan{Target: event.Target{PIDs: []int{pid}}},
			fmt.Sprintf("trace process %d: no such process; it may have ended; look it up with ps", pid), unix.ESRCH,
		},
		{
			"a thread that is gone",
			event.Plan{Target: event.Target{TIDs: []int{pid}}},
			fmt.Sprintf("open the event for fork, exit and names for task %d on CPU 0: there is no task %d; it may have ended; look it up with ps -eL", pid, pid), unix.ESRCH,
		},
		{
			"a ring of three pages",
			event.Plan{Target: event.Target{All: true}, RingBytes: 3 * 4096},
			"map a ring of 12 KiB on CPU 0: the size is no power of two of pages; choose another with -m: 8KiB, 512KiB, 4MiB", unix.EINVAL,
		},
		{
			"a ring that no machine has room for",
			event.Plan{Target: event.Target{All: true}, RingBytes: 1 << 40},
			"map a ring of 1073741824 KiB on CPU 0: the kernel has no memory for rings of this size on " + strconv.Itoa(runtime.NumCPU()) + " CPUs; choose a smaller ring with -m", unix.ENOMEM,
		},
		{
			"a condition that perf events don't have",
			event.Plan{Target: event.Target{All: true, CommGlob: "x*"}},
			"to choose tasks by name is not possible with the perf backend; use --backend=bpf", errors.ErrUnsupported,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &Source{}
			err := s.Open(&c.plan)
			if err == nil {
				s.Close()
				t.Fatal("no error")
			}
			if got := err.Error(); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if !errors.Is(err, c.is) {
				t.Errorf("%v is not %v", err, c.is)
			}
		})
	}
}

func TestTracefsIsReadWithoutAMountThatStaysBehind(t *testing.T) {
	need.Perf(t)
	before, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	fs, err := OpenTracefs()
	if err != nil {
		t.Fatal(err)
	}
	tp, err := fs.Tracepoint("raw_syscalls", "sys_enter")
	if err != nil || tp.ID == 0 || tp.Fields["args"] != (Field{16, 48}) {
		t.Errorf("got %+v, %v", tp, err)
	}
	during, _ := os.ReadFile("/proc/self/mountinfo")
	if string(before) != string(during) {
		t.Errorf("the mounts changed:\n%s\n%s", before, during)
	}
	if _, err := fs.Tracepoint("raw_syscalls", "sys_nothing"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an unknown tracepoint: %v", err)
	}
	if err := fs.Close(); err != nil {
		t.Error(err)
	}
}
