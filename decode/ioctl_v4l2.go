package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// Video devices: linux/videodev2.h. Structs are in ioctl_v4l2_format.go,
// ioctl_v4l2_control.go and here.

var (
	vidRect = NewStruct(Arg{"left", dec}, Arg{"top", dec}, Arg{"width", udec}, Arg{"height", udec}).Type()
	vidType = enum(xlat.VidBufTypes)

	// vidFract is a fraction: 1/25.
	vidFract = memOf(8, 4, func(c *Call, b []byte, _ uint64) {
		c.BeginExpr(c.U64(b))
		c.Uint(c.U32(b))
		c.Syntax("/")
		c.Uint(c.U32(b[4:]))
		c.EndExpr()
	})

	// vidVersion is a version of the kernel.
	vidVersion = Type{Width: U32, Print: func(c *Call, v uint64) {
		if c.Opt.JSON {
			c.Uint(v)
			return
		}
		if c.Opt.Xlat != out.Abbrev {
			c.Hex(v)
		}
		if c.Opt.Xlat == out.Raw {
			return
		}
		if c.Opt.Xlat == out.Verbose {
			c.Syntax(" /* ")
		}
		c.BeginCall("KERNEL_VERSION")
		c.Param()
		c.Uint(v >> 16)
		c.Param()
		c.Uint(v >> 8 & 0xff)
		c.Param()
		c.Uint(v & 0xff)
		c.EndCall()
		if c.Opt.Xlat == out.Verbose {
			c.Syntax(" */")
		}
	}}
)

// vidPixel is a format of pixels, four characters, and its name in x.
func vidPixel(x *out.Xlat) Type {
	return Type{Width: U32, Print: func(c *Call, v uint64) {
		if c.Opt.Xlat == out.Raw || c.Opt.JSON {
			c.Hex(v)
			return
		}
		c.BeginCall("v4l2_fourcc")
		for i := range 4 {
			c.Param()
			c.charHex(byte(v >> (8 * i)))
		}
		c.EndCall()
		if name, ok := x.Name(v); ok {
			c.Comment(name)
		}
	}}
}

// charHex is Char without short escapes for control characters.
func (c *Call) charHex(b byte) {
	if b >= '\t' && b <= '\r' {
		c.Buf = append(c.Buf, `'\x0`...)
		c.Buf = append(c.Buf, "0123456789abcdef"[b], '\'')
		return
	}
	c.Char(b)
}

