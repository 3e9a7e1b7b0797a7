//go:build amd64

package ptrace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"perftrace/event"
	"perftrace/event/need"
)

var built = struct {
	sync.Mutex
	dir   string
	paths map[string]string
}{paths: make(map[string]string)}

func TestMain(m *testing.M) {
	if os.Getenv("PTRACE_TEST_FILTERED") != "" {
		becomeFiltered()
	}
	code := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// target returns the program testdata/target.c, built with these options.
func target(t testing.TB, options ...string) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	gcc := need.Command(t, "gcc")
	key := strings.Join(options, " ")
	if p := built.paths[key]; p != "" {
		return p
	}
	if built.dir == "" {
		dir, err := os.MkdirTemp("", "ptrace-test")
		if err != nil {
			t.Fatal(err)
		}
		built.dir = dir
	}
	p := filepath.Join(built.dir, fmt.Sprintf("target%d", len(built.paths)))
	args := append([]string{"-O1", "-pthread", "-o", p, "testdata/target.c"}, options...)
	if out, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
		t.Fatalf("build testdata/target.c: %v\n%s", err, out)
	}
	built.paths[key] = p
	return p
}

// hold starts a command that waits before its execve; release lets it go.
func hold(t testing.TB, argv ...string) (pid int, release func()) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ready, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", `echo >&4; read _ <&3; exec "$@" 3<&- 4>&-`, "sh"}, argv...)...)
	cmd.ExtraFiles = []*os.File{r, held}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	held.Close()
	if _, err := ready.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	ready.Close()
	t.Cleanup(func() { // after the Source was closed
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd.Process.Pid, func() { fmt.Fprintln(w); w.Close() }
}

// allCalls is a plan that traces every call.
func allCalls() *event.Plan {
	p := &event.Plan{StringMax: 32, Times: true}
	for abi := range p.Calls {
		for i := range p.Calls[abi] {
			p.Calls[abi][i] = ^uint64(0)
		}
	}
	return p
}

// only is a plan that traces some calls of the native table.
func only(nrs ...uint32) *event.Plan {
	p := &event.Plan{StringMax: 32}
	for _, nr := range nrs {
		p.Calls[event.Native].Add(nr)
	}
	return p
}

// keep copies an event that is lent.
func keep(e *event.Event) event.Event {
	k := *e
	k.In, k.Out, k.Siginfo = slices.Clone(e.In), slices.Clone(e.Out), slices.Clone(e.Siginfo)
	return k
}

// drain collects what Next returns until io.EOF, but not for longer than 20 s.
func drain(t testing.TB, s *Source) []event.Event {
	t.Helper()
	var all []event.Event
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		e, err := s.Next(time.Second)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if e != nil {
			all = append(all, keep(e))
		}
	}
	t.Fatalf("no end after %d events", len(all))
	return nil
}

// open opens s on the plan and closes it with the test.
func open(t testing.TB, s *Source, p *event.Plan) {
	t.Helper()
	need.Root(t)
	if err := s.Open(p); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
}

// trace runs a command under a plan to its end.
func trace(t testing.TB, s *Source, p *event.Plan, argv ...string) []event.Event {
	t.Helper()
	pid, release := hold(t, argv...)
	p.Target.Child = pid
	open(t, s, p)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	release()
	all := drain(t, s)
	l := s.Ledger()
	var emitted uint64
	for i := range all {
		if k := all[i].Kind; k == event.KindSyscall || k == event.KindNoReturn {
			emitted++
		}
	}
	if l.Emitted != emitted || l.Issued != l.Emitted+l.Filtered || l.LostTotal() != 0 {
		t.Errorf("ledger %+v, %d calls seen; want them equal, issued = emitted + filtered, and nothing lost", l, emitted)
	}
	checkSeq(t, all)
	return all
}

// checkSeq fails if the calls of a task are not numbered 1, 2, 3 … . After an
// execve the numbers are those of the task that called it.
func checkSeq(t testing.TB, all []event.Event) {
	t.Helper()
	seq := make(map[uint32]uint64)
	for _, e := range all {
		switch e.Kind {
		case event.KindExec:
			seq[e.TID] = seq[e.OldTID]
		case event.KindSyscall, event.KindNoReturn:
			seq[e.TID]++
			if e.Seq != seq[e.TID] {
				t.Errorf("call %d of task %d has number %d, want %d", e.NR, e.TID, e.Seq, seq[e.TID])
				return
			}
		}
	}
}

// count counts the returned calls of a number.
func count(all []event.Event, abi event.ABI, nr uint32) (n int) {
	for i := range all {
		if e := &all[i]; e.Kind == event.KindSyscall && e.ABI == abi && e.NR == nr {
			n++
		}
	}
	return n
}

// kinds counts the events of a kind.
func kinds(all []event.Event, k event.Kind) (n int) {
	for i := range all {
		if all[i].Kind == k {
			n++
		}
	}
	return n
}

var names = [...]string{"call", "enter", "noreturn", "signal", "exit", "exec", "fork", "rename", "stop", "lost"}

// story writes the events from the first that is no start-up noise, one word each.
func story(all []event.Event) string {
	var b strings.Builder
	for i := range all {
		e := &all[i]
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(names[e.Kind])
		switch e.Kind {
		case event.KindSyscall, event.KindEnter, event.KindNoReturn:
			fmt.Fprintf(&b, ":%d", e.NR)
		case event.KindSignal:
			fmt.Fprintf(&b, ":%d", e.Signal)
		case event.KindStop:
			fmt.Fprintf(&b, ":%d", e.Ret)
		case event.KindExit:
			fmt.Fprintf(&b, ":%#x", e.Status)
		}
	}
	return b.String()
}
