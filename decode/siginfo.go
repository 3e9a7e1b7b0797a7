package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// Siginfo writes the siginfo of a delivered signal, which the kernel holds in
// its own layout whatever the task's is.
func (d *Decoder) Siginfo(e *event.Event) {
	d.load(e)
	d.Lay = Lay64
	if len(e.Siginfo) == 0 {
		d.BeginStruct()
		d.Field("si_signo")
		d.EnumDec(uint64(e.Signal), xlat.Signals)
		d.EndStruct()
		return
	}
	d.siginfo(e.Siginfo)
}

// siginfoSize is sizeof(siginfo_t), in every ABI.
const siginfoSize = 128

// siginfo is a siginfo_t.
var siginfo = Type{
	Width: None, Size: [numLay]uint16{siginfoSize, siginfoSize, siginfoSize}, Align: [numLay]uint16{8, 4, 4},
	Mem: func(c *Call, b []byte, _ uint64) { c.siginfo(b) },
}

// Signals and codes whose siginfo has a form of its own
// (include/uapi/asm-generic/siginfo.h).
const (
	sigILL  = 4
	sigTRAP = 5
	sigBUS  = 7
	sigFPE  = 8
	sigSEGV = 11
	sigCHLD = 17
	sigIO   = 29
	sigSYS  = 31

	siUser      = 0
	siTimer     = -2
	siSigio     = -5
	siTkill     = -6
	cldExited   = 1
	busMceerrAR = 4
	busMceerrAO = 5
	segvBnderr  = 3
	segvPkuerr  = 4
	pollHup     = 6
)

// siginfoBytes is a siginfo_t of a layout; what lies behind its end is 0.
type siginfoBytes struct {
	b    []byte
	word int
}

// at is the offset of n words and off bytes in the union.
func (s siginfoBytes) at(words, off int) int {
	if s.word == 8 {
		return 16 + words*8 + off
	}
	return 12 + words*4 + off
}

func (s siginfoBytes) number(off, n int) (v uint64) {
	for i := n - 1; i >= 0; i-- {
		v <<= 8
		if off+i < len(s.b) {
			v |= uint64(s.b[off+i])
		}
	}
	return v
}

func (s siginfoBytes) i32(off int) int64         { return int64(int32(s.number(off, 4))) }
func (s siginfoBytes) u32(off int) uint64        { return s.number(off, 4) }
func (s siginfoBytes) wordAt(off int) uint64     { return s.number(off, s.word) }
func (s siginfoBytes) ptr(words, off int) uint64 { return s.wordAt(s.at(words, off)) }
func (s siginfoBytes) long(off int) int64 {
	if s.word == 4 {
		return s.i32(off)
	}
	return int64(s.number(off, 8))
}

// siginfo writes a siginfo_t in the layout of the call: {si_signo=SIGCHLD,
// si_code=CLD_EXITED, …}. b may be shorter than the struct.
func (c *Call) siginfo(b []byte) {
	s := siginfoBytes{b, c.Lay.Word()}
	c.BeginStruct()
	if s.i32(0) != 0 {
		c.Field("si_signo")
		c.EnumDec(uint64(s.i32(0)), xlat.Signals)
		c.Field("si_code")
		c.siCode(s.u32(8), s.i32(0))
		c.siFields(s)
	}
	c.EndStruct()
}

// siCode writes si_code, whose meaning depends on the signal.
func (c *Call) siCode(code uint64, sig int64) {
	x := xlat.SiCodes
	if _, ok := x.Name(code); !ok {
		x = siCodesOf(sig)
	}
	c.Enum(code, x)
}

func siCodesOf(sig int64) *out.Xlat {
	switch sig {
	case sigTRAP:
		return xlat.SigtrapCodes
	case sigCHLD:
		return xlat.SigchldCodes
	case sigIO:
		return xlat.SigpollCodes
	case sigILL:
		return xlat.SigillCodes
	case sigFPE:
		return xlat.SigfpeCodes
	case sigSEGV:
		return xlat.SigsegvCodes
	case sigBUS:
		return xlat.SigbusCodes
	case sigSYS:
		return xlat.SigsysCodes
	}
	return xlat.SiCodes
}

