package decode

import (
	"math/bits"
	"strconv"

	"perftrace/event"
)

// This file is about -e read= and -e write=: behind the line of a call comes all
// of its data, sixteen bytes a line, in hex and as text.

// dumpForm says where the data of a call is.
type dumpForm uint8

const (
	noDump       dumpForm = iota
	dumpBuffer            // argument 1, a buffer
	dumpIovec             // argument 1, as many iovecs as argument 2 says
	dumpMessage           // argument 1, a message header
	dumpMessages          // argument 1, as many of those as the result says
)

// dumpOf says where the data of a call is, and whether it writes it.
func dumpOf(name string) (form dumpForm, writes bool) {
	switch name {
	case "read", "pread64", "recv", "recvfrom", "mq_timedreceive", "mq_timedreceive_time64":
		return dumpBuffer, false
	case "write", "pwrite64", "send", "sendto", "mq_timedsend", "mq_timedsend_time64":
		return dumpBuffer, true
	case "readv", "preadv", "preadv2":
		return dumpIovec, false
	case "writev", "pwritev", "pwritev2", "vmsplice":
		return dumpIovec, true
	case "recvmsg":
		return dumpMessage, false
	case "sendmsg":
		return dumpMessage, true
	case "recvmmsg", "recvmmsg_time64":
		return dumpMessages, false
	case "sendmmsg":
		return dumpMessages, true
	}
	return noDump, false
}

// maxDump is the most that is captured of one buffer to be dumped: what a
// record has room for.
const maxDump = 32 << 10

// dumps reports whether the data of the row's call may be asked for.
func (o *Options) dumps(r *Row) bool {
	if o.DumpRead == nil && o.DumpWrite == nil {
		return false
	}
	form, writes := dumpOf(r.Name)
	return form != noDump && (writes && o.DumpWrite != nil || !writes && o.DumpRead != nil)
}

// captureAll has data captured beyond the -s limit.
func captureAll(list []event.Capture) {
	for i := range list {
		o := &list[i]
		if o.Kind == event.CapBytes && o.Max == 0 && o.Len != event.LenConst {
			o.Max = maxDump
			o.When &^= event.Netlink // which would make it less
		}
	}
}

// Dump writes the data of the call whose line was just written, if it is asked
// for, in lines of their own.
func (d *Decoder) Dump() {
	c := &d.Call
	if d.opts.DumpRead == nil && d.opts.DumpWrite == nil || c.Row == nil || d.opts.JSON ||
		c.Ev.Kind != event.KindSyscall || c.Ev.Flags&event.NoArgs != 0 {
		return
	}
	form, writes := dumpOf(c.Row.Name)
	wanted := d.opts.DumpRead
	if writes {
		wanted = d.opts.DumpWrite
	}
	fd := int64(int32(c.args[0]))
	if form == noDump || wanted == nil || fd < 0 || !wanted(fd) || !writes && c.Failed() {
		return
	}
	addr, limit := c.args[1], noLimit
	if !writes {
		limit = uint64(c.Ev.Ret)
	}
	switch form {
	case dumpBuffer:
		if writes {
			limit = c.args[2]
		}
		c.dumpBytes(addr, limit)
	case dumpIovec:
		c.dumpIovecs(addr, c.args[2], limit)
	case dumpMessage:
		m := msgLayoutOf(c.Lay)
		if b, ok := c.Read(addr, int(m.size)); ok {
			c.dumpIovecs(c.Word(b[m.iov:]), c.Word(b[m.iovlen:]), limit)
		}
	case dumpMessages:
		c.dumpMessages(addr)
	}
}

