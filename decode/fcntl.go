package decode

import (
	"perftrace/decode/xlat"
)

// fcntlRows: what the third argument of fcntl is depends on the second.
var fcntlRows = []Row{
	{Name: "fcntl", Args: fcntlArgs, Cmd: &Commands{Arg: 1, Of: fcntlCommands(false)}},
	{Name: "fcntl64", Args: fcntlArgs, Cmd: &Commands{Arg: 1, Of: fcntlCommands(true)}},
}

var fcntlArgs = args{{"fd", fd}, {"op", enum(xlat.FcntlCmds)}, {"arg", lhex}}

var (
	flockFields = func(w Width) *Struct {
		return NewStruct(
			Arg{"l_type", enumIn(U16, xlat.LockTypes)}, Arg{"l_whence", enumIn(U16, xlat.Whence)},
			Arg{"l_start", Type{Width: w, Print: printDec}}, Arg{"l_len", Type{Width: w, Print: printDec}}, Arg{"l_pid", pid},
		)
	}
	flockStruct   = flockFields(Long)
	flock64Struct = flockFields(I64)

	ownerStruct = NewStruct(Arg{"type", enum(xlat.OwnerTypes)}, Arg{"pid", pid}).Type()
	delegation  = NewStruct(Arg{"d_flags", hex}, Arg{"d_type", enumIn(U16, xlat.LockTypes)}, Arg{"__pad", hex16}).Type()
	lifeHint    = enumIn(U64, xlat.WriteLifeHints)
)

// lockWanted is a lock as a program asks for it: l_pid does not count.
func lockWanted(s *Struct) Type {
	return in(Type{
		Width: None, Size: s.size, Align: s.align,
		Mem: func(c *Call, b []byte, _ uint64) {
			c.BeginStruct()
			s.PrintFields(c, b[:s.Off(c.Lay, "l_pid")])
			c.EndStruct()
		},
	})
}

func fcntlCommands(is64 bool) map[uint32]*Command {
	arg := func(t Type) *Command { return &Command{Args: args{{"arg", t}}} }
	told := func(ret Ret, aux func(c *Call) bool) *Command { return &Command{Ret: ret, Aux: aux} }
	dup := &Command{Args: args{{"arg", ldec}}, Ret: RetFD}
	m := map[uint32]*Command{
		xlat.F_DUPFD:         dup,
		xlat.F_DUPFD_CLOEXEC: dup,
		xlat.F_DUPFD_QUERY:   arg(fd),
		xlat.F_GETFD:         told(RetHex, auxFDFlags),
		xlat.F_SETFD:         arg(flags(xlat.FDFlags)),
		xlat.F_GETFL:         told(RetHex, auxOpenFlags),
		xlat.F_SETFL:         arg(openFlags),
		xlat.F_GETLK:         arg(outPtr(flockStruct.Type())),
		xlat.F_SETLK:         arg(lockWanted(flockStruct)),
		xlat.F_SETLKW:        arg(lockWanted(flockStruct)),
		xlat.F_OFD_GETLK:     arg(outPtr(flock64Struct.Type())),
		xlat.F_OFD_SETLK:     arg(lockWanted(flock64Struct)),
		xlat.F_OFD_SETLKW:    arg(lockWanted(flock64Struct)),
		xlat.F_SETOWN:        arg(pid),
		xlat.F_GETOWN:        told(RetTGID, nil),
		xlat.F_SETSIG:        arg(sig),
		xlat.F_GETSIG:        told(RetDec, auxSigName),
		xlat.F_SETOWN_EX:     arg(in(ownerStruct)),
		xlat.F_GETOWN_EX:     arg(outPtr(ownerStruct)),
		xlat.F_SETLEASE:      arg(enumIn(Ulong, xlat.LockTypes)),
		xlat.F_GETLEASE:      told(RetHex, auxLease),
		xlat.F_NOTIFY:        arg(flagsIn(Ulong, xlat.NotifyFlags)),
		xlat.F_SETPIPE_SZ:    arg(ldec),
		xlat.F_GETPIPE_SZ:    told(RetDec, nil),
		xlat.F_ADD_SEALS:     arg(flagsIn(Ulong, xlat.Seals)),
		xlat.F_GET_SEALS:     told(RetHex, auxSeals),
	}
	for _, cmd := range []uint32{xlat.F_GET_RW_HINT, xlat.F_GET_FILE_RW_HINT} {
		m[cmd] = arg(boxed(outPtr, lifeHint))
	}
	for _, cmd := range []uint32{xlat.F_SET_RW_HINT, xlat.F_SET_FILE_RW_HINT} {
		m[cmd] = arg(boxed(in, lifeHint))
	}
	m[xlat.F_GETDELEG] = arg(outPtr(delegation))
	m[xlat.F_SETDELEG] = arg(in(delegation))
	if is64 {
		m[xlat.F_GETLK64] = arg(outPtr(flock64Struct.Type()))
		m[xlat.F_SETLK64] = arg(lockWanted(flock64Struct))
		m[xlat.F_SETLKW64] = arg(lockWanted(flock64Struct))
	}
	return m
}

func auxFDFlags(c *Call) bool {
	if c.Ev.Ret == 0 {
		return false
	}
	c.Syntax("flags ")
	c.Flags(uint64(c.Ev.Ret), xlat.FDFlags)
	return true
}

func auxOpenFlags(c *Call) bool {
	old := c.Opt.Xlat
	c.Opt.Xlat = 0 // names whatever -X says
	c.Syntax("flags ")
	c.EnumFlags(uint64(uint32(c.Ev.Ret)), 3, xlat.OpenAccess, xlat.OpenFlags)
	c.Opt.Xlat = old
	return true
}

func auxSigName(c *Call) bool {
	name, ok := xlat.Signals.Name(uint64(c.Ev.Ret))
	if ok {
		c.Text(name)
	}
	return ok
}

func auxLease(c *Call) bool {
	name, ok := xlat.LockTypes.Name(uint64(c.Ev.Ret))
	if ok {
		c.Text(name)
	}
	return ok
}

func auxSeals(c *Call) bool {
	if c.Ev.Ret == 0 {
		return false
	}
	c.Syntax("seals ")
	c.Flags(uint64(c.Ev.Ret), xlat.Seals)
	return true
}
