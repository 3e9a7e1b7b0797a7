package decode

import (
	"slices"

	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// statRows are the calls that tell about a file or its file system.
var statRows = []Row{
	{Name: "stat", Args: args{{"pathname", path}, {"statbuf", statPtr(&statAMD64)}}},
	{Name: "lstat", Args: args{{"pathname", path}, {"statbuf", statPtr(&statAMD64)}}},
	{Name: "fstat", Args: args{{"fd", fd}, {"statbuf", statPtr(&statAMD64)}}},
	{Name: "newfstatat", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"statbuf", statPtr(&statAMD64)}, {"flags", atFlags}}},
	{Name: "fstat", ABIs: OnARM64, Args: args{{"fd", fd}, {"statbuf", statPtr(&statARM64)}}},
	{Name: "newfstatat", ABIs: OnARM64, Args: args{{"dirfd", dirfd}, {"pathname", path}, {"statbuf", statPtr(&statARM64)}, {"flags", atFlags}}},
	{Name: "fstatat", ABIs: OnARM64, Args: args{{"dirfd", dirfd}, {"pathname", path}, {"statbuf", statPtr(&statARM64)}, {"flags", atFlags}}},
	{Name: "stat", ABIs: On32, Args: args{{"pathname", path}, {"statbuf", statPtr(&stat32)}}},
	{Name: "lstat", ABIs: On32, Args: args{{"pathname", path}, {"statbuf", statPtr(&stat32)}}},
	{Name: "fstat", ABIs: On32, Args: args{{"fd", fd}, {"statbuf", statPtr(&stat32)}}},
	{Name: "stat64", ABIs: On386, Args: args{{"pathname", path}, {"statbuf", statPtr(&stat64I386)}}},
	{Name: "lstat64", ABIs: On386, Args: args{{"pathname", path}, {"statbuf", statPtr(&stat64I386)}}},
	{Name: "fstat64", ABIs: On386, Args: args{{"fd", fd}, {"statbuf", statPtr(&stat64I386)}}},
	{Name: "fstatat64", ABIs: On386, Args: args{{"dirfd", dirfd}, {"pathname", path}, {"statbuf", statPtr(&stat64I386)}, {"flags", atFlags}}},
	{Name: "stat64", ABIs: OnARM, Args: args{{"pathname", path}, {"statbuf", statPtr(&stat64ARM)}}},
	{Name: "lstat64", ABIs: OnARM, Args: args{{"pathname", path}, {"statbuf", statPtr(&stat64ARM)}}},
	{Name: "fstat64", ABIs: OnARM, Args: args{{"fd", fd}, {"statbuf", statPtr(&stat64ARM)}}},
	{Name: "fstatat64", ABIs: OnARM, Args: args{{"dirfd", dirfd}, {"pathname", path}, {"statbuf", statPtr(&stat64ARM)}, {"flags", atFlags}}},
	{Name: "oldstat", Args: args{{"pathname", path}, {"statbuf", statPtr(&oldStat)}}},
	{Name: "oldlstat", Args: args{{"pathname", path}, {"statbuf", statPtr(&oldStat)}}},
	{Name: "oldfstat", Args: args{{"fd", fd}, {"statbuf", statPtr(&oldStat)}}},
	{Name: "statx", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"flags", statxFlags}, {"mask", flags(xlat.StatxMask)}, {"statxbuf", outPtr(statxStruct)}}},

	{Name: "statfs", Args: args{{"pathname", path}, {"buf", outPtr(statfsStruct)}}},
	{Name: "fstatfs", Args: args{{"fd", fd}, {"buf", outPtr(statfsStruct)}}},
	{Name: "statfs64", Args: args{{"pathname", path}, {"size", size}, {"buf", statfs64Ptr(1)}}},
	{Name: "fstatfs64", Args: args{{"fd", fd}, {"size", size}, {"buf", statfs64Ptr(1)}}},
	{Name: "ustat", Args: args{{"dev", dev}, {"ubuf", outPtr(ustatStruct)}}},
}

// A statLayout says where the members of a struct stat are; a width of None: the
// layout does not have it.
type statLayout struct {
	size                                              int
	dev, ino, mode, nlink, uid, gid                   member
	rdev, length, blksize, blocks                     member
	atime, atimeNsec, mtime, mtimeNsec, ctime, cmtime member
}

