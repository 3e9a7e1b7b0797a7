package decode

import (
	"perftrace/decode/out"
	"perftrace/event"
)

// A reg is a register, or an array of n registers, of a set: at offset off, of
// size bytes each.
type reg struct {
	name         string
	off, size, n uint16
}

// regset lays out registers one behind the other.
func regset(size uint16, names ...string) []reg {
	set := make([]reg, len(names))
	for i, name := range names {
		set[i] = reg{name, uint16(i) * size, size, 0}
	}
	return set
}

// Register sets of ptrace by machine: arch/*/include/uapi/asm/ptrace.h and, for
// x86, struct user_regs_struct and struct user_fpregs_struct.
var (
	generalRegs = [out.NumMachine][]reg{
		out.AMD64: regset(8, "r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx",
			"rsi", "rdi", "orig_rax", "rip", "cs", "eflags", "rsp", "ss", "fs_base", "gs_base", "ds", "es", "fs", "gs"),
		out.I386: regset(4, "ebx", "ecx", "edx", "esi", "edi", "ebp", "eax", "xds", "xes", "xfs", "xgs", "orig_eax",
			"eip", "xcs", "eflags", "esp", "xss"),
		out.ARM64: {{"regs", 0, 8, 31}, {"sp", 248, 8, 0}, {"pc", 256, 8, 0}, {"pstate", 264, 8, 0}},
		out.ARM:   {{"uregs", 0, 4, 18}},
	}
	floatRegs = [out.NumMachine][]reg{
		out.AMD64: {
			{"cwd", 0, 2, 0},
			{"swd", 2, 2, 0},
			{"ftw", 4, 2, 0},
			{"fop", 6, 2, 0},
			{"rip", 8, 8, 0},
			{"rdp", 16, 8, 0},
			{"mxcsr", 24, 4, 0},
			{"mxcr_mask", 28, 4, 0},
			{"st_space", 32, 4, 32},
			{"xmm_space", 160, 4, 64},
			{"padding", 416, 4, 24},
		},
		out.I386: append(regset(4, "cwd", "swd", "twd", "fip", "fcs", "foo", "fos"), reg{"st_space", 28, 4, 20}),
	}
)

// maxRegset is the size of the largest of them.
const maxRegset = 512

func regsetSize(set []reg) uint64 {
	if len(set) == 0 {
		return 0
	}
	last := set[len(set)-1]
	return uint64(last.off + last.size*max(last.n, 1))
}

// Regset writes the registers of a set of which size bytes are at addr.
func (c *Call) Regset(addr, size uint64, set []reg) {
	whole := regsetSize(set)
	if size == 0 || size%uint64(c.Lay.Word()) != 0 || whole == 0 {
		c.Addr(addr)
		return
	}
	b, ok := c.ReadOr(addr, int(min(size, whole)))
	if !ok {
		return
	}
	c.BeginStruct()
	for i := range set {
		r := &set[i]
		if int(r.off) >= len(b) {
			break
		}
		c.Field(r.name)
		if r.n > 0 {
			end := min(len(b), int(r.off+r.n*r.size))
			c.hexArray(b[r.off:end], int(r.size))
			continue
		}
		c.Hex(little(b[r.off:min(int(r.off+r.size), len(b))]))
	}
	if size > whole {
		c.MoreFields()
	}
	c.EndStruct()
}

// hexArray writes the numbers of size bytes in b: [0, 0x1].
func (c *Call) hexArray(b []byte, size int) {
	c.BeginArray()
	for i := 0; (i+1)*size <= len(b); i++ {
		c.Elem()
		if c.Abbrev && i >= c.Opts.StringMax {
			c.More()
			break
		}
		c.Hex(little(b[i*size : (i+1)*size]))
	}
	c.EndArray()
}

// little is the number whose bytes are b, at most 8.
func little(b []byte) (v uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

// regsPtr is a pointer to a whole register set.
func regsPtr(sets *[out.NumMachine][]reg, when event.When) Type {
	return Type{
		Width: Ulong,
		Out:   when&event.IfOK != 0,
		Print: func(c *Call, v uint64) {
			if when&event.IfOK != 0 && (c.Failed() || !c.Returned()) {
				c.Addr(v)
				return
			}
			c.Regset(v, regsetSize(sets[c.Machine]), sets[c.Machine])
		},
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{Kind: event.CapBytes, Size: maxRegset, When: when})
		},
	}
}

// ELF notes that name register sets of which the registers are shown.
const (
	ntPrstatus = 1
	ntFpregset = 2
)

// regsetVector is the iovec of PTRACE_GETREGSET (get) and PTRACE_SETREGSET: the
// kernel says in it how many bytes it used.
func regsetVector(get bool) Type {
	regs := event.AtEntry
	if get {
		regs = event.AtExit
	}
	return Type{
		Width: Ulong, Out: true,
		Print: func(c *Call, v uint64) {
			word := c.Lay.Word()
			c.AtEntry = true
			before, ok := c.Read(v, 2*word)
			c.AtEntry = false
			after, known := c.Read(v, 2*word)
			if !ok || !c.Verbose {
				c.Addr(v)
				return
			}
			old := c.Word(before[word:])
			now, size := old, old
			if known && c.Returned() {
				now = c.Word(after[word:])
				if get {
					before, size = after, now
				}
			}
			c.BeginStruct()
			c.Field("iov_base")
			base := c.Word(before)
			set := []reg(nil)
			switch c.args[2] {
			case ntPrstatus:
				set = generalRegs[c.Machine]
			case ntFpregset:
				set = floatRegs[c.Machine]
			}
			c.AtEntry = !get
			if get && (c.Failed() || !c.Returned()) {
				set = nil
			}
			c.Regset(base, size, set)
			c.AtEntry = false
			c.Field("iov_len")
			if now == old {
				c.Uint(old)
			} else {
				c.BeginChange()
				c.Uint(old)
				c.Then()
				c.Uint(now)
				c.EndChange()
			}
			c.EndStruct()
		},
		Cap: func(b *Caps, at Place) {
			word := b.Lay.Word()
			vec := b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(2 * word), When: event.AtEntry | event.AtExit})
			b.Add(In(vec, 0, 0), event.Capture{
				Kind: event.CapBytes, Len: event.LenField, LenOff: uint16(word), Max: maxRegset, When: regs,
			})
		},
	}
}
