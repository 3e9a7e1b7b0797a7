package decode

import (
	"sort"

	"perftrace/decode/out"
)

// A userField is a register or a member at an offset of struct user.
type userField struct {
	off  uint64
	name string
}

// userFields are what PTRACE_PEEKUSER and PTRACE_POKEUSER reach, by machine
// (arch/x86/include/asm/user_{32,64}.h, arch/arm/include/asm/user.h).
var userFields = [out.NumMachine][]userField{
	out.AMD64: append(userRegs(8, "8*", "R15", "R14", "R13", "R12", "RBP", "RBX", "R11", "R10", "R9", "R8", "RAX",
		"RCX", "RDX", "RSI", "RDI", "ORIG_RAX", "RIP", "CS", "EFL", "RSP", "SS"),
		userMembers(912, 216, "u_fpvalid", 224, "i387", 736, "u_tsize", 744, "u_dsize", 752, "u_ssize",
			760, "start_code", 768, "start_stack", 776, "signal", 784, "reserved", 792, "u_ar0", 800, "u_fpstate",
			808, "magic", 816, "u_comm", 848, "u_debugreg")...),
	out.I386: append(userRegs(4, "4*", "EBX", "ECX", "EDX", "ESI", "EDI", "EBP", "EAX", "DS", "ES", "FS", "GS",
		"ORIG_EAX", "EIP", "CS", "EFL", "UESP", "SS"),
		userMembers(284, 68, "u_fpvalid", 72, "i387", 180, "u_tsize", 184, "u_dsize", 188, "u_ssize",
			192, "start_code", 196, "start_stack", 200, "signal", 204, "reserved", 208, "u_ar0", 212, "u_fpstate",
			216, "magic", 220, "u_comm", 252, "u_debugreg")...),
	out.ARM: append(userRegs(4, "", "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10",
		"fp", "ip", "sp", "lr", "pc", "cpsr"),
		userMembers(296, 72, "u_fpvalid", 76, "u_tsize", 80, "u_dsize", 84, "u_ssize", 88, "start_code",
			92, "start_stack", 96, "signal", 100, "reserved", 104, "u_ar0", 108, "magic", 112, "u_comm")...),
}

func userRegs(size uint64, prefix string, names ...string) []userField {
	f := make([]userField, 0, len(names)+16)
	for i, n := range names {
		f = append(f, userField{uint64(i) * size, prefix + n})
	}
	return f
}

// userMembers are offsets and names by turns, and the size of the struct.
func userMembers(size uint64, list ...any) []userField {
	var f []userField
	for i := 0; i < len(list); i += 2 {
		f = append(f, userField{uint64(list[i].(int)), "offsetof(struct user, " + list[i+1].(string) + ")"})
	}
	return append(f, userField{size, "sizeof(struct user)"})
}

// userOffset is an offset in struct user: 8*RAX, or 8*RAX+1.
var userOffset = Type{Width: Ulong, Print: func(c *Call, v uint64) {
	f := userFields[c.Machine]
	i := sort.Search(len(f), func(i int) bool { return f[i].off > v }) - 1
	if i < 0 || i == len(f)-1 && v > f[i].off {
		c.Addr(v)
		return
	}
	base := f[i]
	if c.Opt.JSON || c.Opt.Xlat == out.Raw {
		c.Addr(v)
		return
	}
	verbose := c.Opt.Xlat == out.Verbose
	if verbose {
		c.Addr(v)
		c.Syntax(" /* ")
	}
	c.Syntax(base.name)
	if v > base.off {
		c.Syntax("+")
		c.Uint(v - base.off)
	}
	if verbose {
		c.Syntax(" */")
	}
}}
