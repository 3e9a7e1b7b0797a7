package bpf

import (
	"golang.org/x/sys/unix"
)

// remote is the memory of a task in a call that has not returned.
type remote struct{ pid int }

const page = 4096

// ReadMemory implements event.Memory. The kernel reads all of a range or none
// of it, so a range that fails is read by page.
func (r *remote) ReadMemory(addr uint64, buf []byte) int {
	if len(buf) == 0 {
		return 0
	}
	if n := r.read(addr, buf); n == len(buf) {
		return n
	}
	done := 0
	for done < len(buf) {
		n := min(page-int((addr+uint64(done))%page), len(buf)-done)
		if r.read(addr+uint64(done), buf[done:done+n]) != n {
			break
		}
		done += n
	}
	return done
}

func (r *remote) read(addr uint64, buf []byte) int {
	local := []unix.Iovec{{Base: &buf[0]}}
	local[0].SetLen(len(buf))
	n, err := unix.ProcessVMReadv(r.pid, local, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(buf)}}, 0)
	if err != nil {
		return 0
	}
	return n
}

// IsNetlink implements event.Memory; nobody asks it of a call in progress,
// where a smaller copy is good enough.
func (r *remote) IsNetlink(int32) bool { return false }

// AppendFD implements event.Memory: by now the descriptor may be another one.
func (r *remote) AppendFD(_ int32, to []byte) []byte { return to }
