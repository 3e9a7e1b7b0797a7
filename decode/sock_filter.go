package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// Classes of classic BPF instructions (include/uapi/linux/bpf_common.h).
const (
	bpfLD   = 0
	bpfLDX  = 1
	bpfST   = 2
	bpfSTX  = 3
	bpfALU  = 4
	bpfJMP  = 5
	bpfRET  = 6
	bpfMISC = 7
)

// BPFCode writes the code of a classic BPF instruction: BPF_LD|BPF_W|BPF_ABS.
func (c *Call) BPFCode(code uint64) {
	c.BeginExpr(code)
	c.Enum(code&7, xlat.BPFClass)
	rest := code &^ 7
	switch code & 7 {
	case bpfLD, bpfLDX:
		c.Syntax("|")
		c.Enum(code&0x18, xlat.BPFSize)
		c.Syntax("|")
		c.Enum(code&0xe0, xlat.BPFMode)
		rest = 0
	case bpfALU, bpfJMP:
		x := xlat.BPFOpALU
		if code&7 == bpfJMP {
			x = xlat.BPFOpJmp
		}
		c.Syntax("|")
		c.Enum(code&8, xlat.BPFSrc)
		c.Syntax("|")
		c.Enum(code&0xf0, x)
		rest = 0
	case bpfRET:
		c.Syntax("|")
		c.Enum(code&0x18, xlat.BPFRval)
		rest &^= 0x18
	case bpfMISC:
		c.Syntax("|")
		c.Enum(code&0xf8, xlat.BPFMiscOp)
		rest &^= 0xf8
	}
	if rest != 0 {
		c.Syntax("|")
		c.Hex(rest)
		if !c.Opt.JSON {
			c.Comment("BPF_???")
		}
	}
	c.EndExpr()
}

// sockFilterSize is sizeof(struct sock_filter).
const sockFilterSize = 8

// sockInsn is an instruction of a classic BPF program; k writes its constant.
func sockInsn(k func(c *Call, code, v uint64)) Type {
	return Type{
		Width: None, Size: [numLay]uint16{8, 8, 8}, Align: [numLay]uint16{4, 4, 4},
		Mem: func(c *Call, b []byte, _ uint64) {
			code, jt, jf := c.U16(b), uint64(b[2]), uint64(b[3])
			if jt|jf == 0 {
				c.BeginCall("BPF_STMT")
				c.Param()
				c.BPFCode(code)
				c.Param()
				k(c, code, c.U32(b[4:]))
				c.EndCall()
				return
			}
			c.BeginCall("BPF_JUMP")
			c.Param()
			c.BPFCode(code)
			for _, v := range [...]uint64{c.U32(b[4:]), jt, jf} {
				c.Param()
				c.Hex(v)
			}
			c.EndCall()
		},
	}
}

// sockFprog is struct sock_fprog: a classic BPF program whose instructions are
// shown if nothing is abbreviated.
func sockFprog(k func(c *Call, code, v uint64)) Type {
	insn := sockInsn(k)
	s := NewStruct(Arg{"len", udec16}, Arg{"filter", addr})
	t := s.Type()
	t.Mem = func(c *Call, b []byte, _ uint64) {
		c.BeginStruct()
		n := c.U16(b)
		c.Field("len")
		c.Uint(n)
		c.Field("filter")
		c.sockInsns(c.Word(b[s.Off(c.Lay, "filter"):]), n, &insn)
		c.EndStruct()
	}
	t.Cap = func(b *Caps, at Place) {
		lenOff := at.Off
		at.Off += s.off[b.Lay][1]
		b.Add(at, event.Capture{
			Kind: event.CapBytes, Len: event.LenField, LenOff: lenOff, LenWidth: 2, Size: sockFilterSize, Max: sockFilterSize * (sockMaxInsns + 1),
		})
	}
	return t
}

// sockMaxInsns is BPF_MAXINSNS: the most that are shown of a program.
const sockMaxInsns = 4096

func (c *Call) sockInsns(at, n uint64, insn *Type) {
	if c.Abbrev {
		c.Addr(at)
		return
	}
	c.ArrayUpTo(at, n, sockMaxInsns, insn)
}

// Offsets in a packet at which the kernel has other things
// (include/uapi/linux/filter.h).
const (
	skfAD  = 0xfffff000
	skfNET = 0xfff00000
	skfLL  = 0xffe00000

	bpfMode = 0xe0
	bpfABS  = 0x20
)

// socketK writes the constant of an instruction of a socket's filter: where a
// packet is loaded from, or a number.
func socketK(c *Call, code, v uint64) {
	if code&7 != bpfLD || code&bpfMode != bpfABS || v < skfLL {
		c.Hex(v)
		return
	}
	base := uint64(skfLL)
	switch {
	case v >= skfAD:
		base = skfAD
	case v >= skfNET:
		base = skfNET
	}
	c.BeginExpr(v)
	c.Enum(base, xlat.SkfBases)
	c.Syntax("+")
	if base == skfAD {
		c.Enum(v-base, xlat.SkfAD)
	} else {
		c.Uint(v - base)
	}
	c.EndExpr()
}

var socketInsn = sockInsn(socketK)

// sockFilter shows a program of n instructions that filters packets.
func (c *Call) sockFilter(addr, n uint64) { c.sockInsns(addr, n, &socketInsn) }
