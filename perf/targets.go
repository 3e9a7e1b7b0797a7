package perf

import (
	"errors"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"perftrace/event"
)

// attrs are the attributes of the events of a Source.
type attrs struct {
	owner, side, enter, exit Attr
	enterFilter, exitFilter  string
}

func newAttrs(enter, exit *Tracepoint, ringBytes uint64) attrs {
	tracepoint := func(tp *Tracepoint) Attr {
		return Attr{
			Name: tp.Name, Type: unix.PERF_TYPE_TRACEPOINT, Config: tp.ID,
			SamplePeriod: 1, SampleType: sampleType, ReadFormat: unix.PERF_FORMAT_LOST,
			Bits: unix.PerfBitDisabled, RegsUser: regsUserMask,
		}
	}
	dummy := Attr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_DUMMY,
		SampleType: unix.PERF_SAMPLE_TID | unix.PERF_SAMPLE_TIME, ReadFormat: unix.PERF_FORMAT_LOST,
	}
	a := attrs{owner: dummy, side: dummy, enter: tracepoint(enter), exit: tracepoint(exit)}
	a.owner.Name = "the owner of a ring"
	a.owner.Bits = unix.PerfBitDisabled
	a.owner.WatermarkAt = uint32(ringBytes / 4)
	a.side.Name = "the event for fork, exit and names"
	a.side.Bits = unix.PerfBitDisabled | unix.PerfBitTask | unix.PerfBitComm | unix.PerfBitCommExec
	return a
}

// inherit makes the events pass to new threads, or to new processes too.
func (a *attrs) inherit(processes bool) {
	bits := uint64(unix.PerfBitInherit)
	if !processes {
		bits |= bitInheritThread
	}
	for _, at := range []*Attr{&a.side, &a.enter, &a.exit} {
		at.Bits = at.Bits&^(unix.PerfBitInherit|bitInheritThread) | bits
	}
}

// openTarget opens the events of whatever is to be traced.
func (s *Source) openTarget() error {
	t := &s.plan.Target
	if t.All {
		return s.openAll()
	}
	if len(t.TIDs) > 0 {
		if err := s.openTIDs(t.TIDs, t.Follow); err != nil {
			return err
		}
	}
	if t.Child == 0 && len(t.PIDs) == 0 {
		return nil
	}
	s.attrs.inherit(t.Follow)
	err := s.openProcesses()
	if errors.Is(err, unix.EINVAL) && !t.Follow {
		// Before Linux 5.13: inherit everything, leave out processes here.
		s.closeTasks()
		s.attrs.inherit(true)
		s.follow = make(map[uint32]bool)
		for _, p := range t.PIDs {
			s.follow[uint32(p)] = true
		}
		if t.Child != 0 {
			s.follow[uint32(t.Child)] = true
		}
		err = s.openProcesses()
	}
	return err
}

// firstTask is a task whose events may own a ring.
func firstTask(t *event.Target) (tid int, ok bool) {
	for _, list := range [][]int{{t.Child}, t.PIDs, t.TIDs} {
		if len(list) > 0 && list[0] != 0 {
			return list[0], true
		}
	}
	return 0, false
}

// openAll opens events for every task of each CPU. The excluded processes are
// left out by the kernel as far as their threads exist now, and by us.
func (s *Source) openAll() error {
	s.exclude = make(map[uint32]bool)
	var tids []int
	for _, p := range s.plan.Target.Exclude {
		s.exclude[uint32(p)] = true
		t, _ := threads(p)
		tids = append(tids, t...)
	}
	pids, err := processes()
	if err != nil {
		return err
	}
	for _, p := range pids {
		t, _ := threads(p)
		for _, tid := range t {
			s.tasks.add(uint32(tid), uint32(p))
		}
	}
	s.attrs.enterFilter = excluding(s.attrs.enterFilter, tids)
	s.attrs.exitFilter = excluding(s.attrs.exitFilter, tids)
	for _, c := range s.cpus {
		if err := s.openOn(c, -1); err != nil {
			return err
		}
	}
	return nil
}

// maxFilter is what fits into a tracepoint's filter: a page with its NUL.
const maxFilter = 4095

// excluding adds to a filter that the task is none of tids, as far as there is
// room: it only saves work.
func excluding(filter string, tids []int) string {
	if filter != "" {
		filter = "(" + filter + ")"
	}
	for _, tid := range tids {
		one := "common_pid != " + strconv.Itoa(tid)
		if filter != "" {
			one = " && " + one
		}
		if len(filter)+len(one) > maxFilter {
			break
		}
		filter += one
	}
	return filter
}

// openOn opens side, exit and enter on a CPU for a task (-1: all).
func (s *Source) openOn(c *cpu, pid int) error {
	if err := s.openSide(c, pid); err != nil {
		return err
	}
	return s.openTracepoints(c, pid)
}

func (s *Source) openTracepoints(c *cpu, pid int) error {
	for _, w := range []struct {
		attr   *Attr
		filter string
		list   *[]*Event
	}{{&s.attrs.exit, s.attrs.exitFilter, &c.exit}, {&s.attrs.enter, s.attrs.enterFilter, &c.enter}} {
		e, err := s.openInto(c, w.attr, pid)
		if err != nil {
			return err
		}
		*w.list = append(*w.list, e)
		if w.filter != "" {
			if err := e.SetFilter(w.filter); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Source) openSide(c *cpu, pid int) error {
	e, err := s.openInto(c, &s.attrs.side, pid)
	if err == nil {
		c.side = append(c.side, e)
	}
	return err
}

func (s *Source) openInto(c *cpu, a *Attr, pid int) (*Event, error) {
	e, err := Open(a, pid, c.nr)
	if err != nil {
		return nil, err
	}
	if err := e.SetOutput(c.owner); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// openTask opens all events of one task on all CPUs, the side events first: from
// then on its forks are told.
func (s *Source) openTask(tid int) error {
	for _, c := range s.cpus {
		if err := s.openSide(c, tid); err != nil {
			return err
		}
		if err := c.side[len(c.side)-1].Enable(); err != nil {
			return err
		}
	}
	for _, c := range s.cpus {
		if err := s.openTracepoints(c, tid); err != nil {
			return err
		}
	}
	return nil
}

// closeTask closes the events of one task; what inherited them ends with them.
func (s *Source) closeTask(tid int) {
	for _, c := range s.cpus {
		for _, list := range []*[]*Event{&c.enter, &c.exit, &c.side} {
			*list = slices.DeleteFunc(*list, func(e *Event) bool {
				return e.PID == tid && e.Close() == nil
			})
		}
	}
}

func (s *Source) closeTasks() {
	for _, c := range s.cpus {
		for _, list := range []*[]*Event{&c.enter, &c.exit, &c.side} {
			for _, e := range *list {
				_ = e.Close()
			}
			*list = nil
		}
	}
}

// openTIDs opens single threads. Their new threads are not traced without follow.
func (s *Source) openTIDs(tids []int, follow bool) error {
	if follow {
		s.attrs.inherit(true)
	}
	for _, tid := range tids {
		s.tasks.add(uint32(tid), uint32(tgidOf(tid)))
		if err := s.openTask(tid); err != nil {
			return err
		}
	}
	return nil
}
