package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
)

// resourceRows are the calls on limits, usage and priorities.
var resourceRows = []Row{
	{Name: "getrlimit", Args: args{{"resource", enum(xlat.Resources)}, {"rlim", outPtr(rlimit)}}},
	{Name: "ugetrlimit", Args: args{{"resource", enum(xlat.Resources)}, {"rlim", outPtr(rlimit)}}},
	{Name: "setrlimit", Args: args{{"resource", enum(xlat.Resources)}, {"rlim", in(rlimit)}}},
	{Name: "prlimit64", Args: args{{"pid", pid}, {"resource", enum(xlat.Resources)}, {"new_limit", inPair(rlimit64)}, {"old_limit", outPtr(rlimit64)}}},
	{Name: "getrusage", Args: args{{"who", enum(xlat.RusageWho)}, {"usage", outPtr(rusage)}}},
	{Name: "getpriority", Args: args{{"which", enum(xlat.PriorityWhich)}, {"who", processIf(0)}}},
	{Name: "setpriority", Args: args{{"which", enum(xlat.PriorityWhich)}, {"who", processIf(0)}, {"prio", dec}}},
	{Name: "wait4", Ret: RetTGID, Args: args{{"pid", pid}, {"status", waited(waitStatus)}, {"options", waitOptions}, {"usage", waited(rusage)}}},
	{Name: "waitpid", Ret: RetTGID, Args: args{{"pid", pid}, {"status", waited(waitStatus)}, {"options", waitOptions}}},
	{Name: "waitid", Args: args{
		{"idtype", enum(xlat.WaitidTypes)}, {"id", processIf(1)}, {"siginfo", outPtr(siginfo)}, {"options", waitOptions}, {"usage", outPtr(rusage)},
	}},
}

var waitOptions = flags(xlat.WaitOptions)

// waited is outPtr for what is filled in only if a task was found: the result is
// its id, not 0.
func waited(t Type) Type {
	p := outPtr(t)
	print := p.Print
	p.Print = func(c *Call, v uint64) {
		if c.Ev.Ret == 0 {
			c.Addr(v)
			return
		}
		print(c, v)
	}
	return p
}

var (
	rlimit   = rlimitOf(Ulong)
	rlimit64 = rlimitOf(U64)
)

// rlimitOf is a struct rlimit with limits of width w.
func rlimitOf(w Width) Type {
	limit := Type{Width: w, Print: func(c *Call, v uint64) { c.Limit(v, w.size(c.Lay) == 8) }}
	return NewStruct(Arg{"rlim_cur", limit}, Arg{"rlim_max", limit}).Type()
}

var (
	unlimited   = out.NewXlat("", []out.Entry{{Val: 1<<32 - 1, Name: "RLIM_INFINITY"}})
	unlimited64 = out.NewXlat("", []out.Entry{{Val: 1<<64 - 1, Name: "RLIM64_INFINITY"}})
)

// Limit writes a resource limit: 8192*1024, RLIM64_INFINITY.
func (c *Call) Limit(v uint64, is64 bool) {
	names := unlimited
	if is64 {
		names = unlimited64
	}
	name, none := names.Name(v)
	switch {
	case c.Opt.JSON && none:
		c.EnumDec(v, names)
		return
	case c.Opt.JSON || c.Opt.Xlat == out.Raw || !none && (v <= 1024 || v%1024 != 0):
		c.Uint(v)
		return
	}
	if c.Opt.Xlat == out.Verbose {
		c.Uint(v)
		c.Syntax(" /* ")
		defer c.Syntax(" */")
	}
	if none {
		c.Text(name)
		return
	}
	c.Uint(v / 1024)
	c.Syntax("*1024")
}

// shortened is a struct of which an abbreviated line shows only the fields
// before the named one.
func shortened(s *Struct, until string) Type {
	return Type{
		Width: None, Size: s.size, Align: s.align,
		Mem: func(c *Call, b []byte, _ uint64) {
			c.BeginStruct()
			if c.Abbrev {
				s.PrintFields(c, b[:s.Off(c.Lay, until)])
				c.MoreFields()
			} else {
				s.PrintFields(c, b)
			}
			c.EndStruct()
		},
		Cap: s.Cap,
	}
}
