package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// numaRows are the calls on memory nodes.
var numaRows = []Row{
	{Name: "migrate_pages", Args: args{{"pid", pid}, {"maxnode", uldec}, {"old_nodes", nodeMask(1, in)}, {"new_nodes", nodeMask(1, in)}}},
	{Name: "mbind", Args: args{{"addr", addr}, {"len", size}, {"mode", mpolMode(Ulong)}, {"nodemask", nodeMask(4, in)}, {"maxnode", uldec}, {"flags", flags(xlat.MbindFlags)}}},
	{Name: "set_mempolicy", Args: args{{"mode", mpolMode(U32)}, {"nodemask", nodeMask(2, in)}, {"maxnode", uldec}}},
	{Name: "get_mempolicy", Args: args{{"mode", boxed(outPtr, enum(xlat.MpolModes))}, {"nodemask", nodeMask(2, outPtr)}, {"maxnode", uldec}, {"addr", addr}, {"flags", flagsIn(Ulong, xlat.GetMempolicyFlags)}}},
	{Name: "set_mempolicy_home_node", Args: args{{"start", addr}, {"len", size}, {"home_node", uldec}, {"flags", lhex}}},
	{Name: "move_pages", Args: args{
		{"pid", pid},
		{"count", uldec},
		{"pages", array(in, addr, argCount(1))},
		{"nodes", array(in, dec, argCount(1))},
		{"status", array(outPtr, pageStatus, argCount(1))},
		{"flags", flags(xlat.MovePagesFlags)},
	}},
}

// nodeMask is a pointer to a bit mask of as many nodes, plus one, as argument n
// says.
func nodeMask(n int, how func(Type) Type) Type {
	node := Type{Width: Ulong, Print: func(c *Call, v uint64) { c.HexWide(v, 2*c.Lay.Word()) }}
	words := func(c *Call) (k uint64, ok bool) {
		max, bits := c.args[n], 8*uint64(c.Lay.Word())
		k = c.mask(max+bits-2) / bits
		return k, k >= max/bits && (max == 0 || k != 0)
	}
	p := array(how, node, count{kind: event.LenArg, arg: n, value: words})
	print := p.Print
	p.Print = func(c *Call, v uint64) {
		if _, ok := words(c); !ok {
			c.Addr(v)
			return
		}
		print(c, v)
	}
	p.Cap = func(b *Caps, at Place) {
		when := event.AtExit
		if p.Out {
			when |= event.IfOK
		}
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: maxNodeMask, When: when})
	}
	return p
}

// maxNodeMask is how many bytes of a mask are copied: no kernel has as many
// nodes.
const maxNodeMask = 1024

// mpolMode is a policy and flags; flags beside an unknown policy are shown as if
// all of it were flags.
func mpolMode(w Width) Type {
	const all = 1<<13 | 1<<14 | 1<<15
	return Type{Width: w, Print: func(c *Call, v uint64) {
		_, ok := xlat.MpolModes.Name(v &^ all)
		switch {
		case v&all == 0:
			c.Enum(v, xlat.MpolModes)
		case !ok:
			c.Flags(v, xlat.MpolModeFlags)
		default:
			c.EnumFlags(v, ^uint64(all), xlat.MpolModes, xlat.MpolModeFlags)
		}
	}}
}

// pageStatus is a node, or an error as a negative number.
var pageStatus = Type{Width: I32, Print: func(c *Call, v uint64) {
	name, _ := ErrnoName(-int64(v))
	if int64(v) >= 0 || name == "" || c.Opt.Xlat == out.Raw {
		c.Int(int64(v))
		return
	}
	if c.Opt.Xlat == out.Verbose && !c.Opt.JSON {
		c.Int(int64(v))
		c.Syntax(" /* ")
		c.Syntax("-")
		c.Syntax(name)
		c.Syntax(" */")
		return
	}
	c.BeginExpr(v)
	c.Syntax("-")
	c.Syntax(name)
	c.EndExpr()
}}
