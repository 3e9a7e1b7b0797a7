package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/decode"
	"perftrace/event"
)

// A fakeSource delivers prepared events, as if nothing else ever happened.
type fakeSource struct {
	plan    *event.Plan
	events  []event.Event
	pending []event.Pending // in progress while idle
	stopped bool
	ledger  event.Ledger
	at      int
}

func (f *fakeSource) Open(p *event.Plan) error { f.plan = p; return nil }
func (f *fakeSource) Start() error             { return nil }

func (f *fakeSource) Next(time.Duration) (*event.Event, error) {
	if f.at < len(f.events) {
		e := &f.events[f.at]
		f.at++
		if e.Kind == idleKind {
			return nil, nil
		}
		return e, nil
	}
	return nil, io.EOF
}
func (f *fakeSource) Wake()                {}
func (f *fakeSource) Stop() error          { f.stopped = true; return nil }
func (f *fakeSource) Ledger() event.Ledger { return f.ledger }
func (f *fakeSource) Close() error         { return nil }
func (f *fakeSource) InFlight(before uint64, to []event.Pending) []event.Pending {
	for _, p := range f.pending {
		if p.Since <= before {
			to = append(to, p)
		}
	}
	return to
}

// idleKind marks a moment at which nothing comes.
const idleKind event.Kind = 200

// traced runs the events through a session with these options, for a command
// with pid 100, and returns all that it writes.
func traced(t *testing.T, options string, src *fakeSource) string {
	t.Helper()
	s, file := fakeSession(t, options, src)
	if err := s.loop(); err != nil {
		t.Fatal(err)
	}
	s.finish()
	return read(t, file)
}

func fakeSession(t *testing.T, options string, src *fakeSource) (*session, string) {
	t.Helper()
	cfg, err := parse(append(strings.Fields(options), "command"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "out")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	say := &sayer{name: "strace", w: file}
	if err := cfg.check(say); err != nil {
		t.Fatal(err)
	}
	out := &outputs{cfg: cfg, say: say}
	if cfg.separate {
		cfg.output = filepath.Join(filepath.Dir(path), cfg.output)
	} else {
		fd, err := unix.Dup(int(file.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		out.shared = &stream{fd: fd, name: path}
	}
	s := newSession(cfg, say, out)
	s.src = src
	// Tasks of the test do not exist, but the trace is not to end for that.
	s.alive = func(uint32) bool { return false }
	s.idleAt = 1 << 62
	_ = src.Open(cfg.plan(s.rows, 0))
	s.tasks.get(100, 100)
	return s, path
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// ms is a time of the trace in milliseconds.
func ms(n uint64) uint64 { return 1_000_000_000 + n*1_000_000 }

func nr(t *testing.T, name string) uint32 {
	t.Helper()
	n, ok := decode.CallNumber(event.Native, name)
	if !ok {
		t.Skipf("no call %s on this machine", name)
	}
	return n
}

// call is a call by task tid that took from begin to end.
func call(t *testing.T, tid uint32, name string, begin, end uint64, ret int64, args ...uint64) event.Event {
	t.Helper()
	e := event.Event{TGID: 100, TID: tid, NR: nr(t, name), Enter: begin, Time: end, Ret: ret, Flags: event.HasEnter}
	copy(e.Args[:], args)
	return e
}

// never is a call that does not return.
func never(t *testing.T, tid uint32, name string, begin uint64, args ...uint64) event.Event {
	t.Helper()
	e := call(t, tid, name, begin, begin, 0, args...)
	e.Kind = event.KindNoReturn
	return e
}

func fork(tid, child, childTGID uint32, at uint64) event.Event {
	return event.Event{Kind: event.KindFork, TGID: 100, TID: tid, Child: child, ChildTGID: childTGID, Time: at}
}

func exit(tgid, tid, status uint32, flags event.Flags, at uint64) event.Event {
	return event.Event{Kind: event.KindExit, TGID: tgid, TID: tid, Status: status, Flags: flags, Time: at}
}
