package main

import (
	"fmt"
	"io"
	"strings"
)

// A claim is a ratio that this project promises, and what was measured.
type claim struct {
	text  string
	limit float64
	value float64
	known bool
	noise bool // a cost came out at zero or below: smaller than what else happened
}

// claims makes the list from the rows and the costs of the hooks (nil if not measured).
func claims(all []*row, hooks map[string]float64) []claim {
	var out []claim
	find := func(workload, variant string) *row {
		for _, r := range all {
			if r.workload == workload && r.variant == variant && r.runs > 0 {
				return r
			}
		}
		return nil
	}
	// added compares the added time of two rows.
	added := func(workload, ours, theirs string, limit float64) {
		a, b := find(workload, ours), find(workload, theirs)
		c := claim{text: fmt.Sprintf("%s: added time of `%s` ÷ that of `%s`", workload, ours, theirs), limit: limit}
		if a != nil && b != nil {
			c.known, c.value = true, perCall(a)/perCall(b)
			c.noise = perCall(a) <= 0 || perCall(b) <= 0
		}
		out = append(out, c)
	}
	added("getppid", "perf to /dev/null", "perf trace record", 1.2)
	added("getppid", "perf to /dev/null", "perf trace", 1.0/10)
	added("getppid", "perf to /dev/null", "strace", 1.0/100)
	added("getppid", "bpf", "strace", 1.0/250)
	added("getppid", "bpf", "perf trace", 1.0/60)
	added("getppid", "bpf", "perf trace record", 1.0/3)
	added("getppid", "bpf reject", "perf trace -e reject", 1)
	added("getppid", "bpf -c", "bpftrace count", 1)
	added("find", "bpf", "strace", 1.0/60)
	added("find", "bpf", "perf trace", 1.0/20)
	for i := range workloads {
		if !workloads[i].near {
			added(workloads[i].name, "ptrace", "strace", 1.1)
		}
	}
	for _, h := range []struct {
		name  string
		limit float64
	}{{"rejected", 1.15}, {"neighbour", 1.15}, {"captured getppid", 2.5}, {"captured openat", 4.5}} {
		v, ok := hooks[h.name]
		out = append(out, claim{text: "hooks: " + h.name + " ÷ an empty pair of programs", limit: h.limit, value: v, known: ok})
	}
	if r := find("find", "bpf"); r != nil {
		out = append(
			out, claim{text: "find: time under `bpf` ÷ bare", limit: 2, value: r.slowdown, known: true},
			claim{text: "find: calls lost under `bpf`", limit: 0, value: float64(r.lost), known: true},
		)
	}
	if r := find("getppid", "bpf"); r != nil {
		out = append(
			out, claim{text: "start of `bpf`, ms", limit: 150, value: r.start / 1e6, known: true},
			claim{text: "peak memory of `bpf`, MiB", limit: 60, value: r.rss / (1 << 20), known: true},
		)
	}
	var missing int64
	for _, r := range all {
		if r.counted && !r.about && isPerftrace(r.variant) {
			missing += max(r.unaccounted, -r.unaccounted)
		}
	}
	return append(out, claim{text: "calls unaccounted for by perftrace in all rows", limit: 0, value: float64(missing), known: true})
}

// perCall is the added time of a call: rows of one workload may differ in how many they made.
func perCall(r *row) float64 {
	if r.calls > 0 {
		return r.added
	}
	return r.addedTime
}

func isPerftrace(name string) bool {
	for i := range variants {
		if variants[i].name == name {
			return variants[i].tool == "perftrace"
		}
	}
	return false
}

func printClaims(w io.Writer, cs []claim) {
	fmt.Fprint(w, "\n### What is promised\n\n| | at most | measured | |\n|---|--:|--:|---|\n")
	unknown := 0
	for _, c := range cs {
		verdict := "kept"
		switch {
		case !c.known:
			unknown++
			continue
		case c.noise:
			verdict = "not decided: a difference is lost in the noise"
		case c.value > c.limit:
			verdict = "**missed**"
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", strings.ReplaceAll(c.text, "|", `\|`), short(c.limit), short(c.value), verdict)
	}
	if unknown > 0 {
		fmt.Fprintf(w, "\n%d more were not measured in this run.\n", unknown)
	}
}

// short has three digits that matter, also of small ratios.
func short(v float64) string { return fmt.Sprintf("%.3g", v) }
