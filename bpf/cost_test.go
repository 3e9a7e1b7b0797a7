package bpf

import (
	"errors"
	"io"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

// emptyPair attaches programs that do nothing to sys_enter and sys_exit: the
// least that tracing with eBPF can cost.
func emptyPair(b testing.TB) (detach func()) {
	b.Helper()
	var close []io.Closer
	for _, tp := range []string{"sys_enter", "sys_exit"} {
		prog, err := ebpf.NewProgram(&ebpf.ProgramSpec{
			Type: ebpf.Tracing, AttachType: ebpf.AttachTraceRawTp, AttachTo: tp, License: "GPL",
			Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 0), asm.Return()},
		})
		if err != nil {
			b.Fatal(err)
		}
		l, err := link.AttachTracing(link.TracingOptions{Program: prog})
		if err != nil {
			b.Fatal(err)
		}
		close = append(close, l, prog)
	}
	return func() {
		for _, c := range close {
			_ = c.Close()
		}
	}
}

const (
	chunks    = 60
	chunkSize = 500
)

// spent times a loop of calls on this thread, in ns a call: the best of many
// chunks that are so short that some of them are not interrupted.
func spent(call func()) float64 {
	best := time.Duration(1 << 62)
	for range chunks {
		t := time.Now()
		for range chunkSize {
			call()
		}
		best = min(best, time.Since(t))
	}
	return float64(best.Nanoseconds()) / chunkSize
}

// underSource times the call while a Source traces this thread.
func underSource(b testing.TB, p *event.Plan, call func()) float64 {
	b.Helper()
	p.Target.UID = -1
	p.RingBytes = 16 << 20
	s := &Source{}
	if err := s.Open(p); err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if err := s.Start(); err != nil {
		b.Fatal(err)
	}
	ns := spent(call)
	if err := s.Stop(); err != nil {
		b.Fatal(err)
	}
	for {
		if _, err := s.Next(0); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			b.Fatal(err)
		}
	}
	if l := s.Ledger(); l.LostTotal() != 0 {
		b.Errorf("lost records: %+v", l)
	}
	return ns
}

// BenchmarkHookCost prints the time that a call takes longer under the programs,
// as a multiple of what an empty pair of programs adds. All kinds take turns, so
// that a slow moment of the machine hits them all; the medians are compared.
func BenchmarkHookCost(b *testing.B) {
	need.BPF(b)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	path := [...]byte{'/', 'e', 't', 'c', '/', 'n', 'o', 'n', 'e', 'x', 'i', 's', 't', 'e', 'n', 't', 0}
	getppid := func() { unix.RawSyscall(unix.SYS_GETPPID, 0, 0, 0) }
	openat := func() {
		unix.RawSyscall(unix.SYS_OPENAT, ^uintptr(99), uintptr(unsafe.Pointer(&path[0])), 0)
	}
	tids := func(p *event.Plan) *event.Plan {
		p.Target.TIDs = []int{unix.Gettid()}
		return p
	}
	rejected := func() *event.Plan {
		p := &event.Plan{Times: true}
		capture(p, unix.SYS_GETPGRP)
		return tids(p)
	}
	captured := func(times bool) *event.Plan {
		p := &event.Plan{Times: times}
		capture(p, unix.SYS_GETPPID)
		return tids(p)
	}
	counted := func(system, wall bool) *event.Plan {
		p := &event.Plan{Count: true, SystemTime: system, Times: wall}
		capture(p, unix.SYS_GETPPID)
		return tids(p)
	}
	neighbour := func() *event.Plan {
		p := &event.Plan{Times: true}
		capture(p, unix.SYS_GETPPID)
		p.Target.TIDs = []int{1}
		return p
	}
	opened := func() *event.Plan {
		p := &event.Plan{Times: true}
		capture(p, unix.SYS_OPENAT, atExitPath)
		return tids(p)
	}
	kinds := []struct {
		name string
		run  func() float64
	}{
		{"bare", func() float64 { return spent(getppid) }},
		{"empty pair", func() float64 {
			detach := emptyPair(b)
			defer detach()
			return spent(getppid)
		}},
		// Before this thread has had a state itself.
		{"neighbour", func() float64 { return underSource(b, neighbour(), getppid) }},
		{"rejected", func() float64 { return underSource(b, rejected(), getppid) }},
		{"captured getppid", func() float64 { return underSource(b, captured(true), getppid) }},
		{"captured getppid without times", func() float64 { return underSource(b, captured(false), getppid) }},
		{"counted with system time", func() float64 { return underSource(b, counted(true, false), getppid) }},
		{"counted with both times", func() float64 { return underSource(b, counted(true, true), getppid) }},
		{"counted without times", func() float64 { return underSource(b, counted(false, false), getppid) }},
		{"bare openat", func() float64 { return spent(openat) }},
		{"captured openat", func() float64 { return underSource(b, opened(), openat) }},
	}
	got := make([][]float64, len(kinds))
	for range max(b.N, 7) {
		for i, k := range kinds {
			got[i] = append(got[i], k.run())
		}
	}
	median := func(i int) float64 {
		slices.Sort(got[i])
		return got[i][len(got[i])/2]
	}
	bare, pair, bareOpen := median(0), median(1)-median(0), median(9)
	b.ReportMetric(0, "ns/op")
	for i, k := range kinds {
		added := median(i) - bare
		if i >= 9 {
			added = median(i) - bareOpen
		}
		b.Logf("%-31s %6.0f ns a call, %6.0f added, %5.2f × the empty pair", k.name, median(i), added, added/pair)
	}
}
