package bpf

import (
	"slices"

	"perftrace/perf/mmap"
)

// order hands out the records of a round in the order of their times, and none
// from beyond the horizon.
//
// The Group goes beyond the horizon when a ring is over three quarters full, so
// that it does not overflow. Here that would only tear the order, in which gaps
// are found: flush sees to it that a full ring can always be read. So the first
// record from beyond is put aside, and with it ends the round.
type order struct {
	group   *mmap.Group
	horizon uint64
	done    bool // the group has nothing more for this round
	cur     record
	curTime uint64
	early   []early // put aside, oldest first
	spare   [][]byte
}

type early struct {
	time uint64
	data []byte
}

func (o *order) begin(horizon uint64) {
	o.horizon, o.done = horizon, false
	o.group.Begin(horizon)
}

// next returns the next record, or nil at the end of the round. It is lent until
// the next call of next or begin.
func (o *order) next() record {
	for o.cur == nil && !o.done {
		u := o.group.Next()
		switch {
		case u == nil:
			o.done = true
		case u.Type != mmap.TypeSample || len(u.Data) < recSize:
			// LOST records: our own counters tell the same, task by task.
		case u.Time >= o.horizon:
			o.putAside(u)
			o.done = true
		default:
			o.cur, o.curTime = u.Data, u.Time
		}
	}
	if len(o.early) > 0 && o.early[0].time < o.horizon && (o.cur == nil || o.early[0].time <= o.curTime) {
		b := o.early[0].data
		o.early = slices.Delete(o.early, 0, 1)
		// It is written to again in a later round at the earliest.
		o.spare = append(o.spare, b)
		return b
	}
	r := o.cur
	o.cur = nil
	return r
}

func (o *order) putAside(u *mmap.Unit) {
	var b []byte
	if n := len(o.spare); n > 0 {
		b, o.spare = o.spare[n-1], o.spare[:n-1]
	}
	b = append(b[:0], u.Data...)
	i := len(o.early)
	for i > 0 && o.early[i-1].time > u.Time {
		i--
	}
	o.early = slices.Insert(o.early, i, early{u.Time, b})
}
