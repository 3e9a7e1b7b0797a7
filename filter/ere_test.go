package filter

import "testing"

func TestRegularExpressionsAreThoseOfPOSIX(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "read", true},
		{"^read", "readv", true},
		{"^read$", "readv", false},
		{"r.*v$", "readv", true},
		{"(get|set)uid", "setuid32", true},
		{"(get|)uid$", "setuid", true},
		{"a|", "x", true},
		{"e{2}", "tee", true},
		{"^.{4}$", "read", true},
		{"^(re|ad){2}$", "read", true},
		{"a**+", "b", true},
		{"x)", "x)", true},
		{"[]x]", "]", true},
		{"[^]x]", "]", false},
		{`[\w]`, `\`, true},
		{`[\w]`, "a", false},
		{"[a-]", "-", true},
		{"[[:digit:]]", "preadv2", true},
		{"[[.-.]a]", "-", true},
		{"[a^]", "^", true},
		{"[z[]", "[", true},
		{`\w\b`, "a", true},
		{`\.`, "a", false},
		{`\(`, "(", true},
		{`\<at`, "openat", false},
		{"}", "}", true},
		{"ü+", "üü", true},
		{"[ä-ü]", "ö", true},
	} {
		re, err := compileERE(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
		} else if got := re.MatchString(c.text); got != c.want {
			t.Errorf("%s matches %s: %v, translated to %s", c.pattern, c.text, got, re)
		}
	}
}

func TestWrongRegularExpressionsAreRefusedInGlibcsWords(t *testing.T) {
	for pattern, want := range map[string]string{
		"(a":                   `Unmatched ( or \(`,
		"[":                    "Invalid regular expression",
		"[a":                   "Unmatched [, [^, [:, [., or [=",
		"[a-":                  "Unmatched [, [^, [:, [., or [=",
		"[[:alpha:":            "Unmatched [, [^, [:, [., or [=",
		"[[:foo:]]":            "Invalid character class name",
		"[b-a]":                "Invalid range end",
		"*a":                   "Invalid preceding regular expression",
		"a|+":                  "Invalid preceding regular expression",
		"^*":                   "Invalid preceding regular expression",
		"{2}":                  "Invalid preceding regular expression",
		"a{x}":                 `Invalid content of \{\}`,
		"a{2":                  `Unmatched \{`,
		`a\`:                   "Trailing backslash",
		`a\1`:                  "Invalid back reference",
		`(a)\1`:                "back references are not supported",
		"((a{255}){255}){255}": "Regular expression too big",
	} {
		if re, err := compileERE(pattern); err == nil {
			t.Errorf("%s is accepted as %s", pattern, re)
		} else if err.Error() != want {
			t.Errorf("%s: %v, want %s", pattern, err, want)
		}
	}
}
