package decode

import "perftrace/decode/xlat"

// Types of file attributes.
var (
	// perm is the mode of a call that sets permissions: 0644.
	perm = Type{Width: U16, Print: func(c *Call, v uint64) { c.Perm(v) }}
	// fileMode is a mode with the file's type: S_IFREG|0644.
	fileMode = Type{Width: U16, Print: func(c *Call, v uint64) { c.FileMode(v) }}
	// dev is a device number in the kernel's encoding for user space.
	dev = Type{Width: U32, Print: func(c *Call, v uint64) { c.Dev(v) }}
	// uid is a user or group id, uid16 one of the old calls of 32-bit ABIs.
	uid   = Type{Width: U32, Print: func(c *Call, v uint64) { c.ID(v, 1<<32-1) }}
	uid16 = Type{Width: U16, Print: func(c *Call, v uint64) { c.ID(v, 1<<16-1) }}
)

const (
	sIFMT  = 0o170000
	sIFCHR = 0o020000
	sIFBLK = 0o060000
	sISUID = 0o4000
	sISGID = 0o2000
	sISVTX = 0o1000
)

// FileMode writes a mode with the file's type. A type without name leaves the
// number alone.
func (c *Call) FileMode(v uint64) {
	kind, ok := "", true
	if v&sIFMT != 0 {
		kind, ok = xlat.ModeTypes.Name(v & sIFMT)
	}
	if c.Opt.JSON {
		c.BeginExpr(v)
		if ok {
			c.modeExpr(kind, v)
		}
		c.EndExpr()
		return
	}
	if !ok || c.Opt.Xlat != 0 {
		c.Perm(v)
	}
	switch {
	case !ok || c.Opt.Xlat == 1:
	case c.Opt.Xlat == 2:
		c.Buf = append(c.Buf, " /* "...)
		c.modeExpr(kind, v)
		c.Buf = append(c.Buf, " */"...)
	default:
		c.modeExpr(kind, v)
	}
}

func (c *Call) modeExpr(kind string, v uint64) {
	if kind != "" {
		c.Text(kind)
		c.Syntax("|")
	}
	if v&sISUID != 0 {
		c.Syntax("S_ISUID|")
	}
	if v&sISGID != 0 {
		c.Syntax("S_ISGID|")
	}
	if v&sISVTX != 0 {
		c.Syntax("S_ISVTX|")
	}
	c.Perm(v &^ (sIFMT | sISUID | sISGID | sISVTX))
}

// Dev writes a device number: makedev(0x8, 0x1).
func (c *Call) Dev(v uint64) {
	if !c.Opt.JSON {
		if c.Opt.Xlat != 0 {
			c.Hex(v)
		}
		if c.Opt.Xlat == 1 {
			return
		}
		if c.Opt.Xlat == 2 {
			c.Buf = append(c.Buf, " /* "...)
		}
	}
	c.BeginCall("makedev")
	c.Param()
	c.Hex(v>>8&0xfff | v>>32&0xfffff000)
	c.Param()
	c.Hex(v&0xff | v>>12&0xffffff00)
	c.EndCall()
	if !c.Opt.JSON && c.Opt.Xlat == 2 {
		c.Buf = append(c.Buf, " */"...)
	}
}

// ID writes a user or group id; none, all bits set, is -1.
func (c *Call) ID(v, none uint64) {
	if v == none {
		c.Int(-1)
		return
	}
	c.Uint(v)
}
