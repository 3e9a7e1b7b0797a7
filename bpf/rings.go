package bpf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"perftrace/perf"
	"perftrace/perf/mmap"
)

// Sizes of a ring. A batch with one record of the greatest size must fit.
const (
	defaultRing = 4 << 20
	minRing     = 64 << 10
)

// openRings opens and maps a ring on every online CPU and gives it to the programs.
func (s *Source) openRings(ringBytes uint64) error {
	if ringBytes == 0 {
		ringBytes = defaultRing
	}
	if ringBytes < minRing {
		return &AccessError{
			What: fmt.Sprintf("use rings of %d bytes", ringBytes), Cause: "a captured call can take up to 40 KiB",
			Fix: "choose at least 64KiB with -m", Err: unix.EINVAL,
		}
	}
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
