package decode

import (
	"bytes"

	"golang.org/x/sys/unix"

	"perftrace/decode/xlat"
	"perftrace/event"
)

// bpfObjInfo asks what a program, map or other object is. Without abbreviation
// the answer about maps and programs is shown; which it is, the descriptor tells.
var bpfObjInfo = &bpfAttr{
	known: 16, within: "info", fds: []int{0},
	fields: []bpfField{
		bf("bpf_fd", 0, fd), bchange("info_len", 4),
		{name: "info", at: 8, from: -1, show: func(c *Call, in, after view, _ int) { c.objInfo(in, after) }},
	},
	caps: func(b *Caps, op int) {
		if !b.Opts.showsPrograms() {
			return
		}
		if !b.Opts.wantFDs() {
			b.Add(In(op, 0, 0), event.Capture{Kind: event.CapFD, When: event.AtExit})
		}
		info := b.Add(In(op, 8, 0), event.Capture{
			Kind: event.CapBytes, Len: event.LenField, LenOff: 4, LenWidth: 4, Max: maxBPFAttr, When: event.AtEntry | event.AtExit,
		})
		b.Add(In(info, progJITed, 0), event.Capture{Kind: event.CapBytes, Len: event.LenField, LenOff: progJITedLen, LenWidth: 4, When: event.AtExit})
		b.Add(In(info, progXlated, 0), event.Capture{
			Kind: event.CapBytes, Len: event.LenField, LenOff: progXlatedLen, LenWidth: 4, Max: bpfInsnSize * maxElems, When: event.AtExit,
		})
		b.capCount(info, progMapIDs, progNrMapIDs, 4)
	},
}

func (c *Call) objInfo(in, after view) {
	addr, n := after.u64(8), after.u32(4)
	kind := c.objKind(int64(int32(in.u32(0))))
	if c.Abbrev || kind == nil || n == 0 || n > maxBPFAttr {
		c.Addr(addr)
		return
	}
	b, ok := c.Read(addr, int(n))
	if !ok {
		c.Addr(addr)
		return
	}
	was := view{b, addr}
	c.AtEntry = true
	if b, ok := c.Read(in.u64(8), int(in.u32(4))); ok {
		was = view{b, addr}
	}
	c.AtEntry = false
	is := view{b, addr}
	c.BeginStruct()
	kind.printInfo(c, was, is)
	c.extraData(is, kind.known)
	c.EndStruct()
}

// printInfo is printFields of an answer: its length is that when the call has
// returned.
func (a *bpfAttr) printInfo(c *Call, was, is view) {
	for i := range a.fields {
		f := &a.fields[i]
		if min(len(is.b), a.known) <= f.from {
			continue
		}
		c.Field(f.name)
		f.show(c, was, is, f.at)
	}
}

// objKind is what an answer about a descriptor holds, nil if it is not known.
func (c *Call) objKind(n int64) *bpfAttr {
	f, ok := parseFD(c.FDInfo(n))
	switch {
	case !ok:
	case bytes.HasSuffix(f.text, []byte("bpf-map")):
		return bpfMapInfo
	case bytes.HasSuffix(f.text, []byte("bpf-prog")):
		return bpfProgInfo
	}
	return nil
}

// told are fields as the call has answered them.
func told(fields []bpfField) []bpfField {
	for i := range fields {
		fields[i] = fields[i].later()
	}
	return fields
}

var bpfMapInfo = &bpfAttr{known: 100, fields: bpfFields(
	told(all(0, Arg{"type", enum(xlat.BPFMapTypes)}, Arg{"id", udec}, Arg{"key_size", udec}, Arg{"value_size", udec}, Arg{"max_entries", udec}, Arg{"map_flags", flags(xlat.BPFMapFlags)})),
	[]bpfField{bname("name", 24).since(24).later()},
	told(bfs(40, Arg{"ifindex", ifIndex}, Arg{"btf_vmlinux_value_type_id", udec}, Arg{"netns_dev", dev64}, Arg{"netns_ino", udec64})),
	told(bfs(64, Arg{"btf_id", udec}, Arg{"btf_key_type_id", udec}, Arg{"btf_value_type_id", udec})),
	[]bpfField{bf("btf_vmlinux_id", 76, udec).since(80).later(), bf("map_extra", 80, hex64).since(80).later()},
	told(bfs(88, Arg{"hash", hex64}, Arg{"hash_size", udec})),
)}

