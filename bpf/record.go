package bpf

import (
	"encoding/binary"

	"perftrace/event"
)

// Sizes and offsets of struct rec and struct rec_task (progs/abi.h); a test
// compares them with the generated types.
const (
	recSize = 104

	offLen       = 0
	offKind      = 4
	offABI       = 5
	offFlags     = 6
	offTime      = 8
	offEnter     = 16
	offTGID      = 24
	offTID       = 28
	offSeq       = 32
	offNR        = 40
	offCPU       = 44
	offRet       = 48
	offArgs      = 56
	offValue     = 40
	offChildTGID = 48
	offInfoLen   = 52
	offData      = 56

	taskDataLen = 48
)

// A record is one unit of a batch, at least recSize bytes.
type record []byte

func (r record) kind() traceRecKind   { return traceRecKind(r[offKind]) }
func (r record) flags() traceRecFlags { return traceRecFlags(binary.LittleEndian.Uint16(r[offFlags:])) }
func (r record) tid() uint32          { return binary.LittleEndian.Uint32(r[offTID:]) }
func (r record) seq() uint64          { return binary.LittleEndian.Uint64(r[offSeq:]) }
func (r record) value() uint32        { return binary.LittleEndian.Uint32(r[offValue:]) }

// isCall reports whether a record counts as a call, so that it has a number of
// its own.
func (r record) isCall() bool {
	return r.kind() == traceRecKindREC_CALL || r.kind() == traceRecKindREC_NO_RETURN
}

// call fills in an event from the record of a call. In and Out are left to the
// caller; the record's pieces are returned.
func (r record) call(e *event.Event) (pieces []byte) {
	le := binary.LittleEndian
	flags := r.flags()
	*e = event.Event{
		ABI:   event.ABI(r[offABI]),
		CPU:   le.Uint32(r[offCPU:]),
		TGID:  le.Uint32(r[offTGID:]),
		TID:   r.tid(),
		NR:    le.Uint32(r[offNR:]),
		Enter: le.Uint64(r[offEnter:]),
		Time:  le.Uint64(r[offTime:]),
		Seq:   r.seq(),
		Ret:   int64(le.Uint64(r[offRet:])),
	}
	for i := range e.Args {
		e.Args[i] = le.Uint64(r[offArgs+8*i:])
	}
	if flags&traceRecFlagsR_ENTER != 0 {
		e.Flags |= event.HasEnter
	} else {
		e.Enter = 0
	}
	if flags&traceRecFlagsR_RESUMED != 0 {
		e.Flags |= event.Resumed
	}
	if flags&traceRecFlagsR_CUT != 0 {
		e.Flags |= event.Cut
	}
	// ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND, ERESTART_RESTARTBLOCK
	if e.Ret == -512 || e.Ret == -513 || e.Ret == -514 || e.Ret == -516 {
		e.Flags |= event.Restarted
	}
	rest := []byte(r[recSize:])
	if flags&traceRecFlagsR_COMM != 0 && len(rest) >= len(e.Comm) {
		copy(e.Comm[:], rest)
		rest = rest[len(e.Comm):]
	}
	if flags&traceRecFlagsR_IP != 0 && len(rest) >= 8 {
		e.IP = le.Uint64(rest)
		rest = rest[8:]
	}
	if flags&traceRecFlagsR_SYSTEM != 0 && len(rest) >= 8 {
		e.System = le.Uint64(rest)
		rest = rest[8:]
	}
	return rest
}

// task fills in an event from a record about a task; false: unknown kind.
func (r record) task(e *event.Event) bool {
	le := binary.LittleEndian
	*e = event.Event{
		CPU:  le.Uint32(r[offCPU:]),
		TGID: le.Uint32(r[offTGID:]),
		TID:  r.tid(),
		Time: le.Uint64(r[offTime:]),
	}
	value := r.value()
	switch r.kind() {
	case traceRecKindREC_SIGNAL:
		e.Kind, e.Signal = event.KindSignal, value
		if n := le.Uint32(r[offInfoLen:]); n > 0 && n <= taskDataLen {
			e.Siginfo = r[offData : offData+n]
		}
		if r.flags()&traceRecFlagsR_IGNORED != 0 {
			e.Flags |= event.Ignored
		}
		if r.flags()&traceRecFlagsR_IN_CALL != 0 {
			e.Flags |= event.InCall
		}
		if r.flags()&traceRecFlagsR_STOPS != 0 {
			e.Flags |= event.Stops
		}
	case traceRecKindREC_EXIT:
		e.Kind, e.Status = event.KindExit, value
		if r.flags()&traceRecFlagsR_GROUP != 0 {
			e.Flags |= event.GroupDead
		}
		if value&0x80 != 0 {
			e.Flags |= event.CoreDumped
		}
	case traceRecKindREC_EXEC:
		e.Kind, e.OldTID = event.KindExec, value
		e.Comm = name(r[offData:])
	case traceRecKindREC_FORK:
		e.Kind, e.Child = event.KindFork, value
		e.ChildTGID = le.Uint32(r[offChildTGID:])
	case traceRecKindREC_RENAME:
		e.Kind = event.KindRename
		e.Comm = name(r[offData:])
	default:
		return false
	}
	return true
}

// name takes a task's name, up to its NUL: what follows in the kernel's buffer
// may be the rest of an older name.
func name(b []byte) (comm [16]byte) {
	for i, c := range b[:len(comm)-1] {
		if c == 0 {
			break
		}
		comm[i] = c
	}
	return comm
}