var (
	vidPix  = vidPixel(xlat.VidPixFmts)
	vidSdr  = vidPixel(xlat.VidSdrFmts)
	vidMeta = vidPixel(xlat.VidMetaFmts)

	vidCaps = NewStruct(
		Arg{"driver", cstr(16)}, Arg{"card", cstr(32)}, Arg{"bus_info", cstr(32)}, Arg{"version", vidVersion},
		Arg{"capabilities", flags(xlat.VidCaps)}, Arg{"device_caps", ifSet(flags(xlat.VidCaps))}, Arg{"", pad(12)},
	).Type()
	vidFmtDesc = NewStruct(
		Arg{"index", udec}, Arg{"type", vidType}, Arg{"flags", filled(flags(xlat.VidFmtFlags))},
		Arg{"description", filled(cstr(32))}, Arg{"pixelformat", filled(vidPix)}, Arg{"", pad(16)},
	)
	vidExport = NewStruct(
		Arg{"type", vidType}, Arg{"index", udec}, Arg{"plane", udec}, Arg{"flags", openFlags}, Arg{"", pad(48)},
	).Type()
	vidExported = NewStruct(Arg{"", pad(16)}, Arg{"fd", fd}, Arg{"", pad(44)}).Type()
	vidFrame    = NewStruct(
		Arg{"capability", hex}, Arg{"flags", hex}, Arg{"base", addr}, Arg{"", pad(32)},
	).Type()
	vidStd = NewStruct(
		Arg{"index", udec}, Arg{"", align64(0)}, Arg{"", pad(8)}, Arg{"name", filled(cstr(24))}, Arg{"frameperiod", filled(vidFract)},
		Arg{"framelines", filled(udec)}, Arg{"", pad(16)},
	)
	vidInput = NewStruct(
		Arg{"index", udec}, Arg{"name", filled(cstr(32))}, Arg{"type", filled(enum(xlat.VidInputTypes))},
		Arg{"audioset", filled(hex)}, Arg{"tuner", filled(udec)}, Arg{"std", filled(flagsIn(U64, xlat.VidStds))},
		Arg{"status", filled(flags(xlat.VidInStatus))}, Arg{"capabilities", filled(flags(xlat.VidInCaps))}, Arg{"", pad(12)},
	)
	vidCropCap = NewStruct(
		Arg{"type", vidType}, Arg{"bounds", filled(vidRect)}, Arg{"defrect", filled(vidRect)}, Arg{"pixelaspect", filled(vidFract)},
	)
	vidCropGet = NewStruct(Arg{"type", vidType}, Arg{"c", filled(vidRect)})
	vidCropSet = NewStruct(Arg{"type", vidType}, Arg{"c", vidRect}).Type()

	vidFrameSize = NewStruct(
		Arg{"index", udec}, Arg{"pixel_format", vidPix}, Arg{"type", filled(enum(xlat.VidFrameSizes))},
		Arg{"discrete", filled(vidUnion(8, 1, NewStruct(Arg{"width", udec}, Arg{"height", udec}).Type()))},
		Arg{"stepwise", filled(vidUnion(8, 3, NewStruct(
			Arg{"min_width", udec}, Arg{"max_width", udec}, Arg{"step_width", udec},
			Arg{"min_height", udec}, Arg{"max_height", udec}, Arg{"step_height", udec},
		).Type()))},
		Arg{"", pad(24 + 8)},
	)
	vidStepwise = NewStruct(Arg{"min", vidFract}, Arg{"max", vidFract}, Arg{"step", vidFract}).Type()
	vidInterval = NewStruct(
		Arg{"index", udec}, Arg{"pixel_format", vidPix}, Arg{"width", udec}, Arg{"height", udec},
		Arg{"type", filled(enum(xlat.VidIntervals))},
		Arg{"discrete", filled(vidUnion(16, 1, vidFract))}, Arg{"stepwise", filled(vidUnion(16, 3, vidStepwise))},
		Arg{"stepwise", filled(vidUnion(16, 2, vidStepwise))}, Arg{"", pad(24 + 8)},
	)
)

// align64 is a field of n bytes that lies where 8-byte integers do.
func align64(n int) Type {
	t := pad(n)
	for l := range numLay {
		t.Align[l] = uint16(U64.align(l))
	}
	return t
}

// vidUnion is a member of a union, shown if the number at offset off is tag. It
// takes no room.
func vidUnion(off int, tag uint64, t Type) Type {
	v := within(when(func(c *Call, s []byte) bool { return c.U32(s[off:]) == tag }, pad(0)),
		func(c *Call, s []byte, at int, addr uint64) { t.Val(c, s[at:at+t.size(c.Lay)], addr+uint64(at)) })
	for l := range numLay {
		v.Align[l] = uint16(t.align(l))
	}
	v.Cap = t.Cap
	return v
}

// vidCount tells how many buffers were asked for, and how many there are.
var vidRequest = NewStruct(Arg{"count", udec}, Arg{"type", vidType}, Arg{"memory", enum(xlat.VidMemories)}, Arg{"", pad(8)})

