package out

import "strconv"

const hexDigits = "0123456789abcdef"

// Int writes a decimal number.
func (p *Printer) Int(v int64) { p.Buf = strconv.AppendInt(p.Buf, v, 10) }

// Uint writes a decimal number.
func (p *Printer) Uint(v uint64) { p.Buf = strconv.AppendUint(p.Buf, v, 10) }

// Hex writes 0x1f; 0 is "0", as printf's %#x has it.
func (p *Printer) Hex(v uint64) {
	if p.json() {
		p.Uint(v)
		return
	}
	p.hex(v)
}

func (p *Printer) hex(v uint64) {
	if v == 0 {
		p.Buf = append(p.Buf, '0')
		return
	}
	p.Buf = append(p.Buf, "0x"...)
	p.Buf = strconv.AppendUint(p.Buf, v, 16)
}

// HexPad writes 0x with at least n digits.
func (p *Printer) HexPad(v uint64, n int) {
	if p.json() {
		p.Uint(v)
		return
	}
	p.Buf = append(p.Buf, "0x"...)
	p.digits(v, n)
}

// HexWide writes v in hex with zeros up to n characters, 0x among them; 0 is all
// zeros, as printf's %#0*x has it.
func (p *Printer) HexWide(v uint64, n int) {
	if p.json() {
		p.Uint(v)
		return
	}
	if v != 0 {
		p.HexPad(v, n-2)
		return
	}
	p.digits(0, n)
}

// digits writes v in hex with at least n digits.
func (p *Printer) digits(v uint64, n int) {
	for i := 60; i >= 0; i -= 4 {
		if i/4 < n || v>>i != 0 {
			p.Buf = append(p.Buf, hexDigits[v>>i&15])
		}
	}
}

// Oct writes a leading 0 and v in octal; 0 is "0".
func (p *Printer) Oct(v uint64) {
	if p.json() {
		p.Uint(v)
		return
	}
	if v != 0 {
		p.Buf = append(p.Buf, '0')
	}
	p.Buf = strconv.AppendUint(p.Buf, v, 8)
}

// Perm writes permission bits: a 0 and at least two octal digits (%#03o).
func (p *Printer) Perm(v uint64) {
	if p.json() {
		p.Uint(v)
		return
	}
	if v < 8 {
		p.Buf = append(p.Buf, '0')
	}
	p.Buf = append(p.Buf, '0')
	p.Buf = strconv.AppendUint(p.Buf, v, 8)
}

// Addr writes an address of the target: NULL or 0x….
func (p *Printer) Addr(v uint64) {
	switch {
	case p.json() && v == 0:
		p.Buf = append(p.Buf, "null"...)
	case p.json():
		p.Buf = append(p.Buf, `{"addr":"0x`...)
		p.Buf = strconv.AppendUint(p.Buf, v, 16)
		p.Buf = append(p.Buf, `"}`...)
	case v == 0:
		p.Buf = append(p.Buf, "NULL"...)
	default:
		p.hex(v)
	}
}

// Frac writes a fraction of n digits with leading zeros (the part behind the
// point of a time).
func (p *Printer) Frac(v uint64, n int) {
	for d := pow10[n-1]; d > 0; d /= 10 {
		p.Buf = append(p.Buf, byte('0'+v/d%10))
	}
}

var pow10 = [...]uint64{1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000}
