package main

import (
	"slices"

	"perftrace/bpf"
	"perftrace/event"
	"perftrace/filter"
	"perftrace/perf"
)

// A backend is a way to see calls.
type backend struct {
	name string
	open func(*config) event.Source
	// lacks is what can't be shown by it, for the message that says that it
	// stands in for a better one.
	lacks string
}

// backends are tried in this order.
func backends() []backend {
	return []backend{
		{name: "bpf", open: func(*config) event.Source { return new(bpf.Source) }},
		{name: "perf", open: newPerf, lacks: "strings and structures are shown as addresses, signals not at all"},
		{name: "ptrace", open: newPtrace, lacks: "the target is stopped at every call"},
	}
}

func newPerf(*config) event.Source {
	return &perf.Source{Filter: func(calls *event.CallSets) (string, bool) { return filter.Tracepoint(arch, calls) }}
}

// candidates are the backends that may be used: the one that was asked for, or all.
func (c *config) candidates() []backend {
	all := backends()
	if c.backend == "" {
		return all
	}
	return slices.DeleteFunc(all, func(b backend) bool { return b.name != c.backend })
}

// prepareSource makes the source of the first backend that may be used, and has it
// begin what it can do without a plan.
func prepareSource(cfg *config) event.Source {
	src := cfg.candidates()[0].open(cfg)
	if p, ok := src.(interface{ Prepare() }); ok {
		p.Prepare()
	}
	return src
}

// openSource opens the first backend that opens. src is that of the first candidate.
func openSource(cfg *config, src event.Source, plan *event.Plan, say *sayer) (event.Source, error) {
	var first error
	for i, b := range cfg.candidates() {
		if i > 0 {
			src = b.open(cfg)
		}
		err := src.Open(plan)
		if err == nil {
			if first != nil && !cfg.askedQuiet {
				say.say("using --backend=%s: %s, since %v", b.name, b.lacks, first)
			}
			if cfg.debug {
				say.say("backend %s", b.name)
			}
			return src, nil
		}
		if cfg.debug {
			say.say("backend %s: %v", b.name, err)
		}
		if first == nil {
			first = err
		}
	}
	return nil, cannot("%v", first)
}
