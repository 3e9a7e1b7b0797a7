package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// Trusted execution environments: linux/tee.h. Most requests have a buffer, in
// which a struct is followed by parameters.

const (
	teeMaxArg    = 4096
	teeParamSize = 32
	teeMeta      = 0x100
	teeBufSize   = 16
)

// teeParam is a parameter: what its three numbers are hangs on its kind.
var teeParam = memOf(teeParamSize, 8, func(c *Call, b []byte, _ uint64) {
	attr := c.U64(b)
	c.BeginStruct()
	c.Field("attr")
	c.BeginExpr(attr)
	c.Enum(attr&^teeMeta&(1<<32-1), xlat.TeeParams)
	if attr&teeMeta != 0 {
		c.Syntax("|TEE_IOCTL_PARAM_ATTR_META")
	}
	c.EndExpr()
	names := [3]string{"a", "b", "c"}
	switch attr {
	case 0:
		names = [3]string{}
	case 5, 6, 7:
		names = [3]string{"shm_offs", "size", "shm_id"}
	case 8, 9, 10:
		names = [3]string{"buf", "size"}
	case 11, 12, 13:
		names = [3]string{"obj_id", "flags"}
	}
	for i, name := range names {
		if name == "" {
			continue
		}
		c.Field(name)
		if v := c.U64(b[8+8*i:]); name == "shm_id" {
			c.Uint(v)
		} else {
			c.Hex(v)
		}
	}
	c.EndStruct()
})

// A teeCall is a struct in a buffer: its fields before the call and after it, its
// size, and where the number of parameters stands.
type teeCall struct {
	ask, told *Struct
	size      int
	countAt   int
}

// teeArg is the argument of a request with a buffer.
func teeArg(t teeCall) Type {
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) {
			c.AtEntry = true
			b, ok := c.ReadOr(v, teeBufSize)
			if !ok {
				c.AtEntry = false
				return
			}
			ptr, length := c.U64(b), c.U64(b[8:])
			s, ok := c.Read(ptr, t.size)
			n := uint64(0)
			if ok {
				n = c.U32(s[t.countAt:])
			}
			if !ok || length > teeMaxArg || length != uint64(t.size)+n*teeParamSize {
				c.AtEntry = false
				teeBuf(c, length, ptr)
				return
			}
			c.BeginStruct()
			c.Field("buf_len")
			c.Uint(length)
			c.Field("buf_ptr")
			t.show(c, t.ask, s, ptr)
			c.AtEntry = false
			if c.Succeeded() {
				if s, ok = c.Read(ptr, t.size); ok {
					c.Syntax(" => ")
					if c.Opt.JSON {
						c.Field("buf_out")
					}
					t.show(c, t.told, s, ptr)
				}
			}
			c.EndStruct()
		},
		Cap: func(b *Caps, at Place) {
			for _, when := range [...]event.When{readAtEntry, event.AtExit} {
				op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: teeBufSize, When: when})
				b.Add(In(op, 0, 0), event.Capture{
					Kind: event.CapBytes, Len: event.LenField, LenOff: 8, LenWidth: 8, Max: teeMaxArg, When: when,
				})
			}
		},
	}
}

func teeBuf(c *Call, length, ptr uint64) {
	c.BeginStruct()
	c.Field("buf_len")
	c.Uint(length)
	c.Field("buf_ptr")
	c.Addr(ptr)
	c.EndStruct()
}

func (t *teeCall) show(c *Call, s *Struct, b []byte, ptr uint64) {
	c.BeginStruct()
	s.PrintFields(c, b)
	c.Field("params")
	first := ptr + uint64(t.size)
	n := c.U32(b[t.countAt:])
	if n == 0 {
		first = 0
	}
	if first == 0 {
		c.BeginArray()
		c.EndArray()
	} else {
		c.Array(first, n, &teeParam)
	}
	c.EndStruct()
}

// Who logs in.
const (
	teeLoginGroup    = 2
	teeLoginGroupApp = 6
)

func teeClient(kinds ...uint64) func(*Call, []byte) bool {
	return func(c *Call, s []byte) bool {
		for _, k := range kinds {
			if c.U32(s[32:]) == k {
				return true
			}
		}
		return false
	}
}

