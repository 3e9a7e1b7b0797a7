package bpf

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"perftrace/event"
)

// A plan for one command, with the calls and captures that the test adds.
func commandPlan() *event.Plan {
	p := &event.Plan{StringMax: 32, Times: true}
	p.Target.UID = -1
	return p
}

// capture adds a native call with captures.
func capture(p *event.Plan, nr uint32, caps ...event.Capture) {
	captureABI(p, event.Native, nr, caps...)
}

func captureABI(p *event.Plan, abi event.ABI, nr uint32, caps ...event.Capture) {
	p.Calls[abi].Add(nr)
	if len(caps) > 0 {
		p.Captures[abi][nr] = &event.CallPlan{CmdArg: -1, Captures: caps}
	}
}

// seen is an event that does not alias the ring any more.
type seen struct {
	event.Event
	in, out []event.Piece
}

func keep(e *event.Event) seen {
	k := seen{Event: *e}
	k.In, k.Out, k.Siginfo = slices.Clone(e.In), slices.Clone(e.Out), slices.Clone(e.Siginfo)
	k.in, k.out = pieces(k.In), pieces(k.Out)
	return k
}

func pieces(b []byte) (ps []event.Piece) {
	for {
		p, rest, ok := event.NextPiece(b)
		if !ok {
			return ps
		}
		ps, b = append(ps, p), rest
	}
}

// held starts a command that waits before its execve until release is called.
func held(t testing.TB, args ...string) (cmd *exec.Cmd, release func()) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command("/bin/sh", append([]string{"-c", `read x <&3; exec 3<&-; exec "$@"`, "sh"}, args...)...)
	cmd.ExtraFiles = []*os.File{r}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	t.Cleanup(func() {
		w.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, func() { _, _ = w.WriteString("\n"); w.Close() }
}

// opened opens and starts a Source, and closes it at the end of the test.
func opened(t testing.TB, p *event.Plan) *Source {
	t.Helper()
	return openedOn(t, 0, p)
}

// openedOn does it as on a kernel that lacks something.
func openedOn(t testing.TB, lacks lack, p *event.Plan) *Source {
	t.Helper()
	s := &Source{lacks: lacks}
	if err := s.Open(p); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

// drain hands all events to fn until done is closed, then to the end.
func drain(t testing.TB, s *Source, done <-chan struct{}, fn func(*event.Event)) {
	t.Helper()
	for {
		e, err := s.Next(20 * time.Millisecond)
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			t.Fatal(err)
		case e != nil:
			fn(e)
		}
		select {
		case <-done:
			done = nil
			if err := s.Stop(); err != nil {
				t.Fatal(err)
			}
		default:
		}
	}
}

// traced runs a command under a plan and returns its events, and its exit status.
func traced(t testing.TB, p *event.Plan, args ...string) (evs []seen, s *Source) {
	t.Helper()
	return tracedOn(t, 0, p, args...)
}

// tracedOn does it as on a kernel that lacks something.
func tracedOn(t testing.TB, lacks lack, p *event.Plan, args ...string) (evs []seen, s *Source) {
	t.Helper()
	cmd, release := held(t, args...)
	p.Target.Child = cmd.Process.Pid
	s = openedOn(t, lacks, p)
	release()
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	drain(t, s, done, func(e *event.Event) { evs = append(evs, keep(e)) })
	return evs, s
}

// calls filters the returned calls with a number.
func calls(evs []seen, nr uint32) (cs []seen) {
	for _, e := range evs {
		if e.Kind == event.KindSyscall && e.NR == nr {
			cs = append(cs, e)
		}
	}
	return cs
}

func kinds(evs []seen, k event.Kind) (ks []seen) {
	for _, e := range evs {
		if e.Kind == k {
			ks = append(ks, e)
		}
	}
	return ks
}

func dataOf(ps []event.Piece, op uint8) (all []string) {
	for _, p := range ps {
		if p.Op == op {
			all = append(all, string(p.Data))
		}
	}
	return all
}

func wantStrings(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// missed skips the rest of a test if the kernel did not run a program because
// another task had been preempted in it: since Linux 7.0 that can be, and in an
// emulated machine it is frequent. The ledger must tell.
func missed(t *testing.T, s *Source) {
	t.Helper()
	if n := s.Ledger().Lost[event.Missed]; n > 0 && emulated() {
		t.Skipf("SKIP-NEED: time: %d calls were missed, because tasks were preempted in a program", n)
	}
}
