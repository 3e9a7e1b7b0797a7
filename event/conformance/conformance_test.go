//go:build amd64

package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"perftrace/bpf"
	"perftrace/event"
	"perftrace/event/need"
	"perftrace/filter"
	"perftrace/perf"
	"perftrace/ptrace"
)

// A backend under test, with what it can tell beyond calls, results, tasks and
// their ends, which all must.
type backend struct {
	name    string
	need    func(testing.TB)
	open    func() event.Source
	memory  bool // strings and structures
	signals bool
	status  bool // how a process ended that did not call exit_group
	numbers bool // running numbers of a task's calls
	// returns: a call that is cut off by the end of its task is told as one that
	// returned, with the kernel's own ERESTART code.
	returns bool
	// replaced: a first thread whose place another takes by execve is told as one
	// that ended. A stopped task does not get there.
	replaced bool
	killer   bool // SIGKILL is told, with its sender
}

var backends = []backend{
	{
		name: "bpf", need: need.BPF, memory: true, signals: true, status: true, numbers: true, replaced: true, killer: true,
		open: func() event.Source { return new(bpf.Source) },
	},
	{
		name: "perf", need: need.Perf, returns: true, replaced: true,
		open: func() event.Source {
			return &perf.Source{Filter: func(calls *event.CallSets) (string, bool) { return filter.Tracepoint(runtime.GOARCH, calls) }}
		},
	},
	{
		name: "ptrace", need: need.Root, memory: true, signals: true, status: true, numbers: true,
		open: func() event.Source { return new(ptrace.Source) },
	},
}

// traced are the calls of the plan. What the stories say of them: the first
// argument of dup, the string of openat.
var traced = map[uint32]string{
	unix.SYS_DUP: "dup", unix.SYS_GETPPID: "getppid", unix.SYS_EXECVE: "execve", unix.SYS_PAUSE: "pause",
	unix.SYS_KILL: "kill", unix.SYS_EXIT: "exit", unix.SYS_EXIT_GROUP: "exit_group",
}

// A story is what is told of one task, one word each; tasks are numbered as they
// are made. A word in braces hangs on an ability: {signals signal:10}, and
// {returns A|B} is A with it and B without.
var cases = []struct {
	mode    string
	plan    func(*event.Plan)
	stories []string
}{
	{
		mode:    "calls",
		stories: []string{"exec execve=0 dup(1000)=-9 getppid=me dup(1001)=-9 exit_group… ends:7"},
	},
	{
		mode: "threads",
		stories: []string{
			"exec execve=0 makes:1 makes:2 exit_group… ends:0",
			"dup(2000)=-9 dup(2001)=-9 dup(2002)=-9 exit… gone",
			"dup(2010)=-9 dup(2011)=-9 dup(2012)=-9 exit… gone",
		},
	},
	{
		mode: "forks",
		stories: []string{
			"exec execve=0 makes:1 {signals signal:17} dup(3010)=-9 makes:2 {signals signal:17} dup(3011)=-9 exit_group… ends:0",
			"dup(3000)=-9 exit_group… ends:3",
			"dup(3001)=-9 exit_group… ends:4",
		},
	},
	{
		mode:    "exec",
		stories: []string{"exec execve=0 dup(4000)=-9 execve=-2 exec execve=0 dup(1000)=-9 getppid=me dup(1001)=-9 exit_group… ends:7"},
	},
	{
		mode: "thread-exec",
		stories: []string{
			"exec execve=0 makes:1 {returns pause=-514|pause…} {ended ends:0} {endedSomehow ends:?} exec:1 execve=0 dup(1000)=-9 getppid=me dup(1001)=-9 exit_group… ends:7",
			"dup(5000)=-9",
		},
	},
	{
		mode:    "signal",
		stories: []string{"exec execve=0 kill=0 {signals signal:10} dup(6000)=-9 kill=0 {signals signal:10} {status ends:signal 10|ends:?}"},
	},
	{
		mode: "killed",
		stories: []string{
			"exec execve=0 makes:1 kill=0 {signals signal:17} dup(7000)=-9 exit_group… ends:0",
			"{returns pause=-514|pause…} {killed signal:9} {status ends:signal 9|ends:?}",
		},
	},
	{
		mode: "unfinished",
		stories: []string{
			"exec execve=0 makes:1 dup(8000)=-9 exit_group… ends:0",
			"{returns pause=-514|pause…} gone",
		},
	},
	{
		mode: "string",
		plan: func(p *event.Plan) {
			p.Calls = event.CallSets{}
			p.Calls[event.Native].Add(unix.SYS_OPENAT)
			p.Result.Errnos = []uint16{uint16(unix.ENOENT)}
			p.Captures[event.Native][unix.SYS_OPENAT] = &event.CallPlan{CmdArg: -1, Captures: []event.Capture{
				{Kind: event.CapString, From: 1, When: event.AtExit, Max: event.MaxPath},
			}}
		},
		stories: []string{`exec openat{memory ("/nonexistent/conformance")}=-2 {status ends:0|ends:?}`},
	},
	{
		mode: "calls",
		plan: func(p *event.Plan) { p.Result.OnlyFailed = true },
		stories: []string{
			"exec dup(1000)=-9 dup(1001)=-9 ends:7",
		},
	},
}

