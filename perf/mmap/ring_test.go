package mmap_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"perftrace/perf/mmap"
	"perftrace/perf/mmap/ringtest"
)

func TestRecordsOfAllSizesComeOutAsTheyWentInAcrossTheEndOfTheRing(t *testing.T) {
	p := ringtest.New(4096)
	p.Start(math.MaxUint64 - 1000 - 7) // the 64-bit positions overflow too
	r := ringOver(t, p, 0)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 5000 {
		body := make([]byte, rnd.IntN(1000))
		for k := range body {
			body[k] = byte(rnd.Uint32())
		}
		if !p.Write(100+uint32(i), uint16(i), body) {
			t.Fatalf("record %d does not fit", i)
		}
		r.Snapshot()
		rec, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		want := make([]byte, (len(body)+7)&^7)
		copy(want, body)
		if mmap.RecordType(rec) != 100+uint32(i) || mmap.RecordMisc(rec) != uint16(i) || !bytes.Equal(rec[8:], want) {
			t.Fatalf("record %d: got %x, want type %d and %x", i, rec, 100+i, want)
		}
		r.Release()
	}
	if r.Stats.Wrapped == 0 || r.Stats.Records != 5000 || r.Stats.Corrupt != 0 {
		t.Errorf("stats: %+v", r.Stats)
	}
}

func TestTheTailMovesOnlyAtRelease(t *testing.T) {
	p := ringtest.New(4096)
	r := ringOver(t, p, 0)
	numbered(p, 1, 24)
	numbered(p, 2, 24)
	r.Snapshot()
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if p.Tail() != 0 {
		t.Errorf("tail is %d before Release", p.Tail())
	}
	r.Release()
	if p.Tail() != 24 {
		t.Errorf("tail is %d after Release, want 24: the second record is unread", p.Tail())
	}
}

func TestARingThatMakesNoSenseIsReportedAndReadFromItsHead(t *testing.T) {
	for _, c := range []struct {
		name string
		size uint16
	}{{"size 0", 0}, {"a size that is no multiple of 8", 20}, {"a size beyond the head", 4000}} {
		t.Run(c.name, func(t *testing.T) {
			p := ringtest.New(4096)
			r := ringOver(t, p, 0)
			numbered(p, 1, 24)
			numbered(p, 2, 24)
			binary.NativeEndian.PutUint16(p.Mem()[len(p.Mem())-4096+6:], c.size)
			r.Snapshot()
			if _, err := r.Next(); !errors.Is(err, mmap.ErrCorrupt) {
				t.Errorf("error is %v, want ErrCorrupt", err)
			}
			if rec, err := r.Next(); rec != nil || err != nil {
				t.Errorf("after it: %v, %v; want the end", rec, err)
			}
			numbered(p, 3, 24)
			r.Snapshot()
			rec, err := r.Next()
			if err != nil || binary.NativeEndian.Uint64(rec[8:]) != 3 {
				t.Errorf("the next record is %v, %v; want number 3", rec, err)
			}
			if r.Stats.Corrupt != 1 || r.Stats.Skipped != 48 {
				t.Errorf("stats: %+v; want 1 corrupt place, 48 bytes skipped", r.Stats)
			}
		})
	}
}

func TestAnImpossibleHeadIsReportedOnce(t *testing.T) {
	for _, head := range []uint64{3, 4104, math.MaxUint64 &^ 7} {
		p := ringtest.New(4096)
		g := group(t, nil, p)
		p.SetHead(head)
		g.Begin(math.MaxUint64)
		u := g.Next()
		if u == nil || u.Type != mmap.TypeCorrupt || g.Next() != nil {
			t.Errorf("head %#x: got %+v, want one corrupt unit", head, u)
		}
	}
}

func TestAFullRingLosesRecordsAndTellsHowManyBeforeTheNextOne(t *testing.T) {
	p := ringtest.New(4096)
	p.Trailer = func(b []byte) []byte { return binary.NativeEndian.AppendUint64(b, 7777) }
	g := group(t, nil, p)
	g.Largest = 64
	n := uint64(0)
	for sample(p, n, n) {
		n++
	}
	for range 4 {
		sample(p, n, n)
	}
	g.Begin(math.MaxUint64)
	var got []mmap.Unit
	for u := g.Next(); u != nil; u = g.Next() {
		got = append(got, *u)
	}
	last := got[len(got)-1]
	if uint64(len(got)) != n+1 || last.Type != mmap.TypeLost || last.Lost != 0 {
		t.Fatalf("%d units, the last %+v; want %d and a warning that the ring is full", len(got), last, n)
	}
	g.Begin(math.MaxUint64)
	sample(p, 8000, 0)
	g.Begin(math.MaxUint64)
	u := g.Next()
	if u.Type != mmap.TypeLost || u.Lost != 5 || u.Time != 7777 {
		t.Fatalf("got %+v, want a gap of 5 at time 7777", u)
	}
	if u = g.Next(); u.Type != mmap.TypeSample || u.Time != 8000 {
		t.Fatalf("got %+v, want the sample of time 8000", u)
	}
	if s := u.Ring.Stats; s.Lost != 5 || s.Gaps != 1 || p.Lost != 5 {
		t.Errorf("stats: %+v, the producer lost %d; want 5", s, p.Lost)
	}
}

