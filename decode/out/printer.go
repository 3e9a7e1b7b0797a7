package out

import "strconv"

// XlatMode is how numbers with names are shown (-X).
type XlatMode uint8

const (
	Abbrev  XlatMode = iota // O_RDONLY
	Raw                     // 0
	Verbose                 // 0 /* O_RDONLY */
)

// Options are what the user chose about values. They are not changed while a
// line is written.
type Options struct {
	JSON       bool
	Xlat       XlatMode
	HexStrings HexStrings
}

// HexStrings says which strings are shown as \x.. (-x, -xx, --strings-in-hex=).
type HexStrings uint8

const (
	HexNone     HexStrings = iota
	HexNonASCII            // those that hold bytes that can't be printed
	HexAll
	HexChars // none, but bytes that can't be printed are shown so
)

// A Printer appends values to Buf. Begin… and End… calls nest; a Field, Elem or
// Arg call stands before each value of a struct, array or argument list and
// writes the separator. At most maxDepth levels nest; what is deeper is
// written as "...".
type Printer struct {
	Buf     []byte
	Opt     Options
	Machine Machine // whose values names have

	first uint64 // bit d: nothing was written yet on level d
	depth uint8
	expr  bool // JSON: inside BeginExpr or BeginDesc, all is text of one string
	text  int  // where that text begins
	desc  bool // and that it was BeginDesc
}

const maxDepth = 60

// Reset empties the buffer and the nesting.
func (p *Printer) Reset() {
	p.Buf = p.Buf[:0]
	p.Restart()
}

// Restart forgets the nesting but keeps the buffer: a new line begins.
func (p *Printer) Restart() {
	p.first = 1
	p.depth = 0
	p.expr = false
}

// Continued says that something stands in front already: the next value is
// separated from it.
func (p *Printer) Continued() { p.first &^= 1 << p.depth }

func (p *Printer) push() {
	if p.depth < maxDepth {
		p.depth++
	}
	p.first |= 1 << p.depth
}

func (p *Printer) pop() {
	if p.depth > 0 {
		p.depth--
	}
}

// Deep reports whether nesting is close to its limit: a decoder of recursive
// data stops there.
func (p *Printer) Deep() bool { return p.depth > maxDepth-8 }

func (p *Printer) sep() {
	if p.first>>p.depth&1 != 0 {
		p.first &^= 1 << p.depth
		return
	}
	if p.json() {
		p.Buf = append(p.Buf, ',')
	} else {
		p.Buf = append(p.Buf, ", "...)
	}
}

// json reports whether syntax is JSON's here.
func (p *Printer) json() bool { return p.Opt.JSON && !p.expr }

// Arg begins an argument of the call.
func (p *Printer) Arg(name string) {
	p.sep()
	if p.json() {
		p.key(name)
	}
}

// BeginStruct … Field … EndStruct: {a=1, b=2}.
func (p *Printer) BeginStruct() { p.Buf = append(p.Buf, '{'); p.push() }

// EndStruct ends what BeginStruct began.
func (p *Printer) EndStruct() { p.pop(); p.Buf = append(p.Buf, '}') }

// Field begins a field of a struct. The name is the decoder's, not the target's.
func (p *Printer) Field(name string) {
	p.sep()
	if p.json() {
		p.key(name)
		return
	}
	p.Buf = append(p.Buf, name...)
	p.Buf = append(p.Buf, '=')
}

func (p *Printer) key(name string) {
	p.Buf = append(p.Buf, '"')
	p.Buf = append(p.Buf, name...)
	p.Buf = append(p.Buf, '"', ':')
}

// BeginArray … Elem … EndArray: [1, 2].
func (p *Printer) BeginArray() { p.Buf = append(p.Buf, '['); p.push() }

// EndArray ends what BeginArray began.
func (p *Printer) EndArray() { p.pop(); p.Buf = append(p.Buf, ']') }

// Elem begins an element of an array.
func (p *Printer) Elem() { p.sep() }

// Index begins an element of a sparse array: [2]=…; JSON has the value alone.
func (p *Printer) Index(name string) {
	p.sep()
	if !p.json() {
		p.Buf = append(p.Buf, '[')
		p.Buf = append(p.Buf, name...)
		p.Buf = append(p.Buf, "]="...)
	}
}

