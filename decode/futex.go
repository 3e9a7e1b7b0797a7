package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
)

// futexOpMask are the bits of futex_op that are the operation.
const futexOpMask = 0x7f

var (
	futexVal  = Arg{"val", udec}
	futexVal2 = Arg{"val2", udec}
	futexTo   = Arg{"uaddr2", addr}
	futexBits = Arg{"val3", enum(xlat.FutexBitset)}
	noArg     = Arg{"", hidden}
)

// futexOf are the arguments of each operation behind futex_op; the others have
// the row's.
func futexOf(t Type) *Commands {
	timeout := Arg{"timeout", in(t)}
	return &Commands{Arg: 1, Mask: futexOpMask, Of: map[uint32]*Command{
		0:  {Args: args{futexVal, timeout}},                                                       // FUTEX_WAIT
		1:  {Args: args{futexVal}},                                                                // FUTEX_WAKE
		2:  {Args: args{futexVal}},                                                                // FUTEX_FD
		3:  {Args: args{futexVal, futexVal2, futexTo}},                                            // FUTEX_REQUEUE
		4:  {Args: args{futexVal, futexVal2, futexTo, {"val3", udec}}},                            // FUTEX_CMP_REQUEUE
		5:  {Args: args{futexVal, futexVal2, futexTo, {"val3", printed(U32, (*Call).futexWake)}}}, // FUTEX_WAKE_OP
		6:  {Args: args{noArg, timeout}},                                                          // FUTEX_LOCK_PI
		7:  {},                                                                                    // FUTEX_UNLOCK_PI
		8:  {},                                                                                    // FUTEX_TRYLOCK_PI
		9:  {Args: args{futexVal, timeout, noArg, futexBits}},                                     // FUTEX_WAIT_BITSET
		10: {Args: args{futexVal, noArg, noArg, futexBits}},                                       // FUTEX_WAKE_BITSET
		11: {Args: args{futexVal, timeout, futexTo}},                                              // FUTEX_WAIT_REQUEUE_PI
		12: {Args: args{futexVal, futexVal2, futexTo, {"val3", udec}}},                            // FUTEX_CMP_REQUEUE_PI
		13: {Args: args{noArg, timeout}},                                                          // FUTEX_LOCK_PI2
	}}
}

// futexWake writes what FUTEX_WAKE_OP does with the second futex, and what it
// compares: four numbers in one.
func (c *Call) futexWake(v uint64) {
	c.BeginExpr(v)
	if v>>28&8 != 0 {
		c.Enum(8, futexArgShift)
		c.Syntax("<<28|")
	}
	c.Shifted(v>>28&7, xlat.FutexWakeOps, 28, "FUTEX_OP_???")
	c.Syntax("|")
	c.Hex(v >> 12 & 0xfff)
	c.Syntax("<<12|")
	c.Shifted(v>>24&0xf, xlat.FutexWakeCmps, 24, "FUTEX_OP_CMP_???")
	c.Syntax("|")
	c.Hex(v & 0xfff)
	c.EndExpr()
}

var futexArgShift = out.NewXlat("", []out.Entry{{Val: 8, Name: "FUTEX_OP_OPARG_SHIFT"}})

// futex2Flags are the flags of the calls of the second futex interface: the
// size of the futex is in the lowest two bits.
var futex2Flags = exprOf(U32, func(c *Call, v uint64) {
	c.Enum(v&3, xlat.Futex2Sizes)
	if rest := v &^ 3; rest != 0 {
		c.Syntax("|")
		c.Flags(rest, xlat.Futex2Flags)
	}
})

var futexWaiterStruct = NewStruct(
	Arg{"val", hex64}, Arg{"uaddr", addr64}, Arg{"flags", futex2Flags}, Arg{"__reserved", hex},
)

var futexWaiter = Type{
	Width: None, Size: futexWaiterStruct.size, Align: futexWaiterStruct.align,
	Mem: func(c *Call, b []byte, _ uint64) {
		if c.U32(b[futexWaiterStruct.Off(c.Lay, "__reserved"):]) == 0 {
			b = b[:futexWaiterStruct.Off(c.Lay, "__reserved")]
		}
		futexWaiterStruct.Print(c, b)
	},
}

// futexWaitvMax is how many waiters the kernel takes, and thus the most that
// are shown.
const futexWaitvMax = 128

// futexWaiters is an array of waiters, as many as argument 1 says.
var futexWaiters = func() Type {
	t := array(in, futexWaiter, argCount32(1))
	t.Print = func(c *Call, v uint64) { c.ArrayUpTo(v, c.args[1], futexWaitvMax, &futexWaiter) }
	return t
}()

var futexMask = enumIn(Ulong, xlat.FutexBitset)

// futexRows are the calls on futexes.
var futexRows = []Row{
	{Name: "futex", Args: futexArgs, Cmd: futexOf(timespec)},
	{Name: "futex_time64", Args: futexArgs, Cmd: futexOf(timespec64)},
	{Name: "futex_waitv", Args: args{
		{"waiters", futexWaiters},
		{"nr_futexes", udec},
		{"flags", hex},
		{"timeout", in(timespec64)},
		{"clockid", enum(xlat.Clocks)},
	}},
	{Name: "futex_wake", Args: args{{"uaddr", addr}, {"mask", futexMask}, {"nr", dec}, {"flags", futex2Flags}}},
	{Name: "futex_wait", Args: args{
		{"uaddr", addr},
		{"val", uldec},
		{"mask", futexMask},
		{"flags", futex2Flags},
		{"timeout", in(timespec64)},
		{"clockid", enum(xlat.Clocks)},
	}},
	{Name: "futex_requeue", Args: args{
		{"waiters", array(in, futexWaiter, constCount(2))}, {"flags", hex}, {"nr_wake", dec}, {"nr_requeue", dec},
	}},
}

var futexArgs = args{
	{"uaddr", addr}, {"futex_op", enum(xlat.FutexOps)}, futexVal, {"timeout", addr}, futexTo, {"val3", hex},
}
