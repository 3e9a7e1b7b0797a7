package xlat

import (
	"sort"

	"perftrace/decode/out"
)

// Codes are numbers of which one may have several names, and whose values are
// the machine's: requests of ioctl. A table "codes NAME" of a spec becomes one.
type Codes struct {
	Names   []string                 // ascending
	Numbers [out.NumMachine][]uint32 // by index of Names; 0 also if the machine has none
	Order   [out.NumMachine][]uint16 // indices of Names, by number, then by name
}

// Find returns the indices of the names of a number, which are valid for ever.
func (c *Codes) Find(m out.Machine, number uint32) []uint16 {
	num, o := c.Numbers[m], c.Order[m]
	i := sort.Search(len(o), func(i int) bool { return num[o[i]] >= number })
	n := i
	for n < len(o) && num[o[n]] == number {
		n++
	}
	return o[i:n]
}

// Number returns the number of a name.
func (c *Codes) Number(m out.Machine, name string) (number uint32, ok bool) {
	i := sort.SearchStrings(c.Names, name)
	if i == len(c.Names) || c.Names[i] != name {
		return 0, false
	}
	for _, k := range c.Find(m, c.Numbers[m][i]) {
		if int(k) == i {
			return c.Numbers[m][i], true
		}
	}
	return 0, false
}
