package decode

// A message is the layout of a part of a network message or of an address: its
// fields one behind the other, the same in every ABI. (A Struct is laid out for
// each ABI and always shows all of its fields.)
type message struct {
	fields []msgField
	size   int
}

// A msgField is a field of a message.
type msgField struct {
	Arg
	opt bool // shown only if it is not all zeros
	// own, if not nil, writes the field with its separator and its name.
	own func(c *Call, name string, b []byte)
}

// layout makes a message of its fields.
func layout(fields ...msgField) *message {
	m := &message{fields: fields}
	for i := range fields {
		m.size += fields[i].size(Lay64)
	}
	return m
}

// has is a field that is always shown, opt one that is hidden while it is zero
// (padding, reserved), gap n bytes that are never shown.
// Not inlined: see Struct.Type.
//
//go:noinline
func has(name string, t Type) msgField { return msgField{Arg: Arg{name, t}} }

func opt(name string, t Type) msgField { return msgField{Arg: Arg{name, t}, opt: true} }

func gap(n int) msgField { return msgField{Arg: Arg{Type: pad(n)}} }

// Print writes {a=…, b=…} from as many fields as lie in b as a whole.
func (m *message) Print(c *Call, b []byte) {
	c.BeginStruct()
	m.PrintFields(c, b)
	c.EndStruct()
}

// PrintFields is Print without the braces.
func (m *message) PrintFields(c *Call, b []byte) {
	for i := range m.fields {
		f := &m.fields[i]
		n := f.size(Lay64)
		if n > len(b) {
			return
		}
		f.print(c, b[:n])
		b = b[n:]
	}
}

// PrintCut is Print that shows the part of a field that b ends in as bytes.
func (m *message) PrintCut(c *Call, b []byte) {
	c.BeginStruct()
	for i := 0; i < len(m.fields) && len(b) > 0; i++ {
		f := &m.fields[i]
		if n := f.size(Lay64); n <= len(b) {
			f.print(c, b[:n])
			b = b[n:]
			continue
		}
		c.Field(f.Name)
		c.StrHex(b, false)
		break
	}
	c.EndStruct()
}

func (f *msgField) print(c *Call, b []byte) {
	switch {
	case f.own != nil:
		f.own(c, f.Name, b)
	case f.Name == "" || f.opt && allZero(b):
	default:
		c.Field(f.Name)
		f.Val(c, b, 0)
	}
}

func allZero(b []byte) bool {
	for _, v := range b {
		if v != 0 {
			return false
		}
	}
	return true
}

// bytesType is a value of n bytes with a printer of its own.
func bytesType(n int, p func(c *Call, b []byte)) Type {
	s := uint16(n)
	return Type{
		Width: None, Size: [numLay]uint16{s, s, s}, Align: [numLay]uint16{1, 1, 1},
		Mem: func(c *Call, b []byte, _ uint64) { p(c, b) },
	}
}

// cstrOf is a string in an array of n bytes; without a NUL it is cut before the
// last byte.
func cstrOf(n int) Type {
	return bytesType(n, func(c *Call, b []byte) { c.CStrIn(b) })
}

// CStrIn writes the string in the array b.
func (c *Call) CStrIn(b []byte) {
	for i, ch := range b {
		if ch == 0 {
			c.Str(b[:i], false)
			return
		}
	}
	c.Str(b[:max(len(b)-1, 0)], true)
}

// hexOf is an array of n bytes, shown as "\x…".
func hexOf(n int) Type {
	return bytesType(n, func(c *Call, b []byte) { c.StrHex(b, false) })
}

// listOf is an array of n values inside a struct.
func listOf(n int, t Type) Type {
	size := t.size(Lay64)
	return bytesType(n*size, func(c *Call, b []byte) {
		c.BeginArray()
		for i := range n {
			c.Elem()
			t.Val(c, b[i*size:(i+1)*size], 0)
		}
		c.EndArray()
	})
}

// inner is a message as a field of another one.
func inner(m *message) Type { return bytesType(m.size, m.Print) }

// HexAt writes n bytes at addr as "\x…", cut at the -s limit; not readable: the
// address.
func (c *Call) HexAt(addr, n uint64) {
	shown := min(n, uint64(c.Opts.StringMax))
	b, ok := c.Read(addr, int(shown))
	if !ok {
		c.Addr(addr)
		return
	}
	c.StrHex(b, n > shown)
}
