package perf

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/perf/mmap"
)

// sampleType is what every sample of the tracepoints has. The CPU is the
// ring's; the registers are there for the ABI word in front of them.
const sampleType = unix.PERF_SAMPLE_TID | unix.PERF_SAMPLE_TIME | unix.PERF_SAMPLE_RAW | unix.PERF_SAMPLE_REGS_USER

// largest is more than any record of this backend (a COMM record, a sample of
// sys_enter: 112 bytes) with a LOST record in front.
const largest = 192

// specialCalls are numbers of calls that do not return, change the image, or
// come back without their number.
type specialCalls struct {
	exit, exitGroup, execve, execveat, sigreturn, rtSigreturn uint32
	clones                                                    [4]uint32
}

func neverReturns(abi event.ABI, nr uint32) bool {
	s := &special[abi]
	return nr == s.exit || nr == s.exitGroup
}

func replacesImage(abi event.ABI, nr uint32) bool {
	s := &special[abi]
	return nr == s.execve || nr == s.execveat
}

// isBirth reports whether an exit is the first return of a new task to user
// space: it looks like the return of the call that made it, with result 0. It is no
// call of the new task.
func isBirth(abi event.ABI, nr uint32, ret int64) bool {
	c := &special[abi].clones
	return ret == 0 && (nr == c[0] || nr == c[1] || nr == c[2] || nr == c[3])
}

// layout says where the fields of a sample are. It is read from tracefs once.
type layout struct {
	enterID, exitID uint16 // common_type
	enterRaw        int    // size of raw data
	exitRaw         int
	id, args        int // offsets in sys_enter's raw data
	exitNR, ret     int // offsets in sys_exit's raw data
}

// Where the fixed part of a sample is: header, tid, time, then raw data.
const (
	offTID  = 8
	offTime = 16
	offRaw  = 28
)

func newLayout(enter, exit *Tracepoint) (layout, error) {
	l := layout{enterID: uint16(enter.ID), exitID: uint16(exit.ID)}
	ok := true
	get := func(tp *Tracepoint, name string, size int) int {
		f, have := tp.Fields[name]
		ok = ok && have && f.Size == size && f.Offset >= 8 && f.Offset < 64
		return f.Offset
	}
	l.id = get(enter, "id", 8)
	l.args = get(enter, "args", 48)
	l.exitNR = get(exit, "id", 8)
	l.ret = get(exit, "ret", 8)
	if !ok {
		return l, &AccessError{
			What:  "look up the fields of raw_syscalls:sys_enter and sys_exit",
			Cause: fmt.Sprintf("this kernel has them in a form not known here (%v, %v)", enter.Fields, exit.Fields),
			Fix:   "use --backend=bpf or ptrace, and report this",
		}
	}
	// The kernel pads the size word and the data together to 8 bytes.
	l.enterRaw = (max(l.args+48, l.id+8)+4+7)&^7 - 4
	l.exitRaw = (max(l.ret, l.exitNR)+8+4+7)&^7 - 4
	return l, nil
}

// A sample is a parsed sample of either tracepoint.
type sample struct {
	enter     bool
	abi       event.ABI
	tgid, tid uint32
	nr        uint32
	time      uint64
	ip        uint64
	ret       int64
	args      [6]uint64
}

// parse reads a sample; false if it is none of ours.
func (l *layout) parse(rec []byte, s *sample) bool {
	if len(rec) < offRaw+2 {
		return false
	}
	size := int(binary.NativeEndian.Uint32(rec[offRaw-4:]))
	var raw, regs []byte
	switch binary.NativeEndian.Uint16(rec[offRaw:]) {
	case l.enterID:
		if size != l.enterRaw || len(rec) < offRaw+size+8 {
			return false
		}
		raw, regs = rec[offRaw:offRaw+size], rec[offRaw+size:]
		s.enter = true
		s.nr = uint32(binary.NativeEndian.Uint64(raw[l.id:]))
		a := raw[l.args : l.args+48]
		for i := range s.args {
			s.args[i] = binary.NativeEndian.Uint64(a[i*8:])
		}
	case l.exitID:
		if size != l.exitRaw || len(rec) < offRaw+size+8 {
			return false
		}
		raw, regs = rec[offRaw:offRaw+size], rec[offRaw+size:]
		s.enter = false
		s.nr = uint32(binary.NativeEndian.Uint64(raw[l.exitNR:]))
		s.ret = int64(binary.NativeEndian.Uint64(raw[l.ret:]))
	default:
		return false
	}
	s.tgid = binary.NativeEndian.Uint32(rec[offTID:])
	s.tid = binary.NativeEndian.Uint32(rec[offTID+4:])
	s.time = binary.NativeEndian.Uint64(rec[offTime:])
	s.ip = 0
	if len(regs) >= 16 {
		s.ip = binary.NativeEndian.Uint64(regs[8:])
	}
	s.abi = event.Native
	switch {
	case binary.NativeEndian.Uint64(regs) == unix.PERF_SAMPLE_REGS_ABI_32:
		s.abi = event.Compat
	case x32Bit != 0 && s.nr&x32Bit != 0 && s.nr != event.NoNumber:
		s.abi = event.X32
		s.nr &^= x32Bit
	}
	return true
}

// A sideRecord is a parsed COMM, FORK or EXIT record.
type sideRecord struct {
	tgid, tid   uint32 // of the task; the new one for FORK
	ptgid, ptid uint32 // FORK: who made it
	exec        bool   // COMM: because of an execve
	comm        [16]byte
}

// parseSide reads a record of the side event; false if it is cut or none of those.
func parseSide(rec []byte, s *sideRecord) bool {
	if len(rec) < 24 {
		return false
	}
	*s = sideRecord{}
	u32 := func(off int) uint32 { return binary.NativeEndian.Uint32(rec[off:]) }
	switch mmap.RecordType(rec) {
	case mmap.TypeComm: // pid, tid, name, trailer of tid and time
		s.tgid, s.tid = u32(8), u32(12)
		name := rec[16:]
		if len(name) > 16 {
			name = name[:len(name)-16]
		}
		if i := bytes.IndexByte(name, 0); i >= 0 {
			name = name[:i]
		}
		copy(s.comm[:15], name)
		s.exec = mmap.RecordMisc(rec)&unix.PERF_RECORD_MISC_COMM_EXEC != 0
	case mmap.TypeFork, mmap.TypeExit: // pid, ppid, tid, ptid, time
		s.tgid, s.ptgid, s.tid, s.ptid = u32(8), u32(12), u32(16), u32(20)
	default:
		return false
	}
	return true
}
