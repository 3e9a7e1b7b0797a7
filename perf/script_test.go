package perf

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"perftrace/event"
	"perftrace/event/need"
)

const mixed = `
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
	for (long i = 0; i < 200; i++) {
		syscall(SYS_getppid);
		syscall(SYS_lseek, -1, i, 2 * i, 3, 4, 5);
		syscall(SYS_write, 1, "x", 0);
	}
	return 0;
}`

// scriptLine is a line of perf script: TID: event: NR n (a, b, c, d, e, f) or NR n = ret.
var scriptLine = regexp.MustCompile(`^\s*(\d+)\s+raw_syscalls:sys_(enter|exit): NR (-?\d+) (?:= (-?\d+)|\(([^)]*)\))`)

func TestTheRingsHoldWhatPerfScriptShowsOfTheSameCalls(t *testing.T) {
	need.Perf(t)
	perf := need.Command(t, "perf")
	cmd, release := held(t, need.C(t, mixed))
	pid := strconv.Itoa(cmd.Process.Pid)
	data := filepath.Join(t.TempDir(), "perf.data")
	rec := exec.Command(perf, "record", "-q", "-o", data, "-m", "1024", "-e", "raw_syscalls:*", "-p", pid,
		"-D", "-1", "--control", "fd:3,4")
	rec.Stderr = os.Stderr
	enable(t, rec)
	s := opened(t, &Source{}, &event.Plan{Target: event.Target{Child: cmd.Process.Pid}, Calls: all()})
	release()
	var got []string
	drain(t, s, waited(cmd), func(e *event.Event) {
		switch e.Kind {
		case event.KindSyscall:
			got = append(got, fmt.Sprintf("%d %d %x = %d", e.TID, e.NR, e.Args, e.Ret))
		case event.KindNoReturn:
			got = append(got, fmt.Sprintf("%d %d %x = ?", e.TID, e.NR, e.Args))
		}
	})
	if err := rec.Wait(); err != nil { // it ends with its target
		t.Fatal(err)
	}
	out, err := exec.Command(perf, "script", "-i", data, "-F", "tid,event,trace").Output()
	if err != nil {
		t.Fatal(err)
	}
	want := joined(string(out))
	if len(want) < 600 {
		t.Fatalf("perf script shows %d calls, want more than 600:\n%.2000s", len(want), out)
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("call %d of %d, perf script has %d: got %s, want %s", i, len(got), len(want),
				got[min(i, len(got)-1)], want[min(i, len(want)-1)])
		}
	}
}

// joined makes calls of the lines of perf script, from execve on.
func joined(script string) (calls []string) {
	enter := ""
	for line := range strings.Lines(script) {
		m := scriptLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if m[2] == "enter" {
			if len(calls) == 0 && m[3] != "59" {
				continue
			}
			args := strings.ReplaceAll(m[5], ",", "")
			enter = fmt.Sprintf("%s %s [%s]", m[1], m[3], args)
			if m[3] == "231" {
				calls = append(calls, enter+" = ?")
			}
		} else if enter != "" {
			calls = append(calls, enter+" = "+m[4])
		}
	}
	return calls
}

// enable starts perf record, has it enable its events, and waits until it did.
func enable(t *testing.T, rec *exec.Cmd) {
	t.Helper()
	ctlR, ctlW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ackR, ackW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	rec.ExtraFiles = []*os.File{ctlR, ackW}
	if err := rec.Start(); err != nil {
		t.Fatal(err)
	}
	ctlR.Close()
	ackW.Close()
	t.Cleanup(func() { ctlW.Close(); ackR.Close() })
	if _, err := ctlW.WriteString("enable\n"); err != nil {
		t.Fatal(err)
	}
	if ack, err := bufio.NewReader(ackR).ReadString('\n'); err != nil || ack != "ack\n" {
		t.Fatalf("perf record answers %q, %v", ack, err)
	}
}
