package bpf

import (
	"strconv"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

// flood makes many calls in four threads and prints nothing.
const flood = `
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static long n;
static void *run(void *x) { for (long i = 0; i < n; i++) syscall(SYS_getppid); return 0; }
int main(int argc, char **argv) {
	pthread_t t[4];
	n = atol(argv[1]);
	for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, run, 0);
	for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
	return 0;
}`

// tally counts per thread what was shown and what was marked lost.
type tally struct {
	shown, lost map[uint32]uint64
	late, last  uint64
}

func newTally() *tally { return &tally{shown: map[uint32]uint64{}, lost: map[uint32]uint64{}} }

func (y *tally) add(e *event.Event) {
	if e.Time < y.last {
		y.late++
	}
	y.last = e.Time
	switch e.Kind {
	case event.KindSyscall, event.KindNoReturn:
		y.shown[e.TID]++
	case event.KindLost:
		y.lost[e.TID] += e.Lost
	}
}

// balance checks that every thread but the main one has each of its calls, and
// that marks and counters agree.
func (y *tally) balance(t *testing.T, s *Source, each uint64, threads int) {
	t.Helper()
	missed(t, s)
	full, marked, shown := 0, uint64(0), uint64(0)
	for tid, n := range y.shown {
		shown += n
		if n+y.lost[tid] == each {
			full++
		}
	}
	for tid, n := range y.lost {
		marked += n
		if y.shown[tid] == 0 && n == each {
			full++
		}
	}
	if full != threads {
		t.Errorf("%d threads have %d calls, want %d: shown %v, lost %v", full, each, threads, y.shown, y.lost)
	}
	l := s.Ledger()
	if l.Issued != l.Emitted+l.Filtered+l.LostTotal() {
		t.Errorf("ledger does not add up: %+v", l)
	}
	if l.Emitted != shown || l.LostTotal() != marked {
		t.Errorf("ledger %+v, but %d were shown and %d marked lost", l, shown, marked)
	}
	if got, ok := s.RingLost(); ok && got != s.Counts().Refused {
		t.Errorf("the kernel says that the rings refused %d batches, the programs %d", got, s.Counts().Refused)
	}
	if y.late != 0 {
		t.Errorf("%d events came out of order", y.late)
	}
}

func TestEveryCallOfFourThreadsIsShownOrMarkedLost(t *testing.T) {
	need.BPF(t)
	bin := need.C(t, flood, "-pthread")
	const each = 1_000_000
	for _, c := range []struct {
		name  string
		ring  uint64
		stall time.Duration
		lacks lack
	}{
		{"reading", 64 << 10, 0, 0},
		{"after a stall of a second", 64 << 10, time.Second, 0},
		{"without task storage", 64 << 10, time.Second, lackStorage},
		{"a ring of two pages", 8 << 10, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := commandPlan()
			p.RingBytes = c.ring
			capture(p, unix.SYS_GETPPID)
			cmd, release := held(t, bin, strconv.Itoa(each))
			p.Target.Child = cmd.Process.Pid
			s := openedOn(t, c.lacks, p)
			release()
			time.Sleep(c.stall)
			done := make(chan struct{})
			go func() { _ = cmd.Wait(); close(done) }()
			y := newTally()
			drain(t, s, done, y.add)
			y.balance(t, s, each, 4)
			l := s.Ledger()
			t.Logf("%+v, %+v", l, s.Counts())
			if c.stall > 0 && l.Lost[event.RingFull] == 0 {
				t.Error("nothing was lost, so this test showed nothing")
			}
		})
	}
}

func TestOffsetsInGoAreThoseOfTheC(t *testing.T) {
	var r traceRec
	var k traceRecTask
	var c traceCpu
	for _, o := range []struct {
		name      string
		got, want uintptr
	}{
		{"size of rec", recSize, unsafe.Sizeof(r)},
		{"size of rec_task", recSize, unsafe.Sizeof(k)},
		{"rec.kind", offKind, unsafe.Offsetof(r.Kind)},
		{"rec.abi", offABI, unsafe.Offsetof(r.Abi)},
		{"rec.flags", offFlags, unsafe.Offsetof(r.Flags)},
		{"rec.time", offTime, unsafe.Offsetof(r.Time)},
		{"rec.enter", offEnter, unsafe.Offsetof(r.Enter)},
		{"rec.tgid", offTGID, unsafe.Offsetof(r.Tgid)},
		{"rec.tid", offTID, unsafe.Offsetof(r.Tid)},
		{"rec.seq", offSeq, unsafe.Offsetof(r.Seq)},
		{"rec.nr", offNR, unsafe.Offsetof(r.Nr)},
		{"rec.cpu", offCPU, unsafe.Offsetof(r.Cpu)},
		{"rec.ret", offRet, unsafe.Offsetof(r.Ret)},
		{"rec.args", offArgs, unsafe.Offsetof(r.Args)},
		{"rec_task.value", offValue, unsafe.Offsetof(k.Value)},
		{"rec_task.cpu", offCPU, unsafe.Offsetof(k.Cpu)},
		{"rec_task.seq", offSeq, unsafe.Offsetof(k.Seq)},
		{"rec_task.child_tgid", offChildTGID, unsafe.Offsetof(k.ChildTgid)},
		{"rec_task.info_len", offInfoLen, unsafe.Offsetof(k.InfoLen)},
		{"rec_task.data", offData, unsafe.Offsetof(k.Data)},
		{"bytes of rec_task.data", taskDataLen, unsafe.Sizeof(k.Data)},
		{"cpu.pending", cpuPending, unsafe.Offsetof(c.Pending)},
		{"cpu.busy", cpuBusy, unsafe.Offsetof(c.Busy)},
		{"cpu.first", cpuFirst, unsafe.Offsetof(c.First)},
		{"size of cpu", cpuSize, unsafe.Sizeof(c)},
	} {
		if o.got != o.want {
			t.Errorf("%s: %d in Go, %d in C", o.name, o.got, o.want)
		}
	}
	if int(event.NumCauses) != len(c.Lost) {
		t.Errorf("%d causes of loss in Go, %d in C", event.NumCauses, len(c.Lost))
	}
}
