package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

const schedResetOnFork = 0x40000000

// policyName writes a scheduling policy and reports whether it is known.
func (c *Call) policyName(v uint64) bool {
	name, known := xlat.Schedulers.Name(v &^ schedResetOnFork)
	if int32(v) < 0 || !known && v&schedResetOnFork == 0 {
		return false
	}
	if v&schedResetOnFork != 0 {
		c.Syntax("SCHED_RESET_ON_FORK|")
	}
	if known {
		c.Text(name)
	} else {
		c.Hex(v &^ schedResetOnFork)
	}
	return true
}

var schedPolicy = Type{Width: U32, Print: func(c *Call, v uint64) {
	if v&schedResetOnFork == 0 || int32(v) < 0 {
		c.Enum(v, xlat.Schedulers)
		return
	}
	c.Expr(v, func(c *Call, v uint64) { c.policyName(v) })
}}

var schedParam = NewStruct(Arg{"sched_priority", dec}).Type()

// struct sched_attr and its sizes in the course of time.
var schedAttrStruct = NewStruct(
	Arg{"size", udec}, Arg{"sched_policy", enum(xlat.Schedulers)}, Arg{"sched_flags", flagsIn(U64, xlat.SchedAttrFlags)},
	Arg{"sched_nice", dec}, Arg{"sched_priority", udec}, Arg{"sched_runtime", udec64},
	Arg{"sched_deadline", udec64}, Arg{"sched_period", udec64},
	Arg{"sched_util_min", udec}, Arg{"sched_util_max", udec},
)

const (
	schedAttrVer0 = 48
	schedAttrVer1 = 56

	schedKeepPolicy = 0x08
	schedKeepParams = 0x10
	e2BIG           = 7
)

// schedAttr writes a sched_attr of which size bytes were passed or returned;
// set says that it is one to be set, where flags make members meaningless.
func (c *Call) schedAttr(b []byte, passed uint64, set bool) {
	s := schedAttrStruct
	size := min(passed, uint64(len(b)))
	c.BeginStruct()
	s.PrintField(c, b, "size")
	if size >= schedAttrVer0 {
		fl := c.U64(b[s.Off(c.Lay, "sched_flags"):])
		policy := c.I32(b[s.Off(c.Lay, "sched_policy"):])
		if !set || policy < 0 || fl&(schedKeepPolicy|schedKeepParams) == 0 {
			s.PrintField(c, b, "sched_policy")
		}
		s.PrintField(c, b, "sched_flags")
		if !set || fl&schedKeepParams == 0 {
			s.PrintOnly(c, b, "sched_nice", "sched_priority", "sched_runtime", "sched_deadline", "sched_period")
		}
		if size >= schedAttrVer1 {
			s.PrintOnly(c, b, "sched_util_min", "sched_util_max")
		}
	}
	if set && passed > schedAttrVer1 {
		c.MoreFields()
	}
	c.EndStruct()
}

// schedAttrIn is the attr of sched_setattr. If the kernel does not like its size
// it says there which one it likes.
var schedAttrIn = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		c.AtEntry = true
		b, ok := c.ReadOr(v, 4)
		if !ok {
			c.AtEntry = false
			return
		}
		usize := c.U32(b)
		if usize == 0 {
			usize = schedAttrVer0
		}
		if size := min(usize, schedAttrVer1); size >= schedAttrVer0 {
			if b, ok = c.Read(v, int(size)); !ok {
				c.Addr(v)
				c.AtEntry = false
				return
			}
		}
		c.AtEntry = false
		again, ok := c.Read(v, 4)
		if changed := c.Ev.Ret == -e2BIG && ok && c.Returned(); changed {
			c.BeginChange()
			c.schedAttr(b, usize, true)
			c.Then()
			c.BeginStruct()
			c.Field("size")
			c.Uint(c.U32(again))
			c.EndStruct()
			c.EndChange()
			return
		}
		c.schedAttr(b, usize, true)
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: schedAttrVer1, When: event.AtEntry | event.IfFault})
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: 4, When: event.AtExit})
	},
}

