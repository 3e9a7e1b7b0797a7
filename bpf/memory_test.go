package bpf

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/features"
	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

// pageEnds opens a path that ends at the last byte before an unmapped page, and
// one that has no NUL there.
const pageEnds = `
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
int main(void) {
	char *m = mmap(0, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0);
	munmap(m + 4096, 4096);
	const char p[] = "/nonexistent/at-the-end";
	char *s = m + 4096 - sizeof p;
	memcpy(s, p, sizeof p);
	open(s, 0);
	s = m + 4096 - 5;
	memcpy(s, "/open", 5);
	open(s, 0);
	open("", 0);
	open(0, 0);
	open((char *)1, 0);
	return 0;
}`

func TestStringsAtTheEndOfMemory(t *testing.T) {
	need.BPF(t)
	p := commandPlan()
	capture(p, unix.SYS_OPENAT, atExitPath)
	evs, _ := traced(t, p, need.C(t, pageEnds))
	cs := calls(evs, unix.SYS_OPENAT)
	if len(cs) < 5 {
		t.Fatalf("%d calls, want 5 and more", len(cs))
	}
	cs = cs[len(cs)-5:]
	type want struct {
		data   string
		status event.PieceStatus
		pieces int
	}
	for i, w := range []want{
		{"/nonexistent/at-the-end", event.PieceOK, 1},
		{"/open", event.PieceFault, 1},
		{"", event.PieceOK, 1},
		{"", 0, 0},
		{"", event.PieceFault, 1},
	} {
		out := cs[i].out
		if len(out) != w.pieces {
			t.Errorf("open %d: pieces %+v, want %d", i, out, w.pieces)
			continue
		}
		if w.pieces > 0 && (string(out[0].Data) != w.data || out[0].Status != w.status) {
			t.Errorf("open %d: %q, status %d; want %q, %d", i, out[0].Data, out[0].Status, w.data, w.status)
		}
	}
}

// untouchedPages writes from memory that nothing touched, not even the kernel in
// the call: in a page of anonymous memory there are zeros, up to a page that may
// not be read.
const untouchedPages = `
#include <sys/mman.h>
#include <unistd.h>
static char *pages(int n, int prot) { return mmap(0, n * 4096, prot, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0); }
int main(void) {
	char *a = pages(3, PROT_NONE), *b = pages(3, PROT_NONE);
	mprotect(a + 4096, 4096, PROT_READ|PROT_WRITE);
	mprotect(b + 4096, 4096, PROT_READ|PROT_WRITE);
	write(-1, a + 4096, 16);
	write(-1, a + 8192 - 8, 16);
	write(-1, b, 16);
	return 0;
}`

func TestWhatNothingTouchedIsZeros(t *testing.T) {
	need.BPF(t)
	if features.HaveProgramHelper(ebpf.RawTracepoint, asm.FnFindVma) != nil {
		return // before Linux 5.17 it can't be told
	}
	p := commandPlan()
	capture(p, unix.SYS_WRITE, event.Capture{Kind: event.CapBytes, From: 1, Len: event.LenArg, LenFrom: 2, Max: 64, When: event.AtExit})
	evs, _ := traced(t, p, need.C(t, untouchedPages))
	cs := calls(evs, unix.SYS_WRITE)
	if len(cs) != 3 {
		t.Fatalf("%d writes, want 3", len(cs))
	}
	for i, want := range []struct {
		n      int
		status event.PieceStatus
	}{{16, event.PieceOK}, {8, event.PieceFault}, {0, event.PieceFault}} {
		out := cs[i].out
		if len(out) != 1 || out[0].Status != want.status || !bytes.Equal(out[0].Data, make([]byte, want.n)) {
			t.Errorf("write %d: %+v, want %d zeros, status %d", i, out, want.n, want.status)
		}
	}
}

// droppedPage writes from a page of a file that is not in the page tables.
const droppedPage = `
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv) {
	int fd = open(argv[1], O_RDWR|O_CREAT|O_TRUNC, 0600);
	ftruncate(fd, 4096);
	pwrite(fd, "/dropped/path", 14, 0);
	char *m = mmap(0, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, fd, 0);
	volatile char c = m[0];
	madvise(m, 4096, MADV_DONTNEED);
	access(m, 0);
	madvise(m, 4096, MADV_DONTNEED);
	truncate(m, 0);
	return 0;
}`

