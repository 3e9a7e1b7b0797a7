package decode

import (
	"bytes"

	"perftrace/decode/xlat"
	"perftrace/event"
)

// Device mapper: linux/dm-ioctl.h. Every request has the same head, and data
// behind it that the head tells the place and the size of.

const (
	dmHeadSize    = 312 // sizeof(struct dm_ioctl)
	dmData        = 305 // offsetof(struct dm_ioctl, data)
	dmDataSizeAt  = 12
	dmDataStartAt = 16
	dmTargetsAt   = 20
	dmFlagsAt     = 28
	dmMajor       = 4
	dmSuspend     = 1 << 1
	dmDataOut     = 1 << 16
	dmMaxData     = 16384
)

var dmHead = NewStruct(
	Arg{"version", vec(udec, 3)}, Arg{"data_size", udec}, Arg{"data_start", udec}, Arg{"target_count", udec},
	Arg{"open_count", udec}, Arg{"flags", flags(xlat.DmFlags)}, Arg{"event_nr", udec}, Arg{"", pad(4)},
	Arg{"dev", devIn(U64)}, Arg{"name", cstr(128)}, Arg{"uuid", cstr(129)}, Arg{"", pad(7)},
)

// A dmRequest says what a request has besides its flags: whether data are passed,
// whether it is about a device, which numbers are passed and told, and the data
// before and after.
type dmRequest struct {
	params, device, tells bool
	asks                  string // a field of the head
	before, after         func(c *Call, d dmBlock)
}

// A dmBlock is what a request is about, as it was before or after the call.
type dmBlock struct {
	addr, start, size, targets uint64
	minor, flags               uint64
	out                        bool
}

// dmArg is the argument of a request.
func dmArg(r dmRequest) Type {
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) {
			c.AtEntry = true
			b, ok := c.Read(v, dmData)
			c.AtEntry = false
			if !ok || !c.Verbose || c.U32(b[dmDataSizeAt:]) < dmDataSizeAt {
				c.Hex(v)
				return
			}
			now, ok := c.Read(v, dmData)
			both := ok && c.Returned()
			if both && c.Failed() {
				both = !bytes.Equal(b[:dmTargetsAt], now[:dmTargetsAt]) || c.U32(b[dmFlagsAt:]) != c.U32(now[dmFlagsAt:])
			}
			if both {
				c.BeginChange()
			}
			c.AtEntry = true
			c.dmShow(&r, b, v, false)
			c.AtEntry = false
			if both {
				c.Then()
				c.dmShow(&r, now, v, true)
				c.EndChange()
			}
		},
		Cap: func(b *Caps, at Place) {
			for _, when := range [...]event.When{readAtEntry, event.AtExit} {
				op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: dmHeadSize, When: when})
				b.Add(at, event.Capture{
					Kind: event.CapBytes, Len: event.LenOp, LenFrom: uint8(op), LenOff: dmDataSizeAt, LenWidth: 4,
					Max: dmMaxData, When: when,
				})
			}
		},
	}
}

// dmShow writes the head and the data.
func (c *Call) dmShow(r *dmRequest, b []byte, v uint64, out bool) {
	c.BeginArray()
	c.Elem()
	c.BeginStruct()
	dmHead.PrintField(c, b, "version")
	data := false
	switch {
	case c.U32(b) != dmMajor:
		c.Comment("unsupported device mapper ABI version")
	case c.U32(b[dmDataSizeAt:]) < dmData:
		dmHead.PrintField(c, b, "data_size")
		c.Comment("data_size too small")
	default:
		data = true
		c.dmFields(r, b, out)
	}
	c.EndStruct()
	f := r.before
	if out {
		f = r.after
	}
	if data && f != nil && (!out || c.Succeeded()) {
		f(c, dmBlock{
			addr: v, start: c.U32(b[dmDataStartAt:]), size: c.U32(b[dmDataSizeAt:]), targets: c.U32(b[dmTargetsAt:]),
			minor: c.U32(b[4:]), flags: c.U32(b[dmFlagsAt:]), out: out,
		})
	}
	c.EndArray()
}

