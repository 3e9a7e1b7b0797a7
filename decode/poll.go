package decode

import (
	"strconv"

	"perftrace/decode/xlat"
	"perftrace/event"
)

// pollRows are the calls that wait until descriptors are ready.
var pollRows = []Row{
	{Name: "poll", Args: args{{"fds", pollFDs}, {"nfds", udec}, {"timeout", dec}}, Aux: auxPoll(nil)},
	{Name: "ppoll", Args: args{{"fds", pollFDs}, {"nfds", udec}, {"tmo_p", timeLeft(timespec)}, {"sigmask", sigsetPtr(in, 4)}, {"sigsetsize", size}}, Aux: auxPoll(&timespec)},
	{Name: "ppoll_time64", Args: args{{"fds", pollFDs}, {"nfds", udec}, {"tmo_p", timeLeft(timespec64)}, {"sigmask", sigsetPtr(in, 4)}, {"sigsetsize", size}}, Aux: auxPoll(&timespec64)},
	{Name: "select", Args: selectArgs(timeval), Aux: auxSelect(&timeval)},
	{Name: "select", ABIs: On32, Args: args{{"arg", oldSelect}}, Aux: auxOldSelect},
	{Name: "_newselect", Args: selectArgs(timeval), Aux: auxSelect(&timeval)},
	{Name: "pselect6", Args: append(selectArgs(timespec), Arg{"sig", in(sigsetArg)}), Aux: auxSelect(&timespec)},
	{Name: "pselect6_time64", Args: append(selectArgs(timespec64), Arg{"sig", in(sigsetArg)}), Aux: auxSelect(&timespec64)},
}

const pollfdSize = 8

var pollFDs = array(in, Type{
	Width: None, Size: [numLay]uint16{pollfdSize, pollfdSize, pollfdSize}, Align: [numLay]uint16{4, 4, 4},
	Mem: func(c *Call, b []byte, _ uint64) {
		n := c.I32(b)
		c.BeginStruct()
		c.Field("fd")
		c.FD(n)
		if n >= 0 {
			c.Field("events")
			c.Flags(c.U16(b[4:]), xlat.PollFlags)
		}
		c.EndStruct()
	},
	Cap: capFD,
}, argCount32(1))

// timeLeft is a pointer to a time-out that the call may overwrite with what is
// left of it: shown as it was at entry, and captured at both moments.
func timeLeft(t Type) Type {
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) {
			c.AtEntry = true
			if b, ok := c.ReadOr(v, t.size(c.Lay)); ok {
				t.Val(c, b, v)
			}
			c.AtEntry = false
		},
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(t.size(b.Lay)), When: event.AtEntry | event.AtExit})
		},
	}
}

// left writes what is left of the time-out at addr.
func (c *Call) left(addr uint64, t *Type) {
	c.Syntax("left ")
	if b, ok := c.ReadOr(addr, t.size(c.Lay)); ok {
		t.Val(c, b, addr)
	}
}

// auxPoll writes the descriptors that are ready, and what is left of a time-out
// of type t, argument 2.
func auxPoll(t *Type) func(c *Call) bool {
	return func(c *Call) bool {
		if c.Ev.Ret == 0 {
			c.Syntax("Timeout")
			return true
		}
		start := len(c.Buf)
		any := c.ready()
		if t == nil || c.args[2] == 0 {
			return any
		}
		at := len(c.Buf)
		if any {
			c.Syntax(", ")
		}
		from := len(c.Buf)
		c.left(c.args[2], t)
		// strace has no room left: ", left " counts, whatever it is
		if at-start+len(", left ")+1+len(c.Buf)-from-len("left ") >= auxRoom {
			c.Buf = append(c.Buf[:at], ", ..."...)
		}
		return true
	}
}

// What strace writes behind the result of poll is at most auxRoom bytes long; the
// list ends with "..." when a descriptor less than auxRest before that would end.
const (
	auxRoom = 1024
	auxRest = 27
)

// ready writes the pollfds whose revents say something: [{fd=3, revents=POLLIN}].
func (c *Call) ready() bool {
	addr, n := c.args[0], c.args[1]
	if !c.Verbose || addr == 0 || n == 0 || c.mask(addr+n*pollfdSize) < addr {
		return false
	}
	printed, start := 0, len(c.Buf)
	begin := func() {
		if printed == 0 {
			c.BeginArray()
		}
		c.Elem()
	}
	for i := range min(n, maxElems) {
		at := addr + i*pollfdSize
		b, ok := c.Read(at, pollfdSize)
		if !ok {
			begin()
			printed++
			c.Addr(at)
			break
		}
		revents := c.U16(b[6:])
		if revents == 0 {
			continue
		}
		begin()
		printed++
		if c.Abbrev && printed > c.Opts.StringMax {
			c.More()
			break
		}
		from := len(c.Buf)
		c.BeginStruct()
		c.Field("fd")
		c.Int(c.I32(b))
		c.Field("revents")
		c.Flags(revents, xlat.PollFlags)
		c.EndStruct()
		if len(c.Buf)-start >= auxRoom-auxRest {
			c.Buf = c.Buf[:from]
			c.More()
			break
		}
	}
	if printed > 0 {
		c.EndArray()
	}
	return printed > 0
}

