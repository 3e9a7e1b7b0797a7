package main

import (
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"perftrace/decode"
	"perftrace/event"
)

// This file is about what happens to tasks between their calls: they begin,
// get signals, stop, become another program, end; and about what was lost.

func utoa(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// attached makes the tasks known that are traced from the beginning.
func (s *session) attached() {
	for _, pid := range s.cfg.pids {
		t := s.tasks.get(uint32(pid), 0)
		s.readComm(t)
		threads := 1
		entries, _ := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
		for _, e := range entries {
			if tid, err := strconv.Atoi(e.Name()); err == nil && tid != pid {
				s.readComm(s.tasks.get(uint32(tid), uint32(pid)))
				threads++
			}
		}
		if s.cfg.quiet&quietAttach == 0 {
			if threads > 1 {
				s.say.say("Process %d attached with %d threads", pid, threads)
			} else {
				s.say.say("Process %d attached", pid)
			}
		}
	}
	if s.command != 0 {
		s.tasks.get(s.command, s.command)
	}
}

func (s *session) readComm(t *task) {
	b, err := os.ReadFile("/proc/" + utoa(t.tid) + "/comm")
	if err == nil && len(b) > 0 {
		copy(t.comm[:15], b[:len(b)-1])
	}
}

func (s *session) forked(e *event.Event) {
	parent := s.tasks.known(e.TID)
	if e.ChildTGID != e.TGID && !s.cfg.follow && !s.tasks.all {
		return
	}
	t := s.tasks.get(e.Child, e.ChildTGID)
	if parent != nil {
		t.comm = parent.comm
	}
	if e.Comm[0] != 0 {
		t.comm = e.Comm
	}
	if s.cfg.json && !s.cfg.summary.only {
		by := parent
		if by == nil {
			by = &task{tid: e.TID, tgid: e.TGID}
		}
		s.happeningObject(by, e, "fork")
	}
	if s.cfg.quiet&quietAttach == 0 && !s.tasks.all {
		s.say.say("Process %d attached", e.Child)
	}
}

func (s *session) execed(e *event.Event) {
	t := s.tasks.get(e.TGID, e.TGID)
	if e.Flags&event.Detached != 0 {
		defer s.forget(t)
	}
	if e.Comm[0] != 0 {
		t.comm = e.Comm
	}
	t.failedExec = false
	s.started = s.started || e.TGID == s.command
	if s.cfg.json && !s.cfg.summary.only {
		s.happeningObject(t, e, "exec")
	}
	old := s.tasks.known(e.OldTID)
	if e.OldTID == 0 || e.OldTID == e.TGID || old == nil {
		return
	}
	// The thread that called execve is the leader from now on, with the
	// leader's id; the leader has silently gone.
	if e.In != nil && !old.begun {
		call := *e
		call.Kind, call.TID = event.KindEnter, e.OldTID
		s.entered(&call)
	}
	if st := s.out.of(old); st.open == old {
		if s.out.shared == nil {
			st.buf = append(st.buf, " <pid changed to "+utoa(e.TGID)+" ...>\n"...)
			st.open = nil
		} else {
			st.open = t
		}
	}
	t.begun, t.begunEnter, t.gone = old.begun, old.begunEnter, false
	t.nr, t.abi = old.nr, old.abi
	s.out.close(old.own)
	s.tasks.drop(old)
	if s.command != 0 && !s.cfg.follow {
		return // without -f strace knows nothing of that thread
	}
	if !s.cfg.summary.only && s.cfg.quiet&quietExecve == 0 {
		if s.cfg.json {
			s.happeningObject(t, e, "superseded")
			return
		}
		s.note(t, e, "+++ superseded by execve in pid ", utoa(e.OldTID), " +++")
		// What comes is not the rest of the line in front of this one.
		if s.out.of(t).open == t {
			s.out.of(t).open = nil
		}
	}
}

// execFailed says why the command could not be started, if so, once. The held
// process has told it by the time its execve, or its end, is seen.
func (s *session) execFailed() {
	if s.held == nil {
		return
	}
	if err := s.held.ExecError(); err != nil {
		s.say.say("%s", commandError(err))
	}
	s.held = nil
}

func (s *session) signalled(t *task, e *event.Event) {
	if s.cfg.summary.only || t.failedExec || s.limited || !s.cfg.signals.Has(e.Signal) {
		return
	}
	if e.Signal == uint32(unix.SIGKILL) && !s.cfg.json && !s.cfg.sigkill {
		return // strace can't see it; who sent it is told where that breaks no importer
	}
	if s.cfg.json {
		s.happeningObject(t, e, "signal")
		return
	}
	st := s.began(t, e, e.Time)
	d := s.dec
	from := len(d.Buf)
	d.Buf = append(d.Buf, "--- "...)
	d.Buf = append(d.Buf, signalName(e.Signal)...)
	d.Buf = append(d.Buf, ' ')
	d.Siginfo(e)
	d.Buf = append(d.Buf, " ---"...)
	if s.prefix.colors {
		s.colorNote(from)
	}
	s.ended(st, e.Time)
}

func (s *session) groupStopped(t *task, e *event.Event) {
	sig := uint32(e.Ret)
	if s.cfg.summary.only || t.failedExec || s.limited || !s.cfg.signals.Has(sig) {
		return
	}
	if s.cfg.json {
		s.happeningObject(t, e, "stop")
		return
	}
	s.note(t, e, "--- stopped by ", signalName(sig), " ---")
}

// signalName is the name of a signal; a number if it has none.
func signalName(sig uint32) string {
	if name := decode.SignalName(sig); name != "" {
		return name
	}
	return utoa(sig)
}

func (s *session) exited(e *event.Event) {
	t := s.tasks.known(e.TID)
	if t == nil {
		return
	}
	status := e.Status
	if e.TID == s.command {
		s.execFailed()
		status = s.commandStatus(status)
		e.Flags &^= event.StatusUnknown
	}
	t.gone, t.status, t.flags = true, status, e.Flags
	if t.tid == t.tgid && e.Flags&event.GroupDead == 0 && s.othersOf(t) {
		// A leader that ends before its threads is a zombie until they have;
		// whoever waits for it is told then, and so is the reader.
		return
	}
	s.end(t, e)
	if e.Flags&event.GroupDead != 0 && e.TID != e.TGID {
		if leader := s.tasks.known(e.TGID); leader != nil && leader.gone {
			s.end(leader, e)
		}
	}
}

// othersOf reports whether other threads of t's process are traced.
func (s *session) othersOf(t *task) bool {
	for _, o := range s.tasks.tasks {
		if o != t && o.tgid == t.tgid {
			return true
		}
	}
	return false
}

// end writes the last line of a task and forgets it.
func (s *session) end(t *task, e *event.Event) {
	s.showKept(t, math.MaxUint64)
	if !s.cfg.summary.only && !s.limited {
		s.lastLine(t, e)
	}
	st := s.out.of(t)
	if st.open == t {
		st.buf = append(st.buf, " <unfinished ...>\n"...)
		st.open = nil
		s.out.wrote(st, e.Time)
	}
	s.out.close(t.own)
	s.tasks.drop(t)
}

func (s *session) lastLine(t *task, e *event.Event) {
	ws := unix.WaitStatus(t.status)
	killed := ws.Signaled()
	switch {
	case killed && !s.cfg.signals.Has(uint32(ws.Signal())):
	case !killed && s.cfg.quiet&quietExit != 0:
	case s.cfg.json:
		s.exitObject(t, e, ws)
	case killed:
		core := ""
		if ws.CoreDump() || t.flags&event.CoreDumped != 0 {
			core = "(core dumped) "
		}
		s.note(t, e, "+++ killed by ", signalName(uint32(ws.Signal())), " ", core, "+++")
	case t.flags&event.StatusUnknown != 0:
		s.note(t, e, "+++ exited with ? +++")
	default:
		s.note(t, e, "+++ exited with ", strconv.Itoa(ws.ExitStatus()), " +++")
	}
}

func (s *session) lost(e *event.Event) {
	if s.cfg.summary.only {
		return
	}
	t := s.tasks.known(e.TID)
	if t != nil {
		// The call that was begun may be among those that were lost.
		t.begun = false
	}
	if s.cfg.json {
		s.lostObject(e)
		return
	}
	if t == nil {
		t = &task{tid: e.TID, tgid: e.TID}
		if s.out.shared == nil {
			if s.command == 0 {
				return // with a file for each task there is none for this; the ledger has it
			}
			t = s.tasks.get(s.command, s.command)
		}
	}
	n := strconv.FormatUint(e.Lost, 10)
	calls := " calls"
	if e.Lost == 1 {
		calls = " call"
	}
	if e.TID == 0 {
		s.note(t, e, "--- lost ", n, calls, " here ---")
	} else {
		s.note(t, e, "--- lost ", n, calls, " of [pid ", utoa(e.TID), "] here ---")
	}
}
