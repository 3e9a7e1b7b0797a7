package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// The console and its keyboard: linux/kd.h, linux/keyboard.h.

const pitTickRate = 1193182 // PIT_TICK_RATE of linux/timex.h

// kdSound is a period of the timer that makes the tone.
var kdSound = Type{Width: Ulong, Print: func(c *Call, v uint64) {
	c.Uint(v)
	freq := uint64(0)
	if v != 0 {
		freq = pitTickRate / v
	}
	c.kdTone(freq&(1<<32-1), 0, false)
}}

// kdTone comments a tone by its frequency, and how long it is.
func (c *Call) kdTone(freq, ms uint64, timed bool) {
	if c.Opt.JSON || c.Opt.Xlat == out.Raw {
		return
	}
	if freq == 0 {
		c.Comment("off")
		return
	}
	c.Syntax(" /* ")
	c.Uint(freq)
	c.Syntax(" Hz")
	if timed {
		c.Syntax(", ")
		c.Uint(ms)
		c.Syntax(" ms")
	}
	c.Syntax(" */")
}

var kdMkTone = Type{Width: U32, Print: func(c *Call, v uint64) {
	ticks, count := v>>16, v&0xffff
	c.BeginExpr(v)
	if ticks != 0 {
		c.Uint(ticks)
		c.Syntax("<<16|")
	}
	c.Uint(count)
	c.EndExpr()
	freq := uint64(0)
	if ticks != 0 && count != 0 {
		freq = pitTickRate / count
	}
	c.kdTone(freq, ticks, true)
}}

// kdPort is a port of the graphics adapter.
var kdPort = Type{Width: Ulong, Print: func(c *Call, v uint64) {
	const first, last = 0x3b4, 0x3df
	c.Hex(v)
	if v >= first && v <= last && c.Opt.Xlat != out.Raw && !c.Opt.JSON {
		c.Syntax(" /* GPFIRST + ")
		c.Uint(v - first)
		c.Syntax(" */")
	}
}}

// kdUniChar is a character of the screen map, directly of the font or not.
var kdUniChar = Type{Width: U16, Print: func(c *Call, v uint64) {
	const base, mask = 0xf000, 0x1ff
	direct, mode := v&^mask == base, c.Opt.Xlat
	if mode != out.Abbrev || !direct || c.Opt.JSON {
		c.Hex(v)
	}
	if !direct || mode == out.Raw || c.Opt.JSON {
		return
	}
	if mode == out.Verbose {
		c.Syntax(" /* ")
	}
	c.Syntax("UNI_DIRECT_BASE+")
	c.Hex(v & mask)
	if mode == out.Verbose {
		c.Syntax(" */")
	}
}}

// kdKeyNames are the keys of those types of key that have names.
var kdKeyNames = [...]*out.Xlat{
	1: xlat.KdFnKeys, 2: xlat.KdSpecKeys, 3: xlat.KdPadKeys, 4: xlat.KdDeadKeys, 6: xlat.KdCurKeys, 7: xlat.KdShiftKeys,
	9: xlat.KdAsciiKeys, 10: xlat.KdLockKeys, 12: xlat.KdSlockKeys, 14: xlat.KdBrlKeys,
}

var kdKey = Type{Width: U16, Print: func(c *Call, v uint64) {
	c.Hex(v)
	if c.Opt.Xlat == out.Raw || c.Opt.JSON {
		return
	}
	typ, val := v>>8, v&0xff
	if typ < uint64(len(kdKeyNames)) && kdKeyNames[typ] != nil {
		if name, ok := kdKeyNames[typ].Name(v); ok {
			c.Comment(name)
			return
		}
	}
	c.Syntax(" /* K(")
	if name, ok := xlat.KdKeyTypes.Name(typ); ok {
		c.Text(name)
	} else {
		c.Hex(typ)
	}
	c.Syntax(", ")
	switch typ {
	case 0, 8, 11, 13: // the types whose keys are characters
		c.Char(byte(val))
	default:
		c.Hex(val)
	}
	c.Syntax(") */")
}}

