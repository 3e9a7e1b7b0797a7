package out

import (
	"encoding/base64"
	"unicode/utf8"
)

// Str writes a string or buffer of the target, quoted. cut says that there is
// more of it than b.
func (p *Printer) Str(b []byte, cut bool) {
	if p.json() {
		p.jsonStr(b, cut)
		return
	}
	p.quote(b)
	if cut {
		p.Buf = append(p.Buf, "..."...)
	}
}

// StrHex is Str with every byte as \x.. whatever -x says.
func (p *Printer) StrHex(b []byte, cut bool) {
	old := p.Opt.HexStrings
	p.Opt.HexStrings = HexAll
	p.Str(b, cut)
	p.Opt.HexStrings = old
}

// quote writes b in double quotes with strace's escapes.
func (p *Printer) quote(b []byte) {
	p.Buf = append(p.Buf, '"')
	p.Escape(b)
	p.Buf = append(p.Buf, '"')
}

// Escape writes b with the escapes of a quoted string, without the quotes.
func (p *Printer) Escape(b []byte) { p.EscapeAlso(b, "") }

// EscapeAlso is Escape that also takes the bytes in also for unprintable ones,
// as strace does with < and > in what stands behind descriptors and pids.
func (p *Printer) EscapeAlso(b []byte, also string) {
	if p.wholeHex(b) {
		for _, c := range b {
			p.Buf = append(p.Buf, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
		}
		return
	}
	buf := p.Buf
	for i, c := range b {
		switch {
		case c == '"' || c == '\\':
			buf = append(buf, '\\', c)
		case c >= ' ' && c < 0x7f && !contains(also, c):
			buf = append(buf, c)
		case c == '\t':
			buf = append(buf, '\\', 't')
		case c == '\n':
			buf = append(buf, '\\', 'n')
		case c == '\v':
			buf = append(buf, '\\', 'v')
		case c == '\f':
			buf = append(buf, '\\', 'f')
		case c == '\r':
			buf = append(buf, '\\', 'r')
		case p.Opt.HexStrings == HexChars:
			buf = append(buf, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
		default:
			// the shortest octal form that the next byte can't be read into
			buf = append(buf, '\\')
			digit := i+1 < len(b) && b[i+1] >= '0' && b[i+1] <= '7'
			if digit || c >= 0o100 {
				buf = append(buf, '0'+c>>6)
			}
			if digit || c >= 0o10 {
				buf = append(buf, '0'+c>>3&7)
			}
			buf = append(buf, '0'+c&7)
		}
	}
	p.Buf = buf
}

// wholeHex reports whether every byte of b is to be shown in hex.
func (p *Printer) wholeHex(b []byte) bool {
	if p.Opt.HexStrings != HexNonASCII {
		return p.Opt.HexStrings == HexAll
	}
	for _, c := range b {
		if c >= 0x7f || c < ' ' && (c < '\t' || c > '\r') {
			return true
		}
	}
	return false
}

func contains(s string, c byte) bool {
	for i := range len(s) {
		if s[i] == c {
			return true
		}
	}
	return false
}

// jsonStr writes text as a JSON string; bytes that are no UTF-8 make it
// {"base64":…}, and a cut one {"cut":true,…}.
func (p *Printer) jsonStr(b []byte, cut bool) {
	valid := utf8.Valid(b)
	if valid && !cut {
		p.jsonText(b)
		return
	}
	p.Buf = append(p.Buf, '{')
	if cut {
		p.Buf = append(p.Buf, `"cut":true,`...)
	}
	if valid {
		p.Buf = append(p.Buf, `"text":`...)
		p.jsonText(b)
	} else {
		p.Buf = append(p.Buf, `"base64":"`...)
		p.Buf = base64.StdEncoding.AppendEncode(p.Buf, b)
		p.Buf = append(p.Buf, '"')
	}
	p.Buf = append(p.Buf, '}')
}

func (p *Printer) jsonText(b []byte) {
	p.Buf = append(p.Buf, '"')
	from := len(p.Buf)
	p.Buf = append(p.Buf, b...)
	p.escapeTail(from)
	p.Buf = append(p.Buf, '"')
}

// EscapeJSON makes the text that stands in Buf from from on fit for the inside of
// a JSON string.
func (p *Printer) EscapeJSON(from int) { p.escapeTail(from) }

// escapeTail makes what stands in Buf from from on fit for the inside of a JSON
// string. It works backwards in place: only grown by what the escapes need.
func (p *Printer) escapeTail(from int) {
	grow := 0
	for _, c := range p.Buf[from:] {
		grow += jsonGrow(c)
	}
	if grow == 0 {
		return
	}
	end := len(p.Buf)
	for range grow {
		p.Buf = append(p.Buf, 0)
	}
	w := len(p.Buf)
	for r := end - 1; r >= from; r-- {
		c := p.Buf[r]
		switch jsonGrow(c) {
		case 0:
			w--
			p.Buf[w] = c
		case 1:
			w -= 2
			p.Buf[w], p.Buf[w+1] = '\\', jsonShort(c)
		default:
			w -= 6
			copy(p.Buf[w:], `\u00`)
			p.Buf[w+4], p.Buf[w+5] = hexDigits[c>>4], hexDigits[c&15]
		}
	}
}

func jsonGrow(c byte) int {
	switch {
	case c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r':
		return 1
	case c < ' ' || c == 0x7f:
		return 5
	}
	return 0
}

func jsonShort(c byte) byte {
	switch c {
	case '\n':
		return 'n'
	case '\t':
		return 't'
	case '\r':
		return 'r'
	}
	return c
}
