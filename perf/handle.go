package perf

import (
	"perftrace/event"
	"perftrace/perf/mmap"
)

// handle makes s.ev of a unit; false if there is nothing to tell. What else
// there is to tell is in s.queue.
func (s *Source) handle(u *mmap.Unit) bool {
	switch u.Type {
	case mmap.TypeSample:
		if !s.layout.parse(u.Data, &s.smp) {
			s.counts.odd++
			return false
		}
		if s.foreign(s.smp.tgid, s.smp.tid) {
			return false
		}
		if s.smp.enter {
			return s.handleEnter(u.Ring.CPU)
		}
		return s.handleExit(u.Ring.CPU)
	case mmap.TypeComm, mmap.TypeFork, mmap.TypeExit:
		return parseSide(u.Data, &s.side) && s.handleSide(u)
	case mmap.TypeLost, mmap.TypeLostSamples, mmap.TypeCorrupt:
		return s.handleGap(u)
	}
	return false
}

// foreign reports whether a record belongs to a task that is not traced (yet).
func (s *Source) foreign(tgid, tid uint32) bool {
	if s.held == tid && tid != 0 {
		if !s.smp.enter || !replacesImage(s.smp.abi, s.smp.nr) {
			return true
		}
		s.held = 0
	}
	return s.exclude != nil && s.exclude[tgid] || s.follow != nil && !s.follow[tgid]
}

// clear makes s.ev an event of the current sample. Fields that no event of this
// source has stay as they are: zero.
func (s *Source) clear(k event.Kind, cpu int) *event.Event {
	e, p := &s.ev, &s.smp
	e.Kind, e.Flags, e.CPU = k, 0, uint32(cpu)
	e.ABI, e.NR, e.TGID, e.TID = p.abi, p.nr, p.tgid, p.tid
	e.Enter, e.Time, e.Ret = 0, p.time, 0
	e.Child, e.ChildTGID, e.OldTID, e.Lost = 0, 0, 0, 0
	if s.tasks.wantComm {
		e.Comm = s.tasks.comm(p.tid, p.tgid)
	}
	return e
}

func (s *Source) handleEnter(cpu int) bool {
	s.counts.enters++
	e := s.clear(event.KindEnter, cpu)
	e.Args = s.smp.args
	e.IP = s.smp.ip
	if !s.plan.EnterEvent {
		e.Kind = event.KindSyscall
	}
	exec := replacesImage(e.ABI, e.NR)
	late := !s.pair.Enter(e, exec)
	if neverReturns(e.ABI, e.NR) {
		// Known from now on, and its arguments are safe from gaps.
		s.counts.noReturn++
		s.pair.Cancel(e.TID)
		s.tasks.gone(e.TID, e.TGID, e.Args[0], e.NR == special[e.ABI].exitGroup)
		if s.check && !s.plan.Calls[e.ABI].Has(e.NR) || s.plan.Result.Active() {
			s.counts.filtered++
			return false
		}
		s.counts.emitted++
		if s.plan.EnterEvent {
			s.push(e)
			s.queue[s.queued-1].Kind = event.KindNoReturn
			s.noReturn(&s.queue[s.queued-1])
			return true
		}
		s.noReturn(e)
		return true
	}
	return s.plan.EnterEvent && !late && (!s.check || s.plan.Calls[e.ABI].Has(e.NR))
}

func (s *Source) noReturn(e *event.Event) {
	e.Kind, e.Enter = event.KindNoReturn, e.Time
	e.Flags |= event.HasEnter
}

func (s *Source) handleExit(cpu int) bool {
	if isBirth(s.smp.abi, s.smp.nr, s.smp.ret) {
		s.counts.births++
		s.pair.Born(s.smp.tid, s.smp.tgid)
		return false
	}
	e := s.clear(event.KindSyscall, cpu)
	e.Ret = s.smp.ret
	e.IP = s.smp.ip
	s.pair.Exit(e)
	if e.Flags&event.NoArgs != 0 {
		e.Args = [6]uint64{}
		if e.NR == event.NoNumber {
			if s.pair.Gaps() == 0 {
				return false // not from a call: a task that the kernel started
			}
			e.NR = special[e.ABI].rtSigreturn
		}
	}
	s.counts.exits++
	if s.check && !s.plan.Calls[e.ABI].Has(e.NR) {
		s.counts.filtered++
		return false
	}
	if s.plan.Result.Active() {
		var d uint64
		if e.Flags&event.HasEnter != 0 {
			d = e.Time - e.Enter
		}
		if !s.plan.Result.Keep(e.Ret, d) {
			s.counts.filtered++
			return false
		}
	}
	s.counts.emitted++
	return true
}

// push queues a copy of e behind s.ev.
func (s *Source) push(e *event.Event) {
	s.queue[s.queued] = *e
	s.queued++
}

func (s *Source) handleSide(u *mmap.Unit) bool {
	r := &s.side
	if s.held != 0 && s.held == r.tid {
		if u.Type != mmap.TypeComm || !r.exec {
			return false
		}
		s.held = 0 // its execve is not in the set of calls
	}
	if s.exclude != nil && s.exclude[r.tgid] {
		return false
	}
	if s.follow != nil && !s.follow[r.tgid] {
		return false
	}
	e := &s.ev
	*e = event.Event{CPU: uint32(u.Ring.CPU), TGID: r.tgid, TID: r.tid, Time: u.Time}
	switch u.Type {
	case mmap.TypeFork:
		e.Kind = event.KindFork
		e.TGID, e.TID, e.ChildTGID, e.Child = r.ptgid, r.ptid, r.tgid, r.tid
		if !s.tasks.born(r.tid, r.tgid, r.ptid) {
			return false
		}
		s.counts.forks++
		s.pair.Born(r.tid, r.tgid)
		if s.tasks.wantComm {
			e.Comm = s.tasks.comm(r.ptid, r.ptgid)
		}
	case mmap.TypeComm:
		e.Kind, e.Comm = event.KindRename, r.comm
		s.tasks.rename(r.tid, r.comm)
		if r.exec {
			e.Kind = event.KindExec
			e.OldTID = s.pair.Exec(r.tgid)
			s.tasks.exec(r.tgid, e.OldTID)
		}
	case mmap.TypeExit:
		return s.handleDeath(e)
	}
	return true
}

// handleDeath tells that a task ended, and before it, if it died inside a call,
// that the call will not return.
func (s *Source) handleDeath(e *event.Event) bool {
	e.Kind = event.KindExit
	if s.tasks.wantComm {
		e.Comm = s.tasks.comm(e.TID, e.TGID)
	}
	var known bool
	if e.Status, known = s.tasks.status(e.TID, e.TGID); !known {
		e.Flags |= event.StatusUnknown
	}
	last, fine := s.tasks.died(e.TID, e.TGID)
	if last {
		e.Flags |= event.GroupDead
	}
	var call event.Event
	inside, had := s.pair.Died(e.TID, &call)
	if !fine && !inside && had && s.pair.Gaps() > 0 {
		s.counts.maybeNoReturn++
	}
	if !inside {
		return true
	}
	s.counts.noReturn++
	if s.check && !s.plan.Calls[call.ABI].Has(call.NR) || s.plan.Result.Active() {
		s.counts.filtered++
		return true
	}
	s.counts.emitted++
	call.CPU, call.Comm, call.Time = e.CPU, e.Comm, e.Time
	s.push(e)
	*e = call
	return true
}
