package filter

import (
	"strconv"
	"strings"
)

// A NumberSet is a set of small numbers as strace's options name them: signals,
// descriptors, statuses. The zero value is empty.
type NumberSet struct {
	turned  bool // the set is everything but numbers
	numbers map[uint32]struct{}
}

// Has reports whether n is in the set.
func (s *NumberSet) Has(n uint32) bool {
	_, ok := s.numbers[n]
	return ok != s.turned
}

// Empty reports whether no number is in the set.
func (s *NumberSet) Empty() bool { return len(s.numbers) == 0 && !s.turned }

// parseNumbers parses [!]all | [!]none | [!]WORD,WORD... Its errors are
// strace's: invalid WHAT 'WORD'.
func parseNumbers(expr, what string, number func(word string) (uint32, bool)) (NumberSet, error) {
	rest := strings.TrimLeft(expr, "!")
	set := NumberSet{turned: (len(expr)-len(rest))%2 != 0}
	switch rest {
	case "none":
		return set, nil
	case "all":
		set.turned = !set.turned
		return set, nil
	}
	set.numbers = map[uint32]struct{}{}
	for word := range strings.SplitSeq(rest, ",") {
		if word == "" {
			continue
		}
		n, ok := number(word)
		if !ok {
			return NumberSet{}, invalid(what, word)
		}
		set.numbers[n] = struct{}{}
	}
	if len(set.numbers) == 0 {
		return NumberSet{}, invalid(what, expr)
	}
	return set, nil
}

// ParseDescriptors parses what stands behind -e trace-fds=, read= and write=.
func ParseDescriptors(expr string) (NumberSet, error) {
	return parseNumbers(expr, "descriptor", func(word string) (uint32, bool) {
		n, err := strconv.ParseUint(word, 10, 31)
		return uint32(n), err == nil
	})
}

// A Word is one of the words that an option takes, and the number it stands for.
type Word struct {
	Word string
	N    uint32
}

// ParseWords parses the value of an option whose words are fixed, like -e
// quiet= and decode-fds=; what names the option in the error. Case does not
// matter.
func ParseWords(expr, what string, words []Word) (NumberSet, error) {
	return parseNumbers(expr, what, func(word string) (uint32, bool) {
		for _, w := range words {
			if strings.EqualFold(w.Word, word) {
				return w.N, true
			}
		}
		return 0, false
	})
}
