package main

import (
	"bytes"
	"os"

	"golang.org/x/term"
)

// colorMode is --color.
type colorMode uint8

const (
	colorAuto colorMode = iota
	colorNever
	colorAlways
)

const (
	colorName  = "\x1b[33m" // the name of a call
	colorOK    = "\x1b[32m" // a result
	colorError = "\x1b[31m" // an error
	colorMarks = "\x1b[36m" // lines about no call
	colorReset = "\x1b[0m"
)

// detect decides about colors: on a terminal that can, or if asked for.
func (p *prefix) detect(c *config) {
	switch {
	case c.json || c.color == colorNever:
	case c.color == colorAlways:
		p.colors = true
	default:
		terminal := os.Getenv("TERM")
		p.colors = c.output == "" && os.Getenv("NO_COLOR") == "" && terminal != "" && terminal != "dumb" &&
			term.IsTerminal(2)
	}
}

// colorCall colors the whole line of a call that was just written: its name and
// its result. Columns were counted before, so the colors don't shift anything.
func (s *session) colorCall(st *stream) {
	b := s.dec.Buf
	line := b[s.callAt:]
	paren := bytes.IndexByte(line, '(')
	result := bytes.LastIndex(line, []byte(" = "))
	if paren < 0 || result < paren {
		return
	}
	result += len(" = ")
	color := colorOK
	if bytes.HasPrefix(line[result:], []byte("-1 ")) || bytes.HasPrefix(line[result:], []byte("? E")) {
		color = colorError
	}
	text := append([]byte(nil), line...)
	b = append(b[:s.callAt], colorName...)
	b = append(b, text[:paren]...)
	b = append(b, colorReset...)
	b = append(b, text[paren:result]...)
	b = append(b, color...)
	b = append(b, text[result:]...)
	s.dec.Buf = append(b, colorReset...)
}

// colorNote colors a line about no call from offset from on.
func (s *session) colorNote(from int) {
	text := append([]byte(nil), s.dec.Buf[from:]...)
	b := append(s.dec.Buf[:from], colorMarks...)
	b = append(b, text...)
	s.dec.Buf = append(b, colorReset...)
}
