package decode

import (
	"strconv"

	"perftrace/event"
)

// Results that the kernel keeps to itself: the call is to be made again.
// include/linux/errno.h.
const (
	eRestartSys    = 512
	eRestartNoIntr = 513
	eRestartNoHand = 514
	eRestartBlock  = 516
)

// result writes what stands behind "= ".
func (d *Decoder) result() {
	c := &d.Call
	e := c.Ev
	if errno, failed := e.Failed(); failed {
		d.failure(errno)
		return
	}
	ret, aux := c.returns()
	v := e.Ret
	if c.Lay != Lay64 {
		v = int64(int32(v))
	}
	switch ret {
	case RetHex:
		if v == 0 {
			d.Buf = append(d.Buf, '0')
		} else {
			d.Buf = append(d.Buf, "0x"...)
			d.Buf = strconv.AppendUint(d.Buf, c.mask(uint64(v)), 16)
		}
	case RetOct:
		c.Perm(c.mask(uint64(v)))
	case RetUDec:
		d.Buf = strconv.AppendUint(d.Buf, c.mask(uint64(v)), 10)
	case RetFD:
		c.ofResult = true
		c.FD(v)
		c.ofResult = false
	case RetTID, RetTGID:
		c.PID(v)
	case RetClipped:
		d.Buf = strconv.AppendInt(d.Buf, v, 10)
		if errno := -int64(int32(v)); errno > 0 && errno < 4096 && v>>32 == 0 {
			d.Buf = append(d.Buf, ' ')
			d.errnoName(errno)
		}
	case RetNone:
		d.Buf = append(d.Buf, '?')
	default:
		d.Buf = strconv.AppendInt(d.Buf, v, 10)
	}
	if aux != nil {
		at := len(d.Buf)
		d.Buf = append(d.Buf, " ("...)
		c.Restart()
		if aux(c) {
			d.Buf = append(d.Buf, ')')
		} else {
			d.Buf = d.Buf[:at]
		}
	}
}

// returns says how the result of the current call is shown, and what writes the
// text behind it (nil: nothing).
func (c *Call) returns() (ret Ret, aux func(*Call) bool) {
	switch {
	case c.Raw:
		return RetHex, nil
	case c.Row == nil:
		return RetDec, nil
	}
	if c.Row.Cmd != nil {
		if cmd := c.command(); cmd != nil {
			return cmd.Ret, cmd.Aux
		}
	}
	return c.Row.Ret, c.Row.Aux
}

func (d *Decoder) failure(errno int64) {
	switch errno {
	case eRestartSys:
		d.Buf = append(d.Buf, "? ERESTARTSYS (To be restarted if SA_RESTART is set)"...)
		return
	case eRestartNoIntr:
		d.Buf = append(d.Buf, "? ERESTARTNOINTR (To be restarted)"...)
		return
	case eRestartNoHand:
		d.Buf = append(d.Buf, "? ERESTARTNOHAND (To be restarted if no handler)"...)
		return
	case eRestartBlock:
		d.Buf = append(d.Buf, "? ERESTART_RESTARTBLOCK (Interrupted by signal)"...)
		return
	}
	d.Buf = append(d.Buf, "-1 "...)
	d.errnoName(errno)
}

// errnoName writes the name and the text of an error.
func (d *Decoder) errnoName(errno int64) {
	name, text := ErrnoName(errno)
	if name == "" {
		d.Buf = append(d.Buf, "(errno "...)
		d.Buf = strconv.AppendInt(d.Buf, errno, 10)
		d.Buf = append(d.Buf, ')')
		return
	}
	d.Buf = append(d.Buf, name...)
	d.Buf = append(d.Buf, " ("...)
	d.Buf = append(d.Buf, text...)
	d.Buf = append(d.Buf, ')')
}

// Name is the name of the call of an event, for summaries and messages.
func (t *Rows) Name(abi event.ABI, nr uint32) string {
	if r := t.Row(abi, nr); r != nil {
		return r.Name
	}
	if abi == event.X32 {
		nr |= 0x40000000
	}
	return "syscall_0x" + strconv.FormatUint(uint64(nr), 16)
}
