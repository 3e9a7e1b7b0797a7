package ptrace

import (
	"bytes"
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"perftrace/event"
)

// A task is one tracee.
type task struct {
	tid, tgid int

	inCall    bool // between the stops of entry and exit
	quiet     bool // this call is not looked at on its exit
	told      bool // this call's KindNoReturn was returned
	entered   bool // this call's KindEnter was returned
	held      bool // the command, or a thread of it, before its execve: not told of
	unhold    bool // this is the first execve of the held command
	refused   bool // that execve failed
	fresh     bool // nothing was called since the first execve of the held command
	renames   bool // this call may change the task's name
	newborn   bool // stopped until the parent's stop tells of it
	announced bool // its KindFork was returned though its parent did not tell
	foreign   bool // is to be let go at its next stop
	filtered  bool // a seccomp filter stops it for the calls of the set, once it has begun
	attached  bool // has stopped since it was attached to

	seq     uint64
	ev      event.Event // the call in progress, then what is lent
	in, out []byte
	info    [128]byte // siginfo
	mem     memory
}

// add makes a task known; the memory of one that ended is used again.
func (s *Source) add(tid, tgid int) *task {
	var t *task
	if n := len(s.free); n > 0 {
		t = s.free[n-1]
		s.free = s.free[:n-1]
		*t = task{in: t.in[:0], out: t.out[:0], mem: memory{path: t.mem.path}}
	} else {
		t = &task{}
	}
	t.tid, t.tgid, t.mem.tid = tid, tgid, tid
	t.ev.TID, t.ev.TGID = uint32(tid), uint32(tgid)
	s.tasks[tid] = t
	return t
}

// drop forgets a task. It may still be lent, so its memory is used again only
// after the next Next.
func (s *Source) drop(t *task) {
	if s.tasks[t.tid] == t {
		delete(s.tasks, t.tid)
	}
	if t.newborn {
		s.newborns--
	}
	if s.last == t {
		s.last = nil
	}
	s.dropped = append(s.dropped, t)
}

// readComm reads the task's name, if names are wanted.
func (s *Source) readComm(t *task) {
	if !s.plan.Comm {
		return
	}
	fd, err := unix.Open("/proc/"+strconv.Itoa(t.tid)+"/comm", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	var b [32]byte
	n, err := unix.Read(fd, b[:])
	if err != nil {
		return
	}
	name := bytes.TrimSuffix(b[:n], []byte("\n"))
	t.ev.Comm = [16]byte{}
	copy(t.ev.Comm[:15], name)
}

// isThread reports whether tid is a thread of process tgid.
func isThread(tgid, tid int) bool {
	return unix.Access("/proc/"+strconv.Itoa(tgid)+"/task/"+strconv.Itoa(tid), unix.F_OK) == nil
}

// status returns a line of /proc/TID/status: "Tgid", "TracerPid", "State".
func status(tid int, field string) (string, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(tid) + "/status")
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(b) {
		if v, ok := bytes.CutPrefix(line, []byte(field+":")); ok {
			return string(bytes.TrimSpace(v)), nil
		}
	}
	return "", errors.New("no " + field + " in /proc status")
}

// number returns a number of /proc/TID/status, or 0.
func number(tid int, field string) int {
	v, err := status(tid, field)
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0
	}
	return n
}

// processOf returns the process of a task; of one that is gone, the task itself.
func processOf(tid int) int {
	if tgid := number(tid, "Tgid"); tgid != 0 {
		return tgid
	}
	return tid
}

// threads returns the tids of a process.
func threads(pid int) ([]int, error) {
	dir, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
	if err != nil {
		return nil, err
	}
	var tids []int
	for _, d := range dir {
		if tid, err := strconv.Atoi(d.Name()); err == nil {
			tids = append(tids, tid)
		}
	}
	return tids, nil
}

// children returns the processes that the threads of a process made.
func children(pid int) []int {
	var pids []int
	tids, err := threads(pid)
	if err != nil {
		return nil
	}
	for _, tid := range tids {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/task/" + strconv.Itoa(tid) + "/children")
		if err != nil {
			continue
		}
		for _, f := range bytes.Fields(b) {
			if child, err := strconv.Atoi(string(f)); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}
