package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
)

// ptpTimeOf is struct ptp_clock_time; date says that it is a point in time.
func ptpTimeOf(date bool) Type {
	s := NewStruct(Arg{"sec", dec64}, Arg{"nsec", udec}, Arg{"reserved", ifSet(hex)})
	t := s.Type()
	t.Mem = func(c *Call, b []byte, _ uint64) {
		s.Print(c, b)
		if date && c.Opt.Xlat != out.Raw {
			c.DateComment(int64(c.U64(b)), c.U32(b[8:]), 9)
		}
	}
	return t
}

const (
	ptpMaxSamples = 25
	ptpDutyCycle  = 1 << 1
	ptpPhase      = 1 << 2
)

// Clocks of network devices: linux/ptp_clock.h. A later form of each request
// has another number and shows what is reserved.
var (
	ptpTime = ptpTimeOf(false)
	ptpDate = ptpTimeOf(true)
	ptpCaps = NewStruct(
		Arg{"max_adj", dec}, Arg{"n_alarm", dec}, Arg{"n_ext_ts", dec}, Arg{"n_per_out", dec}, Arg{"pps", dec}, Arg{"n_pins", dec},
		Arg{"cross_timestamping", dec}, Arg{"adjust_phase", dec}, Arg{"max_phase_adj", ticks(I32, 9)}, Arg{"rsv", ifSet(vec(hex, 11))},
	).Type()
	ptpPrecise = NewStruct(
		Arg{"device", ptpDate}, Arg{"sys_realtime", ptpDate}, Arg{"sys_monoraw", ptpTime}, Arg{"rsv", ifSet(vec(hex, 4))},
	).Type()
	ptpOffset = NewStruct(
		Arg{"n_samples", udec}, Arg{"rsv", ifSet(vec(hex, 3))},
		Arg{"ts", filled(vecUpto(ptpDate, 2*ptpMaxSamples+1, func(c *Call, s []byte) uint64 {
			return 2*min(c.U32(s), ptpMaxSamples) + 1
		}))},
	)
	ptpExtended = NewStruct(
		Arg{"n_samples", udec}, Arg{"clockid", enumIn(I32, xlat.Clocks)}, Arg{"rsv", ifSet(vec(hex, 2))},
		Arg{"ts", filled(vecUpto(vec(ptpDate, 3), ptpMaxSamples, u32At(0)))},
	)
)

func ptpRsv(t Type, later bool) Type {
	if later {
		return ifSet(t)
	}
	return when(func(*Call, []byte) bool { return false }, t)
}

func ptpExttsOf(later bool) Type {
	return NewStruct(Arg{"index", udec}, Arg{"flags", flags(xlat.PtpExtts)}, Arg{"rsv", ptpRsv(vec(hex, 2), later)}).Type()
}

func ptpPeroutOf(later bool) Type {
	has := func(bit uint64) func(*Call, []byte) bool {
		return func(c *Call, s []byte) bool { return c.U32(s[36:])&bit != 0 }
	}
	return NewStruct(
		Arg{"phase", when(has(ptpPhase), ptpTime)},
		Arg{"start", within(when(func(c *Call, s []byte) bool { return !has(ptpPhase)(c, s) }, pad(0)),
			func(c *Call, s []byte, _ int, addr uint64) { ptpDate.Val(c, s[:16], addr) })},
		Arg{"period", ptpTime}, Arg{"index", udec}, Arg{"flags", flags(xlat.PtpPerout)},
		Arg{"on", when(has(ptpDutyCycle), ptpTime)},
		Arg{"rsv", within(when(func(c *Call, s []byte) bool {
			return later && !has(ptpDutyCycle)(c, s) && !allZero(s[40:56])
		}, pad(0)), func(c *Call, s []byte, at int, addr uint64) { c.Vec(s[40:56], addr, 4, &hex) })},
	).Type()
}

// ptpPinOf describes what a pin does: to be set, or what is asked for, index,
// and what is told.
func ptpPinOf(get, later bool) *Struct {
	mark, name := func(t Type) Type { return t }, when(func(*Call, []byte) bool { return get }, cstr(64))
	rsv := ptpRsv(vec(hex, 5), later)
	if get {
		mark = filled
	}
	return NewStruct(
		Arg{"name", mark(name)}, Arg{"index", udec}, Arg{"func", mark(enum(xlat.PtpPinFuncs))}, Arg{"chan", mark(udec)}, Arg{"rsv", rsv},
	)
}

var ioctlClock = joined(
	each(argp(outPtr(ptpCaps)), "PTP_CLOCK_GETCAPS", "PTP_CLOCK_GETCAPS2"),
	each(argp(in(ptpExttsOf(false))), "PTP_EXTTS_REQUEST"),
	each(argp(in(ptpExttsOf(true))), "PTP_EXTTS_REQUEST2"),
	each(argp(in(ptpPeroutOf(false))), "PTP_PEROUT_REQUEST"),
	each(argp(in(ptpPeroutOf(true))), "PTP_PEROUT_REQUEST2"),
	each(argp(lhex), "PTP_ENABLE_PPS", "PTP_ENABLE_PPS2"),
	each(argp(inout(ptpOffset)), "PTP_SYS_OFFSET", "PTP_SYS_OFFSET2"),
	each(argp(inout(ptpPinOf(true, false))), "PTP_PIN_GETFUNC"),
	each(argp(inout(ptpPinOf(true, true))), "PTP_PIN_GETFUNC2"),
	each(argp(in(ptpPinOf(false, false).Type())), "PTP_PIN_SETFUNC"),
	each(argp(in(ptpPinOf(false, true).Type())), "PTP_PIN_SETFUNC2"),
	each(argp(outPtr(ptpPrecise)), "PTP_SYS_OFFSET_PRECISE", "PTP_SYS_OFFSET_PRECISE2", "PTP_SYS_OFFSET_PRECISE_CYCLES"),
	each(argp(inout(ptpExtended)), "PTP_SYS_OFFSET_EXTENDED", "PTP_SYS_OFFSET_EXTENDED2", "PTP_SYS_OFFSET_EXTENDED_CYCLES"),
)
