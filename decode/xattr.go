package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// xattrRows are the calls on extended attributes, and those on the flags of an
// inode.
var xattrRows = xattrCalls()

func xattrCalls() (rows []Row) {
	xflags := flags(xlat.XattrFlags)
	for _, on := range []struct {
		prefix string
		what   Arg
	}{{"", Arg{"pathname", path}}, {"l", Arg{"pathname", path}}, {"f", Arg{"fd", fd}}} {
		rows = append(rows,
			Row{Name: on.prefix + "setxattr", Args: args{on.what, {"name", str}, {"value", inXattr}, {"size", size}, {"flags", xflags}}},
			Row{Name: on.prefix + "getxattr", Args: args{on.what, {"name", str}, {"value", outXattr}, {"size", size}}},
			Row{Name: on.prefix + "listxattr", Args: args{on.what, {"list", xattrList(2)}, {"size", size}}},
			Row{Name: on.prefix + "removexattr", Args: args{on.what, {"name", str}}},
		)
	}
	at := args{{"dirfd", dirfd}, {"pathname", path}, {"flags", flags(xlat.XattratFlags)}}
	named := append(append(args{}, at...), Arg{"name", str})
	return append(
		rows,
		Row{Name: "setxattrat", Args: append(append(args{}, named...), Arg{"args", setXattrArgs}, Arg{"size", size})},
		Row{Name: "getxattrat", Args: append(append(args{}, named...), Arg{"args", getXattrArgs}, Arg{"size", size})},
		Row{Name: "listxattrat", Args: append(append(args{}, at...), Arg{"list", xattrList(4)}, Arg{"size", size})},
		Row{Name: "removexattrat", Args: named},
		Row{Name: "file_getattr", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"attr", fileAttr(true)}, {"size", size}, {"flags", flags(xlat.FileAttrFlags)}}},
		Row{Name: "file_setattr", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"attr", fileAttr(false)}, {"size", size}, {"flags", flags(xlat.FileAttrFlags)}}},
	)
}

// maxXattr is XATTR_SIZE_MAX: values that are longer are not read.
const maxXattr = 65536

// TextAt writes n bytes at addr as a string, without a NUL at their end.
func (c *Call) TextAt(addr, n uint64) {
	limit := uint64(c.Opts.StringMax)
	if addr == 0 || n == 0 {
		c.BufAt(addr, n)
		return
	}
	want := min(n, limit+1) // one more to see whether it ends there
	b := c.Avail(addr, int(want))
	if uint64(len(b)) < want {
		c.Addr(addr)
		return
	}
	cut := n > limit
	b = b[:min(n, limit)]
	if !cut && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	c.Str(b, cut)
}

func (c *Call) xattrValue(addr, n uint64) {
	if n > maxXattr {
		c.Addr(addr)
		return
	}
	c.TextAt(addr, n)
}

// capText captures bytes that TextAt shows: one more than the -s limit.
func (b *Caps) capText(at Place, c event.Capture) {
	c.Kind, c.Max = event.CapBytes, uint16(min(b.Opts.StringMax+1, 1<<15))
	b.Add(at, c)
}

var (
	inXattr = Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) { c.xattrValue(v, c.args[3]) },
		Cap: func(b *Caps, at Place) {
			b.capText(at, event.Capture{Len: event.LenArg, LenFrom: 3, When: event.AtExit})
		},
	}
	outXattr = Type{
		Width: Ulong,
		Out:   true,
		Print: func(c *Call, v uint64) {
			if c.Failed() || !c.Returned() || c.args[3] == 0 {
				c.Addr(v)
				return
			}
			c.xattrValue(v, uint64(c.Ev.Ret))
		},
		Cap: func(b *Caps, at Place) {
			b.capText(at, event.Capture{Len: event.LenRet, When: event.AtExit | event.IfOK})
		},
	}
)

// xattrList is a list of names in a buffer of as many bytes as argument n says.
func xattrList(n int) Type {
	t := outBuf
	t.Print = func(c *Call, v uint64) {
		if c.args[n] == 0 {
			c.Addr(v)
			return
		}
		outBuf.Print(c, v)
	}
	return t
}

// The bytes of a struct xattr_args.
const xattrArgsSize = 16

var (
	setXattrArgs = xattrArgs(func(c *Call, b []byte) { c.xattrValue(c.U64(b), c.U32(b[8:])) },
		event.Capture{Len: event.LenField, LenOff: 8, LenWidth: 4, When: event.AtExit}, false)
	getXattrArgs = xattrArgs(func(c *Call, b []byte) {
		v := c.U64(b)
		if c.U32(b[8:]) == 0 || c.Failed() || !c.Returned() {
			c.Addr(v)
			return
		}
		c.xattrValue(v, uint64(c.Ev.Ret))
	}, event.Capture{Len: event.LenRet, When: event.AtExit | event.IfOK}, true)
)

// xattrArgs is a struct xattr_args of as many bytes as argument 5 says, with a
// pointer to the value.
func xattrArgs(value func(c *Call, b []byte), cap event.Capture, isOut bool) Type {
	s := &sized{arg: 5, min: xattrArgsSize, known: xattrArgsSize, when: event.AtExit, tail: true, fields: func(c *Call, b []byte, _ uint64) {
		c.Field("value")
		value(c, b)
		c.Field("size")
		c.Uint(c.U32(b[8:]))
		c.Field("flags")
		c.Flags(c.U32(b[12:]), xlat.XattrFlags)
	}, caps: func(b *Caps, op int) { b.capText(In(op, 0, 0), cap) }}
	t := s.Type()
	t.Out = isOut
	return t
}

// fileAttr is a struct file_attr of as many bytes as argument 3 says.
func fileAttr(get bool) Type {
	const size0, page = 24, 4096
	s := &sized{arg: 3, min: size0, known: size0, when: event.AtExit, tail: true, fields: func(c *Call, b []byte, _ uint64) {
		c.Field("fa_xflags")
		c.Flags(c.U64(b), xlat.FSXFlags)
		c.Field("fa_extsize")
		c.Uint(c.U32(b[8:]))
		if get {
			c.Field("fa_nextents")
			c.Uint(c.U32(b[12:]))
		}
		c.Field("fa_projid")
		c.Hex(c.U32(b[16:]))
		c.Field("fa_cowextsize")
		c.Uint(c.U32(b[20:]))
	}}
	if get {
		s.when = event.AtExit | event.IfOK
	}
	return upTo(page, 3, s.Type())
}
