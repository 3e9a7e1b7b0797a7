package bpf

import (
	"testing"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

// untouched executes strings of its read-only data, whose page nothing touched,
// with raw calls so that nothing does; or kills itself.
const untouched = `
#define _GNU_SOURCE
#include <unistd.h>
#include <signal.h>
#include <sys/syscall.h>
static const char page[4096] __attribute__((aligned(4096))) = "/usr/bin/true";
static const char arg[4096] __attribute__((aligned(4096))) = "argument";
int main(int argc, char **argv) {
	char *v[] = {"true", (char *)arg, "", 0};
	if (argc > 1)
		raise(SIGUSR2);
	syscall(SYS_execve, page, v, 0);
	return 1;
}`

func TestStringsOfAnExecveAreToldThoughTheirPageWasNotThere(t *testing.T) {
	need.BPF(t)
	p := commandPlan()
	capture(p, unix.SYS_EXECVE, execPlan...)
	evs, _ := traced(t, p, need.C(t, untouched))

	exec := calls(evs, unix.SYS_EXECVE)
	if len(exec) != 2 || exec[1].Ret != 0 {
		t.Fatalf("execves: %+v, want two that succeed", exec)
	}
	at := map[uint64]string{}
	for _, q := range exec[1].in {
		if q.Status == event.PieceOK {
			at[q.Addr] = string(q.Data)
		}
	}
	if got := at[exec[1].Args[0]]; got != "/usr/bin/true" {
		t.Errorf("path %q, want /usr/bin/true", got)
	}
	vector := []byte(at[exec[1].Args[1]])
	if len(vector) != 4*8 {
		t.Fatalf("argv has %d bytes, want 3 pointers and a NULL", len(vector))
	}
	for i, want := range []string{"true", "argument", ""} {
		if got, ok := at[pointer(vector[8*i:], 8)]; !ok || got != want {
			t.Errorf("argument %d is %q (%v), want %q", i, got, ok, want)
		}
	}
}

func TestTheSignalThatEndsAProcessIsTold(t *testing.T) {
	need.BPF(t)
	p := commandPlan()
	p.Signals = true
	capture(p, unix.SYS_EXECVE)
	evs, _ := traced(t, p, need.C(t, untouched), "die")

	sig := kinds(evs, event.KindSignal)
	if len(sig) != 1 || sig[0].Signal != uint32(unix.SIGUSR2) {
		t.Fatalf("signals: %+v, want SIGUSR2 once", sig)
	}
	exit := kinds(evs, event.KindExit)
	if len(exit) != 1 || exit[0].Status != uint32(unix.SIGUSR2) {
		t.Errorf("exits: %+v, want one by SIGUSR2", exit)
	}
}
