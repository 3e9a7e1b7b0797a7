package main

import "perftrace/event"

// A tracer that stops its target sees signals where the kernel delivers them: on
// the way back to the program, behind the call that the task was in. The sources
// that do not stop it tell of an ignored signal when it is sent, and of a stop
// when one thread of the process got the signal. Both may be in the middle of a
// call. They are kept until that call was shown.

// A happening is a signal (an event of its own, with its siginfo) or a group-stop.
type happening struct {
	event.Event
	info [48]byte
}

// showLater keeps e until the call is shown that its task is in, if it is in one.
func (s *session) showLater(t *task, e *event.Event) {
	t.later = append(t.later, happening{Event: *e})
	h := &t.later[len(t.later)-1]
	if e.Siginfo != nil {
		copy(h.info[:], e.Siginfo)
	}
	s.waiting++
}

// showKept shows what was kept for t before time at.
func (s *session) showKept(t *task, at uint64) {
	for len(t.later) > 0 && t.later[0].Time < at {
		h := t.later[0]
		t.later = t.later[1:]
		s.waiting--
		if h.Siginfo != nil {
			h.Siginfo = h.info[:]
		}
		s.happened(t, &h.Event)
	}
	if len(t.later) == 0 {
		t.later = nil
	}
}

// showAround shows a call between what was kept from before it and from inside it.
func (s *session) showAround(e *event.Event) {
	t := s.tasks.get(e.TID, e.TGID)
	if e.Flags&event.HasEnter != 0 {
		s.showKept(t, e.Enter)
	}
	if e.Kind == event.KindSyscall {
		s.returned(e)
	} else {
		s.neverReturned(e)
	}
	s.showKept(t, e.Time)
}

// showOld shows what was kept for longer than that makes sense.
func (s *session) showOld(now uint64) {
	if s.waiting == 0 {
		return
	}
	for _, t := range s.sorted() {
		s.showKept(t, now-unfinishedAge)
	}
}

func (s *session) happened(t *task, e *event.Event) {
	if e.Kind == event.KindStop {
		s.groupStopped(t, e)
	} else {
		s.signalled(t, e)
	}
}

// signalCame takes a signal, and the stop that it causes.
func (s *session) signalCame(e *event.Event) {
	t := s.tasks.get(e.TID, e.TGID)
	if e.Flags&event.InCall != 0 {
		s.showLater(t, e)
		return
	}
	s.showKept(t, e.Time)
	s.signalled(t, e)
	if e.Flags&event.Stops == 0 {
		return
	}
	stop := event.Event{Kind: event.KindStop, TGID: e.TGID, TID: e.TID, CPU: e.CPU, Time: e.Time, Ret: int64(e.Signal)}
	s.groupStopped(t, &stop)
	for _, o := range s.sorted() {
		if o.tgid == t.tgid && o != t && !o.gone {
			stop.TID = o.tid
			s.showLater(o, &stop)
		}
	}
}
