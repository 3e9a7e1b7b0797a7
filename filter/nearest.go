package filter

import (
	"strings"

	"perftrace/event"
)

// An unknownWord is the error for a word that means no call.
type unknownWord struct {
	SyntaxError
	word string // without ! and ? and @
}

func (e *unknownWord) Unwrap() error { return &e.SyntaxError }

// explain returns an error that names the nearest word that means something,
// if there is one near enough to be meant.
func (e *unknownWord) explain(arch string) error {
	text := e.Text
	if near := nearest(arch, e.word); near != "" {
		text += " (did you mean " + near + "?)"
	} else {
		text += " (--list-filters shows what there is)"
	}
	return &SyntaxError{Text: text}
}

// nearest returns the name of a call, family or class that differs least from
// word, "" if all differ much. Among equals the first wins, and native names
// come first.
func nearest(arch, word string) string {
	word = strings.ToLower(word)
	if len(word) > 64 { // no name is half as long
		return ""
	}
	best, least := "", 1+max(1, len(word)/3)
	try := func(name string) {
		if d := distance(word, name); d < least {
			best, least = name, d
		}
	}
	for i := range families {
		try(families[i].name)
	}
	for abi := range event.NumABI {
		for _, name := range names(arch, abi) {
			try(name)
		}
	}
	for i := range classes {
		if strings.HasPrefix(word, "%") {
			try("%" + classes[i].name)
		}
	}
	return best
}

// distance is the number of characters to insert, delete or replace, or of
// neighbours to swap, to make b of a.
func distance(a, b string) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := above[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
