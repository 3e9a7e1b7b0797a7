package main

import (
	"os/exec"
	"strings"
)

// A variant is a tracer with its options, or no tracer.
type variant struct {
	name string
	tool string // "" is bare
	// The command line; {out} is its output file, {match} the calls of the
	// workload's loop, {reject} one that no workload makes, {comm} the name of
	// the traced program, {cmd} the workload's command in one word; "{cmd…}" is it
	// as arguments.
	argv  string
	count func(*cell, *output) (tally, error)
	ns    float64 // about what a call costs; decides how many are made
	shows shows
	few   bool // on some workloads only
	quick bool
	aside bool // can't start a command: runs beside the workload
}

// shows is what of the loop's calls a variant has to show.
type shows int

const (
	showAll shows = iota
	showNone
)

const reject = "syncfs" // what no workload calls

// The costs, in ns a call, that decide how many calls are made.
const (
	cheap   = 400
	events  = 1500
	printed = 25000
	stops   = 80000
)

const (
	bpfCount   = `tracepoint:raw_syscalls:sys_enter {filter} { @[args->id] = count(); }`
	bpfLatency = `tracepoint:raw_syscalls:sys_enter {filter} { @s[tid] = nsecs; } ` +
		`tracepoint:raw_syscalls:sys_exit /@s[tid]/ { @[args->id] = stats(nsecs - @s[tid]); delete(@s[tid]); } END { clear(@s); }`
	bpfPrint = `tracepoint:raw_syscalls:sys_enter {filter} { printf("%d %d\n", tid, args->id); }`
)

