package main

import (
	"strings"

	"golang.org/x/sys/unix"

	"perftrace/decode"
	"perftrace/event"
	"perftrace/filter"
)

type (
	callSets  = event.CallSets
	numberSet = filter.NumberSet
)

// qualify takes what -e takes: WORD=VALUE, or a list of calls alone.
func qualify(c *config, arg string) error {
	word, value, ok := strings.Cut(arg, "=")
	if ok {
		switch word {
		case "trace", "t":
			return setTrace(c, value)
		case "abbrev", "a":
			return setSet(func(c *config) *callSets { return &c.decode.Abbrev })(c, value)
		case "verbose", "v":
			return setSet(func(c *config) *callSets { return &c.decode.Verbose })(c, value)
		case "raw", "x":
			return setSet(func(c *config) *callSets { return &c.decode.Raw })(c, value)
		case "signal", "signals", "s":
			return setSignals(c, value)
		case "status":
			return setStatus(c, value)
		case "errno":
			return setErrnos(c, value)
		case "quiet", "silent", "silence", "q":
			return setQuiet(c, value)
		case "read", "reads", "r":
			return setNumbers(func(c *config) *numberSet { return &c.read })(c, value)
		case "write", "writes", "w":
			return setNumbers(func(c *config) *numberSet { return &c.write })(c, value)
		case "decode-fd", "decode-fds":
			return setDecodeFDs(c, value)
		case "decode-pid", "decode-pids":
			return setDecodePIDs(c, value)
		case "fault", "inject":
			c.refused = append(c.refused, "-e "+word)
			return nil
		case "trace-fd", "trace-fds", "fd", "fds":
			return setTraceFDs(c, value)
		case "kvm":
			c.notYet = append(c.notYet, "-e kvm")
			return checkKVM(c, value)
		case "namespace":
			c.notYet = append(c.notYet, "-e namespace")
			return checkNamespace(c, value)
		case "secontext":
			return noContexts(c, value)
		}
	}
	return setTrace(c, arg)
}

func setTrace(c *config, arg string) (err error) {
	c.calls, err = filter.ParseTrace(arch, arg)
	c.strange = true
	return err
}

func checkKVM(_ *config, arg string) error {
	if arg != "vcpu" && arg != "vcpu+" {
		return cannot("invalid -e kvm= argument: '%s'", arg)
	}
	return nil
}

func checkNamespace(_ *config, arg string) error {
	if arg != "new" {
		return cannot("invalid -e namespace= argument: '%s'", arg)
	}
	return nil
}

func noContexts(*config, string) error {
	return cannot("SELinux context printing (--secontext option) is not supported by this build of " + programWord)
}

func setFilter(c *config, arg string) (err error) {
	c.calls, err = filter.ParseList(arch, arg)
	c.strange = false
	return err
}

// setSet makes a setter of a set of calls.
func setSet(field func(*config) *callSets) func(*config, string) error {
	return func(c *config, arg string) error {
		calls, err := filter.ParseTrace(arch, arg)
		if err == nil {
			*field(c) = calls.Sets()
		}
		return err
	}
}

// setNumbers makes a setter of a set of descriptors.
func setNumbers(field func(*config) *numberSet) func(*config, string) error {
	return func(c *config, arg string) error {
		set, err := filter.ParseDescriptors(arg)
		if err == nil {
			*field(c) = set
		}
		return err
	}
}

func setVerbose(c *config, _ string) error {
	c.decode.Abbrev = callSets{}
	return nil
}

func setSignals(c *config, arg string) (err error) {
	c.signals, err = filter.ParseSignals(arg)
	c.sigkill = c.signals.Has(uint32(unix.SIGKILL))
	return err
}

func setStatus(c *config, arg string) (err error) {
	c.status, err = filter.ParseStatus(arg)
	return err
}

func setZ(status string) func(*config, string) error {
	return func(c *config, _ string) error {
		c.zflags++
		return setStatus(c, status)
	}
}

func setErrnos(c *config, arg string) (err error) {
	c.errnos, err = filter.ParseErrnos(arg)
	return err
}

func setDuration(c *config, arg string) (err error) {
	c.duration, err = filter.ParseDuration(arg)
	return err
}

func setQuiet(c *config, arg string) error {
	c.longQ = true
	set, err := filter.ParseWords(arg, "quiet", []filter.Word{
		{Word: "attach", N: 0},
		{Word: "exit", N: 1},
		{Word: "exits", N: 1},
		{Word: "path-resolution", N: 2},
		{Word: "personality", N: 3},
		{Word: "superseded", N: 4},
		{Word: "thread-execve", N: 4},
	})
	if err != nil {
		return err
	}
	c.quiet = quiet(bits(&set, 5))
	return nil
}

func setDecodeFDs(c *config, arg string) error {
	c.longY = true
	return setFDs(c, arg)
}

func setFDs(c *config, arg string) error {
	set, err := filter.ParseWords(arg, "decode-fds", []filter.Word{
		{Word: "path", N: 0},
		{Word: "socket", N: 1},
		{Word: "dev", N: 2},
		{Word: "pidfd", N: 3},
		{Word: "signalfd", N: 4},
		{Word: "eventfd", N: 5},
	})
	if err != nil {
		return err
	}
	// The order of the words is that of decode's bits.
	c.decode.FDs = decode.FDDetail(bits(&set, 6))
	return nil
}

func setDecodePIDs(c *config, arg string) error {
	set, err := filter.ParseWords(arg, "decode-pids", []filter.Word{{Word: "comm", N: 0}, {Word: "pidns", N: 1}})
	if err != nil {
		return err
	}
	c.pidComm = set.Has(0)
	return nil
}

// bits are the first n numbers of a set.
func bits(set *filter.NumberSet, n uint32) (b uint32) {
	for i := range n {
		if set.Has(i) {
			b |= 1 << i
		}
	}
	return b
}