// program compiles testdata/program.c.
func program(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile("testdata/program.c")
	if err != nil {
		t.Fatal(err)
	}
	return need.C(t, string(source), "-D_GNU_SOURCE", "-pthread")
}

func TestEveryBackendTellsTheSameStory(t *testing.T) {
	need.Root(t)
	path := program(t)
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			b.need(t)
			for _, c := range cases {
				name := c.mode
				if c.plan != nil {
					name += " of a narrower plan"
				}
				t.Run(name, func(t *testing.T) {
					r := start(t, &b, c.plan, path, c.mode)
					var want []string
					for _, s := range c.stories {
						want = append(want, b.able(s))
					}
					if d := cmp.Diff(want, r.stories()); d != "" {
						t.Errorf("(-want +got)\n%s", d)
					}
					r.checkLedger(t)
				})
			}
		})
	}
}

// able returns a story as this backend tells it.
func (b *backend) able(story string) string {
	for {
		head, rest, ok := strings.Cut(story, "{")
		if !ok {
			return strings.Join(strings.Fields(story), " ")
		}
		hung, tail, _ := strings.Cut(rest, "}")
		ability, words, _ := strings.Cut(hung, " ")
		with, without, _ := strings.Cut(words, "|")
		can, known := map[string]bool{
			"memory": b.memory, "signals": b.signals, "status": b.status, "returns": b.returns,
			"killed": b.killer,
			"ended":  b.replaced && b.status, "endedSomehow": b.replaced && !b.status,
		}[ability]
		if !known {
			panic("no ability " + ability)
		}
		if !can {
			with = without
		}
		story = head + with + tail
	}
}

func TestNoBackendMixesUpOrMissesCallsInARow(t *testing.T) {
	need.Root(t)
	path := program(t)
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			b.need(t)
			r := start(t, &b, nil, path, "many")
			next, got := uint64(10000), uint64(0)
			for _, e := range r.events {
				if e.Kind != event.KindSyscall || e.NR != unix.SYS_DUP {
					continue
				}
				if e.Args[0] < next || e.Enter > e.Time {
					t.Fatalf("dup(%d) from %d to %d comes after dup(%d)", e.Args[0], e.Enter, e.Time, next-1)
				}
				next = e.Args[0] + 1
				got++
			}
			l := r.src.Ledger()
			// More calls than the rings may hold on a busy machine: what is missing must be told.
			if got > 20000 || got+l.LostTotal() < 20000 {
				t.Errorf("%d calls, ledger %+v; want 20000 or to be told what was lost", got, l)
			}
			r.checkLedger(t)
		})
	}
}

func TestEveryBackendAttachesToAllThreadsAndWhatTheyMake(t *testing.T) {
	need.Root(t)
	path := program(t)
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			b.need(t)
			cmd := exec.Command(path, "told")
			tell, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			ready, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := ready.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			r := &record{backend: &b, root: uint32(cmd.Process.Pid), src: b.open()}
			p := plan()
			p.Target.PIDs = []int{cmd.Process.Pid}
			t.Cleanup(func() { // while it is traced nobody else may wait for it
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			})
			r.run(t, p, func() { _, _ = tell.Write([]byte{1}) })
			got := r.stories()
			// The thread that slept was there before; no backend tells its birth.
			if want := "dup(9010)=-9 dup(9011)=-9 dup(9012)=-9 exit… gone"; !slices.Contains(got, want) {
				t.Errorf("stories %q lack that of the new thread, %q", got, want)
			}
			if want := "dup(9000)=-9 makes:1 exit_group… ends:0"; got[0] != want {
				t.Errorf("story %q, want %q", got[0], want)
			}
			r.checkLedger(t)
		})
	}
}

// A record is all that a source told.
type record struct {
	backend *backend
	src     event.Source
	root    uint32
	events  []event.Event
}

func plan() *event.Plan {
	p := &event.Plan{StringMax: 32, Times: true, Signals: true, RingBytes: 1 << 20}
	p.Target.UID, p.Target.Follow = -1, true
	for nr := range traced {
		p.Calls[event.Native].Add(nr)
	}
	return p
}

// start traces a command to its end.
func start(t *testing.T, b *backend, change func(*event.Plan), argv ...string) *record {
	t.Helper()
	pid, release := hold(t, argv...)
	p := plan()
	p.Target.Child = pid
	if change != nil {
		change(p)
	}
	r := &record{backend: b, root: uint32(pid), src: b.open()}
	r.run(t, p, release)
	return r
}