func TestMemoryThatIsNotPresentAtEntryIsCopiedAtExit(t *testing.T) {
	need.BPF(t)
	p := commandPlan()
	capture(p, unix.SYS_ACCESS, event.Capture{Kind: event.CapString, When: event.AtExit, From: 0, Max: event.MaxPath})
	capture(p, unix.SYS_TRUNCATE, event.Capture{Kind: event.CapString, When: event.AtEntry | event.IfFault, From: 0, Max: event.MaxPath})
	evs, _ := traced(t, p, need.C(t, droppedPage), t.TempDir()+"/file")
	access := calls(evs, unix.SYS_ACCESS)
	wantStrings(t, "at exit", dataOf(access[len(access)-1].out, 0), "/dropped/path")
	tr := calls(evs, unix.SYS_TRUNCATE)
	if len(tr) != 1 || len(tr[0].in) != 1 || tr[0].in[0].Status != event.PieceFault {
		t.Fatalf("truncate: %+v, want one call whose path faulted at entry", tr)
	}
	wantStrings(t, "retried at exit", dataOf(tr[0].out, 0), "/dropped/path")
}

const vectors = `
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <fcntl.h>
int main(void) {
	int fd = open("/dev/null", O_WRONLY);
	struct iovec v[1024];
	writev(fd, v, 0);
	v[0] = (struct iovec){"one", 3};
	writev(fd, v, 1);
	v[1] = (struct iovec){(void *)8, 5};
	v[2] = (struct iovec){"three", 5};
	writev(fd, v, 3);
	for (int i = 0; i < 1024; i++) v[i] = (struct iovec){"x", 1};
	writev(fd, v, 1024);
	char a[4], b[8];
	struct iovec r[3] = {{a, 4}, {b, 8}, {a, 4}};
	int z[2];
	pipe(z);
	write(z[1], "abcdefg", 7);
	readv(z[0], r, 3);
	return 0;
}`

func iovecs(when event.When, elem event.When) []event.Capture {
	return []event.Capture{
		{Kind: event.CapBytes, When: when, From: 1, Len: event.LenArg, LenFrom: 2, Size: 16, Max: 16 * 32},
		{Kind: event.CapBytes, When: when | elem, From: event.FromOp, Stride: 16, Len: event.LenField, LenOff: 8},
	}
}

func TestVectorsAreCompleteOrMarkedByElement(t *testing.T) {
	need.BPF(t)
	p := commandPlan()
	capture(p, unix.SYS_WRITEV, iovecs(event.AtExit, 0)...)
	capture(p, unix.SYS_READV, iovecs(event.AtExit, event.LimitRet)...)
	evs, _ := traced(t, p, need.C(t, vectors))
	w := calls(evs, unix.SYS_WRITEV)
	if len(w) != 4 {
		t.Fatalf("%d writev, want 4", len(w))
	}
	if len(w[0].out) != 0 {
		t.Errorf("writev of nothing: %+v, want no pieces", w[0].out)
	}
	wantStrings(t, "one", dataOf(w[1].out, 1), "one")
	wantStrings(t, "three, one of them bad", dataOf(w[2].out, 1), "one", "", "three")
	if ps := w[2].out; len(ps) != 4 || ps[2].Status != event.PieceFault || ps[2].Addr != 8 || ps[2].Want != 5 {
		t.Errorf("bad element: %+v, want a fault at 8 of 5 bytes", ps)
	}
	if got := dataOf(w[3].out, 1); len(got) != 32 {
		t.Errorf("1024 elements: %d copied, want the 32 that Max allows", len(got))
	}
	if ps := w[3].out; ps[0].Status != event.PieceCut || ps[0].Want != 16*1024 {
		t.Errorf("1024 elements: array %d of %d, status %d; want cut", len(ps[0].Data), ps[0].Want, ps[0].Status)
	}
	r := calls(evs, unix.SYS_READV)
	wantStrings(t, "readv of 7 bytes", dataOf(r[0].out, 1), "abcd", "efg")
}

const execs = `
#include <stdlib.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv) {
	char *many[40];
	for (int i = 0; i < 39; i++) many[i] = "a";
	many[39] = 0;
	execve("/nonexistent", 0, 0);
	execve(0, 0, 0);
	many[32] = 0;
	execve("/etc", many, environ);
	many[32] = "a"; many[33] = 0;
	execve(argv[1], many, environ);
	char *last[] = {"true", "", "x", 0};
	execve("/bin/true", last, environ);
	return 1;
}`

