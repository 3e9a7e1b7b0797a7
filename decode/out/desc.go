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
		p.expr, p.text, p.desc = true, len(p.Buf), true
		return
	}
	switch {
	case label == "" || p.Opt.Xlat == Raw:
		p.Int(n)
	case p.Opt.Xlat == Verbose:
		p.Int(n)
		p.Comment(label)
	default:
		p.Buf = append(p.Buf, label...)
	}
	p.Buf = append(p.Buf, '<')
}

// EndDesc ends what BeginDesc began; deleted says that the file has no name any
// more.
func (p *Printer) EndDesc(deleted bool) {
	if !p.expr || !p.desc { // in a line or in an expression
		p.Buf = append(p.Buf, '>')
		if deleted {
			p.Buf = append(p.Buf, "(deleted)"...)
		}
		return
	}
	p.escapeTail(p.text)
	p.expr = false
	p.Buf = append(p.Buf, '"')
	if deleted {
		p.Buf = append(p.Buf, `,"deleted":true`...)
	}
	p.Buf = append(p.Buf, '}')
}

// PID writes the id of a task and behind it, if it is known, its name: 7<cat>.
func (p *Printer) PID(n int64, comm []byte) {
	p.Int(n)
	if len(comm) > 0 && !p.json() {
		p.Comm(comm)
	}
}

// Comm writes the name of a task: <cat>.
func (p *Printer) Comm(comm []byte) {
	if len(comm) == 0 {
		return
	}
	p.Buf = append(p.Buf, '<')
	p.EscapeAlso(comm, "<>")
	p.Buf = append(p.Buf, '>')
}
