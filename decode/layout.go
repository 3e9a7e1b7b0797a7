package decode

// A Struct is a C struct described by its fields, laid out for each ABI.
type Struct struct {
	Fields []Arg
	off    [numLay][]uint16
	size   [numLay]uint16
	align  [numLay]uint16
}

// NewStruct lays out fields in order, by C's rules. A field without a name is
// padding or a member that is not shown.
func NewStruct(fields ...Arg) *Struct {
	s := &Struct{Fields: fields}
	for l := range numLay {
		at, align := 0, 1
		for i := range fields {
			t := &fields[i].Type
			a := t.align(l)
			at = (at + a - 1) / a * a
			s.off[l] = append(s.off[l], uint16(at))
			at += t.size(l)
			align = max(align, a)
		}
		s.size[l] = uint16((at + align - 1) / align * align)
		s.align[l] = uint16(align)
	}
	return s
}

// Off is the offset of a field, by name; it panics if there is none (a mistake
// in a table, found by any test).
func (s *Struct) Off(l Lay, name string) int {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return int(s.off[l][i])
		}
	}
	panic("decode: no field " + name)
}

// Type is the struct as the type of a value in memory: {a=…, b=…}.
//
// Not inlined: the tables' initialisation calls it hundreds of times, and each
// inlined copy of so large a value costs stack maps; inlining it, argp and has
// makes the binary 2.5 MB larger (Go 1.26).
//
//go:noinline
func (s *Struct) Type() Type {
	return Type{
		Width: None, Size: s.size, Align: s.align,
		Mem: s.print,
		Cap: s.Cap,
	}
}

// Print writes {a=…, b=…} from the bytes of the struct; fields that lie beyond
// len(b) are left out.
func (s *Struct) Print(c *Call, b []byte) { s.print(c, b, 0) }

func (s *Struct) print(c *Call, b []byte, addr uint64) {
	c.BeginStruct()
	s.printFields(c, b, addr, allFields)
	c.EndStruct()
}

// PrintFields is Print without the braces.
func (s *Struct) PrintFields(c *Call, b []byte) { s.printFields(c, b, 0, allFields) }

// Which fields of a struct are printed: those that the call fills in (Out), or
// the others.
type fieldSet uint8

const (
	allFields fieldSet = iota
	inFields
	outFields
)

// printFields is PrintFields of a struct that lies at addr, 0 if that does not
// matter.
func (s *Struct) printFields(c *Call, b []byte, addr uint64, set fieldSet) {
	off := s.off[c.Lay]
	for i := range s.Fields {
		f := &s.Fields[i]
		at := int(off[i])
		if f.Name == "" || set != allFields && f.Out != (set == outFields) {
			continue
		}
		if f.Name == "..." {
			if !c.Abbrev {
				continue
			}
			c.MoreFields()
			return
		}
		if at+f.size(c.Lay) > len(b) {
			return
		}
		if f.Hide != nil && f.Hide(c) || f.Shown != nil && !f.Shown(c, b, at) {
			continue
		}
		c.Field(f.Name)
		if f.Within != nil {
			f.Within(c, b, at, addr)
			continue
		}
		f.Val(c, b[at:at+f.size(c.Lay)], addr+uint64(at))
	}
}

// abridged is a pseudo field: with abbreviation, the fields behind it are
// left out and "..." stands for them.
var abridged = Arg{"...", pad(0)}

// Cap adds the captures of what the fields point to. For an aggregate, at is
// where the aggregate itself lies: a place whose Off is its offset in what was
// copied.
func (s *Struct) Cap(b *Caps, at Place) { s.capFields(b, at, allFields) }

func (s *Struct) capFields(b *Caps, at Place, set fieldSet) {
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Cap == nil || set != allFields && f.Out != (set == outFields) {
			continue
		}
		p := at
		if p != Nowhere {
			p.Off += s.off[b.Lay][i]
		}
		f.Cap(b, p)
	}
}
