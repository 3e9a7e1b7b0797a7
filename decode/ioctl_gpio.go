package decode

import "perftrace/decode/xlat"

// Lines of input and output: linux/gpio.h, both versions.
var (
	gpioChip = NewStruct(Arg{"name", cstr(32)}, Arg{"label", cstr(32)}, Arg{"lines", udec}).Type()

	gpioLineAsk  = NewStruct(Arg{"line_offset", udec}, Arg{"", pad(68)}).Type()
	gpioLineInfo = NewStruct(
		Arg{"", pad(4)}, Arg{"flags", flags(xlat.GpioLineFlags)}, Arg{"name", cstr(32)}, Arg{"consumer", cstr(32)},
	).Type()
	gpioUnwatch = NewStruct(Arg{"offset", udec}).Type()

	gpioHandle = NewStruct(
		Arg{"", pad(256)}, Arg{"", flags(xlat.GpioHandleFlags)}, Arg{"", pad(64)}, Arg{"", pad(32)},
		Arg{"lines", udec},
		Arg{"lineoffsets", within(pad(0), gpioPart(udec, 0, 64))},
		Arg{"flags", within(pad(0), func(c *Call, s []byte, _ int, _ uint64) { c.Flags(c.U32(s[256:]), xlat.GpioHandleFlags) })},
		Arg{"default_values", within(pad(0), gpioPart(udec8, 260, 64))},
		Arg{"consumer_label", within(pad(0), func(c *Call, s []byte, _ int, _ uint64) { c.FixedStr(s[324:356]) })},
		Arg{"", pad(4)},
	).Type()
	gpioHandleFD = NewStruct(Arg{"", pad(360)}, Arg{"fd", fd}).Type()
	gpioEvent    = NewStruct(
		Arg{"lineoffset", udec}, Arg{"handleflags", flags(xlat.GpioHandleFlags)}, Arg{"eventflags", flags(xlat.GpioEventFlags)},
		Arg{"consumer_label", cstr(32)}, Arg{"", pad(4)},
	).Type()
	gpioEventFD = NewStruct(Arg{"", pad(44)}, Arg{"fd", fd}).Type()
	gpioData    = NewStruct(Arg{"values", vec(udec8, 64)}).Type()
	gpioConfig  = NewStruct(
		Arg{"flags", flags(xlat.GpioHandleFlags)}, Arg{"default_values", vec(udec8, 64)}, Arg{"", pad(16)},
	).Type()
)

// gpioPart is the array of lines at offset off, of which the first u32 at 356
// tells how many count.
func gpioPart(t Type, off, n int) func(c *Call, s []byte, at int, addr uint64) {
	return func(c *Call, s []byte, _ int, addr uint64) {
		k := int(min(c.U32(s[356:]), uint64(n)))
		c.Vec(s[off:off+k*t.size(c.Lay)], addr+uint64(off), k, &t)
	}
}

// gpioAttr is an attribute of a line, a union by id. Alone in a struct of its
// own its number and value stand there as they are if they are not known.
func gpioAttr(c *Call, b []byte, nested bool) {
	id, padding, v := c.U32(b), c.U32(b[4:]), c.U64(b[8:])
	if padding == 0 {
		switch id {
		case 1:
			c.Field("flags")
			c.Flags(v, xlat.GpioV2LineFlags)
			return
		case 2:
			c.Field("values")
			c.Hex(v)
			return
		case 3:
			c.Field("debounce_period_us")
			c.Uint(v & (1<<32 - 1))
			return
		}
	}
	if nested {
		c.Field("attr")
		c.BeginStruct()
	}
	c.Field("id")
	c.Uint(id)
	if padding != 0 {
		c.Field("padding")
		c.Hex(padding)
	}
	c.Field("data")
	c.Hex(v)
	if nested {
		c.EndStruct()
	}
}