type member struct {
	off   int
	width Width
}

var none = member{0, None}

var (
	statAMD64 = statLayout{
		144,
		member{0, U64},
		member{8, U64},
		member{24, U32},
		member{16, U64},
		member{28, U32},
		member{32, U32},
		member{40, U64},
		member{48, U64},
		member{56, U64},
		member{64, U64},
		member{72, I64},
		member{80, U64},
		member{88, I64},
		member{96, U64},
		member{104, I64},
		member{112, U64},
	}
	statARM64 = statLayout{
		128,
		member{0, U64},
		member{8, U64},
		member{16, U32},
		member{20, U32},
		member{24, U32},
		member{28, U32},
		member{32, U64},
		member{48, U64},
		member{56, U32},
		member{64, U64},
		member{72, I64},
		member{80, U64},
		member{88, I64},
		member{96, U64},
		member{104, I64},
		member{112, U64},
	}
	stat32 = statLayout{
		64,
		member{0, U32},
		member{4, U32},
		member{8, U16},
		member{10, U16},
		member{12, U16},
		member{14, U16},
		member{16, U32},
		member{20, U32},
		member{24, U32},
		member{28, U32},
		member{32, I32},
		member{36, U32},
		member{40, I32},
		member{44, U32},
		member{48, I32},
		member{52, U32},
	}
	stat64I386 = statLayout{
		96,
		member{0, U64},
		member{88, U64},
		member{16, U32},
		member{20, U32},
		member{24, U32},
		member{28, U32},
		member{32, U64},
		member{44, U64},
		member{52, U32},
		member{56, U64},
		member{64, I32},
		member{68, U32},
		member{72, I32},
		member{76, U32},
		member{80, I32},
		member{84, U32},
	}
	stat64ARM = statLayout{
		104,
		member{0, U64},
		member{96, U64},
		member{16, U32},
		member{20, U32},
		member{24, U32},
		member{28, U32},
		member{32, U64},
		member{48, U64},
		member{56, U32},
		member{64, U64},
		member{72, I32},
		member{76, U32},
		member{80, I32},
		member{84, U32},
		member{88, I32},
		member{92, U32},
	}
	oldStat = statLayout{
		32,
		member{0, U16},
		member{2, U16},
		member{4, U16},
		member{6, U16},
		member{8, U16},
		member{10, U16},
		member{12, U16},
		member{16, U32},
		none, none,
		member{20, I32},
		none,
		member{24, I32},
		none,
		member{28, I32},
		none,
	}
)

func statPtr(l *statLayout) Type {
	s := uint16(l.size)
	return outPtr(Type{
		Width: None, Size: [numLay]uint16{s, s, s}, Align: [numLay]uint16{8, 4, 8},
		Mem: func(c *Call, b []byte, _ uint64) { l.print(c, b) },
	})
}

func (l *statLayout) print(c *Call, b []byte) {
	get := func(m member) uint64 {
		if m.width == None {
			return 0
		}
		return m.width.load(b[m.off:], c.Lay)
	}
	number := func(name string, m member) {
		c.Field(name)
		c.Uint(get(m))
	}
	mode := get(l.mode)
	c.BeginStruct()
	if !c.Abbrev {
		c.Field("st_dev")
		c.Dev(get(l.dev))
		number("st_ino", l.ino)
	}
	c.Field("st_mode")
	c.FileMode(mode)
	if !c.Abbrev {
		number("st_nlink", l.nlink)
		number("st_uid", l.uid)
		number("st_gid", l.gid)
		number("st_blksize", l.blksize)
		number("st_blocks", l.blocks)
	}
	if k := mode & sIFMT; k == sIFCHR || k == sIFBLK {
		c.Field("st_rdev")
		c.Dev(get(l.rdev))
	} else {
		number("st_size", l.length)
	}
	if c.Abbrev {
		c.MoreFields()
		c.EndStruct()
		return
	}
	for _, t := range [3]struct {
		sec, nsec string
		s, n      member
	}{
		{"st_atime", "st_atime_nsec", l.atime, l.atimeNsec},
		{"st_mtime", "st_mtime_nsec", l.mtime, l.mtimeNsec},
		{"st_ctime", "st_ctime_nsec", l.ctime, l.cmtime},
	} {
		c.Field(t.sec)
		c.Int(int64(get(t.s)))
		c.DateComment(int64(get(t.s)), get(t.n), 9)
		if t.n.width != None {
			number(t.nsec, t.n)
		}
	}
	c.EndStruct()
}

