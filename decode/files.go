package decode

import "perftrace/event"

// Names reports whether the call of e names a file that is looked for: a path
// argument for which path holds, or a descriptor (also the result, and those
// inside arrays) whose file's path does or whose number, unless it is the result,
// is in fds. It needs Options.MatchFiles. Either function may be nil.
func (d *Decoder) Names(e *event.Event, path func([]byte) bool, fds func(int64) bool) bool {
	d.load(e)
	c := &d.Call
	made := c.madeFD()
	for _, m := range [2]*pieces{&c.in, &c.out} {
		for i := range m.n {
			p := &m.p[i]
			if p.Status != event.PieceFD {
				continue
			}
			if fds != nil && (m == &c.in || i != made) && fds(int64(int32(p.Addr))) {
				return true
			}
			f, ok := parseFD(p.Data)
			if ok && path != nil && f.kind() == event.FDPath && int32(p.Addr) != atFDCWD && path(f.text) {
				return true
			}
		}
	}
	if path == nil || c.Row == nil {
		return false
	}
	list, tail := c.takeAll()
	for i := 0; i < min(len(list)+len(tail), 6); i++ {
		if nth(list, tail, i).Role != RolePath {
			continue
		}
		if b, whole, _, ok := c.CString(c.args[i]); ok && whole && path(b) {
			return true
		}
	}
	return false
}
