package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
)

// Parts of c_oflag and c_cflag that are values, not flags: asm-generic/termbits.h.
const (
	termNLDLY  = 0o000400
	termCRDLY  = 0o003000
	termTABDLY = 0o014000
	termBSDLY  = 0o020000
	termVTDLY  = 0o040000
	termFFDLY  = 0o100000
	termCSIZE  = 0o000060
	termCBAUD  = 0o010017
	termIBaud  = 16
)

var termDelays = [...]struct {
	mask uint64
	x    *out.Xlat
}{
	{termNLDLY, xlat.TermNL},
	{termCRDLY, xlat.TermCR},
	{termTABDLY, xlat.TermTAB},
	{termBSDLY, xlat.TermBS},
	{termVTDLY, xlat.TermVT},
	{termFFDLY, xlat.TermFF},
}

// termOflag and termCflag are expressions of values and flags.
func termOflag(w Width) Type {
	return Type{Width: w, Print: func(c *Call, v uint64) {
		c.BeginExpr(v)
		for i := range termDelays {
			d := &termDelays[i]
			c.Enum(v&d.mask, d.x)
			c.Syntax("|")
			v &^= d.mask
		}
		c.moreFlags(v, xlat.TermOflags)
		c.EndExpr()
	}}
}

func termCflag(w Width) Type {
	return Type{Width: w, Print: func(c *Call, v uint64) {
		c.BeginExpr(v)
		c.Enum(v&termCBAUD, xlat.TermBaud)
		c.Syntax("|")
		if in := v >> termIBaud & termCBAUD; in != 0 {
			c.Enum(in, xlat.TermBaud)
			c.Syntax("<<")
			c.Enum(termIBaud, xlat.TermIBShift)
			c.Syntax("|")
		}
		c.Enum(v&termCSIZE, xlat.TermCsize)
		c.Syntax("|")
		c.moreFlags(v&^(termCBAUD|termCBAUD<<termIBaud|termCSIZE), xlat.TermCflags)
		c.EndExpr()
	}}
}

// moreFlags writes flags behind other parts of an expression, which ends with
// "|" so far: nothing, not even that, if there are none.
func (c *Call) moreFlags(v uint64, x *out.Xlat) {
	if v == 0 {
		if n := len(c.Buf); n > 0 && c.Buf[n-1] == '|' {
			c.Buf = c.Buf[:n-1]
		}
		return
	}
	c.Flags(v, x)
}

// termCC is the array of control characters, each named.
func termCC(n int) Type {
	return memOf(n, 1, func(c *Call, b []byte, _ uint64) {
		c.BeginArray()
		for i, v := range b {
			name, ok := xlat.TermCC.Name(uint64(i))
			if !ok {
				name = termNumbers[i]
			}
			c.Index(name)
			c.Hex(uint64(v))
		}
		c.EndArray()
	})
}

// termNumbers are the indices of characters without a name.
var termNumbers = [...]string{
	"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18",
}

func termiosOf(w Width, chars int, more ...Arg) Type {
	f := args{
		{"c_iflag", flagsIn(w, xlat.TermIflags)},
		{"c_oflag", termOflag(w)},
		{"c_cflag", termCflag(w)},
		{"c_lflag", flagsIn(w, xlat.TermLflags)},
		abridged,
		{"c_line", enumIn(U8, xlat.TermLine)},
		{"c_cc", termCC(chars)},
	}
	return NewStruct(append(f, more...)...).Type()
}

var (
	termio    = termiosOf(U16, 8)
	termios   = termiosOf(U32, 19)
	termios2  = termiosOf(U32, 19, Arg{"c_ispeed", udec}, Arg{"c_ospeed", udec})
	winsize   = NewStruct(Arg{"ws_row", udec16}, Arg{"ws_col", udec16}, Arg{"ws_xpixel", udec16}, Arg{"ws_ypixel", udec16}).Type()
	modemBits = flags(xlat.ModemFlags)
)

var ioctlTerm = joined(
	each(argp(outPtr(termios2)), "TCGETS2"),
	each(argp(in(termios2)), "TCSETS2", "TCSETSW2", "TCSETSF2"),
	each(argp(outPtr(termios)), "TCGETS", "TIOCGLCKTRMIOS"),
	each(argp(in(termios)), "TCSETS", "TCSETSW", "TCSETSF", "TIOCSLCKTRMIOS"),
	each(argp(outPtr(termio)), "TCGETA"),
	each(argp(in(termio)), "TCSETA", "TCSETAW", "TCSETAF"),
	each(argp(outPtr(winsize)), "TIOCGWINSZ"),
	each(argp(in(winsize)), "TIOCSWINSZ"),
	each(args{{"arg", enumIn(Ulong, xlat.TcXonc)}}, "TCXONC"),
	each(args{{"arg", enumIn(Ulong, xlat.TcFlsh)}}, "TCFLSH"),
	each(args{{"arg", dec}}, "TCSBRK", "TCSBRKP", "TIOCSCTTY"),
	each(argp(boxed(outPtr, modemBits)), "TIOCMGET"),
	each(argp(boxed(in, modemBits)), "TIOCMBIS", "TIOCMBIC", "TIOCMSET"),
	each(argp(boxed(outPtr, dec)), "TIOCGPGRP", "TIOCGSID", "TIOCGETD", "TIOCGSOFTCAR", "TIOCGPTN", "FIONREAD",
		"TIOCOUTQ", "TIOCGEXCL", "TIOCGDEV"),
	each(argp(boxed(in, dec)), "TIOCSPGRP", "TIOCSETD", "TIOCSSOFTCAR", "FIONBIO", "FIOASYNC"),
	each(args{{"mode", boxed(in, dec)}}, "TIOCPKT"),
	each(args{{"lock", boxed(in, dec)}}, "TIOCSPTLCK"),
	each(argp(in(memOf(1, 1, func(c *Call, b []byte, _ uint64) { c.Str(b, false) }))), "TIOCSTI"),
	each(nil, "TIOCSBRK", "TIOCCBRK", "TIOCCONS", "TIOCNOTTY", "TIOCEXCL", "TIOCNXCL", "FIOCLEX", "FIONCLEX",
		"TIOCVHANGUP", "TIOCSSERIAL"),
)
