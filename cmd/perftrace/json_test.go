package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perftrace/event"
)

func TestEachEventIsOneObject(t *testing.T) {
	e := call(t, 100, "close", ms(1), ms(3), -9, 3)
	copy(e.Comm[:], "a\"\xff\n")
	s, path := fakeSession(t, "--json", &fakeSource{events: []event.Event{
		e,
		{Kind: event.KindLost, TGID: 100, TID: 100, Lost: 7, Time: ms(4)},
		{Kind: event.KindSignal, TGID: 100, TID: 100, Signal: 17, Time: ms(5)},
		exit(100, 100, 3<<8, event.GroupDead, ms(6)),
	}})
	s.clock = wallClock{offset: 1_700_000_000_000_000_000, checked: ms(0)}
	if err := s.loop(); err != nil {
		t.Fatal(err)
	}
	s.finish()
	lines := strings.Split(strings.TrimSuffix(read(t, path), "\n"), "\n")
	want := []map[string]any{
		{
			"type": "call", "time": json.Number("1700000001001000000"), "mono": json.Number("1001000000"),
			"pid": json.Number("100"), "tid": json.Number("100"), "comm": "a\"\u00ff\n", "cpu": json.Number("0"),
			"abi": "native", "nr": json.Number(utoa(nr(t, "close"))), "name": "close",
			"args": map[string]any{"fd": json.Number("3")}, "ret": json.Number("-1"), "errno": "EBADF",
			"duration": json.Number("2000000"),
		},
		{"type": "lost", "calls": json.Number("7")},
		{"type": "signal", "signal": "SIGCHLD"},
		{"type": "exit", "status": json.Number("3")},
	}
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d: %q", len(lines), len(want), lines)
	}
	for i, line := range lines {
		dec := json.NewDecoder(strings.NewReader(line))
		dec.UseNumber()
		var got map[string]any
		if err := dec.Decode(&got); err != nil || dec.More() {
			t.Fatalf("line %d is not one object: %v: %s", i, err, line)
		}
		if i > 0 {
			for key := range got {
				if _, asked := want[i][key]; !asked {
					delete(got, key)
				}
			}
		}
		if diff := cmp.Diff(want[i], got); diff != "" {
			t.Errorf("line %d (-want +got):\n%s", i, diff)
		}
	}
}
