package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// cloneRows are the calls that make tasks and give them namespaces.
var cloneRows = []Row{
	{Name: "fork", Ret: RetTGID},
	{Name: "vfork", Ret: RetTGID},
	{Name: "clone", Ret: RetTID, Args: cloneArgs(3, 4)},
	{Name: "clone", ABIs: OnAMD64, Ret: RetTID, Args: cloneArgs(4, 3)},
	{Name: "clone3", Ret: RetTID, Args: args{{"cl_args", cloneStruct}, {"size", size}}},
	{Name: "unshare", Args: args{{"flags", flagsIn(Ulong, xlat.UnshareFlags)}}},
	{Name: "setns", Args: args{{"fd", fd}, {"nstype", flags(xlat.SetnsTypes)}}},
}

const (
	cloneSignal       = 0xff // the signal in the flags of clone
	clonePIDFD        = 0x1000
	cloneSetTLS       = 0x80000
	cloneParentSetTID = 0x100000
	cloneChildClear   = 0x200000
	cloneChildSetTID  = 0x1000000
	cloneIntoCgroup   = 0x200000000
)

// register is t as the value of register reg, for arguments that are not shown
// in their order.
func register(reg int, t Type) Type {
	r := t
	r.Print = func(c *Call, _ uint64) { t.Print(c, t.Width.extend(c.Ev.Args[reg], c.Lay)) }
	if t.Cap != nil {
		r.Cap = func(b *Caps, _ Place) { t.Cap(b, argPlace(reg)) }
	}
	return r
}

// cloneArgs are the arguments of clone, in strace's order and by names that are
// always shown; those that the flags do not ask for are not.
func cloneArgs(tls, child int) args {
	if1 := func(mask uint64, t Type) Type {
		t.Hide = func(c *Call) bool { return c.Ev.Args[0]&mask == 0 }
		t.Named = true
		return t
	}
	stack := register(1, addr)
	stack.Named = true
	fl := register(0, printed(Ulong, printCloneFlags))
	fl.Named = true
	parentTID, parentFD := boxed(outPtr, pid), boxed(outPtr, fd)
	parent := parentTID
	parent.Print = func(c *Call, v uint64) {
		if c.Ev.Args[0]&cloneParentSetTID != 0 {
			parentTID.Print(c, v)
		} else {
			parentFD.Print(c, v)
		}
	}
	return args{
		{"child_stack", stack},
		{"flags", fl},
		{"parent_tid", if1(cloneParentSetTID|clonePIDFD, register(2, parent))},
		{"tls", if1(cloneSetTLS, register(tls, cloneTLS))},
		{"child_tidptr", if1(cloneChildSetTID|cloneChildClear, register(child, addr))},
	}
}

func printCloneFlags(c *Call, v uint64) {
	sig, fl := v&cloneSignal, v&^cloneSignal
	if c.Opt.JSON {
		c.BeginExpr(v)
		defer c.EndExpr()
	}
	if fl != 0 {
		c.Flags(fl, xlat.CloneFlags)
		if sig == 0 {
			return
		}
		c.Syntax("|")
	}
	c.EnumDec(sig, xlat.Signals)
}

// cloneTLS is the thread's area: an address, on i386 a description of it.
var cloneTLS = func() Type {
	desc := in(userDesc)
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) {
			if c.Lay == LayI386 {
				desc.Print(c, v)
			} else {
				c.Addr(v)
			}
		},
		Cap: func(b *Caps, at Place) {
			if b.Lay == LayI386 {
				desc.Cap(b, at)
			}
		},
	}
}()

// Sizes and offsets of struct clone_args.
const (
	cloneArgsMin    = 64 // the first one, up to tls
	cloneArgsSize   = 88
	cloneSetTIDAt   = 64
	cloneCgroupAt   = 80
	cloneMaxSetTIDs = 32
	cloneMaxArgs    = 4096
)

