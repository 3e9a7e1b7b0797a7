package bpf

import (
	"encoding/binary"
	"errors"
	"io"

	"perftrace/event"
)

// Counts are the programs' own counters, summed over the CPUs.
type Counts struct {
	Matched, Filtered, Emitted uint64
	Lost                       [event.NumCauses]uint64
	// Refused counts hand-overs of batches that found no room in the ring; the
	// batch is kept. PERF_FORMAT_LOST counts the same.
	Refused uint64
	// PartsLost counts entry records without room; their calls tell it.
	PartsLost uint64
	// TasksLost counts records about tasks and signals without room.
	TasksLost uint64
	Batches   uint64
}

// Counts returns the programs' counters.
func (s *Source) Counts() (c Counts) {
	if s.coll == nil {
		return c
	}
	for cpu := range uint32(s.possible) {
		var v traceCpu
		if s.coll.Maps["cpus"].Lookup(cpu, &v) != nil {
			continue
		}
		c.Matched += v.Matched
		c.Filtered += v.Filtered
		c.Emitted += v.Emitted
		for i := range c.Lost {
			c.Lost[i] += v.Lost[i]
		}
		c.Refused += v.Refused
		c.PartsLost += v.PartsLost
		c.TasksLost += v.TasksLost
		c.Batches += v.Batches
	}
	return c
}

// RingLost is what the kernel says each ring has lost (PERF_FORMAT_LOST), in
// hand-overs; ok is false before Linux 6.0.
func (s *Source) RingLost() (n uint64, ok bool) {
	ok = len(s.events) > 0
	for _, e := range s.events {
		lost, has := e.Lost()
		n += lost
		ok = ok && has
	}
	return n, ok
}

// Ledger accounts for the calls in the set of the traced tasks. Calls outside
// the set are rejected before they are counted.
func (s *Source) Ledger() event.Ledger {
	if s.coll == nil {
		return s.ledger
	}
	c := s.Counts()
	l := event.Ledger{Issued: c.Matched, Emitted: c.Emitted, Filtered: c.Filtered, Lost: c.Lost}
	exit := s.coll.Programs["call_exit"]
	if s.plan.Count {
		exit = s.coll.Programs["count_exit"]
		l.Emitted = s.countedCalls()
		l.Issued = l.Emitted + l.Filtered + l.LostTotal()
	}
	if st, err := exit.Stats(); err == nil {
		l.Lost[event.Missed] += st.RecursionMisses
		l.Issued += st.RecursionMisses
	}
	return l
}

// Missing tells what this kernel lacks and what that costs, one sentence each.
func (s *Source) Missing() []string { return s.missing }

// Wake makes a waiting Next return.
func (s *Source) Wake() { s.group.Wake() }

// Stop detaches the programs. What they wrote stays readable by Next.
func (s *Source) Stop() error {
	var errs []error
	// In reverse, so that no call begins that can't end.
	for i := len(s.links) - 1; i >= 0; i-- {
		errs = append(errs, s.links[i].Close())
	}
	s.links = nil
	s.rounds.stopped = true
	return errors.Join(errs...)
}

// Close frees everything. Nothing is pinned, so the kernel does the same if this
// process dies.
func (s *Source) Close() error {
	if s.coll == nil && s.events == nil {
		return nil
	}
	errs := []error{s.Stop()}
	s.ledger = s.Ledger()
	errs = append(errs, s.group.Close())
	for _, e := range s.events {
		errs = append(errs, e.Close())
	}
	s.events = nil
	if s.coll != nil {
		s.coll.Close()
	}
	s.coll, s.iter, s.cpuMem, s.held = nil, nil, nil, nil
	return errors.Join(errs...)
}

// dump returns the states of all traced tasks, or nil if the kernel has no
// iterator over tasks.
func (s *Source) dump() (all []traceDump) {
	if s.iter == nil {
		return s.dumpHash()
	}
	b, err := s.iterate()
	if err != nil {
		return nil
	}
	for size := binary.Size(traceDump{}); len(b) >= size; b = b[size:] {
		var d traceDump
		if _, err := binary.Decode(b[:size], binary.NativeEndian, &d); err != nil {
			return all
		}
		all = append(all, d)
	}
	return all
}

var _ interface {
	event.Source
	event.InFlight
	io.Closer
} = (*Source)(nil)
