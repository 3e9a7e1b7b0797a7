package ptrace

import (
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"

	"perftrace/event"
)

// The kernel runs a seccomp filter before a call; with one that stops the task
// only for calls of the set, all others run at full speed. The filter comes with
// every process that the command makes, can't be taken off again, and makes the
// calls of the set fail with ENOSYS in a task without tracer: so it is for
// commands that are followed to their end.

// FilterProgram returns a filter that stops for the calls of a set and allows
// all others.
func FilterProgram(calls *event.CallSets) ([]unix.SockFilter, error) {
	p := []unix.SockFilter{load(offsetArch)}
	native := ranges(&calls[event.Native], 0, x32Bit)
	if x32Bit != 0 {
		native = append(native, ranges(&calls[event.X32], x32Bit, 0)...)
	}
	for _, table := range []struct {
		arch  uint32
		calls []unix.SockFilter
	}{{archNative, native}, {archCompat, ranges(&calls[event.Compat], 0, 0)}} {
		// Jumps of a comparison reach 255 instructions, a plain one all.
		p = append(p, jump(unix.BPF_JEQ, table.arch, 1, 0),
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA, K: uint32(len(table.calls)) + 2},
			load(offsetNR))
		p = append(p, table.calls...)
		p = append(p, ret(unix.SECCOMP_RET_ALLOW))
	}
	p = append(p, ret(unix.SECCOMP_RET_ALLOW))
	if len(p) > unix.BPF_MAXINSNS {
		return nil, errors.New("the call set makes a seccomp filter over the kernel's limit (trace without it)")
	}
	return p, nil
}

// struct seccomp_data begins with the number and the architecture.
const (
	offsetNR   = 0
	offsetArch = 4
)

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func jump(op uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | op | unix.BPF_K, Jt: yes, Jf: no, K: k}
}

func ret(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }

// ranges returns code that stops for each run of numbers in a set; bit is set in
// all of them. Another table in the same numbers is where the bit but is set.
func ranges(set *event.CallSet, bit, but uint32) (p []unix.SockFilter) {
	for nr := uint32(0); nr < event.MaxNR; nr++ {
		if !set.Has(nr) {
			continue
		}
		first := nr
		for nr+1 < event.MaxNR && set.Has(nr+1) {
			nr++
		}
		switch {
		case nr == event.Unknown && bit != 0: // and all above: negative numbers are no x32 calls
			p = append(p, jump(unix.BPF_JGE, first|bit, 0, 2), jump(unix.BPF_JGE, 1<<31, 1, 0))
		case nr == event.Unknown && but != 0: // and all above, but x32's
			p = append(p, jump(unix.BPF_JGE, 1<<31, 2, 0),
				jump(unix.BPF_JGE, first, 0, 2), jump(unix.BPF_JGE, but, 1, 0))
		case nr == event.Unknown:
			p = append(p, jump(unix.BPF_JGE, first, 0, 1))
		default:
			p = append(p, jump(unix.BPF_JGE, first|bit, 0, 2), jump(unix.BPF_JGT, nr|bit, 1, 0))
		}
		p = append(p, ret(unix.SECCOMP_RET_TRACE))
	}
	return p
}

// EncodeFilter writes a program as the array of struct sock_filter that seccomp
// takes.
func EncodeFilter(p []unix.SockFilter) []byte {
	b := make([]byte, 0, 8*len(p))
	for _, i := range p {
		b = binary.NativeEndian.AppendUint16(b, i.Code)
		b = append(b, i.Jt, i.Jf)
		b = binary.NativeEndian.AppendUint32(b, i.K)
	}
	return b
}
