package event

// An ABI is the system call table that a call was made through. The number of
// a call means nothing without it.
type ABI uint8

const (
	Native ABI = iota // amd64 on x86-64, arm64 on arm64
	Compat            // i386 on x86-64 (also int $0x80 of a 64-bit task), arm (EABI) on arm64
	X32               // x86-64 calls with bit 30 set in the number; NR holds it without the bit
	NumABI
)

// MaxNR is the first number that has no bit in a CallSet. Numbers from there
// on are traced as number Unknown.
const (
	MaxNR   = 512
	Unknown = MaxNR - 1
)

// Kind says what an Event tells.
type Kind uint8

const (
	KindSyscall  Kind = iota // a call that returned: entry and exit joined
	KindEnter                // a call that began: NR, Args, In; its KindSyscall or KindNoReturn may follow
	KindNoReturn             // a call that will not return: exit, exit_group, or the task died inside it
	KindSignal               // a signal was delivered to, or ignored by, TID: Signal
	KindExit                 // task TID ended: Status
	KindExec                 // TGID has a new image; OldTID is the thread that called execve
	KindFork                 // TID made task Child (of process ChildTGID)
	KindRename               // TID is now called Comm
	KindStop                 // TID stopped by signal Ret (group-stop); see also Stops
	KindLost                 // Lost calls of TID (0: not known whose) are missing here
)

// Flags qualify an Event.
type Flags uint16

const (
	// HasEnter: Enter is the time of entry. Without it the source saw only the
	// exit (attached meanwhile, or no entry hook was needed).
	HasEnter Flags = 1 << iota
	// Resumed: the call was already in progress at attach, so Args may be
	// missing; strace prints "<... read resumed>".
	Resumed
	// NoArgs: Args are not known.
	NoArgs
	// InMissing: the part of the record that held In was lost.
	InMissing
	// Cut: the capture budget of the call was used up, pieces are missing.
	Cut
	// Restarted: the result is an in-kernel ERESTART code, seen at the exit.
	Restarted
	// GroupDead: with KindExit, the last thread of its process.
	GroupDead
	// CoreDumped: with KindExit, a core was written.
	CoreDumped
	// StatusUnknown: with KindExit, the source could not tell Status.
	StatusUnknown
	// Ignored: with KindSignal, the signal was not delivered (it is ignored).
	Ignored
	// InCall: with Ignored, the signal was sent while TID was in a call whose event
	// is still to come; it would have been seen behind that.
	InCall
	// Stops: with KindSignal, it stops all threads of the process; no KindStop
	// comes of them.
	Stops
	// Detached: the source has let go of the task. With KindNoReturn, inside the
	// call; with KindExec, it is the last event of its process.
	Detached
)

// An Event is one thing that happened to one task. It is lent: In, Out and
// Siginfo alias the ring or a buffer of the source and are valid until the next
// call of Source.Next.
type Event struct {
	Kind  Kind
	ABI   ABI
	Flags Flags
	CPU   uint32
	TGID  uint32 // process id, in the pid namespace of perftrace
	TID   uint32 // thread id
	NR    uint32 // number of the call in its ABI's table
	Enter uint64 // CLOCK_MONOTONIC ns at entry, if HasEnter
	Time  uint64 // CLOCK_MONOTONIC ns at exit (KindSyscall) or of the event
	Seq   uint64 // running number of this task's calls, from 1; 0: no call, or the source has none
	Args  [6]uint64
	Ret   int64  // result: -4095..-1 is -errno
	IP    uint64 // user instruction pointer, if asked for
	// System is how long the call kept the task on a CPU, ns, if Plan.SystemTime
	// was asked for and HasEnter.
	System uint64
	Comm   [16]byte

	In  []byte // pieces captured at entry (see piece.go)
	Out []byte // pieces captured at exit

	// by Kind
	Signal    uint32 // KindSignal
	Siginfo   []byte // KindSignal: siginfo_t as the kernel holds it, or nil
	Status    uint32 // KindExit: wait status
	OldTID    uint32 // KindExec; if it is not TID and In is there, Enter, ABI, NR, Args and In are of its execve
	Child     uint32 // KindFork
	ChildTGID uint32 // KindFork
	Lost      uint64 // KindLost
}

// Failed reports whether the result is an error, and which errno.
func (e *Event) Failed() (errno int64, ok bool) {
	ret := e.Ret
	if e.ABI == Compat {
		ret = int64(int32(ret)) // modify_ldt's has no sign above
	}
	if ret < 0 && ret >= -4095 {
		return -ret, true
	}
	return 0, false
}