// Arguments are separated by bars, since some have spaces in them.
var variants = []variant{
	{name: "bare"},
	{name: "bpf", tool: "perftrace", argv: "--backend=bpf|-f|--ledger|-o|{out}|{cmd…}", count: perftraceLines, ns: cheap, quick: true},
	{name: "bpf match", tool: "perftrace", argv: "--backend=bpf|-f|--ledger|-e|trace={match}|-o|{out}|{cmd…}", count: perftraceLines, ns: cheap},
	{name: "bpf reject", tool: "perftrace", argv: "--backend=bpf|-f|--ledger|-e|trace={reject}|-o|{out}|{cmd…}", count: perftraceLines, ns: cheap, shows: showNone, quick: true},
	{name: "bpf -c", tool: "perftrace", argv: "--backend=bpf|-f|--ledger|-c|-o|{out}|{cmd…}", count: perftraceTable, ns: cheap, quick: true},
	{name: "bpf json", tool: "perftrace", argv: "--backend=bpf|-f|--ledger|--json|-o|{out}|{cmd…}", count: perftraceJSON, ns: cheap, few: true},
	{name: "perf", tool: "perftrace", argv: "--backend=perf|-f|--ledger|-o|{out}|{cmd…}", count: perftraceLines, ns: events, quick: true},
	{name: "perf match", tool: "perftrace", argv: "--backend=perf|-f|--ledger|-e|trace={match}|-o|{out}|{cmd…}", count: perftraceLines, ns: events, few: true},
	{name: "perf reject", tool: "perftrace", argv: "--backend=perf|-f|--ledger|-e|trace={reject}|-o|{out}|{cmd…}", count: perftraceLines, ns: cheap, shows: showNone, few: true},
	{name: "perf -c", tool: "perftrace", argv: "--backend=perf|-f|--ledger|-c|-o|{out}|{cmd…}", count: perftraceTable, ns: events, few: true},
	{name: "perf json", tool: "perftrace", argv: "--backend=perf|-f|--ledger|--json|-o|{out}|{cmd…}", count: perftraceJSON, ns: events, few: true},
	{name: "perf to /dev/null", tool: "perftrace", argv: "--backend=perf|-f|--ledger|-o|/dev/null|{cmd…}", ns: events, few: true, quick: true},
	{name: "ptrace", tool: "perftrace", argv: "--backend=ptrace|-f|--ledger|-o|{out}|{cmd…}", count: perftraceLines, ns: stops, quick: true},
	{name: "ptrace match", tool: "perftrace", argv: "--backend=ptrace|-f|--seccomp-bpf|--ledger|-e|trace={match}|-o|{out}|{cmd…}", count: perftraceLines, ns: stops, few: true},
	{name: "ptrace reject", tool: "perftrace", argv: "--backend=ptrace|-f|--seccomp-bpf|--ledger|-e|trace={reject}|-o|{out}|{cmd…}", count: perftraceLines, ns: cheap, shows: showNone, few: true},
	{name: "ptrace -c", tool: "perftrace", argv: "--backend=ptrace|-f|--ledger|-c|-o|{out}|{cmd…}", count: perftraceTable, ns: stops, few: true},
	{name: "ptrace json", tool: "perftrace", argv: "--backend=ptrace|-f|--ledger|--json|-o|{out}|{cmd…}", count: perftraceJSON, ns: stops, few: true},
	{name: "strace", tool: "strace", argv: "-f|-o|{out}|{cmd…}", count: lines, ns: stops, quick: true},
	{name: "strace seccomp match", tool: "strace", argv: "-f|--seccomp-bpf|-e|trace={match}|-o|{out}|{cmd…}", count: lines, ns: stops, few: true},
	{name: "strace seccomp reject", tool: "strace", argv: "-f|--seccomp-bpf|-e|trace={reject}|-o|{out}|{cmd…}", count: lines, ns: cheap, shows: showNone, quick: true},
	{name: "strace -c", tool: "strace", argv: "-f|-c|-o|{out}|{cmd…}", count: straceTable, ns: stops, few: true},
	{name: "perf trace", tool: "perf", argv: "trace|-o|{out}|{cmd…}", count: perfTraceLines, ns: printed, quick: true},
	{name: "perf trace -e match", tool: "perf", argv: "trace|-e|{match}|-o|{out}|{cmd…}", count: perfTraceLines, ns: printed, few: true},
	{name: "perf trace -e reject", tool: "perf", argv: "trace|-e|{reject}|-o|{out}|{cmd…}", count: perfTraceLines, ns: cheap, shows: showNone, quick: true, few: true},
	{name: "perf trace -s", tool: "perf", argv: "trace|-s|-o|{out}|{cmd…}", count: perfTraceSummary, ns: printed, few: true},
	{name: "perf trace record", tool: "perf", argv: "trace|record|-o|{out}|{cmd…}", count: perfData, ns: events, quick: true},
	{name: "bpftrace count", tool: "bpftrace", argv: "-o|{out}|-e|" + bpfCount + "|-c|{cmd}", count: bpftraceTable, ns: cheap, quick: true},
	{name: "bpftrace latency", tool: "bpftrace", argv: "-o|{out}|-e|" + bpfLatency + "|-c|{cmd}", count: bpftraceTable, ns: cheap, few: true},
	{name: "bpftrace print", tool: "bpftrace", argv: "-o|{out}|-e|" + bpfPrint + "|-c|{cmd}", count: bpftraceLines, ns: events, few: true},
	{name: "trace-cmd", tool: "trace-cmd", argv: "record|-F|-e|raw_syscalls|-o|{out}|{cmd…}", count: traceCmd, ns: events, few: true},
	{name: "sysdig", tool: "sysdig", argv: "-w|{out}|proc.name={comm}", count: sysdig, ns: events, few: true, aside: true},
}

// expand makes the command line of a cell: the tracer's, then the workload's.
func (v *variant) expand(tool, out string, c *cell, cmd []string) []string {
	if v.tool == "" {
		return cmd
	}
	// Names are cut to 15 bytes by the kernel; ours are shorter.
	comm := "ptb-" + c.workload.prog
	filter := `/comm == "` + comm + `"/`
	if c.workload.job != nil {
		filter = "" // the job has other names, and children
	}
	r := strings.NewReplacer(
		"{out}", out, "{match}", strings.Join(c.workload.calls, ","), "{reject}", reject,
		"{comm}", comm, "{filter}", filter, "{cmd}", strings.Join(cmd, " "),
	)
	argv := []string{tool}
	for a := range strings.SplitSeq(v.argv, "|") {
		if a == "{cmd…}" {
			argv = append(argv, cmd...)
			continue
		}
		argv = append(argv, r.Replace(a))
	}
	return argv
}

// find tells where the tool is, or that it is missing.
func (b *bench) find(tool string) (string, error) {
	if tool == "perftrace" {
		return b.perftrace, nil
	}
	return exec.LookPath(tool)
}