// Char writes a character in single quotes.
func (c *Call) Char(b byte) {
	if c.Opt.JSON {
		c.Uint(uint64(b))
		return
	}
	esc := byte(0)
	switch b {
	case '\'', '\\':
		esc = b
	case '\t':
		esc = 't'
	case '\n':
		esc = 'n'
	case '\v':
		esc = 'v'
	case '\f':
		esc = 'f'
	case '\r':
		esc = 'r'
	}
	c.Buf = append(c.Buf, '\'')
	switch {
	case esc != 0:
		c.Buf = append(c.Buf, '\\', esc)
	case b < ' ' || b >= 0x7f:
		const digits = "0123456789abcdef"
		c.Buf = append(c.Buf, '\\', 'x', digits[b>>4], digits[b&15])
	default:
		c.Buf = append(c.Buf, b)
	}
	c.Buf = append(c.Buf, '\'')
}

var kdCharByte = Type{Width: U8, Print: func(c *Call, v uint64) { c.Char(byte(v)) }}

// kdTable is the number of a key map, which is a set of modifiers but for the
// named ones.
var kdTable = Type{Width: U8, Print: func(c *Call, v uint64) {
	if _, ok := xlat.KdTables.Name(v); ok {
		c.Enum(v, xlat.KdTables)
		return
	}
	c.Flags(v, xlat.KdKeymap)
}}

// kdEntry is an entry of a key map: the key asked for, and what it means, which
// may be where memory ends.
func kdEntry(get bool) Type {
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) {
			c.AtEntry = true
			b, ok := c.ReadOr(v, 2)
			if !ok {
				c.AtEntry = false
				return
			}
			c.BeginStruct()
			c.Field("kb_table")
			kdTable.Print(c, uint64(b[0]))
			c.Field("kb_index")
			c.Uint(uint64(b[1]))
			c.AtEntry = !get
			if !get || c.Succeeded() {
				c.Field("kb_value")
				if b, ok = c.Read(v+2, 2); ok {
					kdKey.Print(c, c.U16(b))
				} else {
					c.Text("???")
				}
			}
			c.AtEntry = false
			c.EndStruct()
		},
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{Kind: event.CapBytes, Size: 2, When: readAtEntry})
			b.Add(at, event.Capture{Kind: event.CapBytes, Size: 4, When: readAtEntry})
			b.Add(at, event.Capture{Kind: event.CapBytes, Size: 4, When: event.AtExit})
		},
	}
}

// kdFunc is the string of a function key.
func kdFunc(get bool) Type {
	show := func(c *Call, v uint64) {
		c.AtEntry = true
		b, ok := c.ReadOr(v, 1)
		if ok {
			c.BeginStruct()
			c.Field("kb_func")
			c.Enum(uint64(b[0]), xlat.KdFnKeyVals)
		}
		c.AtEntry = false
		if !ok {
			return
		}
		if !get || c.Succeeded() {
			c.AtEntry = !get
			c.Field("kb_string")
			c.StrAt(v + 1)
			c.AtEntry = false
		}
		c.EndStruct()
	}
	return Type{Width: Ulong, Print: show, Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: 1, When: readAtEntry})
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: 1, When: event.AtExit})
		at.Off = 1
		b.Add(at, event.Capture{Kind: event.CapString, Max: 511, When: event.AtExit | event.InPlace})
	}}
}

// kdAccents is a table of accents, of elements t.
func kdAccents(name string, t Type) Type {
	const most = 256
	return NewStruct(Arg{"kb_cnt", udec}, Arg{name, tail(t, 4, 0, 4, func(c *Call, s []byte) uint64 {
		return min(c.U32(s), most)
	})}).Type()
}

var (
	kdAccent = kdAccents("kbdiacr", NewStruct(Arg{"diacr", kdCharByte}, Arg{"base", kdCharByte}, Arg{"result", kdCharByte}).Type())
	kdUniAcc = kdAccents("kbdiacruc", NewStruct(Arg{"diacr", hex}, Arg{"base", hex}, Arg{"result", hex}).Type())
	kdRepeat = NewStruct(Arg{"delay", dec}, Arg{"period", dec}).Type()
	kdHash   = NewStruct(
		Arg{"advised_hashsize", udec16}, Arg{"advised_hashstep", udec16}, Arg{"advised_hashlevel", udec16},
	).Type()
	kdKeycodeSet = NewStruct(Arg{"scancode", hex}, Arg{"keycode", hex}).Type()
	kdSignal     = Type{Width: Ulong, Print: func(c *Call, v uint64) {
		if name, ok := xlat.Signals.Name(v); ok {
			c.Named(v, name)
			return
		}
		c.Uint(v)
	}}
)

