package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// capHeader is struct __user_cap_header_struct. The kernel writes the version
// that it likes into it.
var capHeader = NewStruct(Arg{"version", enum(xlat.CapVersions)}, Arg{"pid", pid})

// The versions whose sets have two words.
const (
	capVersion2 = 0x20071026
	capVersion3 = 0x20080522
)

// capWord is struct __user_cap_data_struct: a word of each of three sets.
const capWord = 3 * 4

// capData is a pointer to the sets behind a header, argument 0: one word of each
// or two.
func capData(when event.When) Type {
	return Type{
		Width: Ulong,
		Out:   when&event.IfOK != 0,
		Print: func(c *Call, v uint64) {
			c.AtEntry = true
			h, ok := c.Read(c.args[0], 8)
			c.AtEntry = false
			if !ok || when&event.IfOK != 0 && (c.Failed() || !c.Returned()) {
				c.Addr(v)
				return
			}
			words := 1
			if version := c.U32(h); version == capVersion2 || version == capVersion3 {
				words = 2
			}
			b, ok := c.ReadOr(v, words*capWord)
			if !ok {
				return
			}
			c.BeginStruct()
			for i, name := range [...]string{"effective", "permitted", "inheritable"} {
				set := c.U32(b[4*i:])
				if words == 2 {
					set |= c.U32(b[capWord+4*i:]) << 32
				}
				c.Field(name)
				c.CapSet(set)
			}
			c.EndStruct()
		},
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{Kind: event.CapBytes, Size: 2 * capWord, When: when})
		},
	}
}

// CapSet writes a set of capabilities: 1<<CAP_CHOWN|1<<CAP_SYSLOG.
func (c *Call) CapSet(set uint64) {
	lo, hi := set&(1<<32-1), set>>32
	c.BeginExpr(set)
	if lo != 0 || hi == 0 {
		c.Flags(lo, xlat.CapBits0)
	}
	if hi != 0 {
		if lo != 0 {
			c.Syntax("|")
		}
		c.Flags(hi, xlat.CapBits1)
	}
	c.EndExpr()
}

var capsRows = []Row{
	{Name: "capget", Args: args{{"hdrp", inPair(capHeader.Type())}, {"datap", capData(event.AtExit | event.IfOK)}}},
	{Name: "capset", Args: args{{"hdrp", inPair(capHeader.Type())}, {"datap", capData(event.AtExit)}}},
}
