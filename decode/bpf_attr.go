package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// bpfCommands are the commands of the call bpf.
func bpfCommands() map[uint32]*Command {
	m := make(map[uint32]*Command)
	for cmd, a := range map[uint32]*bpfAttr{
		xlat.BPF_MAP_CREATE:                  bpfMapCreate,
		xlat.BPF_MAP_LOOKUP_ELEM:             bpfLookup,
		xlat.BPF_MAP_LOOKUP_AND_DELETE_ELEM:  bpfLookup,
		xlat.BPF_MAP_UPDATE_ELEM:             bpfUpdate,
		xlat.BPF_MAP_DELETE_ELEM:             bpfDelete,
		xlat.BPF_MAP_GET_NEXT_KEY:            bpfNextKey,
		xlat.BPF_MAP_FREEZE:                  bpfFreeze,
		xlat.BPF_PROG_LOAD:                   bpfProgLoad,
		xlat.BPF_OBJ_PIN:                     bpfPin,
		xlat.BPF_OBJ_GET:                     bpfPin,
		xlat.BPF_PROG_ATTACH:                 bpfAttach,
		xlat.BPF_PROG_DETACH:                 bpfAttach,
		xlat.BPF_PROG_TEST_RUN:               bpfTestRun,
		xlat.BPF_PROG_GET_NEXT_ID:            bpfNextID,
		xlat.BPF_MAP_GET_NEXT_ID:             bpfNextID,
		xlat.BPF_BTF_GET_NEXT_ID:             bpfNextID,
		xlat.BPF_LINK_GET_NEXT_ID:            bpfNextID,
		xlat.BPF_PROG_GET_FD_BY_ID:           {known: 4, ret: RetFD, fields: []bpfField{bf("prog_id", 0, udec)}},
		xlat.BPF_MAP_GET_FD_BY_ID:            {known: 12, ret: RetFD, fields: []bpfField{bf("map_id", 0, udec), bf("open_flags", 8, flags(xlat.BPFFileModes)).since(8)}},
		xlat.BPF_BTF_GET_FD_BY_ID:            {known: 16, ret: RetFD, fds: []int{12}, fields: bpfFields([]bpfField{bf("btf_id", 0, udec)}, bfs(8, Arg{"open_flags", flags(xlat.BPFFileModes)}, Arg{"fd_by_id_token_fd", fd}))},
		xlat.BPF_LINK_GET_FD_BY_ID:           {known: 4, ret: RetFD, fields: []bpfField{bf("link_id", 0, udec)}},
		xlat.BPF_OBJ_GET_INFO_BY_FD:          bpfObjInfo,
		xlat.BPF_PROG_QUERY:                  bpfQuery,
		xlat.BPF_RAW_TRACEPOINT_OPEN:         bpfRawTracepoint,
		xlat.BPF_BTF_LOAD:                    bpfBTFLoad,
		xlat.BPF_TASK_FD_QUERY:               bpfTaskFD,
		xlat.BPF_MAP_LOOKUP_BATCH:            bpfLookupBatch,
		xlat.BPF_MAP_LOOKUP_AND_DELETE_BATCH: bpfLookupBatch,
		xlat.BPF_MAP_UPDATE_BATCH:            bpfUpdateBatch,
		xlat.BPF_MAP_DELETE_BATCH:            bpfDeleteBatch,
		xlat.BPF_LINK_CREATE:                 bpfLinkCreate,
		xlat.BPF_LINK_UPDATE:                 bpfLinkUpdate,
		xlat.BPF_ENABLE_STATS:                {known: 4, within: "enable_stats", ret: RetFD, fields: bfs(0, Arg{"type", enum(xlat.BPFStatsTypes)})},
		xlat.BPF_ITER_CREATE:                 {known: 8, within: "iter_create", ret: RetFD, fds: []int{0}, fields: all(0, Arg{"link_fd", fd}, Arg{"flags", hex})},
		xlat.BPF_LINK_DETACH:                 {known: 4, within: "link_detach", fds: []int{0}, fields: all(0, Arg{"link_fd", fd})},
		xlat.BPF_PROG_BIND_MAP:               {known: 12, within: "prog_bind_map", ret: RetFD, fds: []int{0, 4}, fields: all(0, Arg{"prog_fd", fd}, Arg{"map_fd", fd}, Arg{"flags", hex})},
		xlat.BPF_TOKEN_CREATE:                {known: 8, within: "token_create", ret: RetFD, fds: []int{4}, fields: all(0, Arg{"flags", hex}, Arg{"bpffs_fd", fd})},
		xlat.BPF_PROG_STREAM_READ_BY_FD:      bpfStreamRead,
		xlat.BPF_PROG_ASSOC_STRUCT_OPS:       {known: 12, within: "prog_assoc_struct_ops", fds: []int{0, 4}, fields: all(0, Arg{"map_fd", fd}, Arg{"prog_fd", fd}, Arg{"flags", hex})},
	} {
		m[cmd] = &Command{Ret: a.ret, Args: args{{"attr", a.typ()}, {"size", udec}}}
	}
	return m
}

