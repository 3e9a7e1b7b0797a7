package main

// An option is a row of the table that the parser, the help, and the checks of
// both are made of.
type option struct {
	short    byte
	long     string
	also     []string // further spellings of long
	arg      string   // what the help calls the argument; "": there is none
	optional bool     // the argument may be missing (of the long form; the letter takes none)
	missing  string   // what set gets when it is
	group    group
	help     string // "" : not shown
	refuse   bool   // only a tracer that stops the target can do this
	ptrace   bool   // and --backend=ptrace does
	notYet   bool
	set      func(c *config, arg string) error
	letter   func(c *config, arg string) error // instead of set, for the short form
}

// group is a heading of the help.
type group uint8

const (
	target group = iota
	filtering
	line
	statistics
	rings
	other
	stopping
)

var groupNames = [...]string{
	target:     "What is traced",
	filtering:  "Which calls are shown",
	line:       "How a line looks",
	statistics: "Statistics",
	rings:      "How it is done",
	other:      "Miscellaneous",
	stopping:   "Not possible without stopping the target (--backend=ptrace)",
}

// letterTakes reports whether the short form has an argument.
func (o *option) letterTakes() bool { return o.arg != "" && !o.optional && o.letter == nil }

func (o *option) names() []string {
	if o.long == "" {
		return nil
	}
	return append([]string{o.long}, o.also...)
}

func (o *option) has(name string) bool {
	for _, n := range o.names() {
		if n == name {
			return true
		}
	}
	return false
}

