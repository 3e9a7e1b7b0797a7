//go:build amd64

package ptrace

import (
	"errors"
	"io"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

// BenchmarkCall compares, interleaved in rounds, what a call costs bare, under
// this Source (events thrown away) and under strace (to /dev/null). The median
// of what other rounds show is for bench/; this is for a quick look.
func BenchmarkCall(b *testing.B) {
	need.Root(b)
	strace := need.Command(b, "strace")
	for _, w := range []struct {
		name string
		n    int
		plan func() *event.Plan
		args []string // of strace
	}{
		{"getppid", 20000, allCalls, nil},
		{"open", 20000, plansOfPaths, nil},
		{"open", 20000, func() *event.Plan { return only(unix.SYS_GETPPID) }, []string{"-e", "trace=getppid"}},
	} {
		prog := []string{target(b), w.name, strconv.Itoa(w.n)}
		name := w.name
		if w.args != nil {
			name += "-rejected"
		}
		b.Run(name, func(b *testing.B) {
			var bare, ours, theirs time.Duration
			for b.Loop() {
				bare += took(b, prog...)
				ours += underSource(b, w.plan(), prog...)
				theirs += took(b, append(append([]string{strace, "-o", "/dev/null"}, w.args...), prog...)...)
			}
			calls := float64(b.N * w.n)
			b.ReportMetric(float64(bare)/calls, "bare-ns/call")
			b.ReportMetric(float64(ours)/calls, "ptrace-ns/call")
			b.ReportMetric(float64(theirs)/calls, "strace-ns/call")
			b.ReportMetric(float64(ours)/float64(theirs), "ptrace/strace")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func plansOfPaths() *event.Plan {
	p := allCalls()
	p.Captures[event.Native][unix.SYS_OPENAT] = &event.CallPlan{CmdArg: -1, Captures: []event.Capture{
		{Kind: event.CapString, From: 1, When: event.AtExit, Max: event.MaxPath},
	}}
	return p
}

func took(b *testing.B, argv ...string) time.Duration {
	begin := time.Now()
	if err := exec.Command(argv[0], argv[1:]...).Run(); err != nil {
		b.Fatal(err)
	}
	return time.Since(begin)
}

func underSource(b *testing.B, p *event.Plan, argv ...string) time.Duration {
	pid, release := hold(b, argv...)
	begin := time.Now()
	s := &Source{}
	p.Target.Child = pid
	if err := s.Open(p); err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if err := s.Start(); err != nil {
		b.Fatal(err)
	}
	release()
	for {
		if _, err := s.Next(time.Second); errors.Is(err, io.EOF) {
			return time.Since(begin)
		} else if err != nil {
			b.Fatal(err)
		}
	}
}
