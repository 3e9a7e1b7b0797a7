package ptrace

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"perftrace/event"
)

// handle does what one status of a task asks for.
func (s *Source) handle(tid int, st uint32) {
	t := s.last
	if t != nil && t.tid == tid {
		s.repeat++
	} else {
		t = s.tasks[tid]
		s.last, s.repeat = t, 0
	}
	if t == nil {
		s.stranger(tid, st)
		return
	}
	if st&0xff != 0x7f {
		s.ended(t, st)
		return
	}
	t.attached = true
	sig := int(st >> 8 & 0xff)
	switch st >> 16 {
	case 0:
		if sig == int(unix.SIGTRAP|0x80) {
			s.call(t)
		} else {
			s.signal(t, sig)
		}
	case unix.PTRACE_EVENT_STOP:
		// A group-stop, or the answer to an interrupt, or a new task.
		if sig == int(unix.SIGTRAP) || s.stopping || t.foreign {
			s.resume(t, 0)
			return
		}
		if !t.held {
			s.tell(t, event.KindStop, func(e *event.Event) { e.Ret = int64(sig) })
		}
		// It stays stopped, and tells when SIGCONT comes.
		_ = request(unix.PTRACE_LISTEN, tid, 0, 0)
	case unix.PTRACE_EVENT_FORK, unix.PTRACE_EVENT_VFORK, unix.PTRACE_EVENT_CLONE:
		s.forked(t)
	case unix.PTRACE_EVENT_EXEC:
		s.execed(t)
	case unix.PTRACE_EVENT_SECCOMP:
		if t.inCall { // its entry was told already
			s.resume(t, 0)
			return
		}
		s.call(t)
	default:
		s.resume(t, 0)
	}
}

// stranger is told of a task that is not known: a new one whose parent's stop
// is not told yet, or a child of this thread that is not traced.
func (s *Source) stranger(tid int, st uint32) {
	if st&0xff != 0x7f {
		s.strays[tid] = st
		return
	}
	t := s.add(tid, tid)
	if s.stopping {
		s.resume(t, 0)
		return
	}
	t.newborn, t.attached = true, true
	s.newborns++
}

// signal tells that a signal is about to be delivered, and delivers it.
func (s *Source) signal(t *task, sig int) {
	if s.plan.Signals && !t.held && !t.foreign {
		info := siginfo(t.tid, &t.info)
		if t.fresh && info && ownURG(&t.info, t.tgid) {
			// perftrace, a Go program, sent it to itself when it still was
			// the held command; the command ignores it.
			s.resume(t, sig)
			return
		}
		s.tell(t, event.KindSignal, func(e *event.Event) {
			e.Signal = uint32(sig)
			if info {
				e.Siginfo = t.info[:]
			}
		})
	}
	s.resume(t, sig)
}

// ownURG reports whether a siginfo_t is of a SIGURG that a thread of process
// tgid sent with tgkill.
func ownURG(info *[128]byte, tgid int) bool {
	const siTkill = -6
	word := func(at int) int32 { return int32(binary.NativeEndian.Uint32(info[at:])) }
	return word(0) == int32(unix.SIGURG) && word(8) == siTkill && word(16) == int32(tgid)
}

// forked tells that t made a task, which the kernel attached to.
func (s *Source) forked(t *task) {
	tid, ok := eventMessage(t.tid)
	if !ok {
		s.resume(t, 0)
		return
	}
	tgid := tid
	if isThread(t.tgid, tid) {
		tgid = t.tgid
	}
	child := s.tasks[tid]
	if child == nil {
		child = s.add(tid, tgid)
	}
	child.tgid, child.ev.TGID = tgid, uint32(tgid)
	child.ev.Comm = t.ev.Comm
	child.held = t.held
	child.filtered = t.filtered
	if tgid != t.tgid && (!s.plan.Target.Follow || t.held) || t.foreign {
		child.foreign = true
	} else if !t.held && !child.announced {
		s.tell(t, event.KindFork, forkedEvent(child))
	}
	s.resume(t, 0)
	if st, ended := s.strays[tid]; ended {
		delete(s.strays, tid)
		s.ended(child, st)
	} else if child.newborn {
		s.adopt(child)
	}
}

