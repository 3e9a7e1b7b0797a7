package main

import (
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

// openSource opens the backend that was asked for, or else the first that opens.
func openSource(cfg *config, plan *event.Plan, say *sayer) (event.Source, error) {
	var first error
	for _, b := range backends() {
		if cfg.backend != "" && b.name != cfg.backend {
			continue
		}
		src := b.open(cfg)
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