// schedAttrOut is the attr of sched_getattr.
var schedAttrOut = Type{
	Width: Ulong, Out: true,
	Print: func(c *Call, v uint64) {
		size := c.args[2]
		if c.Failed() || !c.Returned() || size == 0 {
			c.Addr(v)
			return
		}
		if b, ok := c.ReadOr(v, int(min(size, schedAttrVer1))); ok {
			passed := uint64(0)
			if len(b) >= 4 {
				passed = c.U32(b)
			}
			c.schedAttr(b, passed, false)
		}
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{
			Kind: event.CapBytes, Len: event.LenArg, LenFrom: 2, LenWidth: 4, Max: schedAttrVer1,
			When: event.AtExit | event.IfOK,
		})
	},
}

// cpuSetMax is the most of a CPU mask that is shown: strace's limit where the
// kernel needs no more.
const cpuSetMax = 128

// cpuSet is a pointer to a set of CPUs; n is where its size in bytes is.
func cpuSet(when event.When, n count) Type {
	return Type{
		Width: Ulong,
		Out:   when&event.IfOK != 0,
		Print: func(c *Call, v uint64) {
			size, _ := n.value(c)
			size = uint64(uint32(size))
			if v == 0 || !c.Verbose || when&event.IfOK != 0 && (c.Failed() || !c.Returned()) {
				c.Addr(v)
				return
			}
			b, ok := []byte(nil), true
			if size > 0 {
				if b, ok = c.ReadOr(v, int(min(size, cpuSetMax))); !ok {
					return
				}
			}
			c.BeginSet(false)
			for i := range len(b) * 8 {
				if b[i/8]>>(i%8)&1 != 0 {
					c.Member()
					c.Uint(uint64(i))
				}
			}
			if size > cpuSetMax {
				c.Member()
				c.More()
			}
			c.EndSet()
		},
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{
				Kind: event.CapBytes, Len: n.kind, LenFrom: uint8(n.arg), LenWidth: 4, Max: cpuSetMax, When: when,
			})
		},
	}
}

// schedRows are the calls on scheduling.
var schedRows = []Row{
	{Name: "sched_yield"},
	{Name: "sched_getscheduler", Ret: RetHex, Args: args{{"pid", pid}}, Aux: func(c *Call) bool {
		return c.policyName(uint64(uint32(c.Ev.Ret)))
	}},
	{Name: "sched_setscheduler", Args: args{{"pid", pid}, {"policy", schedPolicy}, {"param", in(schedParam)}}},
	{Name: "sched_getparam", Args: args{{"pid", pid}, {"param", outPtr(schedParam)}}},
	{Name: "sched_setparam", Args: args{{"pid", pid}, {"param", in(schedParam)}}},
	{Name: "sched_get_priority_min", Args: args{{"policy", enum(xlat.Schedulers)}}},
	{Name: "sched_get_priority_max", Args: args{{"policy", enum(xlat.Schedulers)}}},
	{Name: "sched_rr_get_interval", Args: args{{"pid", pid}, {"tp", outPtr(timespec)}}},
	{Name: "sched_rr_get_interval_time64", Args: args{{"pid", pid}, {"tp", outPtr(timespec64)}}},
	{Name: "sched_setattr", Args: args{{"pid", pid}, {"attr", schedAttrIn}, {"flags", hex}}},
	{Name: "sched_getattr", Args: args{
		{"pid", pid}, {"attr", schedAttrOut}, {"size", udec}, {"flags", flags(xlat.SchedGetattr)},
	}},
	{Name: "sched_setaffinity", Args: args{{"pid", pid}, {"cpusetsize", udec}, {"mask", cpuSet(event.AtExit, argCount(1))}}},
	{Name: "sched_getaffinity", Args: args{
		{"pid", pid}, {"cpusetsize", udec}, {"mask", cpuSet(event.AtExit|event.IfOK, retCount())},
	}},
}
