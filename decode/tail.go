package decode

import "strconv"

// NonzeroTail writes, as a last field, the bytes of a struct at addr that lie
// behind those that are known, up to its size, if any of them is not 0:
// /* bytes 24..31 */ "\x01...". Where memory ends before: ???.
func (c *Call) NonzeroTail(addr, known, size uint64) {
	if size <= known {
		return
	}
	n := size - known
	b := c.Avail(addr+known, int(min(n, 1<<16)))
	if uint64(len(b)) < n {
		c.Field("bytes")
		c.Buf = c.trimField(c.Buf, "bytes=")
		c.Text("???")
		return
	}
	zero := true
	for _, x := range b {
		zero = zero && x == 0
	}
	if zero {
		return
	}
	c.Field("bytes")
	c.Buf = c.trimField(c.Buf, "bytes=")
	if !c.Opt.JSON {
		c.Buf = append(c.Buf, "/* bytes "...)
		c.Buf = strconv.AppendUint(c.Buf, known, 10)
		c.Buf = append(c.Buf, ".."...)
		c.Buf = strconv.AppendUint(c.Buf, size-1, 10)
		c.Buf = append(c.Buf, " */ "...)
	}
	shown := min(n, uint64(c.Opts.StringMax))
	c.StrHex(b[:shown], shown < n)
}

// trimField takes back the name of a field that text has no name for.
func (c *Call) trimField(b []byte, name string) []byte {
	if c.Opt.JSON {
		return b
	}
	return b[:len(b)-len(name)]
}
