package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"perftrace/cmd/perftrace/held"
	"perftrace/event/need"
)

// initialised runs this program with an environment variable, and returns which
// packages it has initialised, as the Go runtime tells.
func initialised(t *testing.T, env string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	theirs := os.NewFile(uintptr(fds[1]), "socket")
	var said strings.Builder
	cmd := exec.Command(exe, "-test.run=^$")
	cmd.Env = []string{"GODEBUG=inittrace=1", env}
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	unix.Close(fds[0]) // a stub ends without a launch
	_ = cmd.Wait()
	return said.String()
}

func TestTheProcessThatBecomesTheCommandDoesNotBuildTheTables(t *testing.T) {
	const tables = "init perftrace/decode "
	if s := initialised(t, "NOTHING=1"); !strings.Contains(s, tables) {
		t.Fatalf("no %q among what the whole program initialises:\n%s", tables, s)
	}
	s := initialised(t, held.Variable+"=3")
	if strings.Contains(s, tables) || !strings.Contains(s, "init os ") {
		t.Errorf("initialised before the stub began:\n%s", s)
	}
}

// What a start takes is nearly all the loading of the programs, and waits in the
// kernel: a map that it refuses costs some grace periods of RCU.
func TestAStartLoadsWhatItNeedsOnceAndIsNotRefusedAMap(t *testing.T) {
	need.BPF(t)
	load := regexp.MustCompile(`BPF_PROG_LOAD, .*prog_name="(\w+)".* = \d+$`)
	for _, c := range []struct {
		args string
		want []string
	}{
		{"", []string{"call_enter", "call_exit", "dump_tasks", "flush", "signal_deliver", "signal_generate", "task_exec", "task_exit", "task_fork"}},
		{"-c", []string{"count_enter", "count_exit", "dump_tasks", "flush", "task_exec", "task_exit", "task_fork", "task_switch"}},
		{"-c -U name,calls", []string{"count_exit", "dump_tasks", "flush", "task_exec", "task_exit", "task_fork"}},
	} {
		args := []string{"-f", "-qq", "-e", "trace=bpf", "perftrace", "-o", "/dev/null"}
		got := lines(t, append(append(args, strings.Fields(c.args)...), "true")...)
		wantLine(t, got, 0, `BPF_MAP_CREATE, .* = -1`)
		var loaded []string
		for _, l := range got {
			if m := load.FindStringSubmatch(l); m != nil {
				loaded = append(loaded, m[1])
			}
		}
		if slices.Sort(loaded); !slices.Equal(loaded, c.want) {
			t.Errorf("perftrace %s loads %q, want %q", c.args, loaded, c.want)
		}
	}
}
