package event

import "time"

// A Source is a way to see system calls: package bpf, perf, ptrace and so on
// each implement one. One goroutine uses it, in this order:
//
//	Open → Start → Next … → Stop → Next … until io.EOF → Close
//
// Ledger may be called at any time from that goroutine, also after Close.
type Source interface {
	// Open prepares everything that can fail. Errors are one sentence with
	// cause and fix. After an error the Source is closed already.
	Open(*Plan) error
	// Start begins tracing: calls that begin after it returned are seen.
	Start() error
	// Next returns the next event in time order. It waits at most about
	// timeout and then returns nil, nil. After Stop it never waits and ends
	// with io.EOF. The event is lent until the next call of Next.
	Next(timeout time.Duration) (*Event, error)
	// Wake makes a waiting Next return; any goroutine may call it.
	Wake()
	// Stop ends tracing; what was captured so far stays readable by Next.
	Stop() error
	// Ledger returns the counts so far; exact once Next returned io.EOF.
	Ledger() Ledger
	Close() error
}

// A Pending call has begun and not returned.
type Pending struct {
	Event        // KindEnter; In as far as it could be read, lent until the next call
	Since uint64 // CLOCK_MONOTONIC ns; 0: before the trace began
}

// InFlight is implemented by Sources that can tell which calls are in progress.
type InFlight interface {
	// InFlight appends the calls of traced tasks that have been in progress
	// since before the time (CLOCK_MONOTONIC ns) and that have not been
	// reported as KindEnter.
	InFlight(before uint64, to []Pending) []Pending
}

// Cause is why records were lost.
type Cause uint8

const (
	RingFull Cause = iota // no room in the ring of the CPU
	NoRing                // the CPU has no ring (it came online after the start)
	NoSlot                // no memory for the task's in-flight state
	Missed                // the program did not run (recursion, kernel's missed counter)
	TooBig                // a record over the limit
	NumCauses
)

func (c Cause) String() string {
	return [NumCauses]string{"ring full", "no ring", "no slot", "missed", "too big"}[c]
}

// A Ledger accounts for calls of the traced tasks that are in Plan.Calls, and
// for those outside it as far as the source sees them:
//
//	Issued = Emitted + Filtered + sum(Lost)
//
// Emitted counts calls that Next returned or, until it has returned io.EOF,
// will return. A call counts when it returns or when it is known that it never will.
type Ledger struct {
	Issued   uint64
	Emitted  uint64
	Filtered uint64 // seen and dropped by the source: call set (if it counts those), result, duration
	Lost     [NumCauses]uint64
}

// LostTotal is the sum over the causes.
func (l *Ledger) LostTotal() (n uint64) {
	for _, v := range l.Lost {
		n += v
	}
	return n
}
