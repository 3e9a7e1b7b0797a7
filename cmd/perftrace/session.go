package main

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/cmd/perftrace/held"
	"perftrace/decode"
	"perftrace/event"
	"perftrace/filter"
	"perftrace/perf"
)

// A session is a trace while it runs. One goroutine takes events from the source
// and makes lines of them; the only others are the one that waits for the
// command and the one that gets signals, and they only set a flag and wake it.
type session struct {
	cfg   *config
	say   *sayer
	src   event.Source
	rows  *decode.Rows
	dec   *decode.Decoder
	out   *outputs
	clock wallClock
	table *summary // nil: no -c, no -C

	tasks   tracker
	command uint32         // pid of the command; 0: none
	held    *held.Command  // it, until it is known that its execve failed
	restart event.CallSets // restart_syscall
	exact   bool           // the source delivers no call outside cfg.calls
	match   *matcher
	pending []event.Pending
	waiting int // happenings that are kept in all tasks

	shown    uint64 // calls that became a line, an object or a count
	filtered uint64 // calls that came from the source and did not
	started  bool   // the command's own execve has succeeded
	prefix   prefix
	callAt   int  // where in the buffer the name of the call begins
	limited  bool // --syscall-limit was reached
	stopped  bool // the source was stopped
	nextTick uint64
	idleAt   uint64 // when it was looked last whether the tasks still exist
	alive    func(tid uint32) bool

	signal atomic.Int32  // the signal that ends the trace
	reaped atomic.Uint64 // the command ended: its wait status + 1
	status status
}

const (
	nextTimeout   = 50 * time.Millisecond
	tick          = 100_000_000 // ns between looks at the calls in progress
	unfinishedAge = 250_000_000 // ns after which a call in progress is shown
	idleCheck     = 200_000_000 // ns between looks whether the tasks still exist
)

// trace runs the whole trace.
func trace(cfg *config, say *sayer) (*status, error) {
	// Little of what is made until tracing is armed is garbage.
	collect := debug.SetGCPercent(-1)
	out, err := newOutputs(cfg, say)
	if err != nil {
		return nil, err
	}
	// What takes long goes on side by side: a second process becomes the command
	// to be, the kernel is looked at, and here the rows become a plan.
	var cmd *held.Command
	if len(cfg.command) > 0 {
		if cmd, err = startCommand(cfg); err != nil {
			out.finish()
			return nil, err
		}
	}
	src := prepareSource(cfg)
	s := newSession(cfg, say, out)
	if cmd != nil {
		s.command, s.held = uint32(cmd.PID), cmd
	}
	fail := func(err error) (*status, error) {
		if cmd != nil {
			cmd.GiveUp()
		}
		out.finish()
		return nil, err
	}
	plan := cfg.plan(s.rows, int(s.command))
	if cfg.all {
		plan.Target.Exclude = chain(os.Getpid(), out.shell)
	}
	if cmd != nil {
		if err := cmd.Ready(); err != nil {
			out.finish()
			return nil, commandError(err)
		}
	}
	if s.src, err = openSource(cfg, src, plan, say); err != nil {
		return fail(err)
	}
	s.systemTime()
	if err := s.src.Start(); err != nil {
		_ = s.src.Close()
		return fail(err)
	}
	debug.SetGCPercent(collect)
	s.attached()
	if cmd != nil {
		s.watchCommand()
		if err := cmd.Release(); err != nil {
			return fail(cannot("start the command: %s", cause(err)))
		}
	}
	if _, stops := s.src.(childWaiter); !stops {
		// A target that is not stopped can fill the rings while the reader waits
		// for a CPU. Where this is not allowed, the ledger tells what was lost.
		_ = perf.Prioritize()
	}
	stop := s.watchSignals()
	defer stop()
	detachStdio()
	err = s.loop()
	s.finish()
	return &s.status, err
}

func newSession(cfg *config, say *sayer, out *outputs) *session {
	s := &session{cfg: cfg, say: say, out: out, rows: decode.NewRows(arch), tasks: newTracker()}
	opts := cfg.decode
	opts.JSON = cfg.json
	if cfg.pidComm {
		opts.CommOf = s.commOf
	}
	s.dec = decode.New(s.rows, opts)
	s.exact = cfg.calls.Exact()
	s.match = cfg.files.matcher()
	if calls, err := filter.ParseTrace(arch, "restart_syscall"); err == nil {
		s.restart = calls.Sets()
	}
	s.tasks.all = cfg.all
	s.alive = func(tid uint32) bool { return unix.Kill(int(tid), 0) != unix.ESRCH && !isZombie(tid) }
	if cfg.summary.on {
		s.table = newSummary(&cfg.summary)
	}
	several := cfg.follow || len(cfg.pids) > 1 || len(cfg.pids) > 0 && len(cfg.command) > 0
	if cfg.all || cfg.output != "" && !cfg.separate && several || cfg.showPID {
		s.prefix.number = true
	}
	s.prefix.detect(cfg)
	say.before = func() { s.out.flushAll() }
	return s
}

// loop takes events until nothing is traced any more.
func (s *session) loop() error {
	for {
		e, err := s.src.Next(nextTimeout)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return cannot("%v", err)
		}
		if e != nil {
			s.event(e)
			if e.Time < s.nextTick && !s.limited {
				continue
			}
		}
		if s.limited || s.signal.Load() != 0 {
			s.stop()
			continue
		}
		now := monotonic()
		if e == nil {
			s.out.flushAll()
			s.look(now)
		}
		if now >= s.nextTick {
			s.nextTick = now + tick
			if e == nil {
				s.showOld(now)
			} else { // there may be a backlog of events
				s.showOld(e.Time)
			}
			s.showPending(now)
		}
	}
}