// selectArgs are the arguments of select with a time-out of type t.
func selectArgs(t Type) args {
	return args{{"nfds", dec}, {"readfds", fdSet}, {"writefds", fdSet}, {"exceptfds", fdSet}, {"timeout", timeLeft(t)}}
}

const eFault = 14

// maxSetFDs is the most descriptors of an fd_set that are looked at.
const maxSetFDs = 1 << 15

// setBytes is the size of the fd_sets of a select, and the descriptors in them.
func (c *Call) setBytes() (bytes, fds int) {
	fds = min(max(int(int32(c.args[0])), 0), maxSetFDs)
	word := c.Lay.Word()
	return ((fds+7)/8 + word - 1) / word * word, fds
}

// fdSet is a pointer to an fd_set of as many descriptors as argument 0 says: as
// it was at entry, [3 5].
var fdSet = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		n, fds := c.setBytes()
		if n == 0 {
			c.Addr(v)
			return
		}
		c.AtEntry = true
		b := c.Avail(v, n)
		c.AtEntry = false
		// The kernel looks only as far as the task can have descriptors: of a set
		// larger than that, what lies behind may never have been touched, and so
		// can't be copied.
		huge := int32(c.args[0]) > maxSetFDs && len(b) > 0 && c.Ev.Ret != -eFault
		if !c.Verbose || len(b) < n && !huge {
			c.Addr(v)
			return
		}
		fds = min(fds, 8*len(b))
		c.BeginSet(false)
		for i := range fds {
			if b[i/8]>>(i%8)&1 != 0 {
				c.Member()
				c.FD(int64(i))
			}
		}
		c.EndSet()
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenFDSet, LenFrom: 0, Max: maxSetFDs / 8, When: event.AtEntry | event.AtExit})
	},
}

// auxSelect writes the descriptors that are ready, by set, and what is left of
// the time-out of type t.
func auxSelect(t *Type) func(c *Call) bool {
	return func(c *Call) bool {
		if c.Ev.Ret == 0 {
			c.Syntax("Timeout")
			return true
		}
		n, fds := c.setBytes()
		todo := c.Ev.Ret
		sep := ""
		for i, name := range [3]string{"in", "out", "except"} {
			addr := c.args[1+i]
			b := c.Avail(addr, n)
			if todo <= 0 || len(b) == 0 {
				continue
			}
			first := true
			for j := 0; j < min(fds, 8*len(b)) && todo > 0; j++ {
				if b[j/8]>>(j%8)&1 == 0 {
					continue
				}
				if first {
					c.Syntax(sep)
					c.Syntax(name)
					c.Syntax(" [")
					sep = ", "
				} else {
					c.Syntax(" ")
				}
				first = false
				c.Buf = strconv.AppendInt(c.Buf, int64(j), 10)
				todo--
			}
			if !first {
				c.Syntax("]")
			}
		}
		if c.args[4] != 0 {
			c.Syntax(sep)
			c.left(c.args[4], t)
		}
		return true
	}
}

// sigsetArg is the pair of a signal set and its size that pselect6 takes behind
// its last argument.
var sigsetArg = Type{
	Width: None, Size: [numLay]uint16{16, 8, 8}, Align: [numLay]uint16{8, 4, 4},
	Mem: func(c *Call, b []byte, _ uint64) {
		word := c.Lay.Word()
		addr, size := c.Word(b), c.Word(b[word:])
		c.BeginStruct()
		c.Field("sigmask")
		if size < uint64(word) || size > maxSigset {
			c.Addr(addr)
		} else if set, ok := c.ReadOr(addr, int(size)); ok {
			c.Sigset(set)
		}
		c.Field("sigsetsize")
		c.Uint(size)
		c.EndStruct()
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenField, LenOff: uint16(b.Lay.Word()), Max: maxSigset, When: event.AtExit})
	},
}

// oldSelect is the pointer to the five arguments that the first select of 32-bit
// ABIs takes: shown as if they were its own.
var oldSelect = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		list := selectArgs(timeval)
		word := c.Lay.Word()
		b, ok := c.ReadOr(v, len(list)*word)
		if !ok {
			return
		}
		for i := range list {
			c.args[i] = list[i].Width.extend(c.Word(b[i*word:]), c.Lay)
		}
		for i := range list {
			if i > 0 {
				c.Arg(list[i].Name)
			}
			list[i].Print(c, c.args[i])
		}
	},
	Cap: func(b *Caps, at Place) {
		const setBytes = 128 // of as many descriptors as a program's fd_set has
		word := b.Lay.Word()
		op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(5 * word), When: event.AtEntry | event.AtExit})
		for i := 1; i <= 3; i++ {
			b.Add(In(op, i*word, 0), event.Capture{Kind: event.CapBytes, Size: setBytes, When: event.AtEntry | event.AtExit})
		}
		b.Add(In(op, 4*word, 0), event.Capture{Kind: event.CapBytes, Size: uint16(timeval.size(b.Lay)), When: event.AtEntry | event.AtExit})
	},
}

func auxOldSelect(c *Call) bool {
	if _, ok := c.Read(c.mask(c.Ev.Args[0]), 5*c.Lay.Word()); !ok {
		return false
	}
	return auxSelect(&timeval)(c)
}
