package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// struct ptrace_syscall_info (include/uapi/linux/ptrace.h): offsets, and the
// sizes up to which it makes sense.
const (
	psiReserved = 1
	psiFlags    = 2
	psiArch     = 4
	psiIP       = 8
	psiSP       = 16
	psiNr       = 24
	psiArgs     = 32
	psiIsError  = 32
	psiRetData  = 80
	psiSize     = 88

	psiEntry   = 1
	psiExit    = 2
	psiSeccomp = 3
)

// callInfo is a pointer to what PTRACE_GET_SYSCALL_INFO (get) tells and
// PTRACE_SET_SYSCALL_INFO sets: as many bytes as argument 2 says, but no more
// than the kernel has, which the result of get says.
func callInfo(get bool) Type {
	when := event.AtExit
	if get {
		when |= event.IfOK
	}
	return Type{
		Width: Ulong, Out: get,
		Print: func(c *Call, v uint64) {
			n := c.args[2]
			if get {
				if c.Failed() || !c.Returned() {
					c.Addr(v)
					return
				}
				n = min(n, uint64(c.Ev.Ret))
			}
			if n = min(n, psiSize); n == 0 {
				c.Addr(v)
				return
			}
			if b, ok := c.ReadOr(v, int(n)); ok {
				c.BeginStruct()
				c.callInfo(b)
				c.EndStruct()
			}
		},
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenArg, LenFrom: 2, Max: psiSize, When: when})
		},
	}
}

func (c *Call) callInfo(b []byte) {
	op := b[0]
	c.Field("op")
	c.Enum(uint64(op), xlat.PtraceSyscallInfo)
	if len(b) > psiReserved && b[psiReserved] != 0 {
		c.Field("reserved")
		c.Hex(uint64(b[psiReserved]))
	}
	if len(b) > psiFlags {
		if v := little(b[psiFlags:min(psiArch, len(b))]); v != 0 {
			c.Field("flags")
			c.Hex(v)
		}
	}
	if len(b) < psiIP {
		return
	}
	arch := uint32(c.U32(b[psiArch:]))
	c.Field("arch")
	c.Enum(uint64(arch), xlat.AuditArch)
	if len(b) < psiSP {
		return
	}
	c.Field("instruction_pointer")
	c.Addr(c.U64(b[psiIP:]))
	if len(b) < psiNr {
		return
	}
	c.Field("stack_pointer")
	c.Addr(c.U64(b[psiSP:]))
	if len(b) < psiArgs {
		return
	}
	switch op {
	case psiEntry:
		c.Field("entry")
		c.BeginStruct()
		c.callArgs(b, arch)
		c.EndStruct()
	case psiSeccomp:
		c.Field("seccomp")
		c.BeginStruct()
		c.callArgs(b, arch)
		if len(b) >= psiRetData+4 {
			c.Field("ret_data")
			c.Uint(c.U32(b[psiRetData:]))
		}
		c.EndStruct()
	case psiExit:
		c.Field("exit")
		c.BeginStruct()
		c.Field("rval")
		ret := int64(c.U64(b[psiNr:]))
		if len(b) > psiIsError && b[psiIsError] != 0 {
			c.errResult(ret)
		} else {
			c.Int(ret)
		}
		if len(b) > psiIsError {
			c.Field("is_error")
			c.Uint(uint64(b[psiIsError]))
		}
		c.EndStruct()
	}
}

// callArgs writes the number of a call and as many of its arguments as there
// are in b.
func (c *Call) callArgs(b []byte, arch uint32) {
	c.Field("nr")
	c.CallNameOf(c.U64(b[psiNr:]), arch)
	if n := min((len(b)-psiArgs)/8, 6); n > 0 {
		c.Field("args")
		c.hexArray(b[psiArgs:psiArgs+8*n], 8)
	}
}

// errResult writes a negative result by the name of its error: -ENOENT.
func (c *Call) errResult(ret int64) {
	name, _ := ErrnoName(-ret)
	if name == "" || c.Opt.JSON || c.Opt.Xlat == out.Raw {
		c.Int(ret)
		return
	}
	if c.Opt.Xlat == out.Verbose {
		c.Int(ret)
		c.Syntax(" /* -")
		c.Syntax(name)
		c.Syntax(" */")
		return
	}
	c.Syntax("-")
	c.Syntax(name)
}