var vidRequestBuffers = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		c.AtEntry = true
		b, ok := c.ReadOr(v, 20)
		c.AtEntry = false
		if !ok {
			return
		}
		c.BeginStruct()
		vidRequest.PrintOnly(c, b, "type", "memory", "count")
		if now, ok := c.Read(v, 20); ok && c.Succeeded() && c.U32(now) != c.U32(b) {
			c.Syntax(" => ")
			c.Uint(c.U32(now))
		}
		c.EndStruct()
	},
	Cap: inout(vidRequest).Cap,
}

// Flags of a buffer: some of its bits are values.
const (
	vidStampMask  = 0xe000
	vidSourceMask = 0x70000
)

var vidBufFlags = Type{Width: U32, Print: func(c *Call, v uint64) {
	if c.Opt.Xlat == out.Raw {
		c.Hex(v)
		return
	}
	c.BeginExpr(v)
	if rest := v &^ (vidStampMask | vidSourceMask); rest != 0 {
		c.Flags(rest, xlat.VidBufFlags)
		c.Syntax("|")
	}
	c.Enum(v&vidStampMask, xlat.VidBufStamps)
	c.Syntax("|")
	c.Enum(v&vidSourceMask, xlat.VidBufSources)
	c.EndExpr()
}}

// vidBufferOf is a buffer to be queued, asked about, or taken from the queue
// (dequeue: then nothing but its type is told at entry). tv is the time in it.
func vidBufferOf(dequeue bool, tv Type) Type {
	show := func(yes bool, t Type) Type {
		return when(func(*Call, []byte) bool { return yes }, t)
	}
	named := func(t Type) Type { return filled(t) }
	index, indexOut := show(!dequeue, udec), filled(show(dequeue, pad(0)))
	indexOut.Within = func(c *Call, s []byte, _ int, _ uint64) { c.Uint(c.U32(s)) }
	s := NewStruct(
		Arg{"index", index}, Arg{"type", vidType}, Arg{"bytesused", named(udec)}, Arg{"flags", named(vidBufFlags)},
		Arg{"field", skip32}, Arg{"timestamp", tv}, Arg{"timecode", pad(16)}, Arg{"sequence", skip32},
		Arg{"memory", named(enum(xlat.VidMemories))}, Arg{"m", lhex}, Arg{"length", named(udec)}, Arg{"", pad(8)},
	)
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
			s.PrintField(c, b, "type")
			if !dequeue {
				s.PrintField(c, b, "index")
			}
			if b, ok = c.Read(v, t.size(c.Lay)); ok && c.Succeeded() {
				if dequeue {
					s.PrintField(c, b, "index")
				}
				s.PrintField(c, b, "memory")
				at := s.Off(c.Lay, "m")
				switch s.num(c, b, "memory") {
				case 1:
					c.Field("m.offset")
					c.Hex(c.U32(b[at:]))
				case 2:
					c.Field("m.userptr")
					c.Addr(c.Word(b[at:]))
				}
				s.PrintOnly(c, b, "length", "bytesused", "flags")
				if dequeue {
					s.PrintField(c, b, "timestamp")
				}
				c.MoreFields()
			}
			c.EndStruct()
		},
		Cap: inout(s).Cap,
	}
}

// auxBuffers tells what VIDIOC_CREATE_BUFS has made.
func auxBuffers(c *Call) bool {
	b, ok := c.Read(c.args[2], 8)
	if !ok {
		return false
	}
	c.BeginStruct()
	c.Field("index")
	c.Uint(c.U32(b))
	c.Field("count")
	c.Uint(c.U32(b[4:]))
	c.EndStruct()
	return true
}

var vidCreate = NewStruct(
	Arg{"", pad(4)}, Arg{"count", udec}, Arg{"memory", enum(xlat.VidMemories)}, Arg{"format", vidFormatType}, Arg{"", pad(32)},
).Type()

var vidCreateArg = func() Type {
	t := inPair(vidCreate)
	entry := t.Cap
	t.Cap = func(b *Caps, at Place) {
		entry(b, at)
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: 8, When: filledAtEnd})
	}
	return t
}()

