package bpf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/perf"
	"perftrace/perf/mmap"
)

// defaultRing is the size of a CPU's ring in bytes.
const defaultRing = 8 << 20

// limits are those of a batch, in bytes (maps.h). A batch and the header that
// perf puts before it must fit into the ring, so with a small ring calls of much
// memory are cut.
type limits struct{ flush, soft, hard uint32 }

func limitsOf(ringBytes uint64) limits {
	const room = 512 // a task record above hard, and PERF_RECORD_LOST
	var l limits
	l.hard = uint32(min(ringBytes-room, uint64(traceBatchLimitsBATCH_MAX)))
	l.soft = l.hard / 3 &^ 7
	l.flush = min(l.soft, 4096)
	return l
}

// ringBytesOf is the size of the rings for a plan.
func ringBytesOf(p *event.Plan) uint64 {
	if p.RingBytes == 0 {
		return defaultRing
	}
	return max(p.RingBytes, uint64(os.Getpagesize()))
}

// openRings opens and maps a ring on every online CPU and gives it to the programs.
func (s *Source) openRings(ringBytes uint64) error {
	cpus, err := perf.OnlineCPUs()
	if err != nil {
		return err
	}
	s.group.Layout = mmap.LayoutOf(unix.PERF_SAMPLE_RAW, true)
	s.group.Split = splitBatch
	attr := &perf.Attr{
		Name: "the ring of BPF output", Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_BPF_OUTPUT,
		SamplePeriod: 1, SampleType: unix.PERF_SAMPLE_RAW, ReadFormat: unix.PERF_FORMAT_LOST,
		WatermarkAt: uint32(min(ringBytes/4, 1<<20)),
	}
	for _, cpu := range cpus {
		ev, err := perf.Open(attr, -1, cpu)
		if errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENXIO) {
			continue // went offline meanwhile
		}
		if err != nil {
			return err
		}
		s.events = append(s.events, ev)
		ring, err := mmap.Map(ev.FD(), cpu, int(ringBytes)/os.Getpagesize())
		if err != nil {
			return &AccessError{
				What: fmt.Sprintf("map a ring of %d KiB for CPU %d", ringBytes>>10, cpu), Cause: err.Error(), Err: err,
				Fix: "choose a smaller ring with -m (a power of two), raise ulimit -l, or give the program CAP_IPC_LOCK",
			}
		}
		if err := s.group.Add(ring); err != nil {
			return errors.Join(fmt.Errorf("poll the ring of CPU %d: %w", cpu, err), ring.Close())
		}
		if err := s.coll.Maps["rings"].Put(uint32(cpu), uint32(ev.FD())); err != nil {
			return fmt.Errorf("give the ring of CPU %d to the BPF programs: %w", cpu, err)
		}
	}
	s.cpuMem, err = s.coll.Maps["cpus"].Memory()
	if err != nil {
		return fmt.Errorf("map the counters of the BPF programs: %w", err)
	}
	return nil
}

// splitBatch finds the records in a batch.
func splitBatch(b []byte) (time uint64, size int) {
	if len(b) < recSize {
		return 0, 0
	}
	n := binary.LittleEndian.Uint32(b)
	if n < recSize {
		return 0, -1
	}
	return binary.LittleEndian.Uint64(b[8:]), int(n)
}

// Offsets in struct cpu (progs/abi.h), and its size; a test compares them.
const (
	cpuPending = 0
	cpuBusy    = 4
	cpuFirst   = 16
	cpuSize    = 256
)

// A cpuState is what decides whether a batch holds anything.
type cpuState struct {
	busy    bool
	pending uint32
	first   uint64
}

// look reads the state of a CPU's batch without a system call. busy is read
// first: an append that begins later has a later time.
func (s *Source) look(cpu int) (st cpuState) {
	var b [24]byte
	off := int64(cpu * cpuSize)
	if _, err := s.cpuMem.ReadAt(b[:4], off+cpuBusy); err != nil {
		return st
	}
	st.busy = binary.NativeEndian.Uint32(b[:]) != 0
	if _, err := s.cpuMem.ReadAt(b[:], off); err != nil {
		return st
	}
	st.pending = binary.NativeEndian.Uint32(b[cpuPending:])
	st.first = binary.NativeEndian.Uint64(b[cpuFirst:])
	return st
}
