package decode

import (
	"strconv"

	"perftrace/event"
)

// A Decoder writes calls. The caller begins a line (Begin), may append a prefix
// of its own to Buf, and then calls Enter, Resumed or Whole. One goroutine uses
// it.
type Decoder struct {
	Call
	rows *Rows
	opts Options
	line int // where the line begins in Buf
}

// New makes a decoder for events of an architecture.
func New(rows *Rows, o Options) *Decoder {
	d := &Decoder{rows: rows, opts: o}
	d.Call.Opts = &d.opts
	d.Printer.Opt = o.Options
	return d
}

// Begin starts a line at the end of Buf.
func (d *Decoder) Begin() {
	d.Restart()
	d.line = len(d.Buf)
}

// load makes e the current call.
func (d *Decoder) load(e *event.Event) {
	c := &d.Call
	c.Ev = e
	c.Lay = d.rows.layOf(e.ABI)
	c.Machine = d.rows.machine(e.ABI)
	c.Row = d.rows.Row(e.ABI, e.NR)
	c.AtEntry = false
	c.depth = 0
	c.Abbrev = d.opts.Abbrev[e.ABI].Has(e.NR)
	c.Verbose = d.opts.Verbose[e.ABI].Has(e.NR)
	c.Raw = d.opts.Raw[e.ABI].Has(e.NR)
	c.in.parse(e.In)
	c.out.parse(e.Out)
	if c.Row != nil && c.Row.Mux != nil {
		c.demux(d.rows)
	}
	c.args = c.Ev.Args
}

// Name is the name of the event's call: the row's, or syscall_0x….
func (d *Decoder) name(e *event.Event) {
	if r := d.Row; r != nil {
		d.Buf = append(d.Buf, r.Name...)
		return
	}
	nr := uint64(e.NR)
	if e.ABI == event.X32 {
		nr |= 0x40000000
	}
	d.Buf = append(d.Buf, "syscall_0x"...)
	d.Buf = strconv.AppendUint(d.Buf, nr, 16)
}

// Enter writes what is known when a call begins: "name(args" up to the first
// argument that only the return tells.
func (d *Decoder) Enter(e *event.Event) {
	d.load(e)
	d.name(e)
	d.Buf = append(d.Buf, '(')
	d.arguments(partEnter)
}

// NoReturn writes a call that never returns: "exit_group(0) = ?", or, if there
// are arguments that only the return tells, "read(0 <unfinished ...>) = ?".
func (d *Decoder) NoReturn(e *event.Event) {
	d.load(e)
	d.name(e)
	d.Buf = append(d.Buf, '(')
	if d.arguments(partEnter) {
		d.Buf = append(d.Buf, " <unfinished ...>"...)
	}
	d.close()
	d.Buf = append(d.Buf, '?')
}

// Whole writes a returned call: name(args) = result.
func (d *Decoder) Whole(e *event.Event) {
	d.load(e)
	d.name(e)
	d.Buf = append(d.Buf, '(')
	d.arguments(partAll)
	d.close()
	d.result()
}

// Resumed writes the end of a call whose beginning Enter wrote:
// "<... name resumed>rest) = result".
func (d *Decoder) Resumed(e *event.Event) {
	d.load(e)
	d.Buf = append(d.Buf, "<... "...)
	d.name(e)
	d.Buf = append(d.Buf, " resumed>"...)
	d.rest()
}

// close writes ") " and the padding before "= ".
func (d *Decoder) close() {
	d.Buf = append(d.Buf, ')')
	d.pad()
	d.Buf = append(d.Buf, "= "...)
}

// pad fills the line with spaces up to the column of the result, at least one.
func (d *Decoder) pad() {
	d.Buf = append(d.Buf, ' ')
	for len(d.Buf)-d.line < d.opts.Column {
		d.Buf = append(d.Buf, ' ')
	}
}

type part uint8

const (
	partAll   part = iota
	partEnter      // up to the first Out argument
	partRest       // from there on
)

// arguments writes the arguments of the current call, or a part of them. It
// reports whether partEnter left some out.
func (d *Decoder) arguments(p part) (more bool) {
	c := &d.Call
	if c.Ev.Flags&event.NoArgs != 0 {
		return false
	}
	if c.Row == nil {
		if p != partRest {
			for _, v := range c.Ev.Args {
				c.Arg("")
				c.Hex(c.mask(v))
			}
		}
		return false
	}
	list, tail := c.takeAll()
	shown := p != partRest
	for i := 0; i < len(list)+len(tail); i++ {
		a := nth(list, tail, i)
		if a.Out {
			if p == partEnter {
				return true
			}
			if !shown && i > 0 {
				c.Continued() // the separator belongs to the rest
			}
			shown = true
		}
		if a.Hide != nil && a.Hide(c) {
			continue
		}
		if !shown {
			continue
		}
		c.Arg(a.Name)
		if (d.opts.ArgNames || a.Named) && !d.opts.JSON {
			d.Buf = append(append(d.Buf, a.Name...), '=')
		}
		v := uint64(0)
		if i < 6 {
			v = c.args[i]
		}
		if c.Raw {
			c.Hex(c.mask(v))
			continue
		}
		a.Print(c, v)
	}
	return false
}

// takeAll fills c.args with the values of the arguments and returns what they
// are: the row's, and behind them those of its command.
func (c *Call) takeAll() (list, tail []Arg) {
	list = c.Row.Args
	if m := c.Row.Cmd; m != nil {
		if cmd := c.command(); cmd != nil {
			list, tail = list[:m.Arg+1], cmd.Args
		}
	}
	reg := 0
	for i := 0; i < len(list)+len(tail); i++ {
		v := c.take(nth(list, tail, i), &reg)
		if i < 6 {
			c.args[i] = v
		}
	}
	return list, tail
}

// take returns the value of the next argument and moves reg behind it.
func (c *Call) take(a *Arg, reg *int) uint64 {
	if a.wide(c.Lay) {
		if c.Lay == LayARM {
			*reg += *reg & 1
		}
		if *reg > 4 {
			*reg = 6
			return 0
		}
		v := c.Ev.Args[*reg]&0xffffffff | c.Ev.Args[*reg+1]<<32
		*reg += 2
		return v
	}
	if *reg > 5 {
		return 0
	}
	v := a.Width.extend(c.Ev.Args[*reg], c.Lay)
	*reg++
	return v
}

// mask cuts a register to the ABI's word.
func (c *Call) mask(v uint64) uint64 {
	if c.Lay != Lay64 {
		return v & 0xffffffff
	}
	return v
}

// command is the meaning of the current call's command argument, or nil.
func (c *Call) command() *Command {
	m := c.Row.Cmd
	v := uint32(c.Ev.Args[m.Arg])
	if m.Mask != 0 {
		v &= m.Mask
	}
	return m.Of[v]
}

// nth is argument i of list followed by tail.
func nth(list, tail []Arg, i int) *Arg {
	if i < len(list) {
		return &list[i]
	}
	return &tail[i-len(list)]
}
