package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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

func TestOnlyTablesWithTimesShowSystemTime(t *testing.T) {
	for _, test := range []struct {
		columns string
		want    bool
	}{{"calls,errors,name", false}, {"wall-total,name", false}, {"time-percent,name", true}, {"avg-time,calls,name", true}} {
		c, err := parse([]string{"-c", "-U", test.columns, "command"})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.summary.showsTime(); got != test.want {
			t.Errorf("-U %s: %v, want %v", test.columns, got, test.want)
		}
	}
}
