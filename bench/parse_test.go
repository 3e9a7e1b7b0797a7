package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestAReportIsReadWhole(t *testing.T) {
	r, err := parseReport("main 5\nbegin 10\nend 40\ncpu 7\ncall read 3\ncall write 2\n")
	if err != nil || r.main != 5 || r.end-r.begin != 30 || r.cpu != 7 || r.made() != 5 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, bad := range []string{"", "main 5\nbegin 10\n end 9", "main x\n", "main 5\nwhat 6\n", "main 5\ncall read\n", "main 5 6\n"} {
		if r, err := parseReport(bad); err == nil {
			t.Errorf("%q: %+v and no error", bad, r)
		}
	}
}

func TestTheCostsOfHooksAreThoseOfTheLastRound(t *testing.T) {
	text := `BenchmarkHookCost
    cost_test.go:172: bare                               118 ns a call,      0 added,  0.00 × the empty pair
    cost_test.go:172: empty pair                         250 ns a call,    132 added,  1.00 × the empty pair
    cost_test.go:172: captured getppid without times     360 ns a call,    242 added,  1.83 × the empty pair
    cost_test.go:172: empty pair                         240 ns a call,    122 added,  1.00 × the empty pair
BenchmarkHookCost-2	1	0 ns/op
`
	got := parseHooks(text)
	want := []hook{{"bare", 118, 0, 0}, {"empty pair", 240, 122, 1}, {"captured getppid without times", 360, 242, 1.83}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	joined := medianHooks([][]hook{got, {{"bare", 120, 0, 0}, {"empty pair", 250, 130, 1}}})
	if joined[1] != (hook{"empty pair", 245, 126, 1}) || medianHooks(nil) != nil {
		t.Errorf("the median is %v", joined)
	}
}

func TestLinesOfGoBenchmarksAreRead(t *testing.T) {
	got := parseBench("goos: linux\nBenchmarkMerge2/batches-2   \t  100\t 5.5 ns/unit\t 0 allocs/op\nBenchmarkMerge2\n    x_test.go:1: BenchmarkX 1 2 ns/op\nok\n")
	if len(got) != 1 || got[0].Name != "Merge2/batches" || got[0].Values["ns/unit"] != 5.5 || got[0].Values["allocs/op"] != 0 {
		t.Errorf("%+v", got)
	}
}

func TestTheTracersCommandLineEndsInTheWorkloads(t *testing.T) {
	loop := &workload{name: "file", prog: "loop", calls: []string{"openat", "read"}}
	cmd := []string{"/tmp/ptb-loop", "report", "file", "24"}
	for _, c := range []struct {
		variant string
		want    []string
	}{
		{"bare", cmd},
		{"bpf match", append([]string{"TOOL", "--backend=bpf", "-f", "--ledger", "-e", "trace=openat,read", "-o", "OUT"}, cmd...)},
		{"perf trace -e reject", append([]string{"TOOL", "trace", "-e", "syncfs", "-o", "OUT"}, cmd...)},
		{"bpftrace count", []string{"TOOL", "-o", "OUT", "-e", `tracepoint:raw_syscalls:sys_enter /comm == "ptb-loop"/ { @[args->id] = count(); }`, "-c", "/tmp/ptb-loop report file 24"}},
	} {
		i := slices.IndexFunc(variants, func(v variant) bool { return v.name == c.variant })
		if got := variants[i].expand("TOOL", "OUT", &cell{workload: loop}, cmd); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.variant, got, c.want)
		}
	}
	job := variants[slices.IndexFunc(variants, func(v variant) bool { return v.name == "bpftrace count" })]
	if got := job.expand("TOOL", "OUT", &cell{workload: &workload{job: findJob}}, cmd); strings.Contains(strings.Join(got, " "), "comm") {
		t.Errorf("a job is chosen by name: %q", got)
	}
}

func TestABareRunComesFirstInEveryWorkload(t *testing.T) {
	b := &bench{quick: true, loop: 1e6}
	cells := b.plan(regexp.MustCompile(`^(openat|find)/(strace|bpf)$`))
	var got []string
	for _, c := range cells {
		got = append(got, c.workload.name+"/"+c.variant.name)
		if c.workload.job == nil && (c.n < 1000 || c.n%24 != 0) {
			t.Errorf("%s: %d calls", c.workload.name, c.n)
		}
	}
	want := []string{"openat/bare", "openat/bpf", "openat/strace", "find/bare", "find/bpf", "find/strace"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTheHighWaterMarkIsReadFromStatus(t *testing.T) {
	if got := highWater("Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n"); got != 2<<20 {
		t.Errorf("%d, want %d", got, 2<<20)
	}
	if got := highWater("Name:\tkthread\n"); got != 0 {
		t.Errorf("%d without one", got)
	}
}

func TestAProcessThatHasWaitedHasTheTimeOfChildren(t *testing.T) {
	const fields = "12 (a) b) Z 1 2 3 4 5 6 7 8 9 10 11 12 "
	if waited(fields+"0 0 20") || !waited(fields+"3 0 20") || !waited(fields+"0 1 20") || waited("") {
		t.Error("misread")
	}
}

func TestResultsReplaceWhatIsBetweenTheMarks(t *testing.T) {
	got, err := between("a\n"+beginMark+"old"+endMark+"\nz\n", "\nnew\n")
	if want := "a\n" + beginMark + "\n\nnew\n\n" + endMark + "\nz\n"; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if _, err := between("nothing", "new"); err == nil {
		t.Error("no error without marks")
	}
}

func TestABusyMachineIsCalledBusy(t *testing.T) {
	for loads, want := range map[string]bool{"9.1 10.5 11.2": true, "2.0 1.9 0.3": false, "": false, "x y z": false} {
		if busy(loads) != want {
			t.Errorf("busy(%q) is %v", loads, !want)
		}
	}
}
