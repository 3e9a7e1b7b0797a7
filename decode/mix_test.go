package decode

import (
	"os"
	"testing"

	"perftrace/decode/internal/mix"
	"perftrace/event"
)

// recordedMix is a recording of a build and the like (internal/mix/record).
func recordedMix(tb testing.TB) []event.Event {
	tb.Helper()
	f, err := os.Open("testdata/mix.gz")
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	events, err := mix.Load(f)
	if err != nil {
		tb.Fatal(err)
	}
	return events
}

// lines decodes events over and over into the same buffer.
func lines(d *Decoder, events []event.Event) {
	for i := range events {
		d.Buf = d.Buf[:0]
		d.Begin()
		d.Whole(&events[i])
	}
}

func TestTheRecordedMixDecodesWithoutAllocation(t *testing.T) {
	events := recordedMix(t)
	different := map[uint32]bool{}
	addresses := 0
	d := New(NewRows("amd64"), Default())
	for i := range events {
		different[events[i].NR] = true
		lines(d, events[i:i+1])
		if d.Row == nil || len(d.Buf) < len("= 0") {
			t.Fatalf("event %d, call %d: %q", i, events[i].NR, d.Buf)
		}
		if d.Row.Name == "openat" && d.Buf[len("openat(AT_FDCWD, ")] != '"' && events[i].Args[0] == 0xffffff9c {
			addresses++
		}
	}
	if len(different) < 50 {
		t.Errorf("%d different calls, want 50 and more", len(different))
	}
	if addresses > 0 {
		t.Errorf("%d paths of openat are shown as addresses", addresses)
	}
	if n := testing.AllocsPerRun(3, func() { lines(d, events) }); n != 0 {
		t.Errorf("%v allocations for %d lines", n, len(events))
	}
}

// BenchmarkDecodeMix is a line of a build, without what comes in front of it.
func BenchmarkDecodeMix(b *testing.B) {
	events := recordedMix(b)
	d := New(NewRows("amd64"), Default())
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i == len(events) {
			i = 0
		}
		lines(d, events[i:i+1])
	}
}
