package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/event/need"
)

// underPtrace runs perftrace --backend=ptrace and returns what it said and how it ended.
func underPtrace(t *testing.T, args ...string) (stderr string, status syscall.WaitStatus) {
	t.Helper()
	need.Root(t)
	cmd := exec.Command("perftrace", append([]string{"--backend=ptrace"}, args...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.WaitDelay = 20 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return said.String(), cmd.ProcessState.Sys().(syscall.WaitStatus)
}

func TestWithSeccompBPFTheLinesAreStracesAndNoOtherCallStops(t *testing.T) {
	need.Root(t)
	need.Command(t, "strace")
	for _, p := range programs[:4] {
		t.Run(p.name, func(t *testing.T) {
			if d := differ(t, []string{"perftrace", "--backend=ptrace", "--seccomp-bpf"}, p, whole); d != "" {
				t.Error(d)
			}
		})
	}
	out := filepath.Join(t.TempDir(), "out")
	const script = "cat /etc/hostname >/dev/null; (cat /etc/missing; exit 3)"
	for _, test := range []struct {
		options []string
		stopped bool // at calls that are not shown
	}{{nil, true}, {[]string{"--seccomp-bpf"}, false}} {
		args := append(test.options, "-f", "--ledger", "-o", out, "-e", "trace=getppid", "sh", "-c", script)
		said, status := underPtrace(t, args...)
		if status.ExitStatus() != 3 {
			t.Errorf("%v: status %#x, want that of the command, 3", test.options, uint32(status))
		}
		// What stops at its return without being shown is counted as filtered.
		if got := !strings.Contains(said, "filtered 0 + lost 0"); got != test.stopped {
			t.Errorf("%v: stopped at other calls: %v, want %v: %s", test.options, got, test.stopped, said)
		}
	}
}

func TestSeccompBPFIsDisabledWhereStraceDisablesIt(t *testing.T) {
	for _, test := range []struct{ options, want string }{
		{"--seccomp-bpf", "--seccomp-bpf cannot be used without -f/--follow-forks, disabling"},
		{"-f --seccomp-bpf -b execve", "--seccomp-bpf is not enabled because it is not compatible with -b"},
		{"-f --seccomp-bpf --syscall-limit=1", "--seccomp-bpf is not enabled because it is not compatible with --syscall-limit"},
	} {
		said, _ := underPtrace(t, append(strings.Fields(test.options), "-e", "trace=none", "true")...)
		if !strings.Contains(said, test.want) {
			t.Errorf("%s: %q, want %q", test.options, said, test.want)
		}
	}
}

func TestDetachOnExecveEndsTheLineAndLetsTheProcessGo(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	_, status := underPtrace(t, "-b", "execve", "-o", out, "-e", "trace=execve,getppid", "sh", "-c", "exec sh -c 'exit 3'")
	if status != 0 {
		t.Errorf("status %#x; want 0, since the command was let go of", uint32(status))
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	last := lines[len(lines)-1]
	if !strings.HasPrefix(last, `execve("/`) || !strings.HasSuffix(last, `/sh", ["sh", "-c", "exit 3"], `+last[strings.Index(last, "0x"):]) || !strings.HasSuffix(last, " vars */ <detached ...>") {
		t.Errorf("the last line is %q, want the execve, detached", last)
	}
	said, status := underPtrace(t, "-f", "-b", "execve", "-e", "trace=exit_group", "sh", "-c", "(exec true); exit 3")
	if status.ExitStatus() != 3 || !strings.Contains(said, " detached\n") || !strings.Contains(said, "exit_group(3) ") || strings.Contains(said, "exit_group(0)") {
		t.Errorf("status %#x; want 3, the child detached, the shell shown to its end:\n%s", uint32(status), said)
	}
}

func TestKillOnExitEndsTheCommandWithTheTracer(t *testing.T) {
	need.Root(t)
	said, _ := underPtrace(t, "--kill-on-exit", "-p", "1")
	if !strings.Contains(said, "--kill-on-exit and -p/--attach are mutually exclusive options") {
		t.Errorf("with -p: %q", said)
	}
	for _, sig := range []unix.Signal{unix.SIGKILL, unix.SIGTERM} {
		pid := filepath.Join(t.TempDir(), "pid")
		cmd := exec.Command("perftrace", "--backend=ptrace", "--kill-on-exit", "-e", "trace=none", "sh", "-c", "echo $$ > "+pid+".new; mv "+pid+".new "+pid+"; exec sleep 100")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var command string
		waitFor(t, "the command to begin", func() bool {
			b, err := os.ReadFile(pid)
			command = strings.TrimSpace(string(b))
			return err == nil
		})
		_ = cmd.Process.Signal(sig)
		_ = cmd.Wait()
		waitFor(t, "the end of the command after "+sig.String(), func() bool {
			stat, err := os.ReadFile("/proc/" + command + "/stat")
			return err != nil || bytes.Contains(stat, []byte(") Z "))
		})
	}
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain for " + what)
		}
	}
}

func TestInterruptibleSaysWhichSignalsEndTheTrace(t *testing.T) {
	for _, sig := range []string{"HUP", "INT", "QUIT", "TERM"} {
		for _, never := range []string{"never", "4"} {
			_, status := underPtrace(t, "-I", never, "-e", "trace=none", "sh", "-c", "kill -"+sig+" $PPID; exit 7")
			if status.ExitStatus() != 7 {
				t.Errorf("-I %s, SIG%s: status %#x, want that of the command, 7", never, sig, uint32(status))
			}
		}
	}
	begin := time.Now()
	_, status := underPtrace(t, "-I", "waiting", "--kill-on-exit", "-e", "trace=none", "sh", "-c", "kill -INT $PPID; sleep 60")
	if !status.Signaled() || status.Signal() != unix.SIGINT || time.Since(begin) > 40*time.Second {
		t.Errorf("-I waiting, SIGINT: status %#x after %v, want an end by SIGINT", uint32(status), time.Since(begin))
	}
}

func TestWhatNeedsStopsIsRefusedByOtherBackends(t *testing.T) {
	for _, args := range []string{"--seccomp-bpf true", "-b execve true", "-I never true", "--kill-on-exit true", "--backend=bpf -f --seccomp-bpf true"} {
		c, err := parse(strings.Fields(args))
		if err == nil {
			err = c.check(&sayer{w: new(bytes.Buffer)})
		}
		if err == nil || !strings.Contains(err.Error(), "--backend=ptrace") {
			t.Errorf("%s: %v, want a hint at --backend=ptrace", args, err)
		}
	}
}
