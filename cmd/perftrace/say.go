package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"syscall"

	"perftrace/decode"
	"perftrace/filter"
)

// A sayer writes messages for the person, each one line that begins with the
// name of the program.
type sayer struct {
	name string
	w    io.Writer
	// before is called before a message is written, so that the lines that
	// come before it are out.
	before func()
}

// programName is the name that messages begin with: where perftrace runs in the
// place of strace, all of argv[0], as strace does.
func programName(argv []string) string {
	if len(argv) == 0 || argv[0] == "" {
		return "perftrace"
	}
	if base := filepath.Base(argv[0]); base != "strace" {
		return base
	}
	return argv[0]
}

// programWord stands for the name of the program in the text of an error.
const programWord = "@program@"

// say writes a message.
func (s *sayer) say(format string, args ...any) {
	if s.before != nil {
		s.before()
	}
	io.WriteString(s.w, s.name+": "+fmt.Sprintf(format, args...)+"\n")
}

// fail writes what err says and returns the exit status.
func (s *sayer) fail(err error) int {
	text, help := err.Error(), false
	var u *usageError
	var f *filter.SyntaxError
	switch {
	case errors.As(err, &u):
		help = u.help
	case errors.As(err, &f):
		help = f.Help
	}
	text = strings.ReplaceAll(text, programWord, filepath.Base(s.name))
	if text != "" {
		s.say("%s", text)
	}
	if help {
		io.WriteString(s.w, "Try '"+s.name+" -h' for more information.\n")
	}
	return 1
}

// A usageError is a command line that can't be understood or done. help asks for
// the line that points to -h.
type usageError struct {
	text string
	help bool
}

func (e *usageError) Error() string { return e.text }

// badUsage is an error with a pointer to -h.
func badUsage(format string, args ...any) error {
	return &usageError{text: fmt.Sprintf(format, args...), help: true}
}

// cannot is an error without it.
func cannot(format string, args ...any) error {
	return &usageError{text: fmt.Sprintf(format, args...)}
}

// cause is the text of the error number in err, as the C library has it, or
// what err says.
func cause(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		if _, text := decode.ErrnoName(int64(errno)); text != "" {
			return text
		}
	}
	return strings.TrimSpace(err.Error())
}
