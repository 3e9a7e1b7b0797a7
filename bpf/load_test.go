package bpf

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

// fullPlan needs every program and every feature of them.
func fullPlan() *event.Plan {
	p := &event.Plan{StringMax: 32, Times: true, EnterEvent: true, IP: true, Comm: true, Signals: true}
	p.Target = event.Target{Follow: true, All: true, UID: 0, CgroupID: 1, CommGlob: "*", CPUs: []int{0}}
	p.Result = event.ResultFilter{MinDuration: 1, Errnos: []uint16{1}}
	for nr := range uint32(event.MaxNR) {
		capture(p, nr, execPlan...)
	}
	capture(p, unix.SYS_CLOSE, event.Capture{Kind: event.CapFD, From: 0, When: event.AtEntry})
	return p
}

func TestEachProgramLoadsInAFifthOfASecond(t *testing.T) {
	need.BPF(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, lacks := range []lack{0, lackStorage | lackFindVMA} {
		s := Source{lacks: lacks}
		p := fullPlan()
		spec, err := loadTrace()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.probe(spec, &p.Target); err != nil {
			t.Fatal(err)
		}
		if err := configure(spec, p, s.lacks, true); err != nil {
			t.Fatal(err)
		}
		if !s.storage {
			hashTasks(spec)
		}
		all := spec.Programs
		for name, prog := range all {
			spec.Programs = map[string]*ebpf.ProgramSpec{name: prog}
			best := time.Hour
			var insns uint32
			for range 3 {
				began := threadTime(t)
				coll, err := ebpf.NewCollection(spec)
				if err != nil {
					var v *ebpf.VerifierError
					if errors.As(err, &v) {
						t.Fatalf("%s: %+v", name, v)
					}
					t.Fatalf("%s: %v", name, err)
				}
				best = min(best, threadTime(t)-began)
				if info, err := coll.Programs[name].Info(); err == nil {
					insns, _ = info.VerifiedInstructions()
				}
				coll.Close()
			}
			t.Logf("task storage %-5v %-16s %6d instructions verified, %v", s.storage, name, insns, best.Round(time.Millisecond))
			if best > 200*time.Millisecond && !emulated() {
				t.Errorf("%s takes %v to load, want 200 ms at most", name, best)
			}
		}
	}
}

// threadTime is the CPU time of this thread: what the verifier takes, whatever
// else the machine does.
func threadTime(t *testing.T) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// emulated reports whether this is a virtual machine that may be emulated in
// software, where times mean nothing.
func emulated() bool {
	b, _ := os.ReadFile("/sys/class/dmi/id/sys_vendor")
	return strings.HasPrefix(string(b), "QEMU")
}

func TestWhatCannotWorkIsToldAtOpen(t *testing.T) {
	need.BPF(t)
	p := commandPlan()
	capture(p, unix.SYS_GETPPID)
	p.RingBytes = 1 << 40
	var access *AccessError
	if err := new(Source).Open(p); !errors.As(err, &access) {
		t.Errorf("a ring of a terabyte: %v, want an AccessError", err)
	}
	p.RingBytes = 0
	capture(p, unix.SYS_OPENAT, make([]event.Capture, event.MaxCaptures+1)...)
	if err := new(Source).Open(p); err == nil {
		t.Error("17 captures: no error")
	}
	capture(p, unix.SYS_OPENAT, event.Capture{Kind: event.CapString, When: event.AtExit, From: event.FromOp})
	if err := new(Source).Open(p); err == nil {
		t.Error("a capture from itself: no error")
	}
	capture(p, unix.SYS_OPENAT, atExitPath)
	p.Target.PIDs = []int{1 << 22}
	var s Source
	if err := s.Open(p); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Start(); !errors.As(err, &access) || !errors.Is(err, unix.ENOENT) {
		t.Errorf("a process that is not there: %v, want an AccessError", err)
	}
}

func TestAChangedPlanOfLeanersRunsTheirParentsToo(t *testing.T) {
	const entry, exit, retry = event.AtEntry, event.AtExit, event.IfFault
	at := func(when event.When, from uint8) event.Capture {
		return event.Capture{Kind: event.CapBytes, Size: 8, When: when, From: from}
	}
	for _, c := range []struct {
		name string
		caps []event.Capture
		want []event.When
	}{
		{"child at exit", []event.Capture{at(entry, 0), at(exit, event.FromOp)}, []event.When{entry | exit, exit}},
		{"child on retry", []event.Capture{at(entry, 0), at(entry|retry, event.FromOp)}, []event.When{entry | retry, entry | retry}},
		{"both kinds of child", []event.Capture{at(entry, 0), at(entry|retry, event.FromOp), at(exit, event.FromOp)}, []event.When{entry | exit, entry | retry, exit}},
		{"grandchild", []event.Capture{at(entry, 0), at(entry, event.FromOp), at(exit, event.FromOp+1)}, []event.When{entry | exit, entry | exit, exit}},
		{"length", []event.Capture{at(entry, 0), {Kind: event.CapBytes, When: exit, From: 1, Len: event.LenOp, LenFrom: 0}}, []event.When{entry | exit, exit}},
		{"nobody", []event.Capture{at(entry, 0), at(entry, event.FromOp)}, []event.When{entry, entry}},
	} {
		var p tracePlan
		if err := compileOps(&p, c.caps); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i, w := range c.want {
			if event.When(p.Ops[i].When) != w {
				t.Errorf("%s: capture %d runs at %b, want %b", c.name, i, p.Ops[i].When, w)
			}
		}
	}
}