// Offsets in struct bpf_prog_info.
const (
	progTag        = 8
	progTagLen     = 8
	progJITedLen   = 16
	progXlatedLen  = 20
	progJITed      = 24
	progXlated     = 32
	progLoadTime   = 40
	progNrMapIDs   = 52
	progMapIDs     = 56
	progGPL        = 84
	progFuncInfo   = 136
	progLineInfo   = 152
	progJITedLines = 160
	progTags       = 184
)

var bpfProgInfo = &bpfAttr{known: 228, fields: bpfFields(
	told(all(0, Arg{"type", enum(xlat.BPFProgTypes)}, Arg{"id", udec})),
	[]bpfField{
		{name: "tag", at: progTag, from: -1, show: func(c *Call, _, is view, at int) {
			c.StrHex(is.b[min(at, len(is.b)):min(at+progTagLen, len(is.b))], false)
		}},
		bchange("jited_prog_len", progJITedLen),
		bmem("jited_prog_insns", progJITed, func(c *Call, is view, addr uint64) { c.HexBuf(addr, is.u32(progJITedLen)) }).later(),
		bchange("xlated_prog_len", progXlatedLen),
		{name: "xlated_prog_insns", at: progXlated, from: -1, show: func(c *Call, was, is view, at int) {
			c.EBPFProg(is.u64(at), min(was.u32(progXlatedLen), is.u32(progXlatedLen))/bpfInsnSize)
		}},
		{name: "load_time", at: progLoadTime, from: progLoadTime, show: func(c *Call, _, is view, at int) { c.sinceBoot(is.u64(at)) }},
		bf("created_by_uid", 48, uid).since(progLoadTime).later(),
		bchange("nr_map_ids", progNrMapIDs).since(progLoadTime),
		{name: "map_ids", at: progMapIDs, from: progLoadTime, show: func(c *Call, was, is view, at int) {
			c.Array(is.u64(at), min(was.u32(progNrMapIDs), is.u32(progNrMapIDs)), &bpfID)
		}},
		bname("name", 64).since(progLoadTime).later(),
		bf("ifindex", 80, ifIndex).since(80).later(),
		bf("gpl_compatible", progGPL, printed(U32, func(c *Call, v uint64) { c.Uint(v & 1) })).since(80).later(),
		bf("netns_dev", 88, dev64).since(80).later(), bf("netns_ino", 96, udec64).since(80).later(),
		bchange("nr_jited_ksyms", 104).since(104), bchange("nr_jited_func_lens", 108).since(104),
		bmoved("jited_ksyms", 112).since(104), bmoved("jited_func_lens", 120).since(104),
		bf("btf_id", 128, udec).since(128).later(), bchange("func_info_rec_size", 132).since(128),
		bf("func_info", progFuncInfo, addr64).since(128).later(), bchange("nr_func_info", 144).since(128), bchange("nr_line_info", 148).since(128),
		bf("line_info", progLineInfo, addr64).since(128).later(), bmoved("jited_line_info", progJITedLines).since(128),
		bchange("nr_jited_line_info", 168).since(128), bchange("line_info_rec_size", 172).since(128), bchange("jited_line_info_rec_size", 176).since(128),
		bchange("nr_prog_tags", 180).since(128), bf("prog_tags", progTags, addr64).since(128).later(),
	},
	told(bfs(192, Arg{"run_time_ns", udec64}, Arg{"run_cnt", udec64})),
	told(bfs(208, Arg{"recursion_misses", udec64})),
	told(bfs(216, Arg{"verified_insns", udec})),
	told(bfs(220, Arg{"attach_btf_obj_id", udec}, Arg{"attach_btf_id", udec})),
)}

var bpfID = udec

// bmoved is an address that the call may change.
func bmoved(name string, at int) bpfField {
	return bpfField{name: name, at: at, from: -1, show: func(c *Call, in, after view, at int) {
		was, is := in.u64(at), after.u64(at)
		if was == is {
			c.Addr(was)
			return
		}
		c.BeginChange()
		c.Addr(was)
		c.Then()
		c.Addr(is)
		c.EndChange()
	}}
}

// sinceBoot writes a time since this machine was started, in nanoseconds, and
// about when that was.
func (c *Call) sinceBoot(ns uint64) {
	const second = 1_000_000_000
	c.Uint(ns)
	var boot, now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil || unix.ClockGettime(unix.CLOCK_REALTIME, &now) != nil {
		return
	}
	c.DateComment((now.Nano()-boot.Nano()+int64(ns))/second, 0, 0)
}