var (
	gpioLineAttr = memOf(16, 8, func(c *Call, b []byte, _ uint64) {
		c.BeginStruct()
		gpioAttr(c, b, false)
		c.EndStruct()
	})
	gpioConfigAttr = memOf(24, 8, func(c *Call, b []byte, _ uint64) {
		c.BeginStruct()
		gpioAttr(c, b, true)
		c.Field("mask")
		c.Hex(c.U64(b[16:]))
		c.EndStruct()
	})
	gpioV2Config = NewStruct(
		Arg{"flags", flagsIn(U64, xlat.GpioV2LineFlags)}, Arg{"num_attrs", udec}, Arg{"padding", ifSet(vec(hex, 5))},
		Arg{"attrs", nonEmpty(8, vecUpto(gpioConfigAttr, 10, u32At(8)))},
	).Type()
	gpioV2Ask  = NewStruct(Arg{"", pad(64)}, Arg{"offset", udec}, Arg{"", pad(188)}).Type()
	gpioV2Info = NewStruct(
		Arg{"name", cstr(32)}, Arg{"consumer", cstr(32)}, Arg{"", pad(8)},
		Arg{"flags", flagsIn(U64, xlat.GpioV2LineFlags)},
		Arg{"num_attrs", within(pad(0), func(c *Call, s []byte, _ int, _ uint64) { c.Uint(c.U32(s[68:])) })},
		Arg{"attrs", nonEmpty(68, vecUpto(gpioLineAttr, 10, u32At(68)))},
		Arg{"padding", ifSet(vec(hex, 4))},
	).Type()
	gpioV2Request = NewStruct(
		Arg{"", pad(256)}, Arg{"", pad(32)}, Arg{"", memOf(272, 8, nil)}, Arg{"", pad(32)},
		Arg{"num_lines", within(pad(0), func(c *Call, s []byte, _ int, _ uint64) { c.Uint(c.U32(s[560:])) })},
		Arg{"offsets", within(pad(0), func(c *Call, s []byte, _ int, addr uint64) {
			n := int(min(c.U32(s[560:]), 64))
			c.Vec(s[:4*n], addr, n, &udec)
		})},
		Arg{"consumer", within(pad(0), func(c *Call, s []byte, _ int, _ uint64) { c.FixedStr(s[256:288]) })},
		Arg{"config", within(pad(0), func(c *Call, s []byte, _ int, addr uint64) { gpioV2Config.Val(c, s[288:560], addr+288) })},
		Arg{"event_buffer_size", within(when(func(c *Call, s []byte) bool { return c.U32(s[564:]) != 0 }, pad(0)),
			func(c *Call, s []byte, _ int, _ uint64) { c.Uint(c.U32(s[564:])) })},
		Arg{"padding", within(when(func(c *Call, s []byte) bool { return !allZero(s[568:588]) }, pad(0)),
			func(c *Call, s []byte, _ int, addr uint64) { c.Vec(s[568:588], addr, 5, &hex) })},
	).Type()
	gpioV2RequestFD = NewStruct(Arg{"", pad(588)}, Arg{"fd", fd}).Type()
	gpioV2Mask      = NewStruct(Arg{"", pad(8)}, Arg{"mask", hex64}).Type()
	gpioV2Bits      = NewStruct(Arg{"bits", hex64}, Arg{"", pad(8)}).Type()
	gpioV2Values    = NewStruct(Arg{"bits", hex64}, Arg{"mask", hex64}).Type()
)

// nonEmpty is t, shown if the number at offset off is not 0.
func nonEmpty(off int, t Type) Type {
	return when(func(c *Call, s []byte) bool { return c.U32(s[off:]) != 0 }, t)
}

var ioctlGpio = joined(
	each(args{{"info", outPtr(gpioChip)}}, "GPIO_GET_CHIPINFO_IOCTL"),
	each(args{{"offset", in(gpioUnwatch)}}, "GPIO_GET_LINEINFO_UNWATCH_IOCTL"),
	each(args{{"info", changed(gpioV2Ask, gpioV2Info)}}, "GPIO_V2_GET_LINEINFO_IOCTL", "GPIO_V2_GET_LINEINFO_WATCH_IOCTL"),
	each(args{{"request", changed(gpioV2Request, gpioV2RequestFD)}}, "GPIO_V2_GET_LINE_IOCTL"),
	each(args{{"config", in(gpioV2Config)}}, "GPIO_V2_LINE_SET_CONFIG_IOCTL"),
	each(args{{"values", changed(gpioV2Mask, gpioV2Bits)}}, "GPIO_V2_LINE_GET_VALUES_IOCTL"),
	each(args{{"values", in(gpioV2Values)}}, "GPIO_V2_LINE_SET_VALUES_IOCTL"),
	each(args{{"info", changed(gpioLineAsk, gpioLineInfo)}}, "GPIO_GET_LINEINFO_IOCTL", "GPIO_GET_LINEINFO_WATCH_IOCTL"),
	each(args{{"request", changed(gpioHandle, gpioHandleFD)}}, "GPIO_GET_LINEHANDLE_IOCTL"),
	each(args{{"request", changed(gpioEvent, gpioEventFD)}}, "GPIO_GET_LINEEVENT_IOCTL"),
	each(args{{"values", outPtr(gpioData)}}, "GPIOHANDLE_GET_LINE_VALUES_IOCTL"),
	each(args{{"values", in(gpioData)}}, "GPIOHANDLE_SET_LINE_VALUES_IOCTL"),
	each(args{{"config", in(gpioConfig)}}, "GPIOHANDLE_SET_CONFIG_IOCTL"),
)
