package perf

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/perf/mmap"
)

// slack (ns) is how far behind the clock the merge stays: a sample's time is
// taken before it is in its ring.
const slack = 200_000

// A Source is the perf backend. See the package for what it can and can't tell.
type Source struct {
	// Filter compiles a set of calls into a filter string of the tracepoints,
	// whose field is id; "" means all. exact says that the filter passes
	// nothing that is not in the set. nil: everything is filtered here.
	// Package filter has it: filter.Tracepoint.
	Filter func(*event.CallSets) (text string, exact bool)

	plan   *event.Plan
	cpus   []*cpu
	byCPU  map[int]*cpu
	group  mmap.Group
	layout layout
	attrs  attrs

	pair    event.Pairer
	tasks   tasks
	check   bool   // calls outside the set can come: look at each
	held    uint32 // tid of the command that has not called execve yet
	exclude map[uint32]bool
	follow  map[uint32]bool // only these processes; nil: all

	ev      event.Event
	queue   [2]event.Event // what follows ev
	queued  int
	smp     sample
	side    sideRecord
	counts  counts
	stopped bool
	drained bool
	closed  bool
}

// cpu is what belongs to one CPU.
type cpu struct {
	nr                int
	owner             *Event
	ring              *mmap.Ring
	enter, exit, side []*Event

	lostSeen uint64 // lost exits told by KindLost
	readAt   uint64 // when the lost counts were read last
}

// Open implements event.Source.
func (s *Source) Open(p *event.Plan) (err error) {
	s.plan = p
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if err := supported(&p.Target); err != nil {
		return err
	}
	if err := s.lookUp(); err != nil {
		return err
	}
	online, err := OnlineCPUs()
	if err != nil {
		return err
	}
	cpus, err := chooseCPUs(p.Target.CPUs, online)
	if err != nil {
		return err
	}
	if err := s.openRings(cpus); err != nil {
		return err
	}
	s.held = uint32(p.Target.Child)
	s.tasks.wantComm = p.Comm
	return s.openTarget()
}

// supported refuses conditions that perf events don't have.
func supported(t *event.Target) error {
	switch {
	case t.CgroupID != 0:
		return &UnsupportedFeature{"to choose tasks by control group", "use --backend=bpf"}
	case t.UID > 0:
		return &UnsupportedFeature{"to choose tasks by user", "use --backend=bpf"}
	case t.CommGlob != "":
		return &UnsupportedFeature{"to choose tasks by name", "use --backend=bpf"}
	}
	return nil
}

// lookUp reads the tracepoints from tracefs and prepares the attributes.
func (s *Source) lookUp() error {
	t, err := OpenTracefs()
	if err != nil {
		return err
	}
	defer t.Close()
	enter, err := t.Tracepoint("raw_syscalls", "sys_enter")
	if err != nil {
		return err
	}
	exit, err := t.Tracepoint("raw_syscalls", "sys_exit")
	if err != nil {
		return err
	}
	if s.layout, err = newLayout(enter, exit); err != nil {
		return err
	}
	s.attrs = newAttrs(enter, exit, s.ringBytes())
	s.compileFilter()
	return nil
}

// compileFilter decides what the kernel filters and what is left for us.
func (s *Source) compileFilter() {
	calls := &s.plan.Calls
	s.check = true
	if s.Filter == nil {
		return
	}
	text, exact := s.Filter(calls)
	s.check = !exact
	s.attrs.enterFilter, s.attrs.exitFilter = text, text
	if text == "" {
		return
	}
	for abi := range special {
		c := &special[abi]
		if calls[abi].Has(c.sigreturn) || calls[abi].Has(c.rtSigreturn) {
			// It returns with the number -1, as others of no interest may.
			s.check = true
			s.attrs.exitFilter = "(" + text + ") || id == -1"
			if len(s.attrs.exitFilter) > maxFilter {
				s.attrs.exitFilter = ""
			}
			return
		}
	}
}

// ringBytes is the size of each ring's data area.
func (s *Source) ringBytes() uint64 {
	if s.plan.RingBytes != 0 {
		return s.plan.RingBytes
	}
	if !hasCap(capIPCLock) {
		return 512 << 10 // what perf_event_mlock_kb allows by default
	}
	online, err := OnlineCPUs()
	if err != nil {
		return 512 << 10
	}
	n := uint64(8 << 20)
	for n > 512<<10 && n*uint64(len(online)) > 128<<20 {
		n /= 2
	}
	return n
}

