package decode

import (
	"sync"

	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// An ioctl is what one request of ioctl means. Its number is the machine's
// (xlat.Ioctls).
type ioctl struct {
	name string
	args args // the argument, or none
	ret  Ret
	aux  func(c *Call) bool
	on   ABIs // 0: all
}

// ioctlFamilies are all requests that are known by number, by subject.
func ioctlFamilies() [][]ioctl {
	return [][]ioctl{
		ioctlTerm, ioctlHdio, ioctlBlock, ioctlLoop, ioctlFs, ioctlDev, ioctlClock, ioctlFlash, ioctlUserfault,
		ioctlNS, ioctlEvdev, ioctlGpio, ioctlSg, ioctlKd, ioctlV4L2, ioctlSock, ioctlBtrfs, ioctlDm, ioctlTee, ioctlKvm,
	}
}

// argp is the usual list of arguments: one, of this name.
// Not inlined: see Struct.Type.
//
//go:noinline
func argp(t Type) args { return args{{"argp", t}} }

// each gives several requests the same argument.
func each(a args, names ...string) []ioctl {
	list := make([]ioctl, len(names))
	for i, n := range names {
		list[i] = ioctl{name: n, args: a}
	}
	return list
}

// joined makes one list of several.
func joined(lists ...[]ioctl) (all []ioctl) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// onlyOn are requests that are known on some machines alone, or mean something
// else on others.
func onlyOn(on ABIs, list []ioctl) []ioctl {
	for i := range list {
		list[i].on = on
	}
	return list
}

// ioctlRows are userfaultfd and the call ioctl, which has a row for each machine because
// requests have numbers of their own there.
var ioctlRows = sync.OnceValue(func() []Row {
	rows := make([]Row, 0, out.NumMachine)
	for m, on := range [out.NumMachine]ABIs{OnAMD64 | OnX32, On386, OnARM64, OnARM} {
		cmd := &Commands{Arg: 1, Of: make(map[uint32]*Command, 1024)}
		for _, family := range ioctlFamilies() {
			for i := range family {
				r := &family[i]
				if r.on != 0 && r.on&on == 0 {
					continue
				}
				if nr, ok := xlat.Ioctls.Number(out.Machine(m), r.name); ok {
					cmd.Of[nr] = &Command{Args: r.args, Ret: r.ret, Aux: r.aux}
				}
			}
		}
		rows = append(rows, Row{
			Name: "ioctl", ABIs: on, Cmd: cmd,
			Args: args{{"fd", fd}, {"op", ioctlOp}, {"argp", ioctlAny}},
		})
	}
	return append(rows, userfaultRows...)
})

// The parts of a request's number: _IOC_NR and its like of asm-generic/ioctl.h.
func iocNR(code uint64) uint64   { return code & 0xff }
func iocType(code uint64) uint64 { return code >> 8 & 0xff }
func iocSize(code uint64) uint64 { return code >> 16 & 0x3fff }
func iocDir(code uint64) uint64  { return code >> 30 & 3 }

const (
	iocWrite = 1
	iocRead  = 2
)

// ioctlOp is the request.
var ioctlOp = Type{Width: U32, Print: func(c *Call, v uint64) { c.Expr(v, (*Call).ioctlName) }, Cap: ioctlOpCap}

// ioctlOpCap asks what the descriptor is: for a terminal some numbers mean
// something else than for a sound device.
func ioctlOpCap(b *Caps, _ Place) {
	b.Add(argPlace(0), event.Capture{Kind: event.CapFD, When: event.AtExit})
}

// ioctlName writes all names of a request: drivers share numbers.
func (c *Call) ioctlName(code uint64) {
	if c.ioctlSizedName(code) {
		return
	}
	names := xlat.Ioctls.Find(c.Machine, uint32(code))
	if len(names) == 0 {
		c.BeginCall("_IOC")
		c.Param()
		c.Flags(iocDir(code), xlat.IoctlDirs)
		c.Param()
		c.Hex(iocType(code))
		c.Param()
		c.Hex(iocNR(code))
		c.Param()
		c.Hex(iocSize(code))
		c.EndCall()
		return
	}
	if name, ok := xlat.TermOverlap.Name(code); ok && c.isTerminal(c.args[0]) {
		c.Text(name)
		return
	}
	for i, n := range names {
		if i > 0 {
			c.Syntax(" or ")
		}
		c.Text(xlat.Ioctls.Names[n])
	}
}

// isTerminal reports whether a descriptor is known to be one: a character
// device of the majors of Documentation/admin-guide/devices.txt.
func (c *Call) isTerminal(fd uint64) bool {
	f, ok := parseFD(c.FDInfo(int64(fd)))
	if !ok || f.kind() != event.FDPath || f.u16(event.FDModeAt)&modeFmt != modeChar {
		return false
	}
	major := f.u32(event.FDRdevAt) >> 20
	return major >= 3 && major <= 5 || major >= 136 && major <= 143
}

// ioctlAny is the argument of a request that is not in the table of commands.
var ioctlAny = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		code := uint64(uint32(c.Ev.Args[1]))
		if c.ioctlSizedArg(code, v) {
			return
		}
		if c.Abbrev || iocSize(code) == 0 || v == 0 || ioctlKnownType(iocType(code)) {
			c.Hex(v)
			return
		}
		c.ioctlBytes(v, int(iocSize(code)), iocDir(code))
	},
	Cap: func(b *Caps, at Place) {
		whole := event.Capture{Kind: event.CapBytes, Len: event.LenIoctl, Max: 2048, When: event.AtExit}
		b.Add(at, whole)
		whole.When, whole.Max = readAtEntry, 0
		b.Add(at, whole)
	},
}

// ioctlKnownType tells the types of requests whose unknown numbers have their
// argument shown as a number even if it is not abbreviated, as strace does.
func ioctlKnownType(t uint64) bool {
	switch t {
	case 0x03, 0x12, 0x15, '!', '"', '$', '=', '>', 'E', 'I', 'K', 'L', 'M', 'O', 'R', 'T', 'V', 'W', 'X',
		'f', 'i', 'o', 'p', 'u', 0x89, 0x8a, 0x94, 0xa4, 0xaa, 0xab, 0xae, 0xb4, 0xb7, 0xfd, 0xff:
		return true
	}
	return false
}

// ioctlBytes writes the memory that a request of this size is about, before
// and after the call.
func (c *Call) ioctlBytes(addr uint64, size int, dir uint64) {
	before, after := dir != iocRead, dir != iocWrite
	c.AtEntry = true
	shown := min(size, c.Opts.StringMax)
	b, ok := c.Read(addr, shown)
	c.AtEntry = false
	if before {
		if !ok {
			c.Addr(addr)
			return
		}
		if after {
			c.BeginChange()
		}
		c.StrHex(b, shown < size)
	}
	if !after || !c.Returned() {
		if after && before {
			c.EndChange()
		}
		return
	}
	if before {
		c.Then()
	}
	if b, ok = c.Read(addr, shown); ok {
		c.StrHex(b, shown < size)
	} else {
		c.Addr(addr)
	}
	if before {
		c.EndChange()
	}
}
