package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// Formats of video data, a union by the type of buffer.

// Types of buffers: enum v4l2_buf_type.
const (
	vidCapture = 1 + iota
	vidOutput
	vidOverlay
	vidVBICapture
	vidVBIOutput
	vidSlicedCapture
	vidSlicedOutput
	vidOutputOverlay
	vidCaptureMplane
	vidOutputMplane
	vidSDRCapture
	vidSDROutput
	vidMetaCapture
	vidMetaOutput
)

var (
	vidFmtPix = NewStruct(
		Arg{"width", udec}, Arg{"height", udec}, Arg{"pixelformat", vidPix}, Arg{"field", enum(xlat.VidFields)},
		Arg{"bytesperline", udec}, Arg{"sizeimage", udec}, Arg{"colorspace", enum(xlat.VidColorspaces)},
	).Type()
	vidPlane     = NewStruct(Arg{"sizeimage", udec}, Arg{"bytesperline", udec}, Arg{"", pad(12)}).Type()
	vidFmtMplane = NewStruct(
		Arg{"width", udec}, Arg{"height", udec}, Arg{"pixelformat", vidPix}, Arg{"field", enum(xlat.VidFields)},
		Arg{"colorspace", enum(xlat.VidColorspaces)}, Arg{"plane_fmt", vecUpto(vidPlane, 8, u8At(180))}, Arg{"num_planes", udec8},
		Arg{"", pad(11)},
	).Type()
	vidClip   = clipType()
	vidFmtWin = NewStruct(
		Arg{"w", vidRect}, Arg{"field", enum(xlat.VidFields)}, Arg{"chromakey", hex}, Arg{"clips", vidClips},
		Arg{"clipcount", udec}, Arg{"bitmap", addr}, Arg{"global_alpha", ifSet(hex8)},
	).Type()
	vidFmtVBI = NewStruct(
		Arg{"sampling_rate", udec}, Arg{"offset", udec}, Arg{"samples_per_line", udec}, Arg{"sample_format", vidPix},
		Arg{"start", vec(dec, 2)}, Arg{"count", vec(udec, 2)}, Arg{"flags", flags(xlat.VidVbiFlags)}, Arg{"", pad(8)},
	).Type()
	vidFmtSliced = NewStruct(
		Arg{"service_set", flagsIn(U16, xlat.VidSliced)}, Arg{"service_lines", vec(vec(hex16, 24), 2)}, Arg{"io_size", udec}, Arg{"", pad(8)},
	).Type()
	vidFmtSDR  = NewStruct(Arg{"pixelformat", vidSdr}, Arg{"buffersize", ifSet(udec)}).Type()
	vidFmtMeta = packedFields(Arg{"dataformat", vidMeta}, Arg{"buffersize", udec})
)

func packedFields(f ...Arg) Type { return NewStruct(f...).Type() }

// clipType is struct v4l2_clip, of which the pointer to the next is not shown.
func clipType() Type {
	return NewStruct(Arg{"c", vidRect}, Arg{"", addr}).Type()
}

// vidClips are the rectangles of a window.
var vidClips = func() Type {
	t := addr
	t.Within = func(c *Call, s []byte, at int, _ uint64) {
		word := c.Lay.Word()
		c.Array(c.Word(s[at:]), c.U32(s[at+word:]), &vidClip)
	}
	t.Cap = func(b *Caps, at Place) {
		size := clipType()
		b.Add(at, event.Capture{
			Kind: event.CapBytes, Len: event.LenField, LenOff: at.Off + uint16(b.Lay.Word()), LenWidth: 4,
			Size: uint16(size.size(b.Lay)), Max: 2048, When: b.When,
		})
	}
	return t
}()

// vidFormats are the members of the union.
var vidFormats = [...]struct {
	name string
	t    *Type
	of   []uint64
}{
	{"fmt.pix", &vidFmtPix, []uint64{vidCapture, vidOutput}},
	{"fmt.pix_mp", &vidFmtMplane, []uint64{vidCaptureMplane, vidOutputMplane}},
	{"fmt.win", &vidFmtWin, []uint64{vidOverlay, vidOutputOverlay}},
	{"fmt.vbi", &vidFmtVBI, []uint64{vidVBICapture, vidVBIOutput}},
	{"fmt.sliced", &vidFmtSliced, []uint64{vidSlicedCapture, vidSlicedOutput}},
	{"fmt.sdr", &vidFmtSDR, []uint64{vidSDRCapture, vidSDROutput}},
	{"fmt.meta", &vidFmtMeta, []uint64{vidMetaCapture, vidMetaOutput}},
}

// vidFormatSize is the size of the union.
const vidFormatSize = 200

// vidFormat writes the member of the union that a type of buffer has, whose
// bytes are b, and reports whether there is one.
func (c *Call) vidFormat(kind uint64, b []byte, addr uint64) bool {
	for i := range vidFormats {
		f := &vidFormats[i]
		for _, k := range f.of {
			if k == kind {
				c.Field(f.name)
				f.t.Val(c, b[:f.t.size(c.Lay)], addr)
				return true
			}
		}
	}
	return false
}

