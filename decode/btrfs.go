package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
)

// Requests on btrfs file systems: linux/btrfs.h. Quotas, searches and what is
// told of inodes are in btrfs_tree.go.

// u64orMax is a number of which all bits set have a name.
var u64orMax = Type{Width: U64, Print: func(c *Call, v uint64) {
	if v == 1<<64-1 {
		c.namedUint(v, "UINT64_MAX")
		return
	}
	c.Uint(v)
}}

// uuidBytes is a UUID: 16 bytes in groups.
var uuidBytes = memOf(16, 1, func(c *Call, b []byte, _ uint64) { c.UUID(b) })

// UUID writes 16 bytes as 8-4-4-4-12 hex digits.
func (c *Call) UUID(b []byte) {
	const digits = "0123456789abcdef"
	c.BeginExpr(0)
	for i, v := range b[:16] {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			c.Buf = append(c.Buf, '-')
		}
		c.Buf = append(c.Buf, digits[v>>4], digits[v&15])
	}
	c.EndExpr()
}

// btrfsObject and btrfsKey are numbers of which some have names.
var (
	btrfsObject = btrfsNamed(U64, xlat.BtrfsObjects)
	btrfsKey    = btrfsNamed(U32, xlat.BtrfsKeys)
)

func btrfsNamed(w Width, x *out.Xlat) Type {
	return Type{Width: w, Print: func(c *Call, v uint64) {
		if name, ok := x.Name(v); ok {
			c.namedUint(v, name)
			return
		}
		c.Uint(v)
	}}
}

// namedUint writes an unsigned number that is known by a name.
func (c *Call) namedUint(v uint64, name string) {
	switch {
	case c.Opt.JSON || c.Opt.Xlat == out.Raw:
		c.Uint(v)
	case c.Opt.Xlat == out.Verbose:
		c.Uint(v)
		c.Comment(name)
	default:
		c.Text(name)
	}
}

const (
	balanceData = 1 << iota
	balanceSystem
	balanceMetadata
)

var btrfsBalanceArgs = NewStruct(
	Arg{"profiles", flagsIn(U64, xlat.BtrfsProfiles)}, Arg{"usage", u64orMax}, Arg{"devid", devIn(U64)},
	Arg{"pstart", u64orMax}, Arg{"pend", u64orMax}, Arg{"vstart", u64orMax}, Arg{"vend", u64orMax}, Arg{"target", u64orMax},
	Arg{"flags", flagsIn(U64, xlat.BtrfsBalanceArgs)}, Arg{"", pad(64)},
).Type()

// btrfsBalance is struct btrfs_ioctl_balance_args, with the state if it was told.
func btrfsBalance(told bool) Type {
	if64 := func(bit uint64, t Type) Type {
		return when(func(c *Call, s []byte) bool { return c.U64(s)&bit != 0 }, t)
	}
	state := when(func(*Call, []byte) bool { return told }, flagsIn(U64, xlat.BtrfsBalanceState))
	return NewStruct(
		Arg{"flags", flagsIn(U64, xlat.BtrfsBalance)}, Arg{"state", state},
		Arg{"data", if64(balanceData, btrfsBalanceArgs)}, Arg{"meta", if64(balanceMetadata, btrfsBalanceArgs)},
		Arg{"sys", if64(balanceSystem, btrfsBalanceArgs)}, Arg{"", pad(24 + 72*8)},
	).Type()
}

