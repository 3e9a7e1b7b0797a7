package bpf

import (
	"fmt"

	"github.com/cilium/ebpf"

	"perftrace/event"
)

// configure sets the constants of the programs, and cuts out what the kernel has
// no use for.
func configure(spec *ebpf.CollectionSpec, p *event.Plan, lacks lack, entryHook bool) error {
	r, t := &p.Result, &p.Target
	set := map[string]any{
		"use_storage":      lacks&lackStorage == 0,
		"cgroup_ancestors": lacks&lackAncestors == 0,
		"trace_all":        t.All,
		"want_times":       p.Times || !p.Count && (p.SystemTime || r.MinDuration > 0),
		"want_system":      p.SystemTime,
		"counting":         p.Count,
		"overhead":         p.Overhead,
		"want_enter":       p.EnterEvent,
		"want_comm":        p.Comm,
		"want_ip":          p.IP,
		"want_fds":         p.WantsFDs(),
		"have_entry_hook":  entryHook,
		"have_find_vma":    lacks&lackFindVMA == 0,
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
	if lacks&lackFindVMA != 0 {
		for _, prog := range spec.Programs {
			prog.Instructions = withoutCallback(prog.Instructions, "untouched")
		}
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
const maxObject = 32776
