package decode

import "time"

// The years that a C library can tell of fit an int.
const (
	minDate = -67768040609740800
	maxDate = 67767976233532799
)

// DateComment writes a time as a date behind a number: /* 2026-12-01T… */. The
// fraction frac has digits digits. The zero time and those that no date has are
// left out.
func (c *Call) DateComment(sec int64, frac uint64, digits int) {
	if c.Opt.JSON {
		return
	}
	at := len(c.Buf)
	c.Buf = append(c.Buf, " /* "...)
	if !c.date(sec, frac, digits) {
		c.Buf = c.Buf[:at]
		return
	}
	c.Buf = append(c.Buf, " */"...)
}

// date appends a date and reports whether there is one.
func (c *Call) date(sec int64, frac uint64, digits int) bool {
	if sec == 0 && frac == 0 || sec < minDate || sec > maxDate || frac >= pow10(digits) {
		return false
	}
	t := time.Unix(sec, 0)
	c.Buf = t.AppendFormat(c.Buf, "2006-01-02T15:04:05")
	if frac > 0 {
		c.Buf = append(c.Buf, '.')
		c.Frac(frac, digits)
	}
	c.Buf = t.AppendFormat(c.Buf, "-0700")
	return true
}

func pow10(n int) uint64 {
	v := uint64(1)
	for range n {
		v *= 10
	}
	return v
}
