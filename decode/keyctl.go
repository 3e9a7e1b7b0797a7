package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// keyRows are the calls on keys.
var keyRows = []Row{
	{Name: "add_key", Args: args{{"type", str}, {"description", str}, {"payload", inBuf(3)}, {"plen", size}, {"keyring", key}}},
	{Name: "request_key", Args: args{{"type", str}, {"description", str}, {"callout_info", str}, {"dest_keyring", key}}},
	{
		Name: "keyctl", Args: args{{"operation", enum(xlat.Keyctl)}, {"arg2", lhex}, {"arg3", lhex}, {"arg4", lhex}, {"arg5", lhex}},
		Cmd: &Commands{Arg: 0, Of: map[uint32]*Command{
			xlat.KEYCTL_GET_KEYRING_ID:       {Args: args{{"key", key}, {"create", dec}}},
			xlat.KEYCTL_JOIN_SESSION_KEYRING: {Args: args{{"name", str}}},
			xlat.KEYCTL_UPDATE:               {Args: args{{"key", key}, {"payload", inBuf(3)}, {"plen", size}}},
			xlat.KEYCTL_REVOKE:               {Args: args{{"key", key}}},
			xlat.KEYCTL_CLEAR:                {Args: args{{"key", key}}},
			xlat.KEYCTL_INVALIDATE:           {Args: args{{"key", key}}},
			xlat.KEYCTL_ASSUME_AUTHORITY:     {Args: args{{"key", key}}},
			xlat.KEYCTL_LINK:                 {Args: args{{"key", key}, {"keyring", key}}},
			xlat.KEYCTL_UNLINK:               {Args: args{{"key", key}, {"keyring", key}}},
			xlat.KEYCTL_DESCRIBE:             {Args: args{{"key", key}, {"buffer", keyBuf(true)}, {"buflen", size}}},
			xlat.KEYCTL_READ:                 {Args: args{{"key", key}, {"buffer", keyBuf(false)}, {"buflen", size}}},
			xlat.KEYCTL_GET_SECURITY:         {Args: args{{"key", key}, {"buffer", keyBuf(true)}, {"buflen", size}}},
			xlat.KEYCTL_SEARCH:               {Args: args{{"keyring", key}, {"type", str}, {"description", str}, {"dest_keyring", key}}},
			xlat.KEYCTL_CHOWN:                {Args: args{{"key", key}, {"uid", uid}, {"gid", uid}}},
			xlat.KEYCTL_SETPERM:              {Args: args{{"key", key}, {"perms", flags(xlat.KeyPerms)}}},
			xlat.KEYCTL_INSTANTIATE:          {Args: args{{"key", key}, {"payload", inBuf(3)}, {"plen", size}, {"keyring", key}}},
			xlat.KEYCTL_INSTANTIATE_IOV:      {Args: args{{"key", key}, {"payload", inIovec(3)}, {"plen", size}, {"keyring", key}}},
			xlat.KEYCTL_NEGATE:               {Args: args{{"key", key}, {"timeout", udec}, {"keyring", key}}},
			xlat.KEYCTL_SET_REQKEY_KEYRING:   {Args: args{{"reqkey_defl", enumDec(I32, keyReqkeys)}}},
			xlat.KEYCTL_SET_TIMEOUT:          {Args: args{{"key", key}, {"timeout", udec}}},
			xlat.KEYCTL_SESSION_TO_PARENT:    {},
			xlat.KEYCTL_REJECT:               {Args: args{{"key", key}, {"timeout", udec}, {"error", errnoType}, {"keyring", key}}},
			xlat.KEYCTL_GET_PERSISTENT:       {Args: args{{"uid", uid}, {"keyring", key}}},
			xlat.KEYCTL_DH_COMPUTE:           {Args: args{{"dh_params", in(dhParams)}, {"buffer", keyBuf(false)}, {"buflen", size}, {"kdf_params", kdfParams}}},
			xlat.KEYCTL_PKEY_QUERY:           {Args: args{{"key", key}, {"reserved", lhex}, {"params", str}, {"info", outPtr(pkeyQuery)}}},
			xlat.KEYCTL_PKEY_ENCRYPT:         {Args: pkeyArgs(true)},
			xlat.KEYCTL_PKEY_DECRYPT:         {Args: pkeyArgs(true)},
			xlat.KEYCTL_PKEY_SIGN:            {Args: pkeyArgs(true)},
			xlat.KEYCTL_PKEY_VERIFY:          {Args: pkeyArgs(false)},
			xlat.KEYCTL_RESTRICT_KEYRING:     {Args: args{{"keyring", key}, {"type", str}, {"restriction", str}}},
			xlat.KEYCTL_MOVE:                 {Args: args{{"key", key}, {"from_keyring", key}, {"to_keyring", key}, {"flags", flags(xlat.KeyctlMoveFlags)}}},
			xlat.KEYCTL_CAPABILITIES:         {Args: args{{"buffer", keyCaps}, {"buflen", size}}},
		}},
	},
}