// cloneStruct is a pointer to a struct clone_args of as many bytes as argument 1
// says, and what the call wrote through its pointers.
var cloneStruct = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		size := c.args[1]
		known := min(size, cloneArgsSize)
		if known < cloneArgsMin {
			c.Addr(v)
			return
		}
		if b, ok := c.ReadOr(v, int(known)); ok {
			c.cloneArgs(b, v, size, known)
		}
	},
	Cap: func(b *Caps, at Place) {
		op := b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenArg, LenFrom: 1, Max: cloneMaxArgs, When: event.AtExit})
		b.Add(In(op, 8, 0), event.Capture{Kind: event.CapBytes, Size: 4, When: event.AtExit | event.IfOK})
		b.Add(In(op, 24, 0), event.Capture{Kind: event.CapBytes, Size: 4, When: event.AtExit | event.IfOK})
		if b.Lay == LayI386 {
			b.Add(In(op, 56, 0), event.Capture{Kind: event.CapBytes, Size: userDescSize, When: event.AtExit})
		}
		b.Add(In(op, cloneSetTIDAt, 0), event.Capture{
			Kind: event.CapBytes, Len: event.LenField, LenOff: 72, LenWidth: 8, Size: 4, Max: 4 * cloneMaxSetTIDs, When: event.AtExit,
		})
	},
}

func (c *Call) cloneArgs(b []byte, addr, size, known uint64) {
	word := func(at int) uint64 {
		if at+8 > len(b) {
			return 0
		}
		return c.U64(b[at:])
	}
	fl := word(0)
	done := c.Returned() && !c.Failed()
	filled := done && fl&(clonePIDFD|cloneParentSetTID) != 0
	if filled {
		c.BeginChange()
	}
	c.BeginStruct()
	c.Field("flags")
	c.Flags(fl, xlat.Clone3Flags)
	ptr := func(name string, at int, show bool) {
		if show {
			c.Field(name)
			c.Addr(word(at))
		}
	}
	ptr("pidfd", 8, fl&clonePIDFD != 0)
	ptr("child_tid", 16, fl&(cloneChildSetTID|cloneChildClear) != 0)
	ptr("parent_tid", 24, fl&cloneParentSetTID != 0)
	c.Field("exit_signal")
	if s := word(32); s < 1<<31-1 {
		c.EnumDec(s, xlat.Signals)
	} else {
		c.Uint(s)
	}
	ptr("stack", 40, true)
	c.Field("stack_size")
	c.Hex(word(48))
	if fl&cloneSetTLS != 0 {
		c.Field("tls")
		if c.Lay == LayI386 {
			in(userDesc).Print(c, word(56))
		} else {
			c.Addr(word(56))
		}
	}
	if tids, n := word(cloneSetTIDAt), word(72); tids != 0 || n != 0 {
		c.Field("set_tid")
		if tids == 0 || n == 0 || n > cloneMaxSetTIDs {
			c.Addr(tids)
		} else {
			c.Array(tids, n, &pid)
		}
		c.Field("set_tid_size")
		c.Uint(n)
	}
	if cg := word(cloneCgroupAt); known > cloneCgroupAt && (cg != 0 || fl&cloneIntoCgroup != 0) {
		c.Field("cgroup")
		c.Uint(cg)
	}
	c.NonzeroTail(addr, known, min(size, cloneMaxArgs))
	c.EndStruct()
	switch {
	case filled:
		c.Then()
		c.cloneResult(addr, fl, size, known, word(8), word(24))
		c.EndChange()
	case done && size > known && !c.Opt.JSON: // only the tail may be new
		from := len(c.Buf)
		c.Syntax(" => ")
		empty := len(c.Buf) + len("{")
		c.cloneResult(addr, fl, size, known, 0, 0)
		if len(c.Buf) == empty+len("}") {
			c.Buf = c.Buf[:from]
		}
	}
}

// cloneResult writes what clone3 filled in: {parent_tid=[17]}.
func (c *Call) cloneResult(addr, fl, size, known, pidfdAt, tidAt uint64) {
	c.BeginStruct()
	told := func(name string, at uint64, t *Type) {
		c.Field(name)
		if b, ok := c.ReadOr(at, 4); ok {
			c.BeginArray()
			c.Elem()
			t.Val(c, b, at)
			c.EndArray()
		}
	}
	if fl&clonePIDFD != 0 {
		told("pidfd", pidfdAt, &fd)
	}
	if fl&cloneParentSetTID != 0 {
		told("parent_tid", tidAt, &pid)
	}
	c.NonzeroTail(addr, known, min(size, cloneMaxArgs))
	c.EndStruct()
}
