package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// seccompAction is the part of a filter's result that is an action.
const seccompAction = 0xffff0000

// seccompK writes the constant of an instruction of a seccomp filter: for what
// it returns, an action and its data.
func seccompK(c *Call, code, v uint64) {
	if code&7 != bpfRET {
		c.Hex(v)
		return
	}
	c.BeginExpr(v)
	c.Enum(v&seccompAction, xlat.SeccompRet)
	if data := v &^ seccompAction; data != 0 {
		c.Syntax("|")
		c.Hex(data)
	}
	c.EndExpr()
}

// seccompFprog is a seccomp filter.
var seccompFprog = sockFprog(seccompK)

// seccompInsns is a pointer to as many instructions as the result says.
var seccompInsns = func() Type {
	insn := sockInsn(seccompK)
	return Type{
		Width: Ulong, Out: true,
		Print: func(c *Call, v uint64) {
			if c.Failed() || !c.Returned() {
				c.Addr(v)
				return
			}
			c.sockInsns(v, uint64(uint16(c.Ev.Ret)), &insn)
		},
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{
				Kind: event.CapBytes, Len: event.LenRet, Size: sockFilterSize, Max: sockFilterSize * (sockMaxInsns + 1), When: event.AtExit | event.IfOK,
			})
		},
	}
}()

var seccompSizes = NewStruct(
	Arg{"seccomp_notif", udec16}, Arg{"seccomp_notif_resp", udec16}, Arg{"seccomp_data", udec16},
).Type()

var seccompRows = []Row{
	{
		Name: "seccomp",
		Args: args{{"operation", enum(xlat.SeccompOps)}, {"flags", hex}, {"args", addr}},
		Cmd: &Commands{Arg: 0, Of: map[uint32]*Command{
			1: {Args: args{{"flags", flags(xlat.SeccompFilterFlags)}, {"args", in(seccompFprog)}}}, // SECCOMP_SET_MODE_FILTER
			2: {Args: args{{"flags", hex}, {"args", boxed(in, enum(xlat.SeccompRet))}}},            // SECCOMP_GET_ACTION_AVAIL
			3: {Args: args{{"flags", hex}, {"args", outPtr(seccompSizes)}}},                        // SECCOMP_GET_NOTIF_SIZES
		}},
	},
}
