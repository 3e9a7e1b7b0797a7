package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
)

// Input devices: linux/input.h.
var (
	evID      = NewStruct(Arg{"bustype", udec16}, Arg{"vendor", udec16}, Arg{"product", udec16}, Arg{"version", udec16}).Type()
	evKeycode = memOf(8, 4, func(c *Call, b []byte, _ uint64) {
		c.BeginArray()
		c.Elem()
		c.Uint(c.U32(b))
		c.Elem()
		c.Enum(c.U32(b[4:]), xlat.EvKeys)
		c.EndArray()
	})
	evKeymap = NewStruct(
		Arg{"flags", udec8}, Arg{"len", udec8}, abridged, Arg{"index", udec16},
		Arg{"keycode", enum(xlat.EvKeys)}, Arg{"scancode", vec(hex8, 32)},
	).Type()

	ffEnvelope = NewStruct(
		Arg{"attack_length", udec16}, Arg{"attack_level", udec16}, Arg{"fade_length", udec16}, Arg{"fade_level", hex16},
	).Type()
	ffTrigger  = NewStruct(Arg{"button", udec16}, Arg{"interval", udec16}).Type()
	ffReplay   = NewStruct(Arg{"length", udec16}, Arg{"delay", udec16}).Type()
	ffConstant = NewStruct(Arg{"level", dec16}, Arg{"envelope", ffEnvelope}).Type()
	ffRamp     = NewStruct(Arg{"start_level", dec16}, Arg{"end_level", dec16}, Arg{"envelope", ffEnvelope}).Type()
	ffPeriodic = NewStruct(
		Arg{"waveform", udec16}, Arg{"period", udec16}, Arg{"magnitude", dec16}, Arg{"offset", dec16}, Arg{"phase", udec16},
		Arg{"envelope", ffEnvelope}, Arg{"custom_len", udec}, Arg{"custom_data", addr},
	).Type()
	ffRumble = NewStruct(Arg{"strong_magnitude", udec16}, Arg{"weak_magnitude", udec16}).Type()
	ffEffect = NewStruct(
		Arg{"type", enumIn(U16, xlat.EvFF)}, Arg{"id", dec16}, Arg{"direction", udec16}, abridged,
		Arg{"trigger", ffTrigger}, Arg{"replay", ffReplay},
		ffOf("constant", 0x52, ffConstant), ffOf("ramp", 0x57, ffRamp), ffOf("periodic", 0x51, ffPeriodic), ffOf("rumble", 0x50, ffRumble),
		Arg{"", ffPeriodic}, // the largest member of the union
	).Type()
)

// ffOf is a member of the union of effects, which an effect of that kind has.
func ffOf(name string, kind uint64, t Type) Arg {
	zero := pad(0)
	for l := range numLay {
		zero.Align[l] = uint16(ffPeriodic.align(l))
	}
	return Arg{name, within(when(func(c *Call, s []byte) bool { return c.U16(s) == kind }, zero),
		func(c *Call, s []byte, at int, addr uint64) { t.Val(c, s[at:at+t.size(c.Lay)], addr+uint64(at)) })}
}

var ioctlEvdev = joined(
	each(argp(boxed(outPtr, hex)), "EVIOCGVERSION"),
	each(argp(boxed(outPtr, udec)), "EVIOCGEFFECTS"),
	each(argp(outPtr(evID)), "EVIOCGID"),
	each(argp(outPtr(vec(udec, 2))), "EVIOCGREP"),
	each(argp(in(vec(udec, 2))), "EVIOCSREP"),
	each(argp(outPtr(evKeycode)), "EVIOCGKEYCODE"),
	each(argp(in(evKeycode)), "EVIOCSKEYCODE"),
	each(argp(outPtr(evKeymap)), "EVIOCGKEYCODE_V2"),
	each(argp(in(evKeymap)), "EVIOCSKEYCODE_V2"),
	each(argp(in(ffEffect)), "EVIOCSFF"),
	each(argp(dec), "EVIOCRMFF"),
	each(argp(uldec), "EVIOCGRAB", "EVIOCREVOKE"),
	each(argp(boxed(in, udec)), "EVIOCSCLOCKID"),
)

// evBits are the sets of bits that EVIOCGBIT tells, by kind of event.
var evBits = [...]struct {
	x   *out.Xlat
	max uint64
}{
	0x00: {xlat.EvTypes, 0x1f},
	0x01: {xlat.EvKeys, 0x2ff},
	0x02: {xlat.EvRel, 0x0f},
	0x03: {xlat.EvAbs, 0x3f},
	0x04: {xlat.EvMsc, 0x07},
	0x05: {xlat.EvSw, 0x11},
	0x11: {xlat.EvLeds, 0x0f},
	0x12: {xlat.EvSnd, 0x07},
	0x14: {xlat.EvRep, 0x01},
	0x15: {xlat.EvFF, 0x7f},
	0x17: {xlat.EvFFStatus, 0x01},
}

