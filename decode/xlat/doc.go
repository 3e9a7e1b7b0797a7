// Package xlat has the names of the kernel's numbers: flags, commands, kinds.
//
// Each *.x file is a spec on one subject. genxlat (decode/internal/genxlat) turns it
// into a z*.go file; run go generate here after a change. A spec is a list of
// tables, each with its names indented below it:
//
//	# A comment, which becomes the variable's.
//	flags OpenFlags O_???
//	  O_CREAT                  value from decode/internal/genxlat/values.tsv
//	  O_OLD = 0x123            not there: value given
//	  O_ODD arm64=0x8 arm=-    given for some architectures; -: does not exist there
//
//	enum Whence SEEK_???
//	  SEEK_SET
//
//	codes Ioctls               names of 32-bit numbers, each with a value by architecture (Codes)
//	  TCGETS
//
//	const
//	  SEEK_SET                 as Go constants of that name; patterns (F_*) may be used
//	  F_*
//
// O_??? is what an unknown value is commented with; it may be left out. Flags
// are printed in the order of the table: a name for several bits goes before
// those for its bits. Of an enum, the first name for a value is printed.
// Negative values are cut to 32 bits, as the types flags and enum take them,
// unless the word signed follows the default, for enumIn with a signed width.
// A table whose values are not the same on amd64, 386, arm64 and arm holds all
// four (out.Xlat.On); the printer chooses by the machine of the event.
//
// values.tsv is made by genxlat -snapshot from the newest kernel's uapi headers
// and from golang.org/x/sys/unix.
package xlat

//go:generate go run perftrace/decode/internal/genxlat
