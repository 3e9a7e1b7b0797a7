package decode

import (
	"testing"

	"perftrace/event"
)

func TestCallsHaveStracesNames(t *testing.T) {
	for _, c := range []struct {
		arch string
		abi  event.ABI
		nr   uint32
		name string
	}{
		{"amd64", event.Native, 0, "read"},
		{"amd64", event.Native, 17, "pread64"},
		{"amd64", event.Native, 63, "uname"},
		{"amd64", event.Native, 156, "_sysctl"},
		{"amd64", event.Native, 166, "umount2"},
		{"amd64", event.Native, 262, "newfstatat"},
		{"amd64", event.Native, 302, "prlimit64"},
		{"amd64", event.Native, 471, "rseq_slice_yield"},
		{"amd64", event.Compat, 22, "umount"},
		{"amd64", event.Compat, 52, "umount2"},
		{"amd64", event.Compat, 59, "oldolduname"},
		{"amd64", event.Compat, 102, "socketcall"},
		{"amd64", event.Compat, 142, "_newselect"},
		{"amd64", event.Compat, 140, "_llseek"},
		{"amd64", event.Compat, 192, "mmap2"},
		{"amd64", event.Compat, 403, "clock_gettime64"},
		{"amd64", event.X32, 1, "write"},
		{"amd64", event.X32, 16, "ioctl#64"},
		{"amd64", event.X32, 514, "ioctl"},
		{"amd64", event.X32, 547, "pwritev2"},
		{"arm64", event.Native, 56, "openat"},
		{"arm64", event.Native, 79, "newfstatat"},
		{"arm64", event.Compat, 0, "restart_syscall"},
		{"arm64", event.Compat, 270, "fadvise64_64"},
		{"arm64", event.Compat, 341, "sync_file_range2"},
		{"arm64", event.Compat, 0xffff0, "cmpxchg"},
		{"arm64", event.Compat, 0xf0005, "set_tls"},
		{"386", event.Native, 5, "open"},
		{"arm", event.Native, 5, "open"},
	} {
		table := Table(c.arch, c.abi)
		if got := table.Name(c.nr); got != c.name {
			t.Errorf("%s, ABI %d, number %d is %q, want %q", c.arch, c.abi, c.nr, got, c.name)
		}
		if nr, ok := table.Number(c.name); !ok || nr != c.nr {
			t.Errorf("%s, ABI %d, %s is number %d, %v, want %d", c.arch, c.abi, c.name, nr, ok, c.nr)
		}
	}
}

func TestNumbersWithoutACallHaveNoName(t *testing.T) {
	for _, c := range []struct {
		arch string
		abi  event.ABI
		nr   uint32
	}{
		{"amd64", event.Native, 400},
		{"amd64", event.Native, 511},
		{"amd64", event.Native, 512},
		{"amd64", event.Native, 1 << 31},
		{"amd64", event.Native, 1<<32 - 1},
		{"amd64", event.X32, 548},
		{"amd64", event.NumABI, 0},
		{"arm64", event.Native, 244},
		{"arm64", event.X32, 0},
		{"arm64", event.Compat, 512},
		{"arm64", event.Compat, 0xf0000},
		{"arm64", event.Compat, 0xf0007},
		{"riscv64", event.Native, 0},
	} {
		if got := Table(c.arch, c.abi).Name(c.nr); got != "" {
			t.Errorf("%s, ABI %d, number %#x is called %q", c.arch, c.abi, c.nr, got)
		}
	}
	for _, name := range []string{"", "foo", "READ", "read ", "zzz"} {
		if nr, ok := amd64Table.Number(name); ok {
			t.Errorf("%q is call %d", name, nr)
		}
	}
}

func TestEveryCallIsFoundByItsNumberAndByItsName(t *testing.T) {
	for name, c := range map[string]struct {
		table *CallTable
		calls int
	}{
		"amd64": {&amd64Table, 384}, "386": {&i386Table, 450}, "x32": {&x32Table, 400},
		"arm64": {&arm64Table, 320}, "arm": {&armTable, 440},
	} {
		n := 0
		for nr, call := range c.table.All() {
			n++
			if got := c.table.Name(nr); got != call {
				t.Errorf("%s: number %d is %q by Name, %q by All", name, nr, got, call)
			}
			if got, ok := c.table.Number(call); !ok || got != nr {
				t.Errorf("%s: %s is %d by Number, %d by All", name, call, got, nr)
			}
		}
		if n < c.calls {
			t.Errorf("%s has %d calls, want at least %d", name, n, c.calls)
		}
		if len(c.table.names) > 640 {
			t.Errorf("%s has %d slots", name, len(c.table.names))
		}
		if s := c.table.special; s != nil && event.MaxNR+len(s) != len(c.table.names) {
			t.Errorf("%s has %d special numbers for %d slots", name, len(s), len(c.table.names)-event.MaxNR)
		}
	}
}

func TestArgumentNamesAreTheKernels(t *testing.T) {
	for call, want := range map[string]string{
		"read":    "fd buf count",
		"openat2": "dfd filename how usize",
		"stat":    "filename statbuf",
		"umount2": "name flags",
		"getpid":  "",
	} {
		if got, ok := ArgNames(call); !ok || got != want {
			t.Errorf("arguments of %s: %q, %v, want %q", call, got, ok, want)
		}
	}
	if got, ok := ArgNames("foo"); ok {
		t.Errorf("foo has arguments %q", got)
	}
}
