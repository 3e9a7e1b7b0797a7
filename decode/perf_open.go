package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// perfRows is the call that opens perf events.
var perfRows = []Row{
	{Name: "perf_event_open", Ret: RetFD, Args: args{{"attr", perfEventAttr}, {"pid", dec}, {"cpu", dec}, {"group_fd", fd}, {"flags", flagsIn(Ulong, xlat.PerfOpenFlags)}}},
}

// Sizes of struct perf_event_attr: of the first version, of the one that is
// described here, and of what is shown with abbreviation.
const (
	perfAttrSize0  = 64
	perfAttrSize   = 144
	perfAttrAbbrev = 48
)

// Offsets in it.
const (
	perfSizeAt   = 4
	perfBitsAt   = 40
	perfUnionAt  = 48 // what is not shown with abbreviation begins here
	perfActionAt = 116
)

// perfEventAttr is a pointer to a struct perf_event_attr, as it was when the call
// began; if the kernel finds it too long it says in it how long it may be.
var perfEventAttr = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		c.AtEntry = true
		head, ok := c.Read(v, 8)
		c.AtEntry = false
		if !ok || !c.Verbose {
			c.Addr(v)
			return
		}
		size := min(c.U32(head[perfSizeAt:]), perfAttrSize)
		if size == 0 {
			size = perfAttrSize0
		}
		if size < perfAttrSize0 {
			c.Addr(v)
			return
		}
		if c.Abbrev {
			size = perfAttrAbbrev
		}
		c.AtEntry = true
		b, ok := c.Read(v, int(size))
		c.AtEntry = false
		if !ok {
			c.Addr(v)
			return
		}
		c.perfAttr(c.padded(b, perfAttrSize), v, size)
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: perfAttrSize, When: event.AtEntry})
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: 8, When: event.AtExit})
	},
}

func (c *Call) perfAttr(b []byte, addr, size uint64) {
	kind, given := c.U32(b), c.U32(b[perfSizeAt:])
	bits := c.U64(b[perfBitsAt:])
	c.BeginStruct()
	c.Field("type")
	c.Enum(kind, xlat.PerfTypes)
	c.Field("size")
	if errno, failed := c.Ev.Failed(); failed && errno == eTooBig {
		c.BeginChange()
		c.Enum(given, xlat.PerfAttrSizes)
		c.Then()
		if after, ok := c.Read(addr, 8); ok {
			c.Enum(c.U32(after[perfSizeAt:]), xlat.PerfAttrSizes)
		} else {
			c.Text("???")
		}
		c.EndChange()
	} else {
		c.Enum(given, xlat.PerfAttrSizes)
	}
	c.Field("config")
	c.perfConfig(kind, c.U64(b[8:]))
	if perfBit(bits, perfFreq) {
		c.Field("sample_freq")
	} else {
		c.Field("sample_period")
	}
	c.Uint(c.U64(b[16:]))
	c.Field("sample_type")
	c.Flags(c.U64(b[24:]), xlat.PerfSamples)
	c.Field("read_format")
	c.Flags(c.U64(b[32:]), xlat.PerfReadFormats)
	c.perfBits(bits)
	if !c.Abbrev {
		c.perfRest(b, kind, bits, size)
	}
	if given != 0 && given > size || given == 0 && size < perfAttrSize0 {
		c.MoreFields()
	}
	c.EndStruct()
}

// eTooBig is E2BIG.
const eTooBig = 7

// perfConfig writes which event it is: a number whose meaning hangs on the type.
// The upper half says which PMU.
func (c *Call) perfConfig(kind, v uint64) {
	part := func(v, by uint64) {
		if v != 0 {
			c.Hex(v)
			c.Syntax("<<")
			c.Uint(by)
			c.Syntax("|")
		}
	}
	shifted := func(v uint64, x *out.Xlat, by uint64) {
		c.Enum(v, x)
		c.Syntax("<<")
		c.Uint(by)
		c.Syntax("|")
	}
	c.BeginExpr(v)
	switch kind {
	case xlat.PERF_TYPE_HARDWARE:
		part(v>>32, 32)
		c.Enum(uint64(uint32(v)), xlat.PerfHardware)
	case xlat.PERF_TYPE_HW_CACHE:
		part(v>>32, 32)
		part(uint64(uint32(v))>>24, 24)
		shifted(v>>16&0xff, xlat.PerfCacheResults, 16)
		shifted(v>>8&0xff, xlat.PerfCacheOps, 8)
		c.Enum(v&0xff, xlat.PerfCaches)
	case xlat.PERF_TYPE_SOFTWARE:
		c.Enum(v, xlat.PerfSoftware)
	case xlat.PERF_TYPE_TRACEPOINT:
		c.Uint(v)
	default:
		c.Hex(v)
	}
	c.EndExpr()
}

