package main

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"perftrace/event/need"
)

//go:embed testdata/signals.c
var signalsSource string

// What a signal does to a task is told in the same place of the task's lines as
// under strace: handled, ignored, blocked, deadly and stopping ones, interrupted
// calls, and a thread that calls execve.
func TestSignalsHaveStracesPlaceInEachTask(t *testing.T) {
	need.BPF(t)
	strace := need.Command(t, "strace")
	program := need.C(t, signalsSource, "-pthread")
	run := func(tracer ...string) []string {
		out := filepath.Join(t.TempDir(), "out")
		cmd := exec.Command(tracer[0], append(tracer[1:], "-f", "-e", "trace=!rseq,getrandom", "-o", out, program)...)
		if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 3 {
			t.Fatalf("%s: %v", tracer[0], err)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return byTask(string(text), "DIR", whole)
	}
	for _, tracer := range [][]string{{"perftrace"}, {"perftrace", "--backend=ptrace"}} {
		var report string
		for range 3 { // a busy machine may run the program in another order
			if report = compareTasks(run(strace), run(tracer...)); report == "" {
				break
			}
		}
		if report != "" {
			t.Errorf("%s:\n%s", tracer, report)
		}
	}
}
