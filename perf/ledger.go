package perf

import (
	"perftrace/event"
	"perftrace/perf/mmap"
)

// counts are what the ledger is made of. enters and exits are records of traced
// tasks, before any filter of ours; exits without births, see isBirth.
type counts struct {
	enters, exits uint64
	forks, births uint64
	emitted       uint64
	filtered      uint64
	noReturn      uint64 // calls that will never return, seen by their entry
	maybeNoReturn uint64 // tasks that ended behind a gap, without a last call
	odd           uint64 // samples that made no sense
	settled       bool
	lost          uint64 // once settled
}

// readEvery (ns) is how often the kernel is asked for lost counts at most.
const readEvery = 10_000_000

// handleGap drops what may not be joined any more, and tells where calls are missing.
func (s *Source) handleGap(u *mmap.Unit) bool {
	s.pair.Gap()
	c := s.byCPU[u.Ring.CPU]
	t := now()
	if t-c.readAt < readEvery {
		return false // the next one, or the end, tells of these too
	}
	c.readAt = t
	n := s.lostOn(c)
	if n <= c.lostSeen {
		return false
	}
	s.lostEvent(c, n, u.Time)
	return true
}

// lostEvent makes s.ev tell of the calls lost on a CPU since the last time.
func (s *Source) lostEvent(c *cpu, n, t uint64) {
	s.ev = event.Event{Kind: event.KindLost, CPU: uint32(c.nr), Time: t, Lost: n - c.lostSeen}
	c.lostSeen = n
}

// lostOn returns how many exits did not fit into a CPU's ring.
func (s *Source) lostOn(c *cpu) (n uint64) {
	for _, e := range c.exit {
		k, ok := e.Lost()
		if !ok {
			// Before Linux 6.0 nobody tells which records were lost. Half of
			// them were exits, more or less.
			return c.ring.Stats.Lost / 2
		}
		n += k
	}
	return n
}

func (s *Source) lostEnters() (n uint64) {
	for _, c := range s.cpus {
		for _, e := range c.enter {
			k, _ := e.Lost()
			n += k
		}
	}
	return n
}

// lostCalls is the number of calls that are in no event.
//
// Every call has an entry. If tracing began with the command and all its tasks
// are gone, then what is neither shown nor filtered of all entries, read or
// lost, is exactly that number.
//
// Otherwise calls began before the trace or have not ended, and it is counted by
// the other end: lost exits, less those that only were births, and calls that
// never return and have lost their entry. Of each task that ended behind a
// gap, and not by a call that was seen, it is assumed that it made such a one; a
// task that a signal killed there is counted too much.
func (s *Source) lostCalls() (n uint64) {
	t := &s.plan.Target
	whole := t.Child != 0 && !t.All && len(t.PIDs)+len(t.TIDs) == 0 && s.held == 0
	if whole && s.stopped && s.tasks.alive() == 0 {
		begun := s.counts.enters + s.lostEnters()
		ended := s.counts.exits + s.counts.noReturn
		return max(begun, ended) - ended
	}
	for _, c := range s.cpus {
		n += s.lostOn(c)
	}
	if n > 0 && s.sees(special[event.Native].clones[2]) {
		n -= min(n, max(s.counts.forks, s.counts.births)-s.counts.births)
	}
	if s.pair.Gaps() > 0 && s.sees(special[event.Native].exitGroup) {
		n += s.counts.maybeNoReturn
	}
	return n
}

// sees reports whether the kernel passes a native call on to us.
func (s *Source) sees(nr uint32) bool {
	return s.attrs.enterFilter == "" || s.plan.Calls[event.Native].Has(nr)
}

// settle reads the lost counts for the last time.
func (s *Source) settle() {
	if s.counts.settled || len(s.cpus) == 0 {
		return
	}
	s.counts.settled = true
	s.counts.lost = s.lostCalls()
}

// Ledger implements event.Source.
func (s *Source) Ledger() event.Ledger {
	l := event.Ledger{Emitted: s.counts.emitted, Filtered: s.counts.filtered}
	n := s.counts.lost
	if !s.counts.settled {
		n = s.lostCalls()
	}
	l.Lost[event.RingFull] = n
	l.Issued = l.Emitted + l.Filtered + n
	return l
}
