package decode

import "perftrace/decode/xlat"

// Loop devices: linux/loop.h.

// loopEncrypted and loopVerbose are conditions of fields; off is where the kind
// of encryption stands.
func loopEncrypted(off [numLay]int) func(c *Call, s []byte) bool {
	return func(c *Call, s []byte) bool { return !c.Abbrev || c.U32(s[off[c.Lay]:]) != 0 }
}

func verboseOnly(t Type) Type {
	return when(func(c *Call, _ []byte) bool { return !c.Abbrev }, t)
}

// loopKey is the key, as long as the number in the four bytes at off says.
func loopKey(off [numLay]int) Type {
	return within(pad(32), func(c *Call, s []byte, at int, _ uint64) {
		n := min(int(c.U32(s[off[c.Lay]:])), 32)
		c.Str(s[at:at+n], false)
	})
}

// devIn is a device number of some width.
func devIn(w Width) Type { return Type{Width: w, Print: func(c *Call, v uint64) { c.Dev(v) }} }

// loopInfoOf is the old form, whose device numbers are as wide as the machine's
// old dev_t; typ is where the kind of encryption stands.
func loopInfoOf(devWidth Width, typ int) Type {
	at := [numLay]int{typ, typ, typ}
	key := [numLay]int{typ + 4, typ + 4, typ + 4}
	return NewStruct(
		Arg{"lo_number", dec},
		Arg{"lo_device", verboseOnly(devIn(devWidth))}, Arg{"lo_inode", verboseOnly(uldec)}, Arg{"lo_rdevice", verboseOnly(devIn(devWidth))},
		Arg{"lo_offset", hex},
		Arg{"lo_encrypt_type", when(loopEncrypted(at), enum(xlat.LoopCrypt))},
		Arg{"lo_encrypt_key_size", when(loopEncrypted(at), udec)},
		Arg{"lo_flags", flags(xlat.LoopFlags)},
		Arg{"lo_name", cstr(64)},
		Arg{"lo_encrypt_key", when(loopEncrypted(at), loopKey(key))},
		abridged,
		Arg{"lo_init", vec(lhex, 2)}, Arg{"reserved", vec(hex8, 4)},
	).Type()
}

func loopStatus(on ABIs, t Type) []ioctl {
	list := append(each(argp(outPtr(t)), "LOOP_GET_STATUS"), each(argp(in(t)), "LOOP_SET_STATUS")...)
	return onlyOn(on, list)
}

var (
	loop64Type = [numLay]int{44, 44, 44}
	loop64Key  = [numLay]int{48, 48, 48}
	dev64      = devIn(U64)
	loopInfo64 = NewStruct(
		Arg{"lo_device", verboseOnly(dev64)}, Arg{"lo_inode", verboseOnly(udec64)}, Arg{"lo_rdevice", verboseOnly(dev64)},
		Arg{"lo_offset", hex64}, Arg{"lo_sizelimit", verboseOnly(udec64)},
		Arg{"lo_number", udec},
		Arg{"lo_encrypt_type", when(loopEncrypted(loop64Type), enum(xlat.LoopCrypt))},
		Arg{"lo_encrypt_key_size", when(loopEncrypted(loop64Type), udec)},
		Arg{"lo_flags", flags(xlat.LoopFlags)},
		Arg{"lo_file_name", cstr(64)},
		Arg{"lo_crypt_name", when(loopEncrypted(loop64Type), cstr(64))},
		Arg{"lo_encrypt_key", when(loopEncrypted(loop64Type), loopKey(loop64Key))},
		abridged,
		Arg{"lo_init", vec(hex64, 2)},
	).Type()
	loopConfig = NewStruct(
		Arg{"fd", fd}, Arg{"block_size", udec}, Arg{"info", loopInfo64}, Arg{"__reserved", ifSet(vec(hex64, 8))},
	).Type()
)

var ioctlLoop = joined(
	loopStatus(OnAMD64|OnX32, loopInfoOf(U64, 36)),
	loopStatus(OnARM64, loopInfoOf(U32, 24)),
	loopStatus(On32, loopInfoOf(U16, 20)),
	each(argp(outPtr(loopInfo64)), "LOOP_GET_STATUS64"),
	each(argp(in(loopInfo64)), "LOOP_SET_STATUS64"),
	each(argp(in(loopConfig)), "LOOP_CONFIGURE"),
	each(nil, "LOOP_CLR_FD", "LOOP_SET_CAPACITY", "LOOP_CTL_GET_FREE"),
	each(argp(fd), "LOOP_SET_FD", "LOOP_CHANGE_FD"),
	each(argp(dec), "LOOP_CTL_ADD", "LOOP_CTL_REMOVE"),
	each(argp(uldec), "LOOP_SET_DIRECT_IO", "LOOP_SET_BLOCK_SIZE"),
)
