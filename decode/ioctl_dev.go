package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// Clocks: linux/rtc.h, linux/ptp_clock.h is in ioctl_ptp.go.
var (
	rtcTime = NewStruct(
		Arg{"tm_sec", dec}, Arg{"tm_min", dec}, Arg{"tm_hour", dec}, Arg{"tm_mday", dec}, Arg{"tm_mon", dec}, Arg{"tm_year", dec},
		abridged, Arg{"tm_wday", dec}, Arg{"tm_yday", dec}, Arg{"tm_isdst", dec},
	).Type()
	rtcAlarm = NewStruct(Arg{"enabled", udec8}, Arg{"pending", udec8}, Arg{"", pad(2)}, Arg{"time", rtcTime}).Type()
	rtcPLL   = NewStruct(
		Arg{"pll_ctrl", dec}, Arg{"pll_value", dec}, Arg{"pll_max", dec}, Arg{"pll_min", dec},
		Arg{"pll_posmult", dec}, Arg{"pll_negmult", dec}, Arg{"pll_clock", ldec},
	).Type()
	rtcParamSet = rtcParamOf(true, true)
	rtcParamGet = changedOrAddr(rtcParamOf(true, false), rtcParamOf(false, true))
)

// rtcParamOf is a parameter with its name and index, its value, or both.
func rtcParamOf(key, value bool) Type {
	show := func(yes bool, t Type) Type {
		return when(func(*Call, []byte) bool { return yes }, t)
	}
	kind := func(k uint64) func(*Call, []byte) bool {
		return func(c *Call, s []byte) bool { return value && c.U64(s) == k }
	}
	hidden := show(false, pad(0))
	return NewStruct(
		Arg{"param", show(key, enumIn(U64, xlat.RtcParams))},
		Arg{"uvalue", within(when(func(c *Call, s []byte) bool { return value && c.U64(s) != 1 }, udec64),
			func(c *Call, s []byte, at int, _ uint64) {
				switch v := c.U64(s[at:]); c.U64(s) {
				case 0:
					c.Flags(v, xlat.RtcFeatures)
				case 2:
					c.Enum(v, xlat.RtcBackup)
				default:
					c.Hex(v)
				}
			})},
		Arg{"", hidden},
		Arg{"svalue", within(when(kind(1), pad(0)), func(c *Call, s []byte, at int, _ uint64) { c.Int(int64(c.U64(s[at-8:]))) })},
		Arg{"index", show(key, udec)},
		Arg{"__pad", ifSet(hex)},
	).Type()
}

// Small devices: linux/counter.h, watchdog.h, random.h, udmabuf.h, eventpoll.h.
var (
	counterWatch = NewStruct(
		Arg{"component", NewStruct(
			Arg{"type", enumIn(U8, xlat.CounterComponents)}, Arg{"scope", enumIn(U8, xlat.CounterScopes)},
			Arg{"parent", udec8}, Arg{"id", udec8},
		).Type()},
		Arg{"event", enumIn(U8, xlat.CounterEvents)}, Arg{"channel", udec8},
	).Type()
	watchdogInfo = NewStruct(
		Arg{"options", flags(xlat.WatchdogFlags)}, abridged, Arg{"firmware_version", hex}, Arg{"identity", cstr(32)},
	).Type()
	randPool = NewStruct(
		Arg{"entropy_count", dec}, Arg{"buf_size", dec}, Arg{"buf", tailStr(8, 4)},
	).Type()
	udmabufItem = NewStruct(Arg{"memfd", fd}, Arg{"", pad(4)}, Arg{"offset", udec64}, Arg{"size", udec64}).Type()
	udmabufOne  = NewStruct(
		Arg{"memfd", fd}, Arg{"flags", flags(xlat.UdmabufFlags)}, Arg{"offset", udec64}, Arg{"size", udec64},
	).Type()
	udmabufList = NewStruct(
		Arg{"flags", flags(xlat.UdmabufFlags)}, Arg{"count", udec}, Arg{"list", tail(udmabufItem, 8, 4, 4, u32At(4))},
	).Type()
	epollParams = NewStruct(
		Arg{"busy_poll_usecs", ticks(U32, 6)}, Arg{"busy_poll_budget", udec16}, Arg{"prefer_busy_poll", hex8},
		Arg{"__pad", ifSet(hex8)},
	).Type()
)

// tailStr is a field for the bytes that lie behind the struct, as many as the
// int at offset off says.
func tailStr(head, off int) Type {
	v := within(pad(0), func(c *Call, s []byte, _ int, addr uint64) {
		c.BufAt(addr+uint64(head), c.U32(s[off:]))
	})
	v.Cap = func(b *Caps, at Place) {
		b.tailOf(2, head, at, off, 4, 1, b.When)
	}
	return v
}

// Events of performance counters: linux/perf_event.h.
var perfQueryBPF = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		c.AtEntry = true
		b, ok := c.ReadOr(v, 4)
		c.AtEntry = false
		if !ok {
			return
		}
		c.BeginStruct()
		c.Field("ids_len")
		c.Uint(c.U32(b))
		if b, ok = c.Read(v+4, 4); !ok || !c.Succeeded() {
			c.MoreFields()
		} else {
			c.Field("prog_cnt")
			n := c.U32(b)
			c.Uint(n)
			c.Field("ids")
			c.Array(v+8, n, &udec)
		}
		c.EndStruct()
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: 4, When: readAtEntry})
		op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: 8, When: filledAtEnd})
		b.tailOf(2, 8, In(op, 0, 0), 4, 4, 4, filledAtEnd)
	},
}

