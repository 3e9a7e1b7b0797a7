package perf

import (
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

// sixteen makes 16 processes that call getpid 62,500 times each.
const sixteen = `
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
	for (int i = 0; i < 16; i++)
		if (fork() == 0) {
			for (int k = 0; k < 62500; k++)
				syscall(SYS_getpid);
			_exit(0);
		}
	while (wait(0) > 0);
	return 0;
}`

func TestAMillionCallsOfSixteenProcessesAreShownOrLost(t *testing.T) {
	need.Perf(t)
	bin := need.C(t, sixteen)
	var others uint64 // calls of other kinds: the same with every size of ring
	for _, ring := range []uint64{0, 8 << 10} {
		for _, calls := range []string{"getpid", "all"} {
			t.Run(strconv.Itoa(int(ring))+" "+calls, func(t *testing.T) {
				cmd, release := held(t, bin)
				// The thread ends with this subtest.
				if err := Prioritize(); err != nil {
					t.Fatal(err)
				}
				plan := &event.Plan{
					Target: event.Target{Child: cmd.Process.Pid, Follow: true},
					Calls:  all(), RingBytes: ring,
				}
				src := &Source{}
				if calls == "getpid" {
					plan.Calls = only(unix.SYS_GETPID)
					src.Filter = func(*event.CallSets) (string, bool) { return "id == " + strconv.Itoa(unix.SYS_GETPID), true }
				}
				s := opened(t, src, plan)
				release()
				var getpid, other, noArgs, told uint64
				drain(t, s, waited(cmd), func(e *event.Event) {
					switch {
					case e.Kind == event.KindLost:
						told += e.Lost
					case e.Kind != event.KindSyscall && e.Kind != event.KindNoReturn:
						return
					case e.NR == unix.SYS_GETPID:
						getpid++
					default:
						other++
					}
					if e.Flags&event.NoArgs != 0 {
						noArgs++
					}
				})
				l := s.Ledger()
				lost := l.LostTotal()
				if l.Issued != l.Emitted+l.Filtered+lost || l.Emitted != getpid+other {
					t.Errorf("the ledger does not add up: %+v, %d getpid, %d others", l, getpid, other)
				}
				// 62,500 in each child and nothing else that calls getpid; the
				// others are 16 exit_group, 16 wait4 and so on.
				if calls == "getpid" && getpid+lost != 1_000_000 {
					t.Errorf("shown %d + lost %d = %d, want 1,000,000", getpid, lost, getpid+lost)
				}
				if calls == "all" && others == 0 {
					others = l.Issued - 1_000_000
				}
				// Only the number of EAGAIN-like repetitions could differ, and there are none.
				if calls == "all" && (l.Issued-1_000_000 != others || others > 200) {
					t.Errorf("issued %d, want 1,000,000 and %d", l.Issued, others)
				}
				if max(told, lost)-min(told, lost) > 40 {
					t.Errorf("KindLost told of %d calls, the ledger has %d", told, lost)
				}
				t.Logf("ring %d KiB: shown %d, others %d, lost %d, without arguments %d, late %d, noReturn %d, issued %d",
					s.ringBytes()>>10, getpid, other, lost, noArgs, s.group.Stats.Late, s.counts.noReturn, l.Issued)
			})
		}
	}
}
