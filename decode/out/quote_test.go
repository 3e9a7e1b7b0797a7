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
