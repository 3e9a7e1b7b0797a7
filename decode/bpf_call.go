package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// bpfRows is the call bpf. What its second argument points to hangs on the
// command: see bpf_attr.go and bpf_link.go.
var bpfRows = []Row{{
	Name: "bpf", Args: args{{"cmd", enum(xlat.BPFCmds)}, {"attr", addr}, {"size", udec}},
	Cmd: &Commands{Arg: 0, Of: bpfCommands()},
}}

// maxBPFAttr is the longest attribute that the kernel takes: a page.
const maxBPFAttr = 4096

// A bpfAttr is what a union bpf_attr holds for one command.
type bpfAttr struct {
	known  int    // bytes that are described
	within string // the fields are those of an inner struct of that name
	fields []bpfField
	ret    Ret
	fds    []int                     // offsets of descriptors
	caps   func(b *Caps, op int)     // captures of what pointers in it lead to
	size   func(c *Call, a view) int // bytes that are described, if that hangs on what is there
	after  func(c *Call, in, after view)
}

// A bpfField is shown if the attribute is longer than from and, if when is not
// nil, when says so. in is the attribute as it was when the call began, after
// as it was when it had returned.
type bpfField struct {
	name string
	at   int
	from int
	show func(c *Call, in, after view, at int)
	when func(in view) bool
}

// A view is memory that may end before a field does: what is missing is 0.
type view struct {
	b    []byte
	addr uint64
}

func (m view) u32(at int) uint64 { return m.load(at, 4) }
func (m view) u64(at int) uint64 { return m.load(at, 8) }

func (m view) load(at, n int) (v uint64) {
	for i := range n {
		if at+i < len(m.b) {
			v |= uint64(m.b[at+i]) << (8 * i)
		}
	}
	return v
}

// since is the field shown only if the attribute is longer than n, on if only
// cond says so.
func (f bpfField) since(n int) bpfField { f.from = n; return f }

func (f bpfField) on(cond func(in view) bool) bpfField { f.when = cond; return f }

// later is the field as it is when the call has returned.
func (f bpfField) later() bpfField {
	show := f.show
	f.show = func(c *Call, _, after view, at int) { show(c, after, after, at) }
	return f
}

// bf is a field of a scalar type. With since, it is there since an attribute
// that long; without, always.
func bf(name string, at int, t Type) bpfField {
	n := t.size(Lay64)
	return bpfField{name: name, at: at, from: -1, show: func(c *Call, in, _ view, at int) {
		t.Print(c, t.Width.extend(in.load(at, n), Lay64))
	}}
}

// bfs are several fields one behind the other that came with the first of them.
func bfs(at int, list ...Arg) (fields []bpfField) {
	from := at
	for _, a := range list {
		n := a.size(Lay64)
		at = (at + n - 1) / n * n
		fields = append(fields, bf(a.Name, at, a.Type).since(from))
		at += n
	}
	return fields
}

// bmem is a field whose value is shown from memory: show gets the address in it.
func bmem(name string, at int, show func(c *Call, in view, addr uint64)) bpfField {
	return bpfField{name: name, at: at, from: -1, show: func(c *Call, in, _ view, at int) { show(c, in, in.u64(at)) }}
}

// barray is an array of which the field at countAt says how many there are.
func barray(name string, at, countAt int, t Type) bpfField {
	return bmem(name, at, func(c *Call, in view, addr uint64) { c.Array(addr, in.u32(countAt), &t) })
}

// bname is a string in an array of 16 bytes, as much of it as is there.
func bname(name string, at int) bpfField {
	return bpfField{name: name, at: at, from: -1, show: func(c *Call, in, _ view, at int) {
		c.CStrIn(in.b[min(at, len(in.b)):min(at+bpfNameLen, len(in.b))])
	}}
}

const bpfNameLen = 16

// bchange is a number that the call may change.
func bchange(name string, at int) bpfField {
	return bpfField{name: name, at: at, from: -1, show: func(c *Call, in, after view, at int) {
		was, is := in.u32(at), after.u32(at)
		if was == is {
			c.Uint(was)
			return
		}
		c.BeginChange()
		c.Uint(was)
		c.Then()
		c.Uint(is)
		c.EndChange()
	}}
}

