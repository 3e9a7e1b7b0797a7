package decode

import (
	"maps"
	"slices"

	"perftrace/event"
)

// A Mux makes a call stand for others: argument 0 says which one. It is shown as
// if that one had been called. Of the old 32-bit tables, socketcall and ipc are
// such calls.
type Mux struct {
	Mask  uint32 // bits of argument 0 that count; 0: all
	Calls map[uint32]subcall
}

// A subcall is one of the calls that a Mux stands for.
type subcall struct {
	name string
	row  *Row // its row, if it is not that of the name
	// regs are the registers that hold its arguments; nil: argument 1 points to
	// them, an array of words.
	regs []uint8
	// mend sets right in e what the registers do not tell, from memory that also
	// says to copy. It reports false if the memory is not there.
	mend func(c *Call, e *event.Event) bool
	also event.Capture
}

// resolveMux finds the rows of the calls that multiplexers stand for.
func (t *Rows) resolveMux(byName map[string][]*Row) {
	for abi := range event.NumABI {
		for _, r := range t.rows[abi] {
			if r == nil || r.Mux == nil {
				continue
			}
			if t.mux[abi] == nil {
				t.mux[abi] = make(map[*Mux]map[uint32]*Row)
			}
			rows := make(map[uint32]*Row, len(r.Mux.Calls))
			for v, call := range r.Mux.Calls {
				if rows[v] = call.row; call.row != nil {
					continue
				}
				for _, sub := range byName[call.name] {
					if sub.ABIs == 0 || sub.ABIs&t.mask(abi) != 0 {
						rows[v] = sub
					}
				}
			}
			t.mux[abi][r.Mux] = rows
		}
	}
}

func (m *Mux) function(e *event.Event) uint32 {
	if m.Mask != 0 {
		return uint32(e.Args[0]) & m.Mask
	}
	return uint32(e.Args[0])
}

// demux makes the call that the current one stands for the current one, if its
// arguments could be read.
func (c *Call) demux(t *Rows) {
	e, m := c.Ev, c.Row.Mux
	v := m.function(e)
	sub := t.mux[e.ABI][m][v]
	if sub == nil {
		return
	}
	call := m.Calls[v]
	c.muxed = *e
	c.muxed.Args = [6]uint64{}
	if call.regs == nil {
		c.AtEntry = true
		b, ok := c.Read(c.mask(e.Args[1]), len(sub.Args)*c.Lay.Word())
		c.AtEntry = false
		if !ok {
			return
		}
		for i := range sub.Args {
			c.muxed.Args[i] = c.Word(b[i*c.Lay.Word():])
		}
	}
	for i, reg := range call.regs {
		c.muxed.Args[i] = e.Args[reg]
	}
	if call.mend != nil && !call.mend(c, &c.muxed) {
		return
	}
	c.Ev, c.Row = &c.muxed, sub
}

// muxPlan is what must be copied for a call that stands for others: their
// arguments, and what they point to.
func (t *Rows) muxPlan(abi event.ABI, r *Row, o *Options, abbrev bool) *event.CallPlan {
	l := t.layOf(abi)
	p := &event.CallPlan{CmdArg: 0, CmdMask: r.Mux.Mask, Commands: make(map[uint32][]event.Capture)}
	for v, sub := range t.mux[abi][r.Mux] {
		if sub == nil {
			continue
		}
		call := r.Mux.Calls[v]
		caps := sub.allCaptures(l, o, abbrev)
		if call.regs == nil {
			caps = throughArray(caps, len(sub.Args), l, o.StringMax)
		} else {
			inRegisters(caps, call.regs)
		}
		if call.also.Kind != event.CapNone && len(caps) < event.MaxCaptures {
			caps = append(caps, call.also)
		}
		p.Commands[v] = caps
	}
	return p
}

// allCaptures are the captures of a call whatever its command is: where commands
// differ, the larger object.
func (r *Row) allCaptures(l Lay, o *Options, abbrev bool) []event.Capture {
	if r.Cmd == nil {
		return capture(r.Args, r.Ret, l, o, abbrev)
	}
	var all []event.Capture
	for _, v := range slices.Sorted(maps.Keys(r.Cmd.Of)) {
		cmd := r.Cmd.Of[v]
		for _, c := range capture(slices.Concat(r.Args[:r.Cmd.Arg+1], cmd.Args), cmd.Ret, l, o, abbrev) {
			i := slices.IndexFunc(all, func(a event.Capture) bool {
				return a.Kind == c.Kind && a.From == c.From && a.Off == c.Off && a.Len == c.Len
			})
			if i < 0 {
				all = append(all, c)
				continue
			}
			all[i].Size = max(all[i].Size, c.Size)
			both := all[i].When & c.When & event.IfOK
			all[i].When = (all[i].When|c.When)&^event.IfOK | both
		}
	}
	return all
}

// inRegisters rewrites the captures of a call for one whose argument i is in
// register regs[i].
func inRegisters(caps []event.Capture, regs []uint8) {
	for i := range caps {
		c := &caps[i]
		c.When &^= event.Netlink // argument 0 is no descriptor
		if int(c.From) < len(regs) {
			c.From = regs[c.From]
		}
		if c.Len == event.LenArg && int(c.LenFrom) < len(regs) {
			c.LenFrom = regs[c.LenFrom]
		}
	}
}

// throughArray rewrites the captures of a call with n arguments for one whose
// arguments are an array that argument 1 points to. Argument 0 being no
// descriptor, what may be a netlink message is taken for one, unless -s copies
// more anyway.
func throughArray(caps []event.Capture, n int, l Lay, stringMax int) []event.Capture {
	word := l.Word()
	array := event.Capture{Kind: event.CapBytes, From: 1, Size: uint16(n * word), When: event.AtEntry}
	for i := range caps {
		array.When |= caps[i].When & event.AtExit
	}
	list := []event.Capture{array}
	for _, c := range caps {
		if c.When&event.Netlink != 0 && c.Kind == event.CapBytes && stringMax < event.NetlinkMax {
			c.Max = event.NetlinkMax
		}
		c.When &^= event.Netlink
		switch {
		case c.From >= event.FromOp:
			c.From++
		case c.From != event.FromRet:
			c.Off = uint16(int(c.From) * word)
			c.From = event.FromOp
		}
		switch c.Len {
		case event.LenArg:
			c.Len, c.LenOff, c.LenFrom = event.LenOp, uint16(int(c.LenFrom)*word), 0
			if c.LenWidth == 0 {
				c.LenWidth = uint8(word)
			}
		case event.LenOp:
			c.LenFrom++
		}
		if len(list) < event.MaxCaptures {
			list = append(list, c)
		}
	}
	return list
}

// named are subcalls with their arguments in an array.
func named(names map[uint32]string) map[uint32]subcall {
	calls := make(map[uint32]subcall, len(names))
	for v, name := range names {
		calls[v] = subcall{name: name}
	}
	return calls
}

// socketMux is socketcall; its numbers are in include/uapi/linux/net.h.
var socketMux = &Mux{Calls: named(map[uint32]string{
	1: "socket", 2: "bind", 3: "connect", 4: "listen", 5: "accept", 6: "getsockname", 7: "getpeername",
	8: "socketpair", 9: "send", 10: "recv", 11: "sendto", 12: "recvfrom", 13: "shutdown", 14: "setsockopt",
	15: "getsockopt", 16: "sendmsg", 17: "recvmsg", 18: "accept4", 19: "recvmmsg", 20: "sendmmsg",
})}
