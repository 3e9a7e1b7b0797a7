package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A cell is a workload under a variant.
type cell struct {
	workload *workload
	variant  *variant
	n        int // calls of the loop
}

// A run is a cell once. Times are ns.
type run struct {
	Workload, Variant string
	Round             int
	Calls             int64 // that the loop made, by its own account
	Time              int64 // of the loop, or of the job
	Start             int64 // from the start of the tracer to the workload's first instructions
	Whole             int64 // from the start of the tracer to its end
	WorkCPU           int64 // of the workload, by its own account
	TracerCPU         int64 // of the tracer: of everything less the workload's
	RSS               int64 // the tracer's peak, in bytes
	tally
	Load  float64 // of the machine, before
	Error string  `json:",omitempty"`
}

// Nothing takes as long as this on purpose.
const (
	runTimeout  = 4 * time.Minute
	waitTimeout = 20 * time.Second
	settle      = 2 * time.Second // for tracers that can't start a command themselves
)

func now() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return t.Nano()
}

// A process is a tracer, or a bare workload, in a process group of its own.
type process struct {
	cmd  *exec.Cmd
	said string // the file with its stdout and stderr
	done chan error
	peak chan int64
	stop chan struct{}

	waited bool // for its children, so that its CPU time is also theirs
}

func (b *bench) start(said string, argv []string) (*process, error) {
	return b.startIn(b.dir, said, argv)
}

// startIn starts it in a folder, which may be relative to that of the module.
func (b *bench) startIn(folder, said string, argv []string) (*process, error) {
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(b.repo, folder)
	}
	f, err := os.Create(filepath.Join(b.dir, said))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := &process{said: f.Name(), done: make(chan error, 1), peak: make(chan int64, 1), stop: make(chan struct{})}
	p.cmd = exec.Command(argv[0], argv[1:]...)
	p.cmd.Stdout, p.cmd.Stderr = f, f
	p.cmd.Dir = folder
	// No pager, no colour, no language: the output is read by a program.
	p.cmd.Env = append(os.Environ(), "LC_ALL=C", "PAGER=cat", "BPFTRACE_STRLEN=64")
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go p.watchMemory()
	go func() {
		// As long as it is a zombie, it can be seen whether it has waited for the workload.
		_ = unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
		p.waited = waited(string(stat))
		err := p.cmd.Wait()
		close(p.stop)
		p.done <- err
	}()
	return p, nil
}

