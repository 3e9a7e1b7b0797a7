package ptrace

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/event"
)

// attach seizes all targets. That alone stops none of them.
func (s *Source) attach() error {
	t := &s.plan.Target
	if t.Child != 0 {
		if err := s.seizeProcess(t.Child); err != nil {
			return err
		}
		for _, k := range s.tasks {
			k.held, k.filtered = true, s.SeccompBPF
		}
	}
	pids := append([]int(nil), t.PIDs...)
	for i := 0; i < len(pids); i++ {
		// What a process makes after it was seized is attached to by the
		// kernel, so the children are looked up after that.
		if err := s.seizeProcess(pids[i]); err != nil {
			if i >= len(t.PIDs) && errors.Is(err, unix.ESRCH) {
				continue // a descendant that ended meanwhile
			}
			return err
		}
		if t.Descendants {
			for _, pid := range children(pids[i]) {
				if s.tasks[pid] == nil {
					pids = append(pids, pid)
				}
			}
		}
	}
	for _, tid := range t.TIDs {
		options := s.options(unix.PTRACE_O_TRACECLONE)
		if !t.Follow {
			options &^= unix.PTRACE_O_TRACECLONE
		}
		if err := s.seize(tid, processOf(tid), options); err != nil {
			return err
		}
	}
	return nil
}

// options returns what the kernel is asked to tell, besides more.
func (s *Source) options(more int) int {
	o := unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACEEXEC | more
	if s.plan.Target.Follow {
		o |= unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK
	}
	if s.KillOnExit {
		o |= unix.PTRACE_O_EXITKILL
	}
	if s.SeccompBPF {
		o |= unix.PTRACE_O_TRACESECCOMP
	}
	return o
}

// seizeProcess seizes all threads of a process. Threads that appear meanwhile
// are made by a seized thread, and attached to by the kernel, or found by the
// next look.
func (s *Source) seizeProcess(pid int) error {
	for {
		tids, err := threads(pid)
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("attach to process %d: there is none (it has ended, or the number is wrong): %w", pid, unix.ESRCH)
		}
		if err != nil {
			return fmt.Errorf("find the threads of process %d: %w", pid, err)
		}
		known := len(s.tasks)
		for _, tid := range tids {
			if s.tasks[tid] != nil {
				continue
			}
			err := s.seize(tid, pid, s.options(unix.PTRACE_O_TRACECLONE))
			if err != nil && (tid == pid || !errors.Is(err, unix.ESRCH)) {
				return err
			}
		}
		if len(s.tasks) == known {
			return nil
		}
	}
}

func (s *Source) seize(tid, tgid, options int) error {
	err := request(unix.PTRACE_SEIZE, tid, 0, uintptr(options))
	switch {
	case err == nil:
		s.readComm(s.add(tid, tgid))
		return nil
	case errors.Is(err, unix.ESRCH):
		return fmt.Errorf("attach to task %d: there is none (it has ended, or the number is wrong): %w", tid, err)
	case errors.Is(err, unix.EPERM):
		tracer, e := status(tid, "TracerPid")
		switch {
		case e != nil:
			return fmt.Errorf("attach to task %d: it has ended: %w", tid, unix.ESRCH)
		case tracer == strconv.Itoa(unix.Gettid()):
			// The kernel attached to it when its parent made it; its stop,
			// and its parent's, are still to come.
			s.readComm(s.add(tid, tgid))
			return nil
		case tracer != "0":
			return fmt.Errorf("attach to task %d: process %s traces it already (a task has one tracer at a time; end that one): %w", tid, tracer, err)
		}
		if state, e := status(tid, "State"); e == nil && state[0] == 'Z' && tid == tgid {
			if tids, _ := threads(tgid); len(tids) > 1 {
				return nil // the first thread has ended, the others live
			}
			return fmt.Errorf("attach to process %d: it has ended: %w", tid, unix.ESRCH)
		}
		return fmt.Errorf("attach to task %d: %w (it is another user's or protected; run as root or with CAP_SYS_PTRACE)", tid, err)
	}
	return fmt.Errorf("attach to task %d: %w", tid, err)
}

// patience is how long Start waits for tasks to stop: one that sleeps
// uninterruptibly stops later, before its next call.
const patience = 100 * time.Millisecond

// start stops all targets, so that calls that begin after it are seen; Next
// lets them go on.
func (s *Source) start() error {
	waiting := 0
	for tid, t := range s.tasks {
		if !t.attached && request(unix.PTRACE_INTERRUPT, tid, 0, 0) == nil {
			waiting++
		}
	}
	for end := time.Now().Add(patience); waiting > 0; {
		tid, st, err := wait(false)
		switch {
		case err == unix.ECHILD:
			return nil // Next will tell
		case err != nil:
			return fmt.Errorf("wait for the traced tasks: %w", err)
		case tid == 0:
			if time.Now().After(end) {
				return nil
			}
			time.Sleep(50 * time.Microsecond)
			continue
		}
		s.backlog = append(s.backlog, stop{tid, st})
		if t := s.tasks[tid]; t != nil && !t.attached {
			t.attached = true
			waiting--
		}
	}
	return nil
}

// patienceAtEnd is how long Stop waits for tasks that don't stop to be let go.
// Those still attached after it are let go by the kernel when perftrace ends.
const patienceAtEnd = 2 * time.Second

// Stop lets go of all tasks. A call in progress goes on; one that the kernel
// can't restart by itself ends with EINTR, as with strace.
func (s *Source) Stop() error {
	if s.stopping {
		return nil
	}
	s.stopping = true
	if s.KillOnExit {
		for _, t := range s.tasks {
			_ = unix.Kill(t.tgid, unix.SIGKILL)
		}
	}
	for _, st := range s.backlog {
		s.handle(st.tid, st.status)
	}
	s.backlog = nil
	for _, t := range s.tasks {
		switch {
		case t.newborn:
			s.resume(t, 0)
		case request(unix.PTRACE_INTERRUPT, t.tid, 0, 0) != nil || t.told:
			// Ended, or ends. A first thread that ended before the others
			// is told of only after them: it can't be waited for.
			if t.tid != t.tgid || len(s.tasks) == 1 {
				continue
			}
			s.drop(t)
		}
	}
	for end := time.Now().Add(patienceAtEnd); len(s.tasks) > 0; {
		tid, st, err := wait(false)
		switch {
		case err == unix.ECHILD:
			clear(s.tasks)
		case err != nil:
			return fmt.Errorf("wait for the traced tasks: %w", err)
		case tid == 0:
			if time.Now().After(end) {
				return nil
			}
			time.Sleep(50 * time.Microsecond)
		default:
			s.handle(tid, st)
		}
	}
	return nil
}

// resume lets a stopped task go on with a signal (0: none); when the trace ends,
// it lets go of it.
func (s *Source) resume(t *task, sig int) {
	if s.stopping || t.foreign {
		_ = request(unix.PTRACE_DETACH, t.tid, 0, uintptr(sig))
		s.drop(t)
		return
	}
	req := unix.PTRACE_SYSCALL
	if t.filtered && !t.inCall {
		req = unix.PTRACE_CONT
	}
	// An error means that the task was killed; its end is told by wait4.
	_ = request(req, t.tid, 0, uintptr(sig))
}

// forkedEvent is the part of KindFork that is not the parent's.
func forkedEvent(child *task) func(e *event.Event) {
	return func(e *event.Event) { e.Child, e.ChildTGID = uint32(child.tid), uint32(child.tgid) }
}
