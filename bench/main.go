package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"
)

// A bench is one measurement of everything that was chosen.
type bench struct {
	repo      string // where this module is
	source    string // bench/workload
	dir       string // for all that is built and written, removed at the end
	perftrace string // the program
	quick     bool
	requests  int           // of redis-benchmark, for each of its tests
	loop      time.Duration // about what a loop may take
	progress  bool          // stderr is a terminal

	// The calls that a workload makes before and after its loop, by its name and theirs.
	around map[string]map[string]int64
}

type flags struct {
	quick, write     bool
	only, json, tool string
	rounds           int
	budget           time.Duration
}

func main() {
	var f flags
	flag.BoolVar(&f.quick, "quick", false, "less of everything, under 2 minutes")
	flag.StringVar(&f.only, "only", "", "only the `REGEXP` of workload/variant, such as '^getppid/|^find/(bpf|strace)$'; hooks/ and where/ too")
	flag.IntVar(&f.rounds, "rounds", 0, "`N` rounds at most (default 5, quick: 3)")
	flag.DurationVar(&f.budget, "budget", 0, "begin no further round that would end later than this (default 14m, quick: 110s)")
	flag.StringVar(&f.json, "json", "", "write the raw results to `FILE`")
	flag.BoolVar(&f.write, "write", false, "write the tables into docs/performance.md, and the plots beside it")
	flag.StringVar(&f.tool, "perftrace", "", "measure this `PROGRAM` instead of building one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := measureAll(ctx, &f)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func measureAll(ctx context.Context, f *flags) error {
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected %q; see -h", flag.Arg(0))
	}
	only, err := regexp.Compile(f.only)
	if err != nil {
		return err
	}
	b, err := prepare(f)
	if err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	m := describe()
	m.Command = strings.Join(append([]string{"go run ./bench"}, os.Args[1:]...), " ")
	begin := time.Now()
	res := &results{Machine: m}
	cells := b.plan(only)
	if err := b.lookAround(ctx, cells); err != nil {
		return err
	}
	if err := b.rounds(ctx, f, only, cells, res); err != nil {
		return err
	}
	if only.MatchString("where/") && ctx.Err() == nil {
		b.where(ctx, res)
	}
	res.Machine.Load[1], res.Machine.Took = loads(), time.Since(begin).Round(time.Second).String()
	var text bytes.Buffer
	res.Machine.print(&text)
	all := rows(cells, res.Runs)
	for _, r := range all {
		if r.runs > 0 {
			res.Rows = append(res.Rows, plotted{r.workload, r.variant, r.runs, r.added, r.addedSpread, r.slowdown, r.slowSpread})
		}
	}
	hooks := medianHooks(res.Hooks)
	byName := map[string]float64{}
	for _, h := range hooks {
		byName[h.Name] = h.Ratio
	}
	printClaims(&text, claims(all, byName))
	printTables(&text, all)
	printHooks(&text, hooks)
	printWhere(&text, hooks, res.Parts, all)
	_, _ = os.Stdout.Write(text.Bytes())
	if f.json != "" {
		if err := res.save(f.json); err != nil {
			return err
		}
	}
	if f.write && ctx.Err() == nil {
		return b.publish(ctx, res, text.String())
	}
	if ctx.Err() != nil {
		return errors.New("ended by a signal; what was measured until then is above")
	}
	return nil
}

// results is everything raw, and the form of -json.
type results struct {
	Machine machine
	Runs    []*run
	Rows    []plotted
	Hooks   [][]hook      // by round
	Parts   []benchResult // of user space
}

func (r *results) save(path string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// prepare builds what is measured.
func prepare(f *flags) (*bench, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("only root may trace as is measured here: run it with sudo")
	}
	repo, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	b := &bench{repo: repo, source: filepath.Join(repo, "bench", "workload"), quick: f.quick, requests: 20000, loop: 200 * time.Millisecond}
	if _, err := os.Stat(b.source); err != nil {
		return nil, errors.New("run it in the top folder of the repository: go run ./bench")
	}
	if f.rounds == 0 {
		f.rounds = 5
	}
	if f.budget == 0 {
		f.budget = 14 * time.Minute
	}
	if f.quick {
		b.requests, b.loop = 5000, 60*time.Millisecond
		f.rounds, f.budget = min(f.rounds, 3), min(f.budget, 110*time.Second)
	}
	b.progress = term.IsTerminal(int(os.Stderr.Fd()))
	if b.dir, err = os.MkdirTemp("", "perftrace-bench-"); err != nil {
		return nil, err
	}
	if err := b.build(f.tool); err != nil {
		_ = os.RemoveAll(b.dir)
		return nil, err
	}
	return b, nil
}

