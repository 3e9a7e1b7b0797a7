package filter

import (
	"perftrace/decode"
	"perftrace/event"
)

// Places ("slots") in the set of one ABI. The first 512 are numbers; from 512
// on come the numbers that decode.CallTable.Slot puts there (x32's own calls,
// arm's calls above 0xf0000), then the functions of i386's socketcall and ipc,
// which strace treats as calls of their own, then one for every other number.
const (
	socketSlot = 576 // + function of socketcall, 1 to 20
	ipcSlot    = 608 // + function of ipc, 1 to 24
	otherSlot  = 703
	numWords   = 11

	i386Socketcall = 102
	i386IPC        = 117
)

type slots [numWords]uint64

func (s *slots) has(slot int) bool { return s[slot/64]>>(slot%64)&1 != 0 }
func (s *slots) add(slot int)      { s[slot/64] |= 1 << (slot % 64) }

// Calls is a set of calls over all ABIs of one architecture. It knows more than
// event.CallSets, which Sets makes of it.
type Calls struct {
	arch string
	abi  [event.NumABI]slots
}

// Everything is the set of all calls, those without a name included.
func Everything(arch string) Calls {
	c := Calls{arch: arch}
	c.invert()
	return c
}

func (c *Calls) invert() {
	for abi := range c.abi {
		for i := range c.abi[abi] {
			c.abi[abi][i] = ^c.abi[abi][i]
		}
	}
}

// Union adds the calls of d to c.
func (c *Calls) Union(d *Calls) {
	for abi := range c.abi {
		for i, w := range d.abi[abi] {
			c.abi[abi][i] |= w
		}
	}
}

// Subtract takes the calls of d out of c.
func (c *Calls) Subtract(d *Calls) {
	for abi := range c.abi {
		for i, w := range d.abi[abi] {
			c.abi[abi][i] &^= w
		}
	}
}

// Has reports whether a number is in the set, whatever its arguments are.
func (c *Calls) Has(abi event.ABI, nr uint32) bool {
	if abi >= event.NumABI {
		return false
	}
	return c.abi[abi].has(slotOf(decode.Table(c.arch, abi), nr))
}

// Keep reports whether the call of an event is in the set. It looks at the
// first argument of i386's socketcall and ipc, where strace looks at it.
func (c *Calls) Keep(e *event.Event) bool {
	if e.ABI >= event.NumABI {
		return false
	}
	if (e.NR == i386Socketcall || e.NR == i386IPC) && e.Flags&event.NoArgs == 0 && isI386(c.arch, e.ABI) {
		if slot, ok := functionSlot(e.NR, uint32(e.Args[0])); ok {
			return c.abi[e.ABI].has(slot)
		}
	}
	return c.Has(e.ABI, e.NR)
}

// Sets returns the set in the form that sources take. It holds every call of c,
// and more if c isn't Exact.
func (c *Calls) Sets() (sets event.CallSets) {
	for i := range c.abi {
		abi := event.ABI(i)
		copy(sets[abi][:], c.abi[abi][:event.MaxNR/64])
		high := c.abi[abi].has(otherSlot)
		for nr := range decode.Table(c.arch, abi).All() {
			high = high || nr >= event.MaxNR && c.Has(abi, nr)
		}
		if high {
			sets[abi].Add(event.Unknown)
		}
		if isI386(c.arch, abi) {
			for _, f := range i386Functions {
				if c.abi[abi].has(f.slot) {
					sets[abi].Add(f.call)
				}
			}
		}
	}
	return sets
}

// Exact reports whether Sets holds exactly the calls of c. If not, what a
// source delivers must be filtered by Keep.
func (c *Calls) Exact() bool {
	sets := c.Sets()
	for i := range c.abi {
		abi := event.ABI(i)
		if !sets[abi].Has(event.Unknown) {
			continue
		}
		if !c.abi[abi].has(event.Unknown) || !c.abi[abi].has(otherSlot) {
			return false
		}
		for nr := range decode.Table(c.arch, abi).All() {
			if !c.Has(abi, nr) && nr >= event.MaxNR {
				return false
			}
		}
	}
	for i := range c.abi {
		abi := event.ABI(i)
		if !isI386(c.arch, abi) {
			continue
		}
		for _, f := range i386Functions {
			if sets[abi].Has(f.call) && !(c.abi[abi].has(f.slot) && c.Has(abi, f.call)) {
				return false
			}
		}
	}
	return true
}

