package decode

import (
	"encoding/binary"

	"perftrace/decode/xlat"
	"perftrace/event"
)

// sigName writes a signal by its name if it has one, whatever -X says.
func (c *Call) sigName(sig uint64) {
	if name, ok := xlat.Signals.Name(sig); ok {
		c.Text(name)
		return
	}
	c.Int(int64(int32(sig)))
}

// SignalName is the name of a signal, or "".
func SignalName(sig uint32) string {
	name, _ := xlat.Signals.Name(uint64(sig))
	return name
}

// wordSet is a signal mask in a word, as the old calls have it.
var wordSet = Type{Width: Ulong, Print: func(c *Call, v uint64) { c.maskWord(v) }}

// maskWord writes a signal mask of a word.
func (c *Call) maskWord(v uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	c.Sigset(b[:c.Lay.Word()])
}

// inPair is a pointer to a T that the call reads while another argument, that
// may well be the same pointer, says where the old T goes.
func inPair(t Type) Type { return pointer(t, event.AtEntry|event.IfFault, false) }

// sigHandler is a function or one of SIG_DFL, SIG_IGN, SIG_ERR.
var sigHandler = Type{Width: Ulong, Print: func(c *Call, v uint64) {
	if _, ok := xlat.SigHandlers.Name(v); ok {
		c.Enum(v, xlat.SigHandlers)
		return
	}
	c.Addr(v)
}}

const saRestorer = 0x04000000

// newSigaction is struct sigaction as rt_sigaction has it; oldSigaction as
// sigaction has it. Both are shown in another order than they are laid out in.
var (
	newSigaction = sigactionOf(NewStruct(
		Arg{"sa_handler", sigHandler}, Arg{"sa_flags", flagsIn(Ulong, xlat.SigactionFlags)},
		Arg{"sa_restorer", addr}, Arg{"sa_mask", sigset},
	))
	oldSigaction = sigactionOf(NewStruct(
		Arg{"sa_handler", sigHandler}, Arg{"sa_mask", wordSet},
		Arg{"sa_flags", flagsIn(Ulong, xlat.SigactionFlags)}, Arg{"sa_restorer", addr},
	))
)

func sigactionOf(s *Struct) Type {
	t := s.Type()
	t.Mem = func(c *Call, b []byte, _ uint64) {
		c.BeginStruct()
		s.PrintField(c, b, "sa_handler")
		s.PrintField(c, b, "sa_mask")
		s.PrintField(c, b, "sa_flags")
		if c.Word(b[s.Off(c.Lay, "sa_flags"):])&saRestorer != 0 {
			s.PrintField(c, b, "sa_restorer")
		}
		c.EndStruct()
	}
	return t
}

var stackT = NewStruct(
	Arg{"ss_sp", addr}, Arg{"ss_flags", flags(xlat.SigaltstackFlags)}, Arg{"ss_size", uldec},
).Type()

// sigevent says how a timer or a message queue notifies.
var sigeventStruct = NewStruct(
	Arg{"sigev_value", addr}, Arg{"sigev_signo", sig}, Arg{"sigev_notify", enum(xlat.SigevNotify)},
	Arg{"sigev_notify_function", addr}, Arg{"sigev_notify_attributes", addr},
)

const (
	sigevSignal   = 0
	sigevThread   = 2
	sigevThreadID = 4
)

var sigevent = Type{
	Width: None, Size: sigeventStruct.size, Align: sigeventStruct.align,
	Mem: func(c *Call, b []byte, _ uint64) {
		s, off := sigeventStruct, func(name string) []byte { return b[sigeventStruct.Off(c.Lay, name):] }
		c.BeginStruct()
		if v := c.Word(off("sigev_value")); v != 0 {
			c.Field("sigev_value")
			c.sigval(b)
		}
		notify := c.U32(off("sigev_notify"))
		if notify == sigevSignal || notify == sigevThread || notify == sigevThreadID {
			s.PrintField(c, b, "sigev_signo")
		} else {
			c.Field("sigev_signo")
			c.Uint(c.U32(off("sigev_signo")))
		}
		s.PrintField(c, b, "sigev_notify")
		switch notify {
		case sigevThreadID:
			c.Field("sigev_notify_thread_id")
			c.Int(c.I32(off("sigev_notify_function")))
		case sigevThread:
			s.PrintField(c, b, "sigev_notify_function")
			s.PrintField(c, b, "sigev_notify_attributes")
		}
		c.EndStruct()
	},
}

