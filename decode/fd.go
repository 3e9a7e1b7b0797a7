package decode

import (
	"math"

	"perftrace/event"
)

// fd is a descriptor, dirfd one that may be AT_FDCWD; pid is a task or process,
// pgid a group of processes, which has no name.
var (
	fd    = Type{Width: I32, Role: RoleFD, Print: func(c *Call, v uint64) { c.FD(int64(v)) }, Cap: capFD}
	dirfd = Type{Width: I32, Role: RoleDirFD, Print: func(c *Call, v uint64) { c.DirFD(int64(v)) }, Cap: capFD}
	pid   = Type{Width: I32, Print: func(c *Call, v uint64) { c.PID(int64(v)) }}
	pgid  = Type{Width: I32, Print: func(c *Call, v uint64) { c.Int(int64(v)) }}
)

// capFD has the source tell what a descriptor is. That of an argument is told at
// entry, as the call may close or replace it; that in memory together with the
// memory.
func capFD(b *Caps, at Place) {
	if b.Opts == nil || !b.Opts.wantFDs() {
		return
	}
	when := b.When &^ (event.LimitRet | event.Netlink)
	if at.From < event.FromOp {
		when = event.AtEntry
	}
	b.Add(at, event.Capture{Kind: event.CapFD, When: when})
}

// fdOf is a descriptor of the task that argument n names. Only of the calling
// process is it told what it is.
func fdOf(n int) Type {
	return Type{Width: I32, Cap: capFD, Print: func(c *Call, v uint64) {
		if p := uint32(c.args[n]); p == c.Ev.TGID || p == c.Ev.TID {
			c.FD(int64(v))
		} else {
			c.Int(int64(v))
		}
	}}
}

// wantFDs reports whether anything that is asked for hangs on what descriptors
// are.
func (o *Options) wantFDs() bool { return o.FDs != 0 || o.MatchFiles }

// PID writes the id of a task or process, with -Y also its name.
func (c *Call) PID(n int64) {
	if c.Opts == nil || c.Opts.CommOf == nil || n <= 0 || n > math.MaxInt32 {
		c.Int(n)
		return
	}
	c.Printer.PID(n, c.Opts.CommOf(uint32(n)))
}

// processIf is an id of a process if argument 0 says so (is), else of a group or
// user.
func processIf(is uint64) Type {
	return Type{Width: I32, Print: func(c *Call, v uint64) {
		if c.args[0] == is {
			c.PID(int64(v))
		} else {
			c.Int(int64(v))
		}
	}}
}