// siFields writes what follows si_code.
func (c *Call) siFields(s siginfoBytes) {
	if errno := s.u32(4); errno != 0 {
		c.Field("si_errno")
		name, _ := ErrnoName(int64(errno))
		c.Named(errno, name)
	}
	code := s.i32(8)
	if code <= 0 {
		c.siFromUser(s, code)
		return
	}
	switch s.i32(0) {
	case sigCHLD:
		c.siChild(s, code)
	case sigILL, sigFPE, sigTRAP:
		c.siAddr(s)
	case sigBUS:
		c.siAddr(s)
		if code == busMceerrAR || code == busMceerrAO {
			c.Field("si_addr_lsb")
			c.Hex(s.number(s.at(1, 0), 2))
		}
	case sigSEGV:
		c.siAddr(s)
		switch code {
		case segvBnderr:
			c.Field("si_lower")
			c.Addr(s.ptr(2, 0))
			c.Field("si_upper")
			c.Addr(s.ptr(3, 0))
		case segvPkuerr:
			c.Field("si_pkey")
			c.Uint(s.u32(s.at(2, 0)))
		}
	case sigIO:
		if code <= pollHup {
			c.siBand(s)
		}
	case sigSYS:
		arch := s.u32(s.at(1, 4))
		c.Field("si_call_addr")
		c.Addr(s.ptr(0, 0))
		c.Field("si_syscall")
		c.CallNameOf(s.u32(s.at(1, 0)), uint32(arch))
		c.Field("si_arch")
		c.Enum(arch, xlat.AuditArch)
	default:
		if s.u32(s.at(0, 0)) != 0 || s.u32(s.at(0, 4)) != 0 {
			c.siSource(s)
		}
		c.siValue(s, false)
	}
}

// siChild writes the siginfo of a SIGCHLD.
func (c *Call) siChild(s siginfoBytes, code int64) {
	c.siSource(s)
	c.Field("si_status")
	if status := s.i32(s.at(0, 8)); code == cldExited {
		c.Int(status)
	} else {
		c.EnumDec(uint64(status), xlat.Signals)
	}
	times := s.at(2, 0)
	if s.word == 4 {
		times = s.at(3, 0)
	}
	c.Field("si_utime")
	c.ClockT(s.wordAt(times))
	c.Field("si_stime")
	c.ClockT(s.wordAt(times + s.word))
}

// siFromUser writes the siginfo of a signal that a process sent.
func (c *Call) siFromUser(s siginfoBytes, code int64) {
	switch code {
	case siUser, siTkill:
		c.siSource(s)
	case siTimer:
		c.Field("si_timerid")
		c.Hex(s.u32(s.at(0, 0)))
		c.Field("si_overrun")
		c.Int(s.i32(s.at(0, 4)))
		c.siValue(s, true)
	case siSigio:
		c.siBand(s)
	default:
		c.siSource(s)
		c.siValue(s, false)
	}
}

func (c *Call) siSource(s siginfoBytes) {
	c.Field("si_pid")
	c.PID(s.i32(s.at(0, 0)))
	c.Field("si_uid")
	c.ID(s.u32(s.at(0, 4)), 1<<32-1)
}

func (c *Call) siAddr(s siginfoBytes) {
	c.Field("si_addr")
	c.Addr(s.ptr(0, 0))
}

func (c *Call) siBand(s siginfoBytes) {
	c.Field("si_band")
	c.Int(s.long(s.at(0, 0)))
	c.Field("si_fd")
	c.FD(s.i32(s.at(1, 0)))
}

// siValue writes the union sigval of a siginfo; without always only if its
// pointer is not NULL.
func (c *Call) siValue(s siginfoBytes, always bool) {
	ptr := s.ptr(0, 8)
	if ptr == 0 && !always {
		return
	}
	c.Field("si_int")
	c.Int(s.i32(s.at(0, 8)))
	c.Field("si_ptr")
	c.Addr(ptr)
}
