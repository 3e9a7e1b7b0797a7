package decode

import "perftrace/decode/xlat"

// Raw flash: mtd/mtd-abi.h.
var (
	mtdErase   = NewStruct(Arg{"start", hex}, Arg{"length", hex}).Type()
	mtdErase64 = NewStruct(Arg{"start", hex64}, Arg{"length", hex64}).Type()
	mtdOOB     = NewStruct(Arg{"start", hex}, Arg{"length", hex}, Arg{"ptr", addr}).Type()
	mtdOOB64   = NewStruct(Arg{"start", hex64}, Arg{"", pad(4)}, Arg{"length", hex}, Arg{"usr_ptr", addr64}).Type()
	mtdOTP     = NewStruct(Arg{"start", hex}, Arg{"length", hex}, Arg{"locked", udec}).Type()
	mtdWrite   = NewStruct(
		Arg{"start", hex64}, Arg{"len", hex64}, Arg{"ooblen", hex64}, Arg{"usr_data", addr64}, Arg{"usr_oob", addr64},
		Arg{"mode", enumIn(U8, xlat.MtdModes)}, Arg{"", pad(7)},
	).Type()
	mtdInfo = NewStruct(
		Arg{"type", enumIn(U8, xlat.MtdTypes)}, Arg{"flags", flags(xlat.MtdFlags)}, Arg{"size", hex}, Arg{"erasesize", hex},
		Arg{"writesize", hex}, Arg{"oobsize", hex}, Arg{"padding", hex64},
	).Type()
	mtdOOBInfo = NewStruct(
		Arg{"useecc", enum(xlat.MtdNandEcc)}, Arg{"eccbytes", hex}, Arg{"oobfree", vec(vec(hex, 2), 8)}, Arg{"eccpos", vec(hex, 32)},
	).Type()
	mtdLayout = NewStruct(
		Arg{"eccbytes", hex}, Arg{"eccpos", vec(hex, 64)}, Arg{"oobavail", hex},
		Arg{"oobfree", vec(NewStruct(Arg{"offset", hex}, Arg{"length", hex}).Type(), 8)},
	).Type()
	mtdStats  = NewStruct(Arg{"corrected", hex}, Arg{"failed", hex}, Arg{"badblocks", hex}, Arg{"bbtblocks", hex}).Type()
	mtdRegion = NewStruct(
		Arg{"offset", filled(hex)}, Arg{"erasesize", filled(hex)}, Arg{"numblocks", filled(hex)}, Arg{"regionindex", hex},
	)
)

// Volumes on flash: mtd/ubi-user.h.
var (
	ubiMkvol = NewStruct(
		Arg{"vol_id", dec}, Arg{"alignment", dec}, Arg{"bytes", dec64}, Arg{"vol_type", enumIn(U8, xlat.UbiVolumeTypes)},
		Arg{"flags", flagsIn(U8, xlat.UbiVolumeFlags)}, Arg{"name_len", dec16}, Arg{"", pad(4)}, Arg{"name", ubiName(18)},
	).Type()
	ubiRsvol = NewStruct(Arg{"bytes", dec64}, Arg{"vol_id", dec}).packed()
	ubiRnvol = NewStruct(
		Arg{"count", dec}, Arg{"", pad(12)},
		Arg{"ents", vecUpto(NewStruct(Arg{"vol_id", dec}, Arg{"name_len", dec16}, Arg{"", pad(2)}, Arg{"name", ubiName(4)}).Type(), 32, ubiCount)},
	).Type()
	ubiLEB = NewStruct(Arg{"lnum", dec}, Arg{"bytes", dec}, Arg{"dtype", enumIn(U8, xlat.UbiDataTypes)}, Arg{"", pad(7)}).Type()
	ubiMap = NewStruct(Arg{"lnum", dec}, Arg{"dtype", enumIn(U8, xlat.UbiDataTypes)}, Arg{"", pad(3)}).Type()
	ubiAtt = NewStruct(
		Arg{"ubi_num", dec}, Arg{"mtd_num", dec}, Arg{"vid_hdr_offset", dec}, Arg{"max_beb_per1024", dec16},
		Arg{"disable_fm", dec8}, Arg{"need_resv_pool", dec8}, Arg{"", pad(8)},
	).Type()
	ubiProp = NewStruct(Arg{"property", enumIn(U8, xlat.UbiVolumeProps)}, Arg{"", pad(7)}, Arg{"value", hex64}).Type()
	ubiNum  = vec(dec, 1)
)

// ubiCount is how many volumes are renamed; there are none if it is negative.
func ubiCount(c *Call, s []byte) uint64 { return uint64(max(c.I32(s), 0)) }

// ubiName is a name whose length is the 16-bit number at offset off.
func ubiName(off int) Type {
	const size = 128
	return within(pad(size), func(c *Call, s []byte, at int, _ uint64) {
		n := max(int(int16(c.U16(s[off:]))), 0)
		c.FixedStr(s[at : at+min(n, size-1)+1])
	})
}

var ioctlFlash = joined(
	each(argp(in(mtdErase)), "MEMERASE", "MEMLOCK", "MEMUNLOCK", "MEMISLOCKED"),
	each(argp(in(mtdErase64)), "MEMERASE64"),
	each(argp(in(mtdOOB)), "MEMWRITEOOB", "MEMREADOOB"),
	each(argp(in(mtdOOB64)), "MEMWRITEOOB64", "MEMREADOOB64"),
	each(argp(in(mtdWrite)), "MEMWRITE"),
	each(argp(outPtr(mtdOTP)), "OTPGETREGIONINFO"),
	each(argp(in(mtdOTP)), "OTPLOCK"),
	each(argp(boxed(in, enum(xlat.MtdOtp))), "OTPSELECT"),
	each(argp(enumIn(Ulong, xlat.MtdFileModes)), "MTDFILEMODE"),
	each(argp(boxed(in, udec64)), "MEMGETBADBLOCK", "MEMSETBADBLOCK"),
	each(argp(outPtr(mtdInfo)), "MEMGETINFO"),
	each(argp(outPtr(mtdOOBInfo)), "MEMGETOOBSEL"),
	each(argp(outPtr(mtdLayout)), "ECCGETLAYOUT"),
	each(argp(outPtr(mtdStats)), "ECCGETSTATS"),
	each(argp(boxed(outPtr, udec)), "OTPGETREGIONCOUNT"),
	each(argp(boxed(outPtr, dec)), "MEMGETREGIONCOUNT"),
	each(argp(inout(mtdRegion)), "MEMGETREGIONINFO"),
	each(argp(changed(ubiMkvol, ubiNum)), "UBI_IOCMKVOL"),
	each(argp(in(ubiRsvol)), "UBI_IOCRSVOL"),
	each(argp(in(ubiRnvol)), "UBI_IOCRNVOL"),
	each(argp(in(ubiLEB)), "UBI_IOCEBCH"),
	each(argp(changed(ubiAtt, ubiNum)), "UBI_IOCATT"),
	each(argp(in(ubiMap)), "UBI_IOCEBMAP"),
	each(argp(in(ubiProp)), "UBI_IOCSETVOLPROP"),
	each(argp(boxed(in, dec64)), "UBI_IOCVOLUP"),
	each(argp(boxed(in, dec)), "UBI_IOCDET", "UBI_IOCEBER", "UBI_IOCEBISMAP", "UBI_IOCEBUNMAP", "UBI_IOCRMVOL", "UBI_IOCRPEB",
		"UBI_IOCSPEB"),
	each(nil, "UBI_IOCVOLCRBLK", "UBI_IOCVOLRMBLK"),
)
