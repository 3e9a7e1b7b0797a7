package decode

import "perftrace/decode/xlat"

// bpfInsnSize is the size of an instruction.
const bpfInsnSize = 8

// ebpfInsn is an instruction of an eBPF program.
var ebpfInsn = Type{
	Width: None, Size: [numLay]uint16{8, 8, 8}, Align: [numLay]uint16{4, 4, 4},
	Mem: func(c *Call, b []byte, _ uint64) {
		c.BeginStruct()
		c.Field("code")
		c.ebpfCode(uint64(b[0]))
		c.Field("dst_reg")
		c.Enum(uint64(b[1]&0xf), xlat.EBPFRegs)
		c.Field("src_reg")
		c.Enum(uint64(b[1]>>4), xlat.EBPFRegs)
		c.Field("off")
		c.Int(int64(int16(c.U16(b[2:]))))
		c.Field("imm")
		c.Hex(c.U32(b[4:]))
		c.EndStruct()
	},
}

// ebpfCode writes the code of an eBPF instruction: BPF_ALU64|BPF_K|BPF_MOV.
func (c *Call) ebpfCode(code uint64) {
	const jmp32 = bpfRET // a class that classic BPF uses otherwise
	c.BeginExpr(code)
	c.Enum(code&7, xlat.EBPFClass)
	switch code & 7 {
	case bpfLD, bpfLDX, bpfST, bpfSTX:
		c.Syntax("|")
		c.Enum(code&0x18, xlat.EBPFSize)
		c.Syntax("|")
		c.Enum(code&0xe0, xlat.EBPFMode)
	case jmp32:
		if rest := code &^ 7; rest != 0 {
			c.Syntax("|")
			c.Hex(rest)
			c.Comment("BPF_???")
		}
	default:
		x := xlat.EBPFOpALU
		if code&7 == bpfJMP {
			x = xlat.EBPFOpJmp
		}
		c.Syntax("|")
		c.Enum(code&8, xlat.BPFSrc)
		c.Syntax("|")
		c.Enum(code&0xf0, x)
	}
	c.EndExpr()
}

// EBPFProg writes a program of n instructions: its address if abbreviated.
func (c *Call) EBPFProg(addr, n uint64) {
	if c.Abbrev {
		c.Addr(addr)
		return
	}
	c.Array(addr, n, &ebpfInsn)
}

// showsPrograms reports whether -v or -e abbrev= was given: only then are
// programs shown.
func (o *Options) showsPrograms() bool { return o != nil && o.Abbrev != Default().Abbrev }