var (
	teeOrigin  = enum(xlat.TeeOrigins)
	teeSession = hex
	teePlain   = teeClient(0, 1, teeLoginGroup, 4, 5, teeLoginGroupApp)

	teeOpen = teeCall{size: 56, countAt: 52, ask: NewStruct(
		Arg{"uuid", uuidBytes}, Arg{"", pad(16)}, Arg{"clnt_login", enum(xlat.TeeLogins)},
		Arg{"clnt_uuid", within(when(teeClient(teeLoginGroup, teeLoginGroupApp), pad(0)),
			func(c *Call, s []byte, _ int, _ uint64) { c.ID(c.U32(s[16:]), 1<<32-1) })},
		Arg{"clnt_uuid", within(when(func(c *Call, s []byte) bool { return !teePlain(c, s) }, pad(0)),
			func(c *Call, s []byte, _ int, addr uint64) { c.Vec(s[16:32], addr, 16, &hex8) })},
		Arg{"cancel_id", udec}, Arg{"", pad(12)}, Arg{"num_params", udec},
	), told: NewStruct(
		Arg{"", pad(40)}, Arg{"session", teeSession}, Arg{"ret", udec}, Arg{"ret_origin", teeOrigin},
	)}
	teeInvoke = teeCall{size: 24, countAt: 20, ask: NewStruct(
		Arg{"func", udec}, Arg{"session", teeSession}, Arg{"cancel_id", udec}, Arg{"", pad(8)}, Arg{"num_params", udec},
	), told: NewStruct(Arg{"", pad(12)}, Arg{"ret", udec}, Arg{"ret_origin", teeOrigin})}
	teeRecv = teeCall{
		size: 8, countAt: 4,
		ask: NewStruct(Arg{"func", udec}, Arg{"num_params", udec}), told: NewStruct(Arg{"", pad(4)}, Arg{"num_params", udec}),
	}
	teeSend = teeCall{
		size: 8, countAt: 4,
		ask: NewStruct(Arg{"", pad(4)}, Arg{"num_params", udec}), told: NewStruct(Arg{"ret", udec}),
	}

	teeVersion = NewStruct(
		Arg{"impl_id", enum(xlat.TeeImpls)},
		Arg{"gen_caps", within(pad(0), func(c *Call, s []byte, _ int, _ uint64) { c.Flags(c.U32(s[8:]), xlat.TeeGenCaps) })},
		Arg{"impl_caps", within(hex, func(c *Call, s []byte, at int, _ uint64) {
			if c.U32(s) == 1 {
				c.Flags(c.U32(s[at:]), xlat.TeeOpteeCaps)
			} else {
				c.Hex(c.U32(s[at:]))
			}
		})},
		Arg{"", pad(4)},
	).Type()
	teeCancel = NewStruct(Arg{"cancel_id", udec}, Arg{"session", teeSession}).Type()
	teeClose  = NewStruct(Arg{"session", teeSession}).Type()
	teeFlags  = flags(xlat.TeeShm)
	teeAlloc  = changed(
		NewStruct(Arg{"size", hex64}, Arg{"flags", teeFlags}, Arg{"", pad(4)}).Type(),
		NewStruct(Arg{"size", hex64}, Arg{"flags", teeFlags}, Arg{"id", dec}).Type())
	teeRegister = changed(
		NewStruct(Arg{"addr", addr64}, Arg{"length", hex64}, Arg{"flags", teeFlags}, Arg{"", pad(4)}).Type(),
		NewStruct(Arg{"", pad(8)}, Arg{"length", hex64}, Arg{"flags", teeFlags}, Arg{"id", dec}).Type())
	teeRegisterFD = changed(
		NewStruct(Arg{"fd", fd64}, Arg{"", pad(8)}, Arg{"flags", teeFlags}, Arg{"", pad(4)}).Type(),
		NewStruct(Arg{"", pad(8)}, Arg{"size", hex64}, Arg{"", pad(4)}, Arg{"id", dec}).Type())
)

var ioctlTee = joined(
	each(argp(outPtr(teeVersion)), "TEE_IOC_VERSION"),
	each(argp(teeArg(teeOpen)), "TEE_IOC_OPEN_SESSION"),
	each(argp(teeArg(teeInvoke)), "TEE_IOC_INVOKE"),
	each(argp(in(teeCancel)), "TEE_IOC_CANCEL"),
	each(argp(in(teeClose)), "TEE_IOC_CLOSE_SESSION"),
	each(argp(teeArg(teeRecv)), "TEE_IOC_SUPPL_RECV"),
	each(argp(teeArg(teeSend)), "TEE_IOC_SUPPL_SEND"),
	each(argp(teeAlloc), "TEE_IOC_SHM_ALLOC"),
	each(argp(teeRegister), "TEE_IOC_SHM_REGISTER"),
	each(argp(teeRegisterFD), "TEE_IOC_SHM_REGISTER_FD"),
)
