package decode

import "perftrace/event"

// Pointers to memory that a call reads, and then fills in.

const (
	readAtEntry = event.AtEntry | event.IfFault
	filledAtEnd = event.AtExit | event.IfOK
)

// inout is a pointer to a struct of which the call reads some fields, which are
// shown as they were at entry, and then fills in those marked by filled.
func inout(s *Struct) Type {
	t := s.Type()
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) {
			c.AtEntry = true
			b, ok := c.ReadOr(v, t.size(c.Lay))
			if ok {
				c.BeginStruct()
				s.printFields(c, b, v, inFields)
			}
			c.AtEntry = false
			if !ok {
				return
			}
			if c.Succeeded() {
				if b, ok := c.Read(v, t.size(c.Lay)); ok {
					s.printFields(c, b, v, outFields)
				}
			}
			c.EndStruct()
		},
		Cap: func(b *Caps, at Place) {
			whole := event.Capture{Kind: event.CapBytes, Size: uint16(t.size(b.Lay))}
			old := b.When
			b.When = readAtEntry
			op := b.Add(at, whole)
			s.capFields(b, In(op, 0, 0), inFields)
			b.When = filledAtEnd
			op = b.Add(at, whole)
			s.capFields(b, In(op, 0, 0), outFields)
			b.When = old
		},
	}
}

// Succeeded reports whether the call has returned without an error.
func (c *Call) Succeeded() bool { return c.Returned() && !c.Failed() }

// changed is a pointer to a value that the call reads as one type and replaces
// by another: {a=1} => {b=2}.
func changed(before, after Type) Type { return changedIf((*Call).Succeeded, before, after) }

// changedOrAddr is changed that shows the address, too, when the call has failed.
func changedOrAddr(before, after Type) Type {
	t := changed(before, after)
	show := t.Print
	t.Print = func(c *Call, v uint64) {
		c.AtEntry = true
		_, ok := c.Read(v, before.size(c.Lay))
		c.AtEntry = false
		failed := ok && c.Verbose && c.Returned() && c.Failed()
		if failed {
			c.BeginChange()
		}
		show(c, v)
		if failed {
			c.Then()
			c.Addr(v)
			c.EndChange()
		}
	}
	return t
}

// changedIf is changed where ok says whether the call has replaced the value.
func changedIf(ok func(*Call) bool, before, after Type) Type {
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) {
			c.AtEntry = true
			b, found := c.ReadOr(v, before.size(c.Lay))
			c.AtEntry = false
			if !found {
				return
			}
			var now []byte
			both := ok(c)
			if both {
				now, both = c.Read(v, after.size(c.Lay))
			}
			if both {
				c.BeginChange()
			}
			c.AtEntry = true
			before.Val(c, b, v)
			c.AtEntry = false
			if both {
				c.Then()
				after.Val(c, now, v)
				c.EndChange()
			}
		},
		Cap: func(b *Caps, at Place) {
			old := b.When
			b.When = readAtEntry
			op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(before.size(b.Lay))})
			if before.Cap != nil {
				before.Cap(b, In(op, 0, 0))
			}
			b.When = event.AtExit
			op = b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(after.size(b.Lay))})
			if after.Cap != nil {
				after.Cap(b, In(op, 0, 0))
			}
			b.When = old
		},
	}
}
