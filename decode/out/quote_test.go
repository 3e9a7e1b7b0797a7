package out

import "testing"

func TestBytesThatCannotBePrintedAreShownAsTheOptionSays(t *testing.T) {
	const text = "a\"<\n\x01\xff7"
	for _, test := range []struct {
		hex  HexStrings
		text string
		want string
	}{
		{HexNone, text, `a\"\74\n\1\3777`},
		{HexNonASCII, text, `\x61\x22\x3c\x0a\x01\xff\x37`},
		{HexNonASCII, "a<7", `a\0747`},
		{HexAll, "a<", `\x61\x3c`},
		{HexChars, text, `a\"\x3c\n\x01\xff7`},
	} {
		p := Printer{Opt: Options{HexStrings: test.hex}}
		p.EscapeAlso([]byte(test.text), "<>")
		if got := string(p.Buf); got != test.want {
			t.Errorf("mode %d: %q is shown as %s, want %s", test.hex, test.text, got, test.want)
		}
	}
}

// What stands inside an expression or a descriptor is escaped once for JSON.
func TestTextInsideAnExpressionIsEscapedOnce(t *testing.T) {
	p := Printer{Opt: Options{JSON: true}}
	p.Reset()
	p.BeginExpr(7)
	p.Syntax("f(")
	p.Str([]byte("a\"\n"), false)
	p.Syntax(")")
	p.EndExpr()
	if got, want := string(p.Buf), `{"raw":7,"expr":"f(\"a\\\"\\n\")"}`; got != want {
		t.Errorf("an expression is %s, want %s", got, want)
	}
	p.Reset()
	p.Buf = p.Buf[:0]
	p.BeginDesc(3, "")
	p.Syntax("UNIX-STREAM:[")
	p.Str([]byte("a\"b"), false)
	p.Syntax("]")
	p.EndDesc(false)
	if got, want := string(p.Buf), `{"fd":3,"file":"UNIX-STREAM:[\"a\\\"b\"]"}`; got != want {
		t.Errorf("a descriptor is %s, want %s", got, want)
	}
}
