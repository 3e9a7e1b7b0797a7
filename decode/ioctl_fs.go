package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// tailOf adds the capture of the elements that lie behind a struct of head
// bytes to which argument arg points: size bytes each, as many as the number of
// width bytes at offset off of what capture op copied says. It returns the
// capture, or -1.
func (b *Caps) tailOf(arg, head int, op Place, off, width, size int, when event.When) int {
	if op == Nowhere {
		return -1
	}
	return b.Add(Place{From: uint8(arg), Off: uint16(head)}, event.Capture{
		Kind: event.CapBytes, Len: event.LenOp, LenFrom: op.From - event.FromOp,
		LenOff: uint16(off), LenWidth: uint8(width), Size: uint16(size), Max: uint16(min(size*maxElems, 16384)),
		When: when | event.InPlace,
	})
}

// tail is a field for the elements that lie behind the struct, as many as used
// says; off and width tell where that number is.
func tail(t Type, head int, off, width int, used func(*Call, []byte) uint64) Type {
	v := within(pad(0), func(c *Call, s []byte, _ int, addr uint64) {
		c.Array(addr+uint64(head), used(c, s), &t)
	})
	v.Cap = func(b *Caps, at Place) {
		at.Off = 0
		op := b.tailOf(2, head, at, off, width, t.size(b.Lay), b.When)
		if t.Cap != nil {
			t.Cap(b, In(op, 0, t.size(b.Lay)))
		}
	}
	return v
}

// Requests that many file systems know: linux/fs.h, linux/fiemap.h.
var (
	fsuuid2 = NewStruct(Arg{"len", udec8}, Arg{"uuid", within(pad(16), func(c *Call, s []byte, at int, _ uint64) {
		c.StrHex(s[at:at+min(int(s[0]), 16)], false)
	})}).Type()
	fsSysfsPath = NewStruct(Arg{"len", udec8}, Arg{"name", within(pad(128), func(c *Call, s []byte, at int, _ uint64) {
		c.FixedStr(s[at : at+min(int(s[0])+1, 128)])
	})}).Type()
	lbmdCap = NewStruct(
		Arg{"lbmd_flags", flags(xlat.LbmdFlags)}, Arg{"lbmd_interval", udec16}, Arg{"lbmd_size", udec8},
		Arg{"lbmd_opaque_size", udec8}, Arg{"lbmd_opaque_offset", udec8}, Arg{"lbmd_pi_size", udec8},
		Arg{"lbmd_pi_offset", udec8}, Arg{"lbmd_guard_tag_type", enumIn(U8, xlat.LbmdCsum)},
		Arg{"lbmd_app_tag_size", udec8}, Arg{"lbmd_ref_tag_size", udec8}, Arg{"lbmd_storage_tag_size", udec8}, Arg{"", pad(1)},
	).Type()

	fiemapExtent = NewStruct(
		Arg{"fe_logical", udec64}, Arg{"fe_physical", udec64}, Arg{"fe_length", udec64}, Arg{"", pad(16)},
		Arg{"fe_flags", flags(xlat.FiemapExtentFlags)}, Arg{"", pad(12)},
	).Type()
	fiemapIn = NewStruct(
		Arg{"fm_start", udec64}, Arg{"fm_length", udec64}, Arg{"fm_flags", flags(xlat.FiemapFlags)},
		Arg{"", pad(4)}, Arg{"fm_extent_count", udec}, Arg{"", pad(4)},
	).Type()
	fiemapOut = NewStruct(
		Arg{"", pad(16)}, Arg{"fm_flags", flags(xlat.FiemapFlags)}, Arg{"fm_mapped_extents", udec}, Arg{"", pad(8)},
		abridged, Arg{"fm_extents", tail(fiemapExtent, 32, 20, 4, u32At(20))},
	).Type()

	fstrimRange = NewStruct(Arg{"start", hex64}, Arg{"len", udec64}, Arg{"minlen", udec64}).Type()
	fsxattrGet  = fsxattrOf(udec)
	fsxattrSet  = fsxattrOf(when(func(*Call, []byte) bool { return false }, udec))

	cloneRange = NewStruct(
		Arg{"src_fd", fd64}, Arg{"src_offset", udec64}, Arg{"src_length", udec64}, Arg{"dest_offset", udec64},
	).Type()
	fslabel = cstr(256)
)

