package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perftrace/decode"
	"perftrace/event"
)

// Lines are aligned as strace does it: the result begins at column 40.
func TestEachEventBecomesStracesLine(t *testing.T) {
	idle := event.Event{Kind: idleKind}
	for _, test := range []struct {
		name    string
		options string
		src     fakeSource
		want    string
	}{
		{
			name: "a call that returns is a whole line",
			src:  fakeSource{events: []event.Event{call(t, 100, "close", ms(1), ms(2), 0, 3)}},
			want: "close(3)                                = 0\n",
		},
		{
			name: "an error has its name and text",
			src:  fakeSource{events: []event.Event{call(t, 100, "close", ms(1), ms(2), -9, 3)}},
			want: "close(3)                                = -1 EBADF (Bad file descriptor)\n",
		},
		{
			name: "a call that is resumed after a signal is named",
			src: fakeSource{events: []event.Event{
				call(t, 100, "nanosleep", ms(1), ms(2), -516, 0, 0),
				call(t, 101, "close", ms(2), ms(3), 0, 3),
				call(t, 100, "restart_syscall", ms(3), ms(4), 0),
			}},
			want: "nanosleep(NULL, NULL)                   = ? ERESTART_RESTARTBLOCK (Interrupted by signal)\n" +
				"[pid   101] close(3)                    = 0\n" +
				"[pid   100] restart_syscall(<... resuming interrupted nanosleep ...>) = 0\n",
		},
		{
			name: "a call that is resumed, of which the beginning was not seen, is not guessed",
			src: fakeSource{events: []event.Event{
				call(t, 100, "close", ms(2), ms(3), 0, 3),
				call(t, 100, "restart_syscall", ms(3), ms(4), 0),
			}},
			want: "close(3)                                = 0\n" +
				"restart_syscall(<... resuming interrupted system call ...>) = 0\n",
		},
		{
			name:    "-Y names the tasks behind ids, but not groups",
			options: "-f -Y",
			src: fakeSource{events: []event.Event{
				{Kind: event.KindRename, TGID: 100, TID: 100, Comm: [16]byte{'s', 'h'}},
				fork(100, 101, 101, ms(3)),
				{Kind: event.KindRename, TGID: 101, TID: 101, Comm: [16]byte{'a', '<', '\n', 'b'}},
				call(t, 100, "kill", ms(3), ms(4), 0, 101, 0),
				call(t, 100, "setpgid", ms(3), ms(4), 0, 101, 101),
				call(t, 101, "getppid", ms(3), ms(4), 100),
				call(t, 101, "kill", ms(3), ms(4), -3, 1<<32-101, 0),
			}},
			want: "strace: Process 101 attached\n" +
				"[pid   100<sh>] kill(101<a\\74\\nb>, 0)   = 0\n" +
				"[pid   100<sh>] setpgid(101<a\\74\\nb>, 101) = 0\n" +
				"[pid   101<a\\74\\nb>] getppid()          = 100<sh>\n" +
				"[pid   101<a\\74\\nb>] kill(-101, 0)      = -1 ESRCH (No such process)\n",
		},
		{
			name:    "-a moves the result",
			options: "-a 12",
			src:     fakeSource{events: []event.Event{call(t, 100, "close", ms(1), ms(2), 0, 3)}},
			want:    "close(3)    = 0\n",
		},
		{
			name: "a call that never returns has no result",
			src:  fakeSource{events: []event.Event{never(t, 100, "close", ms(1), 3)}},
			want: "close(3)                                = ?\n",
		},
		{
			name: "a task that ends says how",
			src:  fakeSource{events: []event.Event{exit(100, 100, 3<<8, event.GroupDead, ms(1))}},
			want: "+++ exited with 3 +++\n",
		},
		{
			name: "a task that is killed says by what",
			src:  fakeSource{events: []event.Event{exit(100, 100, 9, event.GroupDead, ms(1))}},
			want: "+++ killed by SIGKILL +++\n",
		},
		{
			name: "a core is told",
			src:  fakeSource{events: []event.Event{exit(100, 100, 11|0x80, event.GroupDead, ms(1))}},
			want: "+++ killed by SIGSEGV (core dumped) +++\n",
		},
		{
			name:    "-qq leaves the end out",
			options: "-qq",
			src:     fakeSource{events: []event.Event{exit(100, 100, 0, event.GroupDead, ms(1))}},
		},
		{
			name: "a group stop is told",
			src:  fakeSource{events: []event.Event{{Kind: event.KindStop, TGID: 100, TID: 100, Ret: 19, Time: ms(1)}}},
			want: "--- stopped by SIGSTOP ---\n",
		},
		{
			name: "real-time signals are counted from SIGRTMIN",
			src: fakeSource{events: []event.Event{
				{Kind: event.KindStop, TGID: 100, TID: 100, Ret: 32, Time: ms(1)},
				{Kind: event.KindStop, TGID: 100, TID: 100, Ret: 33, Time: ms(1)},
				{Kind: event.KindStop, TGID: 100, TID: 100, Ret: 64, Time: ms(1)},
				{Kind: event.KindStop, TGID: 100, TID: 100, Ret: 65, Time: ms(1)},
			}},
			want: "--- stopped by SIGRTMIN ---\n--- stopped by SIGRT_1 ---\n--- stopped by SIGRT_32 ---\n--- stopped by 65 ---\n",
		},
		{
			name: "an ignored signal that came in a call stands behind it, one from before it in front",
			src: fakeSource{events: []event.Event{
				{Kind: event.KindSignal, TGID: 100, TID: 100, Signal: 17, Time: ms(2), Flags: event.Ignored | event.InCall},
				call(t, 100, "close", ms(1), ms(3), 0, 3),
				{Kind: event.KindSignal, TGID: 100, TID: 100, Signal: 28, Time: ms(4), Flags: event.Ignored | event.InCall},
				call(t, 100, "close", ms(5), ms(6), 0, 4),
				{Kind: event.KindSignal, TGID: 100, TID: 100, Signal: 18, Time: ms(7), Flags: event.Ignored},
				{Kind: event.KindSignal, TGID: 100, TID: 100, Signal: 23, Time: ms(8), Flags: event.Ignored | event.InCall},
			}},
			want: "close(3)                                = 0\n--- SIGCHLD {si_signo=SIGCHLD} ---\n--- SIGWINCH {si_signo=SIGWINCH} ---\n" +
				"close(4)                                = 0\n--- SIGCONT {si_signo=SIGCONT} ---\n--- SIGURG {si_signo=SIGURG} ---\n",
		},
		{
			name:    "a signal that stops a process stops each thread, behind the call that it is in",
			options: "-f",
			src: fakeSource{events: []event.Event{
				call(t, 101, "close", ms(1), ms(2), 0, 3),
				{Kind: event.KindSignal, TGID: 100, TID: 100, Signal: 19, Time: ms(4), Flags: event.Stops},
				call(t, 101, "close", ms(3), ms(5), 0, 4),
				call(t, 101, "close", ms(6), ms(7), 0, 5),
			}},
			want: "[pid   101] close(3)                    = 0\n[pid   100] --- SIGSTOP {si_signo=SIGSTOP} ---\n[pid   100] --- stopped by SIGSTOP ---\n" +
				"[pid   101] close(4)                    = 0\n[pid   101] --- stopped by SIGSTOP ---\n[pid   101] close(5)                    = 0\n",
		},
		{
			name: "SIGKILL is as invisible as to strace",
			src:  fakeSource{events: []event.Event{{Kind: event.KindSignal, TGID: 100, TID: 100, Signal: 9, Time: ms(1)}}},
		},
		{
			name:    "unless it is asked for: who sent it is known",
			options: "-e signal=kill",
			src:     fakeSource{events: []event.Event{{Kind: event.KindSignal, TGID: 100, TID: 100, Signal: 9, Time: ms(1)}}},
			want:    "--- SIGKILL {si_signo=SIGKILL} ---\n",
		},
		{
			name:    "signals outside the set are not shown",
			options: "-e signal=none",
			src:     fakeSource{events: []event.Event{{Kind: event.KindSignal, TGID: 100, TID: 100, Signal: 17, Time: ms(1)}}},
		},
		{
			name: "lost calls are marked where they are missing",
			src: fakeSource{events: []event.Event{
				{Kind: event.KindLost, TGID: 100, TID: 100, Lost: 123, Time: ms(1)},
				{Kind: event.KindLost, Lost: 1, Time: ms(1)},
			}},
			want: "--- lost 123 calls of [pid 100] here ---\n--- lost 1 call here ---\n",
		},
		{
			name:    "-f names the task while there are several",
			options: "-f",
			src: fakeSource{events: []event.Event{
				call(t, 100, "close", ms(1), ms(2), 0, 3),
				fork(100, 101, 101, ms(3)),
				call(t, 100, "close", ms(4), ms(5), 0, 4),
				exit(101, 101, 0, event.GroupDead, ms(6)),
				call(t, 100, "close", ms(7), ms(8), 0, 5),
			}},
			want: "close(3)                                = 0\n" +
				"strace: Process 101 attached\n" +
				"[pid   100] close(4)                    = 0\n" +
				"[pid   101] +++ exited with 0 +++\n" +
				"close(5)                                = 0\n",
		},
		{
			name:    "without -f children are not traced",
			options: "",
			src:     fakeSource{events: []event.Event{fork(100, 101, 101, ms(3)), call(t, 100, "close", ms(4), ms(5), 0, 4)}},
			want:    "close(4)                                = 0\n",
		},
		{
			name:    "--always-show-pid does so",
			options: "--always-show-pid",
			src:     fakeSource{events: []event.Event{call(t, 100, "close", ms(1), ms(2), 0, 3)}},
			want:    "100   close(3)                          = 0\n",
		},
		{
			name:    "-q says nothing about attaching",
			options: "-f -q",
			src:     fakeSource{events: []event.Event{fork(100, 101, 101, ms(3)), exit(101, 101, 0, event.GroupDead, ms(6))}},
			want:    "[pid   101] +++ exited with 0 +++\n",
		},
		{
			name: "a call in progress is continued on its line",
			src: fakeSource{
				events:  []event.Event{idle, call(t, 100, "close", 500, ms(900), 0, 3)},
				pending: []event.Pending{{Event: pendingCall(t, 100, "close", 500, 3), Since: 500}},
			},
			want: "close(3)                                = 0\n",
		},
		{
			name:    "a call in progress is unfinished when another line comes, and resumed",
			options: "-f -q",
			src: fakeSource{
				events: []event.Event{
					fork(100, 101, 101, ms(1)), idle,
					call(t, 101, "close", ms(800), ms(801), 0, 7),
					call(t, 100, "close", 500, ms(900), 0, 3),
				},
				pending: []event.Pending{{Event: pendingCall(t, 100, "close", 500, 3), Since: 500}},
			},
			want: "[pid   100] close(3 <unfinished ...>\n" +
				"[pid   101] close(7)                    = 0\n" +
				"[pid   100] <... close resumed>)        = 0\n",
		},
		{
			name:    "arguments that the return tells come with it",
			options: "-f -q",
			src: fakeSource{
				events: []event.Event{
					fork(100, 101, 101, ms(1)), idle,
					call(t, 101, "close", ms(800), ms(801), 0, 7),
					call(t, 100, "read", 500, ms(900), 0, 3, 0x1000, 5),
					call(t, 101, "pipe", 500, ms(901), -14, 0),
				},
				pending: []event.Pending{
					{Event: pendingCall(t, 100, "read", 500, 3, 0x1000, 5), Since: 500},
					{Event: pendingCall(t, 101, "pipe", 500, 0), Since: 500},
				},
			},
			want: "[pid   100] read(3 <unfinished ...>\n" +
				"[pid   101] pipe( <unfinished ...>\n" +
				"[pid   101] close(7)                    = 0\n" +
				"[pid   100] <... read resumed>, \"\", 5)  = 0\n" +
				"[pid   101] pipe(NULL)                  = -1 EFAULT (Bad address)\n",
		},
		{
			name: "a call that another call follows has lost its return",
			src: fakeSource{
				events:  []event.Event{idle, call(t, 100, "close", ms(899), ms(900), 0, 4)},
				pending: []event.Pending{{Event: pendingCall(t, 100, "close", 500, 3), Since: 500}},
			},
			want: "close(3 <unfinished ...>\nclose(4)                                = 0\n",
		},
		{
			name: "the death of a task ends its call",
			src: fakeSource{
				events:  []event.Event{idle, exit(100, 100, 9, event.GroupDead, ms(1))},
				pending: []event.Pending{{Event: pendingCall(t, 100, "close", 500, 3), Since: 500}},
			},
			want: "close(3 <unfinished ...>\n+++ killed by SIGKILL +++\n",
		},
		{
			name: "what was in progress before the trace is resumed",
			src: fakeSource{events: []event.Event{{
				TGID: 100, TID: 100, NR: nr(t, "close"), Time: ms(1), Flags: event.Resumed | event.NoArgs,
			}}},
			want: "<... close resumed>)                    = 0\n",
		},
		{
			name:    "--strict-order shows the beginning of each call",
			options: "--strict-order -f -q",
			src: fakeSource{events: []event.Event{
				fork(100, 101, 101, ms(1)),
				pendingCall(t, 100, "close", ms(2), 3),
				pendingCall(t, 101, "close", ms(3), 4),
				call(t, 101, "close", ms(3), ms(4), 0, 4),
				call(t, 100, "close", ms(2), ms(5), 0, 3),
			}},
			want: "[pid   100] close(3 <unfinished ...>\n" +
				"[pid   101] close(4)                    = 0\n" +
				"[pid   100] <... close resumed>)        = 0\n",
		},
		{
			name:    "a leader that ends early is told with the process",
			options: "-f -q",
			src: fakeSource{events: []event.Event{
				fork(100, 101, 100, ms(1)),
				exit(100, 100, 0, 0, ms(2)),
				call(t, 101, "close", ms(3), ms(4), 0, 4),
				exit(100, 101, 0, event.GroupDead, ms(5)),
			}},
			want: "[pid   101] close(4)                    = 0\n" +
				"[pid   101] +++ exited with 0 +++\n" +
				"+++ exited with 0 +++\n",
		},
		{
			name:    "an execve by a thread takes over the process",
			options: "-f -q",
			src: fakeSource{events: []event.Event{
				fork(100, 101, 100, ms(1)),
				exit(100, 100, 0, 0, ms(2)),
				{Kind: event.KindExec, TGID: 100, TID: 100, OldTID: 101, Time: ms(3)},
				call(t, 100, "close", ms(4), ms(5), 0, 4),
			}},
			want: "+++ superseded by execve in pid 101 +++\nclose(4)                                = 0\n",
		},
		{
			name:    "-T shows how long a call took",
			options: "-T -a 10",
			src:     fakeSource{events: []event.Event{call(t, 100, "close", ms(1), ms(3)+5000, 0, 3)}},
			want:    "close(3)  = 0 <0.002005>\n",
		},
		{
			name:    "--syscall-times=ns shows it exactly",
			options: "--syscall-times=ns -a 10",
			src:     fakeSource{events: []event.Event{call(t, 100, "close", ms(1), ms(1001)+7, 0, 3)}},
			want:    "close(3)  = 0 <1.000000007>\n",
		},
		{
			name:    "-r counts from line to line and never backwards",
			options: "-r -a 10 -f -q",
			src: fakeSource{events: []event.Event{
				call(t, 100, "close", ms(10), ms(11), 0, 3),
				call(t, 100, "close", ms(25), ms(26), 0, 3),
				call(t, 100, "close", ms(20), ms(27), 0, 3),
				call(t, 100, "close", ms(30), ms(31), 0, 3),
			}},
			want: "     0.000000 close(3) = 0\n" +
				"     0.015000 close(3) = 0\n" +
				"     0.000000 close(3) = 0\n" +
				"     0.005000 close(3) = 0\n",
		},
		{
			name:    "-i shows where the call was made",
			options: "-i -a 10",
			src: fakeSource{events: []event.Event{
				func() event.Event { e := call(t, 100, "close", ms(1), ms(2), 0, 3); e.IP = 0x7f12; return e }(),
				exit(100, 100, 0, event.GroupDead, ms(3)),
			}},
			want: "[0000000000007f12] close(3) = 0\n[????????????????] +++ exited with 0 +++\n",
		},
		{
			name:    "-N names arguments",
			options: "-N -a 10",
			src:     fakeSource{events: []event.Event{call(t, 100, "close", ms(1), ms(2), 0, 3)}},
			want:    "close(fd=3) = 0\n",
		},
		{
			name:    "-Y names the task in front",
			options: "-Y --always-show-pid -a 30",
			src: fakeSource{events: []event.Event{
				func() event.Event {
					e := call(t, 100, "close", ms(1), ms(2), 0, 3)
					copy(e.Comm[:], "a<b\x1b[2J")
					return e
				}(),
			}},
			want: "100<a\\74b\\33[2J> close(3)     = 0\n",
		},
		{
			name:    "-e status=unfinished shows what does not return alone",
			options: "-e status=unfinished -qq",
			src: fakeSource{events: []event.Event{
				call(t, 100, "close", ms(1), ms(2), 0, 3), never(t, 100, "close", ms(3), 4),
			}},
			want: "close(4)                                = ?\n",
		},
		{
			name:    "-z leaves out what does not return",
			options: "-z -qq",
			src:     fakeSource{events: []event.Event{never(t, 100, "close", ms(3), 4)}},
		},
		{
			name:    "a limit ends the trace",
			options: "--syscall-limit=1 -a 10",
			src: fakeSource{events: []event.Event{
				call(t, 100, "close", ms(1), ms(2), 0, 3), call(t, 100, "close", ms(3), ms(4), 0, 3),
			}},
			want: "close(3)  = 0\nstrace: System call limit has been reached, detaching tracees\n",
		},
		{
			name:    "colors do not move the result",
			options: "--color=always",
			src: fakeSource{events: []event.Event{
				call(t, 100, "close", ms(1), ms(2), 0, 3), call(t, 100, "close", ms(1), ms(2), -9, 3),
				exit(100, 100, 0, event.GroupDead, ms(3)),
			}},
			want: "\x1b[33mclose\x1b[0m(3)                                = \x1b[32m0\x1b[0m\n" +
				"\x1b[33mclose\x1b[0m(3)                                = \x1b[31m-1 EBADF (Bad file descriptor)\x1b[0m\n" +
				"\x1b[36m+++ exited with 0 +++\x1b[0m\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := traced(t, test.options, &test.src)
			// The task of the test does not exist, so nothing is detached from it.
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("options %q (-want +got):\n%s", test.options, diff)
			}
		})
	}
}

