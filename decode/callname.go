package decode

import (
	"perftrace/decode/out"
	"perftrace/event"
)

// The machines of audit whose calls have a table here (include/uapi/linux/audit.h).
const (
	auditX86_64  = 0xc000003e
	auditI386    = 0x40000003
	auditAArch64 = 0xc00000b7
	auditARM     = 0x40000028
)

// x32Bit is in the numbers of x32's calls.
const x32Bit = 0x40000000

// callOf is the name of the call with a number on a machine of audit, and
// whether that is the machine of the current call.
func (c *Call) callOf(nr uint64, arch uint32) (name string, ours bool) {
	if nr != uint64(uint32(nr)) {
		return "", false
	}
	switch arch {
	case auditX86_64:
		if nr&x32Bit != 0 {
			return Table("amd64", event.X32).Name(uint32(nr &^ x32Bit)), c.Ev.ABI == event.X32
		}
		return Table("amd64", event.Native).Name(uint32(nr)), c.Machine == out.AMD64 && c.Ev.ABI == event.Native
	case auditI386:
		return Table("amd64", event.Compat).Name(uint32(nr)), c.Machine == out.I386
	case auditAArch64:
		return Table("arm64", event.Native).Name(uint32(nr)), c.Machine == out.ARM64
	case auditARM:
		return Table("arm64", event.Compat).Name(uint32(nr)), c.Machine == out.ARM
	}
	return "", false
}

// CallNameOf writes the number of a call on a machine of audit: __NR_read if it
// is the machine of the current call, 3 /* read */ if it is another one.
func (c *Call) CallNameOf(nr uint64, arch uint32) {
	name, ours := c.callOf(nr, arch)
	switch {
	case name == "" || c.Opt.JSON || c.Opt.Xlat == out.Raw:
		c.Named(nr, name)
	case !ours:
		c.Uint(nr)
		c.Comment(name)
	case c.Opt.Xlat == out.Abbrev:
		c.Syntax("__NR_")
		c.Syntax(name)
	default:
		c.Uint(nr)
		c.Syntax(" /* __NR_")
		c.Syntax(name)
		c.Syntax(" */")
	}
}

// Named writes a decimal number that is known by a name; "": by none.
func (c *Call) Named(v uint64, name string) {
	if name == "" {
		c.Uint(v)
		return
	}
	x := out.Xlat{Entries: []out.Entry{{Val: v, Name: name}}}
	c.EnumDec(v, &x)
}
