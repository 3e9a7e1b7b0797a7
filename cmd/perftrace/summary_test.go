package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perftrace/decode"
	"perftrace/event"
)

// What strace prints for these calls, with these columns.
func TestTheTableIsStraces(t *testing.T) {
	events := []event.Event{
		call(t, 100, "close", ms(1), ms(1)+1_500, 0, 3),
		call(t, 100, "close", ms(2), ms(2)+2_500, -9, 3),
		call(t, 100, "read", ms(3), ms(3)+96_000, 5, 3, 0x1000, 5),
	}
	for _, test := range []struct{ name, options, want string }{
		{
			"as it is", "-c -qq",
			"% time     seconds  usecs/call     calls    errors syscall\n" +
				"------ ----------- ----------- --------- --------- ----------------\n" +
				" 96.00    0.000096          96         1           read\n" +
				"  4.00    0.000004           2         2         1 close\n" +
				"------ ----------- ----------- --------- --------- ----------------\n" +
				"100.00    0.000100          33         3         1 total\n",
		},
		{
			"sorted by calls", "-c -qq -S calls -U calls,name",
			"    calls syscall\n" +
				"--------- ----------------\n" +
				"        2 close\n" +
				"        1 read\n" +
				"--------- ----------------\n" +
				"        3 total\n",
		},
		{
			"names in the middle, wall times", "-c -qq -U name,shortest,longest,wall-total",
			"syscall          shortest  longest  wall-total\n" +
				"---------------- -------- -------- -----------\n" +
				"read             0.000096 0.000096    0.000096\n" +
				"close            0.000002 0.000003    0.000004\n" +
				"---------------- -------- -------- -----------\n" +
				"total            0.000002 0.000096    0.000100\n",
		},
		{
			"minus overhead", "-c -qq -O 1us -U total-time,name -S name",
			"    seconds syscall\n" +
				"----------- ----------------\n" +
				"   0.000002 close\n" +
				"   0.000095 read\n" +
				"----------- ----------------\n" +
				"   0.000097 total\n",
		},
		{
			"below the lines", "-C -qq -a 1 -e trace=close -U calls,name",
			"close(3) = 0\n" +
				"close(3) = -1 EBADF (Bad file descriptor)\n" +
				"    calls syscall\n" +
				"--------- ----------------\n" +
				"        2 close\n" +
				"--------- ----------------\n" +
				"        2 total\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := events
			if test.name == "below the lines" {
				list = events[:2]
			}
			got := traced(t, test.options, &fakeSource{events: append([]event.Event(nil), list...)})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEachABIHasItsTable(t *testing.T) {
	a := call(t, 100, "close", ms(1), ms(2), 0, 3)
	b := a
	b.ABI, b.NR = event.Compat, 6
	c := a
	c.NR = 1000
	got := traced(t, "-c -qq -U calls,name", &fakeSource{events: []event.Event{a, b, c}})
	want := "    calls syscall\n" +
		"--------- ----------------\n" +
		"        1 close\n" +
		"        1 syscall_0x3e8\n" +
		"--------- ----------------\n" +
		"        2 total\n" +
		"System call usage summary for 32 bit mode:\n" +
		"    calls syscall\n" +
		"--------- ----------------\n" +
		"        1 close\n" +
		"--------- ----------------\n" +
		"        1 total\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWithoutCallsThereIsNoTable(t *testing.T) {
	if got := traced(t, "-c -qq", &fakeSource{}); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestTimesAreMeasuredForTablesThatNeedThem(t *testing.T) {
	for _, test := range []struct {
		options      string
		system, wall bool
	}{
		{"-c", true, false},
		{"-c -w", false, true},
		{"-c -U calls,errors,name", false, false},
		{"-c -U calls,errors,name -S min-wall", false, true},
		{"-c -U calls,errors,name -S time", true, false},
		{"-c -U wall-total,name", true, true}, // sorted by what is not shown
		{"-c -U avg-time,calls,name", true, false},
		{"-c -U wall-max,max-time,name", true, true},
		{"-C -U calls,name", false, true},
	} {
		c, err := parse(append(strings.Fields(test.options), "command"))
		if err == nil {
			err = c.check(&sayer{w: t.Output()})
		}
		if err != nil {
			t.Fatal(err)
		}
		p := c.plan(decode.NewRows(arch), 0)
		if p.SystemTime != test.system || p.Times != test.wall {
			t.Errorf("%s: system time %v, wall time %v; want %v, %v", test.options, p.SystemTime, p.Times, test.system, test.wall)
		}
	}
}

func TestTheSourceAddsUpWhenOnlyATableIsWanted(t *testing.T) {
	for options, want := range map[string]bool{
		"-c": true, "-c -w": true, "-c -Z": true, "-c -e trace=read": true, "-c -e errno=ENOENT": true,
		"-C": false, "-c -P /etc": false, "-c --syscall-limit=3": false, "-c -e status=unfinished": false,
	} {
		c, err := parse(append(strings.Fields(options), "command"))
		if err == nil {
			err = c.check(&sayer{w: t.Output()})
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := c.plan(decode.NewRows(arch), 0).Count; got != want {
			t.Errorf("%s: %v, want %v", options, got, want)
		}
	}
}

// countingSource has added up calls itself.
type countingSource struct {
	fakeSource
	counts []event.Count
}

func (c *countingSource) Counted() ([]event.Count, error) { return c.counts, nil }
func (c *countingSource) TellsSystemTime()                {}

func TestATableShowsWhatTheSourceCounted(t *testing.T) {
	span := func(min, max, total uint64) event.Span { return event.Span{Total: total, Min: min, Max: max} }
	src := &countingSource{counts: []event.Count{
		{NR: nr(t, "read"), Calls: 2, Errors: 1, System: span(1_000, 99_000, 100_000), Wall: span(1_000_000_000, 2_000_000_000, 3_000_000_000)},
		{NR: nr(t, "close"), Calls: 4, System: span(75_000, 75_000, 300_000), Wall: span(75_000, 80_000, 310_000)},
		{NR: 1000, Calls: 1, Errors: 1},
	}, fakeSource: fakeSource{ledger: event.Ledger{Issued: 9, Emitted: 7, Filtered: 2}}}
	s, file := fakeSession(t, "-c -qq --ledger -e trace=read,close -U time-percent,total-time,min-time,max-time,avg-time,wall-total,wall-min,wall-max,wall-avg,calls,errors", &src.fakeSource)
	s.src = src
	s.systemTime()
	if err := s.loop(); err != nil {
		t.Fatal(err)
	}
	s.finish()
	want := "% time     seconds shortest  longest  usecs/call  wall-total wall-min wall-max    wall-avg     calls    errors syscall\n" +
		"------ ----------- -------- -------- ----------- ----------- -------- -------- ----------- --------- --------- ----------------\n" +
		" 75.00    0.000300 0.000075 0.000075          75    0.000310 0.000075 0.000080          77         4           close\n" +
		" 25.00    0.000100 0.000001 0.000099          50    3.000000 1.000000 2.000000     1500000         2         1 read\n" +
		"  0.00    0.000000 0.000000 0.000000           0    0.000000 0.000000 0.000000           0         1         1 syscall_0x3e8\n" +
		"------ ----------- -------- -------- ----------- ----------- -------- -------- ----------- --------- --------- ----------------\n" +
		"100.00    0.000400 0.000000 0.000099          57    3.000310 0.000000 2.000000      428615         7         2 total\n" +
		"strace: issued 9 = shown 7 + filtered 2 + lost 0\n"
	if diff := cmp.Diff(want, strings.Replace(read(t, file), "perftrace:", "strace:", 1)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