var ioctlDev = joined(
	each(argp(outPtr(rtcTime)), "RTC_ALM_READ", "RTC_RD_TIME"),
	each(argp(in(rtcTime)), "RTC_ALM_SET", "RTC_SET_TIME"),
	each(argp(uldec), "RTC_IRQP_SET", "RTC_EPOCH_SET"),
	each(argp(boxed(outPtr, uldec)), "RTC_IRQP_READ", "RTC_EPOCH_READ"),
	each(argp(outPtr(rtcAlarm)), "RTC_WKALM_RD"),
	each(argp(in(rtcAlarm)), "RTC_WKALM_SET"),
	each(argp(outPtr(rtcPLL)), "RTC_PLL_GET"),
	each(argp(in(rtcPLL)), "RTC_PLL_SET"),
	each(argp(boxed(outPtr, flags(xlat.RtcVl))), "RTC_VL_READ"),
	each(argp(rtcParamGet), "RTC_PARAM_GET"),
	each(argp(in(rtcParamSet)), "RTC_PARAM_SET"),
	each(nil, "RTC_AIE_ON", "RTC_AIE_OFF", "RTC_UIE_ON", "RTC_UIE_OFF", "RTC_PIE_ON", "RTC_PIE_OFF", "RTC_WIE_ON",
		"RTC_WIE_OFF", "RTC_VL_CLR"),
	each(argp(in(counterWatch)), "COUNTER_ADD_WATCH_IOCTL"),
	each(nil, "COUNTER_ENABLE_EVENTS_IOCTL", "COUNTER_DISABLE_EVENTS_IOCTL"),
	each(argp(outPtr(watchdogInfo)), "WDIOC_GETSUPPORT"),
	each(argp(boxed(outPtr, dec)), "WDIOC_GETSTATUS", "WDIOC_GETBOOTSTATUS", "WDIOC_GETTEMP", "WDIOC_GETTIMEOUT",
		"WDIOC_GETPRETIMEOUT", "WDIOC_GETTIMELEFT"),
	each(argp(boxed(in, dec)), "WDIOC_SETTIMEOUT", "WDIOC_SETPRETIMEOUT"),
	each(argp(boxed(in, flags(xlat.WatchdogOptions))), "WDIOC_SETOPTIONS"),
	each(nil, "WDIOC_KEEPALIVE"),
	each(argp(boxed(outPtr, dec)), "RNDGETENTCNT"),
	each(argp(boxed(in, dec)), "RNDADDTOENTCNT"),
	each(argp(in(randPool)), "RNDADDENTROPY"),
	each(nil, "RNDZAPENTCNT", "RNDCLEARPOOL", "RNDRESEEDCRNG"),
	each(argp(dec), "INOTIFY_IOC_SETNEXTWD"),
	each(argp(in(epollParams)), "EPIOCSPARAMS"),
	each(argp(outPtr(epollParams)), "EPIOCGPARAMS"),
	[]ioctl{
		{name: "UDMABUF_CREATE", args: argp(in(udmabufOne)), ret: RetFD},
		{name: "UDMABUF_CREATE_LIST", args: argp(in(udmabufList)), ret: RetFD},
	},
	each(argp(boxed(outPtr, flags(xlat.LircFeatures))), "LIRC_GET_FEATURES"),
	each(argp(boxed(outPtr, enum(xlat.LircModes))), "LIRC_GET_SEND_MODE", "LIRC_GET_REC_MODE"),
	each(argp(boxed(in, enum(xlat.LircModes))), "LIRC_SET_SEND_MODE", "LIRC_SET_REC_MODE"),
	each(argp(boxed(in, hex)), "LIRC_SET_TRANSMITTER_MASK"),
	each(argp(boxed(outPtr, udec)), "LIRC_GET_REC_RESOLUTION", "LIRC_GET_MIN_TIMEOUT", "LIRC_GET_MAX_TIMEOUT",
		"LIRC_GET_LENGTH", "LIRC_GET_REC_TIMEOUT"),
	each(argp(boxed(in, udec)), "LIRC_SET_SEND_CARRIER", "LIRC_SET_REC_CARRIER", "LIRC_SET_SEND_DUTY_CYCLE",
		"LIRC_SET_REC_TIMEOUT", "LIRC_SET_REC_TIMEOUT_REPORTS", "LIRC_SET_MEASURE_CARRIER_MODE",
		"LIRC_SET_REC_CARRIER_RANGE", "LIRC_SET_WIDEBAND_RECEIVER"),
	each(argp(flags(xlat.PerfIoctlFlags)), "PERF_EVENT_IOC_ENABLE", "PERF_EVENT_IOC_DISABLE", "PERF_EVENT_IOC_RESET"),
	each(argp(dec), "PERF_EVENT_IOC_REFRESH"),
	each(argp(boxed(in, udec64)), "PERF_EVENT_IOC_PERIOD"),
	each(argp(fd), "PERF_EVENT_IOC_SET_OUTPUT", "PERF_EVENT_IOC_SET_BPF"),
	each(argp(uldec), "PERF_EVENT_IOC_PAUSE_OUTPUT"),
	each(argp(str), "PERF_EVENT_IOC_SET_FILTER"),
	each(argp(boxed(outPtr, udec64)), "PERF_EVENT_IOC_ID"),
	each(argp(perfQueryBPF), "PERF_EVENT_IOC_QUERY_BPF"),
	each(argp(perfEventAttr), "PERF_EVENT_IOC_MODIFY_ATTRIBUTES"),
)