// slotOf is the slot of a number.
func slotOf(t *decode.CallTable, nr uint32) int {
	if nr < event.MaxNR {
		return int(nr)
	}
	if slot, ok := t.Slot(nr); ok {
		return slot
	}
	return otherSlot
}

func isI386(arch string, abi event.ABI) bool {
	return arch == "amd64" && abi == event.Compat || arch == "386" && abi == event.Native
}

// functionSlot is the slot of a function of socketcall or ipc.
func functionSlot(call, function uint32) (slot int, ok bool) {
	slot = socketSlot
	if call == i386IPC {
		slot = ipcSlot
		function &= 0xffff // above are the bits of a version
	}
	if function >= 32 {
		return 0, false
	}
	slot += int(function)
	for _, f := range i386Functions {
		if f.slot == slot {
			return slot, true
		}
	}
	return 0, false
}

// i386Functions are the functions of socketcall and ipc: <linux/net.h> and
// <linux/ipc.h>.
var i386Functions = [...]struct {
	name string
	call uint32
	slot int
}{
	{"socket", i386Socketcall, socketSlot + 1},
	{"bind", i386Socketcall, socketSlot + 2},
	{"connect", i386Socketcall, socketSlot + 3},
	{"listen", i386Socketcall, socketSlot + 4},
	{"accept", i386Socketcall, socketSlot + 5},
	{"getsockname", i386Socketcall, socketSlot + 6},
	{"getpeername", i386Socketcall, socketSlot + 7},
	{"socketpair", i386Socketcall, socketSlot + 8},
	{"send", i386Socketcall, socketSlot + 9},
	{"recv", i386Socketcall, socketSlot + 10},
	{"sendto", i386Socketcall, socketSlot + 11},
	{"recvfrom", i386Socketcall, socketSlot + 12},
	{"shutdown", i386Socketcall, socketSlot + 13},
	{"setsockopt", i386Socketcall, socketSlot + 14},
	{"getsockopt", i386Socketcall, socketSlot + 15},
	{"sendmsg", i386Socketcall, socketSlot + 16},
	{"recvmsg", i386Socketcall, socketSlot + 17},
	{"accept4", i386Socketcall, socketSlot + 18},
	{"recvmmsg", i386Socketcall, socketSlot + 19},
	{"sendmmsg", i386Socketcall, socketSlot + 20},
	{"semop", i386IPC, ipcSlot + 1},
	{"semget", i386IPC, ipcSlot + 2},
	{"semctl", i386IPC, ipcSlot + 3},
	{"semtimedop", i386IPC, ipcSlot + 4},
	{"msgsnd", i386IPC, ipcSlot + 11},
	{"msgrcv", i386IPC, ipcSlot + 12},
	{"msgget", i386IPC, ipcSlot + 13},
	{"msgctl", i386IPC, ipcSlot + 14},
	{"shmat", i386IPC, ipcSlot + 21},
	{"shmdt", i386IPC, ipcSlot + 22},
	{"shmget", i386IPC, ipcSlot + 23},
	{"shmctl", i386IPC, ipcSlot + 24},
}

// names yields slots and names of everything in an ABI that a word of an
// expression can stand for.
func names(arch string, abi event.ABI) func(yield func(slot int, name string) bool) {
	return func(yield func(int, string) bool) {
		t := decode.Table(arch, abi)
		for nr, name := range t.All() {
			if !yield(slotOf(t, nr), name) {
				return
			}
		}
		if !isI386(arch, abi) {
			return
		}
		for _, f := range i386Functions {
			if !yield(f.slot, f.name) {
				return
			}
		}
	}
}