// stop ends tracing; what is in the rings is still shown.
func (s *session) stop() {
	if !s.stopped {
		s.stopped = true
		_ = s.src.Stop()
	}
}

// look ends the trace when nothing is left to be traced. Tasks say that they
// end, but that record may be lost, so now and then it is looked whether those
// that are thought to live do.
func (s *session) look(now uint64) {
	if s.stopped || s.tasks.all {
		return
	}
	if _, ended := s.commandEnded(); s.command != 0 && !ended {
		return
	}
	if s.tasks.live() > 0 && now < s.idleAt+idleCheck {
		return
	}
	s.idleAt = now
	for tid := range s.tasks.tasks {
		if s.alive(tid) {
			return
		}
	}
	s.stop()
}

// event handles one event.
func (s *session) event(e *event.Event) {
	if s.waiting != 0 && (e.Kind == event.KindSyscall || e.Kind == event.KindNoReturn) {
		s.showAround(e)
		return
	}
	switch e.Kind {
	case event.KindSyscall:
		s.returned(e)
	case event.KindEnter:
		if s.cfg.strict {
			s.entered(e)
		}
	case event.KindNoReturn:
		s.neverReturned(e)
	case event.KindSignal:
		s.signalCame(e)
	case event.KindStop:
		s.groupStopped(s.tasks.get(e.TID, e.TGID), e)
	case event.KindExit:
		s.exited(e)
	case event.KindExec:
		s.execed(e)
	case event.KindFork:
		s.forked(e)
	case event.KindRename:
		if t := s.tasks.known(e.TID); t != nil {
			t.comm = e.Comm
		}
	case event.KindLost:
		s.lost(e)
	}
}

func (s *session) returned(e *event.Event) {
	t := s.tasks.get(e.TID, e.TGID)
	hidden := t.failedExec
	if e.TID == s.command && !s.started && s.isExec(e) {
		s.started = e.Ret >= 0
		t.failedExec = !s.started
	}
	if hidden || !s.keep(e) || !s.cfg.wantsReturned() {
		s.filtered++
		t.begun = false
		return
	}
	s.shown++
	s.called(t, e)
	if s.table != nil {
		s.table.count(e)
	}
	if s.cfg.summary.only {
		t.begun = false
	} else {
		s.callLine(t, e)
	}
	if t.failedExec {
		s.execFailed()
	}
	if s.cfg.limit != 0 && s.shown >= s.cfg.limit {
		s.limited = true
	}
}

// called makes the call of e the last one of t. If it goes on with the one
// before, the decoder is told which that was.
func (s *session) called(t *task, e *event.Event) {
	if s.restart[e.ABI].Has(e.NR) {
		s.dec.Interrupted = ""
		if t.interrupted {
			s.dec.Interrupted = s.rows.Name(t.abi, t.nr)
		}
	}
	t.nr, t.abi = e.NR, e.ABI
	t.interrupted = e.Kind == event.KindSyscall && e.Ret == -restartBlock
}

// restartBlock is ERESTART_RESTARTBLOCK: restart_syscall will go on with the call.
const restartBlock = 516

// isExec reports whether the call is execve or execveat.
func (s *session) isExec(e *event.Event) bool {
	name := s.rows.Name(e.ABI, e.NR)
	return name == "execve" || name == "execveat"
}

func (s *session) entered(e *event.Event) {
	t := s.tasks.get(e.TID, e.TGID)
	if t.failedExec || !s.keep(e) || s.cfg.summary.only || !s.cfg.wantsUnfinished() {
		return
	}
	s.called(t, e)
	s.beginLine(t, e)
}

func (s *session) neverReturned(e *event.Event) {
	t := s.tasks.get(e.TID, e.TGID)
	if e.Flags&event.Detached != 0 {
		s.letGo(t, e)
		return
	}
	if t.failedExec || !s.keep(e) || !s.cfg.status.Has(filter.Unfinished) || s.cfg.summary.only {
		s.filtered++
		t.begun = false
		return
	}
	s.shown++
	s.called(t, e)
	s.callLine(t, e)
}

// showPending shows the calls that have been in progress for a while.
func (s *session) showPending(now uint64) {
	src, ok := s.src.(event.InFlight)
	if !ok || s.cfg.summary.only || s.cfg.json || s.limited || s.stopped || !s.cfg.wantsUnfinished() {
		return
	}
	s.pending = src.InFlight(now-unfinishedAge, s.pending[:0])
	for i := range s.pending {
		p := &s.pending[i]
		t := s.tasks.get(p.TID, p.TGID)
		if t.begun || t.failedExec || !s.keep(&p.Event) {
			continue
		}
		s.called(t, &p.Event)
		s.beginLine(t, &p.Event)
	}
	s.out.flushAll()
}

// sorted are the tasks by their tid.
func (s *session) sorted() []*task {
	list := slices.Collect(maps.Values(s.tasks.tasks))
	slices.SortFunc(list, func(a, b *task) int { return cmp.Compare(a.tid, b.tid) })
	return list
}

func isZombie(tid uint32) bool {
	b, err := os.ReadFile("/proc/" + utoa(tid) + "/stat")
	if err != nil {
		return true
	}
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] == ')' {
			return i+2 < len(b) && (b[i+2] == 'Z' || b[i+2] == 'X')
		}
	}
	return false
}
