package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// Disks of the hd and ide drivers: linux/hdreg.h.
var (
	hdGeometry = NewStruct(
		Arg{"heads", udec8}, Arg{"sectors", udec8}, Arg{"cylinders", udec16}, Arg{"start", uldec},
	).Type()
	hdDriveCmd = NewStruct(
		Arg{"command", enumIn(U8, xlat.AtaCmds)}, Arg{"sector_number", udec8}, Arg{"feature", udec8}, Arg{"sector_count", udec8},
	).Type()
	hdDriveDone = func() Type {
		s := NewStruct(Arg{"status", hex8}, Arg{"error", udec8}, Arg{"nsector", udec8}, Arg{"", pad(1)})
		t := s.Type()
		t.Mem = func(c *Call, b []byte, addr uint64) {
			c.BeginStruct()
			s.PrintFields(c, b)
			if n := uint64(b[3]) * 512; n > 0 {
				c.Field("buf")
				c.HexBufAt(addr+4, n)
			}
			c.EndStruct()
		}
		t.Cap = func(b *Caps, at Place) {
			b.Add(Place{From: 2, Off: 4}, event.Capture{
				Kind: event.CapBytes, Len: event.LenOp, LenFrom: at.From - event.FromOp, LenOff: 3, LenWidth: 1,
				Size: 512, When: event.AtExit | event.InPlace,
			})
		}
		return t
	}()
)

// hdCmdDone reports whether HDIO_DRIVE_CMD has told what came out: that it does
// on an error of the drive as well.
func hdCmdDone(c *Call) bool {
	const eio = 5
	errno, failed := c.Ev.Failed()
	return c.Returned() && (!failed || errno == eio)
}

// HexBufAt writes n bytes at addr as a string of \x.., cut at the -s limit. Not
// readable as far as that: the address.
func (c *Call) HexBufAt(addr, n uint64) {
	shown := min(n, uint64(c.Opts.StringMax))
	b := c.Avail(addr, int(shown))
	if addr == 0 || uint64(len(b)) < shown {
		c.Addr(addr)
		return
	}
	c.StrHex(b, n > shown)
}

// fixedBuf is a pointer to n bytes, shown as a string; how is in or outPtr. As
// strace does, it reads one more than it shows.
func fixedBuf(how func(Type) Type, n int, show func(c *Call, addr, n uint64)) Type {
	t := how(memOf(n, 1, nil))
	isOut := t.Out
	t.Print = func(c *Call, v uint64) {
		seen := min(n, c.Opts.StringMax+1)
		if isOut && !c.Succeeded() || len(c.Avail(v, seen)) < seen {
			c.Addr(v)
			return
		}
		show(c, v, uint64(n))
	}
	whole := t.Cap
	t.Cap = func(b *Caps, at Place) {
		whole(b, at)
		if k := len(b.list) - 1; k >= 0 {
			b.list[k].Max = uint16(min(n, b.Opts.StringMax+1))
		}
	}
	return t
}

var ioctlHdio = onlyOn(On64|OnX32, joined(
	each(args{{"arg", array(in, hex, constCount(3))}}, "HDIO_DRIVE_RESET", "HDIO_SCAN_HWIF"),
	each(args{{"arg", boxed(outPtr, uldec)}}, "HDIO_GET_32BIT", "HDIO_GET_ACOUSTIC", "HDIO_GET_ADDRESS", "HDIO_GET_DMA",
		"HDIO_GET_NOWERR", "HDIO_GET_WCACHE"),
	each(args{{"keep_settings", boxed(outPtr, uldec)}}, "HDIO_GET_KEEPSETTINGS"),
	each(args{{"multcount", boxed(outPtr, uldec)}}, "HDIO_GET_MULTCOUNT"),
	each(args{{"unmaskintr", boxed(outPtr, uldec)}}, "HDIO_GET_UNMASKINTR"),
	each(args{{"arg", boxed(outPtr, enumIn(Ulong, xlat.HdioBusstate))}}, "HDIO_GET_BUSSTATE"),
	each(args{{"arg", boxed(outPtr, flagsIn(Ulong, xlat.HdioNice))}}, "HDIO_GET_NICE"),
	each(args{{"identity", fixedBuf(outPtr, 512, (*Call).BufAt)}}, "HDIO_GET_IDENTITY"),
	each(args{{"identity", fixedBuf(outPtr, 142, (*Call).BufAt)}}, "HDIO_OBSOLETE_IDENTITY"),
	each(args{{"arg", uldec}}, "HDIO_SET_32BIT", "HDIO_SET_ACOUSTIC", "HDIO_SET_ADDRESS", "HDIO_SET_DMA",
		"HDIO_SET_NOWERR", "HDIO_SET_PIO_MODE", "HDIO_SET_WCACHE", "HDIO_UNREGISTER_HWIF"),
	each(args{{"keep_settings", uldec}}, "HDIO_SET_KEEPSETTINGS"),
	each(args{{"multcount", uldec}}, "HDIO_SET_MULTCOUNT"),
	each(args{{"unmaskintr", uldec}}, "HDIO_SET_UNMASKINTR"),
	each(args{{"arg", enumIn(Ulong, xlat.HdioBusstate)}}, "HDIO_SET_BUSSTATE"),
	each(args{{"arg", flagsIn(Ulong, xlat.HdioNice)}}, "HDIO_SET_NICE"),
))

