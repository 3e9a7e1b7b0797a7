package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

var (
	ptPid  = Arg{"pid", pid}
	ptAddr = Arg{"addr", addr}
	ptSize = Arg{"addr", uldec}
	ptSig  = Arg{"data", sig}
	// ptValue is where the kernel puts a word of the tracee.
	ptValue = Arg{"data", boxed(outPtr, addr)}
	ptOpts  = Arg{"data", flagsIn(Ulong, xlat.PtraceOptions)}
	ptUser  = Arg{"addr", userOffset}
	ptNote  = Arg{"addr", enum(xlat.ELFNotes)}
)

// ptraceRow is the call with what one machine does differently; the requests
// have the same numbers on all of them if they exist at all, but for these.
func ptraceRow(on ABIs, more map[uint32]*Command) Row {
	of := map[uint32]*Command{
		0:      {}, // PTRACE_TRACEME
		1:      {Args: args{ptPid, ptAddr, ptValue}},
		2:      {Args: args{ptPid, ptAddr, ptValue}},
		3:      {Args: args{ptPid, ptUser, ptValue}}, // PTRACE_PEEKUSER
		6:      {Args: args{ptPid, ptUser, {"data", addr}}},
		7:      {Args: args{ptPid, ptAddr, ptSig}}, // PTRACE_CONT
		8:      {Args: args{ptPid}},                // PTRACE_KILL
		9:      {Args: args{ptPid, ptAddr, ptSig}}, // PTRACE_SINGLESTEP
		0x10:   {Args: args{ptPid}},                // PTRACE_ATTACH
		0x11:   {Args: args{ptPid, ptAddr, ptSig}}, // PTRACE_DETACH
		0x18:   {Args: args{ptPid, ptAddr, ptSig}}, // PTRACE_SYSCALL
		0x4200: {Args: args{ptPid, ptAddr, ptOpts}},
		0x4201: {Args: args{ptPid, ptAddr, {"data", boxed(outPtr, uldec)}}}, // PTRACE_GETEVENTMSG
		0x4202: {Args: args{ptPid, ptAddr, {"data", outPtr(siginfo)}}},      // PTRACE_GETSIGINFO
		0x4203: {Args: args{ptPid, ptAddr, {"data", in(siginfo)}}},
		0x4204: {Args: args{ptPid, ptNote, {"data", regsetVector(true)}}}, // PTRACE_GETREGSET
		0x4205: {Args: args{ptPid, ptNote, {"data", regsetVector(false)}}},
		0x4206: {Args: args{ptPid, ptAddr, ptOpts}}, // PTRACE_SEIZE
		0x4207: {Args: args{ptPid}},                 // PTRACE_INTERRUPT
		0x4208: {Args: args{ptPid}},                 // PTRACE_LISTEN
		0x4209: {Args: args{ptPid, {"addr", in(peekSiginfo)}, {"data", array(outPtr, siginfo, retCount())}}},
		0x420a: {Args: args{ptPid, ptSize, {"data", sigsetPtr(outPtr, 2)}}}, // PTRACE_GETSIGMASK
		0x420b: {Args: args{ptPid, ptSize, {"data", sigsetPtr(in, 2)}}},
		0x420c: {Args: args{ptPid, ptSize, {"data", seccompInsns}}},    // PTRACE_SECCOMP_GET_FILTER
		0x420d: {Args: args{ptPid, ptSize, {"data", seccompMetadata}}}, // PTRACE_SECCOMP_GET_METADATA
		0x420e: {Args: args{ptPid, ptSize, {"data", callInfo(true)}}},  // PTRACE_GET_SYSCALL_INFO
		0x4212: {Args: args{ptPid, ptSize, {"data", callInfo(false)}}},
	}
	for request, c := range more {
		of[request] = c
	}
	return Row{
		Name: "ptrace", ABIs: on,
		Args: args{{"op", word(xlat.Ptrace)}, ptPid, ptAddr, {"data", addr}},
		Cmd:  &Commands{Arg: 0, Of: of},
	}
}

var ptraceRows = []Row{
	ptraceRow(OnAMD64|On386|OnX32, map[uint32]*Command{
		0xc:  {Args: args{ptPid, noArg, {"addr", regsPtr(&generalRegs, event.AtExit|event.IfOK)}}}, // PTRACE_GETREGS
		0xd:  {Args: args{ptPid, noArg, {"addr", regsPtr(&generalRegs, event.AtExit)}}},
		0xe:  {Args: args{ptPid, noArg, {"addr", regsPtr(&floatRegs, event.AtExit|event.IfOK)}}}, // PTRACE_GETFPREGS
		0xf:  {Args: args{ptPid, noArg, {"addr", regsPtr(&floatRegs, event.AtExit)}}},
		0x15: {Args: args{ptPid, ptAddr, ptOpts}}, // PTRACE_OLDSETOPTIONS
		0x1f: {Args: args{ptPid, ptAddr, ptSig}},  // PTRACE_SYSEMU
		0x20: {Args: args{ptPid, ptAddr, ptSig}},  // PTRACE_SYSEMU_SINGLESTEP
		0x21: {Args: args{ptPid, ptAddr, ptSig}},  // PTRACE_SINGLEBLOCK
	}),
	ptraceRow(OnARM64, map[uint32]*Command{
		0x1f: {Args: args{ptPid, ptAddr, ptSig}}, // PTRACE_SYSEMU
		0x20: {Args: args{ptPid, ptAddr, ptSig}}, // PTRACE_SYSEMU_SINGLESTEP
	}),
	ptraceRow(OnARM, map[uint32]*Command{
		0xc:  {Args: args{ptPid, noArg, {"addr", regsPtr(&generalRegs, event.AtExit|event.IfOK)}}}, // PTRACE_GETREGS
		0xd:  {Args: args{ptPid, noArg, {"addr", regsPtr(&generalRegs, event.AtExit)}}},
		0x15: {Args: args{ptPid, ptAddr, ptOpts}}, // PTRACE_OLDSETOPTIONS
	}),
}

var peekSiginfo = NewStruct(
	Arg{"off", udec64}, Arg{"flags", flags(xlat.PtracePeekSiginfo)}, Arg{"nr", udec},
).Type()

// seccompMetadata is struct seccomp_metadata, whose first member the caller sets
// and whose second one the kernel does, if there is room.
var seccompMetadata = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		const offset, whole = 8, 16
		b, ok := []byte(nil), false
		if c.args[2] >= offset {
			b, ok = c.Read(v, offset)
		}
		if !ok || !c.Verbose {
			c.Addr(v)
			return
		}
		c.BeginStruct()
		c.Field("filter_off")
		c.Uint(c.U64(b))
		if n := c.Ev.Ret; c.Returned() && n > offset {
			if b, ok = c.Read(v+offset, 8); ok && n >= whole {
				c.Field("flags")
				c.Flags(c.U64(b), xlat.SeccompFilterFlags)
				if n > whole {
					c.MoreFields()
				}
			} else {
				c.Unavailable()
			}
		}
		c.EndStruct()
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: 16, When: event.AtExit})
	},
}

// Unavailable says that what should follow in a struct can't be read.
func (c *Call) Unavailable() {
	if c.Opt.JSON {
		c.MoreFields()
		return
	}
	c.Syntax(", ???")
}
