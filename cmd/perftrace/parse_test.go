package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perftrace/decode"
	"perftrace/decode/out"
	"perftrace/event"
)

// checked parses and checks a command line and returns what was said, "" if
// nothing was wrong.
func checked(t *testing.T, args ...string) (*config, string) {
	t.Helper()
	var said bytes.Buffer
	say := &sayer{name: "strace", w: &said}
	cfg, err := parse(args)
	if err == nil {
		err = cfg.check(say)
	}
	if err != nil {
		say.fail(err)
		return nil, said.String()
	}
	return cfg, said.String()
}

const help = "Try 'strace -h' for more information.\n"

func TestBadCommandLinesAreRefusedInStracesWords(t *testing.T) {
	for _, test := range []struct {
		args string
		want string
	}{
		{"", "strace: must have PROG [ARGS] or -p PID\n" + help},
		{"-f -o x", "strace: must have PROG [ARGS] or -p PID\n" + help},
		{"--nope true", "strace: unrecognized option '--nope'\n" + help},
		{"-l true", "strace: invalid option -- 'l'\n" + help},
		{"-fl true", "strace: invalid option -- 'l'\n" + help},
		{"-o", "strace: option requires an argument -- 'o'\n" + help},
		{"--output", "strace: option '--output' requires an argument\n" + help},
		{"--help=x", "strace: option '--help' doesn't allow an argument\n" + help},
		{"--summary-s=x true", "strace: option '--summary-s' is ambiguous; possibilities: '--summary-sort-by' '--summary-syscall-overhead'\n" + help},
		{"-p 0", "strace: Invalid process id: '0'\n"},
		{"-p -42", "strace: Invalid process id: '-42'\n"},
		{"-p 1,a", "strace: Invalid process id: 'a'\n"},
		{"--attach=7.", "strace: Invalid process id: '7.'\n"},
		{"-a x true", "strace: invalid -a argument: 'x'\n" + help},
		{"--columns=-1 true", "strace: invalid --columns argument: '-1'\n" + help},
		{"-s 1073741824 true", "strace: invalid -s argument: '1073741824'\n" + help},
		{"--timestamps=format:s true", "strace: invalid --timestamps argument: 'format:s'\n" + help},
		{"--absolute-timestamps=ss true", "strace: invalid --absolute-timestamps argument: 'ss'\n" + help},
		{"--relative-timestamps=n true", "strace: invalid --relative-timestamps argument: 'n'\n" + help},
		{"--syscall-times=ss true", "strace: invalid --syscall-times argument: 'ss'\n" + help},
		{"--strings-in-hex=al true", "strace: invalid --strings-in-hex argument: 'al'\n" + help},
		{"-Xa true", "strace: invalid -X argument: 'a'\n" + help},
		{"-I=never true", "strace: invalid -I argument: '=never'\n" + help},
		{"--syscall-limit=0 true", "strace: invalid --syscall-limit argument: '0'\n" + help},
		{"-b chdir true", "strace: Syscall 'chdir' for -b isn't supported\n"},
		{"-t --timestamps true", "strace: -t and --absolute-timestamps cannot be provided simultaneously\n"},
		{"-xx --strings-in-hex true", "strace: -x and --strings-in-hex cannot be provided simultaneously\n"},
		{"-y --decode-fds true", "strace: -y and --decode-fds cannot be provided simultaneously\n"},
		{"-q --quiet true", "strace: -q and -e quiet/--quiet cannot be provided simultaneously\n"},
		{"-q -e silent=attach true", "strace: -q and -e quiet/--quiet cannot be provided simultaneously\n"},
		{"-f --follow-forks true", "strace: -f and --follow-forks cannot be provided simultaneously\n"},
		{"-ff --output-separately true", "strace: -ff and --output-separately cannot be provided simultaneously\n"},
		{"-c -C true", "strace: -c/--summary-only and -C/--summary are mutually exclusive\n" + help},
		{"-w true", "strace: -w/--summary-wall-clock must be given with (-c/--summary-only or -C/--summary)\n" + help},
		{"-U name true", "strace: -U/--summary-columns must be given with (-c/--summary-only or -C/--summary)\n" + help},
		{"-c -ff true", "strace: (-c/--summary-only or -C/--summary) and -ff/--output-separately are mutually exclusive\n" + help},
		{"-ff -o |cat true", "strace: piping the output and -ff/--output-separately are mutually exclusive\n" + help},
		{"-S non true", "strace: invalid sortby: 'non'\n" + help},
		{"-c -U time,,name true", "strace: unknown column name: ''\n" + help},
		{"-c -U calls,count true", "strace: call summary column has been provided more than once: 'count' (-U option residual: 'count')\n" + help},
		{"--argv0=x -p 1", "strace: PROG [ARGS] must be specified with --argv0\n" + help},
		{"-e trace=nosuchcall true", "strace: invalid system call 'nosuchcall'\n"},
		{"-e signal=nope true", "strace: invalid signal 'nope'\n"},
		{"-e quiet=detach true", "strace: invalid quiet 'detach'\n"},
		{"-e decode-fds=sock true", "strace: invalid decode-fds 'sock'\n"},
		{"-O 1x true", "strace: invalid -O argument: '1x'\n" + help},
		{"-m 1KiB true", "strace: a ring of 1.0 KiB cannot be: -m takes sizes from 4KiB to 1GiB\n"},
		{"-m pile true", "strace: invalid -m argument: 'pile'\n" + help},
		{"--backend=magic true", "strace: there is no backend 'magic': use one of bpf, perf, ptrace\n"},
		{"-e inject=getpid:retval=1 true", "strace: -e inject needs a target that is stopped at its calls, which perftrace avoids: that is work for --backend=ptrace\n"},
		{"--kill-on-exit true", "strace: --kill-on-exit needs a target that is stopped at its calls, which perftrace avoids: that is work for --backend=ptrace\n"},
	} {
		if _, got := checked(t, strings.Fields(test.args)...); got != test.want {
			t.Errorf("%s:\n got %q\nwant %q", test.args, got, test.want)
		}
	}
}

