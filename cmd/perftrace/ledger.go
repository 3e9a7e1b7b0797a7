package main

import (
	"strconv"

	"perftrace/event"
)

// ledgerText is the closing account of a trace, one line that scripts can check:
//
//	perftrace: issued N = shown N + filtered N + lost N
//
// shown and filtered are what was done with the calls that the source gave; what
// the source filtered comes on top. If the numbers don't add up, which would be
// an error of perftrace's, the rest is called unaccounted.
func ledgerText(l *event.Ledger, shown, filtered uint64) string {
	lost := l.LostTotal()
	filtered += l.Filtered
	b := append([]byte(nil), "perftrace: issued "...)
	b = strconv.AppendUint(b, l.Issued, 10)
	b = append(b, " = shown "...)
	b = strconv.AppendUint(b, shown, 10)
	b = append(b, " + filtered "...)
	b = strconv.AppendUint(b, filtered, 10)
	b = append(b, " + lost "...)
	b = strconv.AppendUint(b, lost, 10)
	if rest := int64(l.Issued - shown - filtered - lost); rest != 0 {
		b = append(b, " + unaccounted "...)
		b = strconv.AppendInt(b, rest, 10)
	}
	sep := " ("
	for cause, n := range l.Lost {
		if n != 0 {
			b = append(b, sep...)
			b = append(b, event.Cause(cause).String()...)
			b = append(b, ' ')
			b = strconv.AppendUint(b, n, 10)
			sep = ", "
		}
	}
	if sep == ", " {
		b = append(b, ')')
	}
	return string(append(b, '\n'))
}
