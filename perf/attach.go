package perf

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/perf/mmap"
)

// armed is a task whose events are open.
type armed struct {
	begun, done uint64 // when opening them began and was done
}

// forkMargin (ns): a fork that was told so soon after the events of its parent
// were all open may have copied only a part of them.
const forkMargin = 1_000_000

// attachLimit (ns) is how long openProcesses tries.
const attachLimit = 10_000_000_000

// openProcesses opens the events of every thread of the processes, and of their
// descendants if wanted.
//
// Threads come and go meanwhile. A new thread has inherited its creator's
// events if they were open when it was made, which a FORK record tells, and
// else is opened in the next round. If a task forked while its events were
// being opened, what the new one inherited is not known: the events are closed,
// which ends the inherited ones too, and both are opened in the next round.
// It ends when a round finds nothing new.
func (s *Source) openProcesses() error {
	open := make(map[int]armed)
	inherited := make(map[int]bool)
	for limit := now() + attachLimit; now() < limit; {
		tids, err := s.targetTasks()
		if err != nil {
			return err
		}
		news := false
		for tid, tgid := range tids {
			if _, ok := open[tid]; ok || inherited[tid] {
				continue
			}
			a := armed{begun: now()}
			if err := s.openTask(tid); err != nil {
				s.closeTask(tid)
				if errors.Is(err, unix.ESRCH) && tid != s.plan.Target.Child {
					continue // it ended
				}
				return err
			}
			a.done = now()
			open[tid] = a
			news = true
			s.tasks.add(uint32(tid), uint32(tgid))
		}
		if news {
			time.Sleep(2 * forkMargin)
		}
		if s.readForks(open, inherited) {
			news = true
		}
		if !news {
			if len(open) == 0 {
				return s.noTasks()
			}
			return nil
		}
		if s.plan.Target.Child != 0 && len(s.plan.Target.PIDs) == 0 {
			return nil // it is held, it can't fork
		}
	}
	return &AccessError{
		What:  fmt.Sprintf("trace %v", s.plan.Target.PIDs),
		Cause: "they make threads faster than these can be found", Fix: "trace the whole machine instead (--all)",
	}
}

func (s *Source) noTasks() error {
	return &AccessError{
		What: fmt.Sprintf("trace %v", s.plan.Target.PIDs), Err: unix.ESRCH,
		Cause: "no such process", Fix: "it may have ended; look it up with ps",
	}
}

// readForks takes from the rings which tasks were made while the events were
// opened. It reports whether the events of a task had to be closed again.
func (s *Source) readForks(open map[int]armed, inherited map[int]bool) (voided bool) {
	var r sideRecord
	s.group.Begin(now())
	for u := s.group.Next(); u != nil; u = s.group.Next() {
		if u.Type != mmap.TypeFork || !parseSide(u.Data, &r) {
			continue
		}
		parent, child := int(r.ptid), int(r.tid)
		a, ok := open[parent]
		switch {
		case ok && u.Time < a.done+forkMargin:
			s.closeTask(parent)
			delete(open, parent)
			voided = true
		case ok || inherited[parent]:
			inherited[child] = true
			s.tasks.add(r.tid, r.tgid)
		}
	}
	return voided
}

// targetTasks lists the tasks to open now, with their processes.
func (s *Source) targetTasks() (map[int]int, error) {
	t := &s.plan.Target
	tids := make(map[int]int)
	if t.Child != 0 {
		tids[t.Child] = t.Child
	}
	pids := t.PIDs
	if t.Descendants && len(pids) > 0 {
		var err error
		if pids, err = withDescendants(pids); err != nil {
			return nil, err
		}
	}
	for _, pid := range pids {
		list, err := threads(pid)
		if err != nil && slices.Contains(t.PIDs, pid) {
			return nil, &AccessError{
				What: fmt.Sprintf("trace process %d", pid), Err: unix.ESRCH,
				Cause: "no such process", Fix: "it may have ended; look it up with ps",
			}
		}
		for _, tid := range list {
			tids[tid] = pid
		}
	}
	return tids, nil
}
