package main

import (
	"strconv"

	"golang.org/x/sys/unix"

	"perftrace/event"
)

// This file writes the objects of --json, one a line. What they hold:
//
//	type      call, signal, stop, exit, exec, superseded, fork, lost
//	time      CLOCK_REALTIME, ns since 1970, of the beginning of a call
//	mono      the same moment of CLOCK_MONOTONIC, ns
//	pid, tid  process and thread
//	comm      the name of the thread
//	cpu, abi, nr, name, args, ret, ret_fd (what the descriptor is that was
//	returned), ret_text (what the line has in parentheses
//	behind it), errno, duration (ns): calls
//
// docs/json-schema.json has them all. Arguments are written by the decoder, as
// values of the type that they have.

// object begins an object of a task.
func (s *session) object(t *task, e *event.Event, kind string, at uint64) *stream {
	st := s.out.of(t)
	d := s.dec
	d.Buf = st.buf
	d.Begin()
	b := append(d.Buf, `{"type":"`...)
	b = append(b, kind...)
	b = append(b, `","time":`...)
	b = strconv.AppendInt(b, s.clock.wall(at), 10)
	b = append(b, `,"mono":`...)
	b = strconv.AppendUint(b, at, 10)
	b = append(b, `,"pid":`...)
	b = strconv.AppendUint(b, uint64(t.tgid), 10)
	b = append(b, `,"tid":`...)
	b = strconv.AppendUint(b, uint64(t.tid), 10)
	comm := &t.comm
	if e.Comm[0] != 0 {
		comm = &e.Comm
	}
	if comm[0] != 0 {
		b = append(b, `,"comm":`...)
		b = appendJSONComm(b, comm)
	}
	d.Buf = b
	return st
}

func (s *session) endObject(st *stream, now uint64) {
	s.dec.Buf = append(s.dec.Buf, '}')
	s.ended(st, now)
}

// number and text append a member.
func (s *session) member(name string, n uint64) {
	b := append(s.dec.Buf, `,"`...)
	b = append(b, name...)
	b = append(b, `":`...)
	s.dec.Buf = strconv.AppendUint(b, n, 10)
}

func (s *session) textMember(name, text string) {
	b := append(s.dec.Buf, `,"`...)
	b = append(b, name...)
	b = append(b, `":"`...)
	b = append(b, text...)
	s.dec.Buf = append(b, '"')
}

// callObject writes a call.
func (s *session) callObject(t *task, e *event.Event) {
	t.begun = false
	at := e.Time
	if e.Flags&event.HasEnter != 0 {
		at = e.Enter
	}
	st := s.object(t, e, "call", at)
	s.member("cpu", uint64(e.CPU))
	s.textMember("abi", abiNames[e.ABI])
	s.member("nr", uint64(e.NR))
	d := s.dec
	d.JSON(e)
	if e.Flags&event.HasEnter != 0 && e.Kind == event.KindSyscall {
		s.member("duration", e.Time-e.Enter)
	}
	if e.Flags&event.Resumed != 0 {
		d.Buf = append(d.Buf, `,"resumed":true`...)
	}
	if e.Flags&event.Cut != 0 {
		d.Buf = append(d.Buf, `,"cut":true`...)
	}
	s.endObject(st, e.Time)
}

var abiNames = [event.NumABI]string{event.Native: "native", event.Compat: "compat", event.X32: "x32"}

// happeningObject writes a signal, a stop, a fork, or an execve.
func (s *session) happeningObject(t *task, e *event.Event, kind string) {
	st := s.object(t, e, kind, e.Time)
	switch kind {
	case "signal":
		s.textMember("signal", signalName(e.Signal))
		if e.Flags&event.Ignored != 0 {
			s.dec.Buf = append(s.dec.Buf, `,"ignored":true`...)
		}
		s.dec.Buf = append(s.dec.Buf, `,"siginfo":`...)
		s.dec.Siginfo(e)
	case "stop":
		s.textMember("signal", signalName(uint32(e.Ret)))
	case "fork":
		s.member("child", uint64(e.Child))
		s.member("child_pid", uint64(e.ChildTGID))
	case "superseded":
		s.member("by", uint64(e.OldTID))
	}
	s.endObject(st, e.Time)
}

func (s *session) exitObject(t *task, e *event.Event, ws unix.WaitStatus) {
	st := s.object(t, e, "exit", e.Time)
	if ws.Signaled() {
		s.textMember("signal", signalName(uint32(ws.Signal())))
		if ws.CoreDump() {
			s.dec.Buf = append(s.dec.Buf, `,"core":true`...)
		}
	} else if t.flags&event.StatusUnknown == 0 {
		s.member("status", uint64(ws.ExitStatus()))
	}
	s.endObject(st, e.Time)
}

func (s *session) lostObject(e *event.Event) {
	t := s.tasks.known(e.TID)
	if t == nil {
		t = &task{tid: e.TID, tgid: e.TGID}
	}
	st := s.object(t, e, "lost", e.Time)
	s.member("calls", e.Lost)
	s.endObject(st, e.Time)
}

// appendJSONComm writes the name of a task. Bytes that are not ASCII are written
// as the code points of the same value, which is reversible.
func appendJSONComm(b []byte, comm *[16]byte) []byte {
	b = append(b, '"')
	for _, c := range comm {
		if c == 0 {
			break
		}
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c > '~':
			b = append(b, '\\', 'u', '0', '0', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