// bpfFields is all of the lists of fields as one.
func bpfFields(lists ...[]bpfField) (all []bpfField) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// capCount captures an array behind the pointer at offset at of capture op; the
// field at countAt says how many elements of size bytes it has.
func (b *Caps) capCount(op, at, countAt, size int) int {
	return b.Add(In(op, at, 0), event.Capture{
		Kind: event.CapBytes, Len: event.LenField, LenOff: uint16(countAt), LenWidth: 4,
		Size: uint16(size), Max: uint16(size * maxElems), When: event.AtExit,
	})
}

// capStr captures a string behind such a pointer: of at most n bytes, or of as
// many as -s says if n is 0.
func (b *Caps) capStr(op, at, n int) {
	b.Add(In(op, at, 0), event.Capture{Kind: event.CapString, Max: uint16(n), When: event.AtExit})
}

// typ is the attribute as the type of an argument.
func (a *bpfAttr) typ() Type {
	return Type{
		Width: Ulong,
		Print: a.print,
		Cap: func(b *Caps, at Place) {
			op := b.Add(at, event.Capture{
				Kind: event.CapBytes, Len: event.LenArg, LenFrom: 2, LenWidth: 4, Max: maxBPFAttr, When: event.AtEntry | event.AtExit,
			})
			if a.caps != nil {
				a.caps(b, op)
			}
			for _, off := range a.fds {
				capFD(b, In(op, off, 0))
			}
		},
	}
}

func (a *bpfAttr) print(c *Call, v uint64) {
	n := c.args[2]
	if n == 0 || n > maxBPFAttr || !c.Verbose {
		c.Addr(v)
		return
	}
	c.AtEntry = true
	b, ok := c.Read(v, int(n))
	c.AtEntry = false
	if !ok {
		c.Addr(v)
		return
	}
	in := view{b, v}
	after := in
	if c.Returned() {
		if b, ok := c.Read(v, int(n)); ok {
			after = view{b, v}
		}
	}
	known := a.known
	if a.size != nil {
		known = a.size(c, in)
	}
	c.BeginStruct()
	if a.within != "" {
		c.Field(a.within)
		c.BeginStruct()
	}
	a.printFields(c, in, after)
	if a.within != "" {
		c.EndStruct()
	}
	c.extraData(after, known)
	c.EndStruct()
	if a.after != nil {
		a.after(c, in, after)
	}
}

func (a *bpfAttr) printFields(c *Call, in, after view) {
	for i := range a.fields {
		f := &a.fields[i]
		if min(len(in.b), a.known) <= f.from || f.when != nil && !f.when(in) {
			continue
		}
		if f.name != "" {
			c.Field(f.name)
		}
		f.show(c, in, after, f.at)
	}
}

// extraData writes what lies behind the known bytes of an attribute, if any of it
// is not 0.
func (c *Call) extraData(m view, known int) {
	if len(m.b) <= known || allZero(m.b[known:]) {
		return
	}
	if c.Abbrev {
		c.MoreFields()
		return
	}
	c.Field("extra_data")
	c.StrHex(m.b[known:], false)
	if c.Opt.JSON {
		return
	}
	c.Syntax(" /* bytes ")
	c.Uint(uint64(known))
	c.Syntax("..")
	c.Uint(uint64(len(m.b) - 1))
	c.Syntax(" */")
}

// elemFlags are flags of which 0 has a name, or is unknown.
func elemFlags(x *out.Xlat) Type {
	return printed(U64, func(c *Call, v uint64) {
		if v != 0 {
			c.Flags(v, x)
		} else {
			c.Enum(v, x)
		}
	})
}

// kernelVersion is KERNEL_VERSION(4, 1, 0).
var kernelVersion = exprOf(U32, func(c *Call, v uint64) {
	c.BeginCall("KERNEL_VERSION")
	for _, n := range [...]uint64{v >> 16, v >> 8 & 0xff, v & 0xff} {
		c.Param()
		c.Uint(n)
	}
	c.EndCall()
})
