package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// A workload is a program that is run bare and under the tracers.
type workload struct {
	name  string
	what  string   // for the heading of its table
	prog  string   // of workload/
	mode  string   // its argument, of loops
	calls []string // what the loop calls; the filters that match name these
	ns    float64  // about what a call takes, bare; decides how many are made
	job   func(b *bench) ([]string, error)
	near  bool // the process that is timed is not the one that is traced
	fixed bool // the job makes the same calls each time
	serve bool // the job is a server, and its clients are timed
	whole bool // all variants are run, not only those that tell most
	quick bool
}

var workloads = []workload{
	{name: "getppid", whole: true, what: "a loop of getppid, the cheapest call", prog: "loop", mode: "getppid", calls: []string{"getppid"}, ns: 100, quick: true},
	{name: "read", what: "a loop of read, 1 byte of /dev/zero", prog: "loop", mode: "read", calls: []string{"read"}, ns: 150},
	{name: "write", what: "a loop of write, 64 bytes to /dev/null", prog: "loop", mode: "write", calls: []string{"write"}, ns: 150},
	{name: "openat", whole: true, what: "a loop of openat of a path that is missing", prog: "loop", mode: "openat", calls: []string{"openat"}, ns: 700, quick: true},
	{name: "file", what: "a loop of openat, read, lseek, close", prog: "loop", mode: "file", calls: []string{"openat", "read", "lseek", "close"}, ns: 400},
	{name: "threads2", what: "2 threads that call getppid", prog: "loop", mode: "threads2", calls: []string{"getppid"}, ns: 60},
	{name: "threads4", what: "4 threads that call getppid", prog: "loop", mode: "threads4", calls: []string{"getppid"}, ns: 60, quick: true},
	{name: "futex", what: "2 threads that take turns by futex", prog: "pingpong", mode: "futex", calls: []string{"futex"}, ns: 3000},
	{name: "pipe", what: "3 processes that hand a byte around by pipes", prog: "pingpong", mode: "pipe", calls: []string{"read", "write"}, ns: 3000},
	{name: "neighbour", what: "a loop of getppid in a process that is not traced, while a process that sleeps is", prog: "hold", calls: []string{"getppid"}, ns: 100, near: true, quick: true},
	{name: "dd", fixed: true, what: "dd bs=1 from /dev/zero to /dev/null", prog: "job", job: ddJob, calls: []string{"read", "write"}, ns: 200},
	{name: "find", fixed: true, what: "find /usr -xdev, or of /usr/share with -quick", prog: "job", job: findJob, calls: []string{"newfstatat", "getdents64"}, quick: true},
	{name: "tar", fixed: true, what: "tar of the C headers", prog: "job", job: tarJob, calls: []string{"openat", "read"}},
	{name: "compile", what: "gcc -O2 -c of a workload", prog: "job", job: compileJob, calls: []string{"openat", "read"}},
	{name: "redis", what: "redis-server under the load of redis-benchmark, whose time is shown", prog: "job", job: redisJob, calls: []string{"read", "write"}, serve: true},
}

const ddCalls = 20000 // of read, and as many of write

func ddJob(b *bench) ([]string, error) {
	return need("dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count="+strconv.Itoa(ddCalls), "status=none")
}

func findJob(b *bench) ([]string, error) {
	dir := "/usr"
	if b.quick {
		dir = "/usr/share"
	}
	return need("find", dir, "-xdev")
}

func tarJob(b *bench) ([]string, error) {
	// Not to /dev/null, which tar recognises, to then read nothing.
	return need("tar", "-C", "/usr/include", "-cf", filepath.Join(b.dir, "job.tar"), ".")
}

func compileJob(b *bench) ([]string, error) {
	return need("gcc", "-O2", "-c", "-o", filepath.Join(b.dir, "job.o"), filepath.Join(b.source, "loop.c"))
}

func redisJob(b *bench) ([]string, error) {
	for _, client := range []string{"redis-benchmark", "redis-cli"} {
		if _, err := exec.LookPath(client); err != nil {
			return nil, fmt.Errorf("%s is missing", client)
		}
	}
	return need("redis-server", "--port", "0", "--unixsocket", b.socket(), "--save", "", "--dir", b.dir)
}

func (b *bench) socket() string { return filepath.Join(b.dir, "redis.sock") }

func need(tool string, args ...string) ([]string, error) {
	path, err := exec.LookPath(tool)
	if err != nil {
		return nil, fmt.Errorf("%s is missing", tool)
	}
	return append([]string{path}, args...), nil
}

// compile builds the C programs into b.dir. "near" is loop by another name, for
// the neighbour: tracers that choose by name must not see it.
func (b *bench) compile() error {
	for bin, src := range map[string]string{"loop": "loop", "near": "loop", "pingpong": "pingpong", "job": "job", "hold": "hold"} {
		out, err := exec.Command("gcc", "-O1", "-pthread", "-o", b.program(bin), filepath.Join(b.source, src+".c")).CombinedOutput()
		if err != nil {
			return fmt.Errorf("compile %s.c: %w; install gcc\n%s", src, err, out)
		}
	}
	return nil
}

func (b *bench) program(name string) string { return filepath.Join(b.dir, "ptb-"+name) }

// command is what is run in a cell, without the tracer, and where it reports.
func (b *bench) command(c *cell) (argv []string, report string, err error) {
	w := c.workload
	report = filepath.Join(b.dir, "report")
	_ = os.Remove(report)
	argv = []string{b.program(w.prog), report}
	switch {
	case w.job != nil:
		job, err := w.job(b)
		return append(argv, job...), report, err
	case w.near:
		return append(argv, filepath.Join(b.dir, "ready"), filepath.Join(b.dir, "go")), report, nil
	default:
		return append(argv, w.mode, strconv.Itoa(c.n)), report, nil
	}
}

// A report is what a workload tells when it is done.
type report struct {
	main, begin, end, cpu int64 // ns
	calls                 map[string]int64
}

func readReport(path string) (*report, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseReport(string(text))
}

// parseReport reads what workload/report.h writes.
func parseReport(text string) (*report, error) {
	r := &report{calls: map[string]int64{}}
	fields := map[string]*int64{"main": &r.main, "begin": &r.begin, "end": &r.end, "cpu": &r.cpu}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		v, err := strconv.ParseInt(f[len(f)-1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("a workload reported %q", line)
		}
		switch at := fields[f[0]]; {
		case at != nil && len(f) == 2:
			*at = v
		case f[0] == "call" && len(f) == 3:
			r.calls[f[1]] += v
		default:
			return nil, fmt.Errorf("a workload reported %q", line)
		}
	}
	if r.main == 0 || r.end < r.begin {
		return nil, fmt.Errorf("a workload's report is incomplete: %q", text)
	}
	return r, nil
}

// made is how many calls the loop made.
func (r *report) made() int64 {
	var n int64
	for _, c := range r.calls {
		n += c
	}
	return n
}