// all are fields one behind the other that are always shown.
func all(at int, list ...Arg) []bpfField {
	fields := bfs(at, list...)
	for i := range fields {
		fields[i].from = -1
	}
	return fields
}

var bpfMapCreate = &bpfAttr{known: 92, ret: RetFD, fds: []int{20, 48, 72, 76}, fields: bpfFields(
	all(0, Arg{"map_type", enum(xlat.BPFMapTypes)}, Arg{"key_size", udec}, Arg{"value_size", udec}, Arg{"max_entries", udec}),
	bfs(16, Arg{"map_flags", flags(xlat.BPFMapFlags)}),
	bfs(20, Arg{"inner_map_fd", fd}),
	[]bpfField{
		bf("numa_node", 24, enumBoth(U32, bpfNumaNode)).since(24).on(func(in view) bool { return in.u32(16)&xlat.BPF_F_NUMA_NODE != 0 }),
		bname("map_name", 28).since(28),
	},
	bfs(44, Arg{"map_ifindex", ifIndex}),
	bfs(48, Arg{"btf_fd", fd}, Arg{"btf_key_type_id", udec}, Arg{"btf_value_type_id", udec}),
	bfs(60, Arg{"btf_vmlinux_value_type_id", udec}),
	bfs(64, Arg{"map_extra", udec64}),
	bfs(72, Arg{"value_type_btf_obj_fd", fd}),
	bfs(76, Arg{"map_token_fd", fd}),
	bfs(80, Arg{"excl_prog_hash", addr64}, Arg{"excl_prog_hash_size", udec}),
)}

// bpfNumaNode is the name of no node, for a field of 32 bits.
var bpfNumaNode = out.NewXlat("", []out.Entry{{Val: 1<<32 - 1, Name: "NUMA_NO_NODE"}})

var (
	bpfMapFD = bf("map_fd", 0, fd)

	bpfLookup  = &bpfAttr{known: 32, fds: []int{0}, fields: []bpfField{bpfMapFD, bf("key", 8, addr64), bf("value", 16, addr64), bf("flags", 24, elemFlags(xlat.BPFLookupFlags)).since(24)}}
	bpfUpdate  = &bpfAttr{known: 32, fds: []int{0}, fields: []bpfField{bpfMapFD, bf("key", 8, addr64), bf("value", 16, addr64), bf("flags", 24, elemFlags(xlat.BPFUpdateFlags))}}
	bpfDelete  = &bpfAttr{known: 16, fds: []int{0}, fields: []bpfField{bpfMapFD, bf("key", 8, addr64)}}
	bpfNextKey = &bpfAttr{known: 24, fds: []int{0}, fields: []bpfField{bpfMapFD, bf("key", 8, addr64), bf("next_key", 16, addr64)}}
	bpfFreeze  = &bpfAttr{known: 4, fds: []int{0}, fields: []bpfField{bpfMapFD}}
	bpfNextID  = &bpfAttr{known: 8, fields: []bpfField{bf("start_id", 0, udec), bf("next_id", 4, udec).later()}}
)

