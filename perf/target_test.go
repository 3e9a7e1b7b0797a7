package perf

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

// started starts a program that goes on until it is killed, and waits for its
// first line.
func started(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// traceUntil traces until fn says that it is enough, or for d.
func traceUntil(t testing.TB, s *Source, d time.Duration, fn func(*event.Event) (enough bool)) {
	t.Helper()
	end := time.Now().Add(d)
	stopped := false
	for {
		e, err := s.Next(20 * time.Millisecond)
		if err != nil {
			return
		}
		enough := e != nil && fn(e)
		if !stopped && (enough || time.Now().After(end)) {
			stopped = true
			if err := s.Stop(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// traceFor traces for a while.
func traceFor(t testing.TB, s *Source, d time.Duration, fn func(*event.Event)) {
	t.Helper()
	traceUntil(t, s, d, func(e *event.Event) bool { fn(e); return false })
}

const nineThreads = `
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static void *work(void *arg) {
	for (long i = 0;; i++) {
		syscall(SYS_lseek, -1, i, arg);
		usleep(500);
	}
}
int main(void) {
	pthread_t t;
	for (long i = 1; i < 9; i++)
		pthread_create(&t, 0, work, (void *)i);
	puts("ready");
	fflush(stdout);
	work(0);
}`

func TestAProcessIsTracedWithAllItsThreads(t *testing.T) {
	need.Perf(t)
	cmd := started(t, need.C(t, nineThreads, "-pthread"))
	s := opened(t, &Source{}, &event.Plan{Target: event.Target{PIDs: []int{cmd.Process.Pid}}, Calls: only(unix.SYS_LSEEK)})
	next := map[uint32]uint64{}
	total := 0
	ids := map[uint64]bool{}
	traceUntil(t, s, 10*time.Second, func(e *event.Event) bool {
		if e.Kind != event.KindSyscall {
			return false
		}
		if e.Flags&event.NoArgs != 0 {
			return false // in progress at attach
		}
		if int(e.TGID) != cmd.Process.Pid || e.NR != unix.SYS_LSEEK || e.Ret != -int64(unix.EBADF) {
			t.Errorf("unexpected event %+v", e)
			return false
		}
		ids[e.Args[2]] = true
		if n, ok := next[e.TID]; ok && n != e.Args[1] {
			t.Errorf("thread %d: call %d follows, want %d", e.TID, e.Args[1], n)
		}
		next[e.TID] = e.Args[1] + 1
		total++
		return len(next) == 9 && total > 500
	})
	if len(next) != 9 || len(ids) != 9 {
		t.Errorf("%d threads with %d numbers, want 9", len(next), len(ids))
	}
	if l := s.Ledger(); l.Filtered == 0 {
		t.Errorf("nothing was filtered, although the threads sleep: %+v", l)
	}
}

func TestASingleThreadIsTracedAlone(t *testing.T) {
	need.Perf(t)
	cmd := started(t, need.C(t, nineThreads, "-pthread"))
	tids, err := threads(cmd.Process.Pid)
	if err != nil || len(tids) != 9 {
		t.Fatal(tids, err)
	}
	tid := slices.Max(tids)
	s := opened(t, &Source{}, &event.Plan{Target: event.Target{TIDs: []int{tid}}, Calls: all()})
	n := 0
	traceUntil(t, s, 10*time.Second, func(e *event.Event) bool {
		n++
		if int(e.TID) != tid {
			t.Errorf("an event of thread %d, want %d alone", e.TID, tid)
		}
		return n > 50
	})
	if n < 10 {
		t.Errorf("only %d events", n)
	}
}

// churn makes threads one after the other; each makes 20 numbered calls.
const churn = `
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static void *work(void *arg) {
	for (long i = 0; i < 20; i++)
		syscall(SYS_lseek, -1, i, arg);
	return 0;
}
int main(void) {
	puts("ready");
	fflush(stdout);
	for (long n = 0;; n++) {
		pthread_t t[4];
		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], 0, work, (void *)(n * 4 + i));
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], 0);
	}
}`

func TestThreadsThatComeAndGoDuringAttachAreTracedOnceAndWhole(t *testing.T) {
	need.Perf(t)
	cmd := started(t, need.C(t, churn, "-pthread"))
	for range 3 {
		s := &Source{}
		opened(t, s, &event.Plan{Target: event.Target{PIDs: []int{cmd.Process.Pid}}, Calls: only(unix.SYS_LSEEK)})
		start := now()
		calls := map[uint64][]uint64{} // by number of the thread
		births := map[uint32]bool{}
		traceFor(t, s, 300*time.Millisecond, func(e *event.Event) {
			switch {
			case e.Kind == event.KindFork && e.Time > start:
				births[e.Child] = true
			case e.Kind == event.KindSyscall && births[e.TID] && e.Flags&event.NoArgs == 0: // at the edges an entry may be missing
				calls[e.Args[2]] = append(calls[e.Args[2]], e.Args[1])
			}
		})
		if l := s.Ledger(); l.LostTotal() > 0 {
			t.Logf("lost %d", l.LostTotal())
			continue
		}
		first, last := uint64(1<<63), uint64(0)
		for n := range calls {
			first, last = min(first, n), max(last, n)
		}
		if last < first+210 {
			t.Fatalf("only threads %d to %d were seen", first, last)
		}
		// The first and the last ones are cut: Start and Stop switch one event after
		// the other.
		for n := first + 100; n+100 < last; n++ {
			got := calls[n]
			if len(got) != 20 || got[0] != 0 || got[19] != 19 {
				t.Errorf("thread %d of %d–%d: calls %v, want 0–19", n, first, last, got)
			}
		}
		s.Close()
	}
}

func TestProcessesThatATargetMakesAreFollowedOnlyIfWanted(t *testing.T) {
	need.Perf(t)
	for _, follow := range []bool{false, true} {
		cmd, release := held(t, "/bin/sh", "-c", "/bin/true; /bin/true; exit 3")
		s := opened(t, &Source{}, &event.Plan{Target: event.Target{Child: cmd.Process.Pid, Follow: follow}, Calls: all()})
		release()
		pids := map[uint32]int{}
		forks, execs, deaths := 0, 0, 0
		drain(t, s, waited(cmd), func(e *event.Event) {
			pids[e.TGID]++
			switch e.Kind {
			case event.KindFork:
				forks++
			case event.KindExec:
				execs++
			case event.KindExit:
				deaths++
				if e.Flags&event.GroupDead == 0 {
					t.Errorf("the only thread of process %d ended, but GroupDead is not set", e.TGID)
				}
			}
		})
		want := [4]int{1, 2, 1, 1}
		if follow {
			want = [4]int{3, 2, 3, 3}
		}
		if got := [4]int{len(pids), forks, execs, deaths}; got != want {
			t.Errorf("follow %v: processes, forks, execs, deaths: got %v, want %v", follow, got, want)
		}
	}
}

const threadExec = `
#include <pthread.h>
#include <unistd.h>
static void *work(void *arg) {
	execl("/bin/true", "true", (char *)0);
	return 0;
}
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	pause();
}`

func TestAnExecveOfAThreadReturnsAsTheLeader(t *testing.T) {
	need.Perf(t)
	cmd, release := held(t, need.C(t, threadExec, "-pthread"))
	s := opened(t, &Source{}, &event.Plan{Target: event.Target{Child: cmd.Process.Pid, Follow: true}, Calls: all()})
	release()
	var child, old uint32
	var last event.Event
	execves := 0
	drain(t, s, waited(cmd), func(e *event.Event) {
		switch {
		case e.Kind == event.KindFork:
			child = e.Child
		case e.Kind == event.KindExec:
			old = e.OldTID
		case e.Kind == event.KindSyscall && e.NR == unix.SYS_EXECVE:
			execves++
			last = *e
		}
	})
	if execves != 2 || old != child || child == 0 {
		t.Errorf("%d execve, the old tid is %d; want 2, %d", execves, old, child)
	}
	if last.Flags != event.HasEnter || int(last.TID) != cmd.Process.Pid || last.Ret != 0 {
		t.Errorf("the thread's execve is %+v, want a whole one of task %d", last, cmd.Process.Pid)
	}
}

func TestThe32BitCallsOfA32BitProgramAreToldApart(t *testing.T) {
	need.Perf(t)
	bin := need.M32(t, `
#include <unistd.h>
#include <sys/syscall.h>
int main(void) { return syscall(20 /* getpid */) != getpid() || syscall(140 /* _llseek */, -1, 0, 7, 0, 0) != -1; }`)
	cmd, release := held(t, bin)
	s := opened(t, &Source{}, &event.Plan{Target: event.Target{Child: cmd.Process.Pid, Follow: true}, Calls: all()})
	release()
	var native, compat, getpid, llseek int
	var first, end event.Event
	drain(t, s, waited(cmd), func(e *event.Event) {
		if e.Kind != event.KindSyscall && e.Kind != event.KindNoReturn {
			return
		}
		if native+compat == 0 {
			first = *e
		}
		end = *e
		switch {
		case e.ABI == event.Native:
			native++
			return
		case e.NR == 20 && int(e.Ret) == cmd.Process.Pid:
			getpid++
		case e.NR == 140 && e.Args[2] == 7 && e.Ret == -int64(unix.EBADF):
			llseek++
		}
		compat++
	})
	// The execve that starts it is the shell's: a 64-bit one.
	if native != 1 || first.NR != unix.SYS_EXECVE || first.Flags != event.HasEnter {
		t.Errorf("%d native calls, the first %+v; want execve alone", native, first)
	}
	if getpid < 1 || llseek != 1 || compat < 10 {
		t.Errorf("%d 32-bit calls, %d getpid, %d _llseek; want 1 or more, 1", compat, getpid, llseek)
	}
	if end.ABI != event.Compat || end.NR != 252 || end.Kind != event.KindNoReturn {
		t.Errorf("the last call is %+v, want the 32-bit exit_group", end)
	}
}

func TestTheWholeMachineIsTracedButForThisProcess(t *testing.T) {
	need.Perf(t)
	cmd := started(t, need.C(t, nineThreads, "-pthread"))
	s := opened(t, &Source{}, &event.Plan{
		Target: event.Target{All: true, Exclude: []int{os.Getpid()}}, Calls: all(), Comm: true,
	})
	seen := map[uint32]bool{}
	traceUntil(t, s, 10*time.Second, func(e *event.Event) bool {
		if int(e.TGID) == os.Getpid() {
			t.Fatalf("an event of the tracer: %+v", e)
		}
		if int(e.TGID) == cmd.Process.Pid && e.NR == unix.SYS_LSEEK {
			seen[e.TID] = true
			if name := strings.TrimRight(string(e.Comm[:]), "\x00"); name != "program" {
				t.Errorf("its name is %q, want program", name)
			}
		}
		return len(seen) == 9
	})
	if len(seen) != 9 {
		t.Errorf("%d threads of the nine were seen", len(seen))
	}
}

func TestACallInProgressAtAttachIsResumed(t *testing.T) {
	need.Perf(t)
	cmd := exec.Command("/bin/sh", "-c", "echo ready; read x; echo $x >/dev/null; sleep 100")
	in, _ := cmd.StdinPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	time.Sleep(100 * time.Millisecond) // it reads now
	s := opened(t, &Source{}, &event.Plan{Target: event.Target{PIDs: []int{cmd.Process.Pid}}, Calls: all()})
	var first *event.Event
	time.AfterFunc(50*time.Millisecond, func() { in.Write([]byte("x\n")) })
	var pending []event.Pending
	traceUntil(t, s, 10*time.Second, func(e *event.Event) bool {
		if first == nil && e.Kind == event.KindSyscall {
			c := *e
			first = &c
		}
		return e.Kind == event.KindSyscall && e.NR == unix.SYS_VFORK
	})
	if first == nil || first.NR != unix.SYS_READ || first.Ret != 1 || first.Flags != event.Resumed|event.NoArgs {
		t.Errorf("the first call is %+v, want a resumed read that returned 1", first)
	}
	if pending = s.InFlight(now(), pending); len(pending) > 1 {
		t.Errorf("in flight: %+v, want at most the shell's wait4", pending)
	}
}

func TestACallThatHasNotReturnedIsInFlight(t *testing.T) {
	need.Perf(t)
	cmd, release := held(t, need.C(t, `int main(void) { pause(); }`))
	s := opened(t, &Source{}, &event.Plan{Target: event.Target{Child: cmd.Process.Pid}, Calls: all()})
	release()
	var pending []event.Pending
	for range 100 {
		if _, err := s.Next(20 * time.Millisecond); err != nil {
			t.Fatal(err)
		}
		if pending = s.InFlight(now(), pending[:0]); len(pending) == 1 && pending[0].NR == unix.SYS_PAUSE {
			break
		}
	}
	if len(pending) != 1 || pending[0].NR != unix.SYS_PAUSE || pending[0].Kind != event.KindEnter || int(pending[0].TID) != cmd.Process.Pid {
		t.Errorf("in flight: %+v, want pause", pending)
	}
	if got := s.InFlight(pending[0].Since, nil); len(got) != 0 {
		t.Errorf("in flight since before its entry: %+v", got)
	}
}
