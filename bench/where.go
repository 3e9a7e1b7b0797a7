package main

import (
	"context"
	"fmt"
	"io"
)

// The benchmarks of user space that make up the way from the ring to the file.
var parts = []struct{ pkg, which string }{
	{"perf/mmap", "^Benchmark(RingRead|Merge2)$"},
	{"decode", "."},
	{"decode/out", "."},
	{"cmd/perftrace", "."},
}

// where runs them.
func (b *bench) where(ctx context.Context, res *results) {
	for _, p := range parts {
		b.say("benchmarks of %s", p.pkg)
		text, err := b.goBench(ctx, p.pkg, p.which, "100ms")
		if err != nil {
			b.complain(err)
			continue
		}
		for _, r := range parseBench(text) {
			r.Name = p.pkg + " " + r.Name
			res.Parts = append(res.Parts, r)
		}
	}
	b.say("")
}

// printWhere says where the time of a call goes on the default way, in ns: what the
// kernel side costs the target, as differences between kinds of hooks, then what user
// space costs the tracer.
func printWhere(w io.Writer, hooks []hook, parts []benchResult, all []*row) {
	added := map[string]float64{}
	for _, h := range hooks {
		added[h.Name] = h.Added
	}
	if len(added) == 0 && len(parts) == 0 {
		return
	}
	fmt.Fprint(w, "\n### Where does the time go?\n\n| the default way, of one call | ns | how it was measured |\n|---|--:|---|\n")
	line := func(what string, ns float64, how string, known bool) {
		v := "–"
		if known {
			v = number(ns)
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", what, v, how)
	}
	difference := func(what, more, less string) {
		a, ok := added[more]
		z, was := added[less]
		line(what, a-z, more+" − "+less, ok && was)
	}
	pair, ok := added["empty pair"]
	line("target: the pair of hooks", pair, "empty pair − bare", ok)
	difference("target: filter, which task and which call", "rejected", "empty pair")
	difference("target: state of the call, record, batch, ring", "captured getppid without times", "rejected")
	difference("target: clocks", "captured getppid", "captured getppid without times")
	difference("target: plan and copy of a path", "captured openat", "captured getppid")
	for _, p := range parts {
		ns, ok := p.Values["ns/unit"]
		if !ok {
			ns, ok = p.Values["ns/op"]
		}
		if ok && ns > 0 {
			line("user space: "+p.Name, ns, "Go benchmark", true)
		}
	}
	for _, workload := range []string{"getppid", "openat"} {
		for _, r := range all {
			if r.workload == workload && r.variant == "bpf" && r.runs > 0 {
				line("whole: "+workload+", added to the target", r.added, "`"+workload+"` under `bpf`", true)
				line("whole: "+workload+", CPU of the tracer", r.tracerCPU, "start and end included", true)
			}
		}
	}
}
