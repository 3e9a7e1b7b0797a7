package main

import "slices"

// median of no values is 0.
func median(v []float64) float64 { return quantile(v, 0.5) }

// spread is half the distance from the lower to the upper quartile: half of the
// values are about that near to the median.
func spread(v []float64) float64 { return (quantile(v, 0.75) - quantile(v, 0.25)) / 2 }

// quantile interpolates between the two nearest values.
func quantile(v []float64, q float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Clone(v)
	slices.Sort(s)
	at := q * float64(len(s)-1)
	i := int(at)
	if i+1 >= len(s) {
		return s[len(s)-1]
	}
	return s[i] + (at-float64(i))*(s[i+1]-s[i])
}

// A row is what all runs of a cell say.
type row struct {
	workload, variant string
	runs              int
	calls             int64   // a run
	time              float64 // ns a call of loops, ns of jobs
	slowdown          float64
	slowSpread        float64
	added             float64 // ns a call
	addedSpread       float64
	addedTime         float64 // ns a run
	tracerCPU         float64 // ns a call
	rss               float64 // bytes
	start             float64 // ns more than bare
	shown, lost       int64   // of all runs
	issued            int64
	unaccounted       int64
	counted           bool
	about             bool // unaccounted is against what another run's ledger says
	err               string
}

// rows joins the runs by cell, in the order of the cells. Each run is compared with the
// bare one of its workload and round.
func rows(cells []*cell, runs []*run) []*row {
	type key struct {
		workload, variant string
		round             int
	}
	by := map[key]*run{}
	for _, r := range runs {
		by[key{r.Workload, r.Variant, r.Round}] = r
	}
	var out []*row
	for _, c := range cells {
		w := &row{workload: c.workload.name, variant: c.variant.name}
		var times, slow, added, addedTime, cpu, rss, start []float64
		for _, r := range runs {
			if r.Workload != w.workload || r.Variant != w.variant {
				continue
			}
			if r.Error != "" {
				w.err = r.Error
				continue
			}
			bare := by[key{r.Workload, "bare", r.Round}]
			if bare == nil || bare.Error != "" || bare.Time == 0 {
				continue
			}
			w.runs++
			calls, per := r.Calls, float64(max(r.Calls, 1))
			was := float64(bare.Time)
			if c.workload.job != nil {
				// How many calls a job makes is what the ledger of the default row says.
				per = 1
				if ref := by[key{r.Workload, "bpf", r.Round}]; ref != nil && ref.Issued > 0 {
					calls, per = ref.Issued, float64(ref.Issued)
				}
				if c.workload.fixed && !r.Counted && r.Shown >= 0 && c.variant.shows == showAll && c.variant.tool != "" && calls > 0 {
					w.about, r.Unaccounted = true, calls-r.Shown-r.Lost
				}
				times = append(times, float64(r.Time))
			} else {
				was = was / float64(max(bare.Calls, 1)) * per
				times = append(times, float64(r.Time)/per)
			}
			w.calls = calls
			slow = append(slow, float64(r.Time)/was)
			added = append(added, (float64(r.Time)-was)/per)
			addedTime = append(addedTime, float64(r.Time)-was)
			cpu = append(cpu, float64(r.TracerCPU)/per)
			rss = append(rss, float64(r.RSS))
			start = append(start, float64(r.Start-bare.Start))
			w.shown += r.Shown
			w.lost += r.Lost
			w.issued += r.Issued
			w.unaccounted += r.Unaccounted
			w.counted = w.counted || r.Counted
		}
		if w.runs > 0 {
			w.err = ""
		}
		w.time, w.slowdown, w.slowSpread = median(times), median(slow), spread(slow)
		w.added, w.addedSpread, w.addedTime = median(added), spread(added), median(addedTime)
		w.tracerCPU, w.rss, w.start = median(cpu), median(rss), median(start)
		out = append(out, w)
	}
	return out
}

// plotted is what bench/plot reads of a row.
type plotted struct {
	Workload, Variant    string
	Runs                 int
	Added, AddedSpread   float64 // ns a call
	Slowdown, SlowSpread float64
}