// adopt lets a newborn go.
func (s *Source) adopt(t *task) {
	t.newborn = false
	s.newborns--
	s.resume(t, 0)
}

// orphan tells of a newborn whose parent has not, and lets it go. Who made it is
// known only as far as the process that is its parent now is traced.
func (s *Source) orphan(t *task) {
	t.tgid = processOf(t.tid)
	t.ev.TGID = uint32(t.tgid)
	if t.tgid == t.tid && !s.plan.Target.Follow {
		t.foreign = true
		s.adopt(t)
		return
	}
	t.announced = true
	parent := &task{}
	if p := s.tasks[number(t.tid, "PPid")]; p != nil {
		parent = p
	}
	s.readComm(t)
	s.tell(parent, event.KindFork, forkedEvent(t))
	s.adopt(t)
}

// execed tells that a process has a new image: t is its first thread by name,
// but the task is the thread that called execve; all others are gone.
func (s *Source) execed(t *task) {
	old, ok := eventMessage(t.tid)
	caller := t
	if ok && s.tasks[old] != nil {
		caller = s.tasks[old]
	}
	first := caller.unhold || caller.held
	last := s.DetachOnExec && !first
	if last && caller.inCall && !caller.quiet {
		s.ledger.Issued++
		caller.inCall = false
		caller.ev.Flags |= event.Detached
		s.noReturn(caller)
	}
	if ok && old != t.tid {
		if caller != t {
			if !t.held {
				s.unfinished(t)
			}
			tid := t.tid
			s.drop(t)
			delete(s.tasks, old)
			t = caller
			t.tid, t.mem.tid, t.ev.TID = tid, tid, uint32(tid)
			s.tasks[tid] = t
			s.last = t
		}
	} else {
		old = t.tid
	}
	t.held, t.fresh = false, first
	s.readComm(t)
	s.tell(t, event.KindExec, func(e *event.Event) {
		e.OldTID = uint32(old)
		if old != t.tid && t.inCall && !t.quiet {
			c := &t.ev
			e.Flags, e.NR, e.Args, e.Enter, e.In = event.HasEnter, c.NR, c.Args, c.Enter, c.In
		}
		if last {
			e.Flags |= event.Detached
		}
	})
	t.foreign = t.foreign || last
	s.resume(t, 0)
}

// unfinished accounts for a call that t is in and will never return from.
func (s *Source) unfinished(t *task) {
	if !t.inCall || t.told {
		return
	}
	t.inCall = false
	s.ledger.Issued++
	if t.quiet || s.plan.Result.Active() {
		s.ledger.Filtered++
		return
	}
	s.noReturn(t)
}

// noReturn tells that the call of t will not return. The event is a copy of its
// own: t.ev may be on its way as KindEnter.
func (s *Source) noReturn(t *task) {
	s.extra = append(s.extra, t.ev)
	e := &s.extra[len(s.extra)-1]
	e.Kind, e.Time = event.KindNoReturn, s.now()
	s.emit(t, e)
}

// ended tells that a task is gone.
func (s *Source) ended(t *task, st uint32) {
	if t.tid == s.plan.Target.Child {
		s.childStatus, s.childEnded = st, true
	}
	if (!t.held || t.refused) && !t.foreign {
		if !t.held {
			s.unfinished(t)
		}
		s.tell(t, event.KindExit, func(e *event.Event) {
			e.Status = st
			if t.tid == t.tgid {
				e.Flags |= event.GroupDead // the first thread is told of last
			}
			if st&0x7f != 0 && st&0x80 != 0 {
				e.Flags |= event.CoreDumped
			}
		})
	}
	s.drop(t)
	if s.newborns > 0 {
		// Perhaps the parent died before it could tell.
		for _, n := range s.tasks {
			if n.newborn {
				s.orphan(n)
			}
		}
	}
}
