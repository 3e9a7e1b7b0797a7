package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// An output is what a tracer left behind.
type output struct {
	file string           // that it wrote to
	said string           // its stdout and stderr
	tool string           // where it is, to read its file with
	made map[string]int64 // the calls of the loop; empty for jobs
}

// A tally is what a tracer showed of a run, in calls.
type tally struct {
	Issued      int64 // as it says itself; 0 if it doesn't
	Shown       int64 // of the loop's calls, or of all of a job's; -1: not known
	Filtered    int64
	Lost        int64 // as it says itself
	Unaccounted int64 // that should have been shown and are neither shown nor said to be lost
	Counted     bool  // whether there is something to compare with
}

// tally counts what is in the output, and removes it.
func (b *bench) tally(c *cell, r *run, out *output) string {
	defer os.Remove(out.file)
	if c.variant.count == nil {
		return ""
	}
	t, err := c.variant.count(c, out)
	if err != nil {
		return err.Error()
	}
	r.tally = t
	if c.workload.near || len(out.made) == 0 {
		return ""
	}
	var want int64
	if c.variant.shows == showAll {
		for name, n := range out.made {
			want += n + b.around[c.workload.name][name]
		}
	}
	r.Counted = true
	missing := want - t.Shown
	r.Unaccounted += missing - max(0, min(t.Lost, missing))
	return ""
}

var ledgerLine = regexp.MustCompile(`(?m)^perftrace: issued (\d+) = shown (\d+) \+ filtered (\d+) \+ lost (\d+)`)

// ledger reads perftrace's closing account. What doesn't add up is unaccounted.
func (o *output) ledger() (tally, error) {
	m := ledgerLine.FindStringSubmatch(o.said)
	if m == nil {
		return tally{}, fmt.Errorf("perftrace printed no ledger: %.160s", o.said)
	}
	var v [4]int64
	for i := range v {
		v[i], _ = strconv.ParseInt(m[i+1], 10, 64)
	}
	return tally{Issued: v[0], Shown: v[1], Filtered: v[2], Lost: v[3], Unaccounted: v[0] - v[1] - v[2] - v[3], Counted: true}, nil
}

// each calls f for every line of a file, without its end. The line is valid until f returns.
func each(file string, f func(line []byte)) error {
	r, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil // nothing was written
	} else if err != nil {
		return err
	}
	defer r.Close()
	return eachOf(r, f)
}