var bpfProgLoad = &bpfAttr{
	known: 168, ret: RetFD, fds: []int{72, 112, 144},
	fields: bpfFields(
		all(0, Arg{"prog_type", enum(xlat.BPFProgTypes)}, Arg{"insn_cnt", udec}),
		[]bpfField{
			bmem("insns", 8, func(c *Call, in view, addr uint64) { c.EBPFProg(addr, in.u32(4)) }),
			bmem("license", 16, func(c *Call, _ view, addr uint64) { c.StrAt(addr) }),
			bf("log_level", 24, udec).since(24), bf("log_size", 28, udec).since(24),
			bmem("log_buf", 32, func(c *Call, in view, addr uint64) {
				c.AtEntry = true
				c.StrUpTo(addr, in.u32(28))
				c.AtEntry = false
			}).since(24),
		},
		bfs(40, Arg{"kern_version", kernelVersion}),
		bfs(44, Arg{"prog_flags", flags(xlat.BPFProgFlags)}),
		[]bpfField{bname("prog_name", 48).since(48)},
		bfs(64, Arg{"prog_ifindex", ifIndex}),
		bfs(68, Arg{"expected_attach_type", enum(xlat.BPFAttachTypes)}),
		bfs(72, Arg{"prog_btf_fd", fd}, Arg{"func_info_rec_size", udec}, Arg{"func_info", addr64}, Arg{"func_info_cnt", udec}, Arg{"line_info_rec_size", udec}, Arg{"line_info", addr64}, Arg{"line_info_cnt", udec}),
		bfs(108, Arg{"attach_btf_id", udec}),
		bfs(112, Arg{"attach_prog_fd", fd}),
		[]bpfField{
			bf("core_relo_cnt", 116, udec).since(128), bf("fd_array", 120, addr64).since(120), bf("core_relos", 128, addr64).since(128),
			bf("core_relo_rec_size", 136, udec).since(128), bf("log_true_size", 140, udec).since(140).later(),
			bf("prog_token_fd", 144, fd).since(144), bf("fd_array_cnt", 148, udec).since(148),
			bmem("signature", 152, func(c *Call, in view, addr uint64) { c.HexBuf(addr, in.u32(160)) }).since(152),
			bf("signature_size", 160, udec).since(152), bf("keyring_id", 164, dec).since(152),
		},
	),
	caps: func(b *Caps, op int) {
		if b.Opts.showsPrograms() {
			b.Add(In(op, 8, 0), event.Capture{Kind: event.CapBytes, Len: event.LenField, LenOff: 4, LenWidth: 4, Size: bpfInsnSize, Max: bpfInsnSize * maxElems, When: event.AtExit})
		}
		b.capStr(op, 16, 0)
		b.Add(In(op, 32, 0), event.Capture{Kind: event.CapString, When: event.AtEntry | event.IfFault})
		b.Add(In(op, 152, 0), event.Capture{Kind: event.CapBytes, Len: event.LenField, LenOff: 160, LenWidth: 4, When: event.AtExit})
	},
}

var bpfPin = &bpfAttr{
	known: 20, ret: RetFD, fds: []int{8},
	fields: []bpfField{
		bmem("pathname", 0, func(c *Call, _ view, addr uint64) { c.PathAt(addr) }), bf("bpf_fd", 8, fd),
		bf("file_flags", 12, flags(xlat.BPFFileFlags)).since(12), bf("path_fd", 16, dirfd).since(16),
	},
	caps: func(b *Caps, op int) { b.capStr(op, 0, event.MaxPath) },
}

// ontoIfindex reports whether what is attached is attached to an interface.
func ontoIfindex(kind uint64) bool {
	switch kind {
	case xlat.BPF_TCX_INGRESS, xlat.BPF_TCX_EGRESS, xlat.BPF_NETKIT_PRIMARY, xlat.BPF_NETKIT_PEER, xlat.BPF_XDP:
		return true
	}
	return false
}