var (
	btrfsFeatures = NewStruct(
		Arg{"compat_flags", flagsIn(U64, xlat.BtrfsCompat)}, Arg{"compat_ro_flags", flagsIn(U64, xlat.BtrfsCompatRO)},
		Arg{"incompat_flags", flagsIn(U64, xlat.BtrfsIncompat)},
	).Type()
	btrfsSupported = memOf(72, 8, func(c *Call, b []byte, addr uint64) {
		c.BeginArray()
		for i, what := range [...]string{"supported", "safe to set", "safe to clear"} {
			c.Elem()
			btrfsFeatures.Val(c, b[24*i:24*i+24], addr+uint64(24*i))
			c.Comment(what)
		}
		c.EndArray()
	})
	btrfsDefrag = NewStruct(
		Arg{"start", udec64}, Arg{"len", u64orMax}, Arg{"flags", flagsIn(U64, xlat.BtrfsDefrag)}, Arg{"extent_thresh", udec},
		Arg{"compress_type", enum(xlat.BtrfsCompress)}, Arg{"", pad(16)},
	).Type()
	btrfsDevAsk  = NewStruct(Arg{"devid", devIn(U64)}, Arg{"uuid", ifSet(uuidBytes)}, Arg{"", pad(4072)}).Type()
	btrfsDevInfo = NewStruct(
		Arg{"", pad(8)}, Arg{"uuid", ifSet(uuidBytes)}, Arg{"bytes_used", udec64}, Arg{"total_bytes", udec64},
		Arg{"", pad(379 * 8)}, Arg{"path", cstr(1024)},
	).Type()
	btrfsFsInfo = NewStruct(
		Arg{"max_id", udec64}, Arg{"num_devices", udec64}, Arg{"fsid", uuidBytes}, Arg{"nodesize", udec}, Arg{"sectorsize", udec},
		Arg{"clone_alignment", udec},
		Arg{"csum_type", btrfsIf(48, 1, enumIn(U16, xlat.BtrfsCsum))}, Arg{"csum_size", btrfsIf(48, 1, udec16)},
		Arg{"flags", flagsIn(U64, xlat.BtrfsFsInfo)}, Arg{"generation", btrfsIf(48, 2, udec64)},
		Arg{"metadata_uuid", btrfsIf(48, 4, uuidBytes)}, Arg{"", pad(944)},
	).Type()
	btrfsVol   = NewStruct(Arg{"fd", fd64}, Arg{"name", cstr(4088)}).Type()
	btrfsSpace = NewStruct(
		Arg{"flags", flagsIn(U64, xlat.BtrfsSpace)}, Arg{"total_bytes", udec64}, Arg{"used_bytes", udec64},
	).Type()
	btrfsSpaceAsk  = NewStruct(Arg{"space_slots", udec64}, Arg{"", pad(8)}).Type()
	btrfsSpaceTold = NewStruct(Arg{"", pad(8)}, Arg{"total_spaces", udec64}, btrfsSlots(abridged), btrfsSlots(Arg{"spaces", tail(btrfsSpace, 16, 8, 8, func(c *Call, s []byte) uint64 { return c.U64(s[8:]) })})).Type()
)

// btrfsIf is a field that is there if the flags at offset off say so.
func btrfsIf(off int, bit uint64, t Type) Type {
	return when(func(c *Call, s []byte) bool { return c.U64(s[off:])&bit != 0 }, t)
}

// btrfsSlots is a field that is there unless only the number of spaces was asked
// for.
func btrfsSlots(a Arg) Arg {
	a.Shown = func(c *Call, s []byte, _ int) bool { return c.U64(s) != 0 || c.U64(s[8:]) == 0 }
	return a
}

// Replacing a device.
var (
	btrfsReplaceStart = NewStruct(
		Arg{"srcdevid", devIn(U64)}, Arg{"cont_reading_from_srcdev_mode", enumIn(U64, xlat.BtrfsContReading)},
		Arg{"srcdev_name", cstr(1025)}, Arg{"tgtdev_name", cstr(1025)},
	).Type()
	btrfsDate64 = Type{Width: U64, Print: func(c *Call, v uint64) {
		c.Uint(v)
		c.DateComment(int64(v), 0, 9)
	}}
	btrfsPermille = Type{Width: U64, Print: func(c *Call, v uint64) {
		c.Uint(v)
		if v <= 1000 && !c.Opt.JSON {
			c.Syntax(" /* ")
			c.Uint(v / 10)
			c.Syntax(".")
			c.Uint(v % 10)
			c.Syntax("% */")
		}
	}}
	btrfsReplaceStatus = NewStruct(
		Arg{"replace_state", enumIn(U64, xlat.BtrfsReplaceState)}, Arg{"progress_1000", btrfsPermille},
		Arg{"time_started", btrfsDate64}, Arg{"time_stopped", btrfsDate64}, Arg{"num_write_errors", udec64},
		Arg{"num_uncorrectable_read_errors", udec64},
	).Type()
	btrfsReplaceAsk = NewStruct(
		Arg{"cmd", enumIn(U64, xlat.BtrfsReplaceCmds)}, Arg{"", pad(8)},
		Arg{"start", when(func(c *Call, s []byte) bool { return c.U64(s) == 0 }, btrfsReplaceStart)}, Arg{"", pad(512)},
	).Type()
	btrfsReplaceTold = NewStruct(
		Arg{"", pad(8)}, Arg{"result", enumIn(U64, xlat.BtrfsReplaceResults)},
		Arg{"status", when(func(c *Call, s []byte) bool { return c.U64(s) == 1 }, btrfsReplaceStatus)},
	).Type()
)

// Checking all data.
var btrfsScrubTold = NewStruct(Arg{"", pad(32)}, Arg{"progress", NewStruct(
	Arg{"data_extents_scrubbed", udec64}, Arg{"tree_extents_scrubbed", udec64}, Arg{"data_bytes_scrubbed", udec64},
	Arg{"tree_bytes_scrubbed", udec64}, Arg{"read_errors", udec64}, Arg{"csum_errors", udec64}, Arg{"verify_errors", udec64},
	Arg{"no_csum", udec64}, Arg{"csum_discards", udec64}, Arg{"super_errors", udec64}, Arg{"malloc_errors", udec64},
	Arg{"uncorrectable_errors", udec64}, Arg{"corrected_errors", udec64}, Arg{"last_physical", udec64},
	Arg{"unverified_errors", udec64},
).Type()}, Arg{"", pad(872)}).Type()

