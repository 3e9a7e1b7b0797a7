package out

import "strconv"

// An Entry gives one value a name.
type Entry struct {
	Val  uint64
	Name string
}

// A Machine is an architecture whose kernel gives names values of its own.
type Machine uint8

const (
	AMD64 Machine = iota // also x32
	I386
	ARM64
	ARM
	NumMachine
)

// An Xlat is a set of named numbers: the flags or the values of one parameter.
// The order of Entries is the order in which flags are printed; of two entries
// that fit, the first wins. Package decode/xlat has those of the kernel.
type Xlat struct {
	Entries []Entry
	Default string             // what an unknown value is: "O_???"
	Sorted  bool               // Entries ascend by value
	On      *[NumMachine]*Xlat // by machine, if values differ; Entries is empty then
}

// NewXlat makes an Xlat; entries are kept, not copied.
func NewXlat(dflt string, entries []Entry) *Xlat {
	x := &Xlat{Entries: entries, Default: dflt, Sorted: true}
	for i := 1; i < len(entries); i++ {
		if entries[i-1].Val >= entries[i].Val {
			x.Sorted = false
		}
	}
	return x
}

// For is the Xlat of a machine.
func (x *Xlat) For(m Machine) *Xlat {
	if x.On != nil {
		return x.On[m]
	}
	return x
}

// Name returns the name of exactly v; x is one of a machine.
func (x *Xlat) Name(v uint64) (string, bool) {
	e := x.Entries
	if !x.Sorted || len(e) < 8 {
		for i := range e {
			if e[i].Val == v {
				return e[i].Name, true
			}
		}
		return "", false
	}
	if v < uint64(len(e)) && e[v].Val == v { // dense from 0
		return e[v].Name, true
	}
	lo, hi := 0, len(e)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if e[mid].Val < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(e) && e[lo].Val == v {
		return e[lo].Name, true
	}
	return "", false
}

// Enum writes the name of v; an unknown one as 0x7 /* SEEK_??? */.
func (p *Printer) Enum(v uint64, x *Xlat) { p.enum(v, x, true) }

// EnumDec is Enum that shows numbers in decimal.
func (p *Printer) EnumDec(v uint64, x *Xlat) { p.enum(v, x, false) }

func (p *Printer) enum(v uint64, x *Xlat, hex bool) {
	x = x.For(p.Machine)
	name, ok := x.Name(v)
	if p.json() {
		if !ok || p.Opt.Xlat == Raw {
			p.Buf = strconv.AppendInt(p.Buf, int64(v), 10)
			return
		}
		p.jsonNamed(int64(v), "", name)
		return
	}
	if ok && p.Opt.Xlat == Abbrev {
		p.Buf = append(p.Buf, name...)
		return
	}
	if hex {
		p.hex(v)
	} else {
		p.Int(int64(v))
	}
	switch {
	case p.Opt.Xlat == Raw:
	case ok:
		p.Comment(name)
	case x.Default != "":
		p.Comment(x.Default)
	}
}

// NamedNumber writes a number whose name is known, with a sign in front of it ("" or
// "-").
func (p *Printer) NamedNumber(v int64, sign, name string) {
	switch {
	case p.Opt.Xlat == Raw:
		p.Int(v)
	case p.json():
		p.jsonNamed(v, sign, name)
	case p.Opt.Xlat == Abbrev:
		p.Buf = append(append(p.Buf, sign...), name...)
	default:
		p.Int(v)
		p.Buf = append(append(append(append(p.Buf, " /* "...), sign...), name...), " */"...)
	}
}

func (p *Printer) jsonNamed(v int64, sign, name string) {
	p.Buf = append(p.Buf, `{"name":"`...)
	p.Buf = append(append(p.Buf, sign...), name...)
	p.Buf = append(p.Buf, `","raw":`...)
	p.Buf = strconv.AppendInt(p.Buf, v, 10)
	p.Buf = append(p.Buf, '}')
}

// Flags writes the names of v's bits: A|B|0x40; 0 is "0" unless an entry has
// that value; bits without any name: 0x40 /* A_??? */.
func (p *Printer) Flags(v uint64, x *Xlat) {
	x = x.For(p.Machine)
	if p.json() {
		p.jsonFlags(v, x)
		return
	}
	switch p.Opt.Xlat {
	case Raw:
		p.hex(v)
		return
	case Verbose:
		p.hex(v)
		from := len(p.Buf)
		p.Buf = append(p.Buf, " /* "...)
		n, rest := p.flagNames(v, x)
		switch {
		case n == 0 && v == 0:
			p.Buf = p.Buf[:from]
			return
		case n == 0:
			p.Buf = p.Buf[:from]
			if x.Default != "" {
				p.Comment(x.Default)
			}
			return
		case rest != 0:
			p.Buf = append(p.Buf, '|')
			p.hex(rest)
		}
		p.Buf = append(p.Buf, " */"...)
		return
	}
	n, rest := p.flagNames(v, x)
	switch {
	case n == 0:
		p.hex(v)
		if v != 0 && x.Default != "" {
			p.Comment(x.Default)
		}
	case rest != 0:
		p.Buf = append(p.Buf, '|')
		p.hex(rest)
	}
}

