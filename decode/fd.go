package decode

// fd is a descriptor, dirfd one that may be AT_FDCWD.
var (
	fd    = Type{Width: I32, Role: RoleFD, Print: func(c *Call, v uint64) { c.FD(int64(v)) }}
	dirfd = Type{Width: I32, Role: RoleDirFD, Print: func(c *Call, v uint64) { c.DirFD(int64(v)) }}
	pid   = Type{Width: I32, Print: func(c *Call, v uint64) { c.PID(int64(v)) }}
)

// PID writes the id of a task, process or group.
func (c *Call) PID(n int64) { c.Int(n) }
