package filter

import (
	"errors"
	"strings"

	"perftrace/event"
)

// ParseList parses a list as --filter takes it: an expression of -e trace=
// (ParseTrace), in which moreover
//
//   - the names of families (List) stand for all their calls: open, stat, fork;
//   - every class may be written without its %, unless a family is called so;
//   - all and none may stand among other words;
//   - a ! before a word other than the first takes its calls away again.
//
// The error for a word that means nothing says which word may have been meant.
func ParseList(arch, list string) (Calls, error) {
	c, err := language{arch: arch, word: peoplesWord, people: true}.parse(list)
	if unknown, ok := errors.AsType[*unknownWord](err); ok {
		err = unknown.explain(arch)
	}
	return c, err
}

// peoplesWord resolves a word of a list, without ! and ? and @.
func peoplesWord(arch string, abi event.ABI, word string, to *slots) (bool, error) {
	switch word {
	case "none":
		return true, nil
	case "all":
		for i := range to {
			to[i] = ^uint64(0)
		}
		return true, nil
	}
	if f := familyNamed(word); f != nil {
		return addIf(arch, abi, to, f.has), nil
	}
	if !strings.HasPrefix(word, "%") && classNamed(word) != nil {
		word = "%" + word
	}
	return straceWord(arch, abi, word, to)
}
