package decode

import (
	"strconv"

	"perftrace/event"
)

// rest writes what comes behind the arguments that Enter wrote.
func (d *Decoder) rest() {
	if d.Ev.Kind == event.KindNoReturn {
		at := len(d.Buf)
		more := d.arguments(partEnter)
		d.Buf = d.Buf[:at]
		if more {
			d.Buf = append(d.Buf, " <unfinished ...>"...)
		}
		d.close()
		d.Buf = append(d.Buf, '?')
		return
	}
	d.arguments(partRest)
	d.close()
	d.result()
}

// Continue writes the end of a call to the line that Enter began, of which col
// bytes are written already, in Buf or on their way. It is called without Begin.
func (d *Decoder) Continue(e *event.Event, col int) {
	d.Restart()
	d.line = len(d.Buf) - col
	d.load(e)
	d.rest()
}

// JSON writes the members of an object that are the decoder's: name, args, ret,
// ret_fd, ret_text, errno, each with a comma in front.
func (d *Decoder) JSON(e *event.Event) {
	d.load(e)
	d.Buf = append(d.Buf, `,"name":"`...)
	d.name(e)
	d.Buf = append(d.Buf, '"')
	if e.Flags&event.NoArgs == 0 {
		d.Buf = append(d.Buf, `,"args":{`...)
		d.Restart()
		d.arguments(partAll)
		d.Buf = append(d.Buf, '}')
	}
	if e.Kind != event.KindSyscall {
		return
	}
	errno, failed := e.Failed()
	if !failed {
		v := e.Ret
		if d.Lay != Lay64 {
			v = int64(int32(v))
		}
		d.Buf = append(d.Buf, `,"ret":`...)
		d.Buf = strconv.AppendInt(d.Buf, v, 10)
		d.retFD(v)
		d.retText()
		return
	}
	name := ""
	switch errno {
	case eRestartSys:
		name = "ERESTARTSYS"
	case eRestartNoIntr:
		name = "ERESTARTNOINTR"
	case eRestartNoHand:
		name = "ERESTARTNOHAND"
	case eRestartBlock:
		name = "ERESTART_RESTARTBLOCK"
	default:
		name, _ = ErrnoName(errno)
	}
	d.Buf = append(d.Buf, `,"ret":-1,"errno":`...)
	if name == "" {
		d.Buf = strconv.AppendInt(d.Buf, errno, 10)
		return
	}
	d.Buf = append(d.Buf, '"')
	d.Buf = append(d.Buf, name...)
	d.Buf = append(d.Buf, '"')
}

// retFD writes what the descriptor is that the call returned, if that is known:
// "ret_fd":{"fd":3,"file":"/etc/passwd"}.
func (d *Decoder) retFD(v int64) {
	if ret, _ := d.returns(); ret != RetFD || d.Opts.FDs == 0 {
		return
	}
	at := len(d.Buf)
	d.Buf = append(d.Buf, `,"ret_fd":`...)
	from := len(d.Buf)
	d.ofResult = true
	d.FD(v)
	d.ofResult = false
	if d.Buf[from] != '{' { // the number alone
		d.Buf = d.Buf[:at]
	}
}

// retText writes what the line has in parentheses behind the result, as text:
// "ret_text":"flags O_RDWR".
func (d *Decoder) retText() {
	_, aux := d.returns()
	if aux == nil {
		return
	}
	at := len(d.Buf)
	d.Buf = append(d.Buf, `,"ret_text":"`...)
	from := len(d.Buf)
	d.Opt.JSON, d.opts.JSON = false, false
	d.Restart()
	some := aux(&d.Call)
	d.Opt.JSON, d.opts.JSON = true, true
	if !some {
		d.Buf = d.Buf[:at]
		return
	}
	d.EscapeJSON(from)
	d.Buf = append(d.Buf, '"')
}