func TestOptionsWithoutEffectAreMentioned(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"-c -i -T true", "strace: -i/--instruction-pointer has no effect with -c/--summary-only\nstrace: -T/--syscall-times has no effect with -c/--summary-only\n"},
		{"-S calls true", "strace: -S/--summary-sort-by has no effect without (-c/--summary-only or -C/--summary)\n"},
		{"-A true", "strace: -A/--output-append-mode has no effect without -o/--output\n"},
		{"-F true", "strace: option -F is deprecated, please use -f/--follow-forks instead\n"},
		{"-fF true", "strace: deprecated option -F ignored\n"},
		{"-zZ true", "strace: Only the last of -z/--successful-only/-Z/--failed-only options will take effect. See status qualifier for more complex filters.\n"},
	} {
		if cfg, got := checked(t, strings.Fields(test.args)...); got != test.want || cfg == nil {
			t.Errorf("%s:\n got %q\nwant %q", test.args, got, test.want)
		}
	}
}

func TestTheFirstWordThatIsNoOptionIsTheCommand(t *testing.T) {
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"-f", "ls", "-f", "--help"}, []string{"ls", "-f", "--help"}},
		{[]string{"-o", "x", "--", "-f"}, []string{"-f"}},
		{[]string{"-"}, []string{"-"}},
		{[]string{"-fqs9", "ls"}, []string{"ls"}},
		{[]string{"top"}, []string{"top"}},
	} {
		cfg, said := checked(t, test.args...)
		if said != "" || !slices.Equal(cfg.command, test.want) {
			t.Errorf("%q: command %q, said %q", test.args, cfg.command, said)
		}
	}
}

