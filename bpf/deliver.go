package bpf

import (
	"encoding/binary"
	"io"

	"perftrace/event"
)

// accept takes a record: it returns the gap in front of it, if there is one,
// and then the record's event. nil: there is no event in it.
func (s *Source) accept(r record) *event.Event {
	if r.kind() == traceRecKindREC_EXEC {
		s.tracker.move(r.value(), r.tid())
	}
	k := s.tracker.get(r.tid())
	if n := s.tracker.gap(k, r); n > 0 {
		s.held = r
		s.ev = event.Event{
			Kind: event.KindLost, TID: r.tid(), Lost: n,
			TGID: binary.LittleEndian.Uint32(r[offTGID:]),
			Time: binary.LittleEndian.Uint64(r[offTime:]),
			CPU:  binary.LittleEndian.Uint32(r[offCPU:]),
		}
		return &s.ev
	}
	return s.deliver(r)
}

// deliver makes the event of a record whose gap has been told.
func (s *Source) deliver(r record) *event.Event {
	e := &s.ev
	switch r.kind() {
	case traceRecKindREC_CALL:
		e.Out = r.call(e)
		s.tracker.get(e.TID).join(e, r.flags())
	case traceRecKindREC_NO_RETURN:
		pieces := r.call(e)
		e.Kind = event.KindNoReturn
		s.tracker.get(e.TID).join(e, r.flags())
		if len(pieces) > 0 {
			e.In = pieces
		}
	case traceRecKindREC_ENTRY:
		pieces := r.call(e)
		k := s.tracker.get(e.TID)
		k.keep(e, pieces)
		if r.flags()&traceRecFlagsR_SHOWN == 0 {
			return nil
		}
		e.Kind, e.In, e.Seq = event.KindEnter, k.part, 0
		e.Enter, e.Flags = e.Time, e.Flags|event.HasEnter
	default:
		if !r.task(e) {
			return nil
		}
		switch e.Kind {
		case event.KindExec:
			k := s.tracker.get(e.TID)
			k.image = append(k.image[:0], r.image()...)
			if e.OldTID != e.TID && k.hasPart {
				c := &k.partOf
				e.ABI, e.NR, e.Enter, e.Args, e.In = c.abi, c.nr, c.enter, c.args, k.part
				e.Flags |= event.HasEnter
				k.rescue(e)
			}
		case event.KindExit:
			s.tracker.drop(e.TID)
		case event.KindFork:
			s.tracker.drop(e.Child) // of an earlier task with this tid
		}
	}
	return e
}

// end delivers what is left when the rings are empty: records of CPUs that went
// offline, and the gaps that no later record showed.
func (s *Source) end() (*event.Event, error) {
	for len(s.left) > 0 {
		_, n := splitBatch(s.left)
		if n <= 0 || n > len(s.left) {
			s.left = nil
			break
		}
		r := record(s.left[:n])
		s.left = s.left[n:]
		if e := s.accept(r); e != nil {
			return e, nil
		}
	}
	if !s.rounds.tailed {
		s.rounds.tailed = true
		s.rounds.tail = s.tailGaps()
	}
	if len(s.rounds.tail) > 0 {
		s.ev = s.rounds.tail[0]
		s.rounds.tail = s.rounds.tail[1:]
		return &s.ev, nil
	}
	return nil, io.EOF
}

// tailGaps returns the gaps at the end of tasks that live on, and one of TID 0
// for calls that are missing nobody knows whose.
func (s *Source) tailGaps() (gaps []event.Event) {
	at := now()
	for _, d := range s.dump() {
		k := s.tracker.get(d.Tid)
		if d.State.Seq <= k.seq {
			continue
		}
		n := d.State.Seq - k.seq
		k.seq = d.State.Seq
		s.tracker.marked += n
		gaps = append(gaps, event.Event{Kind: event.KindLost, TID: d.Tid, TGID: d.Tgid, Lost: n, Time: at})
	}
	l := s.Ledger()
	if lost := l.LostTotal(); lost > s.tracker.marked {
		gaps = append(gaps, event.Event{Kind: event.KindLost, Lost: lost - s.tracker.marked, Time: at})
		s.tracker.marked = lost
	}
	return gaps
}
