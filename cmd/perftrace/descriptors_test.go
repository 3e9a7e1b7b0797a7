package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perftrace/event/need"
)

// openAll makes descriptors of many kinds, and a call on each.
const openAll = `
import ctypes, os, pty, select, socket
libc = ctypes.CDLL(None)
def use(f): libc.fsync(f if type(f) is int else f.fileno())
f = os.open("plain", os.O_CREAT | os.O_RDWR); use(f); os.unlink("plain"); use(f)
g = os.open("x (deleted)", os.O_CREAT | os.O_RDWR); use(g); os.unlink("x (deleted)"); use(g)
for path in "/", "/dev/null", "/proc/self/ns/net": use(os.open(path, os.O_RDONLY))
r, w = os.pipe(); use(r); use(w)
m, s = pty.openpty(); use(m); use(s)
poll = select.epoll(); use(poll)
use(libc.eventfd(5, 1)); use(os.memfd_create("memo")); use(os.pidfd_open(os.getpid()))
use(libc.signalfd(-1, (ctypes.c_ulong * 16)(0x500), 0))
t = socket.socket(); use(t); t.bind(("127.0.0.1", 0)); t.listen(1); use(t)
c = socket.create_connection(t.getsockname()); use(c)
t6 = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); use(t6)
u = socket.socket(socket.AF_UNIX); u.bind("name"); use(u)
v = socket.socket(socket.AF_UNIX); v.bind("\0abstract"); use(v)
a, b = socket.socketpair(); use(a); use(b)
n = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15); n.bind((0, 0)); use(n)
libc.openat(-100, b"missing", 0)
`

var changing = regexp.MustCompile(`[0-9]{4,}|pts/[0-9]+|136:[0-9]+|eventfd-id=[0-9]+`)

// Two ways to the same: the kernel's own structures, and /proc while the target stands.
func TestDescriptorsAreTheSameWithoutAndWithStops(t *testing.T) {
	need.BPF(t)
	python := need.Command(t, "python3")
	var lines [2]string
	for i, tracer := range []string{"--backend=bpf", "--backend=ptrace -f --seccomp-bpf"} {
		dir := t.TempDir()
		out := filepath.Join(t.TempDir(), "out")
		args := append(strings.Fields(tracer), "-yy", "-e", "trace=fsync,openat", "-e", "signal=none", "-o", out, python, "-c", openAll)
		cmd := exec.Command("perftrace", args...)
		cmd.Dir = dir
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		used := onlyOf(string(text), dir)
		lines[i] = spaces.ReplaceAllString(changing.ReplaceAllString(used, "N"), " = ")
	}
	if d := cmp.Diff(lines[0], lines[1]); d != "" {
		t.Errorf("(-bpf +ptrace)\n%s", d)
	}
	for _, want := range []string{`openat(AT_FDCWD<DIR>, "missing"`, "<TCP:[127.0.0.1:N->127.0.0.1:N]>", "<signalfd:[SEGV]>", "</dev/ptmx<char 5:2 @/dev/N>>"} {
		if !strings.Contains(lines[1], want) {
			t.Errorf("%s is not told:\n%s", want, lines[1])
		}
	}
}

// onlyOf returns the lines from the first fsync on, of any task, without pids and
// with DIR for dir.
func onlyOf(text, dir string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, dir, "DIR")) {
		line = strings.TrimLeft(line, "0123456789 ")
		if b.Len() > 0 || strings.HasPrefix(line, "fsync(") {
			b.WriteString(line)
		}
	}
	return b.String()
}
