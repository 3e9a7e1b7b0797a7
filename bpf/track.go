package bpf

import "perftrace/event"

// A task is what user space keeps for a tid: how many of its calls it knows of,
// and the entry part of the call in progress.
type task struct {
	seq     uint64 // number of the last call that was shown or marked lost
	part    []byte // pieces of the entry record
	partSeq uint64 // calls before it; only valid with hasPart
	hasPart bool
	partOf  call
	partCut bool   // the budget was used up at entry
	image   []byte // what REC_EXEC had of path and arguments: IMAGE_PART bytes, then the arguments

	// The call in progress when InFlight met it first, where the kernel keeps
	// no time of entry.
	metSeq, metAt uint64
}

// A tracker joins entry parts with their calls and finds gaps.
type tracker struct {
	tasks   map[uint32]*task
	last    *task // of lastTID, since most records follow one of the same task
	lastTID uint32
	spare   []*task
	marked  uint64 // calls that KindLost events told
}

func newTracker() *tracker { return &tracker{tasks: map[uint32]*task{}} }

func (t *tracker) get(tid uint32) *task {
	if t.last != nil && t.lastTID == tid {
		return t.last
	}
	k := t.tasks[tid]
	if k == nil {
		if n := len(t.spare); n > 0 {
			k = t.spare[n-1]
			t.spare = t.spare[:n-1]
			*k = task{part: k.part[:0], image: k.image[:0]}
		} else {
			k = &task{}
		}
		t.tasks[tid] = k
	}
	t.last, t.lastTID = k, tid
	return k
}

// maxSpare and maxSparePart bound what is kept of dead tasks for reuse.
const (
	maxSpare     = 64
	maxSparePart = 64 << 10
)

func (t *tracker) drop(tid uint32) {
	k := t.tasks[tid]
	if k == nil {
		return
	}
	delete(t.tasks, tid)
	t.last = nil
	if len(t.spare) < maxSpare && cap(k.part) <= maxSparePart {
		t.spare = append(t.spare, k)
	}
}

// move gives the state of tid old to tid: a thread that calls execve becomes
// the leader of its process.
func (t *tracker) move(old, tid uint32) {
	if old == tid {
		return
	}
	k := t.tasks[old]
	if k == nil {
		return
	}
	t.drop(tid)
	delete(t.tasks, old)
	t.tasks[tid] = k
	t.last = nil
}

// gap returns how many calls of the record's task are missing in front of it,
// and counts them and the record itself as known.
func (t *tracker) gap(k *task, r record) uint64 {
	seq, before := r.seq(), r.seq()
	if seq == 0 {
		return 0
	}
	if r.isCall() {
		before--
	}
	if seq < k.seq || r.isCall() && seq == k.seq {
		if !r.isCall() {
			return 0
		}
		// The tid belongs to a new task, and the end of the old one was lost.
		k.seq, k.hasPart = 0, false
	}
	missing := before - k.seq
	k.seq = seq
	t.marked += missing
	return missing
}

// A call is what an entry record says beside its pieces.
type call struct {
	abi   event.ABI
	nr    uint32
	enter uint64
	args  [6]uint64
}

// keep remembers an entry record.
func (k *task) keep(e *event.Event, pieces []byte) {
	k.part = append(k.part[:0], pieces...)
	k.partOf = call{e.ABI, e.NR, e.Time, e.Args}
	k.partSeq, k.hasPart, k.partCut = e.Seq, true, e.Flags&event.Cut != 0
}

// join gives an event of a call its entry part.
func (k *task) join(e *event.Event, flags traceRecFlags) {
	switch {
	case flags&traceRecFlagsR_PART_LOST != 0:
		e.Flags |= event.InMissing
	case flags&traceRecFlagsR_PART == 0:
	case k.hasPart && k.partSeq+1 == e.Seq:
		e.In = k.part
		if k.partCut {
			e.Flags |= event.Cut
		}
	default:
		e.Flags |= event.InMissing
	}
	if len(k.image) > 0 {
		k.rescue(e)
		k.image = k.image[:0]
	}
	k.hasPart = false
}

// since returns when a call in progress, the one after seq calls, was met first.
func (t *tracker) since(tid uint32, seq, at uint64) uint64 {
	k := t.get(tid)
	if k.metAt == 0 || k.metSeq != seq {
		k.metSeq, k.metAt = seq, at
	}
	return k.metAt
}
