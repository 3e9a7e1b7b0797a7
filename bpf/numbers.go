package bpf

import (
	"runtime"

	"perftrace/event"
)

// numbers of the few calls that the programs treat specially, in one table.
type numbers struct {
	noReturn []uint32 // exit, exit_group
	fork     []uint32 // fork, vfork, clone, clone3: return in the child too
	exec     []uint32 // execve, execveat
}

var (
	amd64Numbers = numbers{noReturn: []uint32{60, 231}, fork: []uint32{56, 57, 58, 435}, exec: []uint32{59, 322}}
	x32Numbers   = numbers{noReturn: []uint32{60, 231}, fork: []uint32{56, 57, 58, 435}} // its execve is over 511
	i386Numbers  = numbers{noReturn: []uint32{1, 252}, fork: []uint32{2, 120, 190, 435}, exec: []uint32{11, 358}}
	arm64Numbers = numbers{noReturn: []uint32{93, 94}, fork: []uint32{220, 435}, exec: []uint32{221, 281}}
	armNumbers   = numbers{noReturn: []uint32{1, 248}, fork: []uint32{2, 120, 190, 435}, exec: []uint32{11, 387}}
)

func numbersOf(abi event.ABI) *numbers {
	arm := runtime.GOARCH == "arm64"
	switch {
	case abi == event.X32:
		return &x32Numbers
	case abi == event.Compat && arm:
		return &armNumbers
	case abi == event.Compat:
		return &i386Numbers
	case arm:
		return &arm64Numbers
	}
	return &amd64Numbers
}

// specialOf returns the flags that a call's plan has because of its number.
func specialOf(abi event.ABI, nr uint32) (flags tracePlanFlags) {
	n := numbersOf(abi)
	for _, s := range []struct {
		set  []uint32
		flag tracePlanFlags
	}{
		{n.noReturn, tracePlanFlagsPLAN_NO_RETURN},
		{n.fork, tracePlanFlagsPLAN_FORK},
		{n.exec, tracePlanFlagsPLAN_EXEC},
	} {
		for _, v := range s.set {
			if v == nr {
				flags |= s.flag
			}
		}
	}
	return flags
}
