package bpf

import (
	"testing"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

const thirtyTwo = `
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>
int main(void) {
	link("/nonexistent/a", "/nonexistent/b");
	int fd = open("/dev/null", O_WRONLY);
	struct iovec v[2] = {{"thirty", 6}, {"two", 3}};
	writev(fd, v, 2);
	char *a[] = {"true", "thirty-two", 0};
	execv("/bin/true", a);
	return 1;
}`

// Numbers of i386.
const (
	i386Link   = 9
	i386Execve = 11
	i386Writev = 146
	i386Getpid = 20
)

func TestA32BitProgramHasItsOwnNumbersAndWidths(t *testing.T) {
	need.BPF(t)
	bin := need.M32(t, thirtyTwo)
	p := commandPlan()
	capture(p, unix.SYS_EXECVE, execPlan...)
	exec32 := append([]event.Capture(nil), execPlan...)
	exec32[2].Stride = 4
	captureABI(p, event.Compat, i386Execve, exec32...)
	str := func(from uint8) event.Capture {
		return event.Capture{Kind: event.CapString, When: event.AtExit, From: from, Max: event.MaxPath}
	}
	captureABI(p, event.Compat, i386Link, str(0), str(1))
	captureABI(p, event.Compat, i386Writev,
		event.Capture{Kind: event.CapBytes, When: event.AtExit, From: 1, Len: event.LenArg, LenFrom: 2, Size: 8, Max: 256},
		event.Capture{Kind: event.CapBytes, When: event.AtExit, From: event.FromOp, Stride: 8, Len: event.LenField, LenOff: 4})
	p.StringMax = 256 // the program's path
	evs, _ := traced(t, p, bin)

	var execs, links, writes []seen
	for _, e := range evs {
		switch {
		case e.Kind != event.KindSyscall:
		case e.ABI == event.Native && e.NR == unix.SYS_EXECVE || e.ABI == event.Compat && e.NR == i386Execve:
			execs = append(execs, e)
		case e.ABI == event.Compat && e.NR == i386Link:
			links = append(links, e)
		case e.ABI == event.Compat && e.NR == i386Writev:
			writes = append(writes, e)
		default:
			t.Errorf("unexpected call %+v", e.Event)
		}
	}
	// The exec across ABIs keeps the number and table of its entry.
	if len(execs) != 2 || execs[0].ABI != event.Native || execs[1].ABI != event.Compat {
		t.Fatalf("execs %+v, want a native and then a compat one", execs)
	}
	wantStrings(t, "argv of the 64-bit shell's exec", dataOf(execs[0].in, 2), bin)
	wantStrings(t, "vector of the 32-bit program", dataOf(execs[1].in, 1)[:1], dataOf(execs[1].in, 1)[0])
	if n := len(execs[1].in[1].Data); n != 12 {
		t.Errorf("argv of 32 bits: %d bytes, want three pointers of 4", n)
	}
	if len(links) != 1 || len(writes) != 1 {
		t.Fatalf("%d link, %d writev; want 1, 1", len(links), len(writes))
	}
	wantStrings(t, "link", append(dataOf(links[0].out, 0), dataOf(links[0].out, 1)...), "/nonexistent/a", "/nonexistent/b")
	wantStrings(t, "writev", dataOf(writes[0].out, 1), "thirty", "two")
}

const foreignNumbers = `
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
	syscall(0x40000000 | 39, 1, 2);
	syscall(0x40000000 | 520, 3);
	syscall(600, 7);
	syscall(-1, 8);
	syscall(511, 9);
	return 0;
}`

func TestNumbersOfOtherTablesStayInTheirs(t *testing.T) {
	need.BPF(t)
	p := commandPlan()
	for nr := range uint32(event.MaxNR) {
		p.Calls[event.X32].Add(nr)
	}
	p.Calls[event.Native].Add(event.Unknown)
	evs, _ := traced(t, p, need.C(t, foreignNumbers))
	type call struct {
		abi  event.ABI
		nr   uint32
		arg0 uint64
	}
	var got []call
	for _, e := range kinds(evs, event.KindSyscall) {
		got = append(got, call{e.ABI, e.NR, e.Args[0]})
	}
	want := []call{{event.X32, 39, 1}, {event.X32, 520, 3}, {event.Native, 600, 7}, {event.Native, 511, 9}}
	// A number of -1 is told or not, depending on the kernel: it says that a
	// tracer skipped the call.
	i := 0
	for _, c := range got {
		if c.nr == 0xffffffff {
			continue
		}
		if i >= len(want) || c != want[i] {
			t.Fatalf("calls %+v, want %+v", got, want)
		}
		i++
	}
	if i != len(want) {
		t.Errorf("calls %+v, want %+v", got, want)
	}
}

const gate = `
int main(void) {
	int ret;
	asm volatile("int $0x80" : "=a"(ret) : "a"(20), "b"(0x1234567) : "memory");
	return 0;
}`

func TestInt80OfA64BitProgramIsACompatCall(t *testing.T) {
	need.BPF(t)
	need.M32(t, gate) // where 32-bit programs do not run, the gate is closed too
	p := commandPlan()
	captureABI(p, event.Compat, i386Getpid)
	evs, _ := traced(t, p, need.C(t, gate))
	cs := kinds(evs, event.KindSyscall)
	if len(cs) != 1 || cs[0].ABI != event.Compat || cs[0].NR != i386Getpid || cs[0].Args[0] != 0x1234567 {
		t.Errorf("calls %+v, want one compat getpid", cs)
	}
}
