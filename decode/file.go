package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// fileRows are the calls on paths and on what a path leads to, except those of
// stat.go.
var fileRows = []Row{
	{Name: "open", Ret: RetFD, Args: args{{"pathname", path}, {"flags", openFlags}, {"mode", permIf(1)}}},
	{Name: "openat", Ret: RetFD, Args: args{{"dirfd", dirfd}, {"pathname", path}, {"flags", openFlags}, {"mode", permIf(2)}}},
	{Name: "openat2", Ret: RetFD, Args: args{{"dirfd", dirfd}, {"pathname", path}, {"how", openHow(3)}, {"size", size}}},
	{Name: "creat", Ret: RetFD, Args: args{{"pathname", path}, {"mode", perm}}},
	{Name: "access", Args: args{{"pathname", path}, {"mode", flags(xlat.AccessModes)}}},
	{Name: "faccessat", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"mode", flags(xlat.AccessModes)}}},
	{Name: "faccessat2", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"mode", flags(xlat.AccessModes)}, {"flags", flags(xlat.FaccessatFlags)}}},

	{Name: "link", Args: args{{"oldpath", path}, {"newpath", path}}},
	{Name: "linkat", Args: args{{"olddirfd", dirfd}, {"oldpath", path}, {"newdirfd", dirfd}, {"newpath", path}, {"flags", atFlags}}},
	{Name: "symlink", Args: args{{"target", linkText}, {"linkpath", path}}},
	{Name: "symlinkat", Args: args{{"target", linkText}, {"newdirfd", dirfd}, {"linkpath", path}}},
	{Name: "unlink", Args: args{{"pathname", path}}},
	{Name: "unlinkat", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"flags", atFlags}}},
	{Name: "rename", Args: args{{"oldpath", path}, {"newpath", path}}},
	{Name: "renameat", Args: args{{"olddirfd", dirfd}, {"oldpath", path}, {"newdirfd", dirfd}, {"newpath", path}}},
	{Name: "renameat2", Args: args{{"olddirfd", dirfd}, {"oldpath", path}, {"newdirfd", dirfd}, {"newpath", path}, {"flags", flags(xlat.RenameFlags)}}},
	{Name: "readlink", Args: args{{"pathname", path}, {"buf", outBuf}, {"bufsiz", size}}},
	{Name: "readlinkat", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"buf", outBuf}, {"bufsiz", size}}},
	{Name: "mkdir", Args: args{{"pathname", path}, {"mode", perm}}},
	{Name: "mkdirat", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"mode", perm}}},
	{Name: "rmdir", Args: args{{"pathname", path}}},
	{Name: "mknod", Args: args{{"pathname", path}, {"mode", fileMode}, {"dev", devIf(1)}}},
	{Name: "mknodat", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"mode", fileMode}, {"dev", devIf(2)}}},

	{Name: "chdir", Args: args{{"path", path}}},
	{Name: "fchdir", Args: args{{"fd", fd}}},
	{Name: "chroot", Args: args{{"path", path}}},
	{Name: "getcwd", Args: args{{"buf", cwd}, {"size", size}}},
	{Name: "umask", Ret: RetOct, Args: args{{"mask", perm}}},
	{Name: "chmod", Args: args{{"pathname", path}, {"mode", perm}}},
	{Name: "fchmod", Args: args{{"fd", fd}, {"mode", perm}}},
	{Name: "fchmodat", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"mode", perm}}},
	{Name: "fchmodat2", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"mode", perm}, {"flags", flags(xlat.FchmodatFlags)}}},
	{Name: "chown", Args: args{{"pathname", path}, {"owner", uid}, {"group", uid}}},
	{Name: "lchown", Args: args{{"pathname", path}, {"owner", uid}, {"group", uid}}},
	{Name: "fchown", Args: args{{"fd", fd}, {"owner", uid}, {"group", uid}}},
	{Name: "chown", ABIs: On32, Args: args{{"pathname", path}, {"owner", uid16}, {"group", uid16}}},
	{Name: "lchown", ABIs: On32, Args: args{{"pathname", path}, {"owner", uid16}, {"group", uid16}}},
	{Name: "fchown", ABIs: On32, Args: args{{"fd", fd}, {"owner", uid16}, {"group", uid16}}},
	{Name: "chown32", Args: args{{"pathname", path}, {"owner", uid}, {"group", uid}}},
	{Name: "lchown32", Args: args{{"pathname", path}, {"owner", uid}, {"group", uid}}},
	{Name: "fchown32", Args: args{{"fd", fd}, {"owner", uid}, {"group", uid}}},
	{Name: "fchownat", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"owner", uid}, {"group", uid}, {"flags", atFlags}}},

	{Name: "truncate", Args: args{{"path", path}, {"length", uldec}}},
	{Name: "ftruncate", Args: args{{"fd", fd}, {"length", uldec}}},
	{Name: "truncate64", Args: args{{"path", path}, {"length", udec64}}},
	{Name: "ftruncate64", Args: args{{"fd", fd}, {"length", udec64}}},
	{Name: "fallocate", Args: args{{"fd", fd}, {"mode", flags(xlat.FallocFlags)}, {"offset", dec64}, {"len", dec64}}},
	{Name: "fadvise64", Args: args{{"fd", fd}, {"offset", dec64}, {"len", uldec}, {"advice", enum(xlat.Fadvise)}}},
	{Name: "fadvise64_64", Args: args{{"fd", fd}, {"offset", dec64}, {"len", dec64}, {"advice", enum(xlat.Fadvise)}}},
	// ARM moves the last argument, so that the wide ones need no padding.
	{Name: "fadvise64_64", ABIs: OnARM, Args: args{{"fd", fd}, {"advice", enum(xlat.Fadvise)}, {"offset", dec64}, {"len", dec64}}},
	{Name: "readahead", Args: args{{"fd", fd}, {"offset", dec64}, {"count", size}}},
	{Name: "sync_file_range", Args: args{{"fd", fd}, {"offset", dec64}, {"nbytes", dec64}, {"flags", flags(xlat.SyncFileRangeFlags)}}},
	{Name: "sync_file_range2", Args: args{{"fd", fd}, {"flags", flags(xlat.SyncFileRangeFlags)}, {"offset", dec64}, {"nbytes", dec64}}},
	{Name: "sync"},
	{Name: "syncfs", Args: args{{"fd", fd}}},
	{Name: "fsync", Args: args{{"fd", fd}}},
	{Name: "fdatasync", Args: args{{"fd", fd}}},

	{Name: "acct", Args: args{{"filename", path}}},
	{Name: "swapon", Args: args{{"path", path}, {"swapflags", swapFlags}}},
	{Name: "swapoff", Args: args{{"path", path}}},
	{Name: "uselib", Args: args{{"library", path}}},

	{Name: "name_to_handle_at", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"handle", handleOut}, {"mount_id", boxed(outPtr, dec)}, {"flags", flags(xlat.NameToHandleFlags)}}},
	{Name: "open_by_handle_at", Ret: RetFD, Args: args{{"mount_fd", fd}, {"handle", handleIn}, {"flags", openFlags}}},
}