func TestEverySpellingOfAnOptionDoesTheSame(t *testing.T) {
	type check func(*config) any
	for _, test := range []struct {
		name  string
		field check
		want  any
		lines []string
	}{
		{"follow", func(c *config) any { return c.follow }, true, []string{"-f", "--follow-forks", "--follow", "-ff", "-F -f"}},
		{"separate", func(c *config) any { return c.separate }, true, []string{"-ff -o x", "-f --output-separately -o x"}},
		{"output", func(c *config) any { return c.output }, "x", []string{"-o x", "-ox", "--output=x", "--output x", "--output-a -o x"}},
		{"pids", func(c *config) any { return len(c.pids) }, 2, []string{"-p 1,2", "-p 1 -p 2", "--attach=1,,2,", "-p1 -p2 -p1"}},
		{"strings", func(c *config) any { return c.decode.StringMax }, 7, []string{"-s7", "-s 7", "--string-limit=7"}},
		{"column", func(c *config) any { return c.decode.Column }, 7, []string{"-a7", "--columns=7"}},
		{"stamps", func(c *config) any { return c.stamp }, stampOptions{format: stampTime}, []string{"-t", "--absolute-timestamps", "--timestamps=time", "--absolute-timestamps=format:time"}},
		{"stamps tt", func(c *config) any { return c.stamp }, stampOptions{format: stampTime, precision: inMicros}, []string{"-tt", "-t -t", "--timestamps=us", "--timestamps=precision:us,time"}},
		{"stamps ttt", func(c *config) any { return c.stamp }, stampOptions{format: stampUnix, precision: inMicros}, []string{"-ttt", "--timestamps=unix,us"}},
		{"relative", func(c *config) any { return c.stamp.relScale }, inMicros, []string{"-r", "--relative-timestamps", "--relative-timestamps=us"}},
		{"times", func(c *config) any { return c.times }, inMicros, []string{"-T", "--syscall-times", "--syscall-times=us"}},
		{"hex", func(c *config) any { return c.decode.HexStrings }, out.HexAll, []string{"-xx", "-xxx", "--strings-in-hex", "--strings-in-hex=all"}},
		{"quiet", func(c *config) any { return c.quiet }, quietAttach | quietPersonality, []string{"-q", "--quiet", "--silent", "-e quiet=attach,personality", "-e q=attach,personality", "-o x"}},
		{"quieter", func(c *config) any { return c.quiet }, quietAttach | quietPersonality | quietExit, []string{"-qq", "--quiet=attach,personality,exits"}},
		{"fds", func(c *config) any { return c.decode.FDs }, decode.FDPath, []string{"-y", "--decode-fds", "--decode-fds=path", "-e decode-fd=path"}},
		{"all fds", func(c *config) any { return c.decode.FDs }, decode.FDPath | decode.FDSocket | decode.FDDevice | decode.FDPid | decode.FDSignal | decode.FDEvent, []string{"-yy", "--decode-fds=all"}},
		{"comm", func(c *config) any { return c.pidComm }, true, []string{"-Y", "--decode-pids=comm", "-e decode-pids=comm"}},
		{"abbrev", func(c *config) any { return c.decode.Abbrev }, event.CallSets{}, []string{"-v", "--no-abbrev", "-e abbrev=none", "-e a=none"}},
		{"close only", func(c *config) any {
			return c.calls.Has(event.Native, nr(t, "close")) && !c.calls.Has(event.Native, nr(t, "read"))
		}, true, []string{"-e close", "-e trace=close", "-e t=close", "--trace=close", "-e !all -e close", "--filter=close"}},
		{"all but close", func(c *config) any {
			return !c.calls.Has(event.Native, nr(t, "close")) && c.calls.Has(event.Native, nr(t, "read"))
		}, true, []string{"-e !close", "-e trace=!close"}},
		{"ring", func(c *config) any { return c.ringBytes }, uint64(512 << 10), []string{"-m 512KiB", "-m512k", "-m 300KiB", "--ring-size=0.5MiB"}},
		{"overhead", func(c *config) any { return c.summary.overhead }, uint64(1500), []string{"-c -O 1.5", "-c -O 1500ns", "-c -O1.5us", "-c --summary-syscall-overhead=0.0015ms"}},
		{"duration", func(c *config) any { return c.duration }, uint64(500_000), []string{"--duration=0.5", "--duration=500us", "--duration=>=0.5ms"}},
		{"limit", func(c *config) any { return c.limit }, uint64(5), []string{"--syscall-limit=5", "--max-events=5"}},
	} {
		for _, line := range test.lines {
			cfg, said := checked(t, append(strings.Fields(line), "true")...)
			if cfg == nil {
				t.Errorf("%s: %s: %s", test.name, line, said)
				continue
			}
			if got := test.field(cfg); got != test.want {
				t.Errorf("%s: %s: got %v, want %v", test.name, line, got, test.want)
			}
		}
	}
}

// The help is what users see of the table; a change of it is meant to be seen.
// PERFTRACE_UPDATE=1 go test writes it anew.
func TestHelpIsTheTable(t *testing.T) {
	const golden = "testdata/help.txt"
	got := helpText("perftrace")
	if os.Getenv("PERFTRACE_UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("help changed (-want +got):\n%s", diff)
	}
	for i, line := range strings.Split(got, "\n") {
		if len([]rune(line)) > helpWidth && !strings.HasPrefix(line, "  -") {
			t.Errorf("line %d is %d wide", i+1, len([]rune(line)))
		}
	}
}

func TestNoLetterAndNoNameIsTwiceInTheTable(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range options() {
		names := o.names()
		if o.short != 0 {
			names = append(names, string(o.short))
		}
		for _, n := range names {
			if seen[n] {
				t.Errorf("%q is twice in the table", n)
			}
			seen[n] = true
		}
		if o.set == nil {
			t.Errorf("%q does nothing", names)
		}
	}
}

func TestEnvironmentChangesAreMadeInOrder(t *testing.T) {
	got, err := changeEnv([]string{"A=1", "B=2", "AB=3", "C"}, []string{"A=x", "B", "D=4", "C", "D=5"})
	if want := []string{"A=x", "AB=3", "D=5"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
