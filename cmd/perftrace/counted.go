package main

import "perftrace/event"

// This file is about tables that the source has a part in: it may measure
// system times, and it may add the calls up.

// systemTime says so if the table can't show the system time that it has columns
// for, because the source does not tell how long a call kept the CPU.
func (s *session) systemTime() {
	if s.table == nil {
		return
	}
	_, tells := s.src.(event.SystemTimer)
	s.table.wallOnly = !tells
	if !tells && s.cfg.summary.system() && !s.cfg.askedQuiet {
		s.say.say("system time is not measured: the times of -c are those from the beginning to the end of calls, as with -w")
	}
}

// takeCounts puts what the source has added up into the table.
func (s *session) takeCounts() {
	src, ok := s.src.(event.Counter)
	if !ok || !s.cfg.countable() {
		return
	}
	list, err := src.Counted()
	if err != nil {
		s.say.say("%v", err)
	}
	for i := range list {
		c := &list[i]
		if !s.keep(&event.Event{ABI: c.ABI, NR: c.NR}) {
			s.filtered += c.Calls
			continue
		}
		s.shown += c.Calls
		s.table.of(c.ABI, c.NR).Merge(c)
	}
}
