package mmap

// A cursor is the place of the Group in one ring: the next unit, and what is
// left of the record that it is in.
type cursor struct {
	ring    *Ring
	unit    Unit
	key     uint64 // by which the unit is merged
	start   uint64 // where the record of the unit begins in the ring
	rest    []byte // units left in the current record
	pending bool   // unit is valid
	retired bool
	pressed bool
	full    bool // losing records, and the Group has not told yet
}

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
	switch u.Type {
	case TypeLost, TypeLostSamples, TypeCorrupt:
		// A gap is handed out right behind the unit in front of it and not at
		// its own time, which is when it ended: so a caller knows of it
		// before it sees anything that happened meanwhile on other CPUs.
	default:
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
				if !c.full {
					return false
				}
				c.full = false
				*u = Unit{Ring: r, Type: TypeLost, Time: u.Time}
				return true
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
