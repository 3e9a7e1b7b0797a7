package bpf

import (
	"encoding/binary"
	"fmt"
	"runtime"

	"github.com/cilium/ebpf"

	"perftrace/event"
)

// maxOtherCalls bounds the numbers without a slot that can be counted, each on
// each CPU; more are lost for want of a slot.
const maxOtherCalls = 65536

// countMaps gives the maps of counts their size.
func countMaps(spec *ebpf.CollectionSpec, cpus int) {
	spec.Maps["counts"].MaxEntries = uint32(cpus) * numSlots
	spec.Maps["other_counts"].MaxEntries = maxOtherCalls
}

// needsEntry reports whether a plan needs the hook on the entry of calls. Counts
// without times do without, but not on arm64, where execve used to forget its
// number as a return from a signal handler does.
func needsEntry(p *event.Plan, c *compiled) bool {
	if p.Times || p.SystemTime || p.EnterEvent || p.Result.MinDuration > 0 {
		return true
	}
	return c.entry && (!p.Count || runtime.GOARCH != "amd64")
}

// Counted returns the sums of the calls; see event.Counter.
func (s *Source) Counted() ([]event.Count, error) {
	sums := map[[2]uint32]*event.Count{}
	add := func(abi, nr uint32, n *traceCount) {
		if n.Calls == 0 {
			return
		}
		c := sums[[2]uint32{abi, nr}]
		if c == nil {
			c = &event.Count{ABI: event.ABI(abi), NR: nr}
			sums[[2]uint32{abi, nr}] = c
		}
		c.Merge(&event.Count{Calls: n.Calls, Errors: n.Errors, System: span(n.System), Wall: span(n.Wall)})
	}
	table, err := s.coll.Maps["counts"].Memory()
	if err != nil {
		return nil, fmt.Errorf("map the counts of the BPF programs: %w", err)
	}
	size := binary.Size(traceCount{})
	b := make([]byte, size*int(numSlots))
	for cpu := range s.possible {
		if _, err := table.ReadAt(b, int64(cpu*len(b))); err != nil {
			return nil, fmt.Errorf("read the counts of CPU %d: %w", cpu, err)
		}
		for slot := range numSlots {
			var n traceCount
			if _, err := binary.Decode(b[int(slot)*size:], binary.NativeEndian, &n); err != nil {
				return nil, fmt.Errorf("read the counts of CPU %d: %w", cpu, err)
			}
			add(slot/event.MaxNR, slot%event.MaxNR, &n)
		}
	}
	var key traceOtherCall
	var n traceCount
	others := s.coll.Maps["other_counts"].Iterate()
	for others.Next(&key, &n) {
		add(key.Abi, key.Nr, &n)
	}
	if err := others.Err(); err != nil {
		return nil, fmt.Errorf("read the counts of unknown calls: %w", err)
	}
	list := make([]event.Count, 0, len(sums))
	for _, c := range sums {
		list = append(list, *c)
	}
	return list, nil
}

func span(s traceSpan) event.Span { return event.Span{Total: s.Total, Min: s.Min, Max: s.Max} }

// countedCalls is how many calls were added up.
func (s *Source) countedCalls() (calls uint64) {
	list, err := s.Counted()
	if err != nil {
		return 0
	}
	for i := range list {
		calls += list[i].Calls
	}
	return calls
}

// TellsSystemTime: see event.SystemTimer.
func (s *Source) TellsSystemTime() {}

var (
	_ event.Counter     = (*Source)(nil)
	_ event.SystemTimer = (*Source)(nil)
)
