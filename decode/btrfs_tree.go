package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// Quotas of btrfs, searches in its trees, and what is told of inodes.

var (
	btrfsLimit = NewStruct(
		Arg{"flags", flagsIn(U64, xlat.BtrfsQgroupLimit)}, Arg{"max_rfer", udec64}, Arg{"max_excl", udec64},
		Arg{"rsv_rfer", udec64}, Arg{"rsv_excl", udec64},
	).Type()
	// btrfsInherit is a pointer to a struct with an array behind it.
	btrfsInherit = captured(within(addr64, func(c *Call, s []byte, at int, _ uint64) {
		btrfsInheritPtr.Print(c, c.Word(s[at:]))
	}), func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: 72, When: b.When})
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: 72 + 8*128, When: b.When})
	})
	btrfsInheritPtr = inEntry(NewStruct(
		Arg{"flags", flagsIn(U64, xlat.BtrfsQgroupInherit)}, Arg{"num_qgroups", udec64}, Arg{"num_ref_copies", udec64},
		Arg{"num_excl_copies", udec64}, Arg{"lim", btrfsLimit}, abridged,
		Arg{"qgroups", within(pad(0), func(c *Call, s []byte, _ int, addr uint64) { c.Array(addr+72, c.U64(s[8:]), &udec64) })},
	).Type())

	btrfsAssign       = NewStruct(Arg{"assign", udec64}, Arg{"src", udec64}, Arg{"dst", udec64}).Type()
	btrfsQgroupCreate = NewStruct(Arg{"create", udec64}, Arg{"qgroupid", udec64}).Type()
	btrfsQgroupLimit  = NewStruct(Arg{"qgroupid", udec64}, Arg{"lim", btrfsLimit}).Type()
	btrfsQuotaCtl     = NewStruct(Arg{"cmd", enumIn(U64, xlat.BtrfsQuotaCtl)}, Arg{"", pad(8)}).Type()
	btrfsRescan       = NewStruct(Arg{"flags", udec64}, Arg{"", pad(56)}).Type()
	btrfsRescanTold   = NewStruct(Arg{"flags", udec64}, Arg{"progress", btrfsObject}, Arg{"", pad(48)}).Type()

	btrfsTime = func() Type {
		s := NewStruct(Arg{"sec", udec64}, Arg{"nsec", udec})
		t := s.Type()
		t.Mem = func(c *Call, b []byte, _ uint64) {
			s.Print(c, b)
			c.DateComment(int64(c.U64(b)), c.U32(b[8:]), 9)
		}
		return t
	}()
	btrfsReceived = NewStruct(
		Arg{"uuid", uuidBytes}, Arg{"stransid", udec64}, Arg{"", pad(8)}, Arg{"stime", btrfsTime}, Arg{"", btrfsTime},
		Arg{"flags", udec64}, Arg{"", pad(128)},
	).Type()
	btrfsReceivedTold = NewStruct(
		Arg{"", pad(24)}, Arg{"rtransid", udec64}, Arg{"", btrfsTime}, Arg{"rtime", btrfsTime}, Arg{"", pad(136)},
	).Type()

	btrfsStatsAsk = NewStruct(
		Arg{"devid", devIn(U64)}, Arg{"nr_items", udec64}, Arg{"flags", flagsIn(U64, xlat.BtrfsDevStatsFlags)}, Arg{"", pad(1008)},
	).Type()
	btrfsStats = memOf(1032, 8, func(c *Call, b []byte, _ uint64) {
		const most = 5
		c.BeginStruct()
		c.Field("nr_items")
		n := c.U64(b[8:])
		c.Uint(n)
		c.Field("flags")
		c.Flags(c.U64(b[16:]), xlat.BtrfsDevStatsFlags)
		c.Elem()
		c.BeginArray()
		for i := range n {
			if i >= most {
				c.Elem()
				c.More()
				break
			}
			name, _ := xlat.BtrfsDevStats.Name(i)
			switch c.Opt.Xlat {
			case 1:
				name = termNumbers[i]
			case 2:
				name = btrfsStatsVerbose[i]
			}
			c.Index(name)
			c.Uint(c.U64(b[24+8*i:]))
		}
		c.EndArray()
		c.EndStruct()
	})
	// btrfsStatsVerbose are the names of values with their numbers.
	btrfsStatsVerbose = [...]string{
		"0 /* BTRFS_DEV_STAT_WRITE_ERRS */", "1 /* BTRFS_DEV_STAT_READ_ERRS */", "2 /* BTRFS_DEV_STAT_FLUSH_ERRS */",
		"3 /* BTRFS_DEV_STAT_CORRUPTION_ERRS */", "4 /* BTRFS_DEV_STAT_GENERATION_ERRS */",
	}

	btrfsLookupAsk = NewStruct(Arg{"treeid", btrfsObject}, Arg{"objectid", btrfsObject}, Arg{"", pad(4080)}).Type()
	btrfsLookup    = memOf(4096, 8, func(c *Call, b []byte, addr uint64) {
		c.AtEntry = true
		asked, ok := c.Read(addr, 8)
		c.AtEntry = false
		c.BeginStruct()
		if ok && c.U64(asked) == 0 {
			c.Field("treeid")
			btrfsObject.Print(c, c.U64(b))
		}
		c.Field("name")
		c.FixedStr(b[16:])
		c.EndStruct()
	})
)

