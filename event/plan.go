package event

import "slices"

// A CallSet is a set of calls of one ABI, by number.
type CallSet [MaxNR / 64]uint64

func (s *CallSet) Has(nr uint32) bool {
	if nr >= MaxNR {
		nr = Unknown
	}
	return s[nr/64]>>(nr%64)&1 != 0
}

func (s *CallSet) Add(nr uint32)    { s[nr/64] |= 1 << (nr % 64) }
func (s *CallSet) Remove(nr uint32) { s[nr/64] &^= 1 << (nr % 64) }

// CallSets is a set of calls over all ABIs.
type CallSets [NumABI]CallSet

// A Plan says what a Source is to trace. It is not changed after Open.
type Plan struct {
	Target Target
	Calls  CallSets
	// Captures by ABI and number; a nil plan copies nothing. Sources that
	// can't read memory ignore them.
	Captures [NumABI][MaxNR]*CallPlan
	Result   ResultFilter

	StringMax  uint32 // the -s limit in bytes, as Captures with Max 0 use it; at most 32 KiB
	Times      bool   // Event.Enter is wanted for every call
	SystemTime bool   // Event.System is wanted, with it Event.Enter; see SystemTimer
	EnterEvent bool   // a KindEnter event for every call is wanted (strict order)
	IP         bool   // Event.IP is wanted
	Comm       bool   // Event.Comm is wanted
	Signals    bool   // KindSignal events are wanted

	// Count asks to add up the calls that return, instead of delivering an event
	// for each: system times with SystemTime, wall times with Times, each less
	// Overhead (ns). Only a Counter does so.
	Count    bool
	Overhead uint64

	RingBytes uint64 // data bytes of a ring, each CPU; a power of two, at least a page; 0: the default
}

// A Target says which tasks are traced.
type Target struct {
	// Child is the tid of a command that is held before its execve (0: none).
	// It is traced from the entry of that execve on.
	Child int
	// PIDs are running processes; each with all its threads.
	PIDs []int
	// TIDs are single threads (strace -p TID without -f).
	TIDs []int
	// Follow: also the processes that traced tasks create. New threads of a
	// traced process are always followed (perf, bpf).
	Follow bool
	// Descendants: of PIDs, also those that already exist.
	Descendants bool
	// All: every task of the machine, but Exclude.
	All     bool
	Exclude []int // processes (tgid) that All leaves out: perftrace and its terminal chain
	CPUs    []int // only calls made on these CPUs; nil: every online CPU

	// Further conditions, all of which must hold; zero values hold.
	CgroupID uint64
	UID      int64 // -1: any
	CommGlob string
}

// A ResultFilter keeps calls by what came out. The zero value keeps all.
type ResultFilter struct {
	OnlyOK      bool     // -z
	OnlyFailed  bool     // -Z
	Errnos      []uint16 // -e errno=: only these
	MinDuration uint64   // ns
}

// Active reports whether the filter can drop a call.
func (f *ResultFilter) Active() bool {
	return f.OnlyOK || f.OnlyFailed || len(f.Errnos) > 0 || f.MinDuration > 0
}

// Keep reports whether a call with this result and duration (ns) is kept.
func (f *ResultFilter) Keep(ret int64, duration uint64) bool {
	failed := ret < 0 && ret >= -4095
	if f.OnlyOK && failed || f.OnlyFailed && !failed || duration < f.MinDuration {
		return false
	}
	if len(f.Errnos) == 0 {
		return true
	}
	for _, e := range f.Errnos {
		if failed && uint16(-ret) == e {
			return true
		}
	}
	return false
}

// WantsFDs reports whether any call of the plan has a CapFD.
func (p *Plan) WantsFDs() bool {
	for abi := range p.Captures {
		for _, call := range p.Captures[abi] {
			if call == nil {
				continue
			}
			if hasFD(call.Captures) {
				return true
			}
			for _, captures := range call.Commands {
				if hasFD(captures) {
					return true
				}
			}
		}
	}
	return false
}

func hasFD(captures []Capture) bool {
	return slices.ContainsFunc(captures, func(c Capture) bool { return c.Kind == CapFD })
}
