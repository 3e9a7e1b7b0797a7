package bpf

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"perftrace/event"
)

// pidfdThread is PIDFD_THREAD (Linux 6.9): a pidfd of a single thread.
const pidfdThread = unix.O_EXCL

// seedWalks bounds how often the threads of the targets are listed again. The
// fork hook is attached, so only threads that a not yet seeded one made in the
// meantime can be new.
const seedWalks = 16

// seed marks the tasks of a target as traced. The fork hook is attached already.
func (s *Source) seed(t *event.Target) error {
	follow := uint32(traceTaskFlagsT_TRACED | traceTaskFlagsT_THREADS)
	single := uint32(traceTaskFlagsT_TRACED)
	if t.Follow {
		follow |= uint32(traceTaskFlagsT_PROCESSES)
		single = follow
	}
	if t.Child != 0 {
		if err := s.seedTask(t.Child, follow|uint32(traceTaskFlagsT_WAIT_EXEC)); err != nil {
			return noTask(t.Child, err)
		}
	}
	for _, tid := range t.TIDs {
		if err := s.seedTask(tid, single|uint32(traceTaskFlagsT_ATTACHED)); err != nil {
			return noTask(tid, err)
		}
	}
	for _, pid := range t.PIDs {
		if _, err := os.Stat("/proc/" + strconv.Itoa(pid)); err != nil {
			return noTask(pid, err)
		}
	}
	for range seedWalks {
		pids := t.PIDs
		if t.Descendants {
			pids = descendants(pids)
		}
		fresh := 0
		for _, pid := range pids {
			for _, tid := range threads(pid) {
				if s.seeded[tid] {
					continue
				}
				err := s.seedTask(tid, follow|uint32(traceTaskFlagsT_ATTACHED))
				if errors.Is(err, unix.ESRCH) || errors.Is(err, os.ErrNotExist) {
					continue // ended meanwhile
				}
				if err != nil {
					return noTask(tid, err)
				}
				fresh++
			}
		}
		if fresh == 0 {
			break
		}
	}
	return nil
}

func noTask(pid int, err error) error {
	if errors.Is(err, unix.ESRCH) || errors.Is(err, os.ErrNotExist) {
		return &AccessError{
			What: fmt.Sprintf("trace task %d", pid), Cause: "there is no such task", Err: err,
			Fix: "it may have ended; look it up with ps -eL",
		}
	}
	return fmt.Errorf("trace task %d: %w", pid, err)
}

// seedTask makes the state of one task.
func (s *Source) seedTask(tid int, flags uint32) error {
	s.seeded[tid] = true
	if !s.storage {
		err := s.coll.Maps["task_hash"].Update(uint32(tid), &traceTaskState{Flags: flags}, ebpf.UpdateNoExist)
		return ignoreExists(err)
	}
	fd, err := unix.PidfdOpen(tid, 0)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) {
		// Not the leader of a process.
		if fd, err = -1, unix.EINVAL; s.lacks&lackThreadPidfd == 0 {
			fd, err = unix.PidfdOpen(tid, pidfdThread)
		}
	}
	if errors.Is(err, unix.EINVAL) {
		return s.seedLater(tid, flags)
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	err = s.coll.Maps["task_store"].Update(int32(fd), &traceTaskState{Flags: flags}, ebpf.UpdateNoExist)
	return ignoreExists(err)
}

// ignoreExists: the fork hook was faster.
func ignoreExists(err error) error {
	if errors.Is(err, ebpf.ErrKeyExist) {
		return nil
	}
	return err
}

// seedLater lets the task adopt its state on its next call: before Linux 6.9
// only leaders of processes have a pidfd, by which the map can be written.
func (s *Source) seedLater(tid int, flags uint32) error {
	v := s.coll.Variables["seeds_pending"]
	var n uint32
	if err := v.Get(&n); err != nil {
		return err
	}
	// First the count: a program that takes a seed counts down.
	if err := v.Set(n + 1); err != nil {
		return err
	}
	return s.coll.Maps["seeds"].Put(uint32(tid), flags)
}

// threads lists the tids of a process.
func threads(pid int) (tids []int) {
	entries, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if tid, err := strconv.Atoi(e.Name()); err == nil {
			tids = append(tids, tid)
		}
	}
	return tids
}

// descendants returns the processes and all that descend from them.
func descendants(roots []int) []int {
	children := map[int][]int{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, ok := parentOf(pid); ok {
			children[parent] = append(children[parent], pid)
		}
	}
	all := append([]int(nil), roots...)
	known := map[int]bool{}
	for _, pid := range roots {
		known[pid] = true
	}
	for i := 0; i < len(all); i++ {
		for _, c := range children[all[i]] {
			if !known[c] {
				known[c] = true
				all = append(all, c)
			}
		}
	}
	return all
}

// parentOf reads a process's parent from /proc/PID/stat.
func parentOf(pid int) (int, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	// The name in parentheses may hold anything, also parentheses.
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return 0, false
	}
	f := bytes.Fields(b[i+1:])
	if len(f) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(string(f[1]))
	return parent, err == nil
}
