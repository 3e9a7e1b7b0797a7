package bpf

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/cilium/ebpf"

	"perftrace/event"
)

// putPlans writes the plans of all slots: in one call, or before Linux 5.6 one by one.
func putPlans(m *ebpf.Map, plans []tracePlan) error {
	slots := make([]uint32, len(plans))
	for i := range slots {
		slots[i] = uint32(i)
	}
	if _, err := m.BatchUpdate(slots, plans, nil); err == nil {
		return nil
	}
	for slot := range plans {
		if plans[slot].Flags == 0 {
			continue
		}
		if err := m.Put(uint32(slot), &plans[slot]); err != nil {
			return fmt.Errorf("write the plan of slot %d: %w", slot, err)
		}
	}
	return nil
}

// putCommands writes the plans of commands; there are thousands.
func putCommands(m *ebpf.Map, plans map[traceCommand]tracePlan) error {
	keys := slices.Collect(maps.Keys(plans))
	values := make([]tracePlan, len(keys))
	for i, key := range keys {
		values[i] = plans[key]
	}
	if len(keys) == 0 {
		return nil
	}
	if _, err := m.BatchUpdate(keys, values, nil); err == nil {
		return nil
	}
	for i := range keys {
		if err := m.Put(&keys[i], &values[i]); err != nil {
			return fmt.Errorf("write the plan of command %#x: %w", keys[i].Cmd, err)
		}
	}
	return nil
}

// fillMaps writes the plan and the start values.
func (s *Source) fillMaps(p *event.Plan, c *compiled) error {
	if err := putPlans(s.coll.Maps["plans"], c.plans); err != nil {
		return err
	}
	if err := putCommands(s.coll.Maps["commands"], c.commands); err != nil {
		return err
	}
	for cpu := range uint32(s.possible) {
		if err := s.coll.Maps["cpus"].Put(cpu, &traceCpu{TryAt: limitsOf(ringBytesOf(p)).flush}); err != nil {
			return fmt.Errorf("prepare the batch of CPU %d: %w", cpu, err)
		}
	}
	if !p.Target.All {
		return nil
	}
	for _, pid := range append([]int{os.Getpid()}, p.Target.Exclude...) {
		if err := s.coll.Maps["excluded"].Put(uint32(pid), uint32(1)); err != nil {
			return fmt.Errorf("exclude process %d: %w", pid, err)
		}
	}
	return nil
}
