package bpf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

// unusedNR is a call that no kernel has: its arguments can be anything.
const unusedNR = 505

// arena is memory that ends at an unmapped page, full of numbers that are
// pointers into it, small lengths, NULs and text.
type arena struct {
	mem  []byte
	base uint64
}

const arenaSize = 3 * 4096

func newArena(t *testing.T, rnd *rand.Rand) *arena {
	t.Helper()
	mem, err := unix.Mmap(-1, 0, arenaSize+4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Mprotect(mem[arenaSize:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(mem) })
	a := &arena{mem: mem[:arenaSize], base: uint64(uintptr(unsafe.Pointer(&mem[0])))}
	for i := 0; i < arenaSize; i += 8 {
		var v uint64
		switch rnd.IntN(8) {
		case 0, 1, 2:
			v = a.pointer(rnd)
		case 3:
			v = rnd.Uint64N(64)
		case 4:
			v = 0
		case 5:
			v = rnd.Uint64()
		default:
			v = 0x6161616161616161
		}
		binary.LittleEndian.PutUint64(a.mem[i:], v)
	}
	return a
}

// pointer is an address in the arena, more often near its end than not.
func (a *arena) pointer(rnd *rand.Rand) uint64 {
	switch rnd.IntN(4) {
	case 0:
		return a.base + arenaSize - rnd.Uint64N(64)
	case 1:
		return a.base + 4096 - rnd.Uint64N(64)
	}
	return a.base + rnd.Uint64N(arenaSize)&^7
}

func randomCapture(rnd *rand.Rand, i int, when event.When) event.Capture {
	c := event.Capture{
		Kind: event.CapKind(1 + rnd.IntN(3)), When: when, Len: event.LenKind(rnd.IntN(7)),
		Off: uint16(rnd.IntN(4) * 8), LenFrom: uint8(rnd.IntN(6)), LenWidth: []uint8{0, 1, 2, 4, 8}[rnd.IntN(5)],
		LenOff: uint16(rnd.IntN(24)), Size: uint16(rnd.IntN(40)), Max: uint16(8 + 8*rnd.IntN(40)),
		From: uint8(rnd.IntN(6)),
	}
	if c.Len == event.LenOp && i > 0 {
		c.LenFrom = uint8(rnd.IntN(i))
	}
	if i > 0 && rnd.IntN(2) == 0 {
		c.From = event.FromOp + uint8(rnd.IntN(i))
		c.Stride = uint16(rnd.IntN(3) * 16)
	}
	if rnd.IntN(6) == 0 {
		c.When |= event.InPlace
	}
	if rnd.IntN(6) == 0 && when&event.AtExit != 0 {
		c.When |= event.LimitRet
	}
	return c
}

// TestTheKernelCopiesWhatTheInterpreterCopies runs random plans over random
// memory in both, and compares what they copied.
func TestTheKernelCopiesWhatTheInterpreterCopies(t *testing.T) {
	need.BPF(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	rnd := rand.New(rand.NewPCG(1, 2))
	p := &event.Plan{StringMax: 32}
	p.Target.UID, p.Target.TIDs = -1, []int{unix.Gettid()}
	// Both hooks are needed from the start; the plan is changed below.
	capture(p, unusedNR, event.Capture{Kind: event.CapBytes, When: event.AtEntry | event.AtExit, From: 0, Size: 8})
	s := opened(t, p)
	a := newArena(t, rnd)
	self := &remote{pid: os.Getpid()}
	copied := 0
	for round := range 4000 {
		when := []event.When{event.AtEntry, event.AtExit, event.AtEntry | event.AtExit}[rnd.IntN(3)]
		caps := make([]event.Capture, 1+rnd.IntN(5))
		for i := range caps {
			caps[i] = randomCapture(rnd, i, when)
		}
		var tp tracePlan
		if err := compileOps(&tp, caps); err != nil {
			t.Fatal(err)
		}
		tp.Flags |= uint8(tracePlanFlagsPLAN_ENABLED)
		if err := s.coll.Maps["plans"].Put(slotOf(event.Native, unusedNR), &tp); err != nil {
			t.Fatal(err)
		}
		var args [6]uint64
		for i := range args {
			if args[i] = a.pointer(rnd); rnd.IntN(3) == 0 {
				args[i] = rnd.Uint64N(100)
			}
		}
		unix.RawSyscall6(unusedNR, uintptr(args[0]), uintptr(args[1]), uintptr(args[2]), uintptr(args[3]), uintptr(args[4]), uintptr(args[5]))

		var got seen
		for deadline := time.Now().Add(5 * time.Second); got.TID == 0; {
			e, err := s.Next(0)
			if err != nil {
				t.Fatal(err)
			}
			if e != nil && e.NR == unusedNR {
				got = keep(e)
			}
			if time.Now().After(deadline) {
				t.Fatal("no event")
			}
		}
		if got.Args != args || got.Ret != -int64(unix.ENOSYS) {
			t.Fatalf("arguments %x, result %d; want %x, ENOSYS", got.Args, got.Ret, args)
		}
		plan := &event.CallPlan{Captures: caps, CmdArg: -1}
		ip := event.Interpreter{StringMax: p.StringMax}
		e := event.Event{Args: args, Ret: got.Ret}
		in, _ := ip.Entry(self, plan, &e, nil)
		e.In = nil // the kernel does not lean on pieces of the entry
		out, _ := ip.Exit(self, plan, &e, nil)
		if got.Flags&event.Cut != 0 {
			continue // the kernel's budget is smaller
		}
		copied += len(got.in) + len(got.out)
		what := fmt.Sprintf("round %d, base %#x, args %#x, plan %+v", round, a.base, args, caps)
		samePieces(t, what+": entry", caps, got.in, pieces(in))
		samePieces(t, what+": exit", caps, got.out, pieces(out))
		if t.Failed() {
			return
		}
	}
	if copied < 2000 {
		t.Errorf("only %d pieces were copied: the plans are too dull", copied)
	}
}

func samePieces(t *testing.T, what string, caps []event.Capture, got, want []event.Piece) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) {
			t.Errorf("%s: %d pieces, want %d\n got %v\nwant %v", what, len(got), len(want), got, want)
			return
		}
		g, w := got[i], want[i]
		if caps[w.Op].Kind != event.CapBytes {
			g.Want, w.Want = 0, 0
		}
		if g.Addr != w.Addr || g.Op != w.Op || g.Status != w.Status || g.Want != w.Want || !bytes.Equal(g.Data, w.Data) {
			t.Errorf("%s: piece %d\n got %+v\nwant %+v", what, i, got[i], want[i])
			return
		}
	}
}