// FlagNames writes the names of v's bits inside an expression: A|B|0x40.
func (p *Printer) FlagNames(v uint64, x *Xlat) {
	n, rest := p.flagNames(v, x.For(p.Machine))
	if rest != 0 {
		if n > 0 {
			p.Buf = append(p.Buf, '|')
		}
		p.hex(rest)
	}
}

// flagNames writes the names of v's bits with | between and returns how many
// there were and the bits without a name.
func (p *Printer) flagNames(v uint64, x *Xlat) (n int, rest uint64) {
	if v == 0 {
		for i := range x.Entries {
			if x.Entries[i].Val == 0 {
				p.Buf = append(p.Buf, x.Entries[i].Name...)
				return 1, 0
			}
		}
		return 0, 0
	}
	for i := range x.Entries {
		e := &x.Entries[i]
		if e.Val == 0 || v&e.Val != e.Val {
			continue
		}
		if n > 0 {
			p.Buf = append(p.Buf, '|')
		}
		p.Buf = append(p.Buf, e.Name...)
		n++
		v &^= e.Val
		if v == 0 {
			break
		}
	}
	return n, v
}

func (p *Printer) jsonFlags(v uint64, x *Xlat) {
	p.Buf = append(p.Buf, `{"flags":[`...)
	sep, raw := false, v
	for i := range x.Entries {
		e := &x.Entries[i]
		if e.Val == 0 && raw != 0 || v&e.Val != e.Val || e.Val == 0 && sep {
			continue
		}
		if sep {
			p.Buf = append(p.Buf, ',')
		}
		sep = true
		p.Buf = append(p.Buf, '"')
		p.Buf = append(p.Buf, e.Name...)
		p.Buf = append(p.Buf, '"')
		v &^= e.Val
	}
	p.Buf = append(p.Buf, `],"raw":`...)
	p.Buf = strconv.AppendUint(p.Buf, raw, 10)
	p.Buf = append(p.Buf, '}')
}

// EnumFlags writes v whose bits in mask are one of kinds and whose other bits
// are flags: MAP_PRIVATE|MAP_FIXED. A kind without name is a number, with the
// Default of kinds in a comment.
func (p *Printer) EnumFlags(v, mask uint64, kinds, flags *Xlat) {
	kinds, flags = kinds.For(p.Machine), flags.For(p.Machine)
	if p.json() {
		p.Buf = append(p.Buf, `{"flags":[`...)
		name, ok := kinds.Name(v & mask)
		if ok {
			p.Buf = append(p.Buf, '"')
			p.Buf = append(p.Buf, name...)
			p.Buf = append(p.Buf, '"')
		}
		rest := v &^ mask
		for i := range flags.Entries {
			e := &flags.Entries[i]
			if e.Val == 0 || rest&e.Val != e.Val {
				continue
			}
			if ok {
				p.Buf = append(p.Buf, ',')
			}
			ok = true
			p.Buf = append(p.Buf, '"')
			p.Buf = append(p.Buf, e.Name...)
			p.Buf = append(p.Buf, '"')
			rest &^= e.Val
		}
		p.Buf = append(p.Buf, `],"raw":`...)
		p.Buf = strconv.AppendUint(p.Buf, v, 10)
		p.Buf = append(p.Buf, '}')
		return
	}
	switch p.Opt.Xlat {
	case Raw:
		p.hex(v)
		return
	case Verbose:
		p.hex(v)
		p.Buf = append(p.Buf, " /* "...)
		defer func() { p.Buf = append(p.Buf, " */"...) }()
	}
	if name, ok := kinds.Name(v & mask); ok {
		p.Buf = append(p.Buf, name...)
	} else {
		p.hex(v & mask)
		if kinds.Default != "" {
			p.Comment(kinds.Default)
		}
	}
	if v&^mask == 0 {
		return
	}
	p.Buf = append(p.Buf, '|')
	n, rest := p.flagNames(v&^mask, flags)
	if rest != 0 {
		if n > 0 {
			p.Buf = append(p.Buf, '|')
		}
		p.hex(rest)
	}
}
