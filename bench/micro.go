package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// goBench runs Go benchmarks of a package and returns what they print.
func (b *bench) goBench(ctx context.Context, pkg, which, benchtime string) (string, error) {
	bin := filepath.Join(b.dir, strings.ReplaceAll(pkg, "/", "-")+".test")
	out, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", bin, "./"+pkg).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("compile the benchmarks of %s: %w\n%.300s", pkg, err, out)
	}
	if _, err := os.Stat(bin); err != nil {
		return "", nil // a package without tests
	}
	p, err := b.startIn(pkg, "said.bench", []string{bin, "-test.run=^$", "-test.bench=" + which, "-test.benchtime=" + benchtime, "-test.v"})
	if err != nil {
		return "", err
	}
	err = p.wait(ctx)
	text := p.text()
	if err != nil {
		return text, fmt.Errorf("benchmarks of %s: %w: %s", pkg, err, p.lastWords())
	}
	return text, nil
}

var hookLine = regexp.MustCompile(`(?m)^\s*\S*:\d+: (.+?) +(-?[0-9.]+) ns a call, +(-?[0-9.]+) added, +(-?[0-9.]+) × the empty pair`)

// A hook is what a call takes under a part of the programs.
type hook struct {
	Name             string
	NS, Added, Ratio float64
}

// parseHooks reads what BenchmarkHookCost of bpf logs. The benchmark is run more than
// once by the testing package, to find a count; the last one counts.
func parseHooks(text string) []hook {
	var out []hook
	for _, m := range hookLine.FindAllStringSubmatch(text, -1) {
		h := hook{Name: m[1]}
		h.NS, _ = strconv.ParseFloat(m[2], 64)
		h.Added, _ = strconv.ParseFloat(m[3], 64)
		h.Ratio, _ = strconv.ParseFloat(m[4], 64)
		i := slices.IndexFunc(out, func(o hook) bool { return o.Name == h.Name })
		if i >= 0 {
			out[i] = h
		} else {
			out = append(out, h)
		}
	}
	return out
}

// medianHooks joins the hooks of several runs.
func medianHooks(runs [][]hook) []hook {
	var out []hook
	if len(runs) == 0 {
		return nil
	}
	for _, first := range runs[0] {
		var ns, added, ratios []float64
		for _, r := range runs {
			for _, h := range r {
				if h.Name == first.Name {
					ns, added, ratios = append(ns, h.NS), append(added, h.Added), append(ratios, h.Ratio)
				}
			}
		}
		out = append(out, hook{first.Name, median(ns), median(added), median(ratios)})
	}
	return out
}

// A benchResult is a line of a Go benchmark.
type benchResult struct {
	Name   string
	Values map[string]float64 // by unit
}

// parseBench reads the standard form of Go's benchmarks.
func parseBench(text string) []benchResult {
	var out []benchResult
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		if _, err := strconv.Atoi(f[1]); err != nil {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(f[0], "Benchmark"), "-")
		r := benchResult{Name: name, Values: map[string]float64{}}
		for i := 2; i+1 < len(f); i += 2 {
			if v, err := strconv.ParseFloat(f[i], 64); err == nil {
				r.Values[f[i+1]] = v
			}
		}
		out = append(out, r)
	}
	return out
}

func printHooks(w io.Writer, hooks []hook) {
	if len(hooks) == 0 {
		return
	}
	fmt.Fprint(w, "\n### What the hooks cost\n\nOne thread, best of many short stretches, the kinds taking turns; `BenchmarkHookCost` in bpf/.\n\n"+
		"| | ns a call | added | ÷ an empty pair |\n|---|--:|--:|--:|\n")
	for _, h := range hooks {
		fmt.Fprintf(w, "| %s | %.0f | %.0f | %.2f |\n", h.Name, h.NS, h.Added, h.Ratio)
	}
}
