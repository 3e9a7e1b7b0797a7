package ptrace

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/event"
)

// A Source is the ptrace backend. The zero value is ready for Open; the fields
// are set before it.
//
// While it is open no other thread may wait for the tasks that it traces (a wait
// would take their stops away), not even for the command that perftrace itself
// started: see ChildStatus. Children of perftrace that are not traced are best
// started by other goroutines; the end of one that this thread started is kept
// for StrayStatus.
type Source struct {
	// KillOnExit kills all tracees when the tracer ends.
	KillOnExit bool
	// SeccompBPF: the command installs the filter that FilterProgram makes
	// before its execve, so that it stops only for calls of the call set.
	SeccompBPF bool
	// DetachOnExec lets go of a process at the end of its successful execve
	// (strace -b execve), other than the first one of the command.
	DetachOnExec bool

	plan   *event.Plan
	alarm  *alarm
	interp event.Interpreter
	t0     time.Time // with mono: the same moment as CLOCK_MONOTONIC
	mono   uint64

	tasks    map[int]*task
	last     *task // of the last stop
	repeat   int   // how often it was the last in a row
	backlog  []stop
	newborns int
	free     []*task
	dropped  []*task
	strays   map[int]uint32 // how tasks ended that were not known then

	ready []*event.Event // to be returned by Next
	next  int
	extra []event.Event // memory of those that are not a task's ev

	childStatus uint32
	childEnded  bool
	stopping    bool
	ledger      event.Ledger
}

// A stop is what wait4 told.
type stop struct {
	tid    int
	status uint32
}

var _ event.Source = (*Source)(nil)

// Open attaches to the targets. The calling goroutine is locked to its thread
// until Close, and must be the one that calls everything else but Wake.
func (s *Source) Open(p *event.Plan) error {
	if err := s.check(p); err != nil {
		return err
	}
	s.plan = p
	s.interp.StringMax = p.StringMax
	s.tasks = make(map[int]*task)
	s.strays = make(map[int]uint32)
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	s.t0, s.mono = time.Now(), uint64(ts.Nano())
	runtime.LockOSThread()
	a, err := newAlarm()
	if err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("prepare the signal that interrupts waiting: %w", err)
	}
	s.alarm = a
	if err := s.attach(); err != nil {
		_ = s.Close()
		return err
	}
	return nil
}

func (s *Source) check(p *event.Plan) error {
	t := &p.Target
	var what string
	switch {
	case t.All:
		what = "trace the whole machine"
	case t.CPUs != nil:
		what = "select by CPU"
	case t.CgroupID != 0:
		what = "select by cgroup"
	case t.UID > 0:
		what = "select by user"
	case t.CommGlob != "":
		what = "select by command name"
	case s.SeccompBPF && (t.Child == 0 || !t.Follow):
		return errors.New("the seccomp filter needs a command and following (use -f)")
	default:
		return nil
	}
	return fmt.Errorf("ptrace can't %s (use the default backend): %w", what, errors.ErrUnsupported)
}

// now is CLOCK_MONOTONIC; this way it costs no system call.
func (s *Source) now() uint64 { return s.mono + uint64(time.Since(s.t0)) }

// Start begins tracing. The targets are stopped then, and go on with Next.
func (s *Source) Start() error { return s.start() }

// Next returns the next event; the task that it is about runs already. When no
// tracee is left it returns io.EOF, also before Stop.
func (s *Source) Next(timeout time.Duration) (*event.Event, error) {
	if s.next < len(s.ready) {
		s.next++
		return s.ready[s.next-1], nil
	}
	s.ready, s.next, s.extra = s.ready[:0], 0, s.extra[:0]
	if len(s.dropped) > 0 {
		s.free = append(s.free, s.dropped...)
		s.dropped = s.dropped[:0]
	}
	if s.stopping {
		return nil, io.EOF
	}
	s.alarm.begin(timeout)
	defer s.alarm.end()
	for {
		tid, st, err := s.wait()
		switch err {
		case nil:
			if tid == 0 {
				return nil, io.EOF
			}
			s.handle(tid, st)
		case unix.EINTR:
		case unix.ECHILD:
			clear(s.tasks)
			return nil, io.EOF
		default:
			return nil, fmt.Errorf("wait for the traced tasks: %w", err)
		}
		if len(s.ready) > 0 {
			s.next = 1
			return s.ready[0], nil
		}
		if s.alarm.rang() {
			return nil, nil
		}
	}
}

// fair is how many stops in a row one task may have before the others are
// looked at: the kernel always tells the first that it finds.
const fair = 16

func (s *Source) wait() (int, uint32, error) {
	if n := len(s.backlog); n > 0 {
		first := s.backlog[0]
		s.backlog = s.backlog[:copy(s.backlog, s.backlog[1:])]
		return first.tid, first.status, nil
	}
	if s.repeat >= fair && len(s.tasks) > 1 {
		s.repeat = 0
		for {
			tid, st, err := wait(false)
			if err != nil || tid == 0 {
				break
			}
			s.backlog = append(s.backlog, stop{tid, st})
		}
		if len(s.backlog) > 0 {
			return s.wait()
		}
	}
	// Without tasks there can only be one whose parent died before it told.
	return wait(len(s.tasks) > 0)
}

// emit hands e over to Next. Only calls count in the running number of a task:
// that is what could be missing.
func (s *Source) emit(t *task, e *event.Event) {
	switch e.Kind {
	case event.KindSyscall, event.KindNoReturn:
		t.seq++
		s.ledger.Emitted++
	}
	e.Seq = t.seq
	s.ready = append(s.ready, e)
}

// tell makes an event of a kind other than a call's and hands it over.
func (s *Source) tell(t *task, kind event.Kind, fill func(e *event.Event)) {
	s.extra = append(s.extra, event.Event{
		Kind: kind, ABI: t.ev.ABI, TGID: uint32(t.tgid), TID: uint32(t.tid), Comm: t.ev.Comm, Time: s.now(),
	})
	// Older ones that were handed over stay valid if extra has moved.
	e := &s.extra[len(s.extra)-1]
	fill(e)
	s.emit(t, e)
}

// Wake makes a waiting Next return.
func (s *Source) Wake() {
	if s.alarm != nil {
		s.alarm.wake()
	}
}

// Ledger returns the counts; a stopped task can't get lost, so Lost is 0.
func (s *Source) Ledger() event.Ledger { return s.ledger }

// ChildStatus returns the wait status of Plan.Target.Child once it has ended.
func (s *Source) ChildStatus() (unix.WaitStatus, bool) {
	return unix.WaitStatus(s.childStatus), s.childEnded
}

// StrayStatus returns how a child of this thread ended that is not traced.
func (s *Source) StrayStatus(pid int) (unix.WaitStatus, bool) {
	st, ok := s.strays[pid]
	return unix.WaitStatus(st), ok
}

// InFlight implements event.InFlight.
func (s *Source) InFlight(before uint64, to []event.Pending) []event.Pending {
	for _, t := range s.tasks {
		if t.inCall && !t.quiet && !t.entered && !t.told && t.ev.Enter <= before {
			e := t.ev
			e.Kind, e.Time, e.Seq = event.KindEnter, t.ev.Enter, t.seq
			to = append(to, event.Pending{Event: e, Since: t.ev.Enter})
		}
	}
	return to
}

// Close lets go of everything.
func (s *Source) Close() error {
	if s.alarm == nil {
		return nil
	}
	err := s.Stop()
	s.alarm.close()
	s.alarm = nil
	runtime.UnlockOSThread()
	return err
}
