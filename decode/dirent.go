package decode

import (
	"bytes"
	"strconv"

	"perftrace/decode/xlat"
	"perftrace/event"
)

// direntRows are the calls that list directories.
var direntRows = []Row{
	{Name: "getdents", Args: args{{"fd", fd}, {"dirp", direntBuf(false)}, {"count", udec}}},
	{Name: "getdents64", Args: args{{"fd", fd}, {"dirp", direntBuf(true)}, {"count", udec}}},
	{Name: "readdir", ABIs: On32, Args: args{{"fd", fd}, {"dirp", oldDirent}, {"count", direntCount}}},
}

// maxDirents is the most that is captured of entries: what glibc and musl ask for.
const maxDirents = 1<<15 + 1<<14

// maxDirentName is how much of a name is shown.
const maxDirentName = 256

// direntBuf is a buffer of entries, as many bytes as the result says. With
// abbreviation they are only counted.
func direntBuf(wide bool) Type {
	return Type{
		Width: Ulong,
		Out:   true,
		Print: func(c *Call, v uint64) {
			if c.Failed() || !c.Returned() || !c.Verbose || uint64(c.Ev.Ret) > c.args[2] {
				c.Addr(v)
				return
			}
			if c.Abbrev {
				c.countDirents(v, uint64(c.Ev.Ret), wide)
			} else {
				c.dirents(v, uint64(c.Ev.Ret), wide)
			}
		},
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenRet, Max: maxDirents, When: event.AtExit | event.IfOK})
		},
	}
}

// direntHead is the size of an entry before its name, direntLen where its length
// is.
func (c *Call) direntHead(wide bool) (head, lenAt int) {
	if wide {
		return 19, 16
	}
	w := c.Lay.Word()
	return 2*w + 2, 2 * w
}

// countDirents writes the address and how many entries there are:
// 0x1000 /* 3 entries */.
func (c *Call) countDirents(addr, n uint64, wide bool) {
	head, lenAt := c.direntHead(wide)
	c.Addr(addr)
	count := uint64(0)
	for n >= uint64(head) {
		b, ok := c.Read(addr, head)
		if !ok {
			break
		}
		count++
		size := c.U16(b[lenAt:])
		switch {
		case size > n:
			c.direntOdd("d_reclen ", size-n, "overflow")
			n = 0
		case size < uint64(head):
			c.direntOdd("d_reclen ", uint64(head)-size, "underflow")
			n -= uint64(head)
			head = int(maxDirents) // ends the loop
		default:
			n -= size
			addr += size
		}
	}
	if c.Opt.JSON {
		return
	}
	c.Syntax(" /* ")
	c.Uint(count)
	if n > 0 {
		c.Syntax("+")
	}
	c.Syntax(" entries */")
}

// direntOdd tells, in a comment, of an entry whose length can't be.
func (c *Call) direntOdd(what string, n uint64, how string) {
	if c.Opt.JSON {
		return
	}
	c.Syntax(" /* ")
	c.Syntax(what)
	c.Buf = strconv.AppendUint(c.Buf, n, 10)
	c.Syntax(" bytes ")
	c.Syntax(how)
	c.Syntax(" */")
}

func (c *Call) dirents(addr, n uint64, wide bool) {
	head, lenAt := c.direntHead(wide)
	if n > 0 && n < uint64(head) {
		c.HexBuf(addr, n)
		return
	}
	if n > 0 {
		if _, ok := c.Read(addr, head); !ok {
			c.Addr(addr)
			return
		}
	}
	c.BeginArray()
	for n > 0 {
		c.Elem()
		if n < uint64(head) {
			c.HexBuf(addr, n)
			break
		}
		b, ok := c.Read(addr, head)
		if !ok {
			c.Unreadable(addr)
			break
		}
		size := c.U16(b[lenAt:])
		c.BeginStruct()
		c.direntFields(b, wide)
		next := uint64(0)
		switch {
		case size > n:
			c.direntOdd("", size-n, "overflow")
			size = n
		case size < uint64(head):
			c.direntOdd("", uint64(head)-size, "underflow")
			size = uint64(head)
		default:
			next = n - size
		}
		c.direntTail(addr+uint64(head), int(size)-head, b, wide)
		c.EndStruct()
		addr, n = addr+size, next
	}
	c.EndArray()
}

func (c *Call) direntFields(b []byte, wide bool) {
	c.Field("d_ino")
	if wide {
		c.Uint(c.U64(b))
		c.Field("d_off")
		c.Uint(c.U64(b[8:]))
		c.Field("d_reclen")
		c.Uint(c.U16(b[16:]))
		return
	}
	w := c.Lay.Word()
	c.Uint(c.Word(b))
	c.Field("d_off")
	c.Uint(c.Word(b[w:]))
	c.Field("d_reclen")
	c.Uint(c.U16(b[2*w:]))
}

// direntTail writes name and type, which are in the n bytes at addr behind the
// head; of the older form, the type is the last byte.
func (c *Call) direntTail(addr uint64, n int, head []byte, wide bool) {
	if wide {
		c.Field("d_type")
		c.Enum(uint64(head[18]), xlat.DirentTypes)
		if n > 0 {
			c.Field("d_name")
			c.nameIn(addr, n)
		}
		return
	}
	if n == 0 {
		return
	}
	if n > 1 {
		c.Field("d_name")
		c.nameIn(addr, n-1)
	}
	c.Field("d_type")
	if b, ok := c.Read(addr+uint64(n)-1, 1); ok {
		c.Enum(uint64(b[0]), xlat.DirentTypes)
	} else {
		c.Addr(addr + uint64(n) - 1)
	}
}

// nameIn writes the name that is in at most n bytes at addr.
func (c *Call) nameIn(addr uint64, n int) {
	n = min(n, maxDirentName)
	b := c.Avail(addr, n)
	end := bytes.IndexByte(b, 0)
	switch {
	case end >= 0:
		c.Str(b[:end], false)
	case len(b) < n:
		c.Addr(addr)
	default:
		c.Str(b[:n-1], true)
	}
}

// oldDirent is the one entry that readdir fills in.
var oldDirent = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		head, lenAt := c.direntHead(false)
		if c.Ev.Ret == 0 || c.Failed() || !c.Returned() {
			c.Addr(v)
			return
		}
		b, ok := c.ReadOr(v, head)
		if !ok {
			return
		}
		c.BeginStruct()
		c.direntFields(b, false)
		c.Field("d_name")
		c.nameIn(v+uint64(head), int(min(c.U16(b[lenAt:]), maxDirentName))+1)
		c.EndStruct()
	},
	Cap: func(b *Caps, at Place) {
		head := 2*b.Lay.Word() + 2
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(head + maxDirentName), When: event.AtExit | event.IfOK})
	},
}

var direntCount = func() Type {
	t := udec
	t.Hide = func(c *Call) bool { return c.args[2] == 1 }
	return t
}()