func (b *bench) build(tool string) error {
	if err := b.compile(); err != nil {
		return err
	}
	if tool != "" {
		path, err := filepath.Abs(tool)
		b.perftrace = path
		return err
	}
	b.perftrace = filepath.Join(b.dir, "perftrace")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", b.perftrace, "./cmd/perftrace")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build perftrace: %w\n%s", err, out)
	}
	return nil
}

// plan chooses the cells. The bare one of a workload comes first and is always there.
func (b *bench) plan(only *regexp.Regexp) []*cell {
	var out []*cell
	for i := range workloads {
		w := &workloads[i]
		if b.quick && !w.quick {
			continue
		}
		var of []*cell
		for k := range variants {
			v := &variants[k]
			if v.tool == "" || v.few && !w.whole || b.quick && !v.quick || !only.MatchString(w.name+"/"+v.name) {
				continue
			}
			of = append(of, b.cell(w, v))
		}
		if len(of) > 0 || only.MatchString(w.name+"/bare") {
			out = append(append(out, b.cell(w, &variants[0])), of...)
		}
	}
	return out
}

const leastCalls = 1200

func (b *bench) cell(w *workload, v *variant) *cell {
	c := &cell{workload: w, variant: v}
	cost := w.ns
	if !w.near {
		cost += v.ns
	}
	if w.job == nil {
		c.n = max(int(float64(b.loop.Nanoseconds())/cost), leastCalls)
		c.n -= c.n % 24 // whole rounds, equal shares
	}
	return c
}

// once tells whether a cell takes so long that it is run in the first round only.
func (c *cell) once(quick bool) bool {
	return !quick && c.workload.name == "find" && c.variant.ns >= printed
}

// rounds runs the cells, all of them once a round, as often as the time allows.
func (b *bench) rounds(ctx context.Context, f *flags, only *regexp.Regexp, cells []*cell, res *results) error {
	begin := time.Now()
	broken := map[*cell]bool{}
	for _, c := range cells {
		if c.variant.tool == "" && ctx.Err() == nil {
			b.run(ctx, c, 0) // so that the first that counts doesn't have to read from the disk
		}
	}
	for round := 1; round <= f.rounds && ctx.Err() == nil; round++ {
		start := time.Now()
		var once time.Duration
		for i, c := range cells {
			if ctx.Err() != nil || broken[c] || round > 1 && c.once(b.quick) {
				continue
			}
			b.say("round %d of %d, %d of %d: %s/%s", round, f.rounds, i+1, len(cells), c.workload.name, c.variant.name)
			at := time.Now()
			r := b.run(ctx, c, round)
			if c.once(b.quick) {
				once += time.Since(at)
			}
			if r.Error != "" && strings.Contains(r.Error, "missing") || strings.Contains(r.Error, "does not run here") {
				broken[c] = true
			}
			res.Runs = append(res.Runs, r)
		}
		if only.MatchString("hooks/") && ctx.Err() == nil {
			b.say("round %d of %d: hooks", round, f.rounds)
			if text, err := b.goBench(ctx, "bpf", "^BenchmarkHookCost$", "1x"); err != nil {
				b.complain(err)
			} else if hooks := parseHooks(text); len(hooks) > 0 {
				res.Hooks = append(res.Hooks, hooks)
			}
		}
		took := time.Since(start) - once
		if time.Since(begin)+took > f.budget {
			break
		}
	}
	b.say("")
	return nil
}

// say shows how far it is, where somebody may look.
func (b *bench) say(format string, args ...any) {
	if b.progress {
		fmt.Fprintf(os.Stderr, "\r\033[K"+format, args...)
	}
}

func (b *bench) complain(err error) {
	b.say("")
	fmt.Fprintln(os.Stderr, "bench:", err)
}
