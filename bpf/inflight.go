package bpf

import (
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/cilium/ebpf/link"

	"perftrace/event"
)

// iterate runs the iterator over all tasks and returns what it wrote.
func (s *Source) iterate() ([]byte, error) {
	l, err := link.AttachIter(link.IterOptions{Program: s.iter})
	if err != nil {
		return nil, err
	}
	defer l.Close()
	r, err := l.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// dumpHash reads the states by tid, where there is no task storage.
func (s *Source) dumpHash() (all []traceDump) {
	if s.storage || s.coll == nil {
		return nil
	}
	var d traceDump
	for it := s.coll.Maps["task_hash"].Iterate(); it.Next(&d.Tid, &d.State); {
		d.Tgid = d.Tid
		all = append(all, d)
	}
	return all
}

// InFlight appends the calls of traced tasks that are in progress since before a
// time. A call that began before the trace is in it until its task makes a
// record. Without Plan.Times the kernel keeps no times of entry: then Since is
// when InFlight first met the call.
func (s *Source) InFlight(before uint64, to []event.Pending) []event.Pending {
	seen := map[uint32]bool{}
	at := now()
	for _, d := range s.dump() {
		st := &d.State
		if st.Flags&uint32(traceTaskFlagsT_IN_CALL) == 0 {
			if st.Flags&uint32(traceTaskFlagsT_ATTACHED) == 0 {
				seen[d.Tid] = true
			}
			continue
		}
		seen[d.Tid] = true
		since := st.Enter
		if since == 0 {
			since = s.tracker.since(d.Tid, st.Seq, at)
		}
		if since > before {
			continue
		}
		p := event.Pending{Since: since}
		p.Event = event.Event{
			Kind: event.KindEnter, ABI: event.ABI(st.Abi), TGID: d.Tgid, TID: d.Tid, NR: st.Nr,
			Enter: st.Enter, Time: since, Args: st.Args,
		}
		if st.Enter != 0 {
			p.Flags |= event.HasEnter
		}
		s.remember(&p)
		to = append(to, p)
	}
	for tid := range s.seeded {
		if seen[uint32(tid)] || s.tracker.tasks[uint32(tid)] != nil || tid == s.plan.Target.Child {
			continue
		}
		if p, ok := blocked(tid); ok && s.plan.Calls[p.ABI].Has(p.NR) {
			s.remember(&p)
			to = append(to, p)
		}
	}
	if s.iter == nil && s.storage {
		to = s.blockedTasks(before, at, to)
	}
	return to
}

// blockedTasks looks up in /proc what the tasks that made records are doing,
// where their states can't be read.
func (s *Source) blockedTasks(before, at uint64, to []event.Pending) []event.Pending {
	for tid, k := range s.tracker.tasks {
		p, ok := blocked(int(tid))
		if !ok || !s.plan.Calls[p.ABI].Has(p.NR) {
			k.metAt = 0
			continue
		}
		if p.Since = s.tracker.since(tid, k.seq, at); p.Since > before {
			continue
		}
		p.Flags &^= event.Resumed
		s.remember(&p)
		to = append(to, p)
	}
	return to
}

// remember gives a pending call the memory that it points to.
func (s *Source) remember(p *event.Pending) {
	if k := s.tracker.tasks[p.TID]; k != nil && k.hasPart && k.partSeq == k.seq {
		p.In = k.part
		return
	}
	plan := s.plan.Captures[p.ABI][min(p.NR, event.Unknown)]
	if plan == nil {
		return
	}
	ip := event.Interpreter{StringMax: s.plan.StringMax}
	p.In, _ = ip.Entry(&remote{pid: int(p.TID)}, plan, &p.Event, nil)
}

// blocked reads the call that a task has been in since before the trace.
func blocked(tid int) (p event.Pending, ok bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(tid) + "/syscall")
	if err != nil {
		return p, false
	}
	f := strings.Fields(string(b)) // number, six arguments, stack pointer, instruction pointer
	if len(f) < 7 {
		return p, false // "running", or -1 sp pc
	}
	nr, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil || nr < 0 {
		return p, false
	}
	tgid, _ := tgidOf(tid)
	p.Event = event.Event{Kind: event.KindEnter, TID: uint32(tid), TGID: uint32(tgid), NR: uint32(nr), Flags: event.Resumed}
	if is32(tid) {
		p.ABI = event.Compat
	}
	for i := range p.Args {
		if p.Args[i], err = strconv.ParseUint(f[1+i], 0, 64); err != nil {
			return p, false
		}
	}
	return p, true
}

// is32 reports whether a task runs a 32-bit program.
func is32(tid int) bool {
	f, err := os.Open("/proc/" + strconv.Itoa(tid) + "/exe")
	if err != nil {
		return false
	}
	defer f.Close()
	var h [5]byte
	_, err = io.ReadFull(f, h[:])
	return err == nil && string(h[:4]) == "\x7fELF" && h[4] == 1
}

func tgidOf(tid int) (int, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(tid) + "/status")
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(b), "\nTgid:")
	line, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(strings.TrimSpace(line))
	return n, err == nil
}