var (
	openFlags = Type{Width: U32, Print: func(c *Call, v uint64) { c.EnumFlags(v, 3, xlat.OpenAccess, xlat.OpenFlags) }}
	atFlags   = flags(xlat.AtFlags)
)

// creating are O_CREAT and __O_TMPFILE: the same on all machines.
const creating = 0o100 | 0o20000000

// permIf is a mode that counts only if the flags, argument n, create a file.
func permIf(n int) Type {
	t := perm
	t.Hide = func(c *Call) bool { return c.args[n]&creating == 0 }
	return t
}

// devIf is a device number that counts only if the mode, argument n, says that
// a device is made.
func devIf(n int) Type {
	t := dev
	t.Hide = func(c *Call) bool { k := c.args[n] & sIFMT; return k != sIFCHR && k != sIFBLK }
	return t
}

const (
	openHowSize = 24
	maxOpenHow  = 4096
)

// openHow is a pointer to a struct open_how of as many bytes as argument n says;
// bytes behind those that are known are shown if any is not 0.
func openHow(n int) Type {
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) {
			size := c.args[n]
			if size < openHowSize {
				c.Addr(v)
				return
			}
			b, ok := c.ReadOr(v, openHowSize)
			if !ok {
				return
			}
			flags, mode, resolve := c.U64(b), c.U64(b[8:]), c.U64(b[16:])
			c.BeginStruct()
			c.Field("flags")
			c.EnumFlags(flags, 3, xlat.OpenAccess, xlat.Openat2Flags)
			if flags&creating != 0 || mode != 0 {
				c.Field("mode")
				c.Perm(mode)
			}
			c.Field("resolve")
			c.Flags(resolve, xlat.OpenResolve)
			if size > openHowSize {
				c.NonzeroTail(v, openHowSize, min(size, maxOpenHow))
			}
			c.EndStruct()
		},
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenArg, LenFrom: uint8(n), Max: maxOpenHow, When: event.AtExit})
		},
	}
}