func (c *Call) dmFields(r *dmRequest, b []byte, out bool) {
	dmHead.PrintField(c, b, "data_size")
	if r.params {
		dmHead.PrintField(c, b, "data_start")
	}
	if r.device {
		if c.U64(b[40:]) != 0 {
			dmHead.PrintField(c, b, "dev")
		}
		if b[48] != 0 {
			dmHead.PrintField(c, b, "name")
		}
		if b[176] != 0 {
			c.Field("uuid")
			c.FixedStr(b[176:305])
		}
	}
	switch {
	case out && r.tells && c.Succeeded():
		dmHead.PrintOnly(c, b, "target_count", "open_count", "event_nr")
	case !out && r.asks == "resume" && c.U32(b[dmFlagsAt:])&dmSuspend == 0:
		dmHead.PrintField(c, b, "event_nr")
	case !out && r.asks != "" && r.asks != "resume":
		dmHead.PrintField(c, b, r.asks)
	}
	dmHead.PrintField(c, b, "flags")
}

// BoundedStr writes a text that ends with a NUL, of at most n bytes at addr, and
// returns its length with the NUL, 0 if there is none.
func (c *Call) BoundedStr(addr, n uint64) int {
	limit := c.Opts.StringMax
	if n == 0 {
		c.Str(nil, false)
		return 0
	}
	b := c.Avail(addr, int(min(n, uint64(limit)+1)))
	i := bytes.IndexByte(b, 0)
	switch {
	case i >= 0:
		c.Str(b[:i], false)
		return i + 1
	case len(b) < int(min(n, uint64(limit)+1)):
		c.Addr(addr)
	default:
		c.Str(b[:min(len(b), limit)], true)
	}
	return 0
}

// dmMisplaced stands for data that can't be where the head says.
func (c *Call) dmMisplaced(what string) {
	c.Text("???")
	c.Comment(what)
}

// dmShort writes "..." instead of data, with abbreviation.
func (c *Call) dmShort() bool {
	if c.Abbrev {
		c.Elem()
		c.More()
	}
	return c.Abbrev
}

func dmTargets(c *Call, d dmBlock) {
	const size, next = 40, 20
	if c.Abbrev {
		if d.targets > 0 {
			c.dmShort()
		}
		return
	}
	off, end := d.start, uint64(0)
	for i := range d.targets {
		c.Elem()
		if i > 0 && off <= end || off+size > d.size || off+size > 1<<32-1 {
			c.dmMisplaced("misplaced struct dm_target_spec")
			return
		}
		end = off + size
		b, ok := c.Read(d.addr+off, size)
		if !ok {
			c.Addr(d.addr + off)
			return
		}
		c.BeginStruct()
		c.Field("sector_start")
		c.Uint(c.U64(b))
		c.Field("length")
		c.Uint(c.U64(b[8:]))
		if d.out {
			c.Field("status")
			c.Int(c.I32(b[16:]))
		}
		c.Field("target_type")
		c.FixedStr(b[24:40])
		c.Field("string")
		c.BoundedStr(d.addr+end, d.size-end)
		c.EndStruct()
		if d.out {
			off = d.start
		}
		off = (off + c.U32(b[next:])) & (1<<32 - 1)
	}
}

func dmDeps(c *Call, d dmBlock) {
	const head = 8
	if d.start == d.size || c.dmShort() {
		return
	}
	c.Elem()
	end := d.start + head
	if end > d.size {
		c.dmMisplaced("misplaced struct dm_target_deps")
		return
	}
	b, ok := c.Read(d.addr+d.start, head)
	if !ok {
		c.Addr(d.addr + d.start)
		return
	}
	n := c.U32(b)
	if n > (d.size-end)/8 {
		c.dmMisplaced("misplaced struct dm_target_deps")
		return
	}
	c.BeginStruct()
	c.Field("count")
	c.Uint(n)
	c.Field("deps")
	c.Array(d.addr+end, n, &dmDev)
	c.EndStruct()
}

var dmDev = devIn(U64)

// dmList writes a list of elements that begin with a head, each of which says
// how far it is to the next one (0: none). nextAt is where.
func dmList(c *Call, d dmBlock, head, nextAt int, what string, elem func(c *Call, b []byte, at, size uint64)) {
	if d.start == d.size || c.dmShort() {
		return
	}
	off, end := d.start, uint64(0)
	for i := 0; ; i++ {
		c.Elem()
		if i > 0 && off <= end || off+uint64(head) > d.size {
			c.dmMisplaced(what)
			return
		}
		end = off + uint64(head)
		b, ok := c.Read(d.addr+off, head)
		if !ok {
			c.Addr(d.addr + off)
			return
		}
		c.BeginStruct()
		elem(c, b, d.addr+off, d.size-end)
		c.EndStruct()
		next := c.U32(b[nextAt:])
		if next == 0 {
			return
		}
		off = (off + next) & (1<<32 - 1)
	}
}