// statxFlags are the flags of statx: one of three kinds of synchronisation, and
// flags.
var statxFlags = Type{Width: U32, Print: func(c *Call, v uint64) {
	const mask = 0x6000
	if v&mask == mask {
		c.Flags(v, statxBothSyncs)
		return
	}
	c.EnumFlags(v, mask, xlat.StatxSync, xlat.AtFlags)
}}

// statxBothSyncs has two of the kinds, which contradict each other, as flags.
var statxBothSyncs = out.NewXlat("", slices.Concat(xlat.StatxSync.Entries[1:], xlat.AtFlags.Entries))

// statxStruct is struct statx, the same in all ABIs.
var statxStruct = Type{
	Width: None, Size: [numLay]uint16{256, 256, 256}, Align: [numLay]uint16{8, 4, 8},
	Mem: func(c *Call, b []byte, _ uint64) { c.statx(b) },
}

// A statxField is a member of struct statx and the bits that say that it is
// there: in stx_mask, or in stx_attributes.
type statxField struct {
	name        string
	off         int
	width       Width
	mask, attrs uint64
	print       func(c *Call, v uint64) // nil: decimal
	time        bool
	always      bool // also when abbreviated
}

var statxFields = [...]statxField{
	{name: "stx_mask", off: 0, width: U32, print: func(c *Call, v uint64) { c.Flags(v, xlat.StatxMask) }, always: true},
	{name: "stx_blksize", off: 4, width: U32},
	{name: "stx_attributes", off: 8, width: U64, print: func(c *Call, v uint64) { c.Flags(v, xlat.StatxAttrs) }, always: true},
	{name: "stx_nlink", off: 16, width: U32, mask: 0x4},
	{name: "stx_uid", off: 20, width: U32, mask: 0x8, print: func(c *Call, v uint64) { c.ID(v, 1<<32-1) }},
	{name: "stx_gid", off: 24, width: U32, mask: 0x10, print: func(c *Call, v uint64) { c.ID(v, 1<<32-1) }},
	{name: "stx_mode", off: 28, width: U16, mask: 0x3, print: func(c *Call, v uint64) { c.FileMode(v) }, always: true},
	{name: "stx_ino", off: 32, width: U64, mask: 0x100},
	{name: "stx_size", off: 40, width: U64, mask: 0x200, always: true},
	{name: "stx_blocks", off: 48, width: U64, mask: 0x400},
	{name: "stx_attributes_mask", off: 56, width: U64, print: func(c *Call, v uint64) { c.Flags(v, xlat.StatxAttrs) }},
	{name: "stx_atime", off: 64, time: true, mask: 0x20},
	{name: "stx_btime", off: 80, time: true, mask: 0x800},
	{name: "stx_ctime", off: 96, time: true, mask: 0x80},
	{name: "stx_mtime", off: 112, time: true, mask: 0x40},
	{name: "stx_rdev_major", off: 128, width: U32},
	{name: "stx_rdev_minor", off: 132, width: U32},
	{name: "stx_dev_major", off: 136, width: U32},
	{name: "stx_dev_minor", off: 140, width: U32},
	{name: "stx_mnt_id", off: 144, width: U64, mask: 0x1000, print: printHex},
	{name: "stx_dio_mem_align", off: 152, width: U32, mask: 0x2000},
	{name: "stx_dio_offset_align", off: 156, width: U32, mask: 0x2000},
	{name: "stx_subvol", off: 160, width: U64, mask: 0x8000, print: printHex},
	{name: "stx_atomic_write_unit_min", off: 168, width: U32, attrs: 0x400000},
	{name: "stx_atomic_write_unit_max", off: 172, width: U32, attrs: 0x400000},
	{name: "stx_atomic_write_segments_max", off: 176, width: U32, attrs: 0x400000},
	{name: "stx_dio_read_offset_align", off: 180, width: U32, mask: 0x20000},
	{name: "stx_atomic_write_unit_max_opt", off: 184, width: U32, attrs: 0x400000},
}

