package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"perftrace/cmd/perftrace/held"
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
