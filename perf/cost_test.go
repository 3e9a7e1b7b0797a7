package perf

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"perftrace/event"
	"perftrace/event/need"
)

// loop calls getppid as often as it is told, and prints the CPU time of a call
// in nanoseconds. CPU time, so that other load on the machine matters less.
const loop = `
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv) {
	long n = atol(argv[1]);
	struct timespec a, b;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	for (long i = 0; i < n; i++)
		syscall(SYS_getppid);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	printf("%.1f\n", ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / n);
	return 0;
}`

const loopCalls = "100000"

func nanoseconds(t testing.TB, out string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.TrimSpace(out), 64)
	if err != nil {
		t.Fatalf("the loop printed %q", out)
	}
	return v
}

func runLoop(t testing.TB, args ...string) float64 {
	t.Helper()
	out, err := exec.Command(args[0], args[1:]...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return nanoseconds(t, string(out))
}

// traceLoop runs the loop under this package's Source.
func traceLoop(t testing.TB, bin string) float64 {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	cmd, release := held(t, "/bin/sh", "-c", `exec "$0" `+loopCalls+` >`+out, bin)
	s := opened(t, &Source{}, &event.Plan{Target: event.Target{Child: cmd.Process.Pid, Follow: true}, Calls: all()})
	defer s.Close()
	release()
	n := 0
	drain(t, s, waited(cmd), func(e *event.Event) { n++ })
	if l := s.Ledger(); l.Issued < 100000 {
		t.Errorf("%d events, ledger %+v", n, l)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return nanoseconds(t, string(b))
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// The exact figure is for make bench on a quiet machine (1.0 to 1.2); this test
// finds what makes it grossly worse.
func TestTheTargetPaysAboutWhatItPaysUnderPerfTraceRecord(t *testing.T) {
	need.Perf(t)
	perf := need.Command(t, "perf")
	bin := need.C(t, loop)
	data := filepath.Join(t.TempDir(), "perf.data")
	for attempt := 1; ; attempt++ { // other load on the machine may spoil one
		var bare, theirs, ours []float64
		for range 3 {
			bare = append(bare, runLoop(t, bin, loopCalls))
			theirs = append(theirs, runLoop(t, perf, "trace", "record", "-o", data, bin, loopCalls))
			ours = append(ours, traceLoop(t, bin))
		}
		b := median(bare)
		added, limit := median(ours)-b, median(theirs)-b
		t.Logf("a getppid: %.0f ns; perf trace record adds %.0f ns, this source %.0f ns (%.2f)", b, limit, added, added/limit)
		if added <= 2*limit {
			return
		}
		if attempt == 3 {
			t.Fatalf("this source adds %.0f ns to a call, more than 2 × %.0f ns", added, limit)
		}
	}
}

var _ event.InFlight = (*Source)(nil)

var _ event.Source = (*Source)(nil)
