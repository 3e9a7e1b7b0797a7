package main

import (
	"math"
	"runtime"

	"perftrace/decode"
	"perftrace/event"
	"perftrace/filter"
)

// A config is what the command line says.
type config struct {
	// what is traced
	command     []string // and its arguments; nil: none
	argv0       string
	argv0Set    bool
	env         []string // -E, in order
	user        string
	pids        []int
	all         bool
	descendants bool
	cpus        []int
	follow      bool
	letterF     int // how often -f was given
	oldF        bool

	// what of it is shown
	calls    filter.Calls
	files    files
	strange  bool // calls that have no name are shown whatever -e trace= says, as strace does
	status   filter.NumberSet
	zflags   int
	signals  filter.NumberSet
	sigkill  bool // it was asked for
	errnos   []uint16
	duration uint64 // ns
	limit    uint64 // 0: none

	// how a line looks
	decode      decode.Options
	pidComm     bool // -Y
	read, write filter.NumberSet
	json        bool
	strict      bool
	ip          bool // -i
	showPID     bool
	color       colorMode
	stamp       stampOptions
	letterT     int  // how often -t was given
	longT       bool // --absolute-timestamps was
	times       timeScale
	letterX     int
	longX       int // --strings-in-hex; -1: not given
	letterY     int
	longY       bool

	// where it goes
	output   string
	append   bool
	separate bool

	// statistics
	summary summaryOptions

	// what is said
	quiet      quiet
	askedQuiet bool // -q or --quiet was given, not only implied by -o
	letterQ    int
	longQ      bool
	ledger     bool
	debug      bool

	// how it is done
	backend   string
	ringBytes uint64
	refused   []string // options whose work only a tracer that stops the target could do, as given
	stops     stopOptions
	notYet    []string // options that are known and not implemented

	showHelp    bool
	showVersion bool
	listFilters bool
}

// quiet is a set of the messages that are not wanted (-q, -e quiet=).
type quiet uint32

const (
	quietAttach quiet = 1 << iota
	quietExit
	quietPath
	quietPersonality
	quietExecve
)

// newConfig is the config of an empty command line.
func newConfig() *config {
	c := &config{
		calls:  filter.Everything(runtime.GOARCH),
		decode: decode.Default(),
		longX:  -1,
	}
	c.status, _ = filter.ParseStatus("all")
	c.signals, _ = filter.ParseSignals("all")
	c.summary.reset()
	return c
}

// callSets are the calls that a source is asked for.
func (c *config) callSets() event.CallSets {
	sets := c.calls.Sets()
	if c.strange {
		addNameless(&sets)
	}
	return sets
}

// plan is what a source is asked to trace.
func (c *config) plan(rows *decode.Rows, child int) *event.Plan {
	sets := c.callSets()
	p := &event.Plan{
		Target: event.Target{
			Child:       child,
			PIDs:        c.pids,
			Follow:      c.follow,
			Descendants: c.descendants,
			All:         c.all,
			CPUs:        c.cpus,
			UID:         -1,
		},
		Calls:      sets,
		StringMax:  uint32(min(c.decode.StringMax, maxStringCapture)),
		Times:      c.needsEnter(),
		SystemTime: c.summary.system(),
		Count:      c.countable(),
		Overhead:   c.summary.overhead,
		EnterEvent: c.strict,
		IP:         c.ip,
		Comm:       c.json || c.pidComm,
		Signals:    !c.summary.only,
		RingBytes:  c.ringBytes,
	}
	filter.LimitStatus(&p.Result, &c.status)
	p.Result.Errnos = c.errnos
	p.Result.MinDuration = c.duration
	if !c.summary.only || c.files.wanted() {
		p.Captures = rows.CallPlans(&sets, &c.decode)
		if c.strict {
			captureEarly(p)
		}
	}
	return p
}

// captureEarly has all memory that a call is given copied when it enters, too:
// with --strict-order it is shown then.
func captureEarly(p *event.Plan) {
	early := func(list []event.Capture) {
		for i := range list {
			o := &list[i]
			if o.When&event.AtExit != 0 && o.When&event.IfOK == 0 && o.Len != event.LenRet {
				o.When |= event.AtEntry
			}
		}
	}
	for abi := range p.Captures {
		for _, plan := range p.Captures[abi] {
			if plan == nil {
				continue
			}
			early(plan.Captures)
			for _, list := range plan.Commands {
				early(list)
			}
		}
	}
}

// addNameless adds the numbers that no call has.
func addNameless(sets *event.CallSets) {
	for abi := range event.NumABI {
		for nr := range uint32(event.MaxNR) {
			if nr == event.Unknown || decode.CallName(abi, nr) == "" {
				sets[abi].Add(nr)
			}
		}
	}
}

// maxStringCapture is what event.Plan allows.
const maxStringCapture = 32 << 10

// needsEnter reports whether the time of entry is wanted for every call: for
// lines always, since the calls that stay in progress are found by it; for a
// table only if it has a column of wall times.
func (c *config) needsEnter() bool {
	s := &c.summary
	return !s.only || c.duration > 0 || s.needsWall()
}

// countable reports whether nothing but a table is wanted, which the source may
// add up: whether a call counts must hang on its number and its result alone.
func (c *config) countable() bool {
	return c.summary.only && c.limit == 0 && c.wantsReturned() && !c.files.wanted()
}

// wantsReturned reports whether any call that returns is shown; with
// -e status=unfinished none is.
func (c *config) wantsReturned() bool {
	return c.status.Has(filter.Successful) || c.status.Has(filter.Failed)
}

// wantsUnfinished reports whether lines of calls that have not returned may be
// shown: strace keeps them back while it filters by status.
func (c *config) wantsUnfinished() bool {
	return c.status.Has(filter.Unfinished) && c.status.Has(filter.Successful) && c.status.Has(filter.Failed) &&
		len(c.errnos) == 0 && c.duration == 0 && !c.files.wanted()
}

// maxColumn keeps -a from asking for lines of any length.
const maxColumn = math.MaxInt16
