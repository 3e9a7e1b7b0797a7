package event

// A Capture tells a source to copy one object, or one group of like objects, of
// the target's memory. It is plain data: bpf/ writes it into a map where an
// interpreter in the kernel reads it, ptrace/ interprets it with
// process_vm_readv. A call has at most MaxCaptures of them, run in order.
//
// Where: the pointer is argument From (0–5), or, with From >= FromOp, a pointer
// inside what Capture From-FromOp of the same call copied: at offset Off of each
// of its pieces, and if Stride is not 0, at Off, Off+Stride, Off+2*Stride … of
// each piece (element i is what begins at i*Stride). A NULL pointer copies
// nothing. Capture k comes before; its pieces of this phase count, and only if
// there are none those of the entry.
//
// How long: see LenKind; the result is multiplied by Size (0 means 1) and cut at
// Max bytes (0: the -s limit and one more, that tells whether what is cut there
// goes on; but with LenConst no limit). A length of 0 copies
// nothing, and so does one whose field was not copied.
//
// The width of a pointer inside a piece is the ABI's word (8 or 4 bytes).
//
// interp.go is the executable form of this; bpf/progs does the same.
type Capture struct {
	Kind     CapKind
	When     When
	From     uint8
	Len      LenKind
	Off      uint16
	Stride   uint16
	LenFrom  uint8  // LenArg: argument; LenOp: index of a Capture
	LenWidth uint8  // bytes of the length: 1, 2, 4, 8 (LenField, LenOp, LenArg); 0: the ABI's word
	LenOff   uint16 // offset of the length field (LenField: in the element; LenOp: in the first piece)
	Size     uint16
	Max      uint16
}

// FromRet in Capture.From of a CapFD means: the result is the descriptor.
const FromRet = 6

// FromSP in Capture.From means: the object is at the task's stack pointer, as it
// was when the call entered, plus Off (AtEntry only).
const FromSP = 7

// FromOp + k in Capture.From means: pointers inside the pieces of Capture k.
const FromOp = 0x10

// MaxCaptures is the limit of Captures a call.
const MaxCaptures = 16

// MaxPath is PATH_MAX: the most that is copied of a path.
const MaxPath = 4096

// CapKind says what a Capture copies.
type CapKind uint8

const (
	CapNone   CapKind = iota
	CapBytes          // bytes, as long as Len says
	CapString         // up to and without the NUL, at most Max (PieceCut: no NUL in Max+1 bytes); Len and Size don't matter
	CapVector         // an array of pointers up to and with its NULL, at most Max bytes
	CapFD             // argument From (or the 4 bytes where a pointer would be, or FromRet) is a descriptor: tell what it is (event/fdinfo.go)
)

// When is a set of the moments at which a Capture runs, and conditions.
type When uint8

const (
	AtEntry When = 1 << iota
	AtExit
	// IfOK: at exit only if the call succeeded (needs AtExit).
	IfOK
	// LimitRet: the pieces together are at most Ret bytes (readv, recvmsg);
	// once they are, nothing more is copied.
	LimitRet
	// IfFault: at exit (without AtExit, too), only if the same Capture failed
	// at entry: one of its pieces faulted, or Capture From-FromOp failed.
	IfFault
	// Netlink: if argument 0 is a netlink socket, Max is NetlinkMax; of a CapFD:
	// only if the descriptor is one.
	Netlink
	// InPlace: the object is not behind a pointer but at the pointer's own
	// address: base address plus Off, of an argument or of each element (used
	// for arrays whose tail is far away). Off does not matter for an argument
	// without InPlace.
	InPlace
)

// NetlinkMax is how much of a netlink message is copied at most, bytes.
const NetlinkMax = 8192

// LenKind says where a length comes from.
type LenKind uint8

const (
	LenConst LenKind = iota // Size bytes (LenKind's value is 1)
	LenArg                  // argument LenFrom
	LenRet                  // the result, if positive, else 0
	LenField                // a field of the element that holds the pointer (iov_len)
	LenOp                   // a field of the first piece of Capture LenFrom (*addrlen)
	LenIoctl                // _IOC_SIZE of argument 1
	LenFDSet                // bytes of an fd_set of argument LenFrom descriptors: words of 8 (4) bytes
)

// A CallPlan is what is copied for one call. Where the first argument that
// counts is a command (ioctl, prctl, bpf, …), Commands holds plans by the value
// of argument CmdArg; other values use Captures.
type CallPlan struct {
	Captures []Capture
	CmdArg   int8   // -1: none
	CmdMask  uint32 // applied to the command before the look-up; 0 means all bits
	Commands map[uint32][]Capture
}