// options is the table. The order within a group is that of the help.
func options() []option {
	return []option{
		{short: 'p', long: "attach", arg: "PID", group: target, set: setPIDs, help: "trace the running process PID, all its threads; a list (\"1,2\", \"$(pidof x)\") or several -p"},
		{short: 'f', long: "follow-forks", group: target, set: setFollow, letter: countF, help: "trace child processes too; -ff: and write a file for each, see -o"},
		{long: "descendants", group: target, set: flag(func(c *config) *bool { return &c.descendants }), help: "of -p, also the children that it already has"},
		{long: "all", group: target, set: flag(func(c *config) *bool { return &c.all }), help: "trace every process of the machine, but not perftrace and its terminal"},
		{long: "cpu", arg: "LIST", group: target, set: setCPUs, help: "only calls made on these CPUs, for example 0-3,8"},
		{short: 'u', long: "user", arg: "NAME|UID:GID", group: target, set: text(func(c *config) *string { return &c.user }), help: "run the command as this user"},
		{short: 'E', long: "env", arg: "VAR[=VALUE]", group: target, set: addEnv, help: "set VAR in the command's environment, or remove it"},
		{long: "argv0", arg: "NAME", group: target, set: setArgv0, help: "the command's argv[0]"},
		{long: "syscall-limit", also: []string{"max-events"}, arg: "N", group: target, set: setLimit, help: "detach after N calls were shown"},

		{short: 'e', arg: "EXPR", group: filtering, set: qualify, help: "trace=LIST, or LIST alone, or abbrev=, verbose=, raw=, signal=, status=, errno=, read=, write=, quiet=, decode-fds=, decode-pids="},
		{long: "trace", arg: "LIST", group: filtering, set: setTrace, help: "calls: names, %classes, /regex, ?maybe, name@64; ! in front: all others"},
		{long: "filter", arg: "LIST", group: filtering, set: setFilter, help: "calls by people's names: open is also openat, openat2 and creat; see --list-filters"},
		{long: "list-filters", group: filtering, set: flag(func(c *config) *bool { return &c.listFilters }), help: "print the names that --filter knows"},
		{long: "signals", also: []string{"signal"}, arg: "LIST", group: filtering, set: setSignals, help: "show these signals only"},
		{long: "status", arg: "LIST", group: filtering, set: setStatus, help: "only calls that ended so: successful, failed, unfinished, unavailable, detached"},
		{short: 'z', long: "successful-only", group: filtering, set: setZ("successful"), help: "only calls without an error"},
		{short: 'Z', long: "failed-only", also: []string{"failing-only"}, group: filtering, set: setZ("failed"), help: "only calls with an error"},
		{long: "errno", arg: "LIST", group: filtering, set: setErrnos, help: "only calls that failed so: ENOENT,EACCES"},
		{short: 'P', long: "trace-path", arg: "PATH", group: filtering, set: addPath, help: "only calls on this file; may be repeated"},
		{long: "trace-fds", arg: "LIST", group: filtering, set: setTraceFDs, help: "only calls on these descriptors"},
		{long: "duration", arg: "TIME", group: filtering, set: setDuration, help: "only calls that took at least TIME: 5 (ms), 200us, 1.5s"},

		{short: 'o', long: "output", arg: "FILE", group: line, set: text(func(c *config) *string { return &c.output }), help: "write to FILE instead of stderr; '|COMMAND' or '!COMMAND': into its stdin"},
		{short: 'A', long: "output-append-mode", group: line, set: flag(func(c *config) *bool { return &c.append }), help: "append to FILE"},
		{long: "output-separately", group: line, set: flag(func(c *config) *bool { return &c.separate }), help: "a file for each task: FILE.PID"},
		{short: 'a', long: "columns", arg: "N", group: line, set: setColumn, help: "results begin at column N (default 40)"},
		{short: 's', long: "string-limit", arg: "N", group: line, set: setStringLimit, help: "at most N bytes of a string (default 32)"},
		{short: 'v', long: "no-abbrev", group: line, set: setVerbose, help: "structures whole"},
		{long: "abbrev", arg: "LIST", group: line, set: setSet(func(c *config) *callSets { return &c.decode.Abbrev }), help: "abbreviate the structures of these calls"},
		{long: "verbose", arg: "LIST", group: line, set: setSet(func(c *config) *callSets { return &c.decode.Verbose }), help: "show the structures of these calls"},
		{long: "raw", arg: "LIST", group: line, set: setSet(func(c *config) *callSets { return &c.decode.Raw }), help: "show the arguments of these calls as numbers"},
		{long: "read", arg: "LIST", group: line, set: setNumbers(func(c *config) *numberSet { return &c.read }), help: "dump what is read from these descriptors"},
		{long: "write", arg: "LIST", group: line, set: setNumbers(func(c *config) *numberSet { return &c.write }), help: "dump what is written to these descriptors"},
		{short: 'x', long: "strings-in-hex", arg: "HOW", optional: true, missing: "all", group: line, set: setHex, letter: countX, help: "hex in strings: non-ascii-chars, non-ascii (-x), all (-xx), none"},
		{short: 'X', long: "const-print-style", arg: "HOW", group: line, set: setStyle, help: "named numbers: raw, abbrev, verbose"},
		{short: 'y', long: "decode-fds", arg: "LIST", optional: true, missing: "path", group: line, set: setDecodeFDs, letter: countY, help: "what descriptors are: path (-y), socket, dev, eventfd, pidfd, signalfd, all (-yy)"},
		{short: 'Y', long: "decode-pids", arg: "LIST", group: line, set: setDecodePIDs, letter: func(c *config, _ string) error { return setDecodePIDs(c, "comm") }, help: "what pids are: comm (-Y), pidns"},
		{long: "always-show-pid", group: line, set: flag(func(c *config) *bool { return &c.showPID }), help: "begin every line with the pid"},
		{short: 't', long: "absolute-timestamps", also: []string{"timestamps"}, arg: "HOW", optional: true, missing: "time", group: line, set: setStamp, letter: countT, help: "when the call began: time (-t), unix, none; s, ms, us, ns; -tt is time,us and -ttt is unix,us"},
		{short: 'r', long: "relative-timestamps", arg: "UNIT", optional: true, group: line, set: setRelative, help: "time since the line before; UNIT is s, ms, us, ns"},
		{short: 'T', long: "syscall-times", arg: "UNIT", optional: true, group: line, set: setTimes, help: "time spent in the call"},
		{short: 'i', long: "instruction-pointer", group: line, set: flag(func(c *config) *bool { return &c.ip }), help: "where in the program the call was made"},
		{short: 'n', long: "syscall-number", group: line, set: flag(func(c *config) *bool { return &c.decode.ShowNR }), help: "the number of the call"},
		{short: 'N', long: "arg-names", group: line, set: setArgNames, help: "names of the arguments"},
		{long: "color", arg: "WHEN", group: line, set: setColor, help: "auto (default), always, never"},
		{long: "json", group: line, set: flag(func(c *config) *bool { return &c.json }), help: "one JSON object a line"},
		{long: "strict-order", group: line, set: flag(func(c *config) *bool { return &c.strict }), help: "show each call when it begins, and again when it returns if others came between"},
		{short: 'q', long: "quiet", also: []string{"silent", "silence"}, arg: "LIST", optional: true, missing: "attach,personality", group: line, set: setQuiet, letter: countQ, help: "leave out messages: attach, personality (-q), exit (-qq), path-resolution, thread-execve, all (-qqq)"},

		{short: 'c', long: "summary-only", group: statistics, set: setSummaryOnly, help: "count calls, errors and time; print a table at the end"},
		{short: 'C', long: "summary", group: statistics, set: setSummary, help: "the table as well as the lines"},
		{short: 'S', long: "summary-sort-by", arg: "COLUMN", group: statistics, set: setSort, help: "time (default), min-time, max-time, avg-time, calls, errors, name, nothing, wall-total …"},
		{short: 'U', long: "summary-columns", arg: "LIST", group: statistics, set: setColumns, help: "time-percent, total-time, min-time, max-time, avg-time, calls, errors, name, wall-total, wall-min, wall-max, wall-avg"},
		{short: 'w', long: "summary-wall-clock", group: statistics, set: setWall, help: "count the time from the beginning to the end of calls"},
		{short: 'O', long: "summary-syscall-overhead", arg: "TIME", group: statistics, set: setOverhead, help: "subtract TIME from each call: 5 (us), 300ns"},

		{long: "backend", arg: "NAME", group: rings, set: setBackend, help: "bpf, perf or ptrace (default: the first that works)"},
		{short: 'm', long: "ring-size", arg: "SIZE", group: rings, set: setRing, help: "ring buffer for each CPU: 512KiB, 4MiB"},
		{long: "ledger", group: rings, set: flag(func(c *config) *bool { return &c.ledger }), help: "always print the account of calls at the end: issued = shown + filtered + lost"},

		{short: 'd', long: "debug", group: other, set: flag(func(c *config) *bool { return &c.debug }), help: "say on stderr what perftrace does"},
		{short: 'h', long: "help", group: other, set: flag(func(c *config) *bool { return &c.showHelp }), help: "print this"},
		{short: 'V', long: "version", group: other, set: flag(func(c *config) *bool { return &c.showVersion }), help: "print the version"},
		{short: 'k', long: "stack-trace", also: []string{"stack-traces"}, arg: "HOW", optional: true, missing: "symbol", group: other, notYet: true, set: checkStack},
		{long: "stack-trace-frame-limit", arg: "N", group: other, notYet: true, set: checkFrames},
		{long: "kvm", arg: "vcpu", group: other, notYet: true, set: checkKVM},
		{long: "namespace", arg: "new", optional: true, missing: "new", group: other, notYet: true, set: checkNamespace},
		{long: "secontext", arg: "FORMAT", optional: true, group: other, notYet: true, set: noContexts},
		{long: "pidns-translation", group: other, set: setPIDNS},
		{short: 'F', group: other, set: flag(func(c *config) *bool { return &c.oldF })},

		{long: "inject", arg: "SET:…", group: stopping, refuse: true, set: ignore, help: "change results and arguments, delay calls"},
		{long: "fault", arg: "SET:…", group: stopping, refuse: true, set: ignore, help: "let calls fail"},
		{short: 'b', long: "detach-on", arg: "execve", group: stopping, refuse: true, ptrace: true, set: checkDetachOn, help: "let go of a process when it calls execve"},
		{short: 'I', long: "interruptible", arg: "WHEN", group: stopping, refuse: true, ptrace: true, set: setInterruptible, help: "when signals stop the tracer: anywhere, waiting, never, never_tstp"},
		{short: 'D', long: "daemonize", also: []string{"daemonised", "daemonized"}, arg: "HOW", optional: true, missing: "grandchild", group: stopping, refuse: true, set: checkDaemonize, help: "be a grandchild of the command"},
		{long: "kill-on-exit", group: stopping, refuse: true, ptrace: true, set: flag(func(c *config) *bool { return &c.stops.killOnExit }), help: "kill the command when the tracer dies"},
		{long: "seccomp-bpf", group: stopping, refuse: true, ptrace: true, set: flag(func(c *config) *bool { return &c.stops.seccomp }), help: "stop the target only at calls that are traced"},
	}
}

// flag makes a setter of a bool.
func flag(field func(*config) *bool) func(*config, string) error {
	return func(c *config, _ string) error {
		*field(c) = true
		return nil
	}
}

// text makes a setter of a string.
func text(field func(*config) *string) func(*config, string) error {
	return func(c *config, arg string) error {
		*field(c) = arg
		return nil
	}
}

func ignore(*config, string) error { return nil }