func dmNames(c *Call, d dmBlock) {
	const head, eventsSince = 12, 37
	dmList(c, d, head, 8, "misplaced struct dm_name_list", func(c *Call, b []byte, at, size uint64) {
		c.Field("dev")
		c.Dev(c.U64(b))
		c.Field("name")
		n := c.BoundedStr(at+head, size)
		if n == 0 || d.minor < eventsSince {
			return
		}
		ev := (at + head + uint64(n) + 7) &^ 7
		if ev+4 > at+c.U32(b[8:]) {
			return
		}
		if e, ok := c.Read(ev, 4); ok {
			c.Field("event_nr")
			c.Uint(c.U32(e))
		}
	})
}

func dmVersions(c *Call, d dmBlock) {
	const head = 16
	dmList(c, d, head, 0, "misplaced struct dm_target_versions", func(c *Call, b []byte, at, size uint64) {
		c.Field("name")
		c.BoundedStr(at+head, size)
		c.Field("version")
		c.Vec(b[4:16], at+4, 3, &udec)
	})
}

func dmMessage(c *Call, d dmBlock) {
	const head = 8
	if d.start == d.size || c.dmShort() {
		return
	}
	c.Elem()
	if d.start+head > d.size {
		c.dmMisplaced("misplaced struct dm_target_msg")
		return
	}
	b, ok := c.Read(d.addr+d.start, head)
	if !ok {
		c.Addr(d.addr + d.start)
		return
	}
	c.BeginStruct()
	c.Field("sector")
	c.Uint(c.U64(b))
	c.Field("message")
	c.BoundedStr(d.addr+d.start+head, d.size-d.start-head)
	c.EndStruct()
}

func dmString(c *Call, d dmBlock) {
	if c.dmShort() {
		return
	}
	c.Elem()
	if d.start > d.size {
		c.dmMisplaced("misplaced string")
		return
	}
	c.BeginStruct()
	c.Field("string")
	c.BoundedStr(d.addr+d.start, d.size-d.start)
	c.EndStruct()
}

func dmAnswer(c *Call, d dmBlock) {
	if d.flags&dmDataOut != 0 {
		dmString(c, d)
	}
}

// dmOf is one request.
func dmOf(name string, r dmRequest) ioctl { return ioctl{name: name, args: argp(dmArg(r))} }

var ioctlDm = []ioctl{
	dmOf("DM_VERSION", dmRequest{device: true}),
	dmOf("DM_REMOVE_ALL", dmRequest{}),
	dmOf("DM_LIST_DEVICES", dmRequest{params: true, after: dmNames}),
	dmOf("DM_DEV_CREATE", dmRequest{device: true, tells: true}),
	dmOf("DM_DEV_REMOVE", dmRequest{device: true, asks: "event_nr"}),
	dmOf("DM_DEV_RENAME", dmRequest{params: true, device: true, tells: true, asks: "event_nr", before: dmString}),
	dmOf("DM_DEV_SUSPEND", dmRequest{device: true, tells: true, asks: "resume"}),
	dmOf("DM_DEV_STATUS", dmRequest{device: true, tells: true}),
	dmOf("DM_DEV_WAIT", dmRequest{params: true, device: true, tells: true, asks: "event_nr", after: dmTargets}),
	dmOf("DM_TABLE_LOAD", dmRequest{params: true, device: true, tells: true, asks: "target_count", before: dmTargets}),
	dmOf("DM_TABLE_CLEAR", dmRequest{device: true, tells: true}),
	dmOf("DM_TABLE_DEPS", dmRequest{params: true, device: true, tells: true, after: dmDeps}),
	dmOf("DM_TABLE_STATUS", dmRequest{params: true, device: true, tells: true, after: dmTargets}),
	dmOf("DM_LIST_VERSIONS", dmRequest{params: true, after: dmVersions}),
	dmOf("DM_TARGET_MSG", dmRequest{params: true, device: true, tells: true, before: dmMessage, after: dmAnswer}),
	dmOf("DM_DEV_SET_GEOMETRY", dmRequest{params: true, device: true, before: dmString}),
	dmOf("DM_DEV_ARM_POLL", dmRequest{device: true}),
}
