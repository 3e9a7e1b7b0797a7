package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/event/need"
)

func TestTheChainFollowsPipesAndTerminalsFromProcessToProcess(t *testing.T) {
	all := []channels{
		{pid: 10, writes: []string{"pipe:[1]", "/dev/pts/3"}},                    // perftrace
		{pid: 11, reads: []string{"pipe:[1]"}, writes: []string{"pipe:[2]"}},     // grep
		{pid: 12, reads: []string{"pipe:[2]"}},                                   // less
		{pid: 20, reads: []string{"/dev/pts/3"}, writes: []string{"/dev/pts/1"}}, // tmux
		{pid: 21, reads: []string{"/dev/pts/1"}},                                 // sshd
		{pid: 30, reads: []string{"/dev/pts/9"}, writes: []string{"pipe:[1]"}},   // another writer
		{pid: 31, reads: []string{"pipe:[7]"}, writes: []string{"/dev/pts/3"}},   // a job on the same terminal
	}
	got := readers(all, 10, []int{10, 9})
	slices.Sort(got)
	if want := []int{9, 10, 11, 12, 20, 21}; !slices.Equal(got, want) {
		t.Errorf("left out are %v, want %v", got, want)
	}
}

func TestTheChainHoldsTheAncestors(t *testing.T) {
	got := chain(os.Getpid(), 0)
	if !slices.Contains(got, os.Getpid()) || os.Getppid() > 1 && !slices.Contains(got, os.Getppid()) {
		t.Errorf("left out are %v, which lacks %d or its parent %d", got, os.Getpid(), os.Getppid())
	}
	if slices.Contains(got, 1) && os.Getpid() != 1 {
		t.Error("init is left out")
	}
}

// A tracer of all tasks that sees what its own lines do never ends writing.
func TestTracingAllTasksDoesNotFeedOnItsOwnOutput(t *testing.T) {
	need.BPF(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, output string }{
		{"a file", "FILE"},
		{"a command", "|cat > FILE"},
		{"a pipeline", "|cat | cat > FILE"},
		{"a terminal", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "out")
			args := []string{"--all", "-e", "trace=write", "-e", "signal=none", "-qq", "--color=never", "-s", "4096"}
			if test.output != "" {
				args = append(args, "-o", strings.ReplaceAll(test.output, "FILE", file))
			}
			bin := filepath.Join(t.TempDir(), "perftrace")
			if err := os.Symlink(exe, bin); err != nil { // testscript goes by the name
				t.Fatal(err)
			}
			cmd := exec.Command(bin, args...)
			if test.output == "" {
				if _, err := exec.LookPath("script"); err != nil {
					t.Skip("SKIP-NEED: script: not installed")
				}
				cmd = exec.Command("script", "-q", "-f", "-c", bin+" "+strings.Join(args, " "), file)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			mark := fmt.Sprintf("perftrace-all-%d-%s", os.Getpid(), filepath.Base(t.TempDir()))
			var text string
			made := 0
			for deadline := time.Now().Add(15 * time.Second); !strings.Contains(text, mark) && time.Now().Before(deadline); made++ {
				if err := exec.Command("sh", "-c", "echo "+mark+" > /dev/null").Run(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(300 * time.Millisecond)
				b, _ := os.ReadFile(file)
				text = string(b)
			}
			time.Sleep(time.Second) // for a loop, if there is one
			_ = cmd.Process.Signal(unix.SIGTERM)
			_ = cmd.Wait()
			time.Sleep(200 * time.Millisecond)
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
			if n := strings.Count(text, `write(1, "`+mark+`\n", `); n < 1 || n > made {
				t.Errorf("of %d writes that another process made %d were seen; output:\n%.2000s", made, n, text)
			}
			// A line that was fed back holds a line.
			if strings.Contains(text, `\"`+mark) {
				t.Errorf("it feeds on itself: %d bytes", len(text))
			}
		})
	}
}