// Block devices: linux/fs.h, linux/blkpg.h, linux/blktrace_api.h.
var (
	blkpgPartition = NewStruct(
		Arg{"start", dec64}, Arg{"length", dec64}, Arg{"pno", dec},
		Arg{"devname", cstr(64)}, Arg{"volname", cstr(64)}, Arg{"", pad(4)},
	).Type()
	blkpgArg = NewStruct(
		Arg{"op", enum(xlat.BlkpgOps)}, Arg{"flags", dec}, Arg{"datalen", dec}, Arg{"data", in(blkpgPartition)},
	).Type()
	blkTraceSetup = NewStruct(
		Arg{"name", filled(cstr(32))}, Arg{"act_mask", udec16}, Arg{"buf_size", udec}, Arg{"buf_nr", udec},
		Arg{"start_lba", udec64}, Arg{"end_lba", udec64}, Arg{"pid", pid},
	)
	pairOf = func(t Type) Type { return vec(t, 2) }
)

var ioctlBlock = joined(
	each(argp(hdGeometryPtr), "HDIO_GETGEO"),
	each(argp(changedIf(hdCmdDone, hdDriveCmd, hdDriveDone)), "HDIO_DRIVE_CMD"),
	each(argp(uldec), "BLKRASET", "BLKFRASET"),
	each(argp(boxed(outPtr, udec16)), "BLKSECTGET", "BLKROTATIONAL"),
	each(argp(boxed(outPtr, dec)), "BLKROGET", "BLKBSZGET", "BLKSSZGET", "BLKALIGNOFF"),
	each(argp(boxed(in, dec)), "BLKROSET", "BLKBSZSET"),
	each(argp(boxed(outPtr, udec)), "BLKPBSZGET", "BLKIOMIN", "BLKIOOPT", "BLKDISCARDZEROES", "BLKGETZONESZ", "BLKGETNRZONES"),
	each(argp(boxed(outPtr, ldec)), "BLKRAGET", "BLKFRAGET"),
	each(argp(boxed(outPtr, uldec)), "BLKGETSIZE"),
	each(argp(boxed(outPtr, udec64)), "BLKGETSIZE64", "BLKGETDISKSEQ"),
	each(argp(in(pairOf(udec64))), "BLKDISCARD", "BLKSECDISCARD", "BLKZEROOUT"),
	each(argp(in(blkpgArg)), "BLKPG"),
	each(argp(inout(blkTraceSetup)), "BLKTRACESETUP"),
	each(nil, "BLKRRPART", "BLKFLSBUF", "BLKTRACESTART", "BLKTRACESTOP", "BLKTRACETEARDOWN"),
	each(nil, "NBD_DISCONNECT", "NBD_CLEAR_SOCK", "NBD_DO_IT", "NBD_CLEAR_QUE", "NBD_PRINT_DEBUG"),
	each(argp(fd), "NBD_SET_SOCK"),
	each(argp(uldec), "NBD_SET_BLKSIZE", "NBD_SET_SIZE", "NBD_SET_SIZE_BLOCKS", "NBD_SET_TIMEOUT"),
	each(argp(flagsIn(Ulong, xlat.NbdFlags)), "NBD_SET_FLAGS"),
)

var hdGeometryPtr = outPtr(hdGeometry)
