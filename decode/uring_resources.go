package decode

import (
	"strconv"

	"perftrace/decode/xlat"
	"perftrace/event"
)

// uringRsrcSize is the size of structs io_uring_rsrc_register and _update2.
const uringRsrcSize = 32

// uringResources is a struct that registers or updates resources: descriptors, of
// type elem, or, if that has no printer, buffers. Its size is argument 3.
func uringResources(update bool, elem Type) Type {
	countAt := 0
	if update {
		countAt = 24
	}
	s := &sized{arg: 3, min: uringRsrcSize, known: uringRsrcSize, when: event.AtExit, tail: true}
	s.fields = func(c *Call, b []byte, _ uint64) {
		n, data, tags := c.U32(b[countAt:]), c.U64(b[16:]), c.U64(b[24:])
		if update {
			data, tags = c.U64(b[8:]), c.U64(b[16:])
			c.Field("offset")
			c.Uint(c.U32(b))
			c.shyHex("resv", c.U32(b[4:]))
		} else {
			c.Field("nr")
			c.Uint(n)
			c.Field("flags")
			c.Flags(c.U32(b[4:]), xlat.UringRsrcFlags)
			c.shyHex("resv2", c.U64(b[8:]))
		}
		c.Field("data")
		if elem.Print != nil {
			c.Array(data, n, &elem)
		} else {
			c.Iovecs(data, n, noLimit, iovAddr)
		}
		c.Field("tags")
		c.Array(tags, n, &uringTag)
		if update {
			c.Field("nr")
			c.Uint(n)
			c.shyHex("resv2", c.U32(b[28:]))
		}
	}
	s.caps = func(b *Caps, op int) {
		dataAt, size := 16, 4
		if update {
			dataAt = 8
		}
		if elem.Print == nil {
			size = 2 * b.Lay.Word()
		}
		fds := b.capCount(op, dataAt, countAt, size)
		if elem.Print != nil {
			capFD(b, In(fds, 0, 4))
		}
		b.capCount(op, dataAt+8, countAt, 8)
	}
	return s.Type()
}

var uringTag = hex64

// shyHex writes a field that is shown only if it is not 0.
func (c *Call) shyHex(name string, v uint64) {
	if v != 0 {
		c.Field(name)
		c.Hex(v)
	}
}

// uringCPUs is a set of CPUs in as many bytes as argument 3 says.
var uringCPUs = cpuSet(event.AtExit, argCount(3))

// uringWorkers are the limits of workers by their kind, before and after the
// call: [[IO_WQ_BOUND]=1, [IO_WQ_UNBOUND]=2] => [...].
var uringWorkers = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		n := c.args[3]
		c.AtEntry = true
		_, ok := c.Read(v, int(4*min(n, maxElems)))
		ok = ok && c.Verbose && n > 0
		if ok && c.Returned() {
			c.BeginChange()
		}
		c.workers(v, n)
		c.AtEntry = false
		if !ok || !c.Returned() {
			return
		}
		c.Then()
		if c.Failed() && n > 0 {
			c.Addr(v)
		} else {
			c.workers(v, n)
		}
		c.EndChange()
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{
			Kind: event.CapBytes, Len: event.LenArg, LenFrom: 3, LenWidth: 4, Size: 4, Max: 4 * maxElems, When: event.AtEntry | event.AtExit,
		})
	},
}

func (c *Call) workers(addr, n uint64) {
	if _, ok := c.Read(addr, 4); !ok && n > 0 || addr == 0 || !c.Verbose {
		c.Addr(addr)
		return
	}
	c.BeginArray()
	for i := uint64(0); i < n; i++ {
		at := addr + 4*i
		b, ok := c.Read(at, 4)
		if !ok {
			c.Elem()
			c.Unreadable(at)
			break
		}
		if c.Abbrev && i >= uint64(c.Opts.StringMax) || i >= maxElems {
			c.Elem()
			c.More()
			break
		}
		c.Index(workerKind(i, uint8(c.Opt.Xlat)))
		c.Uint(c.U32(b))
	}
	c.EndArray()
}

// workerKind is the index of a limit in the manner of -X.
func workerKind(i uint64, mode uint8) string {
	name, ok := xlat.UringIOWQAcct.Name(i)
	number := strconv.FormatUint(i, 10)
	switch {
	case mode == 1:
		return number
	case !ok:
		return number + " /* IO_WQ_??? */"
	case mode == 2:
		return number + " /* " + name + " */"
	}
	return name
}