var ioctlV4L2 = joined(
	each(argp(outPtr(vidCaps)), "VIDIOC_QUERYCAP"),
	each(argp(inout(vidFmtDesc)), "VIDIOC_ENUM_FMT"),
	each(argp(vidFormatGet), "VIDIOC_G_FMT"),
	each(argp(vidFormatSet), "VIDIOC_S_FMT", "VIDIOC_TRY_FMT"),
	each(argp(vidRequestBuffers), "VIDIOC_REQBUFS"),
	each(argp(changed(vidExport, vidExported)), "VIDIOC_EXPBUF"),
	each(argp(vidBufferOf(false, vidTime)), "VIDIOC_QUERYBUF", "VIDIOC_QBUF"),
	each(argp(vidBufferOf(true, vidTime)), "VIDIOC_DQBUF"),
	each(argp(vidBufferOf(false, vidTime32)), "VIDIOC_QUERYBUF_TIME32", "VIDIOC_QBUF_TIME32"),
	each(argp(vidBufferOf(true, vidTime32)), "VIDIOC_DQBUF_TIME32"),
	each(argp(outPtr(vidFrame)), "VIDIOC_G_FBUF"),
	each(argp(in(vidFrame)), "VIDIOC_S_FBUF"),
	each(argp(boxed(in, vidType)), "VIDIOC_STREAMON", "VIDIOC_STREAMOFF"),
	each(argp(vidParamGet), "VIDIOC_G_PARM"),
	each(argp(vidParamSet), "VIDIOC_S_PARM"),
	each(argp(boxed(outPtr, hex64)), "VIDIOC_G_STD"),
	each(argp(boxed(in, hex64)), "VIDIOC_S_STD"),
	each(argp(inout(vidStd)), "VIDIOC_ENUMSTD"),
	each(argp(inout(vidInput)), "VIDIOC_ENUMINPUT"),
	each(argp(vidControlGet), "VIDIOC_G_CTRL"),
	each(argp(vidControlSet), "VIDIOC_S_CTRL"),
	each(argp(inout(vidTunerOf(true))), "VIDIOC_G_TUNER"),
	each(argp(changed(vidTunerOf(false).Type(), vidTunerBack)), "VIDIOC_S_TUNER"),
	each(argp(vidQuery(vidQueryCtrl)), "VIDIOC_QUERYCTRL"),
	each(argp(vidQuery(vidQueryExt)), "VIDIOC_QUERY_EXT_CTRL"),
	each(argp(boxed(outPtr, udec)), "VIDIOC_G_INPUT"),
	each(argp(boxed(in, udec)), "VIDIOC_S_INPUT"),
	each(argp(inout(vidCropCap)), "VIDIOC_CROPCAP"),
	each(argp(inout(vidCropGet)), "VIDIOC_G_CROP"),
	each(argp(in(vidCropSet)), "VIDIOC_S_CROP"),
	each(argp(vidExtControls(true)), "VIDIOC_G_EXT_CTRLS"),
	each(argp(vidExtControls(false)), "VIDIOC_S_EXT_CTRLS", "VIDIOC_TRY_EXT_CTRLS"),
	each(argp(inout(vidFrameSize)), "VIDIOC_ENUM_FRAMESIZES"),
	each(argp(inout(vidInterval)), "VIDIOC_ENUM_FRAMEINTERVALS"),
	[]ioctl{{name: "VIDIOC_CREATE_BUFS", args: argp(vidCreateArg), aux: auxBuffers}},
	each(argp(changed(vidMenuAsk, vidMenuTold)), "VIDIOC_QUERYMENU"),
)

// vidTime is the time in a buffer, of 64 bits in every ABI; vidTime32 that of
// old 32-bit programs.
var (
	vidTime   = timeval64
	vidTime32 = NewStruct(Arg{"tv_sec", dec}, Arg{"tv_usec", udec}).Type()
)
