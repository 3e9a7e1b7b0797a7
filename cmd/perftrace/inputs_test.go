package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"perftrace/event/need"
)

// Small inputs that broke other tracers, on the whole program.

// lines runs perftrace with arguments and returns what it wrote, by lines.
func lines(t *testing.T, args ...string) []string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	cmd := exec.Command("perftrace", append([]string{"-o", out, "-a", "1"}, args...)...)
	cmd.Dir = t.TempDir()
	msg, err := cmd.CombinedOutput()
	text, fileErr := os.ReadFile(out)
	if fileErr != nil {
		t.Fatalf("%v: %v, %v\n%s", args, err, fileErr, msg)
	}
	return strings.Split(strings.TrimRight(string(text), "\n"), "\n")
}

// wantLine checks that exactly n lines match the expression.
func wantLine(t *testing.T, got []string, n int, expr string) {
	t.Helper()
	re, found := regexp.MustCompile(expr), 0
	for _, l := range got {
		if re.MatchString(l) {
			found++
		}
	}
	if found != n {
		t.Errorf("%d lines match %s, want %d, in:\n%s", found, expr, n, strings.Join(got[:min(len(got), 60)], "\n"))
	}
}

func TestPathsAndVectorsAtTheEdgesAreShownWhole(t *testing.T) {
	need.BPF(t)
	bin := need.C(t, `
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include <sys/syscall.h>
int main(void) {
	char *m = mmap(0, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0);
	munmap(m + 4096, 4096);
	char *edge = m + 4096 - 8;
	memcpy(edge, "/no/such", 8);                     // no NUL before the hole
	open(edge, 0);
	memcpy(edge, "/no/suc", 8);
	open(edge, 0);
	open("", 0);
	open((char *)0, 0);
	struct iovec v[1024];
	for (int i = 0; i < 1024; i++) { v[i].iov_base = "x"; v[i].iov_len = 1; }
	int null = open("/dev/null", 1);
	writev(null, v, 0); writev(null, v, 1); writev(null, v, 1024);
	v[1].iov_base = (void *)8;
	int f = memfd_create("f", 0);
	writev(f, v, 3);
	syscall(SYS_execve, "/no/such/file", 0, 0);
	char *argv[] = {"prog", "", "x", 0};
	execv("/", argv);
	execv("/etc/passwd", argv);
	return 0;
}`)
	got := lines(t, "-e", "trace=openat,writev,execve", bin)
	wantLine(t, got, 1, `^openat\(AT_FDCWD, 0x[0-9a-f]+, O_RDONLY\) = -1 EFAULT \(Bad address\)$`)
	wantLine(t, got, 1, `^openat\(AT_FDCWD, "/no/suc", O_RDONLY\) = -1 ENOENT \(No such file or directory\)$`)
	wantLine(t, got, 1, `^openat\(AT_FDCWD, "", O_RDONLY\) = -1 ENOENT`)
	wantLine(t, got, 1, `^openat\(AT_FDCWD, NULL, O_RDONLY\) = -1 EFAULT`)
	wantLine(t, got, 1, `^writev\(\d, \[\], 0\) = 0$`)
	wantLine(t, got, 1, `^writev\(\d, \[\{iov_base="x", iov_len=1\}\], 1\) = 1$`)
	wantLine(t, got, 1, `^writev\(\d, \[(\{iov_base="x", iov_len=1\}, ){32}\.\.\.\], 1024\) = 1024$`)
	wantLine(t, got, 1, `^writev\(\d, \[\{iov_base="x", iov_len=1\}, \{iov_base=0x8, iov_len=1\}, \{iov_base="x", iov_len=1\}\], 3\) = `)
	wantLine(t, got, 1, `^execve\("/no/such/file", NULL, NULL\) = -1 ENOENT`)
	wantLine(t, got, 1, `^execve\("/", \["prog", "", "x"\], 0x[0-9a-f]+ /\* \d+ vars \*/\) = -1 EACCES \(Permission denied\)$`)
	wantLine(t, got, 1, `^execve\("/etc/passwd", \["prog", "", "x"\], .* = -1 EACCES`)
}

func TestArgumentVectorsAreCutOnlyBehindTheLimit(t *testing.T) {
	need.BPF(t)
	args := strings.Fields(strings.Repeat("a ", 31))
	got := lines(t, append([]string{"-e", "trace=execve", "/bin/true"}, args...)...)
	wantLine(t, got, 1, `^execve\("/bin/true", \["/bin/true"(, "a"){31}\], `)
	got = lines(t, append([]string{"-e", "trace=execve", "/bin/true", "b"}, args...)...)
	wantLine(t, got, 1, `^execve\("/bin/true", \["/bin/true", "b"(, "a"){30}, \.\.\.\], `)
}

func TestAThousandShortProgramsAllShowTheirArguments(t *testing.T) {
	need.BPF(t)
	got := lines(t, "-f", "-e", "trace=execve", "-e", "signal=none", "-qqq", "sh", "-c",
		`i=0; while [ $i -lt 1000 ]; do /bin/true arg$i; i=$((i+1)); done`)
	wantLine(t, got, 1000, `execve\("/bin/true", \["/bin/true", "arg\d+"\], 0x[0-9a-f]+ /\* \d+ vars \*/\) = 0$`)
}

