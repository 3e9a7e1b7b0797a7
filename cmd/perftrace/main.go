// Perftrace traces system calls: strace's command line and strace's line,
// through per-CPU perf rings, without stopping the target.
//
// The way through the program:
//
//	parse.go, options.go, qualify.go   the command line becomes a config
//	checks.go                          what of it can't be together
//	command.go, held/                  the command is started and held before its execve
//	backend.go                         an event.Source is chosen and opened
//	session.go                         events are taken from it, one by one …
//	tracker.go                         … each belongs to a task …
//	lines.go, json.go, summary.go      … and becomes a line, an object, or a count
//	output.go                          which goes into a file, a pipe, or a file for each task
//	ledger.go, end.go                  the account, and the command's exit status
package main

import "os"

func main() {
	say := &sayer{name: programName(os.Args), w: os.Stderr}
	args := os.Args
	if len(args) == 0 {
		args = []string{"perftrace"}
	}
	cfg, err := parse(args[1:])
	if err != nil {
		os.Exit(say.fail(err))
	}
	os.Exit(run(cfg, say))
}

// run does what the command line asks for and returns the exit status.
func run(cfg *config, say *sayer) int {
	switch {
	case cfg.showHelp:
		os.Stdout.WriteString(helpText(say.name))
		return 0
	case cfg.showVersion:
		os.Stdout.WriteString(versionText())
		return 0
	case cfg.listFilters:
		os.Stdout.WriteString(filterText())
		return 0
	}
	if err := cfg.check(say); err != nil {
		return say.fail(err)
	}
	status, err := trace(cfg, say)
	if err != nil {
		return say.fail(err)
	}
	return status.leave()
}