// evdevArg writes the argument of a request on an input device that has a size
// or a number in it.
func (c *Call) evdevArg(code, v uint64) bool {
	dir, nr, size := iocDir(code), iocNR(code), int(iocSize(code))
	switch {
	case dir == iocWrite:
		if nr&^0x3f == 0xc0 {
			c.evdevAbs(size, v, true)
		} else {
			c.Addr(v)
		}
	case dir != iocRead:
		return false
	case nr == 0x0a:
		c.evdevSlots(size, v)
	case nr == 0x06 || nr == 0x07 || nr == 0x08:
		if c.Succeeded() {
			c.BufAt(v, uint64(c.Ev.Ret))
		} else {
			c.Addr(v)
		}
	case nr == 0x09:
		c.evdevBits(v, xlat.EvProps, 0x1f)
	case nr == 0x18:
		c.evdevBits(v, xlat.EvKeys, 0x2ff)
	case nr == 0x19:
		c.evdevBits(v, xlat.EvLeds, 0x0f)
	case nr == 0x1a:
		c.evdevBits(v, xlat.EvSnd, 0x07)
	case nr == 0x1b:
		c.evdevBits(v, xlat.EvSw, 0x11)
	case nr&^0x3f == 0x40:
		c.evdevAbs(size, v, false)
	case nr&^0x1f == 0x20:
		kind := nr & 0x1f
		switch {
		case kind == 0x16:
			outPtrArg(c, &evPower, v)
		case int(kind) < len(evBits) && evBits[kind].x != nil:
			c.evdevBits(v, evBits[kind].x, evBits[kind].max)
		default:
			c.Addr(v)
		}
	default:
		c.Addr(v)
	}
	return true
}

var evPower = vec(dec, 1)

// The sizes of struct input_absinfo without and with resolution.
const evAbsOld, evAbsNew = 20, 24

func (c *Call) evdevAbs(size int, v uint64, set bool) {
	if size < evAbsOld || !set && !c.Succeeded() {
		c.Addr(v)
		return
	}
	b, ok := c.ReadOr(v, min(size, evAbsNew))
	if !ok {
		return
	}
	c.BeginStruct()
	for i, name := range [...]string{"value", "minimum", "maximum", "fuzz", "flat"} {
		if i == 2 && c.Abbrev {
			break
		}
		c.Field(name)
		c.Uint(c.U32(b[4*i:]))
	}
	switch {
	case c.Abbrev:
		c.MoreFields()
	case size > evAbsOld:
		if size >= evAbsNew {
			c.Field("resolution")
			c.Uint(c.U32(b[evAbsOld:]))
		}
		if size != evAbsNew {
			c.MoreFields()
		}
	}
	c.EndStruct()
}

func (c *Call) evdevSlots(size int, v uint64) {
	if size < 4 || !c.Succeeded() {
		c.Addr(v)
		return
	}
	b, ok := c.ReadOr(v, 4)
	if !ok {
		return
	}
	c.BeginStruct()
	c.Field("code")
	c.Enum(c.U32(b), xlat.EvMtSlots)
	c.Field("values")
	c.Array(v+4, uint64(size/4-1), &dec)
	c.EndStruct()
}

// evdevBits writes the bits up to limit of a set, as many as the call has
// returned bytes of.
func (c *Call) evdevBits(v uint64, x *out.Xlat, limit uint64) {
	word := c.Lay.Word()
	bits := uint64(c.Ev.Ret) * 8
	if uint64(c.Ev.Ret) > limit/8 {
		bits = limit
	}
	size := (int(bits+7)/8 + word - 1) / word * word
	if !c.Succeeded() || size == 0 {
		c.Addr(v)
		return
	}
	b, ok := c.ReadOr(v, size)
	if !ok {
		return
	}
	mode := c.Opt.Xlat
	if mode != out.Raw {
		c.evdevBitNames(b, bits, x)
	}
	if mode == out.Abbrev || c.Opt.JSON {
		return
	}
	if mode == out.Verbose {
		c.Syntax(" /* ")
	}
	c.Vec(b, v, size/word, &lhex)
	if mode == out.Verbose {
		c.Syntax(" */")
	}
}

func (c *Call) evdevBitNames(b []byte, bits uint64, x *out.Xlat) {
	const shown = 4
	c.BeginSet(false)
	n := 0
	for i := range bits {
		if b[i/8]>>(i%8)&1 == 0 {
			continue
		}
		c.Member()
		if c.Abbrev && n >= shown {
			c.More()
			break
		}
		c.Enum(i, x)
		n++
	}
	c.EndSet()
}
