package bpf

import (
	"bytes"
	"encoding/binary"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

const family = `
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static void *thread(void *x) { syscall(SYS_getppid); return 0; }
int main(int argc, char **argv) {
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	pthread_join(t, 0);
	for (int i = 0; i < 3; i++) {
		if (!fork()) {
			syscall(SYS_getppid);
			if (i == 2) {
				if (!vfork()) execl("/bin/true", "true", (char *)0);
				wait(0);
			}
			_exit(i);
		}
		wait(0);
	}
	syscall(SYS_getppid);
	return 7;
}`

func familyPlan() *event.Plan {
	p := commandPlan()
	capture(p, unix.SYS_GETPPID)
	for _, nr := range []uint32{unix.SYS_CLONE, unix.SYS_CLONE3, unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_WAIT4} {
		capture(p, nr)
	}
	capture(p, unix.SYS_EXIT_GROUP)
	capture(p, unix.SYS_EXECVE)
	return p
}

func TestChildrenAreFollowedIfAskedFor(t *testing.T) {
	need.BPF(t)
	bin := need.C(t, family, "-pthread")
	for _, c := range []struct {
		follow bool
		lacks  lack
	}{{true, 0}, {false, 0}, {true, lackStorage}, {true, lackIterator}} {
		follow := c.follow
		p := familyPlan()
		p.Target.Follow = follow
		evs, s := tracedOn(t, c.lacks, p, bin)
		if got, want := len(s.Missing()), min(int(c.lacks), 1); got != want && s.lacks == c.lacks {
			t.Errorf("lacking %b: %d sentences of what is missing, want %d", c.lacks, got, want)
		}
		missed(t, s)
		getppid := map[uint32]int{}
		for _, e := range calls(evs, unix.SYS_GETPPID) {
			getppid[e.TID]++
		}
		// main, the thread, three children; without following the first two
		want := 2
		if follow {
			want = 5
		}
		if len(getppid) != want {
			t.Errorf("%+v: getppid of tasks %v, want %d tasks", c, getppid, want)
		}
		// Nobody sees a fork return twice.
		for _, e := range evs {
			if e.Kind == event.KindSyscall && e.Ret == 0 && (e.NR == unix.SYS_CLONE || e.NR == unix.SYS_CLONE3 || e.NR == unix.SYS_VFORK) {
				t.Errorf("%+v: the child's return from its fork is shown: %+v", c, e.Event)
			}
		}
		if !follow {
			continue
		}
		children := map[uint32]bool{}
		for _, e := range kinds(evs, event.KindFork) {
			children[e.Child] = true
		}
		var ended []uint32
		for _, e := range kinds(evs, event.KindExit) {
			ended = append(ended, e.Status)
		}
		slices.Sort(ended)
		if len(children) != 5 || !slices.Equal(ended, []uint32{0, 0, 0, 0x100, 0x200, 0x700}) {
			t.Errorf("children %v, ends %x; want 5 children, and ends of 0 0 0 1 2 7", children, ended)
		}
		if l := s.Ledger(); l.Issued != l.Emitted || l.Issued == 0 {
			t.Errorf("ledger %+v, want all emitted", l)
		}
	}
}

const threads9 = `
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int z[2];
static void *run(void *x) {
	char path[64], c;
	sprintf(path, "/nonexistent/file-%ld", (long)x);
	read(z[0], &c, 1);
	open(path, O_RDONLY);
	return 0;
}
int main(void) {
	pthread_t t[9];
	char c;
	pipe(z);
	for (long i = 0; i < 9; i++) pthread_create(&t[i], 0, run, (void *)i);
	puts("ready");
	fflush(stdout);
	read(0, &c, 1);
	write(z[1], "123456789", 9);
	for (int i = 0; i < 9; i++) pthread_join(t[i], 0);
	return 0;
}`

func TestAllNineThreadsOfARunningProcess(t *testing.T) {
	need.BPF(t)
	for _, lacks := range []lack{0, lackThreadPidfd, lackStorage, lackIterator} {
		nineThreads(t, lacks)
	}
}

func nineThreads(t *testing.T, lacks lack) {
	t.Helper()
	cmd := exec.Command(need.C(t, threads9, "-pthread"))
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // until all of them are in read
	p := commandPlan()
	capture(p, unix.SYS_OPENAT, atExitPath)
	capture(p, unix.SYS_READ)
	p.Target.PIDs = []int{cmd.Process.Pid}
	s := openedOn(t, lacks, p)

	pending := s.InFlight(now(), nil)
	if len(pending) != 10 {
		t.Errorf("%d calls in progress at attach, want 10 reads: %+v", len(pending), pending)
	}
	for _, c := range pending {
		if c.NR != unix.SYS_READ || c.Flags&event.Resumed == 0 || int(c.TGID) != cmd.Process.Pid {
			t.Errorf("in progress at attach: %+v, want a resumed read of process %d", c, cmd.Process.Pid)
		}
	}
	in.Close()
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	var files []string
	resumed := 0
	drain(t, s, done, func(e *event.Event) {
		if e.Kind == event.KindSyscall && e.NR == unix.SYS_OPENAT {
			files = append(files, dataOf(pieces(e.Out), 0)...)
		}
		if e.Kind == event.KindSyscall && e.NR == unix.SYS_READ && e.Flags&event.Resumed != 0 {
			resumed++
		}
	})
	missed(t, s)
	slices.Sort(files)
	var want []string
	for i := range 9 {
		want = append(want, "/nonexistent/file-"+strconv.Itoa(i))
	}
	wantStrings(t, "opened", files, want...)
	if resumed != 10 {
		t.Errorf("%d resumed reads, want 10", resumed)
	}
	if left := s.InFlight(now(), nil); len(left) != 0 {
		t.Errorf("in progress at the end: %+v", left)
	}
}

const names = `
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
	syscall(SYS_getppid);
	prctl(PR_SET_NAME, "renamed");
	syscall(SYS_getppid);
	execl("/bin/true", "true", (char *)0);
	return 1;
}`

func TestTheNameIsThatOfTheMoment(t *testing.T) {
	need.BPF(t)
	p := commandPlan()
	p.Comm, p.IP = true, true
	capture(p, unix.SYS_GETPPID)
	capture(p, unix.SYS_EXIT_GROUP)
	evs, _ := traced(t, p, need.C(t, names))
	var got []string
	for _, e := range evs {
		name := string(bytes.TrimRight(e.Comm[:], "\x00"))
		switch e.Kind {
		case event.KindSyscall, event.KindNoReturn:
			got = append(got, "call "+name)
			if e.IP == 0 {
				t.Error("no instruction pointer")
			}
		case event.KindExec:
			got = append(got, "exec "+name)
		case event.KindRename:
			got = append(got, "rename "+name)
		}
	}
	wantStrings(t, "names", got,
		"exec program", "call program", "rename renamed", "call renamed",
		"rename true", "exec true", "call true")
}

const signals = `
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void on(int s) {}
int main(void) {
	signal(SIGUSR1, on);
	raise(SIGUSR1);
	if (!fork()) _exit(3);
	wait(0);
	signal(SIGUSR2, SIG_IGN);
	raise(SIGUSR2);
	abort();
}`

func TestSignalsAreToldWhenTheyArriveOrAreIgnored(t *testing.T) {
	need.BPF(t)
	p := commandPlan()
	p.Signals = true
	capture(p, unix.SYS_RT_SIGRETURN)
	evs, _ := traced(t, p, need.C(t, signals))
	type sig struct {
		signal, si uint32
		ignored    bool
	}
	var got []sig
	for _, e := range kinds(evs, event.KindSignal) {
		s := sig{signal: e.Signal, ignored: e.Flags&event.Ignored != 0}
		if len(e.Siginfo) >= 12 {
			s.si = binary.LittleEndian.Uint32(e.Siginfo)
		}
		got = append(got, s)
	}
	usr1, usr2, chld, abrt := uint32(unix.SIGUSR1), uint32(unix.SIGUSR2), uint32(unix.SIGCHLD), uint32(unix.SIGABRT)
	want := []sig{{usr1, usr1, false}, {chld, chld, true}, {usr2, usr2, true}, {abrt, abrt, false}}
	if !slices.Equal(got, want) {
		t.Errorf("signals %+v, want %+v", got, want)
	}
	if n := len(calls(evs, unix.SYS_RT_SIGRETURN)); n != 1 {
		t.Errorf("%d rt_sigreturn, want 1", n)
	}
	end := kinds(evs, event.KindExit)
	if len(end) != 1 || end[0].Status&0x7f != abrt || (end[0].Flags&event.CoreDumped != 0) != (end[0].Status&0x80 != 0) {
		t.Errorf("end %+v, want killed by SIGABRT", end)
	}
}

const reader = `
#include <unistd.h>
int main(void) { char c; int z[2]; pipe(z); write(1, "x", 1); return read(z[0], &c, 1); }`

func TestACallThatHangsIsInFlightUntilItsTaskIsKilled(t *testing.T) {
	need.BPF(t)
	for _, c := range []struct {
		times bool
		lacks lack
	}{{true, 0}, {false, 0}, {true, lackStorage}, {false, lackStorage}, {true, lackIterator}} {
		p := commandPlan()
		p.Times = c.times
		capture(p, unix.SYS_READ)
		capture(p, unix.SYS_EXIT_GROUP) // hooks entries also without times
		cmd, release := held(t, need.C(t, reader))
		p.Target.Child = cmd.Process.Pid
		s := openedOn(t, c.lacks, p)
		release()
		var pending []event.Pending
		for range 200 {
			if _, err := s.Next(10 * time.Millisecond); err != nil {
				t.Fatal(err)
			}
			pending = s.InFlight(now()-uint64(50*time.Millisecond), pending[:0])
			if len(pending) == 1 && pending[0].Args[2] == 1 {
				break
			}
		}
		if len(pending) != 1 || pending[0].NR != unix.SYS_READ || int(pending[0].TID) != cmd.Process.Pid {
			t.Fatalf("%+v: in flight %+v, want one read", c, pending)
		}
		if age := now() - pending[0].Since; age < uint64(50*time.Millisecond) || age > uint64(time.Minute) {
			t.Errorf("%+v: in flight since %v", c, time.Duration(age))
		}
		_ = cmd.Process.Kill()
		done := make(chan struct{})
		go func() { _ = cmd.Wait(); close(done) }()
		var evs []seen
		drain(t, s, done, func(e *event.Event) { evs = append(evs, keep(e)) })
		r := kinds(evs, event.KindNoReturn)
		end := kinds(evs, event.KindExit)
		if len(end) != 1 || end[0].Status != 9 {
			t.Errorf("end %+v, want killed by SIGKILL", end)
		}
		if len(r) != 1 || r[0].NR != unix.SYS_READ {
			t.Errorf("calls that never returned %+v, want the read", r)
		}
		if left := s.InFlight(now(), nil); len(left) != 0 {
			t.Errorf("in flight after the end: %+v", left)
		}
	}
}
