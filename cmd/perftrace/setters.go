package main

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"perftrace/decode/out"
)

// setPIDs takes what -p takes: pids separated by commas or white space.
func setPIDs(c *config, arg string) error {
	for _, word := range strings.FieldsFunc(arg, func(r rune) bool { return strings.ContainsRune("\n\t ,", r) }) {
		n, ok := number(word, 1<<31-1)
		if !ok || n == 0 {
			return cannot("Invalid process id: '%s'", word)
		}
		if int(n) == os.Getpid() {
			return cannot("I'm sorry, I can't let you do that, Dave.")
		}
		if !slices.Contains(c.pids, int(n)) {
			c.pids = append(c.pids, int(n))
		}
	}
	return nil
}

// number reads a plain decimal number, as strace takes them: no sign, no base.
func number(s string, limit uint64) (uint64, bool) {
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil && n <= limit && s[0] != '+'
}

func setFollow(c *config, _ string) error { c.follow = true; return nil }
func countF(c *config, _ string) error    { c.letterF++; return nil }
func countX(c *config, _ string) error    { c.letterX = min(c.letterX+1, 2); return nil }
func countY(c *config, _ string) error    { c.letterY++; return nil }
func countT(c *config, _ string) error    { c.letterT++; return nil }
func countQ(c *config, _ string) error    { c.letterQ++; return nil }

func setCPUs(c *config, arg string) error {
	for _, part := range strings.Split(arg, ",") {
		from, to, isRange := strings.Cut(part, "-")
		a, ok := number(from, 1<<16)
		b := a
		if ok && isRange {
			b, ok = number(to, 1<<16)
		}
		if !ok || b < a {
			return errArgument{}
		}
		for ; a <= b; a++ {
			c.cpus = append(c.cpus, int(a))
		}
	}
	return nil
}

func addEnv(c *config, arg string) error {
	c.env = append(c.env, arg)
	return nil
}

func setArgv0(c *config, arg string) error {
	c.argv0, c.argv0Set = arg, true
	return nil
}

func setLimit(c *config, arg string) error {
	n, ok := number(arg, 1<<63-1)
	if !ok || n == 0 {
		return errArgument{}
	}
	c.limit = n
	return nil
}

func setColumn(c *config, arg string) error {
	n, ok := number(arg, 1<<31-1)
	if !ok {
		return errArgument{}
	}
	c.decode.Column = int(min(n, maxColumn))
	return nil
}

func setStringLimit(c *config, arg string) error {
	n, ok := number(arg, (1<<32-1)/4)
	if !ok {
		return errArgument{}
	}
	c.decode.StringMax = int(n)
	return nil
}

func setArgNames(c *config, _ string) error {
	c.decode.ArgNames = true
	return nil
}

func setHex(c *config, arg string) error {
	switch strings.ToLower(arg) {
	case "none":
		c.longX = 0
	case "non-ascii":
		c.longX = 1
	case "all":
		c.longX = 2
	case "non-ascii-chars":
		c.longX = 3
	default:
		return errArgument{}
	}
	return nil
}

func setStyle(c *config, arg string) error {
	switch arg {
	case "raw":
		c.decode.Xlat = out.Raw
	case "abbrev":
		c.decode.Xlat = out.Abbrev
	case "verbose":
		c.decode.Xlat = out.Verbose
	default:
		return errArgument{}
	}
	return nil
}

func setColor(c *config, arg string) error {
	switch strings.ToLower(arg) {
	case "auto":
		c.color = colorAuto
	case "always":
		c.color = colorAlways
	case "never":
		c.color = colorNever
	default:
		return errArgument{}
	}
	return nil
}

func setBackend(c *config, arg string) error {
	if !slices.ContainsFunc(backends(), func(b backend) bool { return b.name == arg }) {
		var names []string
		for _, b := range backends() {
			names = append(names, b.name)
		}
		return cannot("there is no backend '%s': use one of %s", arg, strings.Join(names, ", "))
	}
	c.backend = arg
	return nil
}

// minRing is the smallest ring: a page.
const minRing = 4096

func setRing(c *config, arg string) error {
	n, err := humanize.ParseBytes(arg)
	if err != nil {
		return errArgument{}
	}
	if n < minRing || n > 1<<30 {
		return cannot("a ring of %s cannot be: -m takes sizes from 4KiB to 1GiB", humanize.IBytes(n))
	}
	if n&(n-1) != 0 {
		up := uint64(minRing)
		for up < n {
			up *= 2
		}
		n = up
	}
	c.ringBytes = n
	return nil
}

func checkDaemonize(_ *config, arg string) error {
	if slices.Contains([]string{"grandchild", "pgroup", "pgrp", "session"}, strings.ToLower(arg)) {
		return nil
	}
	return errArgument{}
}

func setPIDNS(c *config, _ string) error { return setDecodePIDs(c, "pidns") }

func checkStack(_ *config, arg string) error {
	if arg != "symbol" && arg != "source" {
		return errArgument{}
	}
	return nil
}

func checkFrames(_ *config, arg string) error {
	if n, ok := number(arg, (1<<32-1)/4); !ok || n == 0 {
		return errArgument{}
	}
	return nil
}

// arch is the machine that tables are taken for.
const arch = runtime.GOARCH
