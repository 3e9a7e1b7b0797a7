package main

import (
	"path/filepath"
	"slices"

	"perftrace/decode"
	"perftrace/event"
	"perftrace/filter"
)

// files are the files that -P and -e trace-fds= ask for: only calls that name
// one of them are shown.
type files struct {
	paths []string
	fds   filter.NumberSet
	byFD  bool
}

func (f *files) wanted() bool { return f.byFD || len(f.paths) > 0 }

func addPath(c *config, arg string) error {
	c.files.paths = append(c.files.paths, arg)
	return nil
}

func setTraceFDs(c *config, arg string) (err error) {
	c.files.fds, err = filter.ParseDescriptors(arg)
	c.files.byFD = true
	return err
}

// resolve adds what the paths lead to through links: a call may use either name.
func (f *files) resolve(c *config, say *sayer) {
	for _, p := range f.paths {
		abs, err := filepath.Abs(p)
		if err != nil {
			continue
		}
		real, err := filepath.EvalSymlinks(abs)
		if err != nil || slices.Contains(f.paths, real) {
			continue
		}
		if !(c.longQ && c.quiet&quietPath != 0) {
			say.say("Requested path \"%s\" resolved into \"%s\"", p, real)
		}
		f.paths = append(f.paths, real)
	}
}

// matcher tells whether a call names a wanted file. Its functions are made once:
// they are called for every call.
type matcher struct {
	path func([]byte) bool
	fds  func(int64) bool
}

func (f *files) matcher() *matcher {
	if !f.wanted() {
		return nil
	}
	m := new(matcher)
	if len(f.paths) > 0 {
		paths := f.paths
		m.path = func(b []byte) bool {
			for _, p := range paths {
				if string(b) == p {
					return true
				}
			}
			return false
		}
	}
	if f.byFD {
		m.fds = func(fd int64) bool { return fd >= 0 && f.fds.Has(uint32(fd)) }
	}
	return m
}

// keep reports whether a call is to be shown, of those that the source gives.
func (s *session) keep(e *event.Event) bool {
	return !s.limited && (s.exact || s.cfg.calls.Keep(e) || s.cfg.strange && decode.CallName(e.ABI, e.NR) == "") &&
		(s.match == nil || s.dec.Names(e, s.match.path, s.match.fds))
}
