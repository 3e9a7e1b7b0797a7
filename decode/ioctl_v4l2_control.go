package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// Controls of video devices, and tuners.

// vidControlID writes the id of a control: its name, or how far it is from its
// class. next says that flags may ask for the one after it.
func (c *Call) vidControlID(v uint64, next bool) {
	if c.Opt.Xlat == out.Raw || c.Opt.JSON {
		c.Hex(v)
		return
	}
	const nextMask = 0xc0000000
	if flags := v & nextMask; next && flags != 0 {
		c.Flags(flags, xlat.VidQueryFlags)
		c.Syntax("|")
		v &^= nextMask
	}
	if _, ok := xlat.VidControls.Name(v); ok {
		c.Enum(v, xlat.VidControls)
		return
	}
	class, name := uint64(0), ""
	for i := range xlat.VidClasses.Entries {
		if e := &xlat.VidClasses.Entries[i]; e.Val <= v && e.Val >= class {
			class, name = e.Val, e.Name
		}
	}
	if name == "" || v-class >= 0x10000 {
		c.Hex(v)
		c.Comment("V4L2_CID_???")
		return
	}
	if c.Opt.Xlat == out.Verbose {
		c.Hex(v)
		c.Syntax(" /* ")
	}
	c.Text(name)
	c.Syntax("+")
	c.Hex(v - class)
	if c.Opt.Xlat == out.Verbose {
		c.Syntax(" */")
	}
}

var (
	vidCID = Type{Width: U32, Print: func(c *Call, v uint64) { c.vidControlID(v, false) }}

	vidControl    = NewStruct(Arg{"id", vidCID}, Arg{"value", filled(dec)})
	vidControlGet = inout(vidControl)
	vidControlSet = Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) {
			c.AtEntry = true
			b, ok := c.ReadOr(v, 8)
			c.AtEntry = false
			if !ok {
				return
			}
			c.BeginStruct()
			vidControl.PrintFields(c, b)
			if now, ok := c.Read(v, 8); ok && c.Succeeded() && c.I32(now[4:]) != c.I32(b[4:]) {
				c.Syntax(" => ")
				c.Int(c.I32(now[4:]))
			}
			c.EndStruct()
		},
		Cap: vidControlGet.Cap,
	}

	vidMenuAsk  = NewStruct(Arg{"id", vidCID}, Arg{"index", udec}, Arg{"", pad(36)}).Type()
	vidMenuTold = NewStruct(Arg{"", pad(8)}, Arg{"name", cstr(32)}, Arg{"value", within(pad(4), func(c *Call, s []byte, _ int, _ uint64) {
		c.Int(int64(c.U64(s[8:])))
	})}).Type()
)

// Descriptions of controls. The id is shown apart, as it may change.
var (
	vidQueryCtrl = NewStruct(
		Arg{"", skip32}, Arg{"type", enum(xlat.VidControlTypes)}, Arg{"name", cstr(32)}, abridged,
		Arg{"minimum", dec}, Arg{"maximum", dec}, Arg{"step", dec}, Arg{"default_value", dec},
		Arg{"flags", flags(xlat.VidControlFlags)}, Arg{"reserved", ifSet(vec(hex, 2))},
	)
	vidQueryExt = NewStruct(
		Arg{"", skip32}, Arg{"type", enum(xlat.VidControlTypes)}, Arg{"name", cstr(32)}, abridged,
		Arg{"minimum", dec64}, Arg{"maximum", dec64}, Arg{"step", udec64}, Arg{"default_value", dec64},
		Arg{"flags", flags(xlat.VidControlFlags)}, Arg{"elem_size", udec}, Arg{"elems", udec}, Arg{"nr_of_dims", udec},
		Arg{"dims", vecUpto(udec, 4, u32At(84))}, Arg{"reserved", ifSet(vec(hex, 32))},
	)
)

// vidQuery is the id of a control, and what the call tells of it.
func vidQuery(s *Struct) Type {
	t := s.Type()
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) {
			c.AtEntry = true
			b, ok := c.ReadOr(v, t.size(c.Lay))
			c.AtEntry = false
			if !ok {
				return
			}
			c.BeginStruct()
			c.Field("id")
			c.vidControlID(c.U32(b), true)
			if now, ok := c.Read(v, t.size(c.Lay)); ok && c.Succeeded() {
				if c.U32(now) != c.U32(b) {
					c.Syntax(" => ")
					c.vidControlID(c.U32(now), false)
				}
				s.printFields(c, now, v, allFields)
			}
			c.EndStruct()
		},
		Cap: inout(s).Cap,
	}
}

