package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"perftrace/event/need"
)

// counts runs a program under a tracer and returns the table of calls and errors.
func counts(t *testing.T, p program, tracer string, options ...string) string {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(t.TempDir(), "out")
	args := append(options, "-f", "-o", out, "-U", "calls,errors,name", "-S", "name", "sh", "-c", p.run())
	cmd := exec.Command(tracer, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + dir, "LC_ALL=C", "TZ=UTC"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	text, readErr := os.ReadFile(out)
	if readErr != nil {
		t.Fatalf("%s: %v\n%s", tracer, err, stderr.Bytes())
	}
	if strings.Contains(stderr.String(), "unaccounted") {
		t.Errorf("%s %q: %s", tracer, options, stderr.Bytes())
	}
	i := strings.Index(string(text), "    calls")
	if i < 0 {
		t.Fatalf("%s %q wrote no table: %v\n%s", tracer, options, err, stderr.Bytes())
	}
	return string(text[i:])
}

// The kernel counts, without and with times, user space does from the same events
// that become lines, and strace does: all alike.
func TestCountsAreStraces(t *testing.T) {
	need.BPF(t)
	need.Command(t, "strace")
	for _, name := range []string{
		"cat", "ls recursive", "cp and mv", "links", "find", "dd", "sed", "touch and chmod", "date", "loop of commands",
	} {
		t.Run(name, func(t *testing.T) {
			for _, p := range programs {
				if p.name != name {
					continue
				}
				for _, options := range [][]string{
					{"-c", "--ledger"},
					{"-c", "--ledger", "--duration=1ns"}, // which needs times
					{"-C", "--ledger"},
				} {
					var want, got string
					// What two runs do is not always the same.
					for range 4 {
						want, got = counts(t, p, "strace", "-c"), counts(t, p, "perftrace", options...)
						if want == got {
							break
						}
					}
					if want != got {
						t.Errorf("%q shows\n%s\nstrace shows\n%s", options, got, want)
					}
				}
			}
		})
	}
}