// perfBitNames are the one-bit fields from bit 0 on; precise_ip has two.
var perfBitNames = [...]string{
	"disabled", "inherit", "pinned", "exclusive", "exclude_user", "exclude_kernel", "exclude_hv", "exclude_idle",
	"mmap", "comm", "freq", "inherit_stat", "enable_on_exec", "task", "watermark", "precise_ip", "",
	"mmap_data", "sample_id_all", "exclude_host", "exclude_guest", "exclude_callchain_kernel", "exclude_callchain_user",
	"mmap2", "comm_exec", "use_clockid", "context_switch", "write_backward", "namespaces", "ksymbol", "bpf_event",
	"aux_output", "cgroup", "text_poke", "build_id", "inherit_thread", "remove_on_exec", "sigtrap",
}

const (
	perfFreq       = 10
	perfWatermark  = 14
	perfPreciseIP  = 15
	perfUseClockID = 25
)

// perfSkids are the meanings of precise_ip.
var perfSkids = [4]string{"arbitrary skid", "constant skid", "requested to have 0 skid", "must have 0 skid"}

func perfBit(bits uint64, n int) bool { return bits>>n&1 != 0 }

func (c *Call) perfBits(bits uint64) {
	for i, name := range perfBitNames {
		switch {
		case name == "":
		case i == perfPreciseIP:
			v := bits >> i & 3
			c.Field(name)
			c.Uint(v)
			c.Comment(perfSkids[v])
		case !c.Abbrev || perfBit(bits, i):
			c.Field(name)
			c.Uint(bits >> i & 1)
		}
	}
	if rest := bits >> len(perfBitNames); rest != 0 {
		c.Field("__reserved_1")
		c.Hex(rest)
		c.Comment("Bits 63..38")
	}
}

// perfRest writes the fields from perfUnionAt on. From bp_len on they are there
// only if the struct is longer than their offset.
func (c *Call) perfRest(b []byte, kind, bits, size uint64) {
	breakpoint := kind == xlat.PERF_TYPE_BREAKPOINT
	samples := c.U64(b[24:])
	if perfBit(bits, perfWatermark) {
		c.Field("wakeup_watermark")
	} else {
		c.Field("wakeup_events")
	}
	c.Uint(c.U32(b[perfUnionAt:]))
	if breakpoint {
		c.Field("bp_type")
		c.breakpoint(c.U32(b[52:]))
		c.Field("bp_addr")
	} else {
		c.Field("config1")
	}
	c.Hex(c.U64(b[56:]))
	for i := range perfRestFields {
		f := &perfRestFields[i]
		if f.at >= int(size) {
			return
		}
		if f.sample != 0 && samples&f.sample == 0 || f.name == "clockid" && !perfBit(bits, perfUseClockID) {
			continue
		}
		switch f.name {
		case "config2":
			if breakpoint {
				c.Field("bp_len")
				c.Uint(c.U64(b[f.at:]))
				continue
			}
		case "__reserved_2":
			if v := c.U16(b[f.at:]); v != 0 && !c.Opt.JSON {
				c.Syntax(" /* bytes 110..111: ")
				c.Hex(v)
				c.Syntax(" */")
			}
			continue
		case "aux_action":
			c.perfAction(c.U32(b[f.at:]))
			continue
		}
		c.Field(f.name)
		f.Val(c, b[f.at:f.at+f.size(Lay64)], 0)
	}
}

// perfRestFields are the fields that not all versions have; sample is a bit of
// sample_type that they hang on.
var perfRestFields = []struct {
	name   string
	at     int
	sample uint64
	Type
}{
	{"config2", 64, 0, hex64},
	{"branch_sample_type", 72, xlat.PERF_SAMPLE_BRANCH_STACK, flagsIn(U64, xlat.PerfBranchSamples)},
	{"sample_regs_user", 80, 0, hex64},
	{"sample_stack_user", 88, xlat.PERF_SAMPLE_STACK_USER, hex},
	{"clockid", 92, 0, enum(xlat.Clocks)},
	{"sample_regs_intr", 96, 0, hex64},
	{"aux_watermark", 104, 0, udec},
	{"sample_max_stack", 108, 0, udec16},
	{"__reserved_2", 110, 0, hex16},
	{"aux_sample_size", 112, 0, udec},
	{"aux_action", perfActionAt, 0, hex},
	{"sig_data", 120, 0, hex64},
	{"config3", 128, 0, hex64},
	{"config4", 136, 0, hex64},
}

// breakpoint writes the kind of a breakpoint; reading or writing with executing
// is none.
func (c *Call) breakpoint(v uint64) {
	const all = 7
	x := xlat.HWBreakpoints
	if v <= all {
		x = invalidBreakpoints
	}
	c.Enum(v, x)
}

var invalidBreakpoints = withDefault(xlat.HWBreakpoints, "HW_BREAKPOINT_INVALID")

func (c *Call) perfAction(v uint64) {
	for i, name := range [...]string{"aux_start_paused", "aux_pause", "aux_resume"} {
		c.Field(name)
		c.Uint(v >> i & 1)
	}
	if rest := v >> 3; rest != 0 {
		c.Field("__reserved_3")
		c.Hex(rest)
		c.Comment("Bits 931..959")
	}
}