// BeginSet … Member … EndSet: [A B], as strace shows signal and descriptor sets.
// inverted: ~[A B].
func (p *Printer) BeginSet(inverted bool) {
	if p.json() {
		if inverted {
			p.Buf = append(p.Buf, `{"not":[`...)
		} else {
			p.Buf = append(p.Buf, `{"set":[`...)
		}
	} else {
		if inverted {
			p.Buf = append(p.Buf, '~')
		}
		p.Buf = append(p.Buf, '[')
	}
	p.push()
}

// Member begins a member of a set.
func (p *Printer) Member() {
	if p.json() {
		p.sep()
		return
	}
	if p.first>>p.depth&1 != 0 {
		p.first &^= 1 << p.depth
		return
	}
	p.Buf = append(p.Buf, ' ')
}

// EndSet ends what BeginSet began.
func (p *Printer) EndSet() {
	p.pop()
	p.Buf = append(p.Buf, ']')
	if p.json() {
		p.Buf = append(p.Buf, '}')
	}
}

// BeginCall … Param … EndCall: makedev(0x1, 0x3), htons(80).
func (p *Printer) BeginCall(name string) {
	if p.json() {
		p.Buf = append(p.Buf, `{"call":"`...)
		p.Buf = append(p.Buf, name...)
		p.Buf = append(p.Buf, `","params":[`...)
	} else {
		p.Buf = append(p.Buf, name...)
		p.Buf = append(p.Buf, '(')
	}
	p.push()
}

// Param begins a parameter of what BeginCall began.
func (p *Printer) Param() { p.sep() }

// EndCall ends what BeginCall began.
func (p *Printer) EndCall() {
	p.pop()
	if p.json() {
		p.Buf = append(p.Buf, "]}"...)
	} else {
		p.Buf = append(p.Buf, ')')
	}
}

// BeginChange … Then … EndChange: a value before and after the call, old => new.
func (p *Printer) BeginChange() {
	if p.json() {
		p.Buf = append(p.Buf, `{"in":`...)
	}
}

// Then stands between the value before and the value after.
func (p *Printer) Then() {
	if p.json() {
		p.Buf = append(p.Buf, `,"out":`...)
	} else {
		p.Buf = append(p.Buf, " => "...)
	}
}

// EndChange ends what BeginChange began.
func (p *Printer) EndChange() {
	if p.json() {
		p.Buf = append(p.Buf, '}')
	}
}

// BeginExpr … EndExpr: a value whose text is an expression of several values
// ("S_IFREG|0644", "{WIFEXITED(s) && …}"). In between, every method writes text;
// in JSON all of it becomes {"expr":"…","raw":n}.
func (p *Printer) BeginExpr(raw uint64) {
	if p.json() {
		p.Buf = append(p.Buf, `{"raw":`...)
		p.Buf = strconv.AppendUint(p.Buf, raw, 10)
		p.Buf = append(p.Buf, `,"expr":"`...)
		p.expr, p.text, p.desc = true, len(p.Buf), false
	}
}

// EndExpr ends what BeginExpr began. Expressions do not nest.
func (p *Printer) EndExpr() {
	if p.expr {
		p.escapeTail(p.text)
		p.expr = false
		p.Buf = append(p.Buf, `"}`...)
	}
}

// Text writes a symbol: text of the decoder's own that is no number ("NULL",
// "UTIME_NOW").
func (p *Printer) Text(s string) {
	if p.json() {
		p.Buf = append(p.Buf, '"')
		p.Buf = append(p.Buf, s...)
		p.Buf = append(p.Buf, '"')
		return
	}
	p.Buf = append(p.Buf, s...)
}

// Syntax writes text that JSON has no need of (an operator inside BeginExpr, a
// special separator).
func (p *Printer) Syntax(s string) {
	if !p.json() {
		p.Buf = append(p.Buf, s...)
	}
}

// Comment writes " /* s */" behind a value; JSON leaves it out.
func (p *Printer) Comment(s string) {
	if p.json() {
		return
	}
	p.Buf = append(p.Buf, " /* "...)
	p.Buf = append(p.Buf, s...)
	p.Buf = append(p.Buf, " */"...)
}

// More writes "..." as an element: there is more that is not shown. Call Elem
// (or Field's separator by MoreFields) before it.
func (p *Printer) More() { p.Text("...") }

// MoreFields says that fields of a struct are left out: ", ...".
func (p *Printer) MoreFields() {
	p.sep()
	if p.json() {
		p.Buf = append(p.Buf, `"...":true`...)
		return
	}
	p.Buf = append(p.Buf, "..."...)
}
