package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"perftrace/event"
	"perftrace/event/need"
)

// recorded traces a program with these options and returns its events, to be
// shown in more than one way.
func recorded(t *testing.T, options, dir string, command ...string) (events []event.Event) {
	t.Helper()
	cmd := exec.Command("sh", append([]string{"-c", `read go; exec "$@"`, "sh"}, command...)...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + dir, "LC_ALL=C", "TZ=UTC"}
	start, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	cfg, err := parse(append(strings.Fields(options), "-p", utoa(uint32(cmd.Process.Pid))))
	if err != nil {
		t.Fatal(err)
	}
	say := &sayer{name: "perftrace", w: os.Stderr}
	if err := cfg.check(say); err != nil {
		t.Fatal(err)
	}
	s := newSession(cfg, say, &outputs{cfg: cfg, say: say})
	src, err := openSource(cfg, prepareSource(cfg), cfg.plan(s.rows, 0), say)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if err := src.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { start.Close(); _ = cmd.Wait(); close(ended) }()
	for over := false; ; {
		e, err := src.Next(50 * time.Millisecond)
		if err != nil {
			break
		}
		if e == nil {
			if over {
				break
			}
			select {
			case <-ended:
				over = true
			default:
			}
			continue
		}
		c := *e
		c.In, c.Out, c.Siginfo = bytes.Clone(e.In), bytes.Clone(e.Out), bytes.Clone(e.Siginfo)
		events = append(events, c)
	}
	if l := src.Ledger(); l.LostTotal() != 0 || len(events) == 0 {
		t.Fatalf("%d events, ledger %+v", len(events), l)
	}
	return events
}

// shown are the lines of events with these options.
func shown(t *testing.T, options string, events []event.Event) []string {
	t.Helper()
	text := traced(t, options, &fakeSource{events: events})
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func lineSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	s, err := c.Compile("../../docs/json-schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// An event is the same in the line and in the object; the objects of real
// programs are what the schema says.
func TestObjectsValidateAndHoldWhatTheLinesHold(t *testing.T) {
	need.BPF(t)
	schema := lineSchema(t)
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			for _, c := range p.needs() {
				need.Command(t, c)
			}
			// Without -f: no prefix to the lines, and the same of every task.
			const options = "-q -yy -v -s 100 -a 0"
			events := recorded(t, "-f "+options, t.TempDir(), "sh", "-c", p.run())
			var calls []event.Event
			for _, e := range events {
				if e.Kind == event.KindSyscall && e.Flags&event.Resumed == 0 {
					e.TID, e.TGID = 100, 100
					calls = append(calls, e)
				}
			}
			lines, objects := shown(t, options, calls), shown(t, "--json "+options, calls)
			if len(lines) != len(calls) || len(objects) != len(calls) {
				t.Fatalf("%d events, %d lines, %d objects", len(calls), len(lines), len(objects))
			}
			bad := 0
			for i, object := range objects {
				if err := sameContent(object, lines[i]); err != nil {
					t.Errorf("%v\n%s\n%s", err, lines[i], object)
					bad++
				}
				if bad > 5 {
					t.Fatal("and so on")
				}
			}
			// All kinds of objects, as they are written for a trace with children.
			for _, object := range shown(t, "-f --json "+options, events) {
				v, err := jsonschema.UnmarshalJSON(strings.NewReader(object))
				if err == nil {
					err = schema.Validate(v)
				}
				if err != nil {
					t.Fatalf("%v\n%s", err, object)
				}
			}
		})
	}
}

func TestTheSchemaRefusesWhatIsNoObjectOfATrace(t *testing.T) {
	schema := lineSchema(t)
	const head = `{"time":1,"mono":1,"pid":1,"tid":1,"type":`
	for _, object := range []string{
		head + `"call"}`,
		head + `"call","cpu":0,"abi":"native","nr":0,"name":"read","errno":"EBADF"}`,
		head + `"call","cpu":0,"abi":"native","nr":0,"name":"read","other":1}`,
		head + `"call","cpu":0,"abi":"native","nr":0,"name":"read","args":{"fd":true}}`,
		head + `"call","cpu":0,"abi":"native","nr":0,"name":"read","args":{"buf":{"addr":"zz"}}}`,
		head + `"exit","status":1,"signal":"SIGHUP"}`,
		head + `"lost","calls":0}`,
		head + `"other"}`,
		`{"type":"exec"}`,
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(object))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(v) == nil {
			t.Errorf("%s is accepted", object)
		}
	}
}

// Names of all bytes but 0 and /, 100 at a time, in a path and in the arguments.
func TestNamesOfAllBytesComeBackFromTheirObjects(t *testing.T) {
	need.BPF(t)
	python := need.Command(t, "python3")
	var all []byte
	for c := 1; c < 256; c++ {
		if c != '/' {
			all = append(all, byte(c))
		}
	}
	const script = `
import os, sys
for name in sys.argv[1:]: os.close(os.open(os.fsencode(name), os.O_CREAT | os.O_WRONLY, 0o600))
`
	names := []string{string(all[:100]), string(all[100:200]), string(all[200:]), "plain", "\u00e4\u20ac"}
	args := append([]string{python, "-S", "-E", "-c", script}, names...)
	dir := t.TempDir()
	events := recorded(t, "-f -q -v -s 300 -e trace=execve,openat", dir, args...)
	opened, passed := map[string]bool{}, map[string]bool{}
	for _, object := range shown(t, "-f --json -q -v -s 300 -e trace=execve,openat", events) {
		var call struct {
			Name string
			Args struct {
				Pathname any
				Argv     []any
			}
			Ret *int
		}
		if err := json.Unmarshal([]byte(object), &call); err != nil {
			continue // argv is an address
		}
		switch {
		case call.Name == "openat" && call.Ret != nil && *call.Ret >= 0:
			opened[bytesOf(t, call.Args.Pathname)] = true
		case call.Name == "execve":
			for _, v := range call.Args.Argv {
				passed[bytesOf(t, v)] = true
			}
		}
	}
	for _, name := range names {
		if !opened[name] {
			t.Errorf("no openat of %q", name)
		}
		if !passed[name] {
			t.Errorf("no execve with the argument %q", name)
		}
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