// A container has a head of four numbers and elements of 8 bytes.
const btrfsContainerHead = 16

// btrfsContainer is a 64-bit pointer to a container, whose elements print
// writes.
func btrfsContainer(print func(c *Call, n, addr uint64)) Type {
	return captured(Type{Width: U64, Print: func(c *Call, v uint64) {
		b, ok := c.ReadOr(v, btrfsContainerHead)
		if !ok {
			return
		}
		c.BeginStruct()
		for i, name := range [...]string{"bytes_left", "bytes_missing", "elem_cnt", "elem_missed"} {
			c.Field(name)
			c.Uint(c.U32(b[4*i:]))
		}
		if c.Abbrev {
			c.MoreFields()
		} else {
			c.Field("val")
			print(c, c.U32(b[8:]), v+btrfsContainerHead)
		}
		c.EndStruct()
	}}, func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: btrfsContainerHead, When: b.When})
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: 8192, When: b.When})
	})
}

var (
	btrfsInode   = NewStruct(Arg{"inum", udec64}, Arg{"offset", udec64}, Arg{"root", udec64}).Type()
	btrfsInodes  = btrfsContainer(func(c *Call, n, addr uint64) { c.Array(addr, n/3, &btrfsInode) })
	btrfsFsPaths = btrfsContainer(func(c *Call, n, addr uint64) {
		path := memOf(8, 8, func(c *Call, b []byte, _ uint64) { c.PathAt(addr + c.U64(b)) })
		c.Array(addr, n, &path)
	})
	btrfsPathsAsk = NewStruct(
		Arg{"inum", udec64}, Arg{"size", udec64}, Arg{"", pad(32)}, Arg{"fspath", addr64},
	).Type()
	btrfsPaths      = NewStruct(Arg{"", pad(48)}, Arg{"fspath", btrfsFsPaths}).Type()
	btrfsLogicalAsk = NewStruct(
		Arg{"logical", udec64}, Arg{"size", udec64}, Arg{"reserved", ifSet(vec(hex64, 3))},
		Arg{"flags", flagsIn(U64, xlat.BtrfsLogicalIno)}, Arg{"inodes", addr64},
	).Type()
	btrfsLogical = NewStruct(Arg{"", pad(48)}, Arg{"inodes", btrfsInodes}).Type()
)

const (
	btrfsFirstFree = 256
	btrfsLastFree  = 1<<64 - 256
)

// btrfsSearchKey is what to search for: at entry, all of it; told is how many
// items were found.
func btrfsSearchKey(told bool) Type {
	unless := func(off int, v uint64, t Type) Type {
		return when(func(c *Call, s []byte) bool { return !told && (!c.Abbrev || c.U64(s[off:]) != v) }, t)
	}
	ask := func(t Type) Type { return when(func(*Call, []byte) bool { return !told }, t) }
	return NewStruct(
		Arg{"tree_id", ask(btrfsObject)},
		Arg{"min_objectid", unless(8, btrfsFirstFree, btrfsObject)}, Arg{"max_objectid", unless(16, btrfsLastFree, btrfsObject)},
		Arg{"min_offset", ask(u64orMax)}, Arg{"max_offset", ask(u64orMax)}, Arg{"min_transid", ask(u64orMax)}, Arg{"max_transid", ask(u64orMax)},
		Arg{"min_type", ask(btrfsKey)}, Arg{"max_type", ask(btrfsKey)}, Arg{"nr_items", udec}, Arg{"", pad(4 + 32)},
	).Type()
}

const btrfsKeySize, btrfsNrItems, btrfsSearchSize = 104, 64, 4096

// btrfsItem is the head of a found item, whose data follow.
var btrfsItem = NewStruct(
	Arg{"transid", udec64}, Arg{"objectid", btrfsObject}, Arg{"offset", udec64}, Arg{"type", btrfsKey}, Arg{"len", udec},
)

