package decode

import "perftrace/decode/out"

// EnumBoth writes a number and its name as a comment, whatever -X says:
// 2 /* SYSLOG_ACTION_READ */.
func (c *Call) EnumBoth(v uint64, x *out.Xlat) {
	mode := c.Opt.Xlat
	c.Opt.Xlat = out.Verbose
	c.EnumDec(v, x)
	c.Opt.Xlat = mode
}

// KindFlags writes v whose bits in mask are one of kinds and whose other bits
// are flags, each with a comment of its own if there is no name:
// FAN_CLASS_NOTIF|0x40 /* FAN_??? */.
func (c *Call) KindFlags(v, mask uint64, kinds, flags *out.Xlat) {
	c.BeginExpr(v)
	c.Enum(v&mask, kinds)
	if v&^mask != 0 {
		c.Syntax("|")
		c.Flags(v&^mask, flags)
	}
	c.EndExpr()
}

// enumBoth is a value that EnumBoth shows, enumDec one that is a decimal number
// if it has no name.
func enumBoth(w Width, x *out.Xlat) Type {
	return Type{Width: w, Print: func(c *Call, v uint64) { c.EnumBoth(v, x) }}
}

func enumDec(w Width, x *out.Xlat) Type {
	return Type{Width: w, Print: func(c *Call, v uint64) { c.EnumDec(v, x) }}
}
