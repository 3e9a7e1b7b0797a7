package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// bpfLinkUpdate replaces the program of a link.
var bpfLinkUpdate = &bpfAttr{known: 16, within: "link_update", fds: []int{0, 4, 12}, fields: []bpfField{
	bf("link_fd", 0, fd), bf("new_prog_fd", 4, fd), bf("flags", 8, flags(xlat.BPFAttachFlags)),
	bf("old_prog_fd", 12, fd).on(func(in view) bool { return in.u32(8)&xlat.BPF_F_REPLACE != 0 }),
}}

// bpfLinkHead is the part of link_create that does not hang on the kind of
// attachment.
const bpfLinkHead = 16

// bpfLinkCreate attaches a program. What is behind its head hangs on the kind.
var bpfLinkCreate = &bpfAttr{
	known: 64, within: "link_create", ret: RetFD, fds: []int{0, 4},
	fields: bpfFields([]bpfField{bf("prog_fd", 0, fd)}, bpfTarget(4, 8), []bpfField{
		bf("attach_type", 8, enum(xlat.BPFAttachTypes)), bf("flags", 12, flags(xlat.BPFAttachFlags)),
		{at: bpfLinkHead, from: bpfLinkHead, show: func(c *Call, in, _ view, _ int) { bpfLinkOf(in).show(c, in) }},
	}),
	size: func(_ *Call, in view) int {
		if len(in.b) <= bpfLinkHead {
			return bpfLinkHead
		}
		return bpfLinkOf(in).end
	},
	caps: func(b *Caps, op int) {
		b.capCount(op, 16, 24, 4) // iter_info
		b.capCount(op, 16, 32, 4) // tracing_multi: ids, cookies
		b.capCount(op, 24, 32, 8)
		syms := b.capCount(op, 24, 20, b.Lay.Word()) // kprobe_multi: syms, addrs, cookies
		b.Add(In(syms, 0, b.Lay.Word()), event.Capture{Kind: event.CapString, When: event.AtExit})
		b.capCount(op, 32, 20, 8)
		b.capCount(op, 40, 20, 8)
		b.capStr(op, 16, event.MaxPath) // uprobe_multi: path, offsets, ref_ctr_offsets, cookies
		b.capCount(op, 24, 48, 8)
		b.capCount(op, 32, 48, 8)
		b.capCount(op, 40, 48, 8)
	},
}

// A bpfLinkKind is how the part behind the head is shown, and where it ends.
type bpfLinkKind struct {
	name   string // of the inner struct; "" if the fields stand alone
	end    int
	fields []bpfField
}

func (k *bpfLinkKind) show(c *Call, in view) {
	if k.name != "" {
		c.Field(k.name)
		c.BeginStruct()
	}
	for i := range k.fields {
		f := &k.fields[i]
		if len(in.b) <= f.from || f.when != nil && !f.when(in) {
			continue
		}
		c.Field(f.name)
		f.show(c, in, in, f.at)
	}
	if k.name != "" {
		c.EndStruct()
	}
}

func hasID(in view) bool { return in.u32(12)&xlat.BPF_F_ID != 0 }

// relative is a link or program that the new one goes before or behind.
func relative(name string) *bpfLinkKind {
	return &bpfLinkKind{name: name, end: 32, fields: []bpfField{
		bf("relative_id", 16, udec).on(hasID),
		bf("relative_fd", 16, fd).on(func(in view) bool { return !hasID(in) }),
		bf("expected_revision", 24, hex64),
	}}
}