// bpfTarget is the descriptor or the interface that a program is attached to;
// typeAt is where the kind of attachment is.
func bpfTarget(at, typeAt int) []bpfField {
	return []bpfField{
		bf("target_ifindex", at, ifIndex).on(func(in view) bool { return ontoIfindex(in.u32(typeAt)) }),
		bf("target_fd", at, fd).on(func(in view) bool { return !ontoIfindex(in.u32(typeAt)) }),
	}
}

var bpfAttach = &bpfAttr{known: 32, fds: []int{0, 4, 16, 20}, fields: bpfFields(bpfTarget(0, 8), []bpfField{
	bf("attach_bpf_fd", 4, fd), bf("attach_type", 8, enum(xlat.BPFAttachTypes)), bf("attach_flags", 12, flags(xlat.BPFAttachFlags)),
	bf("replace_bpf_fd", 16, fd).since(16),
	bf("relative_id", 20, udec).since(20).on(func(in view) bool { return in.u32(12)&xlat.BPF_F_ID != 0 }),
	bf("relative_fd", 20, fd).since(20).on(func(in view) bool { return in.u32(12)&xlat.BPF_F_ID == 0 }),
	bf("expected_revision", 24, udec64).since(20),
})}

var bpfTestRun = &bpfAttr{known: 76, within: "test", fds: []int{0}, fields: bpfFields(
	all(0, Arg{"prog_fd", fd}, Arg{"retval", udec}, Arg{"data_size_in", udec}, Arg{"data_size_out", udec}, Arg{"data_in", addr64}, Arg{"data_out", addr64}, Arg{"repeat", udec}, Arg{"duration", udec}),
	bfs(40, Arg{"ctx_size_in", udec}, Arg{"ctx_size_out", udec}, Arg{"ctx_in", addr64}, Arg{"ctx_out", addr64}),
	bfs(64, Arg{"flags", flags(xlat.BPFTestRunFlags)}, Arg{"cpu", udec}),
	bfs(72, Arg{"batch_size", udec}),
)}

// queried is an array that a query fills in; what its counter says when the call
// has returned is shown.
func queried(name string, at int, t Type) bpfField {
	return bmem(name, at, func(c *Call, after view, addr uint64) {
		n := after.u32(24)
		if n != 0 && (c.Failed() || !c.Returned()) {
			c.Addr(addr)
			return
		}
		c.Array(addr, n, &t)
	}).later()
}

var bpfQuery = &bpfAttr{
	known: 64, within: "query", fds: []int{0},
	fields: bpfFields(bpfTarget(0, 4), []bpfField{
		bf("attach_type", 4, enum(xlat.BPFAttachTypes)), bf("query_flags", 8, flags(xlat.BPFQueryFlags)), bf("attach_flags", 12, flags(xlat.BPFAttachFlags)),
		queried("prog_ids", 16, udec), bchange("prog_cnt", 24),
		queried("prog_attach_flags", 32, flags(xlat.BPFAttachFlags)).since(32),
		queried("link_ids", 40, udec).since(40), queried("link_attach_flags", 48, flags(xlat.BPFAttachFlags)).since(40),
		bf("revision", 56, hex64).since(40).later(),
	}),
	caps: func(b *Caps, op int) {
		for _, at := range [...]int{16, 32, 40, 48} {
			b.capCount(op, at, 24, 4)
		}
	},
}

var bpfRawTracepoint = &bpfAttr{
	known: 24, within: "raw_tracepoint", fds: []int{8},
	fields: []bpfField{
		bmem("name", 0, func(c *Call, _ view, addr uint64) { c.StrUpTo(addr, 128) }), bf("prog_fd", 8, fd), bf("cookie", 16, hex64).since(23),
	},
	caps: func(b *Caps, op int) { b.capStr(op, 0, 0) },
}

