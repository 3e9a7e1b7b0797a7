package decode

import "perftrace/decode/xlat"

// ioprioRows are the calls on the priority of I/O, and those that copy memory
// between processes.
var ioprioRows = []Row{
	{Name: "ioprio_get", Aux: auxIoprio, Args: args{{"which", enum(xlat.IoprioWho)}, {"who", ioprioWho}}},
	{Name: "ioprio_set", Args: args{{"which", enum(xlat.IoprioWho)}, {"who", ioprioWho}, {"ioprio", printed(U32, func(c *Call, v uint64) { c.Ioprio(v, true) })}}},
	{Name: "process_vm_readv", Args: args{{"pid", pid}, {"local_iov", outIovec(2)}, {"liovcnt", size}, {"remote_iov", addrIovec(4)}, {"riovcnt", size}, {"flags", uldec}}},
	{Name: "process_vm_writev", Args: args{{"pid", pid}, {"local_iov", inIovec(2)}, {"liovcnt", size}, {"remote_iov", addrIovec(4)}, {"riovcnt", size}, {"flags", uldec}}},
}

var ioprioWho = processIf(1) // IOPRIO_WHO_PROCESS

// Ioprio writes a priority: IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 4). Where the
// number is shown, it is decimal or hex.
func (c *Call) Ioprio(v uint64, decimal bool) {
	if c.Opt.JSON {
		c.ioprioValue(v)
		return
	}
	mode := c.Opt.Xlat
	if mode != 0 {
		if decimal {
			c.Int(int64(int32(v)))
		} else {
			c.Hex(v)
		}
	}
	switch mode {
	case 0:
		c.ioprioValue(v)
	case 2:
		c.Syntax(" /* ")
		c.ioprioValue(v)
		c.Syntax(" */")
	}
}

func (c *Call) ioprioValue(v uint64) {
	const classShift = 13
	c.BeginCall("IOPRIO_PRIO_VALUE")
	c.Param()
	c.Enum(uint64(uint32(v))>>classShift, xlat.IoprioClass)
	c.Param()
	c.Uint(v & (1<<classShift - 1))
	c.EndCall()
}

func auxIoprio(c *Call) bool {
	if c.Opt.Xlat == 1 {
		return false
	}
	c.ioprioValue(uint64(c.Ev.Ret))
	return true
}
