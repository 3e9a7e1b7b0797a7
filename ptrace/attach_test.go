//go:build amd64

package ptrace

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

// A running is a process that another thread started, as a user's would be.
type running struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.ReadCloser
}

// begin starts a target and reads the first byte that it writes.
func begin(t *testing.T, argv ...string) *running {
	t.Helper()
	r := &running{}
	done := make(chan error)
	go func() {
		// Locked and not unlocked: the thread that made the child ends with
		// this goroutine, so the test's thread never is its parent.
		runtime.LockOSThread()
		r.cmd = exec.Command(argv[0], argv[1:]...)
		r.in, _ = r.cmd.StdinPipe()
		r.out, _ = r.cmd.StdoutPipe()
		done <- r.cmd.Start()
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
	})
	r.read(t)
	return r
}

func (r *running) read(t *testing.T) byte {
	t.Helper()
	var b [1]byte
	if _, err := r.out.Read(b[:]); err != nil {
		t.Fatal("the target is gone: ", err)
	}
	return b[0]
}

func TestAttachAndDetachLeaveNineThreadsUnharmed(t *testing.T) {
	need.Root(t)
	r := begin(t, target(t), "spin")
	pid := r.cmd.Process.Pid
	for round := range 20 {
		s := &Source{}
		p := only(unix.SYS_GETPPID)
		p.Target.PIDs = []int{pid}
		open(t, s, p)
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		seen := make(map[uint32]bool)
		for end := time.Now().Add(10 * time.Second); len(seen) < 8 && time.Now().Before(end); {
			e, err := s.Next(time.Second)
			if err != nil {
				t.Fatal(err)
			}
			if e != nil && e.Kind == event.KindSyscall {
				seen[e.TID] = true
			}
		}
		if len(seen) != 8 {
			t.Fatalf("round %d: calls of %d threads, want 8", round, len(seen))
		}
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		drain(t, s)
		if l := s.Ledger(); l.Issued != l.Emitted+l.Filtered {
			t.Errorf("round %d: ledger %+v does not add up", round, l)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.in.Write([]byte("?")); err != nil {
			t.Fatal(err)
		}
		if got := r.read(t); got != 'k' {
			t.Fatalf("round %d: a thread does not go on (%c)", round, got)
		}
		if v, err := status(pid, "TracerPid"); err != nil || v != "0" {
			t.Fatalf("round %d: tracer %q, %v; want none", round, v, err)
		}
	}
}

func TestLettingGoAmidAStormOfForksLeavesNobodyStopped(t *testing.T) {
	need.Root(t)
	for _, events := range []int{10, 100, 300, 1000} {
		r := begin(t, target(t), "storm", "60")
		s := &Source{}
		p := allCalls()
		p.Signals = true
		p.Target.PIDs = []int{r.cmd.Process.Pid}
		p.Target.Follow = true
		p.Target.Descendants = true
		open(t, s, p)
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		for range events {
			if _, err := s.Next(time.Second); err != nil {
				t.Fatalf("after %+v: %v", s.Ledger(), err)
			}
		}
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		if n := len(s.tasks); n != 0 {
			t.Errorf("%d tasks were not let go", n)
		}
		said := make(chan byte, 1)
		go func() {
			var b [1]byte
			_, _ = r.out.Read(b[:])
			said <- b[0]
		}()
		select {
		case b := <-said:
			if b != 'k' {
				t.Errorf("the target says %q, want k", b)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("after %d events: the target hangs", events)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAStormOfForksIsFollowedToItsEnd(t *testing.T) {
	p := only(unix.SYS_GETPPID, unix.SYS_CLONE)
	p.Target.Follow = true
	all := trace(t, &Source{}, p, target(t), "storm", "100")
	alive := map[uint32]bool{all[0].TID: true}
	for _, e := range all {
		switch e.Kind {
		case event.KindFork:
			alive[e.Child] = true
		case event.KindExit:
			if !alive[e.TID] {
				t.Errorf("task %d ended, which no fork told of", e.TID)
			}
			delete(alive, e.TID)
		}
	}
	if len(alive) != 0 {
		t.Errorf("tasks whose end was not told: %v", alive)
	}
}

func TestTheTargetLivesOnWhenItsTracerDies(t *testing.T) {
	need.Root(t)
	if pid := os.Getenv("PTRACE_TEST_TRACER_OF"); pid != "" {
		p := allCalls()
		for _, c := range pid {
			if len(p.Target.PIDs) == 0 {
				p.Target.PIDs = []int{0}
			}
			p.Target.PIDs[0] = p.Target.PIDs[0]*10 + int(c-'0')
		}
		s := &Source{}
		open(t, s, p)
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		for i := 0; ; i++ {
			if _, err := s.Next(time.Second); err != nil {
				t.Fatal(err)
			}
			if i == 1000 {
				os.Stdout.WriteString("tracing\n")
			}
		}
	}
	r := begin(t, target(t), "spin")
	tracer := exec.Command(os.Args[0], "-test.run=^TestTheTargetLivesOnWhenItsTracerDies$")
	tracer.Env = append(os.Environ(), "PTRACE_TEST_TRACER_OF="+itoa(r.cmd.Process.Pid))
	out, err := tracer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tracer.Start(); err != nil {
		t.Fatal(err)
	}
	var b [8]byte
	if _, err := io.ReadFull(out, b[:]); err != nil || string(b[:]) != "tracing\n" {
		t.Fatalf("the tracer says %q, %v", b, err)
	}
	if err := tracer.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = tracer.Wait()
	if _, err := r.in.Write([]byte("?")); err != nil {
		t.Fatal(err)
	}
	if got := r.read(t); got != 'k' {
		t.Fatalf("a thread does not go on (%c)", got)
	}
}

func TestAStoppedTargetIsStillStoppedAfterDetach(t *testing.T) {
	need.Root(t)
	r := begin(t, target(t), "spin")
	pid := r.cmd.Process.Pid
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "stopped", func() bool { return state(pid) == "T" })
	s := &Source{}
	p := allCalls()
	p.Target.PIDs = []int{pid}
	open(t, s, p)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	stops := 0
	for stops < 9 {
		e, err := s.Next(time.Second)
		if err != nil || e == nil {
			t.Fatalf("after %d stops: %v, %v", stops, e, err)
		}
		if e.Kind == event.KindStop && e.Ret == int64(unix.SIGSTOP) {
			stops++
		} else {
			t.Fatalf("event %s of a stopped process", names[e.Kind])
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "stopped again", func() bool { return state(pid) == "T" })
	if err := unix.Kill(pid, unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if _, err := r.in.Write([]byte("?")); err != nil {
		t.Fatal(err)
	}
	if got := r.read(t); got != 'k' {
		t.Fatalf("a thread does not go on (%c)", got)
	}
}

func TestATaskThatCanNotStopYetIsTracedFromItsNextCallOn(t *testing.T) {
	need.Root(t)
	r := begin(t, target(t), "vforked-while-attached")
	eventually(t, "in vfork", func() bool { return state(r.cmd.Process.Pid) == "D" })
	s := &Source{}
	p := only(unix.SYS_VFORK, unix.SYS_GETPPID)
	p.Target.PIDs = []int{r.cmd.Process.Pid}
	open(t, s, p)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	if got, want := story(drain(t, s)), "call:110 exit:0x0"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
}

func TestAProcessWhoseFirstThreadHasEndedCanBeAttachedTo(t *testing.T) {
	need.Root(t)
	r := begin(t, target(t), "leader-gone")
	pid := r.cmd.Process.Pid
	eventually(t, "first thread gone", func() bool { return state(pid) == "Z" })
	s := &Source{}
	p := only(unix.SYS_GETPPID)
	p.Target.PIDs = []int{pid}
	open(t, s, p)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, s, "getppid", func(e *event.Event) bool { return e.NR == unix.SYS_GETPPID && e.TID != e.TGID })
	begin := time.Now()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(begin); d > 10*time.Second {
		t.Errorf("letting go took %v", d)
	}
}

func TestOneThreadCanBeTracedAlone(t *testing.T) {
	need.Root(t)
	r := begin(t, target(t), "spin")
	tids, err := threads(r.cmd.Process.Pid)
	if err != nil || len(tids) != 9 {
		t.Fatalf("threads %v, %v; want nine", tids, err)
	}
	s := &Source{}
	p := only(unix.SYS_GETPPID)
	p.Target.TIDs = tids[3:4]
	open(t, s, p)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		e, err := s.Next(time.Second)
		if err != nil || e == nil {
			t.Fatal(e, err)
		}
		if e.TID != uint32(tids[3]) || e.TGID != uint32(r.cmd.Process.Pid) {
			t.Fatalf("event of task %d in process %d", e.TID, e.TGID)
		}
	}
}

func TestErrorsOfAttachingSayWhy(t *testing.T) {
	need.Root(t)
	r := begin(t, target(t), "spin")
	p := allCalls()
	p.Target.PIDs = []int{r.cmd.Process.Pid}
	open(t, &Source{}, p)

	failed := make(chan error)
	go func() { failed <- (&Source{}).Open(p) }()
	// The same process may attach only once; here the tracer is this process.
	if err := <-failed; err != nil && !errors.Is(err, unix.EPERM) {
		t.Errorf("a second tracer: %v", err)
	}

	gone := allCalls()
	gone.Target.PIDs = []int{1 << 22}
	err := (&Source{}).Open(gone)
	if !errors.Is(err, unix.ESRCH) || !strings.Contains(err.Error(), "4194304") {
		t.Errorf("no such process: %v", err)
	}
	all := allCalls()
	all.Target.All = true
	if err := (&Source{}).Open(all); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("whole machine: %v", err)
	}
}

func TestNextWaitsNoLongerThanItsTimeoutAndCanBeWoken(t *testing.T) {
	s := &Source{}
	run(t, s, only(unix.SYS_GETPPID), target(t), "pause")
	until(t, s, "getppid", func(e *event.Event) bool { return e.NR == unix.SYS_GETPPID })
	begin := time.Now()
	if e, err := s.Next(60 * time.Millisecond); e != nil || err != nil {
		t.Fatal(e, err)
	}
	if d := time.Since(begin); d < 40*time.Millisecond || d > 8*time.Second {
		t.Errorf("waited %v, want about 60 ms", d)
	}
	woken := make(chan time.Time, 1)
	time.AfterFunc(30*time.Millisecond, func() { woken <- time.Now(); s.Wake() })
	if e, err := s.Next(10 * time.Second); e != nil || err != nil {
		t.Fatal(e, err)
	}
	if d := time.Since(<-woken); d < 0 || d > 8*time.Second {
		t.Errorf("returned %v after the wake", d)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if e, err := s.Next(time.Hour); e != nil || err != io.EOF {
		t.Errorf("after Stop: %v, %v; want the end", e, err)
	}
}

func itoa(n int) string {
	var b []byte
	for ; n > 0; n /= 10 {
		b = append([]byte{byte('0' + n%10)}, b...)
	}
	return string(b)
}