var bpfBTFLoad = &bpfAttr{
	known: 40, ret: RetFD, fds: []int{36},
	fields: bpfFields([]bpfField{bmem("btf", 0, func(c *Call, in view, addr uint64) { c.BufAt(addr, in.u32(16)) })},
		all(8, Arg{"btf_log_buf", addr64}, Arg{"btf_size", udec}, Arg{"btf_log_size", udec}, Arg{"btf_log_level", udec}),
		[]bpfField{bf("btf_log_true_size", 28, udec).since(28).later()},
		bfs(32, Arg{"btf_flags", flags(xlat.BPFFileFlags)}, Arg{"btf_token_fd", fd})),
	caps: func(b *Caps, op int) {
		b.Add(In(op, 0, 0), event.Capture{Kind: event.CapBytes, Len: event.LenField, LenOff: 16, LenWidth: 4, When: event.AtExit})
	},
}

var bpfTaskFD = &bpfAttr{
	known: 48, within: "task_fd_query", fds: []int{4},
	fields: bpfFields(all(0, Arg{"pid", pid}, Arg{"fd", fd}, Arg{"flags", udec}), []bpfField{
		bchange("buf_len", 12),
		{name: "buf", at: 16, from: -1, show: func(c *Call, in, after view, at int) {
			c.StrUpTo(after.u64(at), min(in.u32(12), after.u32(12)))
		}},
		bf("prog_id", 24, udec).later(), bf("fd_type", 28, enum(xlat.BPFTaskFDTypes)).later(),
		bf("probe_offset", 32, hex64).later(), bf("probe_addr", 40, hex64).later(),
	}),
	caps: func(b *Caps, op int) { b.capStr(op, 16, 0) },
}

var bpfStreamRead = &bpfAttr{
	known: 20, within: "prog_stream_read", fds: []int{16},
	fields: bpfFields([]bpfField{bmem("stream_buf", 0, func(c *Call, in view, addr uint64) { c.BufAt(addr, in.u32(8)) }).later()},
		all(8, Arg{"stream_buf_len", udec}, Arg{"stream_id", udec}, Arg{"prog_fd", fd})),
	caps: func(b *Caps, op int) {
		b.Add(In(op, 0, 0), event.Capture{Kind: event.CapBytes, Len: event.LenField, LenOff: 8, LenWidth: 4, When: event.AtExit})
	},
}

// The attribute of calls on many elements at once. How many they were is told
// behind it: => {batch={count=3}}.
var (
	bpfLookupBatch = bpfBatch(all(0, Arg{"in_batch", addr64}, Arg{"out_batch", addr64}, Arg{"keys", addr64}, Arg{"values", addr64}, Arg{"count", udec}, Arg{"map_fd", fd}, Arg{"elem_flags", elemFlags(xlat.BPFLookupFlags)}, Arg{"flags", hex64}))
	bpfUpdateBatch = bpfBatch(all(16, Arg{"keys", addr64}, Arg{"values", addr64}, Arg{"count", udec}, Arg{"map_fd", fd}, Arg{"elem_flags", elemFlags(xlat.BPFUpdateFlags)}, Arg{"flags", hex64}))
	bpfDeleteBatch = bpfBatch(bpfFields(all(16, Arg{"keys", addr64}), all(32, Arg{"count", udec}, Arg{"map_fd", fd}, Arg{"elem_flags", elemFlags(xlat.BPFLookupFlags)}, Arg{"flags", hex64})))
)

func bpfBatch(fields []bpfField) *bpfAttr {
	const countAt = 32
	return &bpfAttr{known: 56, within: "batch", fds: []int{36}, fields: fields, after: func(c *Call, in, after view) {
		if in.u32(countAt) == after.u32(countAt) || c.Opt.JSON {
			return
		}
		c.Then()
		c.BeginStruct()
		c.Field("batch")
		c.BeginStruct()
		c.Field("count")
		c.Uint(after.u32(countAt))
		c.EndStruct()
		c.EndStruct()
	}}
}
