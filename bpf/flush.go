package bpf

import (
	"errors"
	"runtime"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// tick is how long records wait in the batch of a quiet CPU, and so the delay
// with which a line appears.
const tick = 20 * time.Millisecond

// busyTries is how often a flush looks again at a CPU that is appending. That
// takes microseconds, unless the host took the CPU away in the middle.
const busyTries = 200

// testRunOnCPU is BPF_F_TEST_RUN_ON_CPU (Linux 5.10).
const testRunOnCPU = 1

func now() uint64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return uint64(ts.Nano())
}

// flush hands over all batches, and returns the horizon: every record older
// than it is in a ring now.
//
// A CPU whose ring is full keeps its batch; the horizon is then the first time
// in that batch. All of that CPU's ring is older, so it can be read, and at the
// next flush there is room.
func (s *Source) flush() (horizon uint64, pending int) {
	horizon = now()
	for cpu := range s.possible {
		st := s.look(cpu)
		for try := 0; try < busyTries && (st.busy || st.pending > 0); try++ {
			if st.busy {
				runtime.Gosched()
			} else if !s.flushCPU(cpu) {
				st = s.look(cpu)
				break
			}
			st = s.look(cpu)
			if !st.busy && st.pending > 0 && (st.first >= horizon || try > 3) {
				break // refused, or a new record already
			}
		}
		if st.busy {
			horizon = min(horizon, s.horizon)
			pending++
		}
		if st.pending > 0 {
			horizon = min(horizon, st.first)
			pending++
		}
	}
	s.horizon = max(s.horizon, horizon)
	return s.horizon, pending
}

// flushCPU runs the flush program on a CPU; false if it can't run there.
func (s *Source) flushCPU(cpu int) bool {
	s.run.CPU, s.run.Flags = uint32(cpu), testRunOnCPU
	_, err := s.flusher.Run(&s.run)
	if err == nil {
		return true
	}
	if errors.Is(err, unix.ENXIO) {
		return false // offline
	}
	s.flushErr = err
	return false
}

// drainOffline reads what is left in the batches of CPUs that went offline, at
// the end of the trace. The bytes are valid until the source is closed.
func (s *Source) drainOffline() []byte {
	var left []byte
	for cpu := range s.possible {
		st := s.look(cpu)
		if st.pending == 0 || st.pending > uint32(traceBatchLimitsBATCH_AREA) {
			continue
		}
		b := make([]byte, traceBatchLimitsBATCH_AREA)
		if s.coll.Maps["batches"].Lookup(uint32(cpu), b) == nil {
			left = append(left, b[:st.pending]...)
		}
	}
	return left
}

// noFlush reports whether batches can't be flushed on this kernel.
func noFlush(p *ebpf.Program) bool {
	_, err := p.Run(&ebpf.RunOptions{Flags: testRunOnCPU})
	return err != nil
}
