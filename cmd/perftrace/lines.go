package main

import (
	"bytes"
	"os"

	"perftrace/event"
)

// prefix says how lines begin.
type prefix struct {
	number bool // the pid stands in front, as with -o FILE -f; else "[pid N] " does while several tasks are traced
	colors bool
}

// began begins a line of t at event time now. If the last line of the stream is
// open, it is ended as unfinished.
func (s *session) began(t *task, e *event.Event, now uint64) *stream {
	st := s.out.of(t)
	d := s.dec
	d.Buf = st.buf
	if st.open != nil {
		d.Buf = append(d.Buf, " <unfinished ...>\n"...)
		st.open = nil
	}
	d.Begin()
	st.col = len(d.Buf) // where the line begins, until ended
	s.writePrefix(st, t, e, now)
	return st
}

// ended ends the line that began.
func (s *session) ended(st *stream, now uint64) {
	d := s.dec
	d.Buf = append(d.Buf, '\n')
	st.buf, d.Buf = d.Buf, nil
	s.out.wrote(st, now)
}

func (s *session) writePrefix(st *stream, t *task, e *event.Event, now uint64) {
	b := s.dec.Buf
	c := s.cfg
	if s.prefix.number || s.tasks.live() > 1 && c.output == "" {
		if s.prefix.number {
			from := len(b)
			b = appendUint(b, uint64(t.tid), 0, ' ')
			if !c.pidComm {
				for len(b)-from < 5 {
					b = append(b, ' ')
				}
			}
		} else {
			b = append(b, "[pid "...)
			b = appendUint(b, uint64(t.tid), 5, ' ')
		}
		if c.pidComm {
			comm := &t.comm
			if e != nil && e.Comm[0] != 0 {
				comm = &e.Comm
			}
			s.dec.Buf = b
			s.dec.Comm(commText(comm))
			b = s.dec.Buf
		}
		if !s.prefix.number {
			b = append(b, ']')
		}
		b = append(b, ' ')
	}
	if c.stamp.format != stampNone {
		b = s.clock.appendStamp(b, &c.stamp, now)
	}
	if c.stamp.relative {
		if st.last == 0 {
			st.last = now
		}
		// Lines come in the order in which calls end, so a call may have
		// begun before the one of the line before.
		passed := uint64(0)
		if now > st.last {
			passed = now - st.last
			st.last = now
		}
		if c.stamp.format != stampNone {
			b = append(b, "(+"...)
		}
		b = appendSeconds(b, passed, 6, c.stamp.relScale)
		if c.stamp.format != stampNone {
			b = append(b, ')')
		}
		b = append(b, ' ')
	}
	if c.decode.ShowNR {
		b = append(b, '[')
		b = appendUint(b, uint64(t.nr), 4, ' ')
		b = append(b, "] "...)
	}
	if c.ip {
		b = append(b, '[')
		width := 16
		if t.abi == event.Compat {
			width = 8
		}
		if e != nil && e.IP != 0 {
			b = appendHex(b, e.IP, width)
		} else {
			for range width {
				b = append(b, '?')
			}
		}
		b = append(b, "] "...)
	}
	s.dec.Buf = b
	s.callAt = len(b)
}

// commOf is the name of a task, for -Y; lent.
func (s *session) commOf(pid uint32) []byte {
	if t := s.tasks.known(pid); t != nil && t.comm[0] != 0 {
		return commText(&t.comm)
	}
	b, err := os.ReadFile("/proc/" + utoa(pid) + "/comm")
	if err != nil {
		return nil
	}
	return bytes.TrimSuffix(b, []byte{'\n'})
}

// commText is a name without the zeros behind it.
func commText(comm *[16]byte) []byte {
	n := bytes.IndexByte(comm[:], 0)
	if n < 0 {
		n = len(comm)
	}
	return comm[:n]
}

// callLine writes the line of a call that returned or never will, or what of it
// is not written yet.
func (s *session) callLine(t *task, e *event.Event) {
	if s.cfg.json {
		s.callObject(t, e)
		return
	}
	d := s.dec
	begun := t.begun && (t.begunEnter == 0 || e.Flags&event.HasEnter == 0 || t.begunEnter == e.Enter)
	t.begun = false
	var st *stream
	switch {
	case begun && s.out.of(t).open == t:
		st = s.out.of(t)
		d.Buf = st.buf
		d.Continue(e, st.col)
		st.open = nil
	case begun || e.Flags&event.Resumed != 0:
		st = s.began(t, e, e.Time)
		d.Resumed(e)
	default:
		now := e.Time
		if e.Flags&event.HasEnter != 0 {
			now = e.Enter
		}
		st = s.began(t, e, now)
		if e.Kind == event.KindNoReturn {
			d.NoReturn(e)
		} else {
			d.Whole(e)
		}
		if s.prefix.colors {
			s.colorCall(st)
		}
	}
	if s.cfg.times.set && e.Kind == event.KindSyscall && e.Flags&event.HasEnter != 0 {
		d.Buf = append(d.Buf, " <"...)
		d.Buf = appendSeconds(d.Buf, e.Time-e.Enter, 0, s.cfg.times)
		d.Buf = append(d.Buf, '>')
	}
	d.Buf = append(d.Buf, '\n')
	d.Dump()
	st.buf, d.Buf = d.Buf, nil
	s.out.wrote(st, e.Time)
}

// beginLine writes the beginning of a call and leaves the line open.
func (s *session) beginLine(t *task, e *event.Event) {
	now := e.Time
	if e.Flags&event.HasEnter != 0 {
		now = e.Enter
	}
	st := s.began(t, e, now)
	d := s.dec
	d.Enter(e)
	t.begun, t.begunEnter = true, 0
	if e.Flags&event.HasEnter != 0 {
		t.begunEnter = e.Enter
	}
	st.open = t
	st.col = len(d.Buf) - st.col
	st.buf, d.Buf = d.Buf, nil
	s.out.wrote(st, e.Time)
}

// note writes a line that is about no call: text between marks.
func (s *session) note(t *task, e *event.Event, parts ...string) {
	st := s.began(t, e, e.Time)
	from := len(s.dec.Buf)
	for _, p := range parts {
		s.dec.Buf = append(s.dec.Buf, p...)
	}
	if s.prefix.colors {
		s.colorNote(from)
	}
	s.ended(st, e.Time)
}
