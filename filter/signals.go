package filter

import (
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Kernel's numbers of the real-time signals. C libraries keep the first few for
// themselves, strace does not care.
const (
	firstRealTime = 32
	lastSignal    = 64
)

// ParseSignals parses what stands behind -e signal=: names with or without SIG
// in either case, numbers from 0 to 255, SIGRTMIN, SIGRT_1 to SIGRT_32.
func ParseSignals(expr string) (NumberSet, error) {
	return parseNumbers(expr, "signal", signalNumber)
}

func signalNumber(word string) (uint32, bool) {
	if word[0] >= '0' && word[0] <= '9' {
		n, err := strconv.ParseUint(word, 10, 8)
		return uint32(n), err == nil
	}
	if len(word) >= 3 && strings.EqualFold(word[:3], "SIG") {
		word = word[3:]
	}
	for n := 1; n <= lastSignal; n++ {
		if strings.EqualFold(signalName(n), word) {
			return uint32(n), true
		}
	}
	return 0, false
}

// signalName is strace's name of a signal, without SIG.
func signalName(n int) string {
	switch {
	case n < firstRealTime:
		return strings.TrimPrefix(unix.SignalName(syscall.Signal(n)), "SIG")
	case n == firstRealTime:
		return "RTMIN"
	default:
		return "RT_" + strconv.Itoa(n-firstRealTime)
	}
}