func TestExecveShowsPathAndArgumentsWhateverComesOfIt(t *testing.T) {
	need.BPF(t)
	p := commandPlan()
	capture(p, unix.SYS_EXECVE,
		event.Capture{Kind: event.CapString, When: event.AtEntry, From: 0, Max: event.MaxPath},
		event.Capture{Kind: event.CapVector, When: event.AtEntry, From: 1, Max: 33 * 8},
		event.Capture{Kind: event.CapString, When: event.AtEntry, From: event.FromOp + 1, Stride: 8},
	)
	noScript := filepath.Join(t.TempDir(), "no-script")
	if err := os.WriteFile(noScript, []byte("neither ELF nor #!\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	evs, _ := traced(t, p, need.C(t, execs), noScript)
	cs := calls(evs, unix.SYS_EXECVE)
	if len(cs) != 6 {
		t.Fatalf("%d execve, want 6", len(cs))
	}
	cs = cs[1:]
	// The page of the string may be present or not.
	path := dataOf(cs[0].in, 0)
	if len(path) == 1 && path[0] == "" {
		path = dataOf(cs[0].out, 0)
	}
	wantStrings(t, "path of a missing file", path, "/nonexistent")
	if e, _ := cs[0].Failed(); e != int64(unix.ENOENT) || len(cs[0].in) != 1 {
		t.Errorf("missing file: errno %d, %d pieces; want ENOENT, 1", e, len(cs[0].in))
	}
	if e, _ := cs[1].Failed(); e != int64(unix.EFAULT) || len(cs[1].in) != 0 {
		t.Errorf("NULL: errno %d, %d pieces; want EFAULT, 0", e, len(cs[1].in))
	}
	if e, _ := cs[2].Failed(); e != int64(unix.EACCES) || cs[2].in[1].Status != event.PieceOK || len(dataOf(cs[2].in, 2)) != 32 {
		t.Errorf("32 arguments: errno %d, vector %+v; want EACCES, whole", e, cs[2].in[1])
	}
	if e, _ := cs[3].Failed(); e != int64(unix.ENOEXEC) || cs[3].in[1].Status != event.PieceCut || len(dataOf(cs[3].in, 2)) != 33 {
		t.Errorf("33 arguments: errno %d, vector %+v; want ENOEXEC, cut", e, cs[3].in[1])
	}
	wantStrings(t, "an empty argument", dataOf(cs[4].in, 2), "true", "", "x")
	if cs[4].Ret != 0 {
		t.Errorf("last execve: %d, want 0", cs[4].Ret)
	}
}

const mixed = `
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <linux/netlink.h>
#include <unistd.h>
int main(void) {
	struct flock l = {F_RDLCK, SEEK_SET, 5, 7};
	int fd = open("/etc/hostname", O_RDONLY);
	fcntl(fd, F_GETLK, &l);
	fcntl(fd, F_GETFL, 0x1234);
	ioctl(fd, _IOR('x', 1, char[24]), "twenty-four bytes are it");
	fd_set s;
	memset(&s, 0x55, sizeof s);
	FD_ZERO(&s);
	FD_SET(fd, &s);
	struct timeval tv = {0, 0};
	select(70, &s, 0, 0, &tv);
	int u = socket(AF_UNIX, SOCK_DGRAM, 0);
	struct sockaddr_un a = {AF_UNIX}, b;
	strcpy(a.sun_path + 1, "perftrace-test");
	bind(u, (void *)&a, 2 + 15);
	socklen_t n = sizeof b;
	getsockname(u, (void *)&b, &n);
	int nl = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	char big[300];
	memset(big, 'n', sizeof big);
	sendto(nl, big, sizeof big, 0, 0, 0);
	write(open("/dev/null", O_WRONLY), big, sizeof big);
	struct iovec v[2] = {{"part one", 8}, {"part 2", 6}};
	struct msghdr m = {(void *)&a, 17, v, 2, "control", 7};
	sendmsg(u, &m, 0);
	return 0;
}`

func TestLengthsFromEverywhere(t *testing.T) {
	need.BPF(t)
	p := commandPlan()
	flock := []event.Capture{{Kind: event.CapBytes, When: event.AtExit, From: 2, Size: 32}}
	p.Calls[event.Native].Add(unix.SYS_FCNTL)
	p.Captures[event.Native][unix.SYS_FCNTL] = &event.CallPlan{
		CmdArg: 1, Commands: map[uint32][]event.Capture{unix.F_GETLK: flock},
	}
	capture(p, unix.SYS_IOCTL, event.Capture{Kind: event.CapBytes, When: event.AtExit, From: 2, Len: event.LenIoctl})
	sel := event.Capture{Kind: event.CapBytes, When: event.AtExit, From: 1, Len: event.LenFDSet, Max: 128}
	capture(p, unix.SYS_SELECT, sel)
	capture(p, unix.SYS_PSELECT6, sel)
	capture(p, unix.SYS_GETSOCKNAME,
		event.Capture{Kind: event.CapBytes, When: event.AtEntry | event.AtExit, From: 2, Size: 4},
		event.Capture{Kind: event.CapBytes, When: event.AtExit | event.IfOK, From: 1, Len: event.LenOp, LenFrom: 0, LenWidth: 4, Max: 128})
	buf := event.Capture{Kind: event.CapBytes, When: event.AtExit | event.Netlink, From: 1, Len: event.LenArg, LenFrom: 2}
	capture(p, unix.SYS_SENDTO, buf)
	capture(p, unix.SYS_WRITE, buf)
	capture(p, unix.SYS_SENDMSG,
		event.Capture{Kind: event.CapBytes, When: event.AtExit, From: 1, Size: 56},
		event.Capture{Kind: event.CapBytes, When: event.AtExit, From: event.FromOp, Len: event.LenField, LenOff: 8, LenWidth: 4, Max: 128},
		event.Capture{Kind: event.CapBytes, When: event.AtExit, From: event.FromOp, Off: 16, Len: event.LenField, LenOff: 24, Size: 16, Max: 512},
		event.Capture{Kind: event.CapBytes, When: event.AtExit, From: event.FromOp + 2, Stride: 16, Len: event.LenField, LenOff: 8},
		event.Capture{Kind: event.CapBytes, When: event.AtExit, From: event.FromOp, Off: 32, Len: event.LenField, LenOff: 40})
	evs, _ := traced(t, p, need.C(t, mixed))

	for i, c := range calls(evs, unix.SYS_FCNTL) {
		if want := map[uint64]int{unix.F_GETLK: 1, unix.F_GETFL: 0}[c.Args[1]]; len(c.out) != want {
			t.Errorf("fcntl %d, command %d: %d pieces, want %d", i, c.Args[1], len(c.out), want)
		}
	}
	if n := len(calls(evs, unix.SYS_FCNTL)); n != 2 {
		t.Errorf("%d fcntl, want 2", n)
	}
	wantStrings(t, "ioctl", dataOf(calls(evs, unix.SYS_IOCTL)[0].out, 0), "twenty-four bytes are it")
	s := append(calls(evs, unix.SYS_SELECT), calls(evs, unix.SYS_PSELECT6)...)
	if len(s) != 1 || len(s[0].out) != 1 || len(s[0].out[0].Data) != 16 {
		t.Errorf("select of 70 descriptors: %+v, want a set of 16 bytes", s)
	}
	g := calls(evs, unix.SYS_GETSOCKNAME)[0]
	wantStrings(t, "length before", dataOf(g.in, 0), "\x6e\x00\x00\x00")
	wantStrings(t, "length after", dataOf(g.out, 0), "\x11\x00\x00\x00")
	wantStrings(t, "address", dataOf(g.out, 1), "\x01\x00\x00perftrace-test")
	wantStrings(t, "netlink message", dataOf(calls(evs, unix.SYS_SENDTO)[0].out, 0), strings.Repeat("n", 300))
	wantStrings(t, "the same to a file", dataOf(calls(evs, unix.SYS_WRITE)[0].out, 0), strings.Repeat("n", 33))
	m := calls(evs, unix.SYS_SENDMSG)[0]
	wantStrings(t, "name", dataOf(m.out, 1), "\x01\x00\x00perftrace-test")
	wantStrings(t, "parts", dataOf(m.out, 3), "part one", "part 2")
	wantStrings(t, "control", dataOf(m.out, 4), "control")
}

const bigOnes = `
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
int main(void) {
	static char big[100000];
	memset(big, 'b', sizeof big);
	int fd = open("/dev/null", O_WRONLY);
	write(fd, big, sizeof big);
	struct iovec v[4] = {{big, 20000}, {big, 20000}, {big, 20000}, {big, 20000}};
	writev(fd, v, 4);
	write(fd, "end", 3);
	return 0;
}`

func TestTheBudgetOfACallIsKeptAndMarked(t *testing.T) {
	need.BPF(t)
	p := commandPlan()
	p.StringMax = maxObject
	capture(p, unix.SYS_WRITE, event.Capture{Kind: event.CapBytes, When: event.AtExit, From: 1, Len: event.LenArg, LenFrom: 2})
	capture(p, unix.SYS_WRITEV, iovecs(event.AtExit, 0)...)
	evs, _ := traced(t, p, need.C(t, bigOnes))
	w := calls(evs, unix.SYS_WRITE)
	if len(w) != 2 || len(w[0].out) != 1 || len(w[0].out[0].Data) != maxObject || w[0].out[0].Status != event.PieceCut || w[0].out[0].Want != 100000 {
		t.Fatalf("write of 100000 bytes: want %d of them, cut", maxObject)
	}
	wantStrings(t, "the call after", dataOf(w[1].out, 0), "end")
	v := calls(evs, unix.SYS_WRITEV)[0]
	total := 0
	for _, d := range dataOf(v.out, 1) {
		total += len(d)
	}
	if v.Flags&event.Cut == 0 || total < 32<<10 || total > 40<<10 {
		t.Errorf("writev of 80000 bytes: %d copied, flags %b; want 32 to 40 KiB, marked as cut", total, v.Flags)
	}
}
