package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// memRows are the calls on address spaces, except those of numa.go.
var memRows = []Row{
	{Name: "brk", Ret: RetHex, Args: args{{"addr", addr}}},
	{Name: "mmap", Ret: RetHex, Args: mmapArgs(lhex)},
	{Name: "mmap", ABIs: On32, Ret: RetHex, Args: args{{"addr", oldMmap}}},
	{Name: "mmap2", Ret: RetHex, Args: mmapArgs(printed(Ulong, func(c *Call, v uint64) { c.Hex(v << 12) }))},
	{Name: "munmap", Args: args{{"addr", addr}, {"length", size}}},
	{Name: "mprotect", Args: args{{"addr", addr}, {"length", size}, {"prot", mmapProt}}},
	{Name: "pkey_mprotect", Args: args{{"addr", addr}, {"length", size}, {"prot", mmapProt}, {"pkey", dec}}},
	{Name: "pkey_alloc", Args: args{{"flags", lhex}, {"access_rights", flagsIn(Ulong, xlat.PkeyAccess)}}},
	{Name: "pkey_free", Args: args{{"pkey", dec}}},
	{Name: "mremap", Ret: RetHex, Args: args{{"old_address", addr}, {"old_size", size}, {"new_size", size}, {"flags", flagsIn(Ulong, xlat.MremapFlags)}, {"new_address", mremapTo}}},
	{Name: "remap_file_pages", Args: args{{"addr", addr}, {"size", size}, {"prot", mmapProt}, {"pgoff", uldec}, {"flags", mmapFlags}}},
	{Name: "msync", Args: args{{"addr", addr}, {"length", size}, {"flags", flags(xlat.MsyncFlags)}}},
	{Name: "mincore", Args: args{{"addr", addr}, {"length", size}, {"vec", mincoreVec}}},
	{Name: "mlock", Args: args{{"addr", addr}, {"length", size}}},
	{Name: "mlock2", Args: args{{"addr", addr}, {"length", size}, {"flags", flags(xlat.MlockFlags)}}},
	{Name: "munlock", Args: args{{"addr", addr}, {"length", size}}},
	{Name: "mlockall", Args: args{{"flags", flags(xlat.MlockallFlags)}}},
	{Name: "munlockall"},
	{Name: "madvise", Args: args{{"addr", addr}, {"length", size}, {"advice", enum(xlat.MadviseCmds)}}},
	{Name: "process_madvise", Args: args{{"pidfd", fd}, {"iovec", addrIovec(2)}, {"n", size}, {"advice", enum(xlat.MadviseCmds)}, {"flags", hex}}},
	{Name: "process_mrelease", Args: args{{"pidfd", fd}, {"flags", hex}}},
	{Name: "mseal", Args: args{{"addr", addr}, {"length", size}, {"flags", lhex}}},
	{Name: "map_shadow_stack", Args: args{{"addr", addr}, {"len", size}, {"flags", flags(xlat.ShadowStackFlags)}}},
	{Name: "cachestat", Args: args{{"fd", fd}, {"cstat_range", in(cachestatRange)}, {"cstat", outPtr(cachestat)}, {"flags", hex}}},
	{
		Name: "membarrier", Args: args{{"cmd", enum(xlat.MembarrierCmds)}, {"flags", flags(xlat.MembarrierFlags)}, {"cpu_id", membarrierCPU}},
		Cmd: &Commands{Arg: 0, Of: map[uint32]*Command{
			0: {Ret: RetHex, Aux: auxMembarrier, Args: args{{"flags", flags(xlat.MembarrierFlags)}, {"cpu_id", membarrierCPU}}},
		}},
	},
}

var mmapProt = flagsIn(Ulong, xlat.MmapProt)

func mmapArgs(offset Type) args {
	return args{{"addr", addr}, {"length", size}, {"prot", mmapProt}, {"flags", mmapFlags}, {"fd", fd}, {"offset", offset}}
}

// mmapFlags are a kind of mapping, flags, and a page size.
var mmapFlags = exprOf(Ulong, func(c *Call, v uint64) {
	const kinds = 0xf
	x := xlat.MmapFlags.For(c.Machine)
	if name, ok := x.Name(v & kinds); ok {
		c.Syntax(name)
	} else {
		c.Enum(v&kinds, xlat.MmapFlags)
	}
	rest, huge := uint64(uint32(v&^kinds))&^hugeMask, v&hugeMask
	if rest != 0 {
		c.Syntax("|")
		c.FlagNames(rest, xlat.MmapFlags)
	}
	if huge != 0 {
		c.Syntax("|")
		c.hugePage(huge, xlat.MmapFlags, "MAP_HUGE_SHIFT")
	}
})

// oldMmap is the pointer to the six arguments that the first mmap of 32-bit
// ABIs takes: shown as if they were its own.
var oldMmap = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		list := mmapArgs(lhex)
		word := c.Lay.Word()
		b, ok := c.ReadOr(v, len(list)*word)
		if !ok {
			return
		}
		for i := range list {
			if i > 0 {
				c.Arg(list[i].Name)
			}
			w := c.Word(b[i*word:])
			list[i].Print(c, list[i].Width.extend(w, c.Lay))
		}
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(6 * b.Lay.Word()), When: event.AtExit})
	},
}

// mremapTo is the new address, which counts only with some flags.
var mremapTo = func() Type {
	const mayMove, fixed, dontUnmap = 1, 2, 4
	t := addr
	t.Hide = func(c *Call) bool { f := c.args[3]; return f&(fixed|dontUnmap) == 0 || f&mayMove == 0 }
	return t
}()

// mincoreVec has a byte for each page of the range; its lowest bit counts.
var mincoreVec = func() Type {
	const page = 4096
	pages := count{kind: event.LenArg, arg: 1, value: func(c *Call) (uint64, bool) {
		n := c.args[1] / page
		if c.args[1]%page != 0 {
			n++
		}
		return n, true
	}}
	return array(outPtr, Type{Width: U8, Print: func(c *Call, v uint64) { c.Uint(v & 1) }}, pages)
}()

var (
	cachestatRange = NewStruct(Arg{"off", hex64}, Arg{"len", udec64}).Type()
	cachestat      = NewStruct(
		Arg{"nr_cache", udec64}, Arg{"nr_dirty", udec64}, Arg{"nr_writeback", udec64},
		Arg{"nr_evicted", udec64}, Arg{"nr_recently_evicted", udec64},
	).Type()
)

// membarrierCPU counts only with a flag.
var membarrierCPU = func() Type {
	t := dec
	t.Hide = func(c *Call) bool { return c.args[1]&1 == 0 }
	return t
}()

// auxMembarrier shows the commands that a query returned.
func auxMembarrier(c *Call) bool {
	if c.Ev.Ret == 0 {
		return false
	}
	c.Flags(uint64(c.Ev.Ret), xlat.MembarrierCmds)
	return true
}
