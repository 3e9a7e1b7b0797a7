package bpf

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"perftrace/event"
	"perftrace/perf"
	"perftrace/perf/mmap"
)

// A Source traces with eBPF programs. Its zero value is ready for Open.
type Source struct {
	plan      *event.Plan
	coll      *ebpf.Collection
	iter      *ebpf.Program // nil: none on this kernel
	flusher   *ebpf.Program
	run       ebpf.RunOptions
	links     []io.Closer
	events    []*perf.Event
	cpuMem    *ebpf.Memory
	possible  int // CPUs
	storage   bool
	entryHook bool
	missing   []string
	lacks     lack
	kernel    *kernelBTF

	group    mmap.Group
	order    order
	tracker  *tracker
	horizon  uint64
	rounds   roundState
	seeded   map[int]bool // tids that were to be traced from the start
	held     record       // delivered by the next Next
	left     []byte       // records of CPUs that went offline
	ev       event.Event
	flushErr error
	ledger   event.Ledger // as of Close
}

// roundState says where Next is.
type roundState struct {
	began   time.Time
	stopped bool
	settled int  // rounds in a row without anything pending, after Stop
	tries   int  // rounds with something pending, after Stop
	final   bool // the last round has begun
	tailed  bool // tail is made
	tail    []event.Event
}

// maxLastRounds bounds how long a batch that can't be flushed (its CPU is
// offline) holds up the end.
const maxLastRounds = 200

// Prepare begins what takes long and needs no plan. Open does it, if it was not done.
func (s *Source) Prepare() {
	if s.kernel == nil {
		s.kernel = decodeKernelBTF()
	}
}

// Open loads the programs and opens the rings.
func (s *Source) Open(p *event.Plan) error {
	*s = Source{plan: p, lacks: s.lacks, kernel: s.kernel, tracker: newTracker(), seeded: map[int]bool{}}
	s.order.group = &s.group
	err := s.load(p)
	if err == nil {
		s.flusher = s.coll.Programs["flush"]
		err = s.openRings(ringBytesOf(p))
	}
	if err == nil && noFlush(s.flusher) {
		err = &UnsupportedFeature{
			Feature: "BPF_PROG_TEST_RUN of raw tracepoint programs (Linux 5.10)", Fix: otherBackend, Err: errors.ErrUnsupported,
		}
	}
	if err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

// hooks are the programs in the order in which they are attached: births first,
// so that no child of a traced task is missed.
var hooks = [...]string{
	"task_fork", "task_exec", "task_exit", "task_rename", "signal_deliver", "signal_generate",
	"task_switch", "call_enter", "count_enter", "call_exit", "count_exit",
}

// Start attaches the programs and then chooses the tasks.
func (s *Source) Start() error {
	for _, name := range hooks {
		prog := s.coll.Programs[name]
		if prog == nil {
			continue
		}
		l, err := link.AttachTracing(link.TracingOptions{Program: prog})
		if err != nil {
			return loadError("attach the BPF program "+name, err)
		}
		s.links = append(s.links, l)
	}
	return s.seed(&s.plan.Target)
}

// Next returns the next event; see event.Source.
func (s *Source) Next(timeout time.Duration) (*event.Event, error) {
	waited := false
	for {
		if s.held != nil {
			r := s.held
			s.held = nil
			if e := s.deliver(r); e != nil {
				return e, nil
			}
		}
		if e := s.fromRound(); e != nil {
			return e, nil
		}
		if s.rounds.stopped {
			if s.rounds.final {
				return s.end()
			}
			s.round()
			continue
		}
		if waited {
			return nil, s.flushErr
		}
		// A round right after one that brought little would only burn the CPU.
		if timeout <= 0 || time.Since(s.rounds.began) < tick/4 && !s.group.Filling() {
			if err := s.group.Wait(min(max(timeout, 0), tick)); err != nil {
				return nil, fmt.Errorf("wait for the rings: %w", err)
			}
			waited = true
		}
		if s.round(); timeout <= 0 {
			waited = true
		}
	}
}

// fromRound returns the next event of this round, or nil at its end.
func (s *Source) fromRound() *event.Event {
	for {
		r := s.order.next()
		if r == nil {
			return nil
		}
		if e := s.accept(r); e != nil {
			return e
		}
	}
}

// round flushes the batches and begins to read what is in the rings by then.
func (s *Source) round() {
	horizon, pending := s.flush()
	s.rounds.began = time.Now()
	if s.rounds.stopped {
		// The programs are detached. What still runs on another CPU ends within
		// moments; two quiet looks are enough.
		if pending == 0 {
			s.rounds.settled++
			time.Sleep(time.Millisecond)
		} else {
			s.rounds.settled = 0
			s.rounds.tries++
		}
		if s.rounds.settled >= 2 || s.rounds.tries > maxLastRounds {
			s.left = s.drainOffline()
			s.rounds.final = true
			horizon = math.MaxUint64
		}
	}
	s.order.begin(horizon)
}
