package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

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
s6 = socket.socket(socket.AF_INET6); s6.bind(("::1", 0)); s6.listen(1); use(s6)
c6 = socket.create_connection(s6.getsockname()[:2]); use(c6); use(s6.accept()[0]); use(t.accept()[0])
e = os.open("before", os.O_CREAT | os.O_RDWR); use(e); os.rename("before", "behind"); use(e)
h = os.open("/proc/self/fd/%d" % e, os.O_RDONLY); use(h); use(os.open("/proc/self/fd", os.O_RDONLY))
os.mkdir("real"); os.mkdir("bound")
libc.unshare(0x20000)
libc.mount(None, b"/", None, 0x44000, None)
libc.mount(b"real", b"bound", None, 4096, None)
use(os.open("bound/file", os.O_CREAT | os.O_RDWR))
os.chroot("real"); use(os.open("/file", os.O_RDWR)); use(e)
libc.openat(-100, b"missing", 0)
`

var (
	changing = regexp.MustCompile(`[0-9]{4,}|pts/[0-9]+|136:[0-9]+|eventfd-id=[0-9]+`)
	newer    = regexp.MustCompile(`<char 5:2( @/dev/N)?>|<{eventfd-[^>]*}>|<signalfd:[^>]*>|<anon_inode:\[(event|signal)fd\]>`)
)

// usedUnder returns what a tracer of openAll shows of its descriptors; asleep, it
// is stopped from before the first until a second after the target's end.
func usedUnder(t *testing.T, tracer string, asleep bool) string {
	t.Helper()
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	target := exec.Command("sh", "-c", `read go; exec "$@"`, "sh", need.Command(t, "python3"), "-c", openAll)
	target.Dir = dir
	start, err := target.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := target.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Process.Kill() }()
	args := append(strings.Fields(tracer), "-yy", "-e", "trace=fsync,openat", "-e", "signal=none", "-o", out, "-p", strconv.Itoa(target.Process.Pid))
	cmd := exec.Command(args[0], args[1:]...)
	say, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	said := bufio.NewReader(say)
	if line, err := said.ReadString('\n'); err != nil || !strings.Contains(line, "attached") {
		t.Fatalf("%s: %v: %s", tracer, err, line)
	}
	if asleep {
		_ = unix.Kill(cmd.Process.Pid, unix.SIGSTOP)
	}
	start.Close()
	if err := target.Wait(); err != nil {
		t.Fatal(err)
	}
	if asleep {
		time.Sleep(time.Second)
		_ = unix.Kill(cmd.Process.Pid, unix.SIGCONT)
	}
	rest, _ := io.ReadAll(said)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%s: %v\n%s", tracer, err, rest)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	used := onlyOf(string(text), dir)
	return spaces.ReplaceAllString(changing.ReplaceAllString(used, "N"), " = ")
}

// The kernel's own structures tell what a descriptor is, at the time of the call:
// the same to a tracer that slept while the target used it, closed it and ended,
// and the same as /proc does while the target stands. strace itself told less of
// three kinds before 6.7.
func TestDescriptorsAreWhatTheyWereAtTheTimeOfTheCall(t *testing.T) {
	need.BPF(t)
	awake := usedUnder(t, "perftrace", false)
	for _, other := range []struct {
		tracer string
		asleep bool
	}{{"perftrace", true}, {"perftrace --backend=ptrace", false}, {need.Command(t, "strace"), false}} {
		got, want := usedUnder(t, other.tracer, other.asleep), awake
		if strings.HasSuffix(other.tracer, "strace") {
			got, want = newer.ReplaceAllString(got, "<..>"), newer.ReplaceAllString(want, "<..>")
		}
		if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); d != "" {
			t.Errorf("(-awake +%s, asleep: %v)\n%s", other.tracer, other.asleep, d)
		}
	}
	for _, want := range []string{
		`openat(AT_FDCWD<DIR>, "missing"`, "<TCP:[127.0.0.1:N->127.0.0.1:N]>", "<TCPv6:[[::1]:N->[::1]:N]>",
		"<signalfd:[SEGV]>", "</dev/ptmx<char 5:2 @/dev/N>>", "<DIR/behind>", "<DIR/bound/file>", "<DIR/real/file>",
		"<DIR/plain>(deleted)", "<pipe:[N]>", `,@"abstract"]>`, "<NETLINK:[KOBJECT_UEVENT:N]>", "<pid:N>", "</memfd:memo>(deleted)",
	} {
		if !strings.Contains(awake, want) {
			t.Errorf("%s is not told:\n%s", want, awake)
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
