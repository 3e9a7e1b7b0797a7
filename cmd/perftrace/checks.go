package main

import (
	"os"
	"slices"
	"strings"

	"perftrace/decode/out"
)

// check completes the config and says what of it can't be together. The order
// and the words are strace's.
func (c *config) check(say *sayer) error {
	if len(c.command) == 0 && len(c.pids) == 0 && !c.all {
		return badUsage("must have PROG [ARGS] or -p PID")
	}
	if len(c.command) == 0 && c.argv0Set {
		return badUsage("PROG [ARGS] must be specified with --argv0")
	}
	if c.all && (len(c.command) > 0 || len(c.pids) > 0) {
		return badUsage("--all and a command or -p are mutually exclusive")
	}
	for _, step := range []func(*sayer) error{
		c.checkCounted, c.checkFollow, c.checkStops, c.checkSummary, c.checkOutput, c.checkQuiet, c.checkRefused,
	} {
		if err := step(say); err != nil {
			return err
		}
	}
	return nil
}

// checkCounted turns letters that were counted into what they stand for.
func (c *config) checkCounted(*sayer) error {
	if c.letterT > 0 {
		if c.longT {
			return cannot("-t and --absolute-timestamps cannot be provided simultaneously")
		}
		c.stamp.format = stampTime
		if c.letterT > 1 {
			c.stamp.precision = inMicros
		}
		if c.letterT > 2 {
			c.stamp.format = stampUnix
		}
	}
	c.decode.HexStrings = out.HexStrings(c.letterX)
	if c.longX >= 0 {
		if c.letterX > 0 {
			return cannot("-x and --strings-in-hex cannot be provided simultaneously")
		}
		c.decode.HexStrings = out.HexStrings(c.longX)
	}
	if !c.read.Empty() {
		c.decode.DumpRead = func(fd int64) bool { return c.read.Has(uint32(fd)) }
	}
	if !c.write.Empty() {
		c.decode.DumpWrite = func(fd int64) bool { return c.write.Has(uint32(fd)) }
	}
	if c.letterY > 0 {
		if c.longY {
			return cannot("-y and --decode-fds cannot be provided simultaneously")
		}
		if c.letterY == 1 {
			return setFDs(c, "path")
		}
		return setFDs(c, "all")
	}
	return nil
}

func (c *config) checkFollow(say *sayer) error {
	if c.letterF > 0 {
		switch {
		case c.follow:
			return cannot("-f and --follow-forks cannot be provided simultaneously")
		case c.letterF > 1 && c.separate:
			return cannot("-ff and --output-separately cannot be provided simultaneously")
		}
		c.follow = true
		c.separate = c.separate || c.letterF > 1
	}
	if c.oldF {
		if c.follow {
			say.say("deprecated option -F ignored")
		} else {
			say.say("option -F is deprecated, please use -f/--follow-forks instead")
			c.follow = true
		}
	}
	return nil
}

func (c *config) checkSummary(say *sayer) error {
	const both = "(-c/--summary-only or -C/--summary)"
	s := &c.summary
	switch {
	case c.separate && s.on:
		return badUsage("%s and -ff/--output-separately are mutually exclusive", both)
	case s.wall && !s.on:
		return badUsage("-w/--summary-wall-clock must be given with %s", both)
	case s.columnsSet && !s.on:
		return badUsage("-U/--summary-columns must be given with %s", both)
	case s.sortSet && !s.on:
		say.say("-S/--summary-sort-by has no effect without %s", both)
	}
	if !s.sortSet && !slices.ContainsFunc(s.columns, column.isTime) {
		// strace measures times to sort by them, seen or not; without, a call
		// that is counted costs half.
		s.sort = colCalls
	}
	if !s.only {
		return nil
	}
	for _, o := range []struct {
		given bool
		name  string
	}{
		{c.ip, "-i/--instruction-pointer"},
		{c.decode.ShowNR, "-n/--syscall-number"},
		{c.decode.ArgNames, "-N/--arg-names"},
		{c.stamp.relative, "-r/--relative-timestamps"},
		{c.stamp.format != stampNone, "-t/--absolute-timestamps"},
		{c.times.set, "-T/--syscall-times"},
		{c.decode.FDs != 0, "-y/--decode-fds"},
	} {
		if o.given {
			say.say("%s has no effect with -c/--summary-only", o.name)
		}
	}
	return nil
}

func (c *config) checkOutput(say *sayer) error {
	if c.output == "" {
		if c.separate && !c.follow {
			say.say("--output-separately has no effect without -o/--output")
		}
		if c.append {
			say.say("-A/--output-append-mode has no effect without -o/--output")
		}
	}
	if c.zflags > 1 {
		say.say("Only the last of -z/--successful-only/-Z/--failed-only options will take effect. " +
			"See status qualifier for more complex filters.")
	}
	if c.files.wanted() {
		c.files.resolve(c, say)
		c.decode.MatchFiles = true
	}
	if c.user != "" && os.Geteuid() != 0 {
		return cannot("You must be root to use the -u/--username option")
	}
	if c.piped() && c.separate {
		return badUsage("piping the output and -ff/--output-separately are mutually exclusive")
	}
	if c.output == "" {
		c.separate = false
	}
	return nil
}

// piped reports whether the output goes to a command.
func (c *config) piped() bool {
	return strings.HasPrefix(c.output, "|") || strings.HasPrefix(c.output, "!")
}

func (c *config) checkQuiet(*sayer) error {
	c.askedQuiet = c.letterQ > 0 || c.longQ
	if c.output != "" && len(c.command) > 0 && !c.askedQuiet {
		c.letterQ = 1
	}
	if c.letterQ == 0 {
		return nil
	}
	if c.longQ {
		return cannot("-q and -e quiet/--quiet cannot be provided simultaneously")
	}
	switch c.letterQ {
	case 1:
		c.quiet = quietAttach | quietPersonality
	case 2:
		c.quiet = quietAttach | quietPersonality | quietExit
	default:
		c.quiet = ^quiet(0)
	}
	return nil
}

func (c *config) checkRefused(*sayer) error {
	if len(c.notYet) > 0 {
		return cannot("%s is not supported yet", c.notYet[0])
	}
	if c.backend != "ptrace" {
		c.refused = append(c.refused, c.stops.given...)
	}
	if len(c.refused) == 0 {
		return nil
	}
	if c.backend == "ptrace" {
		return cannot("%s is not supported yet, not even by --backend=ptrace", c.refused[0])
	}
	return cannot("%s needs a target that is stopped at its calls, which perftrace avoids: that is work for --backend=ptrace", c.refused[0])
}
