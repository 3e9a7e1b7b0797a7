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
	"testing"
	"time"

	"perftrace/event/need"
)

// tracedCalls are the calls whose lines must equal strace's.
const tracedCalls = "open,openat,read,write,execve,access,stat,lstat,fstat,newfstatat,readlink,getcwd,connect,bind," +
	"accept4,sendto,recvfrom,sendmsg,recvmsg,writev,readv,getdents64,pipe2,socketpair,clock_nanosleep,poll,ppoll," +
	"select,epoll_ctl,epoll_wait,wait4,uname,sysinfo,getrlimit,prlimit64,rt_sigaction,rt_sigprocmask,ioctl"

// differ runs a program under strace and under perftrace and returns the tasks
// that are not the same, pids, addresses and times aside. What two runs of
// strace show differently is no measure: a second chance is given.
func differ(t *testing.T, tracer []string, p program, shape func(string) string) string {
	var want, got []string
	var report string
	for range 4 {
		want = tasksOf(t, []string{"strace"}, p, shape)
		got = tasksOf(t, tracer, p, shape)
		if report = compareTasks(want, got); report == "" {
			return ""
		}
	}
	return report
}

// tasksOf returns the text of each task of a traced program, normalised, sorted.
func tasksOf(t *testing.T, tracer []string, p program, shape func(string) string) []string {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(t.TempDir(), "out")
	args := append(slices.Clone(tracer[1:]), "-f", "-o", out, "-e", "trace="+tracedCalls, "-e", "signal=none", "sh", "-c", p.run())
	cmd := exec.Command(tracer[0], args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + dir, "LC_ALL=C", "TZ=UTC"}
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
	return byTask(string(text), dir, shape)
}

var (
	spaces    = regexp.MustCompile(` += `)
	hexNumber = regexp.MustCompile(`0x[0-9a-f]{5,}|\b[0-9a-f]{8,}-[0-9a-f]{6,}\b`)
	pidNumber = regexp.MustCompile(`\b[0-9]{3,7}\b`)
	termios   = regexp.MustCompile(`TCGETS2?, \{[^}]*\}`)          // {B38400 opost …} before strace 6.9
	epollData = regexp.MustCompile(`data=(\{[^}]*\}|0x[0-9a-f]+)`) // {u32=…, u64=…} before strace 6.9
	stamp     = regexp.MustCompile(`tv_n?u?sec=[0-9]+|st_[acm]time(_nsec)?=[^,}]*|st_ino=[0-9]+|d_ino=[0-9]+|d_off=[0-9]+`)
	volatile  = regexp.MustCompile(`(uptime|loads|totalram|freeram|sharedram|bufferram|procs|freeswap|totalhigh|freehigh)=[^,}]*`)
)

// byTask splits -f -o output by task, joins unfinished calls with their rest,
// takes out what no two runs have in common, and gives each line its shape.
func byTask(text, dir string, shape func(string) string) []string {
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
		rest = spaces.ReplaceAllString(rest, " = ")
		rest = termios.ReplaceAllString(rest, "TCGETS, {}")
		rest = epollData.ReplaceAllString(rest, "data=DATA")
		rest = hexNumber.ReplaceAllString(rest, "ADDR")
		rest = stamp.ReplaceAllString(rest, "STAMP")
		rest = volatile.ReplaceAllString(rest, "VOLATILE")
		rest = pidNumber.ReplaceAllString(rest, "N")
		lines[pid] = append(lines[pid], shape(rest))
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
			if d := differ(t, []string{"perftrace"}, p, whole); d != "" {
				t.Error(d)
			}
		})
	}
}

func whole(line string) string { return line }

// outline is the name and the result of a call: what a backend shows that
// copies no memory.
func outline(line string) string {
	if strings.HasPrefix(line, "+++ ") {
		return "" // without exit_group among the calls, perf does not know the status
	}
	name, _, _ := strings.Cut(line, "(")
	if i := strings.LastIndex(line, " = "); i > 0 {
		result, _, _ := strings.Cut(line[i:], " (")
		return name + result
	}
	return line
}

// Every backend sees the calls that strace sees: names, order in each task, results.
func TestEveryBackendShowsTheCallsThatStraceShows(t *testing.T) {
	need.Root(t)
	need.Command(t, "strace")
	for _, backend := range []string{"perf", "ptrace"} {
		for _, p := range programs[:14] {
			t.Run(backend+"/"+p.name, func(t *testing.T) {
				if d := differ(t, []string{"perftrace", "--backend=" + backend}, p, outline); d != "" {
					t.Error(d)
				}
			})
		}
	}
}
