//go:build amd64

package ptrace

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"perftrace/cmd/perftrace/held"
	"perftrace/event"
	"perftrace/event/need"
)

// eval runs the few instructions that filters are made of.
func eval(t *testing.T, p []unix.SockFilter, nr, arch uint32) uint32 {
	t.Helper()
	var acc uint32
	for pc := 0; pc < len(p); pc++ {
		i := p[pc]
		cond := false
		switch i.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			acc = [...]uint32{nr, arch}[i.K/4]
			continue
		case unix.BPF_RET | unix.BPF_K:
			return i.K
		case unix.BPF_JMP | unix.BPF_JA:
			pc += int(i.K)
			continue
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			cond = acc == i.K
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			cond = acc >= i.K
		case unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K:
			cond = acc > i.K
		default:
			t.Fatalf("instruction %d: code %#x", pc, i.Code)
		}
		if cond {
			pc += int(i.Jt)
		} else {
			pc += int(i.Jf)
		}
	}
	t.Fatal("the program has no end")
	return 0
}

func TestAFilterStopsForExactlyTheCallSet(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	sets := map[string]*event.CallSets{"none": {}, "all": &allCalls().Calls, "getppid": &only(unix.SYS_GETPPID).Calls}
	for i := range 8 {
		s := new(event.CallSets)
		for abi := range s {
			for nr := range uint32(event.MaxNR) {
				if random.IntN(i+2) == 0 {
					s[abi].Add(nr)
				}
			}
		}
		sets[fmt.Sprint("random ", i)] = s
	}
	nrs := []uint32{1<<30 - 1, 1<<31 - 1, 1 << 31, 1<<32 - 1}
	for nr := range uint32(600) {
		nrs = append(nrs, nr, nr|0x40000000)
	}
	for name, set := range sets {
		p, err := FilterProgram(set)
		if err != nil {
			t.Fatal(err)
		}
		for _, arch := range []uint32{archNative, archCompat, 1} {
			for _, nr := range nrs {
				want := uint32(unix.SECCOMP_RET_ALLOW)
				abi, n := abiOf(arch, uint64(nr))
				if arch != 1 && set[abi].Has(n) {
					want = unix.SECCOMP_RET_TRACE
				}
				if got := eval(t, p, nr, arch); got != want {
					t.Fatalf("%s: call %#x of %#x: %#x, want %#x", name, nr, arch, got, want)
				}
			}
		}
	}
}

// becomeFiltered is what the test binary does as a held command: it installs the
// filter from descriptor 3, waits for the word on 4, and executes its arguments.
func becomeFiltered() {
	runtime.LockOSThread()
	b, err := io.ReadAll(os.NewFile(3, "filter"))
	if err == nil {
		err = held.InstallFilter(b)
	}
	if err == nil {
		_, err = unix.Write(5, []byte{1})
	}
	if err == nil {
		_, err = unix.Read(4, make([]byte, 1))
	}
	if err == nil {
		err = syscall.Exec(os.Args[1], os.Args[1:], nil)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func TestWithASeccompFilterOnlyTheCallSetStops(t *testing.T) {
	need.Root(t)
	p := only(unix.SYS_GETPPID, unix.SYS_EXIT_GROUP)
	p.Target.Follow = true
	prog, err := FilterProgram(&p.Calls)
	if err != nil {
		t.Fatal(err)
	}
	var pipes [3][2]*os.File // filter, word, ready
	for i := range pipes {
		if pipes[i][0], pipes[i][1], err = os.Pipe(); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(os.Args[0], target(t), "fork", "3")
	cmd.Env = []string{"PTRACE_TEST_FILTERED=1"}
	cmd.ExtraFiles = []*os.File{pipes[0][0], pipes[1][0], pipes[2][1]}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for _, f := range cmd.ExtraFiles {
		f.Close()
	}
	if _, err := pipes[0][1].Write(EncodeFilter(prog)); err != nil {
		t.Fatal(err)
	}
	pipes[0][1].Close()
	if _, err := pipes[2][0].Read(make([]byte, 1)); err != nil {
		t.Fatal("the held command: ", err)
	}
	p.Target.Child = cmd.Process.Pid
	s := &Source{SeccompBPF: true}
	open(t, s, p)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := pipes[1][1].Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	all := drain(t, s)
	if n := count(all, event.Native, unix.SYS_GETPPID); n != 6 {
		t.Errorf("%d getppid, want 6: %s", n, story(all))
	}
	if n, f, x := kinds(all, event.KindNoReturn), kinds(all, event.KindFork), kinds(all, event.KindExit); n != 4 || f != 3 || x != 4 {
		t.Errorf("%d exit_group, %d forks, %d exits; want 4, 3, 4: %s", n, f, x, story(all))
	}
	if all[0].Kind != event.KindExec {
		t.Errorf("begins with %s, want the new image", story(all[:1]))
	}
	if l := s.Ledger(); l.Issued != 10 || l.Emitted != 10 || l.Filtered != 0 {
		t.Errorf("ledger %+v, want 10 calls seen and no other", l)
	}
	if st, ok := s.ChildStatus(); !ok || st != 0 {
		t.Errorf("status %#x, %v; want 0", uint32(st), ok)
	}
}

func TestASeccompFilterNeedsACommandThatIsFollowed(t *testing.T) {
	p := allCalls()
	p.Target.PIDs, p.Target.Follow = []int{1}, true
	if err := (&Source{SeccompBPF: true}).Open(p); err == nil {
		t.Error("attaching with a seccomp filter succeeded")
	}
}

func TestDetachOnExecLetsTheSecondImageGo(t *testing.T) {
	all := trace(t, &Source{DetachOnExec: true}, only(unix.SYS_GETPPID, unix.SYS_EXECVE, unix.SYS_PAUSE), target(t), "thread-exec")
	if n := count(all, event.Native, unix.SYS_GETPPID); n != 0 {
		t.Errorf("%d getppid of the second image, want none: %s", n, story(all))
	}
	if n := kinds(all, event.KindExec); n != 2 {
		t.Errorf("%d new images told, want 2: %s", n, story(all))
	}
}

func TestKillOnExitEndsTheTargetWithItsTracer(t *testing.T) {
	need.Root(t)
	r := begin(t, target(t), "spin")
	pid := r.cmd.Process.Pid
	attached := make(chan error)
	go func() {
		// The thread ends with this goroutine, which is a tracer's end.
		runtime.LockOSThread()
		s := &Source{KillOnExit: true}
		p := only(unix.SYS_GETPPID)
		p.Target.PIDs = []int{pid}
		err := s.Open(p)
		attached <- errors.Join(err, s.Start())
	}()
	if err := <-attached; err != nil {
		t.Fatal(err)
	}
	eventually(t, "killed", func() bool { s := state(pid); return s == "Z" || s == "" })
}
