package perf

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// maxCPU bounds what a list may name; the kernel's limit is 8192.
const maxCPU = 1 << 16

// OnlineCPUs returns the numbers of the CPUs that are online, which need not be
// 0..n-1.
func OnlineCPUs() ([]int, error) {
	b, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return nil, fmt.Errorf("list online CPUs: %w; is /sys mounted?", err)
	}
	return parseCPUs(string(b))
}

// parseCPUs reads the kernel's list format: "0-3,5,8-9".
func parseCPUs(list string) ([]int, error) {
	var cpus []int
	for part := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		if part == "" {
			continue
		}
		lo, hi, isRange := strings.Cut(part, "-")
		if !isRange {
			hi = lo
		}
		a, err1 := strconv.Atoi(lo)
		b, err2 := strconv.Atoi(hi)
		if err1 != nil || err2 != nil || a < 0 || b < a || b >= maxCPU {
			return nil, fmt.Errorf("list of CPUs %q: %q is neither a number nor a range", list, part)
		}
		for c := a; c <= b; c++ {
			cpus = append(cpus, c)
		}
	}
	if len(cpus) == 0 {
		return nil, fmt.Errorf("list of CPUs %q is empty", list)
	}
	return cpus, nil
}

// chooseCPUs returns the CPUs to trace: those wanted, or all that are online.
func chooseCPUs(wanted, online []int) ([]int, error) {
	if wanted == nil {
		return online, nil
	}
	for _, c := range wanted {
		if !slices.Contains(online, c) {
			return nil, &AccessError{
				What: fmt.Sprintf("trace CPU %d", c), Cause: "it is not online",
				Fix: fmt.Sprintf("choose among %v", online),
			}
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(wanted))), nil
}