// pendingCall is a call that has begun.
func pendingCall(t *testing.T, tid uint32, name string, begin uint64, args ...uint64) event.Event {
	t.Helper()
	e := call(t, tid, name, begin, begin, 0, args...)
	e.Kind = event.KindEnter
	return e
}

func TestTheSyscallNumberIsShown(t *testing.T) {
	got := traced(t, "-n -a 10", &fakeSource{events: []event.Event{call(t, 100, "close", ms(1), ms(2), 0, 3)}})
	want := "[" + pad4(nr(t, "close")) + "] close(3) = 0\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func pad4(n uint32) string {
	s := utoa(n)
	return strings.Repeat(" ", 4-len(s)) + s
}

func TestEachTaskHasItsFile(t *testing.T) {
	src := &fakeSource{events: []event.Event{
		fork(100, 101, 101, ms(1)),
		call(t, 100, "close", ms(2), ms(3), 0, 3),
		call(t, 101, "close", ms(2), ms(4), 0, 4),
		exit(101, 101, 0, event.GroupDead, ms(6)),
		exit(100, 100, 0, event.GroupDead, ms(7)),
	}}
	s, path := fakeSession(t, "-ff -q -a 1 -o log", src)
	if err := s.loop(); err != nil {
		t.Fatal(err)
	}
	s.finish()
	dir := filepath.Dir(path)
	for name, want := range map[string]string{
		"log.100": "close(3) = 0\n+++ exited with 0 +++\n",
		"log.101": "close(4) = 0\n+++ exited with 0 +++\n",
	} {
		if got := read(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestTimestampsAreOfTheBeginningOfTheCall(t *testing.T) {
	s, path := fakeSession(t, "-ttt -a 1", &fakeSource{events: []event.Event{call(t, 100, "close", ms(1), ms(20), 0, 3)}})
	s.clock = wallClock{offset: 1_700_000_000_000_000_000, checked: ms(0)}
	if err := s.loop(); err != nil {
		t.Fatal(err)
	}
	s.finish()
	if got, want := read(t, path), "1700000001.001000 close(3) = 0\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheLedgerAddsUp(t *testing.T) {
	src := &fakeSource{events: []event.Event{
		call(t, 100, "close", ms(1), ms(2), 0, 3),
		never(t, 100, "close", ms(3), 4),
	}}
	src.ledger = event.Ledger{Issued: 12, Emitted: 2, Filtered: 7, Lost: [event.NumCauses]uint64{event.RingFull: 3}}
	got := traced(t, "-a 1", src)
	want := "close(3) = 0\nclose(4) = ?\nperftrace: issued 12 = shown 2 + filtered 7 + lost 3 (ring full 3)\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWithoutLossTheLedgerIsSilent(t *testing.T) {
	src := &fakeSource{ledger: event.Ledger{Issued: 4, Filtered: 4}}
	if got := traced(t, "", src); got != "" {
		t.Errorf("got %q", got)
	}
	src = &fakeSource{ledger: event.Ledger{Issued: 4, Filtered: 4}}
	if got, want := traced(t, "--ledger", src), "perftrace: issued 4 = shown 0 + filtered 4 + lost 0\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCallsThatOnlyUserSpaceCanTellApartAreFiltered(t *testing.T) {
	src := &fakeSource{events: []event.Event{call(t, 100, "close", ms(1), ms(2), 0, 3), call(t, 100, "dup", ms(1), ms(2), 5, 3)}}
	src.ledger = event.Ledger{Issued: 2, Emitted: 2}
	s, path := fakeSession(t, "-e trace=close -a 1 --ledger", src)
	s.exact = false
	if err := s.loop(); err != nil {
		t.Fatal(err)
	}
	s.finish()
	if got, want := read(t, path), "close(3) = 0\nperftrace: issued 2 = shown 1 + filtered 1 + lost 0\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAFullDiskLeavesWholeLines(t *testing.T) {
	s, path := fakeSession(t, "-a 1", &fakeSource{})
	st := s.out.shared
	st.buf = append(st.buf, "one\ntwo\nthr"...)
	s.out.write(st)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	file := st.fd
	var said strings.Builder
	s.say.w = &said
	// The next write fails: what is cut must be the file that was written.
	st.buf = append(st.buf, "ee\nfour\n"...)
	st.fd = int(full.Fd())
	s.out.write(st)
	st.fd = file
	st.cut()
	if got, want := read(t, path), "one\ntwo\n"; got != want {
		t.Errorf("the file holds %q, want %q", got, want)
	}
	if want := "strace: " + path + ": No space left on device: the output ends here, the traced program goes on\n"; said.String() != want {
		t.Errorf("said %q, want %q", said.String(), want)
	}
	st.buf = append(st.buf, "five\n"...)
	s.out.write(st)
	if strings.Count(said.String(), "\n") != 1 {
		t.Errorf("said more than once: %q", said.String())
	}
}

func TestALineCostsNoAllocation(t *testing.T) {
	for _, options := range []string{"", "-f -ttt -T -i -n", "-tt -r", "-o /dev/null", "--json", "-c"} {
		s, _ := fakeSession(t, options, &fakeSource{})
		e := call(t, 100, "read", ms(1), ms(2), 5, 3, 0x1000, 100)
		e.Out = event.AppendPiece(nil, event.Piece{Addr: 0x1000, Data: []byte("hello"), Want: 5})
		s.event(&e)
		s.out.flushAll()
		if n := testing.AllocsPerRun(200, func() {
			e.Enter += 100_000_000
			e.Time += 100_000_000
			s.event(&e)
		}); n != 0 {
			t.Errorf("%q: %v allocations a line", options, n)
		}
	}
}

// BenchmarkLine is the way from an event to its line in the output, of an openat
// with its path.
func BenchmarkLine(b *testing.B) {
	for _, options := range []string{"-o x", "-f -ttt -T -o x", "--json", "-c"} {
		b.Run(options, func(b *testing.B) {
			cfg, err := parse(append(strings.Fields(options), "command"))
			if err != nil {
				b.Fatal(err)
			}
			say := &sayer{name: "strace", w: os.Stderr}
			null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
			if err != nil {
				b.Fatal(err)
			}
			defer null.Close()
			s := newSession(cfg, say, &outputs{cfg: cfg, say: say, shared: &stream{fd: int(null.Fd())}})
			path := []byte("/usr/lib/x86_64-linux-gnu/libc.so.6")
			number, ok := decode.CallNumber(event.Native, "openat")
			if !ok {
				b.Skip("no openat")
			}
			e := event.Event{TGID: 100, TID: 100, NR: number, Ret: 3, Flags: event.HasEnter, Args: [6]uint64{1<<64 - 100, 0x1000, 0x80000}}
			e.Out = event.AppendPiece(nil, event.Piece{Addr: 0x1000, Data: path, Want: event.MaxPath})
			e.Time = ms(1)
			b.ReportAllocs()
			for b.Loop() {
				e.Enter, e.Time = e.Time+2000, e.Time+3000
				s.event(&e)
			}
		})
	}
}
