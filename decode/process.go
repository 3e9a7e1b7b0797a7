package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// processRows are the calls on tasks that are in no other family.
var processRows = []Row{
	{Name: "exit", Ret: RetNone, Args: args{{"status", dec}}},
	{Name: "exit_group", Ret: RetNone, Args: args{{"status", dec}}},
	{Name: "kill", Args: args{{"pid", pid}, {"signum", sig}}},
	{Name: "tkill", Args: args{{"tid", pid}, {"signum", sig}}},
	{Name: "tgkill", Args: args{{"tgid", pid}, {"tid", pid}, {"signum", sig}}},
	{Name: "pidfd_open", Ret: RetFD, Args: args{{"pid", pid}, {"flags", flags(xlat.PidfdOpenFlags)}}},
	{Name: "pidfd_getfd", Ret: RetFD, Args: args{{"pidfd", fd}, {"targetfd", dec}, {"flags", hex}}},
	{Name: "set_tid_address", Ret: RetTID, Args: args{{"tidptr", addr}}},
	{Name: "set_robust_list", Args: args{{"head", addr}, {"len", size}}},
	{Name: "get_robust_list", Args: args{{"pid", pid}, {"head_ptr", boxed(outPtr, addr)}, {"len_ptr", boxed(outPtr, uldec)}}},
	{Name: "rseq", Args: args{{"rseq", rseqPtr}, {"rseq_len", udec}, {"flags", flags(xlat.RseqFlags)}, {"sig", hex}}},
	{Name: "getcpu", Args: args{{"cpu", boxed(outPtr, udec)}, {"node", boxed(outPtr, udec)}, {"tcache", addr}}},
	{Name: "personality", Ret: RetHex, Aux: auxPersonality, Args: args{{"persona", persona}}},
	{Name: "uname", Args: args{{"buf", outPtr(utsname)}}},
	{Name: "olduname", Args: args{{"buf", outPtr(oldUtsname(65))}}},
	{Name: "oldolduname", Args: args{{"buf", outPtr(oldUtsname(9))}}},
	{Name: "sysinfo", Args: args{{"info", outPtr(sysinfoStruct)}}},
	{Name: "kcmp", Args: kcmpArgs(args{{"idx1", lhex}, {"idx2", lhex}}), Cmd: &Commands{Arg: 2, Of: map[uint32]*Command{
		0: {Args: args{{"idx1", fdOf(0)}, {"idx2", fdOf(1)}}},
		1: {}, 2: {}, 3: {}, 4: {}, 5: {}, 6: {},
		7: {Args: args{{"idx1", fdOf(0)}, {"idx2", in(NewStruct(Arg{"efd", dec}, Arg{"tfd", dec}, Arg{"toff", udec}).Type())}}},
	}}},
	{Name: "arch_prctl", Args: args{{"op", enum(xlat.ArchPrctl)}, {"addr", lhex}}, Cmd: &Commands{Arg: 0, Of: archCommands()}},
}

func kcmpArgs(tail args) args {
	return append(args{{"pid1", pid}, {"pid2", pid}, {"type", enum(xlat.KcmpTypes)}}, tail...)
}

func archCommands() map[uint32]*Command {
	address := &Command{Args: args{{"addr", boxed(outPtr, addr)}}}
	features := &Command{Args: args{{"addr", boxed(outPtr, xfeatures)}}}
	wanted := &Command{Args: args{{"addr", xfeature}}, Ret: RetHex, Aux: auxXfeatures}
	return map[uint32]*Command{
		xlat.ARCH_GET_FS: address, xlat.ARCH_GET_GS: address,
		xlat.ARCH_GET_CPUID:            {},
		xlat.ARCH_GET_XCOMP_SUPP:       features,
		xlat.ARCH_GET_XCOMP_PERM:       features,
		xlat.ARCH_REQ_XCOMP_PERM:       wanted,
		xlat.ARCH_GET_XCOMP_GUEST_PERM: features,
		xlat.ARCH_REQ_XCOMP_GUEST_PERM: wanted,
	}
}

// verboseNames prints like print, with names always in comments behind numbers,
// for names that no header has.
func verboseNames(w Width, print func(c *Call, v uint64)) Type {
	return Type{Width: w, Print: func(c *Call, v uint64) {
		old := c.Opt.Xlat
		if old == out.Abbrev {
			c.Opt.Xlat = out.Verbose
		}
		print(c, v)
		c.Opt.Xlat = old
	}}
}

var (
	xfeatures = verboseNames(U64, func(c *Call, v uint64) { c.Flags(v, xlat.Xfeatures) })
	xfeature  = verboseNames(Ulong, func(c *Call, v uint64) { c.Enum(v, xlat.XfeatureBits) })
)

func auxXfeatures(c *Call) bool {
	if c.Ev.Ret <= 0 {
		return false
	}
	c.Flags(uint64(c.Ev.Ret), xlat.Xfeatures)
	return true
}

const persMask = 0xff

// persona is a personality and flags; all bits set only asks.
var persona = Type{Width: U32, Print: func(c *Call, v uint64) {
	if v == 1<<32-1 {
		c.Hex(v)
		return
	}
	c.Personality(v)
}}

// Personality writes a kind of personality and its flags.
func (c *Call) Personality(v uint64) {
	if c.Opt.JSON {
		c.EnumFlags(v, persMask, xlat.PersonalityTypes, xlat.PersonalityFlags)
		return
	}
	c.Enum(v&persMask, xlat.PersonalityTypes)
	if v &^= persMask; v != 0 {
		c.Syntax("|")
		c.Flags(v, personalityFlags)
	}
}

