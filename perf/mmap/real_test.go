package mmap_test

import (
	"errors"
	"math"
	"os"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/perf"
	"golang.org/x/sys/unix"

	"perftrace/event/need"
	"perftrace/perf/mmap"
)

// writer is a BPF program that writes one sample of 104 bytes into the ring of
// its CPU, run as often as wanted without being attached anywhere.
func writer(t testing.TB) (run func(times uint32), rings *ebpf.Map) {
	t.Helper()
	rings, err := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.PerfEventArray})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rings.Close() })
	ins := asm.Instructions{asm.Mov.Reg(asm.R6, asm.R1)}
	for off := int16(-104); off < 0; off += 8 {
		ins = append(ins, asm.Mov.Imm(asm.R7, int32(off)+200), asm.StoreMem(asm.RFP, off, asm.R7, asm.DWord))
	}
	ins = append(
		ins,
		asm.Mov.Reg(asm.R1, asm.R6),
		asm.LoadMapPtr(asm.R2, rings.FD()),
		asm.LoadImm(asm.R3, 0xffffffff, asm.DWord), // BPF_F_CURRENT_CPU
		asm.Mov.Reg(asm.R4, asm.RFP),
		asm.Add.Imm(asm.R4, -104),
		asm.Mov.Imm(asm.R5, 104),
		asm.FnPerfEventOutput.Call(),
		asm.Mov.Imm(asm.R0, 0),
		asm.Return(),
	)
	prog, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.XDP, Instructions: ins, License: "GPL"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { prog.Close() })
	return func(times uint32) {
		if _, err := prog.Run(&ebpf.RunOptions{Data: make([]byte, 64), Repeat: times}); err != nil {
			t.Fatal(err)
		}
	}, rings
}

// pinned ties the test to CPU 0, so that all samples are in its ring.
func pinned(t testing.TB) {
	t.Helper()
	runtime.LockOSThread()
	var old, set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &old); err != nil {
		t.Fatal(err)
	}
	set.Set(0)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		unix.SchedSetaffinity(0, &old)
		runtime.UnlockOSThread()
	})
}

const realPages = 256

// realRing is a ring of BPF output on CPU 0.
func realRing(t testing.TB, rings *ebpf.Map, backward bool) (fd int) {
	t.Helper()
	a := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_BPF_OUTPUT,
		Sample: 1, Sample_type: unix.PERF_SAMPLE_TIME | unix.PERF_SAMPLE_RAW,
		Bits: unix.PerfBitUseClockID | unix.PerfBitWatermark | unix.PerfBitSampleIDAll, Clockid: unix.CLOCK_MONOTONIC,
		Wakeup: realPages * 4096 / 4,
	}
	if backward {
		a.Bits |= unix.PerfBitWriteBackward
	}
	a.Size = uint32(unsafe.Sizeof(a))
	fd, err := unix.PerfEventOpen(&a, -1, 0, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := rings.Put(uint32(0), uint32(fd)); err != nil {
		t.Fatal(err)
	}
	return fd
}