// vidFormatOff is where the union lies in struct v4l2_format.
func vidFormatOff(l Lay) int { return l.Word() }

// vidFormatType is struct v4l2_format.
var vidFormatType = func() Type {
	t := Type{Width: None}
	for l := range numLay {
		t.Size[l], t.Align[l] = uint16(vidFormatOff(l)+vidFormatSize), uint16(l.Word())
	}
	t.Mem = func(c *Call, b []byte, addr uint64) {
		c.BeginStruct()
		c.Field("type")
		kind := c.U32(b)
		c.Enum(kind, xlat.VidBufTypes)
		c.vidFormat(kind, b[vidFormatOff(c.Lay):], addr)
		c.EndStruct()
	}
	t.Cap = vidClipsCap
	return t
}()

// vidClipsCap captures the rectangles of a window in struct v4l2_format.
func vidClipsCap(b *Caps, at Place) {
	at.Off += uint16(vidFormatOff(b.Lay) + 24)
	vidClips.Cap(b, at)
}

// vidFormatGet is the type of a buffer, and its format, which the call tells.
var vidFormatGet = vidFormatPtr(func(c *Call, kind uint64, before, now []byte, v uint64) {
	if now != nil {
		c.vidFormat(kind, now[vidFormatOff(c.Lay):], v)
	}
})

// vidFormatSet is a format, and what the call has made of it.
var vidFormatSet = vidFormatPtr(func(c *Call, kind uint64, before, now []byte, v uint64) {
	c.AtEntry = true
	known := c.vidFormat(kind, before[vidFormatOff(c.Lay):], v)
	c.AtEntry = false
	if !known || now == nil {
		return
	}
	c.again()
	c.vidFormat(c.U32(now), now[vidFormatOff(c.Lay):], v)
})

// again ends a struct, and begins the one of what has become of it; in JSON its
// fields follow.
func (c *Call) again() {
	if c.Opt.JSON {
		return
	}
	c.EndStruct()
	c.Syntax(" => ")
	c.BeginStruct()
}

func vidFormatPtr(rest func(c *Call, kind uint64, before, now []byte, v uint64)) Type {
	t := &vidFormatType
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) {
			c.AtEntry = true
			b, ok := c.ReadOr(v, t.size(c.Lay))
			c.AtEntry = false
			if !ok {
				return
			}
			var now []byte
			if c.Succeeded() {
				if now, ok = c.Read(v, t.size(c.Lay)); !ok {
					now = nil
				}
			}
			c.BeginStruct()
			c.Field("type")
			kind := c.U32(b)
			c.Enum(kind, xlat.VidBufTypes)
			rest(c, kind, b, now, v)
			c.EndStruct()
		},
		Cap: func(b *Caps, at Place) {
			for _, when := range [...]event.When{readAtEntry, filledAtEnd} {
				op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(t.size(b.Lay)), When: when})
				old := b.When
				b.When = when
				vidClipsCap(b, In(op, 0, 0))
				b.When = old
			}
		},
	}
}

// Parameters of streaming, for capture and output.
func vidParamOf(mode, buffers string) Type {
	return NewStruct(
		Arg{"capability", flags(xlat.VidStreamCaps)}, Arg{mode, flags(xlat.VidModes)}, Arg{"timeperframe", vidFract},
		Arg{"extendedmode", hex}, Arg{buffers, udec}, Arg{"", pad(16)},
	).Type()
}

var (
	vidParamCapture = vidParamOf("capturemode", "readbuffers")
	vidParamOutput  = vidParamOf("outputmode", "writebuffers")
	vidParamGet     = vidParamPtr(true)
	vidParamSet     = vidParamPtr(false)
)

func (c *Call) vidParam(b []byte, v uint64) {
	if c.U32(b) == vidCapture {
		c.Field("parm.capture")
		vidParamCapture.Val(c, b[4:44], v+4)
		return
	}
	c.Field("parm.output")
	vidParamOutput.Val(c, b[4:44], v+4)
}

func vidParamPtr(get bool) Type {
	const size = 204
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) {
			c.AtEntry = true
			b, ok := c.ReadOr(v, size)
			c.AtEntry = false
			if !ok {
				return
			}
			c.BeginStruct()
			c.Field("type")
			kind := c.U32(b)
			c.Enum(kind, xlat.VidBufTypes)
			if kind == vidCapture || kind == vidOutput {
				if !get {
					c.vidParam(b, v)
				}
				if now, ok := c.Read(v, size); ok && c.Succeeded() {
					if !get {
						c.again()
					}
					c.vidParam(now, v)
				}
			}
			c.EndStruct()
		},
		Cap: inout(NewStruct(Arg{"", pad(size)})).Cap,
	}
}
