package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// systemRows are the calls on the machine as a whole: its names, its log, its
// ports, modules, other kernels.
var systemRows = []Row{
	{Name: "sysinfo", Args: args{{"info", outPtr(sysinfo)}}},
	{
		Name: "syslog", Args: args{{"type", enumBoth(I32, xlat.SyslogActions)}, {"bufp", addr}, {"len", dec}},
		Cmd: &Commands{Arg: 0, Of: map[uint32]*Command{
			xlat.SYSLOG_ACTION_CLOSE:         {},
			xlat.SYSLOG_ACTION_OPEN:          {},
			xlat.SYSLOG_ACTION_READ:          {Args: readLog},
			xlat.SYSLOG_ACTION_READ_ALL:      {Args: readLog},
			xlat.SYSLOG_ACTION_READ_CLEAR:    {Args: readLog},
			xlat.SYSLOG_ACTION_CLEAR:         {},
			xlat.SYSLOG_ACTION_CONSOLE_OFF:   {},
			xlat.SYSLOG_ACTION_CONSOLE_ON:    {},
			xlat.SYSLOG_ACTION_CONSOLE_LEVEL: {Args: args{{"bufp", addr}, {"len", enumBoth(I32, xlat.SyslogLevels)}}},
			xlat.SYSLOG_ACTION_SIZE_UNREAD:   {},
			xlat.SYSLOG_ACTION_SIZE_BUFFER:   {},
		}},
	},
	{Name: "_sysctl", Args: args{{"args", in(sysctlArgs)}}},
	{
		Name: "sysfs", Args: args{{"option", dec}, {"arg1", lhex}, {"arg2", lhex}},
		Cmd: &Commands{Arg: 0, Of: map[uint32]*Command{
			1: {Args: args{{"fsname", str}}},
			2: {Args: args{{"fs_index", udec}, {"buf", addr}}},
			3: {},
		}},
	},
	{Name: "sethostname", Args: args{{"name", utsName}, {"len", udec}}},
	{Name: "setdomainname", Args: args{{"name", utsName}, {"len", udec}}},
	{Name: "reboot", Args: args{{"magic", enum(xlat.RebootMagic1)}, {"magic2", enum(xlat.RebootMagic2)}, {"op", enum(xlat.RebootCmds)}, {"arg", rebootArg}}},
	{Name: "kexec_load", Args: args{{"entry", addr}, {"nr_segments", uldec}, {"segments", upTo(kexecMax, 1, array(in, kexecSegment, argCount(1)))}, {"flags", kexecFlags}}},
	{Name: "kexec_file_load", Args: args{{"kernel_fd", fd}, {"initrd_fd", fd}, {"cmdline_len", uldec}, {"cmdline", inBuf(2)}, {"flags", flagsIn(Ulong, xlat.KexecFileFlags)}}},
	{Name: "delete_module", Args: args{{"name", str}, {"flags", flags(xlat.DeleteModuleFlags)}}},
	{Name: "init_module", Args: args{{"module_image", addr}, {"len", uldec}, {"param_values", str}}},
	{Name: "finit_module", Args: args{{"fd", fd}, {"param_values", str}, {"flags", flags(xlat.ModuleInitFlags)}}},
	{Name: "ioperm", Args: args{{"from", lhex}, {"num", lhex}, {"turn_on", dec}}},
	{Name: "iopl", Args: args{{"level", dec}}},
	{Name: "vhangup"},
	{Name: "getrandom", Args: args{{"buf", outHex}, {"buflen", size}, {"flags", flags(xlat.GetrandomFlags)}}},
	{Name: "lookup_dcookie", Args: args{{"cookie", udec64}, {"buffer", outBuf}, {"len", size}}},
	{Name: "nice", Args: args{{"increment", dec}}},
}

var readLog = args{{"bufp", outBuf}, {"len", dec}}

var sysinfo = NewStruct(
	Arg{"uptime", uldec}, Arg{"loads", words(3)},
	Arg{"totalram", uldec}, Arg{"freeram", uldec}, Arg{"sharedram", uldec}, Arg{"bufferram", uldec},
	Arg{"totalswap", uldec}, Arg{"freeswap", uldec}, Arg{"procs", udec16}, Arg{"", pad(2)},
	Arg{"totalhigh", uldec}, Arg{"freehigh", uldec}, Arg{"mem_unit", udec},
	// As far as to 64 bytes: nothing on 64-bit ABIs.
	Arg{"", Type{Width: None, Size: [numLay]uint16{0, 8, 8}}},
).Type()

// words is an array of n unsigned longs in a struct.
func words(n int) Type {
	s := uint16(n)
	return Type{
		Width: None, Size: [numLay]uint16{8 * s, 4 * s, 4 * s}, Align: [numLay]uint16{8, 4, 4},
		Mem: func(c *Call, b []byte, _ uint64) {
			c.BeginArray()
			for size := c.Lay.Word(); len(b) >= size; b = b[size:] {
				c.Elem()
				c.Uint(c.Word(b))
			}
			c.EndArray()
		},
	}
}

var sysctlArgs = NewStruct(
	Arg{"name", addr}, Arg{"nlen", dec}, Arg{"oldval", addr}, Arg{"oldlenp", addr}, Arg{"newval", addr}, Arg{"newlen", uldec},
	Arg{"", words(4)},
).Type()

// utsName is a name of the host: its length is an unsigned int, and too long a
// one is not read.
var utsName = func() Type {
	const max = 64 // __NEW_UTS_LEN
	t := inBuf(1)
	print := t.Print
	t.Print = func(c *Call, v uint64) {
		if c.args[1] > max {
			c.Addr(v)
			return
		}
		print(c, v)
	}
	return t
}()

// rebootArg is the fourth argument, of one command only.
var rebootArg = func() Type {
	t := strTo(255)
	t.Hide = func(c *Call) bool { return c.args[2] != uint64(uint32(xlat.LINUX_REBOOT_CMD_RESTART2)) }
	return t
}()

// kexecMax is KEXEC_SEGMENT_MAX.
const kexecMax = 16

var kexecSegment = NewStruct(Arg{"buf", addr}, Arg{"bufsz", uldec}, Arg{"mem", addr}, Arg{"memsz", uldec}).Type()

// kexecFlags are flags and the architecture in the upper half of 32 bits.
var kexecFlags = printed(Ulong, func(c *Call, v uint64) {
	const arch = 0xffff0000
	c.KindFlags(v, arch, xlat.KexecArch, xlat.KexecFlags)
})

// upTo is t, an array of as many elements as argument n says, shown as an address
// if there are more than max.
func upTo(max uint64, n int, t Type) Type {
	print := t.Print
	t.Print = func(c *Call, v uint64) {
		if c.args[n] > max {
			c.Addr(v)
			return
		}
		print(c, v)
	}
	return t
}

// outHex is outBuf that shows every byte as \x….
var outHex = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		if c.Failed() || !c.Returned() {
			c.Addr(v)
			return
		}
		c.HexBuf(v, uint64(c.Ev.Ret))
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenRet, When: event.AtExit | event.IfOK})
	},
}

// HexBuf is BufAt with every byte as \x….
func (c *Call) HexBuf(addr, n uint64) {
	shown := min(n, uint64(c.Opts.StringMax))
	b := c.Avail(addr, int(shown))
	if addr == 0 || uint64(len(b)) < shown {
		c.Addr(addr)
		return
	}
	c.StrHex(b, n > shown)
}
