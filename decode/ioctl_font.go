package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// Fonts of the console: linux/kd.h.

const (
	fontMaxChars = 512
	enomem       = 12
)

var (
	unipair  = NewStruct(Arg{"unicode", hex16}, Arg{"fontpos", hex16}).Type()
	unimap   = NewStruct(Arg{"entry_ct", udec16}, Arg{"entries", addr})
	unimapTy = unimap.Type()
)

// unimapOf is the table of characters of a font, that a call gets or sets.
func unimapOf(get bool) Type {
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) {
			size := unimapTy.size(c.Lay)
			c.AtEntry = true
			b, ok := c.ReadOr(v, size)
			c.AtEntry = false
			if !ok {
				return
			}
			c.BeginStruct()
			c.Field("entry_ct")
			room := c.U16(b)
			c.Uint(room)
			if get {
				now, ok := c.Read(v, size)
				if !ok || !c.Returned() {
					c.Elem()
					c.Addr(v)
					c.EndStruct()
					return
				}
				if n := c.U16(now); n != room {
					c.Syntax(" => ")
					c.Uint(n)
				}
				b = now
				if errno, failed := c.Ev.Failed(); failed && errno != enomem {
					unimap.PrintField(c, b, "entries")
					c.EndStruct()
					return
				}
			}
			c.Field("entries")
			c.AtEntry = !get
			c.Array(c.Word(b[unimap.Off(c.Lay, "entries"):]), room, &unipair)
			c.AtEntry = false
			c.EndStruct()
		},
		Cap: func(b *Caps, at Place) {
			for _, when := range [...]event.When{readAtEntry, event.AtExit} {
				op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(unimapTy.size(b.Lay)), When: when})
				if get != (when == event.AtExit) {
					continue
				}
				b.Add(In(op, unimap.Off(b.Lay, "entries"), 0), event.Capture{
					Kind: event.CapBytes, Len: event.LenField, LenWidth: 2, Size: 4, Max: 4096, When: when,
				})
			}
		},
	}
}

// fontDescOf describes a font; with shape, the bits too.
func fontDescOf(shape bool) Type {
	data := addr
	if shape {
		data = within(addr, func(c *Call, s []byte, at int, _ uint64) {
			c.HexBufAt(c.Word(s[at:]), 32*min(c.U16(s), fontMaxChars))
		})
		data.Cap = func(b *Caps, at Place) {
			b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenField, LenWidth: 2, Size: 32, When: b.When})
		}
	}
	return NewStruct(Arg{"charcount", udec16}, Arg{"charheight", udec16}, Arg{"chardata", data}).Type()
}

const (
	fontSet = iota
	fontGet
	fontSetDefault
	fontCopy
)

// fontOpOf is struct console_font_op, as it was asked or as it was answered.
func fontOpOf(entry bool) Type {
	op := func(yes func(op uint64) bool) func(*Call, []byte) bool {
		return func(c *Call, s []byte) bool { return yes(c.U32(s)) }
	}
	plain := op(func(op uint64) bool { return op != fontSetDefault && op != fontCopy })
	data := within(when(op(func(op uint64) bool { return op != fontCopy && (entry || op != fontSetDefault) }), addr),
		func(c *Call, s []byte, at int, _ uint64) {
			p := c.Word(s[at:])
			switch op := c.U32(s); {
			case op == fontSet || op == fontGet && !entry:
				width, chars := min(c.U32(s[8:]), 32), min(c.U32(s[16:]), fontMaxChars)
				c.HexBufAt(p, (width+7)/8*32*chars)
			case op == fontSetDefault:
				c.cstring(p, 31)
			default:
				c.Addr(p)
			}
		})
	data.Cap = func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenConst, Size: uint16(b.Opts.StringMax + 1), When: b.When})
		if entry {
			b.Add(at, event.Capture{Kind: event.CapString, Max: 32, When: b.When})
		}
	}
	head := when(func(*Call, []byte) bool { return entry }, enum(xlat.KdFontOps))
	fl := when(func(c *Call, s []byte) bool { return entry && plain(c, s) }, flags(xlat.KdFontFlags))
	return NewStruct(
		Arg{"op", head}, Arg{"flags", fl},
		Arg{"width", when(op(func(op uint64) bool { return op != fontCopy }), udec)}, Arg{"height", udec},
		Arg{"charcount", when(plain, udec)}, Arg{"data", data},
	).Type()
}

var ioctlFont = joined(
	each(argp(unimapOf(true)), "GIO_UNIMAP"),
	each(argp(unimapOf(false)), "PIO_UNIMAP"),
	each(argp(changed(fontDescOf(false), fontDescOf(true))), "GIO_FONTX"),
	each(argp(in(fontDescOf(true))), "PIO_FONTX"),
	each(argp(changedIf(func(c *Call) bool {
		b, ok := c.Read(c.args[2], 4)
		return ok && c.Succeeded() && c.U32(b) != fontSet && c.U32(b) != fontCopy
	}, fontOpOf(true), fontOpOf(false))), "KDFONTOP"),
)
