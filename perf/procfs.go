package perf

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// threads lists the threads of a process.
func threads(pid int) ([]int, error) { return numbers(fmt.Sprintf("/proc/%d/task", pid)) }

func processes() ([]int, error) { return numbers("/proc") }

func numbers(dir string) ([]int, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	var n []int
	for _, name := range names {
		if v, err := strconv.Atoi(name); err == nil {
			n = append(n, v)
		}
	}
	return n, err
}

// withDescendants returns pids and all processes that descend from them.
func withDescendants(pids []int) ([]int, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	children := make(map[int][]int)
	for _, p := range all {
		if pp, ok := statusField(p, "PPid"); ok {
			children[pp] = append(children[pp], p)
		}
	}
	seen := make(map[int]bool)
	var walk func(int)
	walk = func(p int) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, c := range children[p] {
			walk(c)
		}
	}
	for _, p := range pids {
		walk(p)
	}
	return slices.Collect(maps.Keys(seen)), nil
}

// tgidOf returns the process of a thread, or the tid itself if it is gone.
func tgidOf(tid int) int {
	if p, ok := statusField(tid, "Tgid"); ok {
		return p
	}
	return tid
}

// statusField reads a number from /proc/PID/status.
func statusField(pid int, name string) (int, bool) {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, false
	}
	_, rest, ok := strings.Cut(string(b), "\n"+name+":")
	line, _, _ := strings.Cut(rest, "\n")
	v, err := strconv.Atoi(strings.TrimSpace(line))
	return v, ok && err == nil
}