// vidTunerFields are the fields of struct v4l2_tuner behind its index.
func vidTunerFields(mark func(Type) Type) []Arg {
	return []Arg{
		{"name", mark(cstr(32))},
		{"type", mark(enum(xlat.VidTunerTypes))},
		{"capability", mark(flags(xlat.VidTunerCaps))},
		{"rangelow", mark(udec)},
		{"rangehigh", mark(udec)},
		{"rxsubchans", mark(flags(xlat.VidTunerSubs))},
		{"audmode", mark(enum(xlat.VidTunerModes))},
		{"signal", mark(dec)},
		{"afc", mark(dec)},
		{"", pad(16)},
	}
}

func vidTunerOf(get bool) *Struct {
	mark := func(t Type) Type { return t }
	if get {
		mark = filled
	}
	return NewStruct(append([]Arg{{"index", udec}}, vidTunerFields(mark)...)...)
}

var vidTunerBack = NewStruct(append([]Arg{{"", skip32}}, vidTunerFields(func(t Type) Type { return t })...)...).Type()

// vidExt is struct v4l2_ext_control, which is packed: id, size, a reserved word
// and a union of 8 bytes.
var vidExt = memOf(20, 1, func(c *Call, b []byte, _ uint64) {
	c.BeginStruct()
	c.Field("id")
	c.Enum(c.U32(b), xlat.VidControls)
	c.Field("size")
	size := c.U32(b[4:])
	c.Uint(size)
	if size > 0 {
		c.Field("string")
		c.BufAt(c.Word(b[12:]), size)
	} else {
		c.Field("value")
		c.Int(c.I32(b[12:]))
		c.Field("value64")
		c.Int(int64(c.U64(b[12:])))
	}
	c.EndStruct()
})

var vidExtHead = NewStruct(
	Arg{"ctrl_class", enum(xlat.VidClasses)}, Arg{"count", udec}, Arg{"error_idx", udec}, Arg{"", pad(8)}, Arg{"controls", addr},
)

// vidExtControls are many controls, to be got or set.
func vidExtControls(get bool) Type {
	t := vidExtHead.Type()
	controls := func(c *Call, b []byte) bool {
		c.Field("controls")
		at, n := c.Word(b[vidExtHead.Off(c.Lay, "controls"):]), c.U32(b[4:])
		c.Array(at, n, &vidExt)
		shown := min(n, maxElems)
		if c.Abbrev {
			shown = min(shown, uint64(c.Opts.StringMax))
		}
		_, whole := c.Read(at, int(20*shown))
		return whole
	}
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) {
			c.AtEntry = true
			b, ok := c.ReadOr(v, t.size(c.Lay))
			if !ok {
				c.AtEntry = false
				return
			}
			c.BeginStruct()
			vidExtHead.PrintOnly(c, b, "ctrl_class", "count")
			more := c.U32(b[4:]) != 0
			if more && !get {
				more = controls(c, b)
			}
			c.AtEntry = false
			if now, ok := c.Read(v, t.size(c.Lay)); more && ok && c.Returned() {
				if !get {
					c.again()
				}
				controls(c, now)
				if c.Failed() {
					vidExtHead.PrintField(c, now, "error_idx")
				}
			}
			c.EndStruct()
		},
		Cap: func(b *Caps, at Place) {
			for _, when := range [...]event.When{readAtEntry, event.AtExit} {
				op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(t.size(b.Lay)), When: when})
				op = b.Add(In(op, vidExtHead.Off(b.Lay, "controls"), 0), event.Capture{
					Kind: event.CapBytes, Len: event.LenField, LenOff: 4, LenWidth: 4, Size: 20, Max: 20 * 256, When: when,
				})
				b.Add(In(op, 12, 20), event.Capture{Kind: event.CapBytes, Len: event.LenField, LenOff: 4, LenWidth: 4, When: when})
			}
		},
	}
}