func TestOddFileNamesReachNeitherTerminalNorJSONRaw(t *testing.T) {
	need.BPF(t)
	bin := need.C(t, `
#include <fcntl.h>
int main(void) {
	char name[] = "q\"b\\n\n\001\033[31m\377\200end";
	open(name, 0);
	char each[2] = "x";
	for (int i = 1; i < 256; i++) { each[0] = i; open(each, 0); }
}`)
	got := lines(t, "-e", "trace=openat", bin)
	wantLine(t, got, 1, `^openat\(AT_FDCWD, "q\\"b\\\\n\\n\\1\\33\[31m\\377\\200end", O_RDONLY\)`)
	for _, l := range got {
		for _, c := range []byte(l) {
			if c < ' ' || c > '~' {
				t.Fatalf("byte %#x in %q", c, l)
			}
		}
	}
	single := 0
	for _, l := range lines(t, "--json", "-e", "trace=openat", bin) {
		var object struct {
			Args struct{ Pathname any }
		}
		if err := json.Unmarshal([]byte(l), &object); err != nil {
			t.Fatalf("%v: %s", err, l)
		}
		single++
	}
	if single < 256 {
		t.Errorf("%d objects, want at least 256", single)
	}
}

func TestCallsWithoutANameAreShownByNumberAndCounted(t *testing.T) {
	need.BPF(t)
	bin := need.C(t, `
#include <unistd.h>
#include <sys/syscall.h>
int main(void) {
	syscall(511, 1, 2, 3, 4, 5, 6); syscall(1000, 1, 2, 3, 4, 5, 6); syscall(0x40000000 | 39);
	char path[] = "/no/such";
	syscall(437, -100, path, 0, 24); syscall(435, 0, 0);
}`)
	got := lines(t, bin)
	wantLine(t, got, 1, `^syscall_0x1ff\(0x1, 0x2, 0x3, 0x4, 0x5, 0x6\) = -1 ENOSYS`)
	wantLine(t, got, 1, `^syscall_0x3e8\(0x1, 0x2, 0x3, 0x4, 0x5, 0x6\) = -1 ENOSYS`)
	wantLine(t, got, 1, `^openat2\(AT_FDCWD, "/no/such", NULL, 24\) = -1 `)
	wantLine(t, got, 1, `^clone3\(NULL, 0\) = -1 EINVAL`)
	table := strings.Join(lines(t, "-c", bin), "\n")
	if !strings.Contains(table, "syscall_0x1ff") {
		t.Errorf("the summary does not know syscall_0x1ff:\n%s", table)
	}
}

func TestForkersThatExecShowTheirWholeTree(t *testing.T) {
	need.BPF(t)
	got := lines(t, "-f", "-qq", "-e", "trace=execve,exit_group", "-e", "signal=none", "sh", "-c",
		`for j in 1 2 3 4; do (for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do /bin/true; done) & done; wait`)
	wantLine(t, got, 100, `execve\("/bin/true"`)
	wantLine(t, got, 105, `exit_group\(0\) += \?$`) // 100 × true, 4 subshells, sh
}

func TestATracerCanBeTraced(t *testing.T) {
	need.BPF(t)
	need.Command(t, "strace")
	got := lines(t, "-f", "-e", "trace=openat,ptrace", "strace", "-o", "inner", "cat", "/etc/hostname")
	wantLine(t, got, 1, `openat\(AT_FDCWD, "/etc/hostname", O_RDONLY\) = 3$`)
}

func TestSleepIsAccountedAsWallTime(t *testing.T) {
	need.BPF(t)
	got := strings.Join(lines(t, "-c", "-w", "-U", "name,wall-total", "sleep", "0.5"), "\n")
	m := regexp.MustCompile(`clock_nanosleep +(0\.\d+)|(0\.\d+) +clock_nanosleep|clock_nanosleep`).FindString(got)
	if !regexp.MustCompile(`0\.[5-9]`).MatchString(m) {
		t.Errorf("clock_nanosleep shows %q, want about 0.5 s, in\n%s", m, got)
	}
}

func TestTheTracerEndsAtOnceAndTheTargetForksOn(t *testing.T) {
	need.BPF(t)
	bin := need.C(t, `
#define _GNU_SOURCE
#include <unistd.h>
#include <sys/wait.h>
int main(void) {
	for (;;) { int s, p = vfork(); if (!p) { execl("/bin/true", "true", (char *)0); _exit(1); } if (waitpid(p, &s, 0) < 0 || s) return 1; }
}`)
	target := exec.Command(bin)
	if err := target.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- target.Wait() }()
	defer func() { _ = target.Process.Kill(); <-ended }()
	var stderr bytes.Buffer
	tracer := exec.Command("perftrace", "-f", "-o", filepath.Join(t.TempDir(), "out"), "-p", strconv.Itoa(target.Process.Pid))
	tracer.Stderr = &stderr
	if err := tracer.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	begin := time.Now()
	_ = tracer.Process.Signal(syscall.SIGINT)
	_ = tracer.Wait()
	if d := time.Since(begin); d > 20*time.Second {
		t.Errorf("the tracer took %v to end\n%s", d, stderr.Bytes())
	}
	select {
	case err := <-ended:
		t.Fatalf("the target ended: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
}
