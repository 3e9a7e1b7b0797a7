package bpf

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

// countPlan counts all calls, of all numbers.
func countPlan() *event.Plan {
	p := commandPlan()
	p.Count, p.SystemTime = true, true
	for nr := range uint32(event.MaxNR) {
		p.Calls[event.Native].Add(nr)
	}
	return p
}

// counted runs a command and returns its counts by number.
func counted(t *testing.T, lacks lack, p *event.Plan, args ...string) (map[uint32]event.Count, *Source) {
	t.Helper()
	evs, s := tracedOn(t, lacks, p, args...)
	for _, e := range evs {
		switch e.Kind {
		case event.KindSyscall, event.KindEnter, event.KindNoReturn, event.KindLost:
			t.Fatalf("event %+v: calls are to be counted", e.Event)
		}
	}
	list, err := s.Counted()
	if err != nil {
		t.Fatal(err)
	}
	by := map[uint32]event.Count{}
	calls := uint64(0)
	for _, c := range list {
		if c.ABI != event.Native {
			t.Errorf("counts of ABI %d: %+v", c.ABI, c)
		}
		by[c.NR] = c
		calls += c.Calls
	}
	l := s.Ledger()
	if l.LostTotal() != 0 || l.Emitted != calls || l.Issued != calls+l.Filtered {
		t.Errorf("ledger %+v, but %d calls were counted", l, calls)
	}
	return by, s
}

// A program with a known number of calls, in threads, a child, and a handler.
const countable = `
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static void nop(int s) { (void)s; }
static void *run(void *x) {
	for (int i = 0; i < 1000; i++) syscall(SYS_getppid);
	return x;
}
int main(void) {
	pthread_t t[3];
	struct sigaction a = { .sa_handler = nop };
	for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, run, 0);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	for (int i = 0; i < 7; i++) close(-1);
	sigaction(SIGUSR1, &a, 0);
	for (int i = 0; i < 5; i++) kill(getpid(), SIGUSR1);
	if (!fork()) { run(0); _exit(0); }
	while (wait(0) < 0 && errno == EINTR);
	syscall(600); syscall(600); syscall(1000);
	return 0;
}`

func TestCountsAreExact(t *testing.T) {
	need.BPF(t)
	bin := need.C(t, countable, "-pthread")
	for _, c := range []struct {
		name  string
		times bool
		lacks lack
	}{{"with times", true, 0}, {"without times", false, 0}, {"without task storage", true, lackStorage}} {
		t.Run(c.name, func(t *testing.T) {
			p := countPlan()
			p.Times, p.SystemTime = c.times, c.times
			p.Target.Follow = true
			by, s := counted(t, c.lacks, p, bin)
			missed(t, s)
			for _, w := range []struct {
				nr            uint32
				calls, errors uint64
			}{
				{unix.SYS_GETPPID, 4000, 0},
				{unix.SYS_RT_SIGRETURN, 5, 0},
				{unix.SYS_KILL, 5, 0},
				{unix.SYS_GETPID, 5, 0},
				{unix.SYS_EXECVE, 1, 0},
				{600, 2, 2},
				{1000, 1, 1},
				{unix.SYS_EXIT_GROUP, 0, 0},
				{unix.SYS_EXIT, 0, 0},
			} {
				if got := by[w.nr]; got.Calls != w.calls || got.Errors != w.errors {
					t.Errorf("call %d: %d calls, %d errors; want %d, %d", w.nr, got.Calls, got.Errors, w.calls, w.errors)
				}
			}
			// The loader closes files, too.
			if got := by[unix.SYS_CLOSE]; got.Errors != 7 {
				t.Errorf("close: %+v, want 7 errors", got)
			}
			g := by[unix.SYS_GETPPID]
			if timed := g.Wall.Min > 0 && g.Wall.Max >= g.Wall.Min && g.Wall.Total >= 4000*g.Wall.Min; timed != c.times {
				t.Errorf("times of getppid %+v, want some: %v", g.Wall, c.times)
			}
		})
	}
}

func TestFilteredCallsAreNotCounted(t *testing.T) {
	need.BPF(t)
	p := countPlan()
	p.Result.OnlyFailed = true
	p.Target.Follow = true
	by, s := counted(t, 0, p, need.C(t, countable, "-pthread"))
	if got := by[unix.SYS_CLOSE]; got.Calls != 7 || got.Errors != 7 {
		t.Errorf("close: %+v, want only the 7 errors", got)
	}
	if got := by[unix.SYS_GETPPID]; got.Calls != 0 {
		t.Errorf("getppid: %+v, want nothing", got)
	}
	if l := s.Ledger(); l.Filtered < 4000 {
		t.Errorf("ledger %+v, want the successful calls as filtered", l)
	}
}

// A program that sleeps for long and works for long in the kernel. It writes to
// the file of its argument how long that work kept it on a CPU, in ns.
const worker = `
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static char buf[1 << 22];
int main(int argc, char **argv) {
	struct timespec nap = { 0, 100000000 }, a, b;
	int fd = open("/dev/zero", O_RDONLY), i;
	FILE *f = fopen(argv[argc - 1], "w");
	for (i = 0; i < 5; i++) nanosleep(&nap, 0);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	for (i = 0; i < 400; i++) if (pread(fd, buf, sizeof buf, 0) < 0) return 1;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	fprintf(f, "%ld", (b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec);
	return fclose(f);
}`

func TestSystemTimeIsThatOnTheCPU(t *testing.T) {
	need.BPF(t)
	file := filepath.Join(t.TempDir(), "ns")
	by, _ := counted(t, 0, countPlan(), need.C(t, worker), file)
	nap, read := by[unix.SYS_CLOCK_NANOSLEEP], by[unix.SYS_PREAD64]
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cpu, err := strconv.ParseUint(string(b), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("nanosleep %+v", nap)
	t.Logf("pread64 %+v, CPU time %d", read, cpu)
	if nap.Calls != 5 || nap.System.Total == 0 || nap.System.Total > uint64(100*time.Millisecond) {
		t.Errorf("500 ms of sleep: %+v, want hardly any system time", nap)
	}
	// The kernel's clock leaves out what a host took of the CPU; user space
	// around the calls is in it, and not in theirs.
	if read.System.Total < cpu/2 || read.Calls < 400 {
		t.Errorf("reading: %+v, want the %d ns that the task was on a CPU", read, cpu)
	}
}
