package main

import (
	"os/signal"
	"strings"

	"golang.org/x/sys/unix"

	"perftrace/event"
	"perftrace/filter"
	"perftrace/ptrace"
)

// This file is about what only a tracer that stops its targets can do: the
// options of --backend=ptrace.

// stopOptions are the options that --backend=ptrace has and the others refuse.
type stopOptions struct {
	given         []string // as they stand on the command line
	seccomp       bool     // --seccomp-bpf
	detachOnExec  bool     // -b execve
	killOnExit    bool     // --kill-on-exit
	interruptible interruptible
}

// interruptible says which signals end the trace (-I); the zero value: not said.
type interruptible uint8

const (
	interruptAnywhere interruptible = 1 + iota
	interruptWaiting
	interruptNever
	interruptNeverTSTP
)

// refuse notes an option that only a tracer that stops the target can do.
func (c *config) refuse(o *option, given string) {
	if o.ptrace {
		c.stops.given = append(c.stops.given, given)
		return
	}
	c.refused = append(c.refused, given)
}

func checkDetachOn(c *config, arg string) error {
	if arg != "execve" {
		return cannot("Syscall '%s' for -b isn't supported", arg)
	}
	c.stops.detachOnExec = true
	return nil
}

func setInterruptible(c *config, arg string) error {
	names := map[string]interruptible{
		"1": interruptAnywhere, "anywhere": interruptAnywhere, "always": interruptAnywhere,
		"2": interruptWaiting, "waiting": interruptWaiting,
		"3": interruptNever, "never": interruptNever,
		"4": interruptNeverTSTP, "never_tstp": interruptNeverTSTP,
	}
	level, ok := names[strings.ToLower(arg)]
	if !ok {
		return errArgument{}
	}
	c.stops.interruptible = level
	return nil
}

// checkStops says what of these options can't be together, in strace's words.
func (c *config) checkStops(say *sayer) error {
	o := &c.stops
	if c.backend != "ptrace" {
		return nil // refused presently
	}
	if o.seccomp && !c.follow {
		say.say("--seccomp-bpf cannot be used without -f/--follow-forks, disabling")
		o.seccomp = false
	}
	if o.seccomp && o.detachOnExec {
		say.say("--seccomp-bpf is not enabled because it is not compatible with -b")
		o.seccomp = false
	}
	if o.seccomp && c.limit > 0 {
		say.say("--seccomp-bpf is not enabled because it is not compatible with --syscall-limit")
		o.seccomp = false
	}
	if o.seccomp && len(c.pids) > 0 {
		say.say("--seccomp-bpf is not enabled for processes attached with -p")
		o.seccomp = len(c.command) > 0
	}
	if o.killOnExit && len(c.pids) > 0 {
		return cannot("--kill-on-exit and -p/--attach are mutually exclusive options")
	}
	return nil
}

func newPtrace(c *config) event.Source {
	return &ptrace.Source{
		SeccompBPF:   c.stops.seccomp,
		DetachOnExec: c.stops.detachOnExec,
		// The calls of a filter fail in a command that has lost its tracer.
		KillOnExit: c.stops.killOnExit || c.stops.seccomp && len(c.pids) == 0,
	}
}

// filterFor is what the command has to install before its execve, if anything.
func filterFor(c *config) ([]byte, error) {
	if !c.stops.seccomp {
		return nil, nil
	}
	calls := c.callSets()
	p, err := ptrace.FilterProgram(&calls)
	if err != nil {
		return nil, cannot("%v", err)
	}
	return ptrace.EncodeFilter(p), nil
}

// ignoreSignals has the signals ignored that would end the trace, if -I says so.
func (s *session) ignoreSignals() bool {
	level := s.cfg.stops.interruptible
	if level < interruptNever {
		return false
	}
	signal.Ignore(unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGPIPE, unix.SIGTERM)
	if level == interruptNeverTSTP {
		signal.Ignore(unix.SIGTSTP)
	}
	return true
}

// letGo writes the last line of a task whose execve has succeeded and that is
// not traced any more (-b execve).
func (s *session) letGo(t *task, e *event.Event) {
	if t.failedExec || !s.keep(e) || !s.cfg.status.Has(filter.Detached) {
		s.filtered++
		return
	}
	s.shown++
	s.called(t, e)
	switch {
	case s.cfg.summary.only:
	case s.cfg.json:
		s.callObject(t, e)
	default:
		st := s.out.of(t)
		if st.open != t {
			s.beginLine(t, e)
		}
		st.buf = append(st.buf, detachedText...)
		st.open = nil
		s.out.wrote(st, e.Time)
	}
}

const detachedText = " <detached ...>\n"

// forget says that a task is not traced any more.
func (s *session) forget(t *task) {
	if s.cfg.quiet&quietAttach == 0 {
		s.say.say("Process %d detached", t.tid)
	}
	s.out.close(t.own)
	s.tasks.drop(t)
}