func fsxattrOf(nextents Type) Type {
	return NewStruct(
		Arg{"fsx_xflags", flags(xlat.FsXflags)}, Arg{"fsx_extsize", udec}, Arg{"fsx_nextents", nextents},
		Arg{"fsx_projid", hex}, Arg{"fsx_cowextsize", udec}, Arg{"", pad(8)},
	).Type()
}

// dedupeLimit is how many destinations are shown with abbreviation.
const dedupeLimit = 2

// dedupeInfo is the array of destinations of FIDEDUPERANGE.
func dedupeInfo(elem Type) Type {
	v := tail(elem, 24, 16, 2, nil)
	v.Within = func(c *Call, s []byte, _ int, addr uint64) {
		n, limit := c.U16(s[16:]), c.Opts.StringMax
		if c.Abbrev {
			c.Opts.StringMax = min(limit, dedupeLimit)
		}
		c.Array(addr+24, n, &elem)
		c.Opts.StringMax = limit
	}
	return v
}

var (
	dedupeIn = NewStruct(
		Arg{"src_offset", udec64}, Arg{"src_length", udec64}, Arg{"dest_count", udec16}, Arg{"", pad(6)},
		Arg{"info", dedupeInfo(NewStruct(Arg{"dest_fd", fd64}, Arg{"dest_offset", udec64}, Arg{"", pad(16)}).Type())},
	).Type()
	dedupeOut = NewStruct(
		Arg{"", pad(24)},
		Arg{"info", dedupeInfo(NewStruct(Arg{"", pad(16)}, Arg{"bytes_deduped", udec64}, Arg{"status", dec}, Arg{"", pad(4)}).Type())},
	).Type()
)

var ioctlFs = joined(
	each(args{{"arg", outPtr(fsuuid2)}}, "FS_IOC_GETFSUUID"),
	each(args{{"arg", outPtr(fsSysfsPath)}}, "FS_IOC_GETFSSYSFSPATH"),
	each(args{{"arg", outPtr(lbmdCap)}}, "FS_IOC_GETLBMD_CAP"),
	each(argp(changed(fiemapIn, fiemapOut)), "FS_IOC_FIEMAP"),
	each(args{{"attr", boxed(outPtr, flags(xlat.FsIocFlags))}}, "FS_IOC_GETFLAGS", "FS_IOC32_GETFLAGS"),
	each(args{{"attr", boxed(in, flags(xlat.FsIocFlags))}}, "FS_IOC_SETFLAGS", "FS_IOC32_SETFLAGS"),
	each(argp(in(fstrimRange)), "FITRIM"),
	each(args{{"arg", outPtr(fsxattrGet)}}, "FS_IOC_FSGETXATTR"),
	each(args{{"arg", in(fsxattrSet)}}, "FS_IOC_FSSETXATTR"),
	each(argp(boxed(in, enum(xlat.FsShutdown))), "FS_IOC_SHUTDOWN"),
	each(nil, "FIFREEZE", "FITHAW"),
	each(args{{"src_fd", dec}}, "FICLONE"),
	each(args{{"arg", in(cloneRange)}}, "FICLONERANGE"),
	each(args{{"arg", changed(dedupeIn, dedupeOut)}}, "FIDEDUPERANGE"),
	each(args{{"label", outPtr(fslabel)}}, "FS_IOC_GETFSLABEL"),
	each(args{{"label", in(fslabel)}}, "FS_IOC_SETFSLABEL"),
)