func eachOf(r io.Reader, f func(line []byte)) error {
	br := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := br.ReadSlice('\n')
		if len(line) > 0 {
			f(bytes.TrimSuffix(line, []byte("\n")))
		}
		// The rest of a line that is longer than a MiB counts as a line, with no call in it.
		if err != nil && err != bufio.ErrBufferFull {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// word is the name in front of the n-th "(" of a line.
func word(line []byte, n int) []byte {
	at := -1
	for range n {
		i := bytes.IndexByte(line[at+1:], '(')
		if i < 0 {
			return nil
		}
		at += 1 + i
	}
	begin := at
	for begin > 0 && (line[begin-1] == '_' || line[begin-1] >= '0' && line[begin-1] <= '9' || line[begin-1] >= 'a' && line[begin-1] <= 'z') {
		begin--
	}
	return line[begin:at]
}

// wanted tells whether a call is counted: any of a job's, or one of the loop's.
func (o *output) wanted(name string) bool {
	if len(o.made) == 0 {
		return name != ""
	}
	_, ok := o.made[name]
	return ok
}

// calls counts the lines with a wanted call, whose name is before the n-th "(".
func (o *output) calls(n int) (int64, error) {
	var shown int64
	err := each(o.file, func(line []byte) {
		if o.wanted(string(word(line, n))) {
			shown++
		}
	})
	return shown, err
}

// lines counts the lines of strace.
func lines(c *cell, o *output) (tally, error) {
	shown, err := o.calls(1)
	return tally{Shown: shown}, err
}

func perftraceLines(c *cell, o *output) (tally, error) {
	t, err := o.ledger()
	if err == nil && len(o.made) > 0 {
		t.Shown, err = o.calls(1)
	}
	return t, err
}

var jsonCall, jsonName = []byte(`{"type":"call"`), []byte(`"name":"`)

func perftraceJSON(c *cell, o *output) (tally, error) {
	t, err := o.ledger()
	if err != nil || len(o.made) == 0 {
		return t, err
	}
	t.Shown = 0
	err = each(o.file, func(line []byte) {
		if !bytes.HasPrefix(line, jsonCall) {
			return
		}
		_, rest, _ := bytes.Cut(line, jsonName)
		name, _, _ := bytes.Cut(rest, []byte(`"`))
		if o.wanted(string(name)) {
			t.Shown++
		}
	})
	return t, err
}

// table adds up the column of calls of a table whose last or first column is the name.
func (o *output) table(nameFirst bool, column int) (int64, error) {
	var shown int64
	err := each(o.file, func(line []byte) {
		f := strings.Fields(string(line))
		if len(f) < 4 {
			return
		}
		name := f[len(f)-1]
		if nameFirst {
			name = f[0]
		}
		n, err := strconv.ParseInt(f[column], 10, 64)
		if err == nil && name != "total" && o.wanted(name) {
			shown += n
		}
	})
	return shown, err
}

func straceTable(c *cell, o *output) (tally, error) {
	shown, err := o.table(false, 3)
	return tally{Shown: shown}, err
}

func perftraceTable(c *cell, o *output) (tally, error) {
	t, err := o.ledger()
	if err == nil && len(o.made) > 0 {
		t.Shown, err = o.table(false, 3)
	}
	return t, err
}

var lostEvents = regexp.MustCompile(`(?i)\blost (\d+) (?:events|samples|chunks)`)

// lost adds up what perf and bpftrace say that they lost; perf has two events a call.
func lost(text string) int64 {
	var sum int64
	for _, m := range lostEvents.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.ParseInt(m[1], 10, 64)
		sum += n
	}
	return sum
}

func perfTraceLines(c *cell, o *output) (tally, error) {
	t := tally{Lost: lost(o.said)}
	err := each(o.file, func(line []byte) {
		// "0.012 ( 0.003 ms): name(" shows a call; "... [continued]: name" its end.
		switch {
		case bytes.Contains(line, []byte("LOST ")):
			t.Lost += lost(string(line))
		case !bytes.Contains(line, []byte("[continued]")) && o.wanted(string(word(line, 2))):
			t.Shown++
		}
	})
	t.Lost = (t.Lost + 1) / 2
	return t, err
}

func perfTraceSummary(c *cell, o *output) (tally, error) {
	shown, err := o.table(true, 1)
	return tally{Shown: shown, Lost: (lost(o.said) + 1) / 2}, err
}

// numbers are those of the calls that loops make.
var numbers = map[string]int64{
	"getppid": unix.SYS_GETPPID, "read": unix.SYS_READ, "write": unix.SYS_WRITE, "openat": unix.SYS_OPENAT,
	"lseek": unix.SYS_LSEEK, "close": unix.SYS_CLOSE, "futex": unix.SYS_FUTEX,
}

func (o *output) wantedNumber(nr int64) bool {
	if len(o.made) == 0 {
		return true
	}
	for name := range o.made {
		if numbers[name] == nr {
			return true
		}
	}
	return false
}

var bpfRow = regexp.MustCompile(`^@\[(\d+)\]: (?:count )?(\d+)`)

func bpftraceTable(c *cell, o *output) (tally, error) {
	t := tally{Lost: lost(o.said)}
	err := each(o.file, func(line []byte) {
		m := bpfRow.FindSubmatch(line)
		if m == nil {
			return
		}
		nr, _ := strconv.ParseInt(string(m[1]), 10, 64)
		n, _ := strconv.ParseInt(string(m[2]), 10, 64)
		if o.wantedNumber(nr) {
			t.Shown += n
		}
	})
	if len(o.made) == 0 {
		t.Shown = -1 // it counted the whole machine
	}
	return t, err
}

func bpftraceLines(c *cell, o *output) (tally, error) {
	t := tally{Lost: lost(o.said)}
	err := each(o.file, func(line []byte) {
		t.Lost += lost(string(line))
		f := bytes.Fields(line)
		if len(f) != 2 {
			return
		}
		if nr, err := strconv.ParseInt(string(f[1]), 10, 64); err == nil && o.wantedNumber(nr) {
			t.Shown++
		}
	})
	return t, err
}

func perfData(c *cell, o *output) (tally, error) {
	var names []int64
	for name := range o.made {
		names = append(names, numbers[name])
	}
	d, err := readPerfData(o.file, func(nr int64) bool { return len(names) == 0 || slices.Contains(names, nr) })
	return tally{Shown: d.samples / 2, Lost: (d.lost + 1) / 2}, err
}

// piped counts the lines of a command's output that hold one of the words.
func (o *output) piped(argv []string, words func(line []byte) bool) (tally, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return tally{}, err
	}
	if err := cmd.Start(); err != nil {
		return tally{}, err
	}
	var t tally
	err = eachOf(out, func(line []byte) {
		if words(line) {
			t.Shown++
		}
	})
	return t, errors.Join(err, cmd.Wait())
}

func traceCmd(c *cell, o *output) (tally, error) {
	return o.piped([]string{o.tool, "report", "-i", o.file}, func(line []byte) bool {
		_, rest, ok := bytes.Cut(line, []byte("sys_enter: NR "))
		if !ok {
			return false
		}
		nr, _ := strconv.ParseInt(string(bytes.Fields(rest)[0]), 10, 64)
		return o.wantedNumber(nr)
	})
}

func sysdig(c *cell, o *output) (tally, error) {
	return o.piped([]string{o.tool, "-r", o.file, "-p", "%evt.dir %syscall.type"}, func(line []byte) bool {
		dir, name, _ := strings.Cut(string(line), " ")
		return dir == ">" && o.wanted(name)
	})
}