// key is the serial number of a key, or one of the special keyrings.
var key = enumDec(I32, xlat.KeySpec)

var keyReqkeys = xlat.KeyReqkeys

// errnoType is the number of an error.
var errnoType = printed(U32, func(c *Call, v uint64) {
	name, _ := ErrnoName(int64(v))
	if name == "" || c.Opt.Xlat != 0 {
		c.Uint(v)
	}
	switch {
	case name == "" || c.Opt.Xlat == 1:
	case c.Opt.Xlat == 2:
		c.Comment(name)
	default:
		c.Text(name)
	}
})

// keyBuf is a buffer that is filled in with as many bytes as the result says, or
// as argument 3 if that is less; text ends with a NUL that is not shown.
func keyBuf(text bool) Type {
	return Type{
		Width: Ulong,
		Out:   true,
		Print: func(c *Call, v uint64) {
			n := c.args[3]
			if c.Failed() || !c.Returned() {
				c.Addr(v)
				return
			}
			if c.Ev.Ret >= 0 {
				n = min(n, uint64(c.Ev.Ret))
			}
			if text {
				c.TextAt(v, n)
			} else {
				c.BufAt(v, n)
			}
		},
		Cap: func(b *Caps, at Place) {
			b.capText(at, event.Capture{Len: event.LenArg, LenFrom: 3, When: event.AtExit | event.IfOK})
		},
	}
}

var (
	dhParams  = NewStruct(Arg{"private", key}, Arg{"prime", key}, Arg{"base", key}).Type()
	pkeyQuery = NewStruct(
		Arg{"supported_ops", flags(xlat.KeyctlPkeyOps)}, Arg{"key_size", udec},
		Arg{"max_data_size", udec16}, Arg{"max_sig_size", udec16}, Arg{"max_enc_size", udec16}, Arg{"max_dec_size", udec16},
		Arg{"__spare", spare32(10)},
	).Type()
)

// spare32 is an array of n words for later, shown only if any is not 0.
func spare32(n int) Type {
	t := listOf(n, hex)
	t.Align = [numLay]uint16{4, 4, 4}
	t.Shown = func(_ *Call, s []byte, at int) bool { return !allZero(s[at : at+4*n]) }
	return t
}

// spareBytes is the same of n bytes, spare64 of n long words.
func spareBytes(n int) Type {
	t := listOf(n, hex8)
	t.Shown = func(_ *Call, s []byte, at int) bool { return !allZero(s[at : at+n]) }
	return t
}

func spare64(n int) Type {
	t := listOf(n, hex64)
	t.Align = [numLay]uint16{8, 8, 8}
	t.Shown = func(_ *Call, s []byte, at int) bool { return !allZero(s[at : at+8*n]) }
	return t
}

// shy is a value that is shown only if it is not 0.
func shy(t Type) Type {
	t.Shown = func(c *Call, s []byte, at int) bool { return !allZero(s[at : at+t.size(c.Lay)]) }
	return t
}

// kdfSize is the size of struct keyctl_kdf_params, with its padding.
func kdfSize(word int) int { return (2*word + 4 + 32 + word - 1) / word * word }