var (
	linkPlain  = &bpfLinkKind{end: bpfLinkHead}
	linkCgroup = relative("cgroup")
	linkTarget = &bpfLinkKind{end: 20, fields: []bpfField{
		bf("target_btf_id", 16, udec).on(func(in view) bool { return in.u32(16) != 0 }),
	}}
	linkIter = &bpfLinkKind{end: 28, fields: []bpfField{
		barray("iter_info", 16, 24, iterInfo), bf("iter_info_len", 24, udec),
	}}
	linkPerf         = &bpfLinkKind{name: "perf_event", end: 24, fields: []bpfField{bf("bpf_cookie", 16, hex64)}}
	linkTracing      = &bpfLinkKind{name: "tracing", end: 32, fields: []bpfField{bf("target_btf_id", 16, udec), bf("cookie", 24, hex64)}}
	linkTracingMulti = &bpfLinkKind{name: "tracing_multi", end: 36, fields: []bpfField{
		barray("ids", 16, 32, udec), barray("cookies", 24, 32, hex64), bf("cnt", 32, udec),
	}}
	linkNetfilter = &bpfLinkKind{name: "netfilter", end: 32, fields: []bpfField{
		bf("pf", 16, udec), bf("hooknum", 20, udec), bf("priority", 24, dec),
		bf("flags", 28, flags(withDefault(xlat.BPFNetfilterFlags, "BPF_F_NETFILTER_???"))),
	}}
	linkTCX         = relative("tcx")
	linkNetkit      = relative("netkit")
	linkKprobeMulti = &bpfLinkKind{name: "kprobe_multi", end: 48, fields: []bpfField{
		bf("flags", 16, flags(withDefault(xlat.BPFKprobeMultiFlags, "BPF_F_KPROBE_MULTI_???"))), bf("cnt", 20, udec),
		barray("syms", 24, 20, Type{Width: Ulong, Print: str.Print}), barray("addrs", 32, 20, hex64), barray("cookies", 40, 20, hex64),
	}}
	linkUprobeMulti = &bpfLinkKind{name: "uprobe_multi", end: 64, fields: []bpfField{
		bmem("path", 16, func(c *Call, _ view, addr uint64) { c.PathAt(addr) }),
		barray("offsets", 24, 48, hex64), barray("ref_ctr_offsets", 32, 48, hex64), barray("cookies", 40, 48, hex64),
		bf("cnt", 48, udec), bf("flags", 52, flags(withDefault(xlat.BPFUprobeMultiFlags, "BPF_F_UPROBE_MULTI_???"))),
		bf("pid", 56, pid), bf("path_fd", 60, fd).since(60),
	}}
)

// iterInfo is a union bpf_iter_link_info, of which only the map is known.
var iterInfo = Type{
	Width: None, Size: [numLay]uint16{4, 4, 4}, Align: [numLay]uint16{4, 4, 4},
	Mem: func(c *Call, b []byte, _ uint64) {
		c.BeginStruct()
		c.Field("map")
		c.BeginStruct()
		c.Field("map_fd")
		c.FD(c.I32(b))
		c.EndStruct()
		c.EndStruct()
	},
}

// bpfLinkOf is how an attribute goes on behind its head.
func bpfLinkOf(in view) *bpfLinkKind {
	const order = xlat.BPF_F_BEFORE | xlat.BPF_F_AFTER
	switch kind := in.u32(8); kind {
	case xlat.BPF_TRACE_ITER:
		return linkIter
	case xlat.BPF_PERF_EVENT:
		return linkPerf
	case xlat.BPF_TRACE_FENTRY, xlat.BPF_TRACE_FEXIT, xlat.BPF_TRACE_FSESSION, xlat.BPF_MODIFY_RETURN, xlat.BPF_LSM_MAC:
		return linkTracing
	case xlat.BPF_TRACE_FENTRY_MULTI, xlat.BPF_TRACE_FEXIT_MULTI, xlat.BPF_TRACE_FSESSION_MULTI:
		return linkTracingMulti
	case xlat.BPF_NETFILTER:
		return linkNetfilter
	case xlat.BPF_TCX_INGRESS, xlat.BPF_TCX_EGRESS:
		return linkTCX
	case xlat.BPF_NETKIT_PRIMARY, xlat.BPF_NETKIT_PEER:
		return linkNetkit
	case xlat.BPF_TRACE_KPROBE_MULTI:
		return linkKprobeMulti
	case xlat.BPF_TRACE_UPROBE_MULTI:
		return linkUprobeMulti
	default:
		if !ontoCgroup(kind) {
			return linkPlain
		}
	}
	if in.u32(12)&order != 0 {
		return linkCgroup
	}
	return linkTarget
}

// ontoCgroup reports whether programs of a kind are attached to control groups.
func ontoCgroup(kind uint64) bool {
	name, ok := xlat.BPFAttachTypes.Name(kind)
	return ok && len(name) > 10 && name[:10] == "BPF_CGROUP" && kind != xlat.BPF_LSM_CGROUP
}
