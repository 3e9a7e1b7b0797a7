package main

import (
	"math"
	"os"
	"os/signal"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"perftrace/event"
)

// A status is how perftrace ends: as the command did, or by the signal that
// ended the trace.
type status struct {
	code   int
	signal unix.Signal // 0: exit with code
}

// leave returns the exit status, or dies by the signal.
func (st *status) leave() int {
	if st.signal == 0 {
		return st.code
	}
	// No core of perftrace in the place of the command's.
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	runtime.LockOSThread()
	// Go handles most signals, with messages; only the kernel's own default
	// action ends a process as the command was ended.
	var dfl [4]uint64
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(st.signal), uintptr(unsafe.Pointer(&dfl)), 0, 8, 0, 0)
	mask := uint64(1) << (st.signal - 1)
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_UNBLOCK, uintptr(unsafe.Pointer(&mask)), 0, 8, 0, 0)
	_ = unix.Tgkill(unix.Getpid(), unix.Gettid(), st.signal)
	time.Sleep(100 * time.Millisecond)
	return 128 + int(st.signal) // a signal that isn't fatal
}

// watchSignals makes SIGTERM and SIGHUP end the trace, and SIGINT and SIGQUIT
// too, unless there is a command: then they are the command's, which gets them
// from the terminal as well, and perftrace ends with it. -I says otherwise.
func (s *session) watchSignals() (stop func()) {
	// Must come after the command was started, which would inherit that a
	// signal is ignored.
	signal.Ignore(unix.SIGTTOU, unix.SIGTTIN)
	if s.ignoreSignals() {
		return func() {}
	}
	ends := make(chan os.Signal, 4)
	signal.Notify(ends, unix.SIGTERM, unix.SIGHUP, unix.SIGINT, unix.SIGQUIT)
	// A reader that is gone is an error of write, for all descriptors.
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, unix.SIGPIPE)
	go func() {
		for sig := range ends {
			n := sig.(unix.Signal)
			if s.command != 0 && s.cfg.stops.interruptible == 0 && (n == unix.SIGINT || n == unix.SIGQUIT) {
				continue
			}
			s.signal.CompareAndSwap(0, int32(n))
			s.src.Wake()
		}
	}()
	return func() {
		signal.Stop(ends)
		signal.Stop(gone)
		close(ends)
	}
}

// A childWaiter is a source that waits for the command itself: with ptrace
// nobody else may.
type childWaiter interface {
	ChildStatus() (unix.WaitStatus, bool)
}

// watchCommand waits for the command, if the source does not.
func (s *session) watchCommand() {
	if _, ok := s.src.(childWaiter); ok {
		return
	}
	go func() {
		var ws unix.WaitStatus
		for {
			_, err := unix.Wait4(int(s.command), &ws, 0, nil)
			if err == unix.EINTR {
				continue
			}
			break
		}
		s.reaped.Store(uint64(ws) + 1)
		s.src.Wake()
	}()
}

// commandEnded reports whether the command has ended, and how.
func (s *session) commandEnded() (unix.WaitStatus, bool) {
	if w, ok := s.src.(childWaiter); ok {
		return w.ChildStatus()
	}
	if v := s.reaped.Load(); v != 0 {
		return unix.WaitStatus(v - 1), true
	}
	return 0, false
}

// commandStatus is the wait status of the command, whose end the source has told
// with status: not all sources know it, but who waits does, presently.
func (s *session) commandStatus(status uint32) uint32 {
	if _, ok := s.src.(childWaiter); ok {
		return status
	}
	for range 200 {
		if ws, ok := s.commandEnded(); ok {
			return uint32(ws)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return status
}

// finish ends the trace: the lines that are open, the table, the ledger.
func (s *session) finish() {
	s.detach()
	ledger := s.src.Ledger()
	s.takeCounts()
	_ = s.src.Close()
	if s.table != nil && s.out.shared != nil {
		sh := s.out.shared
		sh.buf = s.table.append(sh.buf, s.rows)
		s.out.wrote(sh, 0)
	}
	s.out.finish()
	s.say.before = nil
	s.account(&ledger)
	s.setStatus()
}

// detach ends the lines of the tasks that live on.
func (s *session) detach() {
	if s.limited && s.cfg.quiet&quietAttach == 0 {
		s.say.say("System call limit has been reached, detaching tracees")
	}
	for _, t := range s.sorted() {
		s.showKept(t, math.MaxUint64)
		if st := s.out.opened(t); st != nil && st.open == t {
			st.buf = append(st.buf, detachedText...)
			st.open = nil
			s.out.wrote(st, 0)
		}
		if s.cfg.quiet&quietAttach == 0 && !s.tasks.all && s.alive(t.tid) {
			s.say.say("Process %d detached", t.tid)
		}
		s.out.close(t.own)
	}
	s.out.flushAll()
}

// setStatus decides how perftrace ends.
func (s *session) setStatus() {
	if sig := s.signal.Load(); sig != 0 {
		s.status.signal = unix.Signal(sig)
		return
	}
	if s.command == 0 || s.limited {
		return
	}
	if ws, ok := s.commandEnded(); ok {
		if ws.Signaled() {
			s.status.signal = ws.Signal()
			return
		}
		s.status.code = ws.ExitStatus()
	}
}

// account prints the ledger.
func (s *session) account(l *event.Ledger) {
	lost := l.LostTotal()
	if lost == 0 && !s.cfg.ledger {
		return
	}
	text := ledgerText(l, s.shown, s.filtered)
	_, _ = s.say.w.Write([]byte(text))
}