func TestARealRingGivesWhatTheKernelWroteAndWakesAtItsWatermark(t *testing.T) {
	need.BPF(t)
	pinned(t)
	run, rings := writer(t)
	fd := realRing(t, rings, false)
	r, err := mmap.Map(fd, 0, realPages)
	if err != nil {
		t.Fatal(err)
	}
	g := &mmap.Group{Layout: mmap.LayoutOf(timeRaw, true)}
	defer g.Close()
	if err := g.Add(r); err != nil {
		t.Fatal(err)
	}
	// 128 bytes a record, 1 MiB: more than ten times around, so that records wrap.
	for round := range 30 {
		run(3000)
		began := time.Now()
		if err := g.Wait(10 * time.Second); err != nil || time.Since(began) > 5*time.Second {
			t.Fatalf("round %d: a ring over its watermark did not wake: %v", round, err)
		}
		n, last := 0, uint64(0)
		g.Begin(math.MaxUint64)
		for u := g.Next(); u != nil; u = g.Next() {
			raw := g.Layout.RawData(u.Data)
			if len(raw) < 104 || raw[0] != 96 || raw[96] != 192 || u.Time < last {
				t.Fatalf("record %d: %x, time %d after %d", n, u.Data, u.Time, last)
			}
			last = u.Time
			n++
		}
		if n != 3000 {
			t.Fatalf("round %d: %d records, want 3000", round, n)
		}
	}
	run(10_000)
	run(1)
	n, lost := 0, uint64(0)
	for range 2 {
		g.Begin(math.MaxUint64)
		for u := g.Next(); u != nil; u = g.Next() {
			if u.Type == mmap.TypeLost {
				lost += u.Lost
				continue
			}
			n++
		}
		run(1) // brings the LOST record
	}
	g.Begin(math.MaxUint64)
	for u := g.Next(); u != nil; u = g.Next() {
		n++
	}
	if uint64(n)+lost != 10_003 || lost == 0 {
		t.Errorf("%d records and %d lost, want 10003 together", n, lost)
	}
	began := time.Now()
	g.Wake()
	if err := g.Wait(10 * time.Second); err != nil || time.Since(began) > 5*time.Second {
		t.Errorf("Wake did not wake: %v after %v", err, time.Since(began))
	}
}

func TestARealBackwardRingKeepsTheLastRecords(t *testing.T) {
	need.BPF(t)
	pinned(t)
	run, rings := writer(t)
	fd := realRing(t, rings, true)
	b, err := mmap.MapBackward(fd, 0, realPages)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, c := range []struct{ written, want int }{{100, 100}, {20_000, 9362}, {5, 5}} {
		run(uint32(c.written))
		if err := b.Pause(); err != nil {
			t.Fatal(err)
		}
		n, last := 0, uint64(0)
		for rec := b.Next(); rec != nil; rec = b.Next() {
			l := mmap.LayoutOf(timeRaw, true)
			at, ok := l.RecordTime(rec)
			if !ok || at < last {
				t.Fatalf("record %d has time %d after %d", n, at, last)
			}
			last = at
			n++
		}
		if err := b.Resume(); err != nil {
			t.Fatal(err)
		}
		// A record is 8 + 8 + 4 + 104 bytes, padded to 128; the ring has 1 MiB.
		if want := min(c.want, realPages*4096/128); n != want {
			t.Errorf("wrote %d: read %d records, want %d", c.written, n, want)
		}
	}
}

// BenchmarkRealRing reads the same samples of a real ring with this package
// and with cilium/ebpf's perf.Reader. Only the reading is timed.
func BenchmarkRealRing(b *testing.B) {
	need.BPF(b)
	const batch = 4000
	b.Run("perftrace", func(b *testing.B) {
		pinned(b)
		run, rings := writer(b)
		r, err := mmap.Map(realRing(b, rings, false), 0, realPages)
		if err != nil {
			b.Fatal(err)
		}
		g := &mmap.Group{Layout: mmap.LayoutOf(timeRaw, true)}
		defer g.Close()
		if err := g.Add(r); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			b.StopTimer()
			run(batch)
			b.StartTimer()
			g.Begin(math.MaxUint64)
			for g.Next() != nil {
				n++
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/record")
	})
	b.Run("cilium", func(b *testing.B) {
		pinned(b)
		run, rings := writer(b)
		rd, err := perf.NewReader(rings, realPages*4096)
		if err != nil {
			b.Fatal(err)
		}
		defer rd.Close()
		var rec perf.Record
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			b.StopTimer()
			run(batch)
			rd.SetDeadline(time.Now().Add(-time.Second))
			b.StartTimer()
			for {
				if err := rd.ReadInto(&rec); err != nil {
					if !errors.Is(err, os.ErrDeadlineExceeded) {
						b.Fatal(err)
					}
					break
				}
				n++
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/record")
	})
}
