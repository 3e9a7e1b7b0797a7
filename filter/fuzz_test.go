package filter

import (
	"errors"
	"testing"

	"perftrace/event"
)

// mustBeSyntaxError fails if an error is not one that the program can print.
func mustBeSyntaxError(t *testing.T, expr string, err error) {
	t.Helper()
	if syntax, ok := errors.AsType[*SyntaxError](err); !ok || syntax.Text == "" {
		t.Errorf("%q: %#v is no SyntaxError", expr, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"open,read", "!%file", "?foo@x32", "/^(get|set)[^[:alpha:]\\w]*{2}$", "all", "/[]a-z]|(", "3@32,%%stat",
		"/\\<a**+?{3}|)", "/[[.-.]-a]", "none,!stat", "hup,9", "successful,failed", ">=0.5ms", "ENOENT,11",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		if _, err := ParseList("arm64", expr); err != nil {
			mustBeSyntaxError(t, expr, err)
		}
		if _, err := ParseSignals(expr); err != nil {
			mustBeSyntaxError(t, expr, err)
		}
		if _, err := ParseDuration(expr); err != nil {
			mustBeSyntaxError(t, expr, err)
		}
		if list, err := ParseErrnos(expr); err != nil {
			mustBeSyntaxError(t, expr, err)
		} else if len(list) == 0 {
			t.Errorf("%q: an empty list, which ResultFilter takes for no filter", expr)
		}
		set, err := ParseTrace("amd64", expr)
		if err != nil {
			mustBeSyntaxError(t, expr, err)
			return
		}
		turned, err := ParseTrace("amd64", "!"+expr)
		if err != nil {
			t.Fatalf("%q is accepted, with a ! it is not: %v", expr, err)
		}
		for abi := range event.NumABI {
			for _, nr := range []uint32{0, 1, 102, 511, 512, 1 << 20} {
				if set.Has(abi, nr) == turned.Has(abi, nr) {
					t.Errorf("%q: a ! does not turn number %d of ABI %d", expr, nr, abi)
				}
			}
		}
		sets := set.Sets()
		if text, _ := Tracepoint("amd64", &sets); len(text) > MaxTracepoint {
			t.Errorf("%q: a filter of %d bytes", expr, len(text))
		}
	})
}
