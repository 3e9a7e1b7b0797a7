package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
)

// clockTicks is USER_HZ, the unit of clock_t, which is 100 on all machines here.
const clockTicks = 100

// ClockT writes a number of clock ticks: 5 /* 0.05 s */.
func (c *Call) ClockT(v uint64) {
	c.Uint(v)
	if v == 0 || c.Opt.Xlat == out.Raw || c.Opt.JSON {
		return
	}
	c.Syntax(" /* ")
	c.Uint(v / clockTicks)
	c.Syntax(".")
	c.Frac(v%clockTicks, 2)
	c.Syntax(" s */")
}

var clockT = Type{Width: Ulong, Print: func(c *Call, v uint64) { c.ClockT(v) }}

var rusage = func() Type {
	s := NewStruct(
		Arg{"ru_utime", timeval}, Arg{"ru_stime", timeval},
		Arg{"ru_maxrss", uldec}, Arg{"ru_ixrss", uldec}, Arg{"ru_idrss", uldec}, Arg{"ru_isrss", uldec},
		Arg{"ru_minflt", uldec}, Arg{"ru_majflt", uldec}, Arg{"ru_nswap", uldec}, Arg{"ru_inblock", uldec},
		Arg{"ru_oublock", uldec}, Arg{"ru_msgsnd", uldec}, Arg{"ru_msgrcv", uldec}, Arg{"ru_nsignals", uldec},
		Arg{"ru_nvcsw", uldec}, Arg{"ru_nivcsw", uldec},
	)
	t := s.Type()
	t.Mem = func(c *Call, b []byte, _ uint64) {
		c.BeginStruct()
		if c.Abbrev {
			s.PrintFields(c, b[:s.Off(c.Lay, "ru_maxrss")])
			c.MoreFields()
		} else {
			s.PrintFields(c, b)
		}
		c.EndStruct()
	}
	return t
}()

// timex is struct timex; wide is the form of the calls with time64 in their
// names, in which everything is 64 bits wide or padded to that.
func timex(long, tv Type, wide bool) Type {
	gap := pad(0)
	if wide {
		gap = pad(4)
	}
	return NewStruct(
		Arg{"modes", flags(xlat.AdjtimexModes)}, Arg{"", gap},
		Arg{"offset", long}, Arg{"freq", long}, Arg{"maxerror", long}, Arg{"esterror", long},
		Arg{"status", flags(xlat.AdjtimexStatus)}, Arg{"", gap},
		Arg{"constant", long}, Arg{"precision", long}, Arg{"tolerance", long},
		Arg{"time", tv},
		Arg{"tick", long}, Arg{"ppsfreq", long}, Arg{"jitter", long},
		Arg{"shift", dec}, Arg{"", gap},
		Arg{"stabil", long}, Arg{"jitcnt", long}, Arg{"calcnt", long}, Arg{"errcnt", long}, Arg{"stbcnt", long},
		Arg{"tai", dec}, Arg{"", pad(11 * 4)},
	).Type()
}

var (
	timexWord = timex(ldec, timeval, false)
	timex64   = timex(dec64, timeval64, true)
)

// auxClockState names the state of the clock that adjtimex returned.
func auxClockState(arg int, t *Type) func(c *Call) bool {
	return func(c *Call) bool {
		if _, ok := c.Read(c.args[arg], t.size(c.Lay)); !ok || !c.Verbose {
			return false
		}
		name, ok := xlat.ClockStates.Name(uint64(c.Ev.Ret))
		c.Text(name)
		return ok
	}
}

// clockid is a clock.
var clockid = enumIn(I32, xlat.Clocks)

// remaining is a pointer to what is left of a sleep: filled in only if that was
// interrupted and not until a point in time (flags, an argument, is not 0).
func remaining(t Type, flags int) Type {
	p := outAlways(t)
	show := p.Print
	p.Print = func(c *Call, v uint64) {
		if flags >= 0 && c.args[flags] != 0 || !c.Restarted() {
			c.Addr(v)
			return
		}
		show(c, v)
	}
	return p
}

// Restarted reports whether the result is one that makes the kernel call again.
func (c *Call) Restarted() bool {
	switch -c.Ev.Ret {
	case eRestartSys, eRestartNoIntr, eRestartNoHand, eRestartBlock:
		return c.Returned()
	}
	return false
}

func sleepArgs(t Type) args {
	return args{
		{"clockid", clockid}, {"flags", flags(xlat.TimerFlags)}, {"request", inPair(t)}, {"remain", remaining(t, 1)},
	}
}