// kdfParams says how a key is derived: a struct with pointers in it.
var kdfParams = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		w := c.Lay.Word()
		b, ok := c.ReadOr(v, kdfSize(w))
		if !ok {
			return
		}
		n := c.U32(b[2*w:])
		c.BeginStruct()
		c.Field("hashname")
		c.StrAt(c.Word(b))
		c.Field("otherinfo")
		if n == 0 {
			c.Addr(c.Word(b[w:]))
		} else {
			c.BufAt(c.Word(b[w:]), n)
		}
		c.Field("otherinfolen")
		c.Uint(n)
		if rest := b[2*w+4 : 2*w+4+32]; !allZero(rest) {
			c.Field("__spare")
			kdfSpare.Val(c, rest, 0)
		}
		c.EndStruct()
	},
	Cap: func(b *Caps, at Place) {
		w := b.Lay.Word()
		op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(kdfSize(w)), When: event.AtExit})
		b.Add(In(op, 0, 0), event.Capture{Kind: event.CapString, When: event.AtExit})
		b.Add(In(op, w, 0), event.Capture{Kind: event.CapBytes, Len: event.LenField, LenOff: uint16(w), LenWidth: 4, When: event.AtExit})
	},
}

var kdfSpare = listOf(8, hex)

// pkeyArgs are the arguments of what is done with a public key: bytes in and
// bytes out, or twice in.
func pkeyArgs(out bool) args {
	last := Arg{"in2", pkeyBuf(8, false)}
	if out {
		last = Arg{"out", pkeyBuf(8, true)}
	}
	return args{{"params", pkeyParams(out)}, {"info", str}, {"in", pkeyBuf(4, false)}, last}
}

// pkeySize is the size of struct keyctl_pkey_params.
const pkeySize = 40

func pkeyParams(out bool) Type {
	second := "in2_len"
	if out {
		second = "out_len"
	}
	return in(NewStruct(Arg{"key_id", key}, Arg{"in_len", udec}, Arg{second, udec}, Arg{"__spare", spare32(7)}).Type())
}

// pkeyBuf is a buffer whose length is at offset off of the parameters.
func pkeyBuf(off int, out bool) Type {
	when := event.AtExit
	if out {
		when |= event.IfOK
	}
	return Type{
		Width: Ulong,
		Out:   out,
		Print: func(c *Call, v uint64) {
			b, ok := c.Read(c.args[1], pkeySize)
			if !ok || !c.Verbose || out && (c.Failed() || !c.Returned()) {
				c.Addr(v)
				return
			}
			c.BufAt(v, c.U32(b[off:]))
		},
		Cap: func(b *Caps, at Place) {
			op := b.Add(argPlace(1), event.Capture{Kind: event.CapBytes, Size: pkeySize, When: event.AtExit})
			b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenOp, LenFrom: uint8(max(op, 0)), LenOff: uint16(off), LenWidth: 4, When: when})
		},
	}
}

// keyCaps are bytes of flags, each with names of its own.
var keyCaps = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		if c.Failed() || !c.Returned() {
			c.Addr(v)
			return
		}
		n := min(c.args[2], uint64(c.Ev.Ret))
		if n > 0 {
			if _, ok := c.Read(v, 1); !ok || !c.Verbose {
				c.Addr(v)
				return
			}
		}
		c.BeginArray()
		for i := uint64(0); i < n; i++ {
			c.Elem()
			b, ok := c.Read(v+i, 1)
			switch {
			case !ok && i < maxElems:
				c.Unreadable(v + i)
				n = 0
			case c.Abbrev && i >= uint64(c.Opts.StringMax) || !ok:
				c.More()
				n = 0
			case i == 0:
				c.Flags(uint64(b[0]), xlat.KeyctlCaps0)
			case i == 1:
				c.Flags(uint64(b[0]), xlat.KeyctlCaps1)
			default:
				c.Hex(uint64(b[0]))
			}
		}
		c.EndArray()
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenArg, LenFrom: 2, Max: maxElems, When: event.AtExit | event.IfOK})
	},
}
