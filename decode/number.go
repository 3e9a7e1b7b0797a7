package decode

import (
	"iter"
	"runtime"
	"sort"
	"strings"

	"perftrace/event"
)

//go:generate go run ./internal/gensysnum

// A CallTable is one system call table: the names by number, strace's names.
//
// Numbers below 512 are slots of the same value. Calls above have slots from
// 512 on: x32's own calls by their number, and arm's calls above 0xf0000 by
// special.
type CallTable struct {
	names   []string // by slot; "" is a hole
	sorted  []uint16 // slots in the order of their names
	special []uint32 // numbers of the slots from 512 on; nil: the same as the slot
}

// armSpecial are the numbers of arm's slots from 512 on.
var armSpecial = []uint32{0xffff0, 0xf0001, 0xf0002, 0xf0003, 0xf0004, 0xf0005, 0xf0006}

var (
	amd64Table = CallTable{names: namesAMD64[:], sorted: sortedAMD64[:]}
	i386Table  = CallTable{names: namesI386[:], sorted: sortedI386[:]}
	x32Table   = CallTable{names: namesX32[:], sorted: sortedX32[:]}
	arm64Table = CallTable{names: namesARM64[:], sorted: sortedARM64[:]}
	armTable   = CallTable{names: namesARM[:], sorted: sortedARM[:], special: armSpecial}
	noTable    CallTable
)

// Table returns the table of an ABI on a machine whose GOARCH is arch. It is
// empty if the machine has no such ABI or is not known.
func Table(arch string, abi event.ABI) *CallTable {
	switch arch {
	case "amd64":
		switch abi {
		case event.Native:
			return &amd64Table
		case event.Compat:
			return &i386Table
		case event.X32:
			return &x32Table
		}
	case "arm64":
		switch abi {
		case event.Native:
			return &arm64Table
		case event.Compat:
			return &armTable
		}
	case "386":
		if abi == event.Native {
			return &i386Table
		}
	case "arm":
		if abi == event.Native {
			return &armTable
		}
	}
	return &noTable
}

// CallName returns the name of a call on this machine, "" if it has none.
func CallName(abi event.ABI, nr uint32) string {
	return Table(runtime.GOARCH, abi).Name(nr)
}

// CallNumber returns the number of a call on this machine.
func CallNumber(abi event.ABI, name string) (nr uint32, ok bool) {
	return Table(runtime.GOARCH, abi).Number(name)
}

// CallNumbers yields numbers and names of all calls of an ABI on this machine.
func CallNumbers(abi event.ABI) iter.Seq2[uint32, string] {
	return Table(runtime.GOARCH, abi).All()
}

// Name returns the name of the call with number nr, "" if it has none.
func (t *CallTable) Name(nr uint32) string {
	if slot, ok := t.Slot(nr); ok {
		return t.names[slot]
	}
	return ""
}

// Number returns the number of the call that is called name.
func (t *CallTable) Number(name string) (nr uint32, ok bool) {
	i, ok := sort.Find(len(t.sorted), func(i int) int {
		return strings.Compare(name, t.names[t.sorted[i]])
	})
	if !ok {
		return 0, false
	}
	return t.number(int(t.sorted[i])), true
}

// All yields numbers and names, by ascending slot.
func (t *CallTable) All() iter.Seq2[uint32, string] {
	return func(yield func(uint32, string) bool) {
		for slot, name := range t.names {
			if name != "" && !yield(t.number(slot), name) {
				return
			}
		}
	}
}

// Slot returns the place of number nr in a dense array of all calls of the
// table, which has fewer than 640 places; ok is false if the table has no such
// call.
func (t *CallTable) Slot(nr uint32) (slot int, ok bool) {
	slot = int(nr)
	if nr >= event.MaxNR && t.special != nil {
		slot = -1
		for i, n := range t.special {
			if n == nr {
				slot = event.MaxNR + i
			}
		}
	}
	if slot < 0 || slot >= len(t.names) || t.names[slot] == "" {
		return 0, false
	}
	return slot, true
}

func (t *CallTable) number(slot int) uint32 {
	if slot >= event.MaxNR && t.special != nil {
		return t.special[slot-event.MaxNR]
	}
	return uint32(slot)
}

// callArgNames are the names of a call's arguments, as the kernel's source has
// them, separated by blanks.
type callArgNames struct{ call, args string }

// ArgNames returns the kernel's names of the arguments of a call, separated by
// blanks, and whether the call is known. It serves calls that have no row.
func ArgNames(call string) (args string, ok bool) {
	i, ok := sort.Find(len(argNames), func(i int) int {
		return strings.Compare(call, argNames[i].call)
	})
	if !ok {
		return "", false
	}
	return argNames[i].args, true
}
