package filter

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"perftrace/event"
)

func TestSignalsAreNamedAsStraceNamesThem(t *testing.T) {
	for expr, c := range map[string]struct{ in, out []uint32 }{
		"SIGCHLD":         {[]uint32{17}, []uint32{0, 1, 18}},
		"chld,Int,sigio":  {[]uint32{17, 2, 29}, []uint32{1}},
		"9,64,0":          {[]uint32{9, 64, 0}, []uint32{1}},
		"!term":           {[]uint32{1, 2, 64, 255}, []uint32{15}},
		"!!term":          {[]uint32{15}, []uint32{1}},
		"all":             {[]uint32{1, 64}, nil},
		"!none":           {[]uint32{1, 64}, nil},
		"none":            {nil, []uint32{1, 64}},
		"!all":            {nil, []uint32{1, 64}},
		"rtmin,SIGRT_32":  {[]uint32{32, 64}, []uint32{33, 63}},
		"stkflt,pwr,sys,": {[]uint32{16, 30, 31}, []uint32{32}},
	} {
		set, err := ParseSignals(expr)
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		for _, n := range c.in {
			if !set.Has(n) {
				t.Errorf("%s lacks %d", expr, n)
			}
		}
		for _, n := range c.out {
			if set.Has(n) {
				t.Errorf("%s holds %d", expr, n)
			}
		}
	}
	for expr, want := range map[string]string{
		"rt_0": "invalid signal 'rt_0'", "rtmax": "invalid signal 'rtmax'", "256": "invalid signal '256'",
		"sigpoll": "invalid signal 'sigpoll'", "iot": "invalid signal 'iot'", "-1": "invalid signal '-1'", "0x1": "invalid signal '0x1'",
		"": "invalid signal ''", "!": "invalid signal '!'", ",": "invalid signal ','", "sig": "invalid signal 'sig'", "hup,!int": "invalid signal '!int'",
	} {
		if _, err := ParseSignals(expr); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", expr, err, want)
		}
	}
}

func TestStatusesSelectCallsByHowTheyEnded(t *testing.T) {
	for expr, want := range map[string]event.ResultFilter{
		"successful":        {OnlyOK: true},
		"FAILED":            {OnlyFailed: true},
		"failed,unfinished": {OnlyFailed: true},
		"successful,failed": {},
		"!unfinished":       {},
		"!failed":           {OnlyOK: true},
		"all":               {},
	} {
		set, err := ParseStatus(expr)
		if err != nil {
			t.Fatal(err)
		}
		var f event.ResultFilter
		if !LimitStatus(&f, &set) || f.OnlyOK != want.OnlyOK || f.OnlyFailed != want.OnlyFailed {
			t.Errorf("%s gives %+v, want %+v", expr, f, want)
		}
	}
	set, err := ParseStatus("unfinished,detached")
	if err != nil {
		t.Fatal(err)
	}
	if LimitStatus(new(event.ResultFilter), &set) {
		t.Error("unfinished,detached wants calls that return")
	}
	if !set.Has(Unfinished) || !set.Has(Detached) || set.Has(Unavailable) {
		t.Error("unfinished,detached is something else")
	}
	if _, err := ParseStatus("good"); err == nil || err.Error() != "invalid status 'good'" {
		t.Errorf("good: %v", err)
	}
}

func TestErrorsAreGivenByNameAndNumber(t *testing.T) {
	for expr, want := range map[string][]uint16{
		"ENOENT":             {2},
		"enoent,EACCES,2":    {2, 13},
		"EWOULDBLOCK,EAGAIN": {11},
		"4095,ERESTARTSYS":   {512, 4095},
	} {
		if got, err := ParseErrnos(expr); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %v (%v), want %v", expr, got, err, want)
		}
	}
	got, err := ParseErrnos("!ENOENT,EINTR")
	if err != nil || slices.Contains(got, uint16(unix.ENOENT)) || slices.Contains(got, uint16(unix.EINTR)) ||
		!slices.Contains(got, uint16(unix.EPERM)) || !slices.Contains(got, uint16(unix.EHWPOISON)) || len(got) < 130 {
		t.Errorf("!ENOENT,EINTR is %v (%v)", got, err)
	}
	for expr, want := range map[string]string{
		"EFOO": "invalid errno 'EFOO'", "0": "invalid errno '0'", "4096": "invalid errno '4096'", "": "invalid errno ''",
		"none": "errno 'none' leaves no error to show",
	} {
		if _, err := ParseErrnos(expr); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", expr, err, want)
		}
	}
}

func TestADurationIsALeastTimeInMilliseconds(t *testing.T) {
	for expr, want := range map[string]uint64{
		"10": 10_000_000, "0.5": 500_000, ">=0.5ms": 500_000, ">= 2s": 2_000_000_000, ">1us": 1001, "1µs": 1000, "250ns": 250, "0": 0, "1m": 60_000_000_000,
	} {
		if got, err := ParseDuration(expr); err != nil || got != want {
			t.Errorf("%s is %d ns (%v), want %d", expr, got, err, want)
		}
	}
	for _, expr := range []string{"", ">", ">=", "-1", "+1", "<5ms", "<=5", "10 apples", "ms", "1e400", "99999999999h", "NaN", "=5"} {
		if got, err := ParseDuration(expr); err == nil {
			t.Errorf("%q is accepted as %d ns", expr, got)
		}
	}
}

func TestDescriptorsAndWordsAreSets(t *testing.T) {
	fds, err := ParseDescriptors("0,5")
	if err != nil || !fds.Has(0) || !fds.Has(5) || fds.Has(1) || fds.Empty() {
		t.Errorf("0,5 is %+v (%v)", fds, err)
	}
	if none, err := ParseDescriptors("none"); err != nil || !none.Empty() {
		t.Errorf("none is %+v (%v)", none, err)
	}
	for expr, want := range map[string]string{
		"x": "invalid descriptor 'x'", "3x": "invalid descriptor '3x'", "-1": "invalid descriptor '-1'", "2147483648": "invalid descriptor '2147483648'",
	} {
		if _, err := ParseDescriptors(expr); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", expr, err, want)
		}
	}
	words := []Word{{"path", 1}, {"dev", 2}}
	if set, err := ParseWords("Path", "decode-fds", words); err != nil || !set.Has(1) || set.Has(2) {
		t.Errorf("Path is %+v (%v)", set, err)
	}
	if _, err := ParseWords("foo", "decode-fds", words); err == nil || err.Error() != "invalid decode-fds 'foo'" {
		t.Errorf("foo: %v", err)
	}
}