func TestReadingAndMergingDoesNotAllocate(t *testing.T) {
	ps := []*ringtest.Producer{ringtest.New(1 << 16), ringtest.New(1 << 16)}
	g := group(t, splitUnit, ps...)
	batch := appendUnit(appendUnit(nil, 1, 104), 2, 104)
	if n := testing.AllocsPerRun(100, func() {
		for range 100 {
			for _, p := range ps {
				p.Raw(batch)
			}
		}
		g.Begin(math.MaxUint64)
		for g.Next() != nil {
		}
	}); n != 0 {
		t.Errorf("%v allocations a batch of 400 units", n)
	}
}

// TestAReaderBesideAConcurrentWriterSeesEveryRecordOnceInOrder is for -race.
func TestAReaderBesideAConcurrentWriterSeesEveryRecordOnceInOrder(t *testing.T) {
	const total = 100_000
	ps := []*ringtest.Producer{ringtest.New(4096), ringtest.New(8192)}
	g := group(t, nil, ps...)
	done := make(chan struct{})
	for i, p := range ps {
		go func() {
			for n := range uint64(total) {
				sample(p, n*2+uint64(i), n)
			}
			done <- struct{}{}
		}()
	}
	var seen, lost [2]uint64
	var next [2]uint64
	ended := 0
	for last := false; ; {
		g.Begin(math.MaxUint64)
		for u := g.Next(); u != nil; u = g.Next() {
			i := u.Ring.CPU
			if u.Type == mmap.TypeLost {
				lost[i] += u.Lost
				next[i] += u.Lost
				continue
			}
			if n := binary.NativeEndian.Uint64(u.Data[20:]); n != next[i] {
				t.Fatalf("ring %d: record %d, want %d", i, n, next[i])
			}
			seen[i]++
			next[i]++
		}
		if last {
			break
		}
		select {
		case <-done:
			ended++
			last = ended == 2
		default:
		}
	}
	for i, p := range ps {
		// What was lost at the very end has no LOST record any more.
		if untold := p.Lost - lost[i]; seen[i]+p.Lost != total || untold > p.Lost {
			t.Errorf("ring %d: seen %d + lost %d, want %d (told %d)", i, seen[i], p.Lost, total, lost[i])
		}
	}
}

func FuzzRing(f *testing.F) {
	good := ringtest.New(4096)
	good.Raw(appendUnit(appendUnit(nil, 1, 20), 2, 30))
	f.Add(good.Mem()[len(good.Mem())-4096:], good.Head(), uint64(0))
	f.Add([]byte{9, 0, 0, 0, 0, 0, 0, 0}, uint64(64), uint64(0))
	f.Add([]byte{2, 0, 0, 0, 0, 0, 8, 0}, uint64(8), uint64(0))
	f.Fuzz(func(t *testing.T, data []byte, head, tail uint64) {
		for _, split := range []mmap.Splitter{nil, splitUnit} {
			p := ringtest.New(4096)
			copy(p.Mem()[len(p.Mem())-4096:], data)
			p.Start(tail &^ 7)
			r, err := mmap.Over(p.Mem(), 0)
			if err != nil {
				t.Fatal(err)
			}
			p.SetHead(head)
			g := &mmap.Group{Layout: mmap.LayoutOf(timeRaw, true), Split: split, Largest: 64}
			if split != nil {
				g.Layout = mmap.LayoutOf(1<<10, true)
			}
			if err := g.Add(r); err != nil {
				t.Fatal(err)
			}
			units := 0
			for range 2 {
				g.Begin(math.MaxUint64)
				for u := g.Next(); u != nil; u = g.Next() {
					if units++; units > 1024 {
						t.Fatal("more units than fit into the ring")
					}
					if u.Type != mmap.TypeCorrupt && u.Type != mmap.TypeLost && len(u.Data) == 0 {
						t.Fatalf("a unit without data: %+v", u)
					}
				}
			}
			g.Begin(math.MaxUint64)
			if p.Tail() != head&^7 {
				t.Fatalf("the tail is %#x, want the head %#x", p.Tail(), head)
			}
		}
	})
}
