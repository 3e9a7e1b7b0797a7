package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// printTables writes one Markdown table a workload.
func printTables(w io.Writer, all []*row) {
	for i := range workloads {
		l := &workloads[i]
		var of []*row
		for _, r := range all {
			if r.workload == l.name && (r.runs > 0 || r.err != "") {
				of = append(of, r)
			}
		}
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n### %s: %s\n\n", l.name, l.what)
		unit := "ns a call"
		if l.job != nil {
			unit = "seconds"
		}
		fmt.Fprintf(w, "| | slowdown | %s | added ns a call | tracer CPU, ns a call | peak MiB | start, ms | calls a run | shown | lost | unaccounted | runs |\n", unit)
		fmt.Fprintln(w, "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
		for _, r := range of {
			fmt.Fprintln(w, r.markdown(l))
		}
	}
	var missing []string
	for _, r := range all {
		if r.err != "" && (strings.Contains(r.err, "missing") || strings.Contains(r.err, "does not run here")) {
			missing = append(missing, r.err)
		}
	}
	if len(missing) > 0 {
		fmt.Fprintln(w, "\nNot measured:")
		seen := map[string]bool{}
		for _, m := range missing {
			if !seen[m] {
				fmt.Fprintf(w, "- %s\n", strings.ReplaceAll(m, "|", `\|`))
			}
			seen[m] = true
		}
	}
}

func (r *row) markdown(l *workload) string {
	if r.err != "" {
		err := strings.ReplaceAll(r.err, "|", `\|`)
		if len(err) > 80 {
			err = err[:80] + "…"
		}
		return "| " + r.variant + " | " + err + " | | | | | | | | | | |"
	}
	time := number(r.time)
	if l.job != nil {
		time = fmt.Sprintf("%.3f", r.time/1e9)
	}
	cells := []string{r.variant, number(r.slowdown) + " ± " + number(r.slowSpread), time}
	if r.variant == "bare" {
		cells = []string{r.variant, "1", time, "", "", "", "", strconv.FormatInt(r.calls, 10), "", "", "", strconv.Itoa(r.runs)}
		return "| " + strings.Join(cells, " | ") + " |"
	}
	cells = append(cells, number(r.added)+" ± "+number(r.addedSpread), number(r.tracerCPU), fmt.Sprintf("%.0f", r.rss/(1<<20)), fmt.Sprintf("%.0f", r.start/1e6))
	cells = append(cells, strconv.FormatInt(r.calls, 10))
	shown, lost, missing := "–", "–", "–"
	n := int64(max(r.runs, 1))
	if !l.near && r.shown >= 0 {
		shown, lost = strconv.FormatInt(r.shown/n, 10), strconv.FormatInt(r.lost/n, 10)
		switch {
		case r.about:
			missing = "≈ " + strconv.FormatInt(r.unaccounted/n, 10)
		case r.counted:
			missing = strconv.FormatInt(r.unaccounted, 10) // of all runs: one is one too many
		}
	}
	cells = append(cells, shown, lost, missing, strconv.Itoa(r.runs))
	return "| " + strings.Join(cells, " | ") + " |"
}

// number has three digits that matter.
func number(v float64) string {
	switch {
	case v >= 100 || v <= -100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10 || v <= -10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
