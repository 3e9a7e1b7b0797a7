package perf

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

// all is the set of every call.
func all() (c event.CallSets) {
	for a := range c {
		for i := range c[a] {
			c[a][i] = ^uint64(0)
		}
	}
	return c
}

// only is a set of native calls.
func only(nrs ...uint32) (c event.CallSets) {
	for _, nr := range nrs {
		c[event.Native].Add(nr)
	}
	return c
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
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, func() { w.WriteString("\n"); w.Close() }
}

// opened opens and starts a Source.
func opened(t testing.TB, s *Source, p *event.Plan) *Source {
	t.Helper()
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

// drain hands every event to fn until the source ends. It stops the source
// when done is closed.
func drain(t testing.TB, s *Source, done <-chan struct{}, fn func(*event.Event)) {
	t.Helper()
	for {
		e, err := s.Next(20 * time.Millisecond)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if e != nil {
			fn(e)
			continue
		}
		select {
		case <-done:
			if err := s.Stop(); err != nil {
				t.Fatal(err)
			}
		default:
		}
	}
}

// waited is closed when the command has ended.
func waited(cmd *exec.Cmd) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		cmd.Wait()
		close(done)
	}()
	return done
}

func TestACommandIsTracedFromItsExecveToItsExitGroup(t *testing.T) {
	need.Perf(t)
	cmd, release := held(t, "/bin/true")
	s := opened(t, &Source{}, &event.Plan{Target: event.Target{Child: cmd.Process.Pid, Follow: true}, Calls: all()})
	release()
	var calls []event.Event
	var kinds []event.Kind
	drain(t, s, waited(cmd), func(e *event.Event) {
		if int(e.TGID) != cmd.Process.Pid {
			t.Errorf("an event of process %d: %+v", e.TGID, e)
		}
		if e.Kind == event.KindSyscall || e.Kind == event.KindNoReturn {
			calls = append(calls, *e)
		}
		kinds = append(kinds, e.Kind)
	})
	if len(calls) < 5 {
		t.Fatalf("%d calls: %+v", len(calls), kinds)
	}
	first, last := calls[0], calls[len(calls)-1]
	if first.NR != unix.SYS_EXECVE || first.Flags != event.HasEnter || first.Ret != 0 || first.Args[0] == 0 {
		t.Errorf("the first call is %+v, want a successful execve", first)
	}
	if last.Kind != event.KindNoReturn || last.NR != unix.SYS_EXIT_GROUP || last.Args[0] != 0 {
		t.Errorf("the last call is %+v, want exit_group(0)", last)
	}
	for i, c := range calls {
		if c.Flags&event.HasEnter == 0 {
			t.Errorf("call %d has no entry: %+v", i, c)
		}
	}
	if k := kinds[len(kinds)-1]; k != event.KindExit {
		t.Errorf("the last event is of kind %d, want KindExit", k)
	}
	if l := s.Ledger(); l.Issued != uint64(len(calls)) || l.Emitted != l.Issued {
		t.Errorf("%d calls, ledger %+v", len(calls), l)
	}
}
