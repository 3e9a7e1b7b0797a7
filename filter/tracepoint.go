package filter

import (
	"math"
	"slices"
	"strconv"

	"perftrace/event"
)

// MaxTracepoint is how long a filter string may be: PERF_EVENT_IOC_SET_FILTER
// and tracefs take a page with the NUL.
const MaxTracepoint = 4095

// Tracepoint compiles a set into a filter string for the events
// raw_syscalls:sys_enter and sys_exit. "" means that no filter is needed.
//
// Their field id is the number as the task gave it: a 64-bit and a 32-bit call
// of the same number look alike, x32's numbers have bit 30 set. So the string
// lets through what is wanted of either, and exact tells whether that is
// exactly the set. If not, the rest is left to user space.
func Tracepoint(arch string, sets *event.CallSets) (text string, exact bool) {
	wanted, exact := idRanges(arch, sets)
	if len(wanted) == 1 && wanted[0] == (idRange{math.MinInt64, math.MaxInt64}) {
		return "", exact
	}
	if len(wanted) == 0 {
		return "id<0&&id>0", exact
	}
	leaf := leafRanges
	for {
		text := string(appendTree(nil, wanted, leaf, math.MinInt64, math.MaxInt64))
		if len(text) <= MaxTracepoint {
			return text, exact
		}
		if leaf < len(wanted) {
			leaf *= 2
		} else { // it's no tree any more
			wanted, exact = fillSmallestGap(wanted), false
		}
	}
}

// An idRange is first <= id <= last.
type idRange struct{ first, last int64 }

// idRanges returns the ids that the set wants: ranges in order, none touching
// the next. exact is false if some id is wanted of one ABI and not of the other.
func idRanges(arch string, sets *event.CallSets) (ranges []idRange, exact bool) {
	add := func(first, last int64) {
		if n := len(ranges); n > 0 && ranges[n-1].last == first-1 {
			ranges[n-1].last = last
			return
		}
		ranges = append(ranges, idRange{first, last})
	}
	hasCompat, hasX32 := arch == "amd64" || arch == "arm64", arch == "amd64"
	shared := sets[event.Native]
	exact = true
	if hasCompat {
		exact = sets[event.Compat] == sets[event.Native]
		for i, w := range sets[event.Compat] {
			shared[i] |= w
		}
	}
	// Ids that are no number of any table: -1, which seccomp and ptrace make,
	// and less. Which ABI they count for depends on the task.
	negative := shared.Has(event.Unknown)
	if hasX32 {
		negative = negative || sets[event.X32].Has(event.Unknown)
		exact = exact && shared.Has(event.Unknown) == sets[event.X32].Has(event.Unknown)
	}
	if negative {
		add(math.MinInt64, -1)
	}
	addSet := func(s *event.CallSet, base, last int64) {
		for nr := range uint32(event.Unknown) {
			if s.Has(nr) {
				add(base+int64(nr), base+int64(nr))
			}
		}
		if s.Has(event.Unknown) {
			add(base+event.Unknown, last)
		}
	}
	if !hasX32 {
		addSet(&shared, 0, math.MaxInt64)
		return ranges, exact
	}
	addSet(&shared, 0, x32Bit-1)
	addSet(&sets[event.X32], x32Bit, math.MaxInt64)
	return ranges, exact
}

// fillSmallestGap joins the two ranges that are the nearest to each other. It
// wants two at least; a single range always fits.
func fillSmallestGap(r []idRange) []idRange {
	best := 0
	gap := func(i int) uint64 { return uint64(r[i+1].first) - uint64(r[i].last) }
	for i := 1; i+1 < len(r); i++ {
		if gap(i) < gap(best) {
			best = i
		}
	}
	r[best].last = r[best+1].last
	return slices.Delete(r, best+1, best+2)
}

// leafRanges is how many ranges are tested one after the other. The kernel
// tests the terms of a filter in order, so that a tree of comparisons is faster
// for many (BenchmarkARejectingFilter); but its text is longer.
const leafRanges = 4

// appendTree appends the test for ranges, knowing that low <= id <= high.
func appendTree(b []byte, r []idRange, leaf int, low, high int64) []byte {
	if len(r) <= leaf {
		for i, x := range r {
			if i > 0 {
				b = append(b, "||"...)
			}
			b = appendRange(b, x, low, high)
		}
		return b
	}
	half := len(r) / 2
	middle := r[half].first
	b = append(b, "(id<"...)
	b = strconv.AppendInt(b, middle, 10)
	b = append(b, "&&("...)
	b = appendTree(b, r[:half], leaf, low, middle-1)
	b = append(b, "))||(id>="...)
	b = strconv.AppendInt(b, middle, 10)
	b = append(b, "&&("...)
	b = appendTree(b, r[half:], leaf, middle, high)
	return append(b, "))"...)
}

func appendRange(b []byte, r idRange, low, high int64) []byte {
	compare := func(op string, n int64) {
		b = append(b, "id"...)
		b = append(b, op...)
		b = strconv.AppendInt(b, n, 10)
	}
	switch {
	case r.first == r.last:
		compare("==", r.first)
	case r.first <= low && r.last >= high:
		compare(">=", r.first) // always true here; the grammar wants a term
	case r.first <= low:
		compare("<=", r.last)
	case r.last >= high:
		compare(">=", r.first)
	default:
		b = append(b, '(')
		compare(">=", r.first)
		b = append(b, "&&"...)
		compare("<=", r.last)
		b = append(b, ')')
	}
	return b
}
