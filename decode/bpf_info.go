package decode

import "perftrace/event"

// bpfObjInfo asks what a program, map or other object is.
var bpfObjInfo = &bpfAttr{
	known: 16, within: "info", fds: []int{0},
	fields: []bpfField{bf("bpf_fd", 0, fd), bchange("info_len", 4), {name: "info", at: 8, from: -1, show: func(c *Call, _, after view, at int) {
		c.Addr(after.u64(at))
	}}},
	caps: func(b *Caps, op int) {
		if b.Opts.showsPrograms() {
			b.Add(In(op, 8, 0), event.Capture{Kind: event.CapBytes, Len: event.LenField, LenOff: 4, LenWidth: 4, Max: maxBPFAttr, When: event.AtEntry | event.AtExit})
		}
	},
}