func btrfsScrub(all bool) Type {
	show := func(t Type) Type { return when(func(*Call, []byte) bool { return all }, t) }
	return changed(NewStruct(
		Arg{"devid", devIn(U64)}, Arg{"start", show(udec64)}, Arg{"end", show(u64orMax)},
		Arg{"flags", show(flagsIn(U64, xlat.BtrfsScrub))}, Arg{"", pad(992)},
	).Type(), btrfsScrubTold)
}

// btrfsVol2 is struct btrfs_ioctl_vol_args_v2.
var (
	btrfsVol2 = NewStruct(
		Arg{"fd", fd64}, Arg{"", pad(8)}, Arg{"flags", flagsIn(U64, xlat.BtrfsSubvol)},
		Arg{"size", btrfsIf(16, 4, udec64)}, Arg{"qgroup_inherit", btrfsIf(16, 4, btrfsInherit)},
		Arg{"", pad(16)}, Arg{"name", cstr(4040)},
	).Type()
	btrfsVol2Told = NewStruct(Arg{"", pad(8)}, Arg{"transid", udec64}).Type()
)

// btrfsSubvolFlags is a pointer to flags of a subvolume, shown without brackets.
func btrfsSubvolFlags(how func(Type) Type) Type {
	return how(memOf(8, 8, func(c *Call, b []byte, _ uint64) { c.Flags(c.U64(b), xlat.BtrfsSubvol) }))
}

var ioctlBtrfs = joined(
	each(nil, "BTRFS_IOC_TRANS_START", "BTRFS_IOC_TRANS_END", "BTRFS_IOC_SYNC", "BTRFS_IOC_SCRUB_CANCEL",
		"BTRFS_IOC_QUOTA_RESCAN_WAIT", "BTRFS_IOC_DEFRAG", "BTRFS_IOC_BALANCE"),
	each(argp(enum(xlat.BtrfsBalanceCtl)), "BTRFS_IOC_BALANCE_CTL"),
	each(argp(boxed(outPtr, udec64)), "BTRFS_IOC_START_SYNC"),
	each(argp(boxed(in, udec64)), "BTRFS_IOC_DEFAULT_SUBVOL", "BTRFS_IOC_WAIT_SYNC"),
	each(argp(btrfsSubvolFlags(outPtr)), "BTRFS_IOC_SUBVOL_GETFLAGS"),
	each(argp(btrfsSubvolFlags(in)), "BTRFS_IOC_SUBVOL_SETFLAGS"),
	each(argp(changed(btrfsBalance(false), btrfsBalance(true))), "BTRFS_IOC_BALANCE_V2"),
	each(argp(outPtr(btrfsBalance(true))), "BTRFS_IOC_BALANCE_PROGRESS"),
	each(argp(in(btrfsDefrag)), "BTRFS_IOC_DEFRAG_RANGE"),
	each(argp(changed(btrfsDevAsk, btrfsDevInfo)), "BTRFS_IOC_DEV_INFO"),
	each(argp(changed(btrfsReplaceAsk, btrfsReplaceTold)), "BTRFS_IOC_DEV_REPLACE"),
	each(argp(outPtr(btrfsFeatures)), "BTRFS_IOC_GET_FEATURES"),
	each(argp(in(vec(btrfsFeatures, 2))), "BTRFS_IOC_SET_FEATURES"),
	each(argp(outPtr(btrfsSupported)), "BTRFS_IOC_GET_SUPPORTED_FEATURES"),
	each(argp(outPtr(btrfsFsInfo)), "BTRFS_IOC_FS_INFO"),
	each(argp(btrfsScrub(true)), "BTRFS_IOC_SCRUB"),
	each(argp(btrfsScrub(false)), "BTRFS_IOC_SCRUB_PROGRESS"),
	each(argp(changed(btrfsSpaceAsk, btrfsSpaceTold)), "BTRFS_IOC_SPACE_INFO"),
	each(argp(in(btrfsVol)), "BTRFS_IOC_SNAP_CREATE", "BTRFS_IOC_RESIZE", "BTRFS_IOC_SCAN_DEV", "BTRFS_IOC_FORGET_DEV",
		"BTRFS_IOC_ADD_DEV", "BTRFS_IOC_RM_DEV", "BTRFS_IOC_SUBVOL_CREATE", "BTRFS_IOC_SNAP_DESTROY", "BTRFS_IOC_DEVICES_READY"),
	each(argp(changed(btrfsVol2, btrfsVol2Told)), "BTRFS_IOC_SNAP_CREATE_V2", "BTRFS_IOC_SUBVOL_CREATE_V2"),
	ioctlBtrfsTree,
)

// captured is a field with captures of its own.
func captured(t Type, cp func(b *Caps, at Place)) Type {
	t.Cap = cp
	return t
}