// kdKeycodeGet tells the key of a scan code, shown if it is another than before.
var kdKeycodeGet = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		c.AtEntry = true
		b, ok := c.ReadOr(v, 8)
		c.AtEntry = false
		if !ok {
			return
		}
		c.BeginStruct()
		kdKeycode.PrintFields(c, b)
		if now, ok := c.Read(v, 8); ok && c.Succeeded() && c.U32(now[4:]) != c.U32(b[4:]) {
			c.Syntax(" => ")
			c.Hex(c.U32(now[4:]))
		}
		c.EndStruct()
	},
	Cap: changed(kdKeycodeSet, kdKeycodeSet).Cap,
}

var kdKeycode = NewStruct(Arg{"scancode", hex}, Arg{"keycode", hex})

var ioctlKd = joined(
	each(argp(kdSound), "KIOCSOUND"),
	each(argp(kdMkTone), "KDMKTONE"),
	each(argp(boxed(outPtr, flagsIn(U8, xlat.KdLeds))), "KDGETLED"),
	each(argp(boxed(outPtr, flagsIn(U8, xlat.KdDefaultLeds))), "KDGKBLED"),
	each(argp(flagsIn(U8, xlat.KdLeds)), "KDSETLED"),
	each(argp(flagsIn(U8, xlat.KdDefaultLeds)), "KDSKBLED"),
	each(argp(boxed(outPtr, enumIn(U8, xlat.KdKbdTypes))), "KDGKBTYPE"),
	each(argp(kdPort), "KDADDIO", "KDDELIO"),
	each(argp(enum(xlat.KdModes)), "KDSETMODE"),
	each(argp(boxed(outPtr, enum(xlat.KdModes))), "KDGETMODE"),
	each(argp(fixedBuf(outPtr, 256, (*Call).HexBufAt)), "GIO_SCRNMAP"),
	each(argp(fixedBuf(in, 256, (*Call).HexBufAt)), "PIO_SCRNMAP"),
	each(argp(array(outPtr, kdUniChar, constCount(256))), "GIO_UNISCRNMAP"),
	each(argp(array(in, kdUniChar, constCount(256))), "PIO_UNISCRNMAP"),
	each(argp(boxed(outPtr, kdModeDec)), "KDGKBMODE"),
	each(argp(kdModeDec), "KDSKBMODE"),
	each(argp(kdEntry(true)), "KDGKBENT"),
	each(argp(kdEntry(false)), "KDSKBENT"),
	each(argp(kdFunc(true)), "KDGKBSENT"),
	each(argp(kdFunc(false)), "KDSKBSENT"),
	each(argp(outPtr(kdAccent)), "KDGKBDIACR"),
	each(argp(in(kdAccent)), "KDSKBDIACR"),
	each(argp(outPtr(kdUniAcc)), "KDGKBDIACRUC"),
	each(argp(in(kdUniAcc)), "KDSKBDIACRUC"),
	each(argp(kdKeycodeGet), "KDGETKEYCODE"),
	each(argp(in(kdKeycodeSet)), "KDSETKEYCODE"),
	each(argp(kdSignal), "KDSIGACCEPT"),
	each(argp(changed(kdRepeat, kdRepeat)), "KDKBDREP"),
	each(argp(fixedBuf(outPtr, 8192, (*Call).HexBufAt)), "GIO_FONT"),
	each(argp(fixedBuf(in, 8192, (*Call).HexBufAt)), "PIO_FONT"),
	each(argp(boxed(outPtr, enum(xlat.KdMeta))), "KDGKBMETA"),
	each(argp(enum(xlat.KdMeta)), "KDSKBMETA"),
	each(argp(in(kdHash)), "PIO_UNIMAPCLR"),
	each(argp(fixedBuf(outPtr, 48, (*Call).HexBufAt)), "GIO_CMAP"),
	each(argp(fixedBuf(in, 48, (*Call).HexBufAt)), "PIO_CMAP"),
	each(nil, "KDENABIO", "KDDISABIO", "KDMAPDISP", "KDUNMAPDISP", "PIO_FONTRESET"),
	ioctlFont,
)

// kdModeDec is a mode of the keyboard; a number without a name is decimal.
var kdModeDec = Type{Width: I32, Print: func(c *Call, v uint64) { c.EnumDec(v, xlat.KdKbdModes) }}
