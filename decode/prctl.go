package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// Arguments of prctl behind the ones that an option gives a meaning: the kernel
// wants most of them to be 0.
var prctlRest = args{{"arg2", lhex}, {"arg3", lhex}, {"arg4", lhex}, {"arg5", lhex}}

// prOpt is an option of prctl with these arguments only.
func prOpt(a ...Arg) *Command { return &Command{Args: a} }

// prAll is an option with these arguments and all that are left.
func prAll(a ...Arg) *Command {
	return &Command{Args: append(append(args{}, a...), prctlRest[len(a):]...)}
}

// telling makes the option's result hex with a meaning behind it.
func (m *Command) telling(ret Ret, aux func(c *Call) bool) *Command {
	m.Ret, m.Aux = ret, aux
	return m
}

func word(x *out.Xlat) Type      { return enumIn(Ulong, x) }
func wordFlags(x *out.Xlat) Type { return flagsIn(Ulong, x) }

// auxFlags shows the result as flags, if it is not 0 or zero says so.
func auxFlags(x *out.Xlat, zero bool) func(c *Call) bool {
	return func(c *Call) bool {
		v := c.ret()
		if v == 0 && !zero {
			return false
		}
		return c.auxFlagNames(v, x)
	}
}

// auxFlagNames writes the names of flags in a result; unknown ones follow them
// in hex. Without any name there is nothing to tell.
func (c *Call) auxFlagNames(v uint64, x *out.Xlat) bool {
	known := false
	for _, e := range x.Entries {
		known = known || e.Val != 0 && v&e.Val == e.Val || e.Val == v
	}
	if !known || c.Opt.Xlat == out.Raw {
		return false
	}
	mode := c.Opt.Xlat
	c.Opt.Xlat = out.Abbrev
	c.Flags(v, x)
	c.Opt.Xlat = mode
	return true
}

// auxName shows the name of the result.
func auxName(x *out.Xlat) func(c *Call) bool {
	return func(c *Call) bool {
		name, ok := x.Name(c.ret())
		c.Text(name)
		return ok
	}
}

// ret is the result as an unsigned word.
func (c *Call) ret() uint64 { return Ulong.extend(uint64(c.Ev.Ret), c.Lay) }

// boxedHex is a number in hex behind a pointer that the call fills in.
var (
	boxedUint = boxed(outPtr, udec)
	boxedHex  = boxed(outPtr, hex64)
	boxedPtr  = boxed(outPtr, addr)
)

// comm is the name of a task, of which limit bytes are looked at; without a NUL
// among them it is a cut one.
func comm(when event.When, limit int) Type {
	return Type{
		Width: Ulong,
		Out:   when&event.IfOK != 0,
		Print: func(c *Call, v uint64) {
			if when&event.IfOK != 0 && (c.Failed() || !c.Returned()) {
				c.Addr(v)
				return
			}
			b, whole, _, ok := c.CString(v)
			if len(b) >= limit {
				b, whole = b[:limit], false
			} else if !whole {
				ok = false
			}
			if !ok {
				c.Addr(v)
				return
			}
			show := min(len(b), c.Opts.StringMax)
			c.Str(b[:show], !whole || show < len(b))
		},
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{Kind: event.CapString, Max: uint16(limit), When: when})
		},
	}
}

// vectorLen is the argument of PR_SVE_SET_VL and PR_SME_SET_VL: flags and a
// length.
func vectorLen(x *out.Xlat) Type {
	return Type{Width: Ulong, Print: func(c *Call, v uint64) {
		if v&^vectorLenMask == 0 && c.Opt.Xlat != out.Raw {
			c.Hex(v)
			return
		}
		if x == xlat.PrSVE {
			c.Expr(v, sveExpr)
		} else {
			c.Expr(v, smeExpr)
		}
	}}
}

const vectorLenMask = 0xffff

func sveExpr(c *Call, v uint64) { c.vectorExpr(v, xlat.PrSVE) }
func smeExpr(c *Call, v uint64) { c.vectorExpr(v, xlat.PrSME) }

func (c *Call) vectorExpr(v uint64, x *out.Xlat) {
	c.alsoFlags(v&^vectorLenMask, x)
	c.Hex(v & vectorLenMask)
}

func auxVector(body func(c *Call, v uint64)) func(c *Call) bool {
	return func(c *Call) bool {
		v := c.ret()
		if v&^vectorLenMask == 0 || c.Opt.Xlat == out.Raw {
			return false
		}
		return c.auxExpr(v, body)
	}
}

// auxExpr writes the meaning of a result.
func (c *Call) auxExpr(v uint64, body func(c *Call, v uint64)) bool {
	if c.Opt.Xlat == out.Raw {
		return false
	}
	mode := c.Opt.Xlat
	c.Opt.Xlat = out.Abbrev
	body(c, v)
	c.Opt.Xlat = mode
	return true
}

// Bits of PR_SET_TAGGED_ADDR_CTRL and PR_RISCV_V_SET_CONTROL.
const (
	taggedEnable   = 1
	mteTCFMask     = 0x6
	mteTagShift    = 3
	mteTagMask     = 0xffff << mteTagShift
	riscvInherit   = 1 << 4
	riscvStateMask = 3
)

func taggedExpr(c *Call, v uint64) {
	if v&taggedEnable == 0 {
		c.Text("!")
	}
	c.Text("PR_TAGGED_ADDR_ENABLE|")
	c.Enum(v&mteTCFMask, xlat.PrMTETCF)
	if tag := v & mteTagMask; tag != 0 {
		c.Syntax("|")
		c.Hex(tag >> mteTagShift)
		c.Text("<<PR_MTE_TAG_SHIFT")
	}
	if rest := v &^ (taggedEnable | mteTCFMask | mteTagMask); rest != 0 {
		c.Syntax("|")
		c.Hex(rest)
	}
}

func riscvExpr(c *Call, v uint64) {
	c.Enum(v&riscvStateMask, xlat.PrRISCVState)
	c.Syntax("|")
	c.Enum(v>>2&riscvStateMask, xlat.PrRISCVState)
	c.Syntax("<<2|")
	if v&riscvInherit == 0 {
		c.Text("!")
	}
	c.Text("PR_RISCV_V_VSTATE_CTRL_INHERIT")
	if rest := v &^ 0x1f; rest != 0 {
		c.Syntax("|")
		c.Hex(rest)
	}
}

func auxOf(body func(c *Call, v uint64)) func(c *Call) bool {
	return func(c *Call) bool { return c.auxExpr(c.ret(), body) }
}
