package filter

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"perftrace/event"
)

// sysEnter returns the id of raw_syscalls:sys_enter. It skips the test, and
// says why, if counting that event is not allowed here.
func sysEnter(t testing.TB) uint64 {
	dir := t.TempDir()
	if err := unix.Mount("tracefs", dir, "tracefs", 0, ""); err != nil {
		t.Skipf("SKIPPED: mount tracefs: %v (needs root)", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "events/raw_syscalls/sys_enter/id"))
	if e := unix.Unmount(dir, 0); e != nil {
		t.Fatal(e)
	}
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	id, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := openFiltered(id, "")
	if err != nil {
		t.Skipf("SKIPPED: %v (needs root or CAP_PERFMON)", err)
	}
	_ = unix.Close(fd)
	return id
}

// openFiltered opens a counter of an event for this thread. A filter can be set
// once only.
func openFiltered(id uint64, text string) (fd int, err error) {
	attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_TRACEPOINT, Config: id, Bits: unix.PerfBitDisabled}
	attr.Size = uint32(unsafe.Sizeof(attr))
	fd, err = unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("perf_event_open: %w", err)
	}
	if text == "" {
		return fd, nil
	}
	p, err := unix.BytePtrFromString(text)
	if err != nil {
		return -1, err
	}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.PERF_EVENT_IOC_SET_FILTER, uintptr(unsafe.Pointer(p)))
	if errno != 0 {
		_ = unix.Close(fd)
		return -1, fmt.Errorf("filter of %d bytes, %q: %w", len(text), text, errno)
	}
	return fd, nil
}

// calls makes n system calls with a number and returns how many of them fd counted.
func calls(t testing.TB, fd int, nr uintptr, n int) (counted uint64) {
	var before, after [8]byte
	read := func(b []byte) {
		if _, err := unix.Read(fd, b); err != nil {
			t.Fatal(err)
		}
	}
	read(before[:])
	if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_ENABLE, 0); err != nil {
		t.Fatal(err)
	}
	for range n {
		_, _, _ = unix.RawSyscall(nr, 0, 0, 0)
	}
	if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_DISABLE, 0); err != nil {
		t.Fatal(err)
	}
	read(after[:])
	return *(*uint64)(unsafe.Pointer(&after)) - *(*uint64)(unsafe.Pointer(&before))
}

func TestTheKernelTakesEveryTracepointFilter(t *testing.T) {
	id := sysEnter(t)
	longest, filters := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		sets := anySets().Draw(t, "sets")
		text, _ := Tracepoint(runtime.GOARCH, &sets)
		if text == "" {
			return
		}
		fd, err := openFiltered(id, text)
		if err != nil {
			t.Fatal(err)
		}
		_ = unix.Close(fd)
		longest, filters = max(longest, len(text)), filters+1
	})
	t.Logf("%d filters, the longest has %d bytes", filters, longest)
}

func TestTheKernelRefusesAFilterOfAPage(t *testing.T) {
	id := sysEnter(t)
	text := "id==1" + strings.Repeat(" ", MaxTracepoint-len("id==1"))
	if fd, err := openFiltered(id, text); err != nil {
		t.Error(err)
	} else {
		_ = unix.Close(fd)
	}
	if fd, err := openFiltered(id, text+" "); err == nil && os.Getpagesize() == MaxTracepoint+1 {
		_ = unix.Close(fd)
		t.Errorf("%d bytes were taken: MaxTracepoint is too small", len(text)+1)
	}
}

// Numbers that can be called with zeros without any effect: getuid and its
// like, and numbers that no table has.
var harmless = map[string][]uint32{
	"amd64": {39, 102, 104, 107, 108, 110, 111, 186, 490, 495, 500, 510, 511, 513, 600, x32Bit | 39, x32Bit | 490, x32Bit | 600},
	"arm64": {172, 173, 174, 175, 176, 177, 178, 490, 495, 500, 510, 511, 513, 600},
}

func TestTheKernelCountsTheCallsThatTheFilterWants(t *testing.T) {
	numbers := harmless[runtime.GOARCH]
	if numbers == nil {
		t.Skipf("SKIPPED: no harmless numbers are known for %s", runtime.GOARCH)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	id := sysEnter(t)
	const n = 64
	fd, err := openFiltered(id, "")
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if got := calls(t, fd, uintptr(numbers[0]), n); got < n {
		t.Fatalf("without a filter, %d of %d calls were counted", got, n)
	}
	rapid.Check(t, func(rt *rapid.T) {
		sets := anySets().Draw(rt, "sets")
		for _, nr := range rapid.SliceOf(rapid.SampledFrom(numbers)).Draw(rt, "harmless") {
			abi := event.Native
			if nr&x32Bit != 0 && runtime.GOARCH == "amd64" {
				abi, nr = event.X32, nr&^x32Bit
			}
			sets[abi].Add(min(nr, event.Unknown))
		}
		text, exact := Tracepoint(runtime.GOARCH, &sets)
		if text == "" {
			return
		}
		fd, err := openFiltered(id, text)
		if err != nil {
			rt.Fatal(err)
		}
		defer unix.Close(fd)
		for _, number := range numbers {
			abi, nr := event.Native, number
			if number&x32Bit != 0 && runtime.GOARCH == "amd64" {
				abi, nr = event.X32, number&^x32Bit
			}
			// The runtime's own calls, and the ioctl that stops the count, add a few.
			some := calls(t, fd, uintptr(number), n) >= n
			if wanted := sets[abi].Has(nr); wanted && !some {
				rt.Fatalf("%q loses number %d", text, number)
			} else if some && !wanted && exact {
				rt.Fatalf("%q is said to be exact and counts number %d", text, number)
			}
		}
	})
}

// BenchmarkARejectingFilter shows what a filter costs a call that it does not
// want: half of all numbers, as a tree and term by term.
func BenchmarkARejectingFilter(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	id := sysEnter(b)
	var sets event.CallSets
	for nr := uint32(0); nr < 400; nr += 2 {
		sets[event.Native].Add(nr)
	}
	tree, _ := Tracepoint("386", &sets)
	ranges, _ := idRanges("386", &sets)
	var linear []byte
	for i, r := range ranges {
		if i > 0 {
			linear = append(linear, "||"...)
		}
		linear = appendRange(linear, r, math.MinInt64, math.MaxInt64)
	}
	getpid := uintptr(39)
	if runtime.GOARCH != "amd64" {
		getpid = 173
	}
	for _, c := range []struct{ name, text string }{{"one", "id==400"}, {"tree", tree}, {"terms", string(linear)}} {
		b.Run(c.name, func(b *testing.B) {
			fd, err := openFiltered(id, c.text)
			if err != nil {
				b.Fatal(err)
			}
			defer unix.Close(fd)
			b.ResetTimer()
			calls(b, fd, getpid, b.N)
			b.ReportMetric(float64(len(c.text)), "bytes")
		})
	}
}
