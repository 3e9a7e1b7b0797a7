package main

import (
	"bytes"
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"perftrace/cmd/perftrace/held"
)

// newLaunch finds the command and what it is to be given.
func newLaunch(c *config) (*held.Launch, error) {
	path, err := findExecutable(c.command[0])
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return nil, cannot("Cannot stat '%s': %s", path, cause(err))
	}
	l := &held.Launch{Path: path, Argv: append([]string(nil), c.command...)}
	if c.argv0Set {
		l.Argv[0] = c.argv0
	}
	if l.Env, err = changeEnv(environment(), c.env); err != nil {
		return nil, err
	}
	if l.Filter, err = filterFor(c); err != nil {
		return nil, err
	}
	if c.user != "" {
		if err := setUser(l, c.user); err != nil {
			return nil, err
		}
		if st.Mode&unix.S_ISUID != 0 {
			l.EUID = int(st.Uid)
		}
		if st.Mode&unix.S_ISGID != 0 {
			l.EGID = int(st.Gid)
		}
	}
	return l, nil
}

// startCommand starts the process that becomes the command.
func startCommand(c *config) (*held.Command, error) {
	l, err := newLaunch(c)
	if err != nil {
		return nil, err
	}
	cmd, err := held.Start(l)
	if err != nil {
		return nil, commandError(err)
	}
	return cmd, nil
}

// commandError says why there is no process that could become the command.
func commandError(err error) error {
	var e *held.Error
	if errors.As(err, &e) {
		return cannot("%s: %s", e.Step, cause(e.Err))
	}
	return cannot("%v", err)
}

// findExecutable searches PATH as strace does: the first regular file with some
// execute bit, and an empty element is the working directory.
func findExecutable(name string) (string, error) {
	if len(name) > unix.PathMax-1 {
		return "", cannot("exec: %s", cause(unix.ENAMETOOLONG))
	}
	if strings.Contains(name, "/") {
		return name, nil
	}
	path := os.Getenv("PATH")
	for dir := range strings.SplitSeq(path, ":") {
		if path == "" {
			break
		}
		if dir == "" {
			wd, err := os.Getwd()
			if err != nil {
				continue
			}
			dir = wd
		}
		full := strings.TrimSuffix(dir, "/") + "/" + name
		if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && name != "" {
			return full, nil
		}
	}
	return "", cannot("Cannot find executable '%s'", name)
}

// environment is what perftrace itself was given: byte for byte, where Go's
// os.Environ leaves out what it does not understand.
func environment() []string {
	b, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		return os.Environ()
	}
	var env []string
	for len(b) > 0 {
		var entry []byte
		entry, b, _ = bytes.Cut(b, []byte{0})
		env = append(env, string(entry))
	}
	return env
}

// changeEnv applies -E in order.
func changeEnv(env, changes []string) ([]string, error) {
	for _, change := range changes {
		name, _, set := strings.Cut(change, "=")
		same := func(entry string) bool {
			rest, ok := strings.CutPrefix(entry, name)
			return ok && (rest == "" || rest[0] == '=')
		}
		kept := make([]string, 0, len(env)+1)
		done := false
		for _, entry := range env {
			switch {
			case !same(entry):
				kept = append(kept, entry)
			case set && !done:
				kept = append(kept, change)
				done = true
			case set:
				kept = append(kept, entry)
			}
		}
		if set && !done {
			kept = append(kept, change)
		}
		env = kept
	}
	return env, nil
}

// setUser looks up -u: a user's name, or UID:GID, which is taken as it is.
func setUser(l *held.Launch, name string) error {
	l.Switch = true
	if u, g, pair := strings.Cut(name, ":"); pair {
		uid, ok1 := number(u, 1<<32-2)
		gid, ok2 := number(g, 1<<32-2)
		if !ok1 || !ok2 {
			return cannot("Invalid UID:GID pair '%s'", name)
		}
		l.UID, l.GID = int(uid), int(gid)
	} else {
		u, err := user.Lookup(name)
		if err != nil {
			return cannot("Cannot find user '%s'", name)
		}
		l.UID, _ = strconv.Atoi(u.Uid)
		l.GID, _ = strconv.Atoi(u.Gid)
		groups, _ := u.GroupIds()
		l.Groups = []int{l.GID}
		for _, g := range groups {
			if n, err := strconv.Atoi(g); err == nil && n != l.GID {
				l.Groups = append(l.Groups, n)
			}
		}
	}
	l.EUID, l.EGID = l.UID, l.GID
	return nil
}

// shell starts sh -c command with what comes from r as its stdin, and returns
// its pid.
func shell(command string, r int) (int, error) {
	const sh = "/bin/sh"
	pid, err := syscall.ForkExec(sh, []string{filepath.Base(sh), "-c", command}, &syscall.ProcAttr{
		Env:   environment(),
		Files: []uintptr{uintptr(r), 1, 2},
	})
	if err != nil {
		return 0, cannot("Can't execute '%s': %s", sh, cause(err))
	}
	return pid, nil
}
