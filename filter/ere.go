package filter

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// compileERE compiles a POSIX extended regular expression with the extensions
// of glibc (\w, \b, \<...), which is what strace takes. Its errors are glibc's.
//
// It translates to Go's syntax. Where they differ: a backslash is an ordinary
// character in brackets, an unmatched ) is one everywhere, and a repetition may
// be repeated. Back references can't be had with Go's matcher.
func compileERE(pattern string) (*regexp.Regexp, error) {
	t := ere{in: pattern, atom: -1}
	if err := t.translate(); err != nil {
		return nil, err
	}
	re, err := regexp.Compile(string(t.out))
	if err != nil {
		return nil, glibcError("Regular expression too big")
	}
	return re, nil
}

// A glibcError is what regerror(3) says.
type glibcError string

func (e glibcError) Error() string { return string(e) }

type ere struct {
	in     string
	out    []byte
	atom   int   // where in out the last atom begins; -1: nothing that could be repeated
	groups []int // where in out the open groups begin
	closed int   // groups that have ended
}

func (t *ere) translate() error {
	for t.in != "" {
		c := t.in[0]
		var err error
		switch c {
		case '(':
			t.groups = append(t.groups, len(t.out))
			t.emit(1, "(?:", -1)
		case ')':
			if n := len(t.groups); n > 0 {
				start := t.groups[n-1]
				t.groups = t.groups[:n-1]
				t.closed++
				t.emit(1, ")", start)
			} else {
				t.emit(1, `\)`, len(t.out))
			}
		case '|':
			t.emit(1, "|", -1)
		case '^', '$':
			t.emit(1, string(c), -1)
		case '.':
			t.emit(1, ".", len(t.out))
		case '*', '+', '?':
			err = t.repeat(1, string(c))
		case '{':
			err = t.interval()
		case '[':
			err = t.bracket()
		case '\\':
			err = t.escape()
		default:
			r, n := utf8.DecodeRuneInString(t.in)
			t.emit(n, regexp.QuoteMeta(string(r)), len(t.out))
		}
		if err != nil {
			return err
		}
	}
	if len(t.groups) > 0 {
		return glibcError(`Unmatched ( or \(`)
	}
	return nil
}

// emit replaces n bytes of input by an output whose atom begins at start.
func (t *ere) emit(n int, out string, start int) {
	t.in = t.in[n:]
	t.out = append(t.out, out...)
	t.atom = start
}

func (t *ere) repeat(n int, how string) error {
	if t.atom < 0 {
		return glibcError("Invalid preceding regular expression")
	}
	atom := string(t.out[t.atom:])
	t.out = append(t.out[:t.atom], "(?:"...)
	t.out = append(t.out, atom...)
	t.emit(n, how+")", t.atom)
	return nil
}

func (t *ere) interval() error {
	if t.atom < 0 {
		return glibcError("Invalid preceding regular expression")
	}
	end := strings.IndexByte(t.in, '}')
	if end < 0 {
		return glibcError(`Unmatched \{`)
	}
	// There is no {m,n}: the comma has ended the word.
	n, err := strconv.ParseUint(t.in[1:end], 10, 15)
	if err != nil {
		return glibcError(`Invalid content of \{\}`)
	}
	return t.repeat(end+1, "{"+strconv.FormatUint(n, 10)+"}")
}

func (t *ere) escape() error {
	if len(t.in) == 1 {
		return glibcError("Trailing backslash")
	}
	start := len(t.out)
	switch c := t.in[1]; c {
	case 'w', 'W', 's', 'S':
		t.emit(2, `\`+string(c), start)
	case 'b', 'B':
		t.emit(2, `\`+string(c), -1)
	case '<', '>': // only one side of a \b, which Go can't tell
		t.emit(2, `\b`, -1)
	case '`':
		t.emit(2, `\A`, -1)
	case '\'':
		t.emit(2, `\z`, -1)
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if int(c-'0') > t.closed {
			return glibcError("Invalid back reference")
		}
		return glibcError("back references are not supported")
	default:
		r, n := utf8.DecodeRuneInString(t.in[1:])
		t.emit(1+n, regexp.QuoteMeta(string(r)), start)
	}
	return nil
}

// bracket translates [...]: ] is ordinary if it comes first, a backslash always.
func (t *ere) bracket() error {
	const open = glibcError("Unmatched [, [^, [:, [., or [=")
	start, in := len(t.out), t.in[1:]
	if in == "" || in == "^" {
		return glibcError("Invalid regular expression")
	}
	out := []byte("[")
	if strings.HasPrefix(in, "^") {
		out, in = append(out, '^'), in[1:]
	}
	from, ranged := rune(-1), false // the character before, which a range may begin with
	for first := true; ; first = false {
		switch {
		case in == "":
			return open
		case in[0] == ']' && !first:
			if ranged { // [a-] has an ordinary -
				out = append(out, `\-`...)
			}
			t.emit(len(t.in)-len(in)+1, string(append(out, ']')), start)
			return nil
		case strings.HasPrefix(in, "[:"):
			end := strings.Index(in, ":]")
			if end < 0 {
				return open
			}
			name := in[2:max(end, 2)]
			if !strings.Contains(" alnum alpha blank cntrl digit graph lower print punct space upper xdigit ", " "+name+" ") {
				return glibcError("Invalid character class name")
			}
			if ranged {
				return glibcError("Invalid range end")
			}
			out, in, from = append(out, "[:"+name+":]"...), in[end+2:], -1
			continue
		case in[0] == '-' && from >= 0 && !ranged:
			ranged, in = true, in[1:]
			continue
		}
		r, n := utf8.DecodeRuneInString(in)
		if strings.HasPrefix(in, "[.") || strings.HasPrefix(in, "[=") { // [.x.] is x
			r, n = utf8.DecodeRuneInString(in[2:])
			closing := string([]byte{in[1], ']'})
			if !strings.Contains(in[2:], closing) {
				return open
			}
			if !strings.HasPrefix(in[2+n:], closing) {
				return glibcError("Invalid collation character")
			}
			n += 4
		}
		in = in[n:]
		char := bracketChar(r)
		if !ranged {
			out, from = append(out, char...), r
			continue
		}
		if r < from {
			return glibcError("Invalid range end")
		}
		out, from, ranged = append(append(out, '-'), char...), -1, false
	}
}

// bracketChar is a character as it stands in Go's brackets.
func bracketChar(r rune) string {
	if r < utf8.RuneSelf && strings.ContainsRune(`\]^-[`, r) {
		return `\` + string(r)
	}
	return string(r)
}
