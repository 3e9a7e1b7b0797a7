package out

// Desc writes a descriptor of which nothing more is known.
func (p *Printer) Desc(n int64) { p.Int(n) }

// BeginDesc … EndDesc: a descriptor and, in between, the text of what it is:
// 3</etc/passwd>. label stands for the number if it is not "" (AT_FDCWD). JSON:
// {"fd":3,"file":"/etc/passwd"}.
func (p *Printer) BeginDesc(n int64, label string) {
	if p.json() {
		p.Buf = append(p.Buf, `{"fd":`...)
		p.Int(n)
		p.Buf = append(p.Buf, `,"file":"`...)
		p.expr = true
		p.desc = len(p.Buf)
		return
	}
	p.desc = -1
	if label != "" {
		p.Buf = append(p.Buf, label...)
	} else {
		p.Int(n)
	}
	p.Buf = append(p.Buf, '<')
}

// EndDesc ends what BeginDesc began; deleted says that the file has no name any
// more.
func (p *Printer) EndDesc(deleted bool) {
	if p.desc < 0 || !p.expr {
		p.Buf = append(p.Buf, '>')
		if deleted {
			p.Buf = append(p.Buf, "(deleted)"...)
		}
		return
	}
	p.escapeTail(p.desc)
	p.expr = false
	p.Buf = append(p.Buf, '"')
	if deleted {
		p.Buf = append(p.Buf, `,"deleted":true`...)
	}
	p.Buf = append(p.Buf, '}')
}

// EscapeAlso is Escape that also takes the bytes in also for unprintable ones,
// as strace does with < and > in paths behind descriptors.
func (p *Printer) EscapeAlso(b []byte, also string) {
	for len(b) > 0 {
		n := 0
		for n < len(b) && !contains(also, b[n]) {
			n++
		}
		p.Escape(b[:n])
		if b = b[n:]; len(b) > 0 {
			c := b[0]
			p.Buf = append(p.Buf, '\\')
			if len(b) > 1 && b[1] >= '0' && b[1] <= '7' || c >= 0o100 {
				p.Buf = append(p.Buf, '0'+c>>6)
			}
			p.Buf = append(p.Buf, '0'+c>>3&7, '0'+c&7)
			b = b[1:]
		}
	}
}

func contains(s string, c byte) bool {
	for i := range len(s) {
		if s[i] == c {
			return true
		}
	}
	return false
}
