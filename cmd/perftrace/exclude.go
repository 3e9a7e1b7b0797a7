package main

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// --all must not trace what carries its own output on: each line would make
// calls that become more lines. That is perftrace itself, the shells and
// terminal it was started from (ancestors), the programs that read its output
// from a pipe, and the terminal emulator, multiplexer or sshd at the other end
// of its terminal, from one to the next.

// chain returns the processes that --all leaves out.
func chain(self, shell int) []int {
	if shell != 0 {
		// The shell of -o '|cmd' starts the command, which then is found by
		// its pipe.
		time.Sleep(50 * time.Millisecond)
	}
	list := []int{self}
	for pid := self; len(list) < maxChain; {
		pid = parentOf(pid)
		if pid <= 1 || slices.Contains(list, pid) {
			break // init is no part of a terminal
		}
		list = append(list, pid)
	}
	return readers(readChannels(self), self, list)
}

// maxChain bounds the list; it is what the backends take at least.
const maxChain = 512

// parentOf reads the parent of a process; 0: not known.
func parentOf(pid int) int {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// pid (comm) state ppid, and comm may hold anything
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(string(fields[1]))
	return n
}

// channels are the pipes and terminals that a process has open: what it can
// write its output to, and what it can read of others.
type channels struct {
	pid    int
	writes []string // terminals, and pipes that are its stdout or stderr (of self: any)
	reads  []string // pipes it can read from, terminals whose other end it is
}

// readers adds to the list those that carry on what self writes.
func readers(all []channels, self int, list []int) []int {
	reached := make(map[string]bool)
	reach := func(c *channels) {
		for _, w := range c.writes {
			reached[w] = true
		}
	}
	for i := range all {
		if all[i].pid == self {
			reach(&all[i])
		}
	}
	for grown := true; grown; {
		grown = false
		for i := range all {
			c := &all[i]
			if c.pid == self || !slices.ContainsFunc(c.reads, func(r string) bool { return reached[r] }) {
				continue
			}
			if !slices.Contains(list, c.pid) && len(list) < maxChain {
				list = append(list, c.pid)
			}
			c.reads = nil
			reach(c)
			grown = true
		}
	}
	return list
}

// readChannels reads them for all processes.
func readChannels(self int) []channels {
	var all []channels
	procs, _ := os.ReadDir("/proc")
	for _, p := range procs {
		pid, err := strconv.Atoi(p.Name())
		if err != nil {
			continue
		}
		dir := "/proc/" + p.Name() + "/fd/"
		fds, _ := os.ReadDir(dir)
		c := channels{pid: pid}
		for _, fd := range fds {
			if link, err := os.Readlink(dir + fd.Name()); err == nil {
				c.add(self, fd.Name(), link)
			}
		}
		if len(c.reads)+len(c.writes) > 0 {
			all = append(all, c)
		}
	}
	return all
}

// add takes account of one descriptor.
func (c *channels) add(self int, fd, link string) {
	fdinfo := "/proc/" + strconv.Itoa(c.pid) + "/fdinfo/" + fd
	switch {
	case strings.HasPrefix(link, "pipe:"):
		info, _ := os.ReadFile(fdinfo)
		mode := fdField(info, "flags:", 8) & unix.O_ACCMODE
		if mode != unix.O_WRONLY {
			c.reads = append(c.reads, link)
		}
		if mode != unix.O_RDONLY && (fd == "1" || fd == "2" || c.pid == self) {
			c.writes = append(c.writes, link)
		}
	case strings.HasPrefix(link, "/dev/pts/") && link != "/dev/pts/ptmx":
		c.writes = append(c.writes, link)
	case link == "/dev/ptmx" || link == "/dev/pts/ptmx":
		info, _ := os.ReadFile(fdinfo)
		if n := fdField(info, "tty-index:", 10); n >= 0 {
			c.reads = append(c.reads, "/dev/pts/"+strconv.Itoa(n))
		}
	}
}

// fdField is a number of /proc/PID/fdinfo/FD, or -1.
func fdField(info []byte, name string, base int) int {
	for line := range strings.Lines(string(info)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			if n, err := strconv.ParseInt(strings.TrimSpace(rest), base, 32); err == nil {
				return int(n)
			}
		}
	}
	return -1
}
