package decode

import "perftrace/decode/xlat"

// Bits of a wait status (include/uapi/linux/wait.h has no names for them).
const (
	waitStopped   = 0x7f
	waitCore      = 0x80
	waitContinued = 0xffff
)

// WaitStatus writes a status as wait4 fills it in:
// [{WIFEXITED(s) && WEXITSTATUS(s) == 1}].
func (c *Call) WaitStatus(status uint32) {
	c.BeginArray()
	c.Elem()
	c.BeginExpr(uint64(status))
	rest := c.waitCondition(status)
	if event := rest >> 16; event != 0 {
		c.Syntax("|")
		c.Enum(uint64(event), xlat.PtraceEvents)
		c.Syntax("<<16")
		rest &= 0xffff
	}
	if rest != 0 {
		c.Syntax("|")
		c.Hex(uint64(rest))
	}
	c.EndExpr()
	c.EndArray()
}

// waitCondition writes what the macros of wait(2) say about a status, and
// returns the bits that it did not need.
func (c *Call) waitCondition(status uint32) (rest uint32) {
	low := status & 0x7f
	switch {
	case status&0xff == waitStopped:
		sig := status >> 8 & 0xff
		c.Syntax("{WIFSTOPPED(s) && WSTOPSIG(s) == ")
		c.sigName(uint64(sig & 0x7f))
		if sig&0x80 != 0 {
			c.Syntax(" | 0x80")
		}
		c.Syntax("}")
		return status &^ (sig<<8 | waitStopped)
	case low != 0 && low != waitStopped:
		c.Syntax("{WIFSIGNALED(s) && WTERMSIG(s) == ")
		c.sigName(uint64(low))
		if status&waitCore != 0 {
			c.Syntax(" && WCOREDUMP(s)")
		}
		c.Syntax("}")
		return status &^ (low | waitCore)
	case low == 0:
		c.Syntax("{WIFEXITED(s) && WEXITSTATUS(s) == ")
		c.Uint(uint64(status >> 8 & 0xff))
		c.Syntax("}")
		return status &^ 0xff00
	case status == waitContinued:
		c.Syntax("{WIFCONTINUED(s)}")
		return 0
	}
	c.Hex(uint64(status))
	return 0
}

// waitStatus is a pointer to a wait status.
var waitStatus = Type{Width: U32, Print: func(c *Call, v uint64) { c.WaitStatus(uint32(v)) }}