// hold starts a command that waits before its execve.
func hold(t *testing.T, argv ...string) (pid int, release func()) {
	t.Helper()
	word, tell, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ready, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", `echo >&4; read _ <&3; exec "$@" 3<&- 4>&-`, "sh"}, argv...)...)
	cmd.ExtraFiles = []*os.File{word, held}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	word.Close()
	held.Close()
	if _, err := ready.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	ready.Close()
	t.Cleanup(func() { // after the source was closed
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd.Process.Pid, func() { fmt.Fprintln(tell); tell.Close() }
}

// run takes all events until every task that was told of has ended.
func (r *record) run(t *testing.T, p *event.Plan, release func()) {
	t.Helper()
	if err := r.src.Open(p); err != nil {
		t.Fatal(err)
	}
	defer r.src.Close()
	if err := r.src.Start(); err != nil {
		t.Fatal(err)
	}
	release()
	alive := map[uint32]bool{r.root: true}
	stopped := false
	for end := time.Now().Add(30 * time.Second); ; {
		e, err := r.src.Next(50 * time.Millisecond)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if time.Now().After(end) && !stopped {
			stopped = true
			t.Errorf("no end after %d events", len(r.events))
			_ = r.src.Stop()
		}
		if e == nil {
			// That a task ended can be among what was lost.
			if l := r.src.Ledger(); l.LostTotal() > 0 {
				maps.DeleteFunc(alive, func(tid uint32, _ bool) bool { return ended(tid) })
			}
			if len(alive) == 0 && !stopped {
				stopped = true
				_ = r.src.Stop()
			}
			continue
		}
		k := *e
		k.In, k.Out = slices.Clone(e.In), slices.Clone(e.Out)
		r.events = append(r.events, k)
		switch e.Kind {
		case event.KindFork:
			alive[e.Child] = true
		case event.KindExec:
			if e.OldTID != e.TGID {
				delete(alive, e.OldTID)
			}
			alive[e.TGID] = true
		case event.KindExit:
			delete(alive, e.TID)
		}
		if len(alive) == 0 && !stopped {
			stopped = true
			if err := r.src.Stop(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// ended reports whether a task is gone, or is a zombie.
func ended(tid uint32) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", tid))
	i := bytes.LastIndexByte(stat, ')')
	return err != nil || i < 0 || bytes.HasPrefix(stat[i:], []byte(") Z"))
}

// stories tells for each task what happened to it, in the order of their births.
func (r *record) stories() []string {
	number := map[uint32]int{r.root: 0}
	stories := []string{""}
	task := func(tid uint32) int {
		n, ok := number[tid]
		if !ok {
			n = len(stories)
			number[tid] = n
			stories = append(stories, "")
		}
		return n
	}
	for i := range r.events {
		e := &r.events[i]
		var word string
		switch e.Kind {
		case event.KindSyscall:
			word = callText(e) + "=" + resultText(e)
		case event.KindNoReturn:
			word = traced[e.NR] + "…"
		case event.KindSignal:
			word = fmt.Sprint("signal:", e.Signal)
		case event.KindFork:
			word = fmt.Sprint("makes:", task(e.Child))
		case event.KindExec:
			word = "exec"
			if e.OldTID != 0 && e.OldTID != e.TGID {
				word = fmt.Sprint("exec:", task(e.OldTID))
			}
		case event.KindExit:
			word = "gone"
			if e.TID == e.TGID {
				word = endText(e)
			}
		default:
			continue
		}
		n := task(e.TID)
		stories[n] = strings.TrimSpace(stories[n] + " " + word)
	}
	return stories
}

func callText(e *event.Event) string {
	switch e.NR {
	case unix.SYS_DUP:
		return fmt.Sprintf("dup(%d)", e.Args[0])
	case unix.SYS_OPENAT:
		if p, _, ok := event.NextPiece(e.Out); ok {
			return fmt.Sprintf("openat(%q)", p.Data)
		}
		return "openat"
	}
	return traced[e.NR]
}

func resultText(e *event.Event) string {
	if e.NR == unix.SYS_GETPPID && e.Ret == int64(os.Getpid()) {
		return "me"
	}
	return fmt.Sprint(e.Ret)
}

func endText(e *event.Event) string {
	if e.Flags&event.StatusUnknown != 0 {
		return "ends:?"
	}
	ws := unix.WaitStatus(e.Status)
	if ws.Signaled() {
		return fmt.Sprintf("ends:signal %d", ws.Signal())
	}
	return fmt.Sprint("ends:", ws.ExitStatus())
}

func (r *record) checkLedger(t *testing.T) {
	t.Helper()
	var calls uint64
	numbers := map[uint32]uint64{}
	for i := range r.events {
		e := &r.events[i]
		switch e.Kind {
		case event.KindExec:
			if e.OldTID != 0 {
				numbers[e.TGID] = numbers[e.OldTID]
			}
		case event.KindSyscall, event.KindNoReturn:
			calls++
			if r.backend.numbers && e.Seq != 0 && e.Seq <= numbers[e.TID] {
				t.Errorf("call %d of task %d has number %d after %d", i, e.TID, e.Seq, numbers[e.TID])
			}
			numbers[e.TID] = e.Seq
		}
	}
	l := r.src.Ledger()
	if l.Emitted != calls || l.Issued != l.Emitted+l.Filtered+l.LostTotal() {
		t.Errorf("ledger %+v, %d calls told; want issued = emitted + filtered + lost, and emitted = told", l, calls)
	}
}
