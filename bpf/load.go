package bpf

import (
	"errors"
	"fmt"
	"os"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"

	"perftrace/event"
)

// maxHashTasks is how many tasks can be traced at once before Linux 5.11.
const maxHashTasks = 65536

// load sets the programs up for a plan and loads them into the kernel.
func (s *Source) load(p *event.Plan) error {
	if _, err := os.Stat("/sys/kernel/btf/vmlinux"); err != nil {
		return &UnsupportedFeature{
			Feature: "BPF type information (/sys/kernel/btf/vmlinux; a kernel with CONFIG_DEBUG_INFO_BTF, Linux 5.4)",
			Fix:     otherBackend, Err: err,
		}
	}
	s.Prepare()
	plan, err := compile(p)
	if err != nil {
		return err
	}
	spec, err := loadTrace()
	if err != nil {
		return fmt.Errorf("read the embedded BPF programs: %w", err)
	}
	if err := s.probe(spec, &p.Target); err != nil {
		return err
	}
	s.entryHook = needsEntry(p, plan)
	if err := configure(spec, p, s.lacks, s.entryHook); err != nil {
		return err
	}
	s.possible, err = ebpf.PossibleCPU()
	if err != nil {
		return fmt.Errorf("count the possible CPUs: %w", err)
	}
	for _, name := range []string{"cpus", "batches", "rings"} {
		spec.Maps[name].MaxEntries = uint32(s.possible)
	}
	if p.Count {
		countMaps(spec, s.possible)
	}
	spec.Maps["commands"].MaxEntries = uint32(max(len(plan.commands), 1))
	if !s.storage {
		hashTasks(spec)
	}
	for _, name := range s.unwanted(p) {
		delete(spec.Programs, name)
	}
	if err := s.loadPrograms(spec); err != nil {
		return err
	}
	return s.fillMaps(p, plan)
}

// hashTasks keeps the states of tasks in a hash by tid. The map for the other
// way becomes one that every kernel can make; no program gets to look at it.
func hashTasks(spec *ebpf.CollectionSpec) {
	m := spec.Maps["task_store"]
	m.Type, m.Flags, m.MaxEntries, m.Key, m.Value, m.KeySize, m.ValueSize = ebpf.Array, 0, 1, nil, nil, 4, 8
	spec.Maps["task_hash"].MaxEntries = maxHashTasks
}

// unwanted names the programs that a plan does not need.
func (s *Source) unwanted(p *event.Plan) (names []string) {
	if p.Count {
		names = append(names, "call_enter", "call_exit")
	} else {
		names = append(names, "count_enter", "count_exit")
	}
	if !s.entryHook {
		names = append(names, "call_enter", "count_enter")
	}
	if !p.SystemTime {
		names = append(names, "task_switch")
	}
	if !p.Signals {
		names = append(names, "signal_deliver", "signal_generate")
	}
	if !p.Comm {
		names = append(names, "task_rename")
	}
	return names
}

// loadPrograms loads the programs, without the iterator if the kernel has none.
func (s *Source) loadPrograms(spec *ebpf.CollectionSpec) error {
	if s.lacks&lackIterator != 0 {
		delete(spec.Programs, iterator)
	}
	cache := s.kernel.wait()
	hold := haveHold(cache)
	if err := setHold(spec, hold); err != nil {
		return err
	}
	coll, err := collect(spec, cache)
	if errors.Is(err, unix.EPERM) && raiseMemlock() {
		// Before Linux 5.11 BPF memory counts as locked memory.
		coll, err = collect(spec, cache)
	}
	if verifier := (*ebpf.VerifierError)(nil); errors.As(err, &verifier) && hold {
		// Before Linux 6.15 nothing may be called that way while the CPU is
		// held; but before 7.0 there is no need to hold it.
		if err := setHold(spec, false); err != nil {
			return err
		}
		coll, err = collect(spec, cache)
	}
	if err != nil && spec.Programs[iterator] != nil {
		delete(spec.Programs, iterator)
		coll, err = collect(spec, cache)
	}
	if err != nil {
		return loadError("load the BPF programs", err)
	}
	s.coll = coll
	if s.iter = coll.Programs[iterator]; s.iter == nil {
		s.noIterator()
	}
	return nil
}

// collect loads maps and programs. Nearly all the time goes to the verification of
// the two large programs, so one of them is loaded beside the others.
func collect(spec *ebpf.CollectionSpec, cache *btf.Cache) (*ebpf.Collection, error) {
	alone, rest := map[string]*ebpf.ProgramSpec{}, map[string]*ebpf.ProgramSpec{}
	for name, prog := range spec.Programs {
		if name == "call_exit" {
			alone[name] = prog
		} else {
			rest[name] = prog
		}
	}
	with := *spec
	with.Programs = nil
	coll, err := ebpf.NewCollectionWithOptions(&with, ebpf.CollectionOptions{Cache: cache})
	if err != nil {
		return nil, err
	}
	programs := func(part map[string]*ebpf.ProgramSpec) (*ebpf.Collection, error) {
		with := *spec
		with.Programs = part
		return ebpf.NewCollectionWithOptions(&with, ebpf.CollectionOptions{Cache: cache, MapReplacements: coll.Maps})
	}
	var one *ebpf.Collection
	var oneErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		one, oneErr = programs(alone)
	}()
	others, err := programs(rest)
	<-done
	err = errors.Join(err, oneErr)
	for _, part := range []*ebpf.Collection{one, others} {
		if part == nil {
			continue
		}
		for name, prog := range part.Programs {
			coll.Programs[name] = prog
			delete(part.Programs, name)
		}
		part.Close() // its maps are clones
	}
	if err != nil {
		coll.Close()
		return nil, err
	}
	return coll, nil
}

// iterator is the one program that can be done without.
const iterator = "dump_tasks"

func (s *Source) noIterator() {
	if s.storage {
		s.missing = append(s.missing,
			"calls that hang are found in /proc, and calls lost at the very end are not told by thread, because the kernel has no BPF iterator over tasks (Linux 5.8)")
	}
}
