package decode

// A Row is all that is known about one call.
type Row struct {
	Name string
	Args []Arg
	Ret  Ret
	// Aux writes what stands in parentheses behind the result and reports
	// whether there is anything; nil: nothing. It is called only if the call
	// has returned.
	Aux func(c *Call) bool
	// Cmd gives the arguments behind argument Cmd.Arg by its value.
	Cmd *Commands
	// Mux makes the call stand for others.
	Mux *Mux
	// ABIs in which the row holds; the zero value is all.
	ABIs ABIs
}

// ABIs is a set of tables of calls.
type ABIs uint8

const (
	OnAMD64 ABIs = 1 << iota
	On386
	OnARM64
	OnARM
	OnX32
	On64 = OnAMD64 | OnARM64
	On32 = On386 | OnARM
)

// An Arg is a named argument, or a named field of a struct.
type Arg struct {
	Name string
	Type
}

type args []Arg

// Commands are the meanings of a call by the value of one argument.
type Commands struct {
	Arg  int    // the argument that is the command
	Mask uint32 // bits of it that count; 0: all
	Of   map[uint32]*Command
}

// A Command is what a Row is, for one value of the command argument. Args are
// the arguments behind the command.
type Command struct {
	Args []Arg
	Ret  Ret
	Aux  func(c *Call) bool
}

// Ret says how a result is shown.
type Ret uint8

const (
	RetDec     Ret = iota // signed decimal
	RetUDec               // unsigned decimal
	RetHex                // 0x…
	RetOct                // 0…
	RetFD                 // a descriptor
	RetTID                // a thread id
	RetTGID               // a process id
	RetPGID               // a process group id
	RetSID                // a session id
	RetNone               // nothing: the call does not return
	RetClipped            // signed decimal; errors have 32 bits and their name behind them
)
