package event

// A Pairer joins the entries and exits of calls for Sources whose kernel side
// tells them apart. It never joins across a gap: a wrong line is worse than a
// line without arguments.
//
// The zero value is ready. It allocates only when there are more tasks than
// ever before.
type Pairer struct {
	tasks map[uint32]*open
	last  *open // the task of the last record: often the next one's too
	free  *open
	gap   uint32 // counts gaps
}

// NoNumber is the number of a call that the kernel forgot before its exit.
const NoNumber = 1<<32 - 1

// open is the state of one task: the call that it is in, if any.
type open struct {
	tid, tgid uint32
	nr        uint32
	gap       uint32 // Pairer.gap at entry
	abi       ABI
	in        bool   // a call is in progress
	exec      bool   // and it may replace the image
	told      bool   // and was reported as KindEnter
	known     bool   // a record of the task was seen, or its birth
	enter     uint64 // time of the entry
	exit      uint64 // time of the last exit
	ip        uint64
	args      [6]uint64
	next      *open // free list
}

func (p *Pairer) task(tid, tgid uint32) *open {
	if o := p.last; o != nil && o.tid == tid {
		return o
	}
	o := p.tasks[tid]
	if o == nil {
		if p.tasks == nil {
			p.tasks = make(map[uint32]*open)
		}
		if o = p.free; o != nil {
			p.free = o.next
			*o = open{}
		} else {
			o = new(open)
		}
		o.tid, o.tgid = tid, tgid
		p.tasks[tid] = o
	}
	p.last = o
	return o
}

// Enter remembers the call that e begins: TGID, TID, ABI, NR, Time, Args, IP.
// exec says that the call is execve or its like. An entry that comes after its
// exit was handed out (late, see mmap.Unit) is dropped, and false returned.
func (p *Pairer) Enter(e *Event, exec bool) bool {
	o := p.task(e.TID, e.TGID)
	o.known = true
	if e.Time < o.exit {
		return false
	}
	o.in, o.exec, o.told = true, exec, e.Kind == KindEnter
	o.tgid, o.nr, o.abi = e.TGID, e.NR, e.ABI
	o.gap, o.enter = p.gap, e.Time
	o.ip, o.args = e.IP, e.Args
	return true
}

// Exit completes e, the exit of a call with TGID, TID, ABI, NR, Time and Ret
// set, by what its entry told. If the entry is not known, e gets NoArgs, and
// Resumed if the call must have begun before the trace did.
//
// A successful execve returns in the new image: its exit may come through
// another ABI, so number and ABI are the entry's. NR NoNumber stands for an exit
// that has lost its number (rt_sigreturn).
func (p *Pairer) Exit(e *Event) {
	o := p.task(e.TID, e.TGID)
	same := o.nr == e.NR && o.abi == e.ABI || e.NR == NoNumber || o.exec
	if o.in && o.gap == p.gap && same {
		e.NR, e.ABI = o.nr, o.abi
		e.Args, e.IP = o.args, o.ip
		e.Enter = o.enter
		e.Flags |= HasEnter
	} else {
		e.Flags |= NoArgs
		if !o.known && p.gap == 0 {
			e.Flags |= Resumed
		}
	}
	o.in, o.known = false, true
	o.exit = e.Time
}

// Gap tells that records are missing: no entry before it is joined with an
// exit after it, of whatever task, since each may have been on that CPU.
func (p *Pairer) Gap() { p.gap++ }

// Gaps is how often Gap was called.
func (p *Pairer) Gaps() int { return int(p.gap) }

// Born tells that the task did not exist before the trace.
func (p *Pairer) Born(tid, tgid uint32) { p.task(tid, tgid).known = true }

// Cancel forgets the call that the task is in: it is reported already.
func (p *Pairer) Cancel(tid uint32) {
	if o := p.tasks[tid]; o != nil {
		o.in = false
	}
}

// Exec moves the call of the thread that called execve to the leader, whose tid
// it has from now on, and returns the tid it had. The kernel has ended all
// other threads before, so no other can be inside an execve.
func (p *Pairer) Exec(tgid uint32) (oldTID uint32) {
	leader := p.task(tgid, tgid)
	leader.known = true
	if leader.in && leader.exec {
		return tgid
	}
	for _, o := range p.tasks {
		if o.tgid == tgid && o != leader && o.in && o.exec {
			old := o.tid
			p.drop(o)
			*leader = *o
			leader.tid = tgid
			return old
		}
	}
	return tgid
}

// Died forgets a task. If it was inside a call that no gap is behind, e becomes
// the KindNoReturn of that call. had says whether the task was ever seen.
func (p *Pairer) Died(tid uint32, e *Event) (inside, had bool) {
	o := p.tasks[tid]
	if o == nil {
		return false, false
	}
	if inside = o.in && o.gap == p.gap; inside {
		o.fill(e, KindNoReturn)
	}
	p.drop(o)
	return inside, true
}

// drop puts the state into the free list; it stays readable until the next task.
func (p *Pairer) drop(o *open) {
	delete(p.tasks, o.tid)
	if p.last == o {
		p.last = nil
	}
	o.next, p.free = p.free, o
}

func (o *open) fill(e *Event, k Kind) {
	e.Kind = k
	e.TID, e.TGID, e.NR, e.ABI = o.tid, o.tgid, o.nr, o.abi
	e.Enter, e.Time = o.enter, o.enter
	e.Args, e.IP = o.args, o.ip
	e.Flags = HasEnter
}

// Pending appends the calls in progress that began before the time and were
// not reported as KindEnter; see InFlight.
func (p *Pairer) Pending(before uint64, to []Pending) []Pending {
	for _, o := range p.tasks {
		if !o.in || o.told || o.gap != p.gap || o.enter >= before {
			continue
		}
		to = append(to, Pending{Since: o.enter})
		o.fill(&to[len(to)-1].Event, KindEnter)
	}
	return to
}

// Len is how many tasks are known, and inside how many are in a call.
func (p *Pairer) Len() (tasks, inside int) {
	for _, o := range p.tasks {
		if o.in {
			inside++
		}
	}
	return len(p.tasks), inside
}