// timeRows are the calls on clocks and timers.
var timeRows = []Row{
	{Name: "nanosleep", Args: args{{"req", inPair(timespec)}, {"rem", remaining(timespec, -1)}}},
	{Name: "clock_nanosleep", Args: sleepArgs(timespec)},
	{Name: "clock_nanosleep_time64", Args: sleepArgs(timespec64)},

	{Name: "clock_gettime", Args: args{{"clockid", clockid}, {"tp", outPtr(timespec)}}},
	{Name: "clock_gettime64", Args: args{{"clockid", clockid}, {"tp", outPtr(timespec64)}}},
	{Name: "clock_getres", Args: args{{"clockid", clockid}, {"tp", outPtr(timespec)}}},
	{Name: "clock_getres_time64", Args: args{{"clockid", clockid}, {"tp", outPtr(timespec64)}}},
	{Name: "clock_settime", Args: args{{"clockid", clockid}, {"tp", in(timespec)}}},
	{Name: "clock_settime64", Args: args{{"clockid", clockid}, {"tp", in(timespec64)}}},
	{Name: "clock_adjtime", Args: args{{"clockid", clockid}, {"buf", outPtr(timexWord)}}, Aux: auxClockState(1, &timexWord)},
	{Name: "clock_adjtime64", Args: args{{"clockid", clockid}, {"buf", outPtr(timex64)}}, Aux: auxClockState(1, &timex64)},
	{Name: "adjtimex", Args: args{{"buf", outPtr(timexWord)}}, Aux: auxClockState(0, &timexWord)},

	{Name: "gettimeofday", Args: args{{"tv", outPtr(timeval)}, {"tz", outPtr(timezone)}}},
	{Name: "settimeofday", Args: args{{"tv", in(timeval)}, {"tz", in(timezone)}}},
	{Name: "time", Args: args{{"tloc", outPtr(boxedTime)}}, Aux: func(c *Call) bool {
		sec := int64(Long.extend(uint64(c.Ev.Ret), c.Lay))
		return c.date(sec, 0, 0)
	}},
	{Name: "stime", Args: args{{"tloc", in(boxedTime)}}},
	{Name: "times", Args: args{{"buf", outPtr(NewStruct(
		Arg{"tms_utime", clockT}, Arg{"tms_stime", clockT}, Arg{"tms_cutime", clockT}, Arg{"tms_cstime", clockT},
	).Type())}}},
	{Name: "restart_syscall", Args: args{{"call", Type{Width: Ulong, Print: (*Call).resuming}}}},
	{Name: "alarm", Args: args{{"seconds", udec}}},

	{Name: "getitimer", Args: args{{"which", enum(xlat.Itimers)}, {"curr_value", outPtr(itimerval)}}},
	{Name: "setitimer", Args: args{
		{"which", enum(xlat.Itimers)}, {"new_value", inPair(itimerval)}, {"old_value", outPtr(itimerval)},
	}},
	{Name: "timer_create", Args: args{{"clockid", clockid}, {"sevp", in(sigevent)}, {"timerid", boxed(outPtr, dec)}}},
	{Name: "timer_delete", Args: args{{"timerid", dec}}},
	{Name: "timer_getoverrun", Args: args{{"timerid", dec}}},
	{Name: "timer_gettime", Args: args{{"timerid", dec}, {"curr_value", outPtr(itimerspec)}}},
	{Name: "timer_gettime64", Args: args{{"timerid", dec}, {"curr_value", outPtr(itimerspec64)}}},
	{Name: "timer_settime", Args: settimeArgs(itimerspec)},
	{Name: "timer_settime64", Args: settimeArgs(itimerspec64)},
}

func settimeArgs(t Type) args {
	return args{
		{"timerid", dec}, {"flags", flags(xlat.TimerFlags)}, {"new_value", inPair(t)}, {"old_value", outPtr(t)},
	}
}

// boxedTime is a time_t behind a pointer, in brackets and with its date.
var boxedTime = Type{
	Width: None, Size: sizes(ldec), Align: sizes(ldec),
	Mem: func(c *Call, b []byte, _ uint64) {
		v := int64(Long.load(b, c.Lay))
		c.BeginArray()
		c.Elem()
		c.Int(v)
		c.DateComment(v, 0, 0)
		c.EndArray()
	},
}

// resuming says which call restart_syscall goes on with.
func (c *Call) resuming(uint64) {
	name := c.Interrupted
	if name == "" {
		name = "system call"
	}
	if c.Opt.JSON {
		c.Text(name)
		return
	}
	c.Syntax("<... resuming interrupted ")
	c.Syntax(name)
	c.Syntax(" ...>")
}
