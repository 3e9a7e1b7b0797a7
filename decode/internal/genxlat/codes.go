package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// codes writes a table of 32-bit numbers of which many have more than one name
// (xlat.Codes): the names in the order of the alphabet, and for each target the
// numbers in that order and the names by number.
func (t *table) codes(b *bytes.Buffer) error {
	slices.SortFunc(t.entries, func(x, y entry) int { return strings.Compare(x.name, y.name) })
	for i := 1; i < len(t.entries); i++ {
		if t.entries[i].name == t.entries[i-1].name {
			return fmt.Errorf("%s: %s stands twice", t.name, t.entries[i].name)
		}
	}
	fmt.Fprintf(b, "var %s = &Codes{\nNames: []string{\n", t.name)
	for _, e := range t.entries {
		fmt.Fprintf(b, "%q,\n", e.name)
	}
	b.WriteString("},\nNumbers: [4][]uint32{\n")
	for i := range targets {
		b.WriteString("{")
		for k, e := range t.entries {
			if k%8 == 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(b, "%#x, ", uint32(e.val[i]))
		}
		b.WriteString("\n},\n")
	}
	b.WriteString("},\nOrder: [4][]uint16{\n")
	for i := range targets {
		var order []int
		for k, e := range t.entries {
			if e.has[i] {
				order = append(order, k)
			}
		}
		slices.SortStableFunc(order, func(x, y int) int {
			return int(int64(uint32(t.entries[x].val[i])) - int64(uint32(t.entries[y].val[i])))
		})
		b.WriteString("{")
		for k, n := range order {
			if k%16 == 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(b, "%d, ", n)
		}
		b.WriteString("\n},\n")
	}
	b.WriteString("},\n}\n")
	return nil
}
