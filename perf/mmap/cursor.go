package mmap

// A cursor is the place of the Group in one ring: the next unit, and what is
// left of the record that it is in.
type cursor struct {
	ring    *Ring
	unit    Unit
	key     uint64 // by which the unit is merged: its time, but never falling by a little
	start   uint64 // where the record of the unit begins in the ring
	rest    []byte // units left in the current record
	pending bool   // unit is valid
	retired bool
	pressed bool
}

// jitter is how far (ns) a record's time may lie before the one in front of it
// in the same ring and still count as in order: the kernel takes the time of a
// sample before it writes a LOST record, which has its own, in front of it.
const jitter = 1_000_000

// load makes the ring's next unit the pending one; c.pending is false if the
// snapshot has none.
func (g *Group) load(c *cursor) {
	u := &c.unit
	if len(c.rest) < headerSize || !g.cut(c) {
		if !g.read(c) {
			c.pending = false
			return
		}
	}
	c.pending = true
	if u.Time >= c.key || c.key-u.Time > jitter {
		c.key = u.Time
	}
}

// read takes the next record of the ring.
func (g *Group) read(c *cursor) bool {
	u, r := &c.unit, c.ring
	if r.bad {
		r.bad = false
		*u = Unit{Ring: r, Type: TypeCorrupt, Time: u.Time}
		return true
	}
	for {
		c.start = r.pos
		c.rest = nil
		// Everything before this record has been handed out: let the kernel
		// have it in the middle of a batch already, but not for each record.
		if c.start-r.told > uint64(len(r.data))/8 {
			r.releaseTo(c.start)
		}
		rec, err := r.Next()
		if rec == nil {
			if err == nil {
				return false
			}
			*u = Unit{Ring: r, Type: TypeCorrupt, Time: u.Time}
			return true
		}
		u.Ring = r
		u.Type, u.Misc = RecordType(rec), RecordMisc(rec)
		u.Lost = 0
		if u.Type == TypeSample && g.Split != nil {
			c.rest = g.Layout.RawData(rec)
			if len(c.rest) >= headerSize && g.cut(c) {
				return true
			}
			continue
		}
		if t, ok := g.Layout.RecordTime(rec); ok {
			u.Time = t
		}
		u.Data = rec
		if u.Type == TypeLost || u.Type == TypeLostSamples {
			u.Lost = r.count(rec)
		}
		return true
	}
}

// cut takes the next unit of the current record; false if only padding is left.
func (g *Group) cut(c *cursor) bool {
	t, n := g.Split(c.rest)
	if n <= 0 || n > len(c.rest) {
		left := len(c.rest)
		c.rest = nil
		if n == 0 {
			return false
		}
		c.ring.Stats.Corrupt++
		c.ring.Stats.Skipped += uint64(left)
		c.unit = Unit{Ring: c.ring, Type: TypeCorrupt, Time: c.unit.Time}
		return true
	}
	c.unit.Time = t
	c.unit.Data = c.rest[:n:n]
	c.rest = c.rest[n:]
	return true
}

// release gives back all but the record of the pending unit.
func (c *cursor) release() {
	if c.pending {
		c.ring.releaseTo(c.start)
		return
	}
	c.ring.Release()
}