func (c *Call) dumpMessages(addr uint64) {
	if c.Failed() {
		return
	}
	m := msgLayoutOf(c.Lay)
	for i := uint64(0); i < uint64(c.Ev.Ret) && i < maxMessages; i++ {
		b, ok := c.Read(addr+i*m.msize, int(m.msize))
		if !ok {
			return
		}
		n := c.Word(b[m.iovlen:])
		c.Buf = append(c.Buf, " = "...)
		c.Buf = strconv.AppendUint(c.Buf, n, 10)
		c.Buf = append(c.Buf, " buffers in vector "...)
		c.Buf = strconv.AppendUint(c.Buf, i, 10)
		c.Buf = append(c.Buf, '\n')
		c.dumpIovecs(c.Word(b[m.iov:]), n, c.U32(b[m.msgLen:]))
	}
}

// dumpIovecs writes what n iovecs at addr describe, together at most limit bytes.
func (c *Call) dumpIovecs(addr, n, limit uint64) {
	word := c.Lay.Word()
	n = uint64(uint32(n))
	if n > maxIovecs {
		return
	}
	vec, ok := c.Read(addr, int(n)*2*word)
	if !ok {
		return
	}
	for i := range int(n) {
		b := vec[i*2*word:]
		base, length := c.Word(b), min(c.Word(b[word:]), limit)
		if length == 0 {
			return
		}
		limit -= length
		c.Buf = append(c.Buf, " * "...)
		c.Buf = strconv.AppendUint(c.Buf, length, 10)
		c.Buf = append(c.Buf, " bytes in buffer "...)
		c.Buf = strconv.AppendInt(c.Buf, int64(i), 10)
		c.Buf = append(c.Buf, '\n')
		c.dumpBytes(base, length)
	}
}

const (
	dumpLine   = 16 // bytes of data a line
	dumpDigits = 5  // of an offset, at least
)

// dumpBytes writes n bytes at addr. If they end at memory that can't be read,
// nothing is written; what was too long to be captured is told.
func (c *Call) dumpBytes(addr, n uint64) {
	if n == 0 || addr+n < addr {
		return
	}
	data, p := c.out.find(addr, int(min(n, 1<<20)))
	if len(data) == 0 || uint64(len(data)) < n && p.Status == event.PieceFault {
		return
	}
	digits := dumpDigits
	if n > 1<<(4*dumpDigits) {
		digits = 1 + (bits.Len64(n-1)-1)/4
	}
	for at := 0; at < len(data); at += dumpLine {
		c.dumpLine(at, digits, data[at:min(at+dumpLine, len(data))])
	}
	if rest := n - uint64(len(data)); rest > 0 {
		c.Buf = append(c.Buf, " | <Cannot fetch "...)
		c.Buf = strconv.AppendUint(c.Buf, rest, 10)
		c.Buf = append(c.Buf, " byte"...)
		if rest > 1 {
			c.Buf = append(c.Buf, 's')
		}
		c.Buf = append(c.Buf, " from pid "...)
		c.Buf = strconv.AppendUint(c.Buf, uint64(c.Ev.TID), 10)
		c.Buf = append(c.Buf, " @0x"...)
		c.Buf = strconv.AppendUint(c.Buf, addr+uint64(len(data)), 16)
		c.Buf = append(c.Buf, ">\n"...)
	}
}

// dumpLine writes up to 16 bytes: | 00010  61 62 …  63 64 …  ab..cd |.
func (c *Call) dumpLine(at, digits int, data []byte) {
	const hex = "0123456789abcdef"
	buf := append(c.Buf, " | "...)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		buf = append(buf, hex[at>>shift&15])
	}
	buf = append(buf, "  "...)
	for i := range dumpLine {
		if i < len(data) {
			buf = append(buf, hex[data[i]>>4], hex[data[i]&15], ' ')
		} else {
			buf = append(buf, "   "...)
		}
		if i%8 == 7 {
			buf = append(buf, ' ')
		}
	}
	for i := range dumpLine {
		ch := byte(' ')
		if i < len(data) {
			if ch = data[i]; ch < ' ' || ch > '~' {
				ch = '.'
			}
		}
		buf = append(buf, ch)
	}
	c.Buf = append(buf, " |\n"...)
}