// openRings opens an owner on each CPU and maps its ring.
func (s *Source) openRings(cpus []int) error {
	s.byCPU = make(map[int]*cpu, len(cpus))
	s.group.Layout = mmap.LayoutOf(sampleType, true)
	s.group.Largest = largest
	for _, nr := range cpus {
		c := &cpu{nr: nr}
		s.cpus = append(s.cpus, c)
		s.byCPU[nr] = c
		owner, err := s.openOwner(nr)
		if err != nil {
			return err
		}
		c.owner = owner
		if err := s.mapRing(c, len(cpus)); err != nil {
			return err
		}
	}
	return nil
}

// openOwner opens the event that a ring is mapped by. Who may not watch a whole
// CPU has it tied to the first task.
func (s *Source) openOwner(nr int) (*Event, error) {
	e, err := Open(&s.attrs.owner, -1, nr)
	if err == nil || s.plan.Target.All || !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EPERM) {
		return e, err
	}
	tid, ok := firstTask(&s.plan.Target)
	if !ok {
		return nil, err
	}
	return Open(&s.attrs.owner, tid, nr)
}

func (s *Source) mapRing(c *cpu, rings int) error {
	size := s.ringBytes()
	ring, err := mmap.Map(c.owner.fd, c.nr, int(size)/os.Getpagesize())
	if err != nil {
		return mapError(c.nr, size, rings, err)
	}
	c.ring = ring
	if err := s.group.Add(ring); err != nil {
		return fmt.Errorf("watch the ring of CPU %d: %w", c.nr, err)
	}
	return nil
}

// Start implements event.Source. All entries are enabled before the first exit:
// so an exit without an entry is one of a call that began before the trace.
func (s *Source) Start() error {
	for _, list := range []func(*cpu) []*Event{
		func(c *cpu) []*Event { return c.side },
		func(c *cpu) []*Event { return c.enter },
		func(c *cpu) []*Event { return c.exit },
	} {
		for _, c := range s.cpus {
			for _, e := range list(c) {
				if err := e.Enable(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Stop implements event.Source.
func (s *Source) Stop() error {
	if s.stopped {
		return nil
	}
	s.stopped = true
	var errs []error
	for _, c := range s.cpus {
		for _, list := range [][]*Event{c.exit, c.enter, c.side} {
			for _, e := range list {
				errs = append(errs, e.Disable())
			}
		}
	}
	return errors.Join(errs...)
}

// Wake implements event.Source.
func (s *Source) Wake() { s.group.Wake() }

// Next implements event.Source. The rings are drained up to the last look, then
// it waits, unless they filled up meanwhile. Less than the watermark wakes
// nobody, which is what makes this cheap for the target.
func (s *Source) Next(timeout time.Duration) (*event.Event, error) {
	waited := false
	deadline := uint64(0)
	for {
		if s.queued > 0 {
			s.queued--
			s.ev = s.queue[0]
			s.queue[0] = s.queue[1]
			return &s.ev, nil
		}
		if u := s.group.Next(); u != nil {
			if s.handle(u) {
				return &s.ev, nil
			}
			continue
		}
		if s.stopped {
			if s.closed || s.drained {
				return s.finish()
			}
			s.drained = true
			s.group.Begin(math.MaxUint64)
			continue
		}
		t := now()
		switch {
		case s.group.Filling():
			if deadline == 0 {
				deadline = t + uint64(timeout)
			} else if t > deadline { // all of it was foreign or filtered
				return nil, nil
			}
		case waited:
			return nil, nil
		default:
			if err := s.group.Wait(timeout); err != nil {
				return nil, fmt.Errorf("wait for rings: %w", err)
			}
			waited = true
			t = now()
		}
		s.group.Begin(t - slack)
	}
}

// finish is the end: what is known to be lost is told, then io.EOF.
func (s *Source) finish() (*event.Event, error) {
	for _, c := range s.cpus {
		if n := s.lostOn(c); n > c.lostSeen {
			s.lostEvent(c, n, now())
			return &s.ev, nil
		}
	}
	s.settle()
	return nil, io.EOF
}

// InFlight implements event.InFlight.
func (s *Source) InFlight(before uint64, to []event.Pending) []event.Pending {
	return s.pair.Pending(before, to)
}

// Close implements event.Source.
func (s *Source) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	s.settle()
	// Unmap first: a mapped event lives on when its fd is closed.
	errs := []error{s.group.Close()}
	for _, c := range s.cpus {
		for _, list := range [][]*Event{c.enter, c.exit, c.side} {
			for _, e := range list {
				errs = append(errs, e.Close())
			}
		}
		if c.owner != nil {
			errs = append(errs, c.owner.Close())
		}
	}
	return errors.Join(errs...)
}

// now reads CLOCK_MONOTONIC.
func now() uint64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return uint64(ts.Sec)*1e9 + uint64(ts.Nsec)
}
