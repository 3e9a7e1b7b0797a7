package main

import (
	"math"
	"strings"
	"testing"
)

func TestQuantilesAreInterpolated(t *testing.T) {
	for _, c := range []struct {
		v      []float64
		q      float64
		want   float64
		spread float64
	}{
		{nil, 0.5, 0, 0},
		{[]float64{7}, 0.5, 7, 0},
		{[]float64{3, 1}, 0.5, 2, 0.5},
		{[]float64{5, 1, 3}, 0.5, 3, 1},
		{[]float64{4, 1, 2, 3}, 0.25, 1.75, 0.75},
		{[]float64{4, 1, 2, 3}, 1, 4, 0.75},
	} {
		if got := quantile(c.v, c.q); got != c.want {
			t.Errorf("quantile(%v, %v) = %v, want %v", c.v, c.q, got, c.want)
		}
		if got := spread(c.v); got != c.spread {
			t.Errorf("spread(%v) = %v, want %v", c.v, got, c.spread)
		}
	}
}

// testCells are a loop and a job, bare, under the default backend and under strace.
func testCells() (loop, job []*cell) {
	l := &workload{name: "getppid"}
	j := &workload{name: "find", fixed: true, job: findJob}
	for _, name := range []string{"bare", "bpf", "strace"} {
		v := &variant{name: name, tool: "x"}
		if name == "bare" {
			v.tool = ""
		}
		loop, job = append(loop, &cell{workload: l, variant: v}), append(job, &cell{workload: j, variant: v})
	}
	return loop, job
}

func TestARunIsComparedWithTheBareOneOfItsRound(t *testing.T) {
	loop, _ := testCells()
	runs := []*run{
		{Workload: "getppid", Variant: "bare", Round: 1, Calls: 10, Time: 1000, Start: 5},
		{Workload: "getppid", Variant: "bpf", Round: 1, Calls: 5, Time: 1000, Start: 25, TracerCPU: 50, tally: tally{Shown: 5, Counted: true}},
		{Workload: "getppid", Variant: "bare", Round: 2, Calls: 10, Time: 2000, Start: 5},
		{Workload: "getppid", Variant: "bpf", Round: 2, Calls: 5, Time: 3000, Start: 25, TracerCPU: 50, tally: tally{Shown: 3, Lost: 1, Unaccounted: 1, Counted: true}},
		{Workload: "getppid", Variant: "strace", Round: 1, Error: "strace is missing"},
	}
	got := rows(loop, runs)
	b := got[1]
	if b.slowdown != 2.5 || b.added != 250 || b.runs != 2 || b.start != 20 || b.tracerCPU != 10 {
		t.Errorf("slowdown %v, want 2.5; added %v, want 250; runs %d, want 2; start %v, want 20; CPU %v, want 10", b.slowdown, b.added, b.runs, b.start, b.tracerCPU)
	}
	if b.shown != 8 || b.lost != 1 || b.unaccounted != 1 {
		t.Errorf("shown %d, lost %d, unaccounted %d; want 8, 1, 1", b.shown, b.lost, b.unaccounted)
	}
	if got[2].err != "strace is missing" || got[2].runs != 0 {
		t.Errorf("strace: %+v", got[2])
	}
	if got[0].slowdown != 1 || got[0].time != 150 {
		t.Errorf("bare: slowdown %v, %v ns; want 1, 150", got[0].slowdown, got[0].time)
	}
}

func TestTheCallsOfAJobAreThoseOfTheDefaultLedger(t *testing.T) {
	_, job := testCells()
	got := rows(job, []*run{
		{Workload: "find", Variant: "bare", Round: 1, Time: 1000},
		{Workload: "find", Variant: "bpf", Round: 1, Time: 1500, tally: tally{Issued: 100, Shown: 100, Counted: true}},
		{Workload: "find", Variant: "strace", Round: 1, Time: 11000, tally: tally{Shown: 98}},
	})
	if got[1].added != 5 || got[2].added != 100 || got[2].unaccounted != 2 || !got[2].about || got[1].about {
		t.Errorf("bpf %+v; strace %+v", got[1], got[2])
	}
}

func TestAClaimIsKeptOrMissedOnlyIfItWasMeasured(t *testing.T) {
	all := []*row{
		{workload: "getppid", variant: "bpf", runs: 1, calls: 10, added: 300, addedTime: 3000, start: 2e8, rss: 20 << 20},
		{workload: "getppid", variant: "strace", runs: 1, calls: 10, added: 100000, addedTime: 1e6},
		{workload: "getppid", variant: "perf trace record", runs: 1, calls: 10, added: 600, addedTime: 6000},
		{workload: "getppid", variant: "bpf reject", runs: 1, calls: 10, added: -3},
		{workload: "getppid", variant: "perf trace -e reject", runs: 1, calls: 10, added: 7},
		{workload: "openat", variant: "bpf", runs: 1, calls: 10, added: 1, addedTime: 10, counted: true, unaccounted: -2},
	}
	var b strings.Builder
	printClaims(&b, claims(all, map[string]float64{"rejected": 1.1}))
	for _, want := range []string{
		"| getppid: added time of `bpf` ÷ that of `strace` | 0.004 | 0.003 | kept |",
		"| getppid: added time of `bpf` ÷ that of `perf trace record` | 0.333 | 0.5 | **missed** |",
		"| getppid: added time of `bpf reject` ÷ that of `perf trace -e reject` | 1 | -0.429 | not decided: a difference is lost in the noise |",
		"| hooks: rejected ÷ an empty pair of programs | 1.15 | 1.1 | kept |",
		"| start of `bpf`, ms | 150 | 200 | **missed** |",
		"| calls unaccounted for by perftrace in all rows | 0 | 2 | **missed** |",
	} {
		if !strings.Contains(b.String(), want+"\n") {
			t.Errorf("no line %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "find:") {
		t.Errorf("what was not measured is in\n%s", b.String())
	}
}

func TestEveryClaimIsAboutRowsThatExist(t *testing.T) {
	var all []*row
	for i := range workloads {
		for k := range variants {
			all = append(all, &row{workload: workloads[i].name, variant: variants[k].name, runs: 1, calls: 1, added: 1, addedTime: 1})
		}
	}
	for _, c := range claims(all, map[string]float64{"rejected": 1, "neighbour": 1, "captured getppid": 1, "captured openat": 1}) {
		if !c.known || math.IsNaN(c.value) {
			t.Errorf("%s can't be measured", c.text)
		}
	}
}
