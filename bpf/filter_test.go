package bpf

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

const outcomes = `
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>
int main(void) {
	access("/", 0);
	access("/nonexistent", 0);
	access("/etc/hostname/x", 0);
	access((char *)1, 0);
	struct timespec t = {0, 30000000};
	nanosleep(&t, 0);
	t.tv_nsec = 1000;
	nanosleep(&t, 0);
	return 0;
}`

func TestResultsAreFilteredInTheKernel(t *testing.T) {
	need.BPF(t)
	bin := need.C(t, outcomes)
	for _, c := range []struct {
		name   string
		filter event.ResultFilter
		want   []string
	}{
		{"only successes", event.ResultFilter{OnlyOK: true}, []string{"access 0", "nanosleep 0", "nanosleep 0"}},
		{"only failures", event.ResultFilter{OnlyFailed: true}, []string{"access -2", "access -20", "access -14"}},
		{"two errnos", event.ResultFilter{Errnos: []uint16{2, 14}}, []string{"access -2", "access -14"}},
		{"long ones", event.ResultFilter{MinDuration: 20_000_000}, []string{"nanosleep 0"}},
	} {
		p := commandPlan()
		p.Times = false
		p.Result = c.filter
		capture(p, unix.SYS_ACCESS)
		// The C library may use either of them.
		capture(p, unix.SYS_NANOSLEEP)
		capture(p, unix.SYS_CLOCK_NANOSLEEP)
		evs, s := traced(t, p, bin)
		var got []string
		for _, e := range kinds(evs, event.KindSyscall) {
			name := "nanosleep"
			if e.NR == unix.SYS_ACCESS {
				name = "access"
			}
			got = append(got, fmt.Sprintf("%s %d", name, e.Ret))
		}
		// The loader looks for /etc/ld.so.preload first.
		if len(got) > 0 && got[0] == "access -2" && len(got) == len(c.want)+1 {
			got = got[1:]
		}
		wantStrings(t, c.name, got, c.want...)
		if l := s.Ledger(); l.Issued < 6 || l.Issued > 7 || l.Filtered != l.Issued-l.Emitted {
			t.Errorf("%s: ledger %+v, want 6 issued, and the loader's", c.name, l)
		}
	}
}

func TestTheWholeMachineLessOurselves(t *testing.T) {
	need.BPF(t)
	p := commandPlan()
	p.Target.All, p.Target.Follow = true, true
	p.RingBytes = 1 << 20
	// A call that few programs make.
	capture(p, unix.SYS_SETFSGID)
	s := opened(t, p)
	unix.Setfsgid(0) // ours
	bin := need.C(t, `#include <sys/fsuid.h>
#include <unistd.h>
int main(void) { setfsgid(4242); if (!fork()) setfsgid(4343); return 0; }`)
	if err := exec.Command(bin).Run(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { time.Sleep(100 * time.Millisecond); close(done) }()
	got := map[uint64]int{}
	drain(t, s, done, func(e *event.Event) {
		if e.Kind == event.KindSyscall {
			if int(e.TGID) == os.Getpid() {
				t.Errorf("our own call is shown: %+v", *e)
			}
			got[e.Args[0]]++
		}
	})
	if got[4242] != 1 || got[4343] != 1 {
		t.Errorf("calls by argument %v, want one of 4242 and one of 4343", got)
	}
}

func TestTasksAreChosenByConditions(t *testing.T) {
	need.BPF(t)
	dir := t.TempDir()
	src := need.C(t, `#include <sys/fsuid.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) { setuid(atoi(argv[1])); setfsgid(77); return 0; }`)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(name, uid string, cgroup string) {
		t.Helper()
		bin := filepath.Join(dir, name)
		if b, err := os.ReadFile(src); err != nil {
			t.Fatal(err)
		} else if err := os.WriteFile(bin, b, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(bin, uid)
		if cgroup != "" {
			cmd = exec.Command("/bin/sh", "-c", "echo $$ >"+cgroup+"/cgroup.procs; exec "+bin+" "+uid)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	count := func(what string, set func(*event.Target), want int, does func()) {
		t.Helper()
		p := commandPlan()
		p.Target.All = true
		p.RingBytes = 1 << 20
		set(&p.Target)
		capture(p, unix.SYS_SETFSGID)
		s := opened(t, p)
		does()
		done := make(chan struct{})
		close(done)
		n := 0
		drain(t, s, done, func(e *event.Event) {
			if e.Kind == event.KindSyscall && e.Args[0] == 77 {
				n++
			}
		})
		if n != want {
			t.Errorf("%s: %d calls, want %d", what, n, want)
		}
	}
	both := func() { run("first-name", "1", ""); run("second-name", "2", "") }
	count("any", func(*event.Target) {}, 2, both)
	count("uid 1", func(g *event.Target) { g.UID = 1 }, 1, both)
	count("uid 9", func(g *event.Target) { g.UID = 9 }, 0, both)
	count("comm second*", func(g *event.Target) { g.CommGlob = "second*" }, 1, both)
	count("comm *-n?me", func(g *event.Target) { g.CommGlob = "*-n?me" }, 2, both)
	count("comm *nam", func(g *event.Target) { g.CommGlob = "*nam" }, 0, both)
	count("comm first-name", func(g *event.Target) { g.CommGlob = "first-name" }, 1, both)
	cpus := make([]int, runtime.NumCPU())
	for i := range cpus {
		cpus[i] = i
	}
	count("all CPUs", func(g *event.Target) { g.CPUs = cpus }, 2, both)
	count("a CPU that is not there", func(g *event.Target) { g.CPUs = []int{4000} }, 0, both)

	root := cgroup2(t)
	outer := filepath.Join(root, fmt.Sprintf("perftrace-test-%d", os.Getpid()))
	inner := filepath.Join(outer, "inner")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(inner); _ = os.Remove(outer) })
	var st unix.Stat_t
	if err := unix.Stat(outer, &st); err != nil {
		t.Fatal(err)
	}
	want := 2
	var probed Source
	spec, err := loadTrace()
	if err != nil {
		t.Fatal(err)
	}
	if err := probed.probe(spec, &event.Target{CgroupID: st.Ino}); err != nil {
		t.Fatal(err)
	}
	if probed.lacks&lackAncestors != 0 {
		want = 1
	}
	count("cgroup", func(g *event.Target) { g.CgroupID = st.Ino }, want, func() {
		run("first-name", "1", outer)
		run("first-name", "1", inner)
		run("first-name", "1", "")
	})
}

// cgroup2 finds the mount of cgroup v2.
func cgroup2(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("/proc/mounts")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 2 && f[2] == "cgroup2" {
			return f[1]
		}
	}
	t.Skip("SKIP-NEED: cgroup2: no cgroup v2 is mounted")
	return ""
}
