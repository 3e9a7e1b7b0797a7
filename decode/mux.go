package decode

import "perftrace/event"

// A Mux makes a call stand for others: argument 0 says which one, argument 1
// points to its arguments, an array of words. It is shown as if that one had been
// called. Of the old 32-bit tables, socketcall is such a call.
type Mux struct {
	Calls map[uint32]string
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
			for v, name := range r.Mux.Calls {
				for _, sub := range byName[name] {
					if sub.ABIs == 0 || sub.ABIs&t.mask(abi) != 0 {
						rows[v] = sub
					}
				}
			}
			t.mux[abi][r.Mux] = rows
		}
	}
}

// demux makes the call that the current one stands for the current one, if its
// arguments could be read.
func (c *Call) demux(t *Rows) {
	e := c.Ev
	sub := t.mux[e.ABI][c.Row.Mux][uint32(e.Args[0])]
	if sub == nil {
		return
	}
	c.AtEntry = true
	b, ok := c.Read(c.mask(e.Args[1]), len(sub.Args)*c.Lay.Word())
	c.AtEntry = false
	if !ok {
		return
	}
	c.muxed = *e
	c.muxed.Args = [6]uint64{}
	for i := range sub.Args {
		c.muxed.Args[i] = c.Word(b[i*c.Lay.Word():])
	}
	c.Ev, c.Row = &c.muxed, sub
}

// muxPlan is what must be copied for a call that stands for others: the
// arguments, and what they point to.
func (t *Rows) muxPlan(abi event.ABI, r *Row, o *Options, abbrev bool) *event.CallPlan {
	l := t.layOf(abi)
	p := &event.CallPlan{CmdArg: 0, Commands: make(map[uint32][]event.Capture)}
	for v, sub := range t.mux[abi][r.Mux] {
		p.Commands[v] = throughArray(capture(sub.Args, sub.Ret, l, o, abbrev), len(sub.Args), l)
	}
	return p
}

// throughArray rewrites the captures of a call with n arguments for one whose
// arguments are an array that argument 1 points to.
func throughArray(caps []event.Capture, n int, l Lay) []event.Capture {
	word := l.Word()
	array := event.Capture{Kind: event.CapBytes, From: 1, Size: uint16(n * word), When: event.AtEntry}
	for i := range caps {
		array.When |= caps[i].When & event.AtExit
	}
	list := []event.Capture{array}
	for _, c := range caps {
		c.When &^= event.Netlink // argument 0 is no descriptor
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

// socketMux is socketcall; its numbers are in include/uapi/linux/net.h.
var socketMux = &Mux{Calls: map[uint32]string{
	1: "socket", 2: "bind", 3: "connect", 4: "listen", 5: "accept", 6: "getsockname", 7: "getpeername",
	8: "socketpair", 9: "send", 10: "recv", 11: "sendto", 12: "recvfrom", 13: "shutdown", 14: "setsockopt",
	15: "getsockopt", 16: "sendmsg", 17: "recvmsg", 18: "accept4", 19: "recvmmsg", 20: "sendmmsg",
}}
