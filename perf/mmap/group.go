package mmap

// A Splitter finds the units in the raw data of a sample. For the bytes that
// are left it returns the time of the next unit and its size. Size 0 means that
// what is left is padding; a size below 0 or beyond the bytes is corrupt. It is
// not called for less than 8 bytes. The times of one ring's units ascend.
type Splitter func(rest []byte) (time uint64, size int)

// A Unit is what a Group hands out. Data is lent until the next call of
// Group.Next or Group.Begin.
type Unit struct {
	Ring *Ring
	Type uint32 // of the record (TypeSample …)
	Misc uint16 // of the record
	Late bool   // younger units of other rings were handed out before
	Time uint64 // the ring's last time, if the record has none
	Lost uint64 // TypeLost, TypeLostSamples: how many
	// Data is the unit, if it is of a split sample, or else the whole record
	// with its header; nil for TypeCorrupt.
	Data []byte
}

// GroupStats are counts over all rings of a Group.
type GroupStats struct {
	Units   uint64
	Late    uint64 // units handed out after younger ones
	Batches uint64
	Pressed uint64 // batches in which a ring was over three quarters full
}

// A Group merges rings by time:
//
//	for {
//		now := clock()          // CLOCK_MONOTONIC, then flush what producers hold back
//		g.Begin(now - slack)
//		for u := g.Next(); u != nil; u = g.Next() { … }
//		g.Wait(timeout)
//	}
//
// One goroutine uses it; Wake is for any.
type Group struct {
	Layout Layout
	Split  Splitter // nil: a unit is a record
	// Largest is the size of the largest record that the rings get, with a
	// LOST record in front. A ring that had less room than that when a batch
	// began may be losing records that no LOST record tells of yet: then a
	// TypeLost unit with Lost 0 stands at the end of its batch. 0: don't tell.
	Largest int
	Stats   GroupStats

	cursors []*cursor
	heap    []entry
	horizon uint64
	pressed int    // cursors over three quarters full in this batch that have units left
	newest  uint64 // highest key handed out
	lent    bool   // heap[0]'s unit is with the caller
	poll    poller
}

// entry of the heap: the key is kept beside the pointer, so that comparing
// touches one cache line.
type entry struct {
	key uint64
	c   *cursor
}

// Add puts a ring into the group, also while it runs, but not between Begin and
// the last Next.
func (g *Group) Add(r *Ring) error {
	g.cursors = append(g.cursors, &cursor{ring: r, key: g.newest})
	if r.fd >= 0 {
		return g.poll.add(r.fd)
	}
	return nil
}

// Retire takes a ring out of the group when it is empty, and unmaps it: this is
// how a ring is replaced while it runs. Its event must have been disabled or
// redirected; its fd may be closed at once.
func (g *Group) Retire(r *Ring) {
	for _, c := range g.cursors {
		if c.ring == r {
			c.retired = true
			if r.fd >= 0 {
				g.poll.remove(r.fd)
				r.fd = -1
			}
		}
	}
}

// Len is the number of rings, with the retired ones that are not empty yet.
func (g *Group) Len() int { return len(g.cursors) }

// Filling tells whether a ring has been written to its quarter since the last
// batch began: then the caller should not wait but begin the next batch.
func (g *Group) Filling() bool {
	for _, c := range g.cursors {
		if c.ring.head.Load()-c.ring.told >= uint64(len(c.ring.data))/4 && c.ring.head.Load() != c.ring.end {
			return true
		}
	}
	return false
}

// Begin gives the last batch back to the kernel and starts the next one: the
// units older than horizon. The horizon must have been read from the clock
// before, less a slack for records whose time is taken but that are not
// written yet. A ring over three quarters full is drained whatever the horizon.
func (g *Group) Begin(horizon uint64) {
	g.settle()
	g.horizon = horizon
	g.pressed = 0
	g.heap = g.heap[:0]
	g.Stats.Batches++
	keep := g.cursors[:0]
	for _, c := range g.cursors {
		c.release()
		// The head is loaded again even if units are pending, so that a full
		// ring is seen.
		unread := c.ring.Snapshot() + c.ring.pos - c.ring.told
		c.full = g.Largest > 0 && unread+uint64(g.Largest) > uint64(len(c.ring.data))
		if !c.pending {
			g.load(c)
		}
		if !c.pending {
			if c.retired {
				_ = c.ring.Close()
				continue
			}
			keep = append(keep, c)
			continue
		}
		keep = append(keep, c)
		if c.pressed = unread > uint64(len(c.ring.data))/4*3; c.pressed {
			g.pressed++
		}
		g.push(entry{c.key, c})
	}
	clear(g.cursors[len(keep):])
	g.cursors = keep
	if g.pressed > 0 {
		g.Stats.Pressed++
	}
}

// Next returns the next unit of the batch, or nil at its end.
func (g *Group) Next() *Unit {
	g.settle()
	if len(g.heap) == 0 {
		return nil
	}
	top := &g.heap[0]
	if top.key >= g.horizon && g.pressed == 0 {
		return nil
	}
	u := &top.c.unit
	u.Late = top.key < g.newest && u.Type == TypeSample
	if u.Late {
		g.Stats.Late++
	}
	g.newest = max(g.newest, top.key)
	g.Stats.Units++
	g.lent = true
	return u
}

// settle moves past the unit that is with the caller.
func (g *Group) settle() {
	if !g.lent {
		return
	}
	g.lent = false
	c := g.heap[0].c
	g.load(c)
	if c.pending {
		g.heap[0].key = c.key
		g.sink()
		return
	}
	if c.pressed {
		c.pressed = false
		g.pressed--
	}
	n := len(g.heap) - 1
	g.heap[0] = g.heap[n]
	g.heap = g.heap[:n]
	g.sink()
}

// push and sink keep the smallest key at heap[0].
func (g *Group) push(e entry) {
	g.heap = append(g.heap, e)
	i := len(g.heap) - 1
	for i > 0 {
		p := (i - 1) / 2
		if g.heap[p].key <= e.key {
			break
		}
		g.heap[i] = g.heap[p]
		i = p
	}
	g.heap[i] = e
}

func (g *Group) sink() {
	h := g.heap
	n := len(h)
	if n < 2 {
		return
	}
	e := h[0]
	i := 0
	for {
		k := 2*i + 1
		if k >= n {
			break
		}
		if k+1 < n && h[k+1].key < h[k].key {
			k++
		}
		if e.key <= h[k].key {
			break
		}
		h[i] = h[k]
		i = k
	}
	h[i] = e
}

// Close unmaps all rings and ends the polling.
func (g *Group) Close() error {
	var first error
	for _, c := range g.cursors {
		if err := c.ring.Close(); err != nil && first == nil {
			first = err
		}
	}
	g.cursors, g.heap, g.lent = nil, nil, false
	if err := g.poll.close(); err != nil && first == nil {
		first = err
	}
	return first
}