// watchMemory reads the peak of the process itself while it lives: what wait
// tells is the largest of it and its children, and not less than that of bench.
func (p *process) watchMemory() {
	var peak int64
	for {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
		if err == nil {
			peak = max(peak, highWater(string(b)))
		}
		select {
		case <-p.stop:
			p.peak <- peak
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func highWater(status string) int64 {
	_, rest, ok := strings.Cut(status, "VmHWM:")
	if !ok {
		return 0
	}
	f := strings.Fields(rest)
	kib, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

// wait waits for the end; after that, or when ctx is done, nothing of the process
// group is left.
func (p *process) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	select {
	case err := <-p.done:
		// A workload that its tracer has left alone.
		_ = unix.Kill(-p.cmd.Process.Pid, unix.SIGKILL)
		return err
	case <-ctx.Done():
		p.kill()
		return errors.New("ended by bench: " + context.Cause(ctx).Error())
	}
}

// kill ends the process as nicely as possible.
func (p *process) kill() {
	_ = p.cmd.Process.Signal(unix.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(2 * time.Second):
		_ = unix.Kill(-p.cmd.Process.Pid, unix.SIGKILL)
		<-p.done
		return
	}
	_ = unix.Kill(-p.cmd.Process.Pid, unix.SIGKILL)
}

// cpu is the CPU time of a process without that of a child, which took work ns.
func (p *process) cpu(work int64) int64 {
	all := int64(p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime())
	if p.waited {
		all -= work
	}
	return max(0, all)
}

// waited tells from /proc/PID/stat of a process whether it has the CPU time of
// children, fields 16 and 17.
func waited(stat string) bool {
	end := strings.LastIndex(stat, ") ") // of the name, which may hold one itself
	f := strings.Fields(stat[end+1:])    // from field 3 on
	return end >= 0 && len(f) > 14 && (f[13] != "0" || f[14] != "0")
}

// text is all that a process said.
func (p *process) text() string {
	b, _ := os.ReadFile(p.said)
	return string(b)
}

// lastWords is what a process that failed said, in one line.
func (p *process) lastWords() string {
	s := strings.Join(strings.Fields(p.text()), " ")
	if len(s) > 160 {
		s = s[:160] + "…"
	}
	return s
}

// run runs a cell once.
func (b *bench) run(ctx context.Context, c *cell, round int) *run {
	r := &run{Workload: c.workload.name, Variant: c.variant.name, Round: round, Load: load()}
	if err := b.measure(ctx, c, r); err != nil {
		r.Error = err.Error()
	}
	return r
}

func (b *bench) measure(ctx context.Context, c *cell, r *run) error {
	work, path, err := b.command(c)
	if err != nil {
		return err
	}
	tool := ""
	if c.variant.tool != "" {
		if tool, err = b.find(c.variant.tool); err != nil {
			return fmt.Errorf("%s is missing", c.variant.tool)
		}
	}
	out := filepath.Join(b.dir, "out")
	for _, f := range []string{out, "ready", "go", b.socket()} {
		if !filepath.IsAbs(f) {
			f = filepath.Join(b.dir, f)
		}
		_ = os.Remove(f)
	}
	if c.workload.near {
		if err := unix.Mkfifo(filepath.Join(b.dir, "go"), 0o600); err != nil {
			return err
		}
	}
	argv := c.variant.expand(tool, out, c, work)
	if c.variant.aside {
		aside, err := b.start("said", argv)
		if err != nil {
			return err
		}
		select {
		case <-aside.done:
			return fmt.Errorf("%s does not run here: %s", c.variant.tool, aside.lastWords())
		case <-time.After(settle):
		}
		defer func() {
			aside.kill()
			r.TracerCPU, r.RSS = aside.cpu(0), <-aside.peak
			r.Error = b.tally(c, r, &output{file: out, tool: tool})
		}()
		argv = work
	}
	begin := now()
	p, err := b.start("said", argv)
	if err != nil {
		return err
	}
	served, middle := b.whileItRuns(ctx, c)
	err = p.wait(ctx)
	r.Whole = now() - begin
	r.RSS = <-p.peak
	rep, noReport := readReport(path)
	switch {
	case noReport != nil:
		return fmt.Errorf("%s does not run here: %v: %s", c.variant.name, err, p.lastWords())
	case middle != nil:
		return middle
	case err != nil && c.variant.tool == "":
		return err
	}
	r.Start = rep.main - begin
	r.Time = rep.end - rep.begin
	r.WorkCPU = rep.cpu
	r.TracerCPU = p.cpu(rep.cpu)
	r.Calls = rep.made()
	if served != nil {
		r.Time, r.Calls = served.end-served.begin, served.made()
	}
	if msg := b.tally(c, r, &output{file: out, said: p.text(), tool: tool, made: rep.calls}); msg != "" {
		return errors.New(msg)
	}
	return nil
}

// whileItRuns does what belongs between start and end of the traced process: the
// neighbour's loop, or the load of a server.
func (b *bench) whileItRuns(ctx context.Context, c *cell) (*report, error) {
	switch {
	case c.workload.near:
		return b.besides(ctx, c)
	case c.workload.serve:
		return b.clients(ctx)
	}
	return nil, nil
}

func appears(path string) error {
	for end := time.Now().Add(waitTimeout); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s did not appear in %v", filepath.Base(path), waitTimeout)
}

// besides runs the loop, untraced, while the traced process waits.
func (b *bench) besides(ctx context.Context, c *cell) (*report, error) {
	if err := appears(filepath.Join(b.dir, "ready")); err != nil {
		return nil, err
	}
	path := filepath.Join(b.dir, "report.near")
	_ = os.Remove(path)
	p, err := b.start("said.near", []string{b.program("near"), path, "getppid", strconv.Itoa(c.n)})
	if err == nil {
		err = p.wait(ctx)
	}
	// Whoever reads the FIFO has it open by now, or will in a moment.
	for end := time.Now().Add(waitTimeout); time.Now().Before(end); time.Sleep(time.Millisecond) {
		fd, busy := unix.Open(filepath.Join(b.dir, "go"), unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if busy == nil {
			_ = unix.Close(fd)
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return readReport(path)
}

// clients loads the server for a while, then ends it.
func (b *bench) clients(ctx context.Context) (*report, error) {
	if err := appears(b.socket()); err != nil {
		return nil, err
	}
	rep := &report{main: now()}
	rep.begin = rep.main
	cmd := exec.CommandContext(ctx, "redis-benchmark", "-s", b.socket(), "-c", "4", "-n", strconv.Itoa(b.requests), "-t", "set,get", "-q")
	out, err := cmd.CombinedOutput()
	rep.end = now()
	if err != nil {
		err = fmt.Errorf("redis-benchmark: %w: %.100s", err, out)
	}
	_ = exec.Command("redis-cli", "-s", b.socket(), "shutdown", "nosave").Run()
	return rep, err
}

func load() float64 {
	b, _ := os.ReadFile("/proc/loadavg")
	f := strings.Fields(string(b) + " 0")
	v, _ := strconv.ParseFloat(f[0], 64)
	return v
}
