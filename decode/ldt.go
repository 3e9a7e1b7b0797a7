package decode

import "perftrace/event"

// ldtRows are the calls of x86 on segments.
var ldtRows = []Row{
	{Name: "modify_ldt", Ret: RetClipped, Args: args{{"func", dec}, {"ptr", ldtDesc}, {"bytecount", size}}},
	{Name: "set_thread_area", Aux: auxEntryNumber, Args: args{{"u_info", chosenArea}}},
	{Name: "get_thread_area", Args: args{{"u_info", threadArea}}},
}

// userDescSize is the size of struct user_desc.
const userDescSize = 16

// userDesc is a struct user_desc: a segment of x86.
var userDesc = Type{
	Width: None, Size: [numLay]uint16{16, 16, 16}, Align: [numLay]uint16{4, 4, 4},
	Mem: func(c *Call, b []byte, _ uint64) {
		c.BeginStruct()
		c.Field("entry_number")
		c.ID(c.U32(b), 1<<32-1)
		c.userDescRest(b)
		c.EndStruct()
	},
}

// userDescBits are its last fields: names and widths in bits.
var userDescBits = [...]struct {
	name  string
	width uint
}{
	{"seg_32bit", 1}, {"contents", 2}, {"read_exec_only", 1}, {"limit_in_pages", 1}, {"seg_not_present", 1}, {"useable", 1}, {"lm", 1},
}

func (c *Call) userDescRest(b []byte) {
	c.Field("base_addr")
	c.HexWide(c.U32(b[4:]), 8)
	c.Field("limit")
	c.HexWide(c.U32(b[8:]), 8)
	bits := c.U32(b[12:])
	n := len(userDescBits)
	if c.Lay != Lay64 {
		n-- // a task of 32 bits has no lm
	}
	for i := range n {
		f := &userDescBits[i]
		c.Field(f.name)
		c.Uint(bits & (1<<f.width - 1))
		bits >>= f.width
	}
}

// ldtDesc is a descriptor of exactly that many bytes.
var ldtDesc = func() Type {
	t := inEntry(userDesc)
	print := t.Print
	t.Print = func(c *Call, v uint64) {
		if c.args[2] != userDescSize {
			c.Addr(v)
			return
		}
		print(c, v)
	}
	return t
}()

// chosenArea is a descriptor in which the call may write the number it chose.
var chosenArea = func() Type {
	t := inEntry(userDesc)
	entry := t.Cap
	t.Cap = func(b *Caps, at Place) {
		entry(b, at)
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: userDescSize, When: event.AtExit | event.IfOK})
	}
	return t
}()

// auxEntryNumber is the entry that was chosen.
func auxEntryNumber(c *Call) bool {
	b, ok := c.Read(c.args[0], userDescSize)
	if !ok || !c.Verbose {
		return false
	}
	c.Syntax("entry_number=")
	c.Uint(c.U32(b))
	return true
}

// threadArea is a descriptor whose number is asked for and whose rest is filled
// in.
var threadArea = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		c.AtEntry = true
		b, ok := c.ReadOr(v, 4)
		c.AtEntry = false
		if !ok {
			return
		}
		asked := c.U32(b)
		c.BeginStruct()
		c.Field("entry_number")
		after, ok := c.Read(v, userDescSize)
		switch {
		case !ok || c.Failed() || !c.Returned():
			c.ID(asked, 1<<32-1)
			c.MoreFields()
		default:
			if got := c.U32(after); got != asked {
				c.BeginChange()
				c.ID(asked, 1<<32-1)
				c.Then()
				c.ID(got, 1<<32-1)
				c.EndChange()
			} else {
				c.ID(asked, 1<<32-1)
			}
			c.userDescRest(after)
		}
		c.EndStruct()
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: 4, When: event.AtEntry})
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: userDescSize, When: event.AtExit | event.IfOK})
	},
}
