package main

import (
	"os"
	"path/filepath"
	"testing"
)

func wrote(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const ledgerOf4 = "perftrace: issued 4 = shown 3 + filtered 1 + lost 0\n"

func TestOnlyTheCallsOfTheLoopAreCounted(t *testing.T) {
	loop := map[string]int64{"read": 2, "close": 0}
	for _, c := range []struct {
		name  string
		count func(*cell, *output) (tally, error)
		file  string
		said  string
		want  tally
	}{
		{"strace", lines, "1 read(3, \"a(b\", 1) = 1\n1 pread64(3, \"\", 1, 0) = 0\n2 close(3 <unfinished ...>\n2 <... close resumed>) = 0\n+++ exited with 0 +++\n", "", tally{Shown: 2}},
		{"perftrace", perftraceLines, "read(3, \"\", 1) = 0\ngetppid() = 1\n", ledgerOf4, tally{Issued: 4, Shown: 1, Filtered: 1, Counted: true}},
		{"perftrace -c", perftraceTable, "% time     seconds  usecs/call     calls    errors syscall\n 96.91    0.037440       37439         7         1 read\n  0.1 0.1 1 2 close\n100.00 1.0 1 99 1 total\n", ledgerOf4, tally{Issued: 4, Shown: 9, Filtered: 1, Counted: true}},
		{
			"perftrace --json", perftraceJSON, `{"type":"call","nr":0,"name":"read","args":{}}` + "\n" + `{"type":"call","name":"pread64"}` + "\n" + `{"type":"exit","name":"read"}` + "\n",
			ledgerOf4,
			tally{Issued: 4, Shown: 1, Filtered: 1, Counted: true},
		},
		{"perf trace", perfTraceLines, "  0.0 ( 0.0 ms): l/1 read() = \n 0.1 (  ): l/2 close() ...\n 0.2 ( 0.1 ms): l/2  ... [continued]: close()) = 0\nLOST 5 events!\n", "", tally{Shown: 2, Lost: 3}},
		{"perf trace -s", perfTraceSummary, " l (30046), 4058 events, 99.9%\n   syscall            calls  errors  total\n   read                2000      0    22.7  1 2 3 4\n   pread64 7 0 1\n", "", tally{Shown: 2000}},
		{"bpftrace count", bpftraceTable, "\n@[17]: 2\n@[0]: 30\n@[3]: count 4, average 19, total 76\n", "", tally{Shown: 34}},
		{"bpftrace print", bpftraceLines, "Attaching 1 probe...\n12 0\n12 17\n12 3\nLost 7 events\n", "", tally{Shown: 2, Lost: 7}},
	} {
		got, err := c.count(nil, &output{file: wrote(t, c.file), said: c.said, made: loop})
		if err != nil || got != c.want {
			t.Errorf("%s: got %+v, %v; want %+v", c.name, got, err, c.want)
		}
	}
}

func TestALedgerThatDoesNotAddUpIsUnaccounted(t *testing.T) {
	o := &output{said: "x\nperftrace: issued 10 = shown 5 + filtered 1 + lost 2 + unaccounted 2 (ring full 2)\n"}
	got, err := o.ledger()
	if want := (tally{Issued: 10, Shown: 5, Filtered: 1, Lost: 2, Unaccounted: 2, Counted: true}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if _, err := (&output{said: "perftrace: no\n"}).ledger(); err == nil {
		t.Error("no error without a ledger")
	}
}

func TestWhatIsNeitherShownNorLostIsUnaccounted(t *testing.T) {
	b := &bench{around: map[string]map[string]int64{"read": {"read": 3}}}
	for _, c := range []struct {
		text    string
		shows   shows
		lost    int64
		missing int64
	}{
		{"read(0)\nread(0)\nread(0)\nread(0)\nread(0)\n", showAll, 0, 0},
		{"read(0)\nread(0)\n", showAll, 0, 3},
		{"read(0)\nread(0)\n", showAll, 2, 1},
		{"read(0)\nread(0)\n", showAll, 9, 0}, // other calls were lost too
		{"read(0)\nread(0)\nread(0)\nread(0)\nread(0)\nread(0)\n", showAll, 0, -1},
		{"", showNone, 0, 0},
		{"read(0)\n", showNone, 0, -1},
	} {
		count := func(c2 *cell, o *output) (tally, error) {
			tl, err := lines(c2, o)
			tl.Lost = c.lost
			return tl, err
		}
		r := &run{}
		msg := b.tally(&cell{workload: &workload{name: "read"}, variant: &variant{count: count, shows: c.shows}}, r, &output{file: wrote(t, c.text), made: map[string]int64{"read": 2}})
		if msg != "" || r.Unaccounted != c.missing || !r.Counted {
			t.Errorf("%q, lost %d: %d unaccounted (%s), want %d", c.text, c.lost, r.Unaccounted, msg, c.missing)
		}
	}
}

func TestTheWordBeforeAParenthesisIsTheCall(t *testing.T) {
	for _, c := range []struct {
		line string
		n    int
		want string
	}{
		{"12 openat2(AT_FDCWD", 1, "openat2"},
		{"read()", 1, "read"},
		{"   0.1 ( 0.0 ms): a/1 read(", 2, "read"},
		{"--- SIGCHLD", 1, ""},
		{"read(", 2, ""},
		{"(", 1, ""},
	} {
		if got := string(word([]byte(c.line), c.n)); got != c.want {
			t.Errorf("word(%q, %d) = %q, want %q", c.line, c.n, got, c.want)
		}
	}
}

func TestLinesLongerThanTheBufferEndNothing(t *testing.T) {
	long := make([]byte, 3<<20)
	for i := range long {
		long[i] = 'x'
	}
	o := &output{file: wrote(t, "read(1)\n"+string(long)+"\nread(2)\nread(3)"), made: map[string]int64{"read": 0}}
	if n, err := o.calls(1); n != 3 || err != nil {
		t.Errorf("%d, %v; want 3", n, err)
	}
	if n, err := (&output{file: "/does/not/exist"}).calls(1); n != 0 || err != nil {
		t.Errorf("a file that was not written: %d, %v", n, err)
	}
}
