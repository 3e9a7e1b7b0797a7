// Package need says what a test needs of the machine. A test whose need is not
// met is skipped with one line of a fixed form,
//
//	SKIP-NEED: root: not running as root
//
// which goes to the file PERFTRACE_SKIPS too, so that make test can count them,
// unless PERFTRACE_CI is 1: then only the needs that PERFTRACE_LACKS names
// (root, perf, bpf, m32, strace …; separated by commas) may be missing, and any other fails the test.
package need

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func lack(t testing.TB, name, why string) {
	t.Helper()
	if os.Getenv("PERFTRACE_CI") == "1" && !slices.Contains(strings.Split(os.Getenv("PERFTRACE_LACKS"), ","), name) {
		t.Fatalf("need %s: %s; list it in PERFTRACE_LACKS if this machine can't have it", name, why)
	}
	line := fmt.Sprintf("SKIP-NEED: %s: %s", name, why)
	if file := os.Getenv("PERFTRACE_SKIPS"); file != "" {
		if f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
			fmt.Fprintf(f, "%s: %s\n", t.Name(), line)
			_ = f.Close()
		}
	}
	t.Skip(line)
}

// Root needs the user to be root.
func Root(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		lack(t, "root", "not running as root")
	}
}

// Perf needs perf events of whole CPUs: root and a kernel and sandbox that allow them.
func Perf(t testing.TB) {
	t.Helper()
	Root(t)
	a := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_DUMMY,
		Size: unix.PERF_ATTR_SIZE_VER5, Bits: unix.PerfBitDisabled,
	}
	fd, err := unix.PerfEventOpen(&a, -1, 0, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		lack(t, "perf", fmt.Sprintf("perf_event_open: %v", err))
	}
	_ = unix.Close(fd)
}

// BPF needs programs to be loadable: root and the bpf system call.
func BPF(t testing.TB) {
	t.Helper()
	Perf(t)
	// BPF_MAP_CREATE with an empty attribute: EINVAL says that it is there and allowed.
	_, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_MAP_CREATE, 0, 0)
	if errno == unix.EPERM || errno == unix.ENOSYS {
		lack(t, "bpf", fmt.Sprintf("bpf: %v", errno))
	}
}

// Command needs a program, and returns its path.
func Command(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		lack(t, name, err.Error())
	}
	return path
}

// C compiles a C program, and returns its path.
func C(t testing.TB, source string, flags ...string) string {
	t.Helper()
	cc := Command(t, "gcc")
	return compile(t, cc, source, flags)
}

// M32 compiles a C program for 32 bits, and returns its path.
func M32(t testing.TB, source string, flags ...string) string {
	t.Helper()
	cc := Command(t, "gcc")
	probe := filepath.Join(t.TempDir(), "probe")
	cmd := exec.Command(cc, "-m32", "-x", "c", "-o", probe, "-")
	cmd.Stdin = strings.NewReader("#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		lack(t, "m32", fmt.Sprintf("gcc -m32: %v: %.200s", err, out))
	}
	if err := exec.Command(probe).Run(); err != nil {
		lack(t, "m32", fmt.Sprintf("running a 32-bit program: %v", err))
	}
	return compile(t, cc, source, append([]string{"-m32"}, flags...))
}

func compile(t testing.TB, cc, source string, flags []string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "program")
	args := append(slices.Clone(flags), "-O1", "-w", "-x", "c", "-o", bin, "-")
	cmd := exec.Command(cc, args...)
	cmd.Stdin = strings.NewReader(source)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("compile: %v\n%s", err, out)
	}
	return bin
}