// btrfsItems writes the items in the buffer of a search.
func (c *Call) btrfsItems(addr, size, n uint64) {
	const head = 32
	if c.Abbrev {
		c.MoreFields()
		return
	}
	c.Field("buf")
	c.BeginArray()
	off := uint64(0)
	for i := range n {
		c.Elem()
		if off+head > size || i >= maxElems {
			c.More()
			break
		}
		b, ok := c.Read(addr+off, head)
		if !ok {
			c.Unreadable(addr + off)
			break
		}
		btrfsItem.Print(c, b)
		off += head + c.U32(b[28:])
	}
	c.EndArray()
}

// btrfsSearch is a search; v2 has the size of its buffer in front of it.
func btrfsSearch(v2 bool) Type {
	ask, told := btrfsSearchKey(false), btrfsSearchKey(true)
	head := btrfsKeySize
	if v2 {
		head += 8
	}
	show := func(key *Type, b []byte, c *Call, v uint64) {
		c.BeginStruct()
		c.Field("key")
		key.Val(c, b, v)
		if v2 {
			c.Field("buf_size")
			c.Uint(c.U64(b[btrfsKeySize:]))
		}
	}
	return Type{
		Width: Ulong,
		Print: func(c *Call, v uint64) {
			c.AtEntry = true
			b, ok := c.ReadOr(v, head)
			if !ok {
				c.AtEntry = false
				return
			}
			now := []byte(nil)
			c.AtEntry = false
			errno, failed := c.Ev.Failed()
			const eoverflow = 75
			if c.Returned() && (!failed || v2 && errno == eoverflow) {
				now, _ = c.Read(v, head)
			}
			if len(now) == head {
				c.BeginChange()
			}
			show(&ask, b, c, v)
			c.EndStruct()
			if len(now) != head {
				return
			}
			c.Then()
			if failed {
				c.BeginStruct()
				c.Field("buf_size")
				c.Uint(c.U64(now[btrfsKeySize:]))
			} else {
				show(&told, now, c, v)
				size := uint64(btrfsSearchSize - btrfsKeySize)
				if v2 {
					size = c.U64(now[btrfsKeySize:])
				}
				c.btrfsItems(v+uint64(head), size, c.U32(now[btrfsNrItems:]))
			}
			c.EndStruct()
			c.EndChange()
		},
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(head), When: readAtEntry})
			b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(head), When: event.AtExit})
			if b.Opts != nil {
				b.Add(at, event.Capture{Kind: event.CapBytes, Size: btrfsSearchSize, When: filledAtEnd})
			}
		},
	}
}

// btrfsSend is what to write of a subvolume, and where to.
var btrfsSend = NewStruct(
	Arg{"send_fd", fd64}, Arg{"clone_sources_count", udec64},
	Arg{"clone_sources", captured(within(addr, func(c *Call, s []byte, at int, _ uint64) {
		if p := c.Word(s[at:]); c.Abbrev {
			c.Addr(p)
		} else {
			c.Array(p, c.U64(s[8:]), &btrfsObject)
		}
	}), func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenField, LenOff: 8, LenWidth: 8, Size: 8, Max: 8192, When: b.When})
	})},
	Arg{"parent_root", btrfsObject}, Arg{"flags", flagsIn(U64, xlat.BtrfsSend)}, Arg{"", pad(32)},
).Type()

var ioctlBtrfsTree = joined(
	each(argp(in(btrfsAssign)), "BTRFS_IOC_QGROUP_ASSIGN"),
	each(argp(in(btrfsQgroupCreate)), "BTRFS_IOC_QGROUP_CREATE"),
	each(argp(outPtr(btrfsQgroupLimit)), "BTRFS_IOC_QGROUP_LIMIT"),
	each(argp(in(btrfsQuotaCtl)), "BTRFS_IOC_QUOTA_CTL"),
	each(argp(in(btrfsRescan)), "BTRFS_IOC_QUOTA_RESCAN"),
	each(argp(outPtr(btrfsRescanTold)), "BTRFS_IOC_QUOTA_RESCAN_STATUS"),
	each(argp(changed(btrfsReceived, btrfsReceivedTold)), "BTRFS_IOC_SET_RECEIVED_SUBVOL"),
	each(argp(changed(btrfsStatsAsk, btrfsStats)), "BTRFS_IOC_GET_DEV_STATS"),
	each(argp(changed(btrfsLookupAsk, btrfsLookup)), "BTRFS_IOC_INO_LOOKUP"),
	each(argp(changed(btrfsPathsAsk, btrfsPaths)), "BTRFS_IOC_INO_PATHS"),
	each(argp(changed(btrfsLogicalAsk, btrfsLogical)), "BTRFS_IOC_LOGICAL_INO"),
	each(argp(btrfsSearch(false)), "BTRFS_IOC_TREE_SEARCH"),
	each(argp(btrfsSearch(true)), "BTRFS_IOC_TREE_SEARCH_V2"),
	each(argp(in(btrfsSend)), "BTRFS_IOC_SEND"),
)