// personalityFlags are those without a comment behind unknown ones.
var personalityFlags = &out.Xlat{Entries: xlat.PersonalityFlags.Entries}

func auxPersonality(c *Call) bool {
	c.Personality(uint64(uint32(c.Ev.Ret)))
	return true
}

// utsname is a struct new_utsname: six strings of up to 64 bytes.
var utsname = shortened(NewStruct(append(utsFields(65), Arg{"domainname", utsField(65)})...), "release")

// oldUtsname is one of the structs of older calls, with n bytes a string and no
// domain.
func oldUtsname(n uint16) Type {
	return shortened(NewStruct(utsFields(n)...), "release")
}

func utsFields(n uint16) []Arg {
	f := utsField(n)
	return []Arg{{"sysname", f}, {"nodename", f}, {"release", f}, {"version", f}, {"machine", f}}
}

func utsField(n uint16) Type {
	return Type{
		Width: None, Size: [numLay]uint16{n, n, n}, Align: [numLay]uint16{1, 1, 1},
		Mem: func(c *Call, b []byte, _ uint64) { c.fixedString(b) },
	}
}

// fixedString writes the string in an array of bytes, whole.
func (c *Call) fixedString(b []byte) {
	for i, x := range b {
		if x == 0 {
			c.Str(b[:i], false)
			return
		}
	}
	c.Str(b, true)
}

var sysinfoStruct = NewStruct(
	Arg{"uptime", uldec}, Arg{"loads", inline(uldec, 3)}, Arg{"totalram", uldec}, Arg{"freeram", uldec}, Arg{"sharedram", uldec},
	Arg{"bufferram", uldec}, Arg{"totalswap", uldec}, Arg{"freeswap", uldec}, Arg{"procs", udec16}, Arg{"", udec16},
	Arg{"totalhigh", uldec}, Arg{"freehigh", uldec}, Arg{"mem_unit", udec},
).Type()

// inline is an array of n values inside a struct.
func inline(t Type, n int) Type {
	var s, a [numLay]uint16
	for l := range numLay {
		s[l], a[l] = uint16(n*t.size(l)), uint16(t.align(l))
	}
	return Type{
		Width: None, Size: s, Align: a,
		Mem: func(c *Call, b []byte, addr uint64) {
			size := t.size(c.Lay)
			c.BeginArray()
			for i := range n {
				c.Elem()
				t.Val(c, b[i*size:(i+1)*size], addr+uint64(i*size))
			}
			c.EndArray()
		},
	}
}

// A struct rseq has at least that size, and that alignment.
const rseqSize = 32

var (
	rseqCPU = Type{Width: U32, Print: func(c *Call, v uint64) {
		switch int32(v) {
		case -1:
			c.symbol(v, "RSEQ_CPU_ID_UNINITIALIZED")
		case -2:
			c.symbol(v, "RSEQ_CPU_ID_REGISTRATION_FAILED")
		default:
			c.Uint(v)
		}
	}}
	rseqSlice = NewStruct(Arg{"request", udec8}, Arg{"granted", udec8}, Arg{"__reserved", hex16}).Type()
	rseqCS    = NewStruct(
		Arg{"version", udec}, Arg{"flags", flags(xlat.RseqCSFlags)}, Arg{"start_ip", hex64},
		Arg{"post_commit_offset", hex64}, Arg{"abort_ip", hex64},
	)
	rseqStruct = NewStruct(
		Arg{"cpu_id_start", rseqCPU}, Arg{"cpu_id", rseqCPU}, Arg{"rseq_cs", rseqCSPtr}, Arg{"flags", flags(xlat.RseqCSFlags)},
		Arg{"node_id", udec}, Arg{"mm_cid", udec}, Arg{"slice_ctrl", rseqSlice},
	)
)

// rseqCSPtr is a pointer of 64 bits in all ABIs, with the address behind what it
// points to.
var rseqCSPtr = Type{Width: U64, Print: func(c *Call, v uint64) {
	at := c.mask(v)
	b, ok := c.Read(at, int(rseqCS.size[c.Lay]))
	if !ok || at == 0 {
		c.Addr(v)
		return
	}
	rseqCS.Print(c, b)
	if !c.Opt.JSON {
		c.Syntax(" /* ")
		c.Addr(at)
		c.Syntax(" */")
	}
}}

var rseqPtr = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		n := c.args[1]
		if n < rseqSize || v%rseqSize != 0 {
			c.Addr(v)
			return
		}
		b, ok := c.ReadOr(v, int(min(n, rseqSize+1)))
		if !ok {
			return
		}
		last := uint64(0)
		if len(b) > rseqSize {
			last = uint64(b[rseqSize])
		}
		c.BeginStruct()
		rseqStruct.PrintFields(c, b[:rseqSize])
		c.Field("__reserved")
		c.Hex(last)
		c.EndStruct()
	},
	Cap: func(b *Caps, at Place) {
		op := b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenArg, LenFrom: 1, LenWidth: 4, Max: rseqSize + 1, When: event.AtExit})
		b.Add(In(op, 8, 0), event.Capture{Kind: event.CapBytes, Size: 32, When: event.AtExit})
	},
}

// symbol writes a number that has a name, in decimal.
func (c *Call) symbol(v uint64, name string) {
	switch {
	case c.Opt.JSON || c.Opt.Xlat == out.Abbrev:
		c.Text(name)
	case c.Opt.Xlat == out.Raw:
		c.Int(int64(int32(v)))
	default:
		c.Int(int64(int32(v)))
		c.Comment(name)
	}
}
