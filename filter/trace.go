package filter

import (
	"errors"
	"strconv"
	"strings"

	"perftrace/decode"
	"perftrace/event"
)

// A SyntaxError tells what is wrong with an expression, in strace's words where
// strace has the same option.
type SyntaxError struct {
	Text string
	Help bool // strace adds: Try 'strace -h' for more information.
}

func (e *SyntaxError) Error() string { return e.Text }

func invalid(what, token string) *SyntaxError {
	return &SyntaxError{Text: "invalid " + what + " '" + token + "'"}
}

// x32Bit is set in the numbers of x32's calls; event.Event has them without it.
const x32Bit = 1 << 30

// designator is what follows @ for an ABI.
var designator = [event.NumABI]string{event.Native: "64", event.Compat: "32", event.X32: "x32"}

// ParseTrace parses an expression as strace's -e trace= takes it:
//
//	[!]all | [!]none | [!]WORD,WORD...    ! turns the whole around
//	WORD = [?]CALL[@64|@32|@x32]          ? : no error if there is no such call
//	CALL = name | number | %class | /regex
//
// Errors are strace's.
func ParseTrace(arch, expr string) (Calls, error) {
	c, err := language{arch: arch, word: straceWord}.parse(expr)
	if unknown, ok := errors.AsType[*unknownWord](err); ok {
		err = &unknown.SyntaxError
	}
	return c, err
}

// A language resolves words to calls. What it has beyond strace's language
// makes it the language of --filter (list.go).
type language struct {
	arch string
	// word adds what a word means in an ABI; false: nothing.
	word func(arch string, abi event.ABI, word string, to *slots) (bool, error)
	// people allows !WORD after the first word, and all and none as words.
	people bool
}

func (l language) parse(expr string) (Calls, error) {
	c := Calls{arch: l.arch}
	rest := strings.TrimLeft(expr, "!")
	turned := (len(expr)-len(rest))%2 != 0
	switch rest {
	case "none":
	case "all":
		c.invert()
	default:
		some := false
		for token := range strings.SplitSeq(rest, ",") {
			if token == "" {
				continue
			}
			some = true
			if err := l.token(token, &c); err != nil {
				return Calls{}, err
			}
		}
		if !some {
			return Calls{}, invalid("system call", expr)
		}
	}
	if turned {
		c.invert()
	}
	return c, nil
}

func (l language) token(token string, to *Calls) error {
	word, minus := token, false
	if l.people && strings.HasPrefix(word, "!") {
		word, minus = word[1:], true
	}
	found := false
	for strings.HasPrefix(word, "?") {
		word, found = word[1:], true
	}
	add := Calls{arch: l.arch}
	first, last := event.Native, event.NumABI-1
	if at := strings.LastIndexByte(word, '@'); at >= 0 {
		abi, ok := l.abiNamed(word[at+1:])
		if !ok {
			return &SyntaxError{
				Text: "incorrect personality designator '" + word[at+1:] + "' in qualification '" + word + "'",
				Help: true,
			}
		}
		first, last, word = abi, abi, word[:at]
	}
	for abi := first; abi <= last; abi++ {
		ok, err := l.word(l.arch, abi, word, &add.abi[abi])
		if err != nil {
			return err
		}
		found = found || ok
	}
	if !found {
		return &unknownWord{*invalid("system call", token), word}
	}
	if minus {
		to.Subtract(&add)
	} else {
		to.Union(&add)
	}
	return nil
}

func (l language) abiNamed(name string) (event.ABI, bool) {
	if l.arch == "386" || l.arch == "arm" { // these have one table
		return event.Native, name == "32"
	}
	for i, d := range designator {
		abi := event.ABI(i)
		if d == name && decode.Table(l.arch, abi) != decode.Table("", abi) {
			return abi, true
		}
	}
	return 0, false
}

// straceWord resolves a word as strace does, without ? and @.
func straceWord(arch string, abi event.ABI, word string, to *slots) (bool, error) {
	switch {
	case word == "":
		return false, nil
	case word[0] >= '0' && word[0] <= '9':
		return numberWord(arch, abi, word, to), nil
	case word[0] == '/':
		return regexWord(arch, abi, word[1:], to)
	}
	if word == "all" { // as a word among others: all calls that have a name
		return addIf(arch, abi, to, func(string) bool { return true }), nil
	}
	name, percent := strings.CutPrefix(word, "%")
	if percent || strings.Contains(bareClasses, " "+word+" ") {
		if c := classNamed(name); c != nil {
			words := c.words()
			addIf(arch, abi, to, func(name string) bool { return inWords(words, name) })
			return true, nil
		}
	}
	return addIf(arch, abi, to, func(name string) bool { return name == word }), nil
}

func numberWord(arch string, abi event.ABI, word string, to *slots) bool {
	n, err := strconv.ParseUint(word, 10, 32)
	if err != nil {
		return false
	}
	nr := uint32(n)
	if abi == event.X32 && nr&x32Bit != 0 {
		nr &^= x32Bit
	}
	slot, ok := decode.Table(arch, abi).Slot(nr)
	if ok {
		to.add(slot)
	}
	return ok
}

func regexWord(arch string, abi event.ABI, pattern string, to *slots) (bool, error) {
	re, err := compileERE(pattern)
	if err != nil {
		return false, &SyntaxError{Text: "regcomp: " + pattern + ": " + err.Error()}
	}
	return addIf(arch, abi, to, re.MatchString), nil
}

// addIf adds the calls of an ABI whose name is wanted, and reports whether
// there were any.
func addIf(arch string, abi event.ABI, to *slots, want func(name string) bool) (some bool) {
	for slot, name := range names(arch, abi) {
		if want(name) {
			to.add(slot)
			some = true
		}
	}
	return some
}