func (c *Call) statx(b []byte) {
	mask, attrs := c.U32(b), c.U64(b[8:])
	c.BeginStruct()
	for i := range statxFields {
		f := &statxFields[i]
		if c.Abbrev && !f.always || f.mask != 0 && mask&f.mask == 0 || f.attrs != 0 && attrs&f.attrs == 0 {
			continue
		}
		c.Field(f.name)
		if f.time {
			sec, nsec := int64(c.U64(b[f.off:])), c.U32(b[f.off+8:])
			c.BeginStruct()
			c.Field("tv_sec")
			c.Int(sec)
			c.Field("tv_nsec")
			c.Uint(nsec)
			c.EndStruct()
			c.DateComment(sec, nsec, 9)
			continue
		}
		v := f.width.load(b[f.off:], c.Lay)
		if f.print != nil {
			f.print(c, v)
		} else {
			c.Uint(v)
		}
	}
	if c.Abbrev {
		c.MoreFields()
	}
	c.EndStruct()
}

var (
	statfsStruct = statfsType(Ulong, [numLay]uint16{120, 64, 64}, NewStruct(
		Arg{"f_type", enumIn(Ulong, xlat.FSMagic)}, Arg{"f_bsize", uldec}, Arg{"f_blocks", uldec}, Arg{"f_bfree", uldec},
		Arg{"f_bavail", uldec}, Arg{"f_files", uldec}, Arg{"f_ffree", uldec}, Arg{"f_fsid", fsid},
		Arg{"f_namelen", uldec}, Arg{"f_frsize", uldec},
	))
	// statfs64Struct is that of 32-bit ABIs.
	statfs64Struct = statfsType(U32, [numLay]uint16{120, 84, 84}, NewStruct(
		Arg{"f_type", enum(xlat.FSMagic)}, Arg{"f_bsize", udec}, Arg{"f_blocks", udec64}, Arg{"f_bfree", udec64},
		Arg{"f_bavail", udec64}, Arg{"f_files", udec64}, Arg{"f_ffree", udec64}, Arg{"f_fsid", fsid},
		Arg{"f_namelen", udec}, Arg{"f_frsize", udec},
	))

	ustatStruct = NewStruct(Arg{"f_tfree", dec}, Arg{"f_tinode", uldec}, Arg{"", pad(12)}).Type()

	fsid = Type{
		Width: None, Size: [numLay]uint16{8, 8, 8}, Align: [numLay]uint16{4, 4, 4},
		Mem: func(c *Call, b []byte, _ uint64) {
			c.BeginStruct()
			c.Field("val")
			c.BeginArray()
			c.Elem()
			c.Hex(c.U32(b))
			c.Elem()
			c.Hex(c.U32(b[4:]))
			c.EndArray()
			c.EndStruct()
		},
	}
)

// statfsType is a struct statfs: the fields of s, and flags of width w, which
// are shown if the kernel says that they are valid.
func statfsType(w Width, size [numLay]uint16, s *Struct) Type {
	const valid = 0x20
	return Type{
		Width: None, Size: size, Align: [numLay]uint16{8, 4, 8},
		Mem: func(c *Call, b []byte, _ uint64) {
			c.BeginStruct()
			s.PrintFields(c, b)
			if v := w.load(b[s.Off(c.Lay, "f_frsize")+w.size(c.Lay):], c.Lay); v&valid != 0 {
				c.Field("f_flags")
				c.Flags(v, xlat.StatfsFlags)
			}
			c.EndStruct()
		},
	}
}

// statfs64Ptr is a pointer to a struct statfs64 of as many bytes as argument n
// says: the size of the struct, or 4 bytes more of padding.
func statfs64Ptr(n int) Type {
	t := outPtr(statfs64Struct)
	print := t.Print
	t.Print = func(c *Call, v uint64) {
		if s := c.args[n]; s != 84 && s != 88 {
			c.Addr(v)
			return
		}
		print(c, v)
	}
	t.Cap = func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: 84, When: event.AtExit | event.IfOK})
	}
	return t
}
