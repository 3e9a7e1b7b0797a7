package event

// A Counter is a Source that obeys Plan.Count.
type Counter interface {
	// Counted returns what was added up, in no order; exact once Next has
	// returned io.EOF, and valid until Close.
	Counted() ([]Count, error)
}

// A SystemTimer is a Source that obeys Plan.SystemTime.
type SystemTimer interface{ TellsSystemTime() }

// A Count is the sum of the calls with one number. Calls that never return are
// not in it.
type Count struct {
	ABI           ABI
	NR            uint32
	Calls, Errors uint64
	System, Wall  Span
}

// A Span sums up durations, in ns.
type Span struct{ Total, Min, Max uint64 }

// Add adds a duration; before is how many calls are in the span already.
func (s *Span) Add(before, took uint64) { s.Merge(before, Span{took, took, took}) }

// Merge adds another span; before is how many calls are in this one already.
func (s *Span) Merge(before uint64, o Span) {
	if before == 0 || o.Min < s.Min {
		s.Min = o.Min
	}
	s.Max = max(s.Max, o.Max)
	s.Total += o.Total
}

// Merge adds the calls of another count.
func (c *Count) Merge(o *Count) {
	if o.Calls == 0 {
		return
	}
	c.System.Merge(c.Calls, o.System)
	c.Wall.Merge(c.Calls, o.Wall)
	c.Calls += o.Calls
	c.Errors += o.Errors
}