// sigval writes the union sigval that b begins with.
func (c *Call) sigval(b []byte) {
	c.BeginStruct()
	c.Field("sival_int")
	c.Int(c.I32(b))
	c.Field("sival_ptr")
	c.Addr(c.Word(b))
	c.EndStruct()
}

// hidden is an argument that is not shown.
var hidden = Type{Width: Ulong, Print: printHex, Hide: func(*Call) bool { return true }}

// signalRows are the calls on signals, but for kill and its kin.
var signalRows = []Row{
	{Name: "rt_sigaction", Args: args{
		{"signum", sig}, {"act", inPair(newSigaction)}, {"oldact", outPtr(newSigaction)}, {"sigsetsize", size},
	}},
	{Name: "rt_sigprocmask", Args: args{
		{"how", enum(xlat.SigprocmaskHow)}, {"set", sigsetPtr(inPair, 3)}, {"oldset", sigsetPtr(outPtr, 3)}, {"sigsetsize", size},
	}},
	{Name: "rt_sigpending", Args: args{{"set", sigsetOf(outPtr, 1, func(Lay) uint64 { return 1 })}, {"sigsetsize", size}}},
	{Name: "rt_sigsuspend", Args: args{{"set", sigsetPtr(in, 1)}, {"sigsetsize", size}}},
	{Name: "rt_sigtimedwait", Aux: auxSignal, Args: sigtimedwaitArgs(timespec)},
	{Name: "rt_sigtimedwait_time64", Aux: auxSignal, Args: sigtimedwaitArgs(timespec64)},
	{Name: "rt_sigqueueinfo", Args: args{{"tgid", pid}, {"signum", sig}, {"info", in(siginfo)}}},
	{Name: "rt_tgsigqueueinfo", Args: args{{"tgid", pid}, {"tid", pid}, {"signum", sig}, {"info", in(siginfo)}}},
	{Name: "pidfd_send_signal", Args: args{
		{"pidfd", fd}, {"signum", sig}, {"info", in(siginfo)}, {"flags", flags(xlat.PidfdSignalFlags)},
	}},
	{Name: "rt_sigreturn", ABIs: OnAMD64, Args: frameMask(296)},
	{Name: "rt_sigreturn", ABIs: OnX32, Args: frameMask(280)},
	{Name: "rt_sigreturn", ABIs: On386, Args: frameMask(248)},
	{Name: "rt_sigreturn", ABIs: OnARM64, Args: frameMask(168)},
	{Name: "rt_sigreturn", ABIs: OnARM, Args: frameMask(232)},
	{Name: "sigaltstack", Args: args{{"ss", inPair(stackT)}, {"old_ss", outPtr(stackT)}}},

	{Name: "signal", Ret: RetHex, Args: args{{"signum", sig}, {"handler", sigHandler}}, Aux: func(c *Call) bool {
		name, ok := xlat.SigHandlers.Name(uint64(c.Ev.Ret))
		c.Text(name)
		return ok
	}},
	{Name: "sigaction", Args: args{
		{"signum", sig}, {"act", inPair(oldSigaction)}, {"oldact", outPtr(oldSigaction)},
	}},
	{Name: "sigprocmask", Args: args{
		{"how", enum(xlat.SigprocmaskHow)}, {"set", inPair(wordSet)}, {"oldset", outPtr(wordSet)},
	}},
	{Name: "sigpending", Args: args{{"set", outPtr(wordSet)}}},
	{Name: "sigsuspend", Args: args{{"", hidden}, {"", hidden}, {"mask", wordSet}}},
	{Name: "sigreturn", ABIs: On386, Args: frameMask(80, 712)},
	{Name: "sigreturn", ABIs: OnARM, Args: frameMask(104)},
	{Name: "sgetmask", Ret: RetHex, Aux: auxMask("mask ")},
	{Name: "ssetmask", Ret: RetHex, Aux: auxMask("old mask "), Args: args{
		{"newmask", Type{Width: U32, Print: wordSet.Print}},
	}},
}

func sigtimedwaitArgs(t Type) args {
	return args{{"set", sigsetPtr(in, 3)}, {"info", outPtr(siginfo)}, {"timeout", in(t)}, {"sigsetsize", size}}
}

// auxSignal names the signal that a call returned.
func auxSignal(c *Call) bool {
	name := SignalName(uint32(c.Ev.Ret))
	c.Text(name)
	return name != ""
}

// auxMask shows the result as a signal set.
func auxMask(what string) func(c *Call) bool {
	return func(c *Call) bool {
		c.Syntax(what)
		c.maskWord(uint64(uint32(c.Ev.Ret)))
		return true
	}
}
