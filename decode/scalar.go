package decode

import "perftrace/decode/out"

// Types of plain numbers. The name says how they are shown.
var (
	dec    = Type{Width: I32, Print: printDec}
	udec   = Type{Width: U32, Print: printUdec}
	ldec   = Type{Width: Long, Print: printDec}
	uldec  = Type{Width: Ulong, Print: printUdec}
	dec64  = Type{Width: I64, Print: printDec}
	udec64 = Type{Width: U64, Print: printUdec}
	dec16  = Type{Width: I16, Print: printDec}
	udec16 = Type{Width: U16, Print: printUdec}
	dec8   = Type{Width: I8, Print: printDec}
	udec8  = Type{Width: U8, Print: printUdec}

	hex   = Type{Width: U32, Print: printHex}
	lhex  = Type{Width: Ulong, Print: printHex}
	hex64 = Type{Width: U64, Print: printHex}
	hex16 = Type{Width: U16, Print: printHex}
	hex8  = Type{Width: U8, Print: printHex}

	// addr is a pointer whose target is not shown.
	addr   = Type{Width: Ulong, Print: printAddr}
	addr64 = Type{Width: U64, Print: printAddr}

	size = uldec

	// skip is a member or padding that is not shown; skipN has n bytes.
	skip32 = Type{Width: U32, Print: printUdec}
)

func printDec(c *Call, v uint64)  { c.Int(int64(v)) }
func printUdec(c *Call, v uint64) { c.Uint(v) }
func printHex(c *Call, v uint64)  { c.Hex(v) }
func printAddr(c *Call, v uint64) { c.Addr(v) }

// pad is n bytes that are not shown; give the field no name.
func pad(n int) Type {
	s := uint16(n)
	return Type{
		Width: None, Size: [numLay]uint16{s, s, s}, Align: [numLay]uint16{1, 1, 1},
		Mem: func(*Call, []byte, uint64) {},
	}
}

// flags is a set of named bits: of an int argument, or of the field width given
// by flagsIn.
func flags(x *out.Xlat) Type { return flagsIn(U32, x) }

func flagsIn(w Width, x *out.Xlat) Type {
	return Type{Width: w, Print: func(c *Call, v uint64) { c.Flags(v, x) }}
}

// enum is one of a set of named values.
func enum(x *out.Xlat) Type { return enumIn(U32, x) }

func enumIn(w Width, x *out.Xlat) Type {
	return Type{Width: w, Print: func(c *Call, v uint64) { c.Enum(v, x) }}
}

// printed is a scalar with a printer of its own.
func printed(w Width, p func(c *Call, v uint64)) Type { return Type{Width: w, Print: p} }
