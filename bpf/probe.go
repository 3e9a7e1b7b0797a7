package bpf

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/features"
	"golang.org/x/sys/unix"

	"perftrace/event"
)

// A lack is a feature that a kernel does not have; tests pretend some.
type lack uint8

const (
	lackStorage     lack = 1 << iota // BPF task storage: Linux 5.11
	lackThreadPidfd                  // pidfds of threads: Linux 6.9
	lackIterator                     // BPF iterators over tasks: Linux 5.8
	lackAncestors                    // cgroups above that of a task, for tracing programs: Linux 5.11
	lackFindVMA                      // what is mapped at an address: Linux 5.17
)

// probe finds out what the kernel has, beyond what can't be missing.
func (s *Source) probe(spec *ebpf.CollectionSpec, t *event.Target) error {
	if err := haveMap(spec.Maps["task_store"]); err != nil {
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
	if features.HaveProgramHelper(ebpf.RawTracepoint, asm.FnFindVma) != nil {
		s.lacks |= lackFindVMA
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

// haveMap makes the map and drops it again. features.HaveMapType tries a task storage
// without types instead: that is refused, and the call does not return before the
// kernel has waited for several RCU grace periods to take the half-made map back.
func haveMap(spec *ebpf.MapSpec) error {
	m, err := ebpf.NewMap(spec)
	if err != nil {
		return err
	}
	return m.Close() // the kernel takes it back later, in a worker
}

// kernelBTF is the type information of the kernel. It is large: it is decoded once
// for all, and beside what goes on meanwhile.
type kernelBTF struct {
	cache *btf.Cache
	done  chan struct{}
}

func decodeKernelBTF() *kernelBTF {
	k := &kernelBTF{btf.NewCache(), make(chan struct{})}
	go func() {
		defer close(k.done)
		_, _ = k.cache.Kernel() // an error comes again when it is used
	}()
	return k
}

func (k *kernelBTF) wait() *btf.Cache {
	<-k.done
	return k.cache
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

// raiseMemlock lifts the limit on locked memory, and reports whether it could.
func raiseMemlock() bool {
	inf := unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
	return unix.Prlimit(0, unix.RLIMIT_MEMLOCK, &inf, nil) == nil
}

// withoutCallback takes a function out of a program, and the pointers to it:
// before Linux 5.13 they are refused even in code that is never reached.
func withoutCallback(prog asm.Instructions, name string) (without asm.Instructions) {
	inside := false
	for _, ins := range prog {
		if symbol := ins.Symbol(); symbol != "" {
			inside = symbol == name
		}
		if inside {
			continue
		}
		if ins.IsLoadOfFunctionPointer() && ins.Reference() == name {
			null := asm.LoadImm(ins.Dst, 0, asm.DWord)
			null.Metadata = ins.WithReference("").Metadata
			ins = null
		}
		without = append(without, ins)
	}
	return without
}
