//go:build amd64

package ptrace

import (
	"encoding/binary"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/event"
)

func TestSignalsAreToldWhenTheyAreDelivered(t *testing.T) {
	p := only(unix.SYS_GETPPID, unix.SYS_GETPGID)
	p.Signals = true
	all := trace(t, &Source{}, p, target(t), "signals")
	// Handled, ignored, blocked until after getppid, and the one that kills.
	want := "exec signal:10 signal:12 call:110 signal:1 call:121 signal:15 exit:0xf"
	if got := story(all); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if e := all[1]; len(e.Siginfo) != 128 || binary.LittleEndian.Uint32(e.Siginfo) != 10 {
		t.Errorf("siginfo %v, want one of signal 10", e.Siginfo)
	}
}

func TestSignalsAreNotToldUnasked(t *testing.T) {
	all := trace(t, &Source{}, only(unix.SYS_GETPPID, unix.SYS_GETPGID), target(t), "signals")
	if got, want := story(all), "exec call:110 call:121 exit:0xf"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// state returns the letter of a task's state in /proc.
func state(tid int) string {
	v, err := status(tid, "State")
	if err != nil {
		return ""
	}
	return v[:1]
}

// eventually fails when a condition does not come true in 5 s.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 5 s: %s", what)
		}
	}
}

// until calls Next until an event is what the test waits for.
func until(t *testing.T, s *Source, what string, ok func(e *event.Event) bool) []event.Event {
	t.Helper()
	var all []event.Event
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		e, err := s.Next(100 * time.Millisecond)
		if err != nil {
			t.Fatalf("waiting for %s: %v", what, err)
		}
		if e != nil {
			all = append(all, keep(e))
			if ok(e) {
				return all
			}
		}
	}
	t.Fatalf("no %s within 5 s: %s", what, story(all))
	return nil
}

// run begins to trace a command.
func run(t *testing.T, s *Source, p *event.Plan, argv ...string) (pid int) {
	t.Helper()
	pid, release := hold(t, argv...)
	p.Target.Child = pid
	open(t, s, p)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	release()
	return pid
}

func TestAStoppedProcessStaysStoppedUntilItIsContinued(t *testing.T) {
	p := only(unix.SYS_GETPPID)
	p.Signals = true
	s := &Source{}
	pid := run(t, s, p, target(t), "stop")
	first := until(t, s, "stop", func(e *event.Event) bool { return e.Kind == event.KindStop })
	if got, want := story(first), "exec call:110 signal:19 stop:19"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for range 3 {
		if e, err := s.Next(20 * time.Millisecond); e != nil || err != nil {
			t.Fatalf("event %+v, %v of a stopped process", e, err)
		}
	}
	if err := unix.Kill(pid, unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if got, want := story(drain(t, s)), "signal:18 call:110 call:110 exit:0x0"; got != want {
		t.Errorf("continued: got %s, want %s", got, want)
	}
}

func TestAKilledProcessLeavesItsCallWithoutReturn(t *testing.T) {
	s := &Source{}
	pid := run(t, s, only(unix.SYS_GETPPID, unix.SYS_PAUSE), target(t), "pause")
	until(t, s, "getppid", func(e *event.Event) bool { return e.NR == unix.SYS_GETPPID })
	for range 2 { // it is in pause now
		if e, err := s.Next(50 * time.Millisecond); e != nil || err != nil {
			t.Fatalf("event %+v, %v of a process that waits", e, err)
		}
	}
	if in := s.InFlight(s.now(), nil); len(in) != 1 || in[0].NR != unix.SYS_PAUSE || in[0].Since == 0 {
		t.Errorf("in flight: %+v, want the pause", in)
	}
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got, want := story(drain(t, s)), "noreturn:34 exit:0x9"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestACallThatASignalRestartsShowsTheKernelsCode(t *testing.T) {
	p := only(unix.SYS_CLOCK_NANOSLEEP, unix.SYS_RESTART_SYSCALL)
	p.Signals = true
	all := trace(t, &Source{}, p, target(t), "restart")
	var calls []event.Event
	for _, e := range all {
		if e.Kind == event.KindSyscall {
			calls = append(calls, e)
		}
	}
	if len(calls) < 2 {
		t.Fatalf("got %s, want a call that is interrupted and restarted", story(all))
	}
	if e := calls[0]; e.NR != unix.SYS_CLOCK_NANOSLEEP || e.Ret != -516 || e.Flags&event.Restarted == 0 {
		t.Errorf("call %d: result %d flags %#x, want -516 (ERESTART_RESTARTBLOCK), restarted", e.NR, e.Ret, e.Flags)
	}
	if e := calls[len(calls)-1]; e.NR != unix.SYS_RESTART_SYSCALL || e.Ret != 0 || e.Flags&event.Restarted != 0 {
		t.Errorf("call %d: result %d flags %#x, want restart_syscall and success", e.NR, e.Ret, e.Flags)
	}
}
