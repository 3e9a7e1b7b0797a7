package mmap_test

import (
	"encoding/binary"
	"testing"

	"perftrace/perf/mmap"
	"perftrace/perf/mmap/ringtest"
)

func backward(t *testing.T, p *ringtest.Producer) *mmap.Backward {
	t.Helper()
	b, err := mmap.OverBackward(p.Mem(), 0, p.Pause)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// numbers pauses, reads the numbers of all records, and resumes.
func numbers(t *testing.T, b *mmap.Backward) (ns []uint64) {
	t.Helper()
	if err := b.Pause(); err != nil {
		t.Fatal(err)
	}
	for rec := b.Next(); rec != nil; rec = b.Next() {
		ns = append(ns, binary.NativeEndian.Uint64(rec[8:]))
	}
	if err := b.Resume(); err != nil {
		t.Fatal(err)
	}
	return ns
}

// numbered writes a record that begins with a number and has size bytes.
func numbered(p *ringtest.Producer, n uint64, size int) {
	body := make([]byte, size-8)
	binary.NativeEndian.PutUint64(body, n)
	p.Write(mmap.TypeSample, 0, body)
}

func TestABackwardRingHandsOutTheLastRecordsOldestFirst(t *testing.T) {
	p := ringtest.NewBackward(4096)
	b := backward(t, p)
	equal(t, "empty", numbers(t, b))
	for n := range uint64(3) {
		numbered(p, n, 24)
	}
	equal(t, "three", numbers(t, b), 0, 1, 2)
	equal(t, "nothing new", numbers(t, b))
	numbered(p, 3, 24)
	equal(t, "one more", numbers(t, b), 3)
}

func TestABackwardRingThatWasOverwrittenLosesOnlyItsOldestRecords(t *testing.T) {
	p := ringtest.NewBackward(4096)
	b := backward(t, p)
	for n := range uint64(1000) {
		numbered(p, n, 40) // does not divide 4096, so records wrap
	}
	got := numbers(t, b)
	if len(got) != 4096/40 {
		t.Fatalf("got %d records, want %d", len(got), 4096/40)
	}
	for i, n := range got {
		if want := uint64(1000 - len(got) + i); n != want {
			t.Fatalf("record %d is %d, want %d", i, n, want)
		}
	}
	for n := uint64(1000); n < 3000; n++ {
		numbered(p, n, 40)
	}
	if got := numbers(t, b); len(got) != 4096/40 || got[len(got)-1] != 2999 {
		t.Errorf("after an overrun: %d records up to %d", len(got), got[len(got)-1])
	}
	if b.Stats.Gaps != 1 {
		t.Errorf("gaps: got %d, want 1: the second overrun", b.Stats.Gaps)
	}
}

func TestAPausedBackwardRingIsNotWritten(t *testing.T) {
	p := ringtest.NewBackward(4096)
	b := backward(t, p)
	numbered(p, 1, 24)
	if err := b.Pause(); err != nil {
		t.Fatal(err)
	}
	numbered(p, 2, 24)
	if rec := b.Next(); rec == nil || binary.NativeEndian.Uint64(rec[8:]) != 1 {
		t.Errorf("got %v, want record 1", rec)
	}
	if rec := b.Next(); rec != nil {
		t.Errorf("got a record that was written while paused: %v", rec)
	}
	if err := b.Resume(); err != nil {
		t.Fatal(err)
	}
	numbered(p, 3, 24)
	equal(t, "resumed", numbers(t, b), 3)
}

func FuzzBackward(f *testing.F) {
	f.Add([]byte{9, 0, 0, 0, 0, 0, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8}, uint64(1<<64-16))
	f.Add([]byte{0}, uint64(3))
	f.Fuzz(func(t *testing.T, data []byte, head uint64) {
		p := ringtest.NewBackward(4096)
		copy(p.Mem()[len(p.Mem())-4096:], data)
		p.SetHead(head)
		b, err := mmap.OverBackward(p.Mem(), 0, p.Pause)
		if err != nil {
			t.Fatal(err)
		}
		total := 0
		for range 2 {
			if err := b.Pause(); err != nil {
				t.Fatal(err)
			}
			for rec := b.Next(); rec != nil; rec = b.Next() {
				if len(rec) < 8 || len(rec)%8 != 0 {
					t.Fatalf("a record of %d bytes", len(rec))
				}
				if total += len(rec); total > 4096 {
					t.Fatal("more records than fit into the ring")
				}
			}
		}
	})
}
