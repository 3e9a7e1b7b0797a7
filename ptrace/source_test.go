//go:build amd64

package ptrace

import (
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

func TestACommandIsTracedFromItsExecveOn(t *testing.T) {
	all := trace(t, &Source{}, allCalls(), target(t), "getppid", "5")
	if len(all) < 8 {
		t.Fatalf("%d events", len(all))
	}
	if all[0].Kind != event.KindExec || all[1].Kind != event.KindSyscall || all[1].NR != unix.SYS_EXECVE || all[1].Ret != 0 {
		t.Errorf("begins with %s, want the new image and the execve", story(all[:2]))
	}
	if n := count(all, event.Native, unix.SYS_GETPPID); n != 5 {
		t.Errorf("%d getppid, want 5", n)
	}
	if got, want := story(all[len(all)-2:]), "noreturn:231 exit:0x0"; got != want {
		t.Errorf("ends with %s, want %s", got, want)
	}
	last := all[len(all)-1]
	if last.Flags&event.GroupDead == 0 || last.TID != last.TGID {
		t.Errorf("the end %+v is not that of the last thread", last)
	}
	var time uint64
	for i := range all {
		if all[i].Time < time {
			t.Fatalf("event %d is earlier than the one before", i)
		}
		time = all[i].Time
	}
}

func TestCallsOutsideTheSetAreCountedAsFiltered(t *testing.T) {
	s := &Source{}
	all := trace(t, s, only(unix.SYS_GETPPID), target(t), "getppid", "100")
	if got, want := len(all), 102; got != want { // with exec and exit
		t.Errorf("%d events, want %d", got, want)
	}
	if l := s.Ledger(); l.Emitted != 100 || l.Filtered < 10 {
		t.Errorf("ledger %+v, want 100 emitted and the calls of the start-up filtered", l)
	}
}

func TestEnterEventsComeBeforeTheirCalls(t *testing.T) {
	p := only(unix.SYS_GETPPID, unix.SYS_EXIT_GROUP)
	p.EnterEvent = true
	all := trace(t, &Source{}, p, target(t), "getppid", "2")
	want := "exec enter:110 call:110 enter:110 call:110 enter:231 noreturn:231 exit:0x0"
	if got := story(all); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestStringsAreCaptured(t *testing.T) {
	p := only(unix.SYS_OPENAT)
	p.Result.OnlyFailed = true
	p.Captures[event.Native][unix.SYS_OPENAT] = &event.CallPlan{CmdArg: -1, Captures: []event.Capture{
		{Kind: event.CapString, From: 1, When: event.AtExit, Max: event.MaxPath},
	}}
	s := &Source{}
	all := trace(t, s, p, target(t), "open", "3")
	if got, want := story(all), "exec call:257 call:257 call:257 exit:0x0"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	for _, e := range all[1:4] {
		piece, _, ok := event.NextPiece(e.Out)
		if !ok || string(piece.Data) != "/nonexistent/path" || piece.Addr != e.Args[1] || e.Ret != -int64(unix.ENOENT) {
			t.Errorf("piece %+v, result %d; want the path that could not be opened", piece, e.Ret)
		}
	}
	if l := s.Ledger(); l.Emitted != 3 || l.Filtered == 0 {
		t.Errorf("ledger %+v, want 3 emitted", l)
	}
}

func TestAnExecveThatFailsIsShownAndThenOnlyTheEnd(t *testing.T) {
	all := trace(t, &Source{}, allCalls(), "/nonexistent/program")
	if got, want := story(all), "call:59 exit:0x7f00"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	if e := all[0]; e.Ret != -int64(unix.ENOENT) {
		t.Errorf("result %d, want -ENOENT", e.Ret)
	}
}

func TestAFirstThreadThatEndsBeforeTheOthersIsToldOfLast(t *testing.T) {
	all := trace(t, &Source{}, only(unix.SYS_GETPPID), target(t), "leader-exits", "3")
	if got, want := story(all), "exec fork call:110 call:110 call:110 exit:0x0 exit:0x0"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	first, last := all[len(all)-2], all[len(all)-1]
	if first.Flags&event.GroupDead != 0 || last.Flags&event.GroupDead == 0 || last.TID != last.TGID {
		t.Errorf("ends %+v, %+v: want the first thread's last, as the end of the process", first, last)
	}
}

func TestACallAllocatesNothing(t *testing.T) {
	pid, release := hold(t, target(t), "open", "10000")
	p := allCalls()
	p.Captures[event.Native][unix.SYS_OPENAT] = &event.CallPlan{CmdArg: -1, Captures: []event.Capture{
		{Kind: event.CapString, From: 1, When: event.AtEntry | event.AtExit, Max: event.MaxPath},
	}}
	p.Target.Child = pid
	s := &Source{}
	open(t, s, p)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	release()
	until(t, s, "open", func(e *event.Event) bool { return e.NR == unix.SYS_OPENAT && e.Ret < 0 })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	calls := 0
	for calls < 5000 {
		e, err := s.Next(time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if e != nil {
			calls++
		}
	}
	runtime.ReadMemStats(&after)
	// The runtime and other tests' goroutines allocate a little, too.
	if n := after.Mallocs - before.Mallocs; n > 500 {
		t.Errorf("%d allocations in %d calls", n, calls)
	}
}

func TestTheStatusOfTheCommandIsKept(t *testing.T) {
	s := &Source{}
	trace(t, s, only(unix.SYS_GETPPID), "/bin/sh", "-c", "exit 7")
	st, ok := s.ChildStatus()
	if !ok || !st.Exited() || st.ExitStatus() != 7 {
		t.Errorf("status %#x, %v; want exit code 7", uint32(st), ok)
	}
}

func TestForksAreFollowedAndToldFirst(t *testing.T) {
	p := only(unix.SYS_GETPPID)
	p.Target.Follow = true
	all := trace(t, &Source{}, p, target(t), "fork", "3")
	if n := count(all, event.Native, unix.SYS_GETPPID); n != 6 {
		t.Errorf("%d getppid, want 6", n)
	}
	if f, x := kinds(all, event.KindFork), kinds(all, event.KindExit); f != 3 || x != 4 {
		t.Errorf("%d forks and %d exits, want 3 and 4", f, x)
	}
	known := map[uint32]bool{all[0].TID: true}
	for _, e := range all {
		if !known[e.TID] {
			t.Errorf("%s of task %d, which no fork told of", names[e.Kind], e.TID)
		}
		if e.Kind == event.KindFork {
			known[e.Child] = true
			if e.Child != e.ChildTGID {
				t.Errorf("child %d of process %d, want a process of its own", e.Child, e.ChildTGID)
			}
		}
	}
}

func TestForksAreNotFollowedUnasked(t *testing.T) {
	all := trace(t, &Source{}, only(unix.SYS_GETPPID), target(t), "fork", "3")
	if got, want := story(all), "exec exit:0x0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestVforkAndExecInALoop(t *testing.T) {
	p := only(unix.SYS_GETPPID, unix.SYS_EXECVE)
	p.Target.Follow = true
	all := trace(t, &Source{}, p, target(t), "vfork", "20")
	if n, x := count(all, event.Native, unix.SYS_GETPPID), count(all, event.Native, unix.SYS_EXECVE); n != 20 || x != 21 {
		t.Errorf("%d getppid and %d execve, want 20 and 21", n, x)
	}
	if f, e, x := kinds(all, event.KindFork), kinds(all, event.KindExec), kinds(all, event.KindExit); f != 20 || e != 21 || x != 21 {
		t.Errorf("%d forks, %d execs, %d exits, want 20, 21, 21", f, e, x)
	}
}

func TestThreadsAreFollowedEvenWithoutFollow(t *testing.T) {
	all := trace(t, &Source{}, only(unix.SYS_GETPPID), target(t), "threads", "1000")
	per := make(map[uint32]int)
	var tgid uint32
	for _, e := range all {
		switch e.Kind {
		case event.KindSyscall:
			per[e.TID]++
			tgid = e.TGID
		case event.KindFork:
			if e.ChildTGID != e.TGID {
				t.Errorf("thread %d is of process %d, want %d", e.Child, e.ChildTGID, e.TGID)
			}
		}
	}
	if len(per) != 4 || per[tgid] != 0 {
		t.Errorf("calls of the tasks: %v; want four threads, and none of the first", per)
	}
	for tid, n := range per {
		if n != 1000 {
			t.Errorf("%d calls of thread %d, want 1000", n, tid)
		}
	}
	if f, x := kinds(all, event.KindFork), kinds(all, event.KindExit); f != 4 || x != 5 {
		t.Errorf("%d new tasks and %d ends, want 4 and 5", f, x)
	}
}

func TestAnExecveOfAThreadTakesOverTheProcess(t *testing.T) {
	all := trace(t, &Source{}, only(unix.SYS_GETPPID, unix.SYS_EXECVE, unix.SYS_PAUSE), target(t), "thread-exec")
	var exec event.Event
	for _, e := range all[1:] {
		if e.Kind == event.KindExec {
			exec = e
		}
	}
	if exec.TID == 0 || exec.OldTID == exec.TID || exec.TID != exec.TGID {
		t.Fatalf("exec %+v, want one of another thread", exec)
	}
	if n := count(all, event.Native, unix.SYS_GETPPID); n != 3 {
		t.Errorf("%d getppid of the new image, want 3", n)
	}
	// Both pauses never return: of the first thread, and of the one that dies.
	if n := kinds(all, event.KindNoReturn); n != 2 {
		t.Errorf("%d calls without return, want 2: %s", n, story(all))
	}
	if x := kinds(all, event.KindExit); x != 2 { // the pausing thread and the process
		t.Errorf("%d exits, want 2: %s", x, story(all))
	}
}

func TestA32BitProgramUsesTheCompatTable(t *testing.T) {
	source, err := os.ReadFile("testdata/target.c")
	if err != nil {
		t.Fatal(err)
	}
	all := trace(t, &Source{}, allCalls(), need.M32(t, string(source), "-pthread"), "getppid", "5")
	if n := count(all, event.Compat, 64); n != 5 {
		t.Errorf("%d calls of compat 64 (getppid), want 5", n)
	}
	// The execve was made through the native table, and its exit says so.
	if e := all[1]; e.ABI != event.Native || e.NR != unix.SYS_EXECVE || e.Ret != 0 {
		t.Errorf("second event is call %d of ABI %d, want the native execve", e.NR, e.ABI)
	}
	if e := all[len(all)-2]; e.Kind != event.KindNoReturn || e.ABI != event.Compat || e.NR != 252 {
		t.Errorf("ends with call %d of ABI %d, want compat exit_group", e.NR, e.ABI)
	}
}

func TestInt80OfA64BitProgramIsCompat(t *testing.T) {
	need.M32(t, "int main(void) { return 0; }") // the same switch of the kernel
	all := trace(t, &Source{}, allCalls(), target(t), "int80", "5")
	if c, n := count(all, event.Compat, 64), count(all, event.Native, unix.SYS_GETPPID); c != 5 || n != 5 {
		t.Errorf("%d compat and %d native getppid, want 5 and 5", c, n)
	}
	if last := all[len(all)-1]; last.Status != 0 {
		t.Errorf("ended with %#x, want 0", last.Status)
	}
}

func TestNamesFollowExecAndPrctl(t *testing.T) {
	p := only(unix.SYS_GETPPID, unix.SYS_EXIT_GROUP)
	p.Comm = true
	all := trace(t, &Source{}, p, target(t), "rename")
	name := func(e event.Event) string { return unix.ByteSliceToString(e.Comm[:]) }
	if got := name(all[0]); got != "target0" {
		t.Errorf("name after exec %q, want target0", got)
	}
	if e := all[1]; e.NR != unix.SYS_GETPPID || name(e) != "new name" {
		t.Errorf("call %d has name %q, want getppid as \"new name\"", e.NR, name(e))
	}
}
