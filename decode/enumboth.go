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

// enumBoth is a value that EnumBoth shows, enumDec one that is a decimal number
// if it has no name.
func enumBoth(w Width, x *out.Xlat) Type {
	return Type{Width: w, Print: func(c *Call, v uint64) { c.EnumBoth(v, x) }}
}

func enumDec(w Width, x *out.Xlat) Type {
	return Type{Width: w, Print: func(c *Call, v uint64) { c.EnumDec(v, x) }}
}
