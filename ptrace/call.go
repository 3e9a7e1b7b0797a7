package ptrace

import (
	"golang.org/x/sys/unix"

	"perftrace/event"
)

// call is told that t enters or leaves a call. Which of the two, the kernel
// says; only for a quiet call it goes without asking.
func (s *Source) call(t *task) {
	if t.inCall && t.quiet {
		t.inCall = false
		if t.renames {
			s.readComm(t)
		}
		if !t.held {
			s.ledger.Issued++
			s.ledger.Filtered++
		}
		s.resume(t, 0)
		return
	}
	var c callInfo
	if !c.read(t.tid) {
		s.resume(t, 0) // killed meanwhile
		return
	}
	switch c.op {
	case unix.PTRACE_SYSCALL_INFO_ENTRY, unix.PTRACE_SYSCALL_INFO_SECCOMP:
		s.enter(t, &c)
	case unix.PTRACE_SYSCALL_INFO_EXIT:
		s.leave(t, &c)
	default:
		s.resume(t, 0)
	}
}

func slot(nr uint32) uint32 { return min(nr, event.Unknown) }

func (s *Source) enter(t *task, c *callInfo) {
	if t.inCall {
		// Its exit was not told. It does not happen, but if it does, it counts.
		s.ledger.Issued++
		s.ledger.Lost[event.Missed]++
	}
	e := &t.ev
	e.ABI, e.NR = abiOf(c.arch, c.nr)
	n := &numbers[e.ABI]
	isExec := e.NR == n.execve || e.NR == n.execveat
	t.inCall, t.told, t.entered, t.unhold, t.fresh = true, false, false, false, false
	t.renames = s.plan.Comm && e.NR == n.prctl && c.args[0] == unix.PR_SET_NAME
	if t.held && isExec {
		// From here on the command is traced; if the execve fails, what the
		// held child does next is again not the command's.
		t.held, t.unhold = false, true
	}
	t.quiet = t.held || !s.plan.Calls[e.ABI].Has(e.NR)
	if t.quiet {
		s.resume(t, 0)
		return
	}
	if e.ABI == event.Compat {
		for i := range c.args { // int $0x80 of a 64-bit task
			c.args[i] = uint64(uint32(c.args[i]))
		}
	}
	e.Kind, e.Flags, e.Ret, e.Args, e.IP = event.KindEnter, event.HasEnter, 0, c.args, c.ip
	e.In, e.Out = nil, nil
	e.Enter = s.now()
	e.Time = e.Enter
	if plan := s.plan.Captures[e.ABI][slot(e.NR)]; plan != nil {
		var cut bool
		s.interp.SP = c.sp
		t.in, cut = s.interp.Entry(&t.mem, plan, e, t.in[:0])
		e.In = t.in
		if cut {
			e.Flags |= event.Cut
		}
	}
	if s.plan.EnterEvent {
		t.entered = true
		s.emit(t, e)
	}
	if e.NR == n.exit || e.NR == n.exitGroup {
		t.told = true
		s.ledger.Issued++
		if s.plan.Result.Active() {
			s.ledger.Filtered++
		} else {
			s.noReturn(t)
		}
	}
	s.resume(t, 0)
}

func (s *Source) leave(t *task, c *callInfo) {
	e := &t.ev
	now := s.now()
	if !t.inCall {
		// The call began before t was attached to.
		nr, args, ok := resumed(t.tid, c.arch)
		e.ABI, e.NR = abiOf(c.arch, nr)
		e.Flags, e.Enter, e.Args, e.IP = event.Resumed, now, args, c.ip
		e.In = nil
		if !ok {
			e.Flags |= event.NoArgs
		}
		if t.held {
			s.resume(t, 0)
			return
		}
		if !s.plan.Calls[e.ABI].Has(e.NR) {
			s.ledger.Issued++
			s.ledger.Filtered++
			s.resume(t, 0)
			return
		}
	}
	t.inCall = false
	e.Kind, e.Ret, e.Time = event.KindSyscall, int64(c.nr), now
	if e.Ret <= -512 && e.Ret >= -516 {
		e.Flags |= event.Restarted
	}
	if t.unhold {
		t.unhold = false
		t.held = e.Ret < 0
		t.refused = t.held
	}
	if t.renames && e.Ret == 0 {
		s.readComm(t)
	}
	s.ledger.Issued++
	if s.plan.Result.Active() && !s.plan.Result.Keep(e.Ret, now-e.Enter) {
		s.ledger.Filtered++
		s.resume(t, 0)
		return
	}
	e.Out = nil
	if plan := s.plan.Captures[e.ABI][slot(e.NR)]; plan != nil && e.Flags&event.NoArgs == 0 {
		var cut bool
		t.out, cut = s.interp.Exit(&t.mem, plan, e, t.out[:0])
		e.Out = t.out
		if cut {
			e.Flags |= event.Cut
		}
	}
	s.emit(t, e)
	s.resume(t, 0)
}
