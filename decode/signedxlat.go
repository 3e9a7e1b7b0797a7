package decode

import "perftrace/decode/out"

// signedXlat is a table of 32-bit values whose negative ones are extended to 64
// bits, as those of a signed Width are.
func signedXlat(x *out.Xlat) *out.Xlat {
	entries := make([]out.Entry, len(x.Entries))
	for i, e := range x.Entries {
		entries[i] = out.Entry{Val: uint64(int64(int32(e.Val))), Name: e.Name}
	}
	return out.NewXlat(x.Default, entries)
}
