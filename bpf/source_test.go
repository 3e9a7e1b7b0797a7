package bpf

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

var (
	atExitPath = event.Capture{Kind: event.CapString, When: event.AtExit, From: 1, Max: event.MaxPath}
	execPlan   = []event.Capture{
		{Kind: event.CapString, When: event.AtEntry, From: 0, Max: event.MaxPath},
		{Kind: event.CapVector, When: event.AtEntry, From: 1, Max: 264},
		{Kind: event.CapString, When: event.AtEntry, From: event.FromOp + 1, Stride: 8},
	}
)

func TestACommandIsTracedFromItsExecveToItsEnd(t *testing.T) {
	need.BPF(t)
	p := commandPlan()
	capture(p, unix.SYS_EXECVE, execPlan...)
	capture(p, unix.SYS_OPENAT, atExitPath)
	capture(p, unix.SYS_EXIT_GROUP)
	capture(p, unix.SYS_READ)
	evs, s := traced(t, p, "/bin/cat", "/etc/hostname", "")

	if len(evs) == 0 || evs[0].Kind != event.KindExec {
		t.Fatalf("first event: %+v, want the exec", evs)
	}
	exec := calls(evs, unix.SYS_EXECVE)
	if len(exec) != 1 {
		t.Fatalf("%d execve, want 1 (the shell's own reads must not show)", len(exec))
	}
	wantStrings(t, "path", dataOf(exec[0].in, 0), "/bin/cat")
	wantStrings(t, "argv", dataOf(exec[0].in, 2), "/bin/cat", "/etc/hostname", "")
	if exec[0].Ret != 0 || exec[0].Seq != 1 {
		t.Errorf("execve: result %d, number %d; want 0, 1", exec[0].Ret, exec[0].Seq)
	}
	var opened []string
	for _, c := range calls(evs, unix.SYS_OPENAT) {
		opened = append(opened, dataOf(c.out, 0)...)
	}
	if i := slices.Index(opened, "/etc/hostname"); i < 0 || i+1 == len(opened) || opened[i+1] != "" {
		t.Errorf("opened %q, want …, /etc/hostname, and the empty string", opened)
	}
	end := kinds(evs, event.KindNoReturn)
	if len(end) != 1 || end[0].NR != unix.SYS_EXIT_GROUP || end[0].Args[0] != 1 {
		t.Errorf("calls without return: %+v, want exit_group(1)", end)
	}
	exit := kinds(evs, event.KindExit)
	if len(exit) != 1 || exit[0].Status != 0x100 || exit[0].Flags&event.GroupDead == 0 {
		t.Errorf("exits: %+v, want one of status 0x100 of a whole process", exit)
	}
	for i := 1; i < len(evs); i++ {
		if evs[i].Time < evs[i-1].Time {
			t.Errorf("event %d is older than the one before", i)
		}
	}
	l := s.Ledger()
	n := uint64(len(kinds(evs, event.KindSyscall)) + len(end))
	if l.Issued != n || l.Emitted != n || l.LostTotal() != 0 {
		t.Errorf("ledger %+v, want %d issued and emitted", l, n)
	}
}

func TestEntriesAreEventsOfTheirOwnIfAskedFor(t *testing.T) {
	need.BPF(t)
	p := commandPlan()
	p.EnterEvent = true
	capture(p, unix.SYS_EXECVE, execPlan...)
	capture(p, unix.SYS_OPENAT, atExitPath)
	capture(p, unix.SYS_EXIT_GROUP)
	evs, _ := traced(t, p, "/bin/true")
	var open *seen
	enters, returns := 0, 0
	for i := range evs {
		e := &evs[i]
		switch e.Kind {
		case event.KindEnter:
			if enters == 0 {
				wantStrings(t, "path of the execve at its entry", dataOf(e.in, 0), "/bin/true")
			}
			enters++
			if open != nil {
				t.Errorf("entry of %d before the return of %d", e.NR, open.NR)
			}
			open = e
		case event.KindSyscall:
			returns++
			if open == nil || open.NR != e.NR || open.Time != e.Enter || open.Args != e.Args {
				t.Errorf("return %+v without its entry %+v", e.Event, open)
			}
			open = nil
		}
	}
	if enters < 1 || enters != returns {
		t.Errorf("%d entries and %d returns, want the same", enters, returns)
	}
}

func TestAnEventIsThereWithinTwoTicks(t *testing.T) {
	need.BPF(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := commandPlan()
	p.Target.TIDs = []int{unix.Gettid()}
	capture(p, unix.SYS_GETPPID)
	s := opened(t, p)
	best := time.Hour // this machine may be busy
	for range 10 {
		began := time.Now()
		unix.Getppid()
		for {
			e, err := s.Next(100 * time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			if e != nil {
				break
			}
			if time.Since(began) > 10*time.Second {
				t.Fatal("no event in 10 seconds")
			}
		}
		best = min(best, time.Since(began))
	}
	if best > 2*tick {
		t.Errorf("an event takes %v, want %v at most", best, 2*tick)
	}
}

func TestWakeEndsAWait(t *testing.T) {
	need.BPF(t)
	p := commandPlan()
	capture(p, unix.SYS_GETPPID)
	s := opened(t, p)
	if _, err := s.Next(0); err != nil {
		t.Fatal(err)
	}
	s.Wake()
	if e, err := s.Next(time.Hour); e != nil || err != nil {
		t.Errorf("got %v, %v; want nothing", e, err)
	}
}

func TestReadingAnEventDoesNotAllocate(t *testing.T) {
	need.BPF(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := commandPlan()
	p.Target.TIDs = []int{unix.Gettid()}
	p.RingBytes = 16 << 20
	capture(p, unix.SYS_GETPPID)
	s := opened(t, p)
	for range 20_000 {
		unix.RawSyscall(unix.SYS_GETPPID, 0, 0, 0)
	}
	next := func() *event.Event {
		e, err := s.Next(0)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if next() == nil {
		t.Fatal("no event")
	}
	none := 0
	if n := testing.AllocsPerRun(10_000, func() {
		if next() == nil {
			none++
		}
	}); n != 0 {
		t.Errorf("%v allocations an event, want 0", n)
	}
	if none > 0 {
		t.Errorf("%d times no event, want 0", none)
	}
}
