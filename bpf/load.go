package bpf

import (
	"errors"
	"fmt"
	"os"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/features"
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
	plan, err := compile(p)
	if err != nil {
		return err
	}
	spec, err := loadTrace()
	if err != nil {
		return fmt.Errorf("read the embedded BPF programs: %w", err)
	}
	if err := s.probe(&p.Target); err != nil {
		return err
	}
	s.entryHook = plan.entry || p.Times || p.EnterEvent || p.Result.MinDuration > 0
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

// A lack is a feature that a kernel does not have; tests pretend some.
type lack uint8

const (
	lackStorage     lack = 1 << iota // BPF task storage: Linux 5.11
	lackThreadPidfd                  // pidfds of threads: Linux 6.9
	lackIterator                     // BPF iterators over tasks: Linux 5.8
	lackAncestors                    // cgroups above that of a task, for tracing programs: Linux 5.11
)

// probe finds out what the kernel has, beyond what can't be missing.
func (s *Source) probe(t *event.Target) error {
	if err := features.HaveMapType(ebpf.TaskStorage); err != nil {
		if errors.Is(err, unix.EPERM) {
			return loadError("create a BPF map", err)
		}
		s.lacks |= lackStorage
	}
	if features.HaveProgramHelper(ebpf.RawTracepoint, asm.FnGetCurrentTaskBtf) != nil {
		s.lacks |= lackStorage
	}
	if s.storage = s.lacks&lackStorage == 0; !s.storage {
		s.missing = append(s.missing, fmt.Sprintf(
			"at most %d tasks can be traced at once, and each traced call costs more, because the kernel has no BPF task storage (Linux 5.11)", maxHashTasks))
	}
	if t.CgroupID != 0 && features.HaveProgramHelper(ebpf.RawTracepoint, asm.FnGetCurrentAncestorCgroupId) != nil {
		s.lacks |= lackAncestors
	}
	if s.lacks&lackAncestors != 0 {
		s.missing = append(s.missing,
			"only tasks in the cgroup itself are traced, not those in cgroups below it, because the kernel does not tell BPF programs of them (Linux 5.11)")
	}
	return nil
}

// unwanted names the programs that a plan does not need.
func (s *Source) unwanted(p *event.Plan) (names []string) {
	if !s.entryHook {
		names = append(names, "call_enter")
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
	// The kernel's BTF is large: it is decoded once for all that follows.
	cache := btf.NewCache()
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

// haveHold reports whether programs can forbid their preemption (Linux 6.10).
func haveHold(cache *btf.Cache) bool {
	kernel, err := cache.Kernel()
	if err != nil {
		return false
	}
	var fn *btf.Func
	return kernel.TypeByName("bpf_preempt_disable", &fn) == nil
}

func setHold(spec *ebpf.CollectionSpec, hold bool) error {
	if err := spec.Variables["hold_cpu"].Set(hold); err != nil {
		return fmt.Errorf("set BPF constant hold_cpu: %w", err)
	}
	return nil
}

// iterator is the one program that can be done without.
const iterator = "dump_tasks"

func (s *Source) noIterator() {
	if s.storage {
		s.missing = append(s.missing,
			"calls that hang are found in /proc, and calls lost at the very end are not told by thread, because the kernel has no BPF iterator over tasks (Linux 5.8)")
	}
}

// raiseMemlock lifts the limit on locked memory, and reports whether it could.
func raiseMemlock() bool {
	inf := unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
	return unix.Prlimit(0, unix.RLIMIT_MEMLOCK, &inf, nil) == nil
}

// configure sets the constants of the programs.
func configure(spec *ebpf.CollectionSpec, p *event.Plan, lacks lack, entryHook bool) error {
	r, t := &p.Result, &p.Target
	set := map[string]any{
		"use_storage":      lacks&lackStorage == 0,
		"cgroup_ancestors": lacks&lackAncestors == 0,
		"trace_all":        t.All,
		"want_times":       p.Times || r.MinDuration > 0,
		"want_enter":       p.EnterEvent,
		"want_comm":        p.Comm,
		"want_ip":          p.IP,
		"want_fds":         p.WantsFDs(),
		"have_entry_hook":  entryHook,
		"string_max":       min(p.StringMax, maxObject),
		"filter_results":   r.Active(),
		"only_ok":          r.OnlyOK,
		"only_failed":      r.OnlyFailed,
		"only_errnos":      len(r.Errnos) > 0,
		"min_duration":     r.MinDuration,
		"filter_cpus":      t.CPUs != nil,
		"filter_uid":       t.UID >= 0,
		"only_uid":         uint32(t.UID),
		"only_cgroup":      t.CgroupID,
		"filter_comm":      t.CommGlob != "",
	}
	var errnos, cpus [64]uint64
	for _, e := range r.Errnos {
		if e < 4096 {
			errnos[e/64] |= 1 << (e % 64)
		}
	}
	for _, c := range t.CPUs {
		if c >= 0 && c < 4096 {
			cpus[c/64] |= 1 << (c % 64)
		}
	}
	l := limitsOf(ringBytesOf(p))
	set["batch_flush"], set["batch_soft"], set["batch_hard"] = l.flush, l.soft, l.hard
	set["errnos"], set["cpu_set"] = errnos, cpus
	if t.CommGlob != "" {
		g, err := compileGlob(t.CommGlob)
		if err != nil {
			return err
		}
		set["glob_match"], set["glob_stars"], set["glob_end"] = g.match, g.stars, g.end
	}
	for name, value := range set {
		v := spec.Variables[name]
		if v == nil {
			return fmt.Errorf("BPF object has no constant %s; run make generate", name)
		}
		if err := v.Set(value); err != nil {
			return fmt.Errorf("set BPF constant %s: %w", name, err)
		}
	}
	return nil
}

// maxObject is the most that one piece can hold (OBJECT_MAX in capture.h).
const maxObject = 32760

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

// fillMaps writes the plan and the start values.
func (s *Source) fillMaps(p *event.Plan, c *compiled) error {
	if err := putPlans(s.coll.Maps["plans"], c.plans); err != nil {
		return err
	}
	for key, sub := range c.commands {
		if err := s.coll.Maps["commands"].Put(&key, &sub); err != nil {
			return fmt.Errorf("write the plan of command %#x: %w", key.Cmd, err)
		}
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
