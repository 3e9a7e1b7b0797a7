package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"perftrace/internal/need"
)

// tracedCalls are the calls whose lines must equal strace's.
const tracedCalls = "open,openat,read,write,execve,access,stat,lstat,fstat,newfstatat,readlink,getcwd,connect,bind," +
	"accept4,sendto,recvfrom,sendmsg,recvmsg,writev,readv,getdents64,pipe2,socketpair,clock_nanosleep,poll,ppoll," +
	"select,epoll_ctl,epoll_wait,wait4,uname,sysinfo,getrlimit,prlimit64,rt_sigaction,rt_sigprocmask"

// differ runs a program under strace and under perftrace and returns the tasks
// that are not the same, pids, addresses and times aside. What two runs of
// strace show differently is no measure: a second chance is given.
func differ(t *testing.T, tracer []string, p program) string {
	var want, got []string
	var report string
	for range 4 {
		want = trace(t, []string{"strace"}, p)
		got = trace(t, tracer, p)
		if report = compareTasks(want, got); report == "" {
			return ""
		}
	}
	return report
}

// trace returns the text of each task of a traced program, normalised, sorted.
func trace(t *testing.T, tracer []string, p program) []string {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(t.TempDir(), "out")
	args := append(slices.Clone(tracer[1:]), "-f", "-s64", "-o", out, "-e", "trace="+tracedCalls, "-e", "signal=none", "sh", "-c", p.run())
	cmd := exec.Command(tracer[0], args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C", "TZ=UTC"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.WaitDelay = 20 * time.Second
	if err := cmd.Run(); err != nil {
		t.Logf("%s under %s: %v\n%s", p.name, tracer[0], err, stderr.Bytes())
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatalf("%s: %v\n%s", tracer[0], err, stderr.Bytes())
	}
	return byTask(string(text), dir)
}

var (
	hexNumber = regexp.MustCompile(`0x[0-9a-f]{5,}`)
	pidNumber = regexp.MustCompile(`\b[0-9]{3,7}\b`)
	stamp     = regexp.MustCompile(`tv_n?u?sec=[0-9]+|st_[acm]time(_nsec)?=[^,}]*|st_ino=[0-9]+|d_ino=[0-9]+|d_off=[0-9]+`)
	volatile  = regexp.MustCompile(`(uptime|loads|totalram|freeram|sharedram|bufferram|procs|freeswap|totalhigh|freehigh)=[^,}]*`)
)

// byTask splits -f -o output by task, joins unfinished calls with their rest,
// and takes out what no two runs have in common.
func byTask(text, dir string) []string {
	lines := map[string][]string{}
	pending := map[string]string{}
	for line := range strings.Lines(strings.ReplaceAll(text, dir, "DIR")) {
		pid, rest, ok := strings.Cut(strings.TrimRight(line, "\n"), " ")
		if !ok {
			continue
		}
		rest = strings.TrimLeft(rest, " ")
		if begin, found := strings.CutSuffix(rest, "<unfinished ...>"); found {
			pending[pid] = strings.TrimRight(begin, " ")
			continue
		}
		if i := strings.Index(rest, " resumed>"); i > 0 && strings.HasPrefix(rest, "<... ") {
			join := pending[pid]
			tail := rest[i+len(" resumed>"):]
			if strings.HasSuffix(join, ",") && tail != "" && tail[0] != ')' && tail[0] != ' ' {
				join += " "
			}
			rest = join + tail
			delete(pending, pid)
		}
		rest = regexp.MustCompile(` +(= )`).ReplaceAllString(rest, " $1")
		rest = hexNumber.ReplaceAllString(rest, "ADDR")
		rest = stamp.ReplaceAllString(rest, "STAMP")
		rest = volatile.ReplaceAllString(rest, "VOLATILE")
		rest = pidNumber.ReplaceAllString(rest, "N")
		lines[pid] = append(lines[pid], rest)
	}
	var tasks []string
	for _, l := range lines {
		tasks = append(tasks, strings.Join(l, "\n"))
	}
	slices.Sort(tasks)
	return tasks
}

// compareTasks pairs off equal tasks and reports the first difference of the
// others.
func compareTasks(want, got []string) string {
	var b strings.Builder
	rest := slices.Clone(got)
	var missing []string
	for _, w := range want {
		if i := slices.Index(rest, w); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
			continue
		}
		missing = append(missing, w)
	}
	if len(want) != len(got) {
		fmt.Fprintf(&b, "%d tasks, strace has %d\n", len(got), len(want))
	}
	for i := range max(len(missing), len(rest)) {
		var w, g []string
		if i < len(missing) {
			w = strings.Split(missing[i], "\n")
		}
		if i < len(rest) {
			g = strings.Split(rest[i], "\n")
		}
		n := 0
		for j := range max(len(w), len(g)) {
			wl, gl := "(nothing)", "(nothing)"
			if j < len(w) {
				wl = w[j]
			}
			if j < len(g) {
				gl = g[j]
			}
			if wl != gl {
				fmt.Fprintf(&b, "  strace    %s\n  perftrace %s\n", wl, gl)
				if n++; n == 3 {
					break
				}
			}
		}
	}
	return b.String()
}

func TestProgramsShowTheSameLinesAsUnderStrace(t *testing.T) {
	need.Root(t)
	need.Command(t, "strace")
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			for _, c := range p.needs() {
				need.Command(t, c)
			}
			if d := differ(t, []string{ours(t)}, p); d != "" {
				t.Error(d)
			}
		})
	}
}

// ours is the program under test, built once.
var ours = func() func(t *testing.T) string {
	var once sync.Once
	var dir, msg string
	return func(t *testing.T) string {
		once.Do(func() {
			dir, _ = os.MkdirTemp("", "perftrace-test")
			out, err := exec.Command("go", "build", "-o", dir+"/perftrace", ".").CombinedOutput()
			if err != nil {
				msg = string(out)
			}
		})
		if msg != "" {
			t.Fatal(msg)
		}
		return dir + "/perftrace"
	}
}()
