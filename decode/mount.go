package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// mountRows are the calls on mounts, those of statmount.go excepted.
var mountRows = []Row{
	{Name: "mount", Args: args{{"source", path}, {"target", path}, {"filesystemtype", mountText(msRemount | mountMoves)}, {"mountflags", mountFlags}, {"data", mountText(mountMoves)}}},
	{Name: "umount2", Args: args{{"target", path}, {"flags", flags(xlat.UmountFlags)}}},
	{Name: "umount", ABIs: On32, Args: args{{"target", path}, {"flags", flags(xlat.UmountFlags)}}},
	{Name: "oldumount", Args: args{{"pathname", path}}},
	{Name: "pivot_root", Args: args{{"new_root", path}, {"put_old", path}}},
	{Name: "move_mount", Args: args{{"from_dfd", dirfd}, {"from_pathname", path}, {"to_dfd", dirfd}, {"to_pathname", path}, {"flags", flags(xlat.MoveMountFlags)}}},
	{Name: "open_tree", Ret: RetFD, Args: args{{"dirfd", dirfd}, {"pathname", path}, {"flags", flags(xlat.OpenTreeFlags)}}},
	{Name: "open_tree_attr", Ret: RetFD, Args: args{{"dirfd", dirfd}, {"pathname", path}, {"flags", flags(xlat.OpenTreeFlags)}, {"attr", mountAttr.Type()}, {"size", size}}},
	{Name: "mount_setattr", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"flags", flags(xlat.MountSetattrFlags)}, {"attr", mountAttr.Type()}, {"size", size}}},
	{Name: "fsopen", Ret: RetFD, Args: args{{"fsname", str}, {"flags", flags(xlat.FsopenFlags)}}},
	{Name: "fsmount", Ret: RetFD, Args: args{{"fd", fd}, {"flags", flags(xlat.FsmountFlags)}, {"attr_flags", flags(xlat.FsmountAttrFlags)}}},
	{Name: "fspick", Ret: RetFD, Args: args{{"dirfd", dirfd}, {"pathname", path}, {"flags", flags(xlat.FspickFlags)}}},
	{
		Name: "fsconfig", Args: fsconfigArgs(addr, addr, dec),
		Cmd: &Commands{Arg: 1, Of: map[uint32]*Command{
			xlat.FSCONFIG_SET_FLAG:       {Args: fsconfigArgs(fsText, addr, dec)[2:]},
			xlat.FSCONFIG_SET_STRING:     {Args: fsconfigArgs(fsText, fsText, dec)[2:]},
			xlat.FSCONFIG_SET_BINARY:     {Args: fsconfigArgs(fsText, fsBinary, dec)[2:]},
			xlat.FSCONFIG_SET_PATH:       {Args: fsconfigArgs(fsText, path, dirfd)[2:]},
			xlat.FSCONFIG_SET_PATH_EMPTY: {Args: fsconfigArgs(fsText, path, dirfd)[2:]},
			xlat.FSCONFIG_SET_FD:         {Args: fsconfigArgs(fsText, addr, fd)[2:]},
		}},
	},
}

func fsconfigArgs(key, value, aux Type) args {
	return args{{"fd", fd}, {"cmd", enum(xlat.FsconfigCmds)}, {"key", key}, {"value", value}, {"aux", aux}}
}

// fsText is a key or a value that is a string.
var fsText = strTo(256)

// fsBinary is a value of as many bytes as aux says.
var fsBinary = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		const max = 1 << 20
		n := int64(c.args[4])
		if n < 0 || n > max {
			c.Addr(v)
			return
		}
		c.HexBuf(v, uint64(n))
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenArg, LenFrom: 4, LenWidth: 4, When: event.AtExit})
	},
}

const (
	msRemount  = 0x20
	mountMoves = 0x1000 | 0x2000 | 1<<17 | 1<<18 | 1<<19 | 1<<20 // bind, move, and the kinds of propagation
)

// mountText is a string that mount does not look at with some flags. Remounting
// comes before those.
func mountText(ignored uint64) Type {
	t := str
	t.Print = func(c *Call, v uint64) {
		f := c.args[3]
		if f&mountMagicMask == mountMagic {
			f &^= mountMagicMask
		}
		if f&msRemount != 0 {
			f = msRemount
		}
		if f&ignored != 0 {
			c.Addr(v)
			return
		}
		c.StrAt(v)
	}
	return t
}

// The upper half of the flags was a magic number once.
const (
	mountMagicMask = 0xffff0000
	mountMagic     = 0xc0ed0000
)

var mountMagicName = out.NewXlat("MS_???", []out.Entry{{Val: mountMagic, Name: "MS_MGC_VAL"}})

var mountFlags = printed(Ulong, func(c *Call, v uint64) {
	if v&mountMagicMask != mountMagic {
		c.Flags(v, xlat.MountFlags)
		return
	}
	c.KindFlags(v, mountMagicMask, mountMagicName, xlat.MountFlags)
})

// mountAttr is a struct mount_attr of as many bytes as argument 4 says.
var mountAttr = sized{arg: 4, min: 32, known: 32, when: event.AtExit, tail: true, fields: func(c *Call, b []byte, _ uint64) {
	const idmap, maxInt = 1 << 20, 1<<31 - 1
	set, clear, user := c.U64(b), c.U64(b[8:]), c.U64(b[24:])
	c.Field("attr_set")
	c.Flags(set, xlat.MountAttrs)
	c.Field("attr_clr")
	c.Flags(clear, xlat.MountAttrs)
	c.Field("propagation")
	c.Enum(c.U64(b[16:]), xlat.MountPropagation)
	c.Field("userns_fd")
	if user > maxInt || (set|clear)&idmap == 0 {
		c.Uint(user)
		return
	}
	c.FD(int64(user))
}, caps: func(b *Caps, op int) { capFD(b, In(op, 24, 0)) }}
