package bpf

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/event/need"
)

// opener makes descriptors of many kinds, tells what /proc says of each, and
// makes a call on it.
const opener = `
import os, socket, select, sys, tempfile, ctypes
libc = ctypes.CDLL(None)
log = open(sys.argv[1], "w")
def show(fd):
    log.write("%d %s\n" % (fd, os.readlink("/proc/self/fd/%d" % fd))); log.flush()
    libc.fsync(fd)
d = tempfile.mkdtemp()
f = os.open(d + "/plain", os.O_CREAT | os.O_RDWR); show(f)
os.unlink(d + "/plain"); show(f)
g = os.open(d + "/before", os.O_CREAT | os.O_RDWR); os.rename(d + "/before", d + "/after"); show(g)
show(os.open("/", os.O_RDONLY)); show(os.open("/proc/self/status", os.O_RDONLY)); show(os.open("/dev/null", os.O_RDONLY))
r, w = os.pipe(); show(r); show(w)
e = select.epoll(); show(e.fileno())
show(libc.eventfd(5, 0))
show(os.memfd_create("memo"))
show(os.pidfd_open(os.getpid()))
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(1); show(s.fileno())
c = socket.create_connection(s.getsockname()); show(c.fileno())
u = socket.socket(socket.AF_UNIX); u.bind(d + "/sock"); show(u.fileno())
n = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15); n.bind((0, 0)); show(n.fileno())
show(os.open("/proc/self/ns/net", os.O_RDONLY))
os.close(g); os.close(f)
os.unlink(d + "/after"); os.unlink(d + "/sock"); os.rmdir(d)
`

func TestADescriptorIsToldAsProcTellsIt(t *testing.T) {
	need.BPF(t)
	need.Command(t, "python3")
	dir := t.TempDir()
	script, log := filepath.Join(dir, "opener.py"), filepath.Join(dir, "log")
	if err := os.WriteFile(script, []byte(opener), 0o600); err != nil {
		t.Fatal(err)
	}
	p := commandPlan()
	capture(p, unix.SYS_FSYNC, event.Capture{Kind: event.CapFD, From: 0, When: event.AtEntry})
	evs, _ := traced(t, p, "python3", script, log)

	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	got := calls(evs, unix.SYS_FSYNC)
	if len(got) != len(want) {
		t.Fatalf("%d calls, want %d", len(got), len(want))
	}
	var protos []string
	for i, c := range got {
		if len(c.in) != 1 || c.in[0].Status != event.PieceFD {
			t.Errorf("%s: pieces %+v", want[i], c.in)
			continue
		}
		b := c.in[0].Data
		name := string(b[event.FDHead:])
		path := strings.SplitN(want[i], " ", 2)[1]
		switch event.FDKind(b[0]) {
		case event.FDPath:
			if b[1]&event.FDDeleted != 0 {
				name += " (deleted)"
			}
			if name != path {
				t.Errorf("told %q, /proc says %q", name, path)
			}
		case event.FDName:
			value := binary.LittleEndian.Uint64(b[event.FDValueAt:])
			switch {
			case strings.Contains(path, "pidfd"): // has no name
				if value == 0 {
					t.Errorf("%s: no pid", path)
				}
			case !strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(path, "anon_inode:"), "/"), name):
				t.Errorf("told %q, /proc says %q", name, path)
			case strings.Contains(path, "eventfd") && value != 5:
				t.Errorf("eventfd: count %d, want 5", value)
			}
		case event.FDSocket:
			if !strings.HasPrefix(path, "socket:[") {
				t.Errorf("told of a socket, /proc says %q", path)
			}
			protos = append(protos, strings.TrimRight(string(b[event.FDProtoAt:event.FDProtoAt+event.FDProtoLen]), "\x00"))
		}
	}
	if want := []string{"TCP", "TCP", "UNIX-STREAM", "NETLINK"}; !slices.Equal(protos, want) {
		t.Errorf("protocols %q, want %q", protos, want)
	}
}
