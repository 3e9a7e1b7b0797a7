package decode

import (
	"perftrace/decode/out"
	"perftrace/event"
)

// Options are what the user chose about the arguments of calls.
type Options struct {
	out.Options
	StringMax int // -s: bytes of a string, elements of an array

	// -e abbrev=, verbose=, raw=: calls that are abbreviated (all, unless -v),
	// whose structures are shown (all), and whose arguments are hex (none).
	Abbrev, Verbose, Raw event.CallSets

	FDs        FDDetail                // -y, -yy, -e decode-fds=
	CommOf     func(pid uint32) []byte // -Y: the name of a task, nil if it is not known; lent until the next call
	DumpRead   func(fd int64) bool     // -e read=: all that is read from this descriptor is written out; nil: none
	DumpWrite  func(fd int64) bool     // -e write=: the same of what is written
	Column     int                     // -a: where "= result" begins at the earliest; 40
	MatchFiles bool                    // the caller asks Decoder.Names about paths and descriptors (-P, -e trace-fds=)
	ShowNR     bool                    // -n
	ArgNames   bool                    // -N
	ErrnoNum   bool                    // -X raw: error numbers too
}

// FDDetail is a set of what is shown behind a descriptor.
type FDDetail uint8

const (
	FDPath FDDetail = 1 << iota
	FDSocket
	FDDevice
	FDPid
	FDSignal
	FDEvent
)

// Default are strace's defaults.
func Default() Options {
	o := Options{StringMax: 32, Column: 40}
	for abi := range event.NumABI {
		for i := range o.Abbrev[abi] {
			o.Abbrev[abi][i] = ^uint64(0)
			o.Verbose[abi][i] = ^uint64(0)
		}
	}
	return o
}