// cwd is the buffer that getcwd fills in with a string.
var cwd = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		if c.Failed() {
			c.Addr(v)
			return
		}
		n := uint64(max(c.Ev.Ret, 1)) - 1
		b := c.Avail(v, int(min(n, event.MaxPath)))
		if uint64(len(b)) < min(n, event.MaxPath) {
			c.Addr(v)
			return
		}
		c.Str(b, uint64(len(b)) < n)
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenRet, Max: event.MaxPath, When: event.AtExit | event.IfOK})
	},
}

// swapFlags are flags and, in the low bits, a priority.
var swapFlags = Type{Width: U32, Print: func(c *Call, v uint64) {
	const prio = 0x7fff
	c.BeginExpr(v)
	if v&^prio != 0 {
		c.Flags(v&^prio, xlat.SwapFlags)
		c.Syntax("|")
	}
	c.Uint(v & prio)
	c.EndExpr()
}}

// A struct file_handle is its length, its kind, and as many bytes.
const (
	handleHeader = 8
	maxHandle    = 128
)

func handleCap(b *Caps, at Place, when event.When) int {
	op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: handleHeader, When: when})
	at.Off += handleHeader
	b.Add(at, event.Capture{
		Kind: event.CapBytes, Len: event.LenOp, LenFrom: uint8(max(op, 0)), LenWidth: 4,
		Max: maxHandle, When: event.AtExit | event.InPlace,
	})
	return op
}

// handleIn is a handle that the call reads.
var handleIn = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		b, ok := c.ReadOr(v, handleHeader)
		if !ok {
			return
		}
		n := c.U32(b)
		c.BeginStruct()
		c.Field("handle_bytes")
		c.Uint(n)
		c.Field("handle_type")
		c.Int(c.I32(b[4:]))
		c.handleBytes(v, n)
		c.EndStruct()
	},
	Cap: func(b *Caps, at Place) { handleCap(b, at, event.AtExit) },
}

// handleOut is a handle that the call fills in; its length is what fits before
// and what is needed after the call.
var handleOut = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		c.AtEntry = true
		b, ok := c.ReadOr(v, handleHeader)
		c.AtEntry = false
		if !ok {
			return
		}
		before := c.U32(b)
		c.BeginStruct()
		c.Field("handle_bytes")
		errno, failed := c.Ev.Failed()
		after, ok := c.Read(v, handleHeader)
		if !ok || failed && errno != eOverflow || !c.Returned() {
			c.Uint(before)
			c.EndStruct()
			return
		}
		n := c.U32(after)
		if n != before {
			c.BeginChange()
			c.Uint(before)
			c.Then()
			c.Uint(n)
			c.EndChange()
		} else {
			c.Uint(n)
		}
		if !failed {
			c.Field("handle_type")
			c.Int(c.I32(after[4:]))
			c.handleBytes(v, n)
		}
		c.EndStruct()
	},
	Cap: func(b *Caps, at Place) { handleCap(b, at, event.AtEntry|event.AtExit) },
}

const eOverflow = 75

func (c *Call) handleBytes(v, n uint64) {
	c.Field("f_handle")
	shown := min(n, maxHandle)
	b := c.Avail(v+handleHeader, int(shown))
	if uint64(len(b)) < shown {
		c.Text("???")
		return
	}
	c.StrHex(b, n > shown)
}
