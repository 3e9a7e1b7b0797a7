package perf

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// tasks knows which tasks of the trace live, and what they are called.
type tasks struct {
	wantComm bool
	live     map[uint32]*task
	threads  map[uint32]int    // live tasks by process
	codes    map[uint32]uint32 // wait status of processes that called exit_group, and of threads that called exit, by id
}

type task struct {
	tgid    uint32
	leaving bool // its exit or exit_group was seen
	comm    [16]byte
	named   bool
}

// add notes a task that exists; false if it was known.
func (t *tasks) add(tid, tgid uint32) bool {
	if t.live == nil {
		t.live = make(map[uint32]*task)
		t.threads = make(map[uint32]int)
		t.codes = make(map[uint32]uint32)
	}
	if t.live[tid] != nil {
		return false
	}
	t.live[tid] = &task{tgid: tgid}
	t.threads[tgid]++
	return true
}

// born notes a new task; false if it was known.
func (t *tasks) born(tid, tgid, parent uint32) bool {
	if !t.add(tid, tgid) {
		return false
	}
	if t.wantComm {
		n := t.live[tid]
		n.comm, n.named = t.comm(parent, 0), true
	}
	return true
}

// gone notes that the task called exit or, for the whole process, exit_group.
func (t *tasks) gone(tid, tgid uint32, code uint64, group bool) {
	t.add(tid, tgid)
	t.live[tid].leaving = true
	if group {
		tid = tgid
	}
	if _, ok := t.codes[tid]; !ok {
		t.codes[tid] = uint32(code&0xff) << 8
	}
}

// status returns the wait status of a task that ends, if one of its calls told.
func (t *tasks) status(tid, tgid uint32) (status uint32, ok bool) {
	if status, ok = t.codes[tgid]; ok {
		return status, true
	}
	status, ok = t.codes[tid]
	return status, ok
}

// died forgets a task. last: it was the last known one of its process; fine:
// its last call is known.
func (t *tasks) died(tid, tgid uint32) (last, fine bool) {
	if n := t.live[tid]; n != nil {
		fine = n.leaving
		delete(t.live, tid)
		t.threads[n.tgid]--
	}
	if last = t.threads[tgid] <= 0; last {
		delete(t.threads, tgid)
		delete(t.codes, tgid)
	}
	if tid != tgid {
		delete(t.codes, tid)
	}
	return last, fine
}

// exec: the thread old of a process replaced the image and is the leader now.
func (t *tasks) exec(tgid, old uint32) {
	if old != tgid {
		t.died(old, tgid)
	}
	t.add(tgid, tgid)
	t.live[tgid].leaving = false
}

func (t *tasks) rename(tid uint32, comm [16]byte) {
	if n := t.live[tid]; n != nil {
		n.comm, n.named = comm, true
	}
}

// alive is how many tasks live. Those whose EXIT record may be lost are looked up.
func (t *tasks) alive() (n int) {
	for tid, k := range t.live {
		if unix.Tgkill(int(k.tgid), int(tid), 0) == nil {
			n++
		}
	}
	return n
}

// comm returns the name of a task. The first time, /proc is asked.
func (t *tasks) comm(tid, tgid uint32) [16]byte {
	n := t.live[tid]
	if n == nil {
		t.add(tid, tgid)
		n = t.live[tid]
	}
	if !n.named {
		n.named = true
		if b, err := os.ReadFile("/proc/" + strconv.Itoa(int(tid)) + "/comm"); err == nil {
			copy(n.comm[:15], bytes.TrimRight(b, "\n"))
		}
	}
	return n.comm
}
