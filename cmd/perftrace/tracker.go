package main

import "perftrace/event"

// A task is what is known about a traced thread.
type task struct {
	tid, tgid uint32
	own       *stream // -ff: its file, once something was written
	comm      [16]byte
	nr        uint32 // of its last call, for -n
	abi       event.ABI
	// interrupted: that call is to be continued by restart_syscall.
	interrupted bool

	// A call of it was shown before it returned, so that the rest comes as
	// "resumed", unless its line is still open.
	begun      bool
	begunEnter uint64 // Enter of that call; 0: it was not known

	// later are happenings that came inside its call and are shown behind it.
	later []happening

	// failedExec: the command, after its execve failed: what the held process
	// does then is perftrace's, not the command's.
	failedExec bool

	// gone: the thread has ended, but its line waits for the end of the
	// process, as the leader's does.
	gone   bool
	status uint32
	flags  event.Flags
}

// tracker knows the traced tasks by their tid.
type tracker struct {
	tasks map[uint32]*task
	last  *task // most events are about the task of the one before
	free  []*task
	all   bool // every task of the machine is traced: none is waited for
}

func newTracker() tracker { return tracker{tasks: make(map[uint32]*task)} }

// known returns the task with this tid, or nil.
func (t *tracker) known(tid uint32) *task {
	if t.last != nil && t.last.tid == tid {
		return t.last
	}
	k := t.tasks[tid]
	if k != nil {
		t.last = k
	}
	return k
}

// get returns the task with this tid, which becomes known.
func (t *tracker) get(tid, tgid uint32) *task {
	if k := t.known(tid); k != nil {
		return k
	}
	var k *task
	if n := len(t.free); n > 0 {
		k, t.free = t.free[n-1], t.free[:n-1]
		*k = task{}
	} else {
		k = new(task)
	}
	k.tid, k.tgid = tid, tgid
	if tgid == 0 {
		k.tgid = tid
	}
	t.tasks[tid] = k
	t.last = k
	return k
}

// drop forgets a task.
func (t *tracker) drop(k *task) {
	if t.last == k {
		t.last = nil
	}
	delete(t.tasks, k.tid)
	k.own = nil
	k.later = nil
	t.free = append(t.free, k)
}

// live is how many tasks are traced now.
func (t *tracker) live() int { return len(t.tasks) }
