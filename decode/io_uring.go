package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// uringRows are the calls of io_uring. The operations of io_uring_register are in
// uring_register.go and the files behind it.
var uringRows = []Row{
	{Name: "io_uring_setup", Ret: RetFD, Args: args{{"entries", udec}, {"params", uringParams}}},
	{
		// What the last two arguments are hangs on two flags; both together are
		// an error and mean nothing.
		Name: "io_uring_enter", Args: append(uringEnter[:4:4], args{{"sigset", sigsetPtr(in, 5)}, {"sigsetsize", size}}...),
		Cmd: &Commands{Arg: 3, Mask: xlat.IORING_ENTER_EXT_ARG | xlat.IORING_ENTER_EXT_ARG_REG, Of: map[uint32]*Command{
			xlat.IORING_ENTER_EXT_ARG:     {Args: args{{"arg", uringGetevents}, {"argsz", size}}},
			xlat.IORING_ENTER_EXT_ARG_REG: {Args: args{{"arg", uldec}, {"argsz", size}}},
		}},
	},
	{
		Name: "io_uring_register", Args: uringRegister(addr),
		Cmd: &Commands{Arg: 1, Mask: uringOpcode, Of: uringOperations()},
	},
}

var uringEnter = args{{"fd", fd}, {"to_submit", udec}, {"min_complete", udec}, {"flags", flags(xlat.UringEnterFlags)}}

// uringOpcode are the bits of an operation's number; the highest one says that
// the descriptor is the number of a registered ring.
const uringOpcode = 1<<31 - 1

func uringRegister(arg Type) args {
	ring := fd
	ring.Print = func(c *Call, v uint64) {
		if c.args[1]&^uringOpcode != 0 {
			c.Uint(uint64(uint32(v)))
			return
		}
		c.FD(int64(v))
	}
	opcode := printed(U32, func(c *Call, v uint64) {
		c.KindFlags(v, uringOpcode, xlat.UringRegister, xlat.UringRegisterFlags)
	})
	return args{{"fd", ring}, {"opcode", opcode}, {"arg", arg}, {"nr_args", udec}}
}

// uringParamsSize is the size of struct io_uring_params.
const uringParamsSize = 120

var (
	uringParamsIn = NewStruct(
		Arg{"", pad(8)}, Arg{"flags", flags(xlat.UringSetupFlags)}, Arg{"sq_thread_cpu", hex}, Arg{"sq_thread_idle", udec}, Arg{"", pad(4)},
		Arg{"wq_fd", func() Type {
			t := fd
			t.Shown = func(c *Call, s []byte, _ int) bool { return c.U32(s[8:])&xlat.IORING_SETUP_ATTACH_WQ != 0 }
			return t
		}()},
		Arg{"resv", spare32(3)}, Arg{"", pad(80)},
	)
	uringParamsOut = NewStruct(
		Arg{"sq_entries", udec}, Arg{"cq_entries", udec}, Arg{"", pad(12)}, Arg{"features", flags(xlat.UringFeatures)}, Arg{"", pad(16)},
		Arg{"sq_off", uringOffsets("dropped", "array")}, Arg{"cq_off", uringOffsets("overflow", "cqes")},
	)
)

// uringOffsets are where things are in a ring. Of both kinds, the flags come
// after the fourth or the sixth field.
func uringOffsets(fifth, sixth string) Type {
	fields := args{{"head", udec}, {"tail", udec}, {"ring_mask", udec}, {"ring_entries", udec}}
	if fifth == "dropped" {
		fields = append(fields, Arg{"flags", udec}, Arg{fifth, udec}, Arg{sixth, udec})
	} else {
		fields = append(fields, Arg{fifth, udec}, Arg{sixth, udec}, Arg{"flags", udec})
	}
	return NewStruct(append(fields, Arg{"resv1", shy(hex)}, Arg{"user_addr", hex64})...).Type()
}

// uringParams are what is asked for and, behind it, what the call answers.
var uringParams = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		c.AtEntry = true
		b, ok := c.ReadOr(v, uringParamsSize)
		c.AtEntry = false
		if !ok {
			return
		}
		c.BeginStruct()
		uringParamsIn.PrintFields(c, b)
		if c.Returned() && !c.Failed() {
			if b, ok = c.Read(v, uringParamsSize); ok {
				uringParamsOut.PrintFields(c, b)
			}
		}
		c.EndStruct()
	},
	Cap: func(b *Caps, at Place) {
		op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: uringParamsSize, When: event.AtEntry | event.AtExit})
		capFD(b, In(op, 24, 0))
	},
}

// uringGetevents is a struct io_uring_getevents_arg: a set of signals, a timeout.
var uringGetevents = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		b, ok := c.ReadOr(v, 24)
		if !ok {
			return
		}
		n := c.U32(b[8:])
		c.BeginStruct()
		c.Field("sigmask")
		c.SigsetAt(c.U64(b), n)
		c.Field("sigmask_sz")
		c.Uint(n)
		c.Field("min_wait_usec")
		c.Uint(c.U32(b[12:]))
		c.Field("ts")
		ts := c.U64(b[16:])
		if t, ok := c.ReadOr(ts, 16); ok {
			timespec64.Val(c, t, ts)
		}
		c.EndStruct()
	},
	Cap: func(b *Caps, at Place) {
		op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: 24, When: event.AtExit})
		b.Add(In(op, 0, 0), event.Capture{Kind: event.CapBytes, Len: event.LenField, LenOff: 8, LenWidth: 4, Max: maxSigset, When: event.AtExit})
		b.Add(In(op, 16, 0), event.Capture{Kind: event.CapBytes, Size: 16, When: event.AtExit})
	},
}
