package filter

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/event"
)

// What -e status= tells apart: how a call ended.
const (
	Successful  uint32 = iota
	Failed             // with an error
	Unfinished         // it didn't return
	Unavailable        // its result could not be had
	Detached           // perftrace was detached before it returned
)

var statuses = []Word{
	{"successful", Successful},
	{"failed", Failed},
	{"unfinished", Unfinished},
	{"unavailable", Unavailable},
	{"detached", Detached},
}

// ParseStatus parses what stands behind -e status=. -z is status=successful,
// -Z is status=failed.
func ParseStatus(expr string) (NumberSet, error) {
	return ParseWords(expr, "status", statuses)
}

// LimitStatus makes f drop the calls that returned and whose status is not in
// the set. Calls that did not return are for the caller to drop. It reports
// false if the set holds neither successful nor failed calls: then no call that
// returns is wanted, which f can't say.
func LimitStatus(f *event.ResultFilter, statuses *NumberSet) bool {
	ok, failed := statuses.Has(Successful), statuses.Has(Failed)
	f.OnlyOK = ok && !failed
	f.OnlyFailed = failed && !ok
	return ok || failed
}

// lastErrno is the largest number that a result can carry as an error.
const lastErrno = 4095

// firstInternal to lastInternal are errors by which the kernel restarts calls.
const firstInternal, lastInternal = 512, 530

// errnoAliases are second names, which package unix does not list.
var errnoAliases = []Word{
	{"EWOULDBLOCK", uint32(unix.EAGAIN)},
	{"EDEADLOCK", uint32(unix.EDEADLK)},
	{"ENOTSUP", uint32(unix.EOPNOTSUPP)},
	{"ERESTARTSYS", 512},
	{"ERESTARTNOINTR", 513},
	{"ERESTARTNOHAND", 514},
	{"ERESTART_RESTARTBLOCK", 516},
}

// ParseErrnos parses what stands behind -e errno=: names in either case and
// numbers. The result is for event.ResultFilter.Errnos. After "!", it holds all
// other errors that have a name.
func ParseErrnos(expr string) ([]uint16, error) {
	set, err := parseNumbers(expr, "errno", errnoNumber)
	if err != nil {
		return nil, err
	}
	var list []uint16
	if !set.turned {
		for n := range set.numbers {
			list = append(list, uint16(n))
		}
		slices.Sort(list)
	} else {
		for n := uint32(1); n <= lastInternal; n++ {
			if set.Has(n) && (n >= firstInternal || unix.ErrnoName(syscall.Errno(n)) != "") {
				list = append(list, uint16(n))
			}
		}
	}
	if len(list) == 0 {
		return nil, &SyntaxError{Text: "errno '" + expr + "' leaves no error to show"}
	}
	return list, nil
}

func errnoNumber(word string) (uint32, bool) {
	if n, err := strconv.ParseUint(word, 10, 32); err == nil {
		return uint32(n), n >= 1 && n <= lastErrno
	}
	for _, w := range errnoAliases {
		if strings.EqualFold(w.Word, word) {
			return w.N, true
		}
	}
	for n := uint32(1); n < firstInternal; n++ {
		if strings.EqualFold(unix.ErrnoName(syscall.Errno(n)), word) {
			return n, true
		}
	}
	return 0, false
}

// ParseDuration parses what stands behind --duration: the time, or ">=TIME" or
// ">TIME", from which on calls are shown. A number without a unit is
// milliseconds; units are ns, us, ms, s, m, h. The result is for
// event.ResultFilter.MinDuration.
func ParseDuration(expr string) (ns uint64, err error) {
	bad := &SyntaxError{Text: "invalid duration '" + expr + "' (want a least time such as 10, '>=0.5ms' or 2s; without a unit it is milliseconds)"}
	text := strings.TrimSpace(expr)
	text, more := strings.CutPrefix(text, ">")
	if more {
		var orEqual bool
		text, orEqual = strings.CutPrefix(text, "=")
		more = !orEqual
	}
	text = strings.TrimSpace(text)
	if text == "" || text[0] == '-' || text[0] == '+' {
		return 0, bad
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = time.ParseDuration(text + "ms")
	}
	if err != nil || d < 0 || d == math.MaxInt64 {
		return 0, bad
	}
	ns = uint64(d)
	if more {
		ns++
	}
	return ns, nil
}
