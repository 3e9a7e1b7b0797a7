package mmap_test

import (
	"encoding/binary"
	"math"
	"testing"

	"perftrace/perf/mmap"
	"perftrace/perf/mmap/ringtest"
)

// timeRaw is the sample_type of these tests' plain rings.
const timeRaw = 1<<2 | 1<<10

// sample writes a sample with a time and a number as raw data.
func sample(p *ringtest.Producer, time, n uint64) bool {
	var b [20]byte
	binary.NativeEndian.PutUint64(b[:], time)
	binary.NativeEndian.PutUint32(b[8:], 8)
	binary.NativeEndian.PutUint64(b[12:], n)
	return p.Write(mmap.TypeSample, 0, b[:])
}

// appendUnit appends one part of a batch: u64 time, u32 size, then bytes.
func appendUnit(b []byte, time uint64, size int) []byte {
	b = binary.NativeEndian.AppendUint64(b, time)
	b = binary.NativeEndian.AppendUint32(b, uint32(size))
	return append(b, make([]byte, size-12)...)
}

func splitUnit(b []byte) (uint64, int) {
	if len(b) < 12 {
		return 0, 0
	}
	return binary.NativeEndian.Uint64(b), int(int32(binary.NativeEndian.Uint32(b[8:])))
}

func ringOver(t testing.TB, p *ringtest.Producer, cpu int) *mmap.Ring {
	t.Helper()
	r, err := mmap.Over(p.Mem(), cpu)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func group(t testing.TB, split mmap.Splitter, ps ...*ringtest.Producer) *mmap.Group {
	t.Helper()
	g := &mmap.Group{Layout: mmap.LayoutOf(timeRaw, true), Split: split}
	if split != nil {
		g.Layout = mmap.LayoutOf(1<<10, true)
	}
	for i, p := range ps {
		if err := g.Add(ringOver(t, p, i)); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { g.Close() })
	return g
}

func times(g *mmap.Group, horizon uint64) (ts []uint64) {
	g.Begin(horizon)
	for u := g.Next(); u != nil; u = g.Next() {
		ts = append(ts, u.Time)
	}
	return ts
}

func equal(t *testing.T, what string, got []uint64, want ...uint64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: got %v, want %v", what, got, want)
		}
	}
}

func TestUnitsOfManyRingsComeInTheOrderOfTheirTimes(t *testing.T) {
	a, b := ringtest.New(4096), ringtest.New(4096)
	g := group(t, nil, a, b)
	for _, n := range []uint64{10, 30, 50} {
		sample(a, n, n)
	}
	for _, n := range []uint64{20, 40} {
		sample(b, n, n)
	}
	equal(t, "all", times(g, math.MaxUint64), 10, 20, 30, 40, 50)
	if g.Stats.Late != 0 {
		t.Errorf("late: got %d, want 0", g.Stats.Late)
	}
}

func TestUnitsNotOlderThanTheHorizonStayInTheirRing(t *testing.T) {
	a, b := ringtest.New(4096), ringtest.New(4096)
	g := group(t, nil, a, b)
	sample(a, 10, 0)
	sample(a, 30, 0)
	sample(b, 25, 0)
	equal(t, "before 26", times(g, 26), 10, 25)
	g.Begin(26)
	if a.Tail() == a.Head() {
		t.Error("the tail passed a record that was not handed out")
	}
	sample(b, 28, 0)
	equal(t, "before 31", times(g, 31), 28, 30)
	g.Begin(31)
	if a.Tail() != a.Head() || b.Tail() != b.Head() {
		t.Error("the tails did not reach the heads")
	}
}

func TestPartsOfABatchAreMergedOneByOne(t *testing.T) {
	a, b := ringtest.New(4096), ringtest.New(4096)
	g := group(t, splitUnit, a, b)
	var batch []byte
	for _, n := range []uint64{10, 20, 30} {
		batch = appendUnit(batch, n, 24+int(n))
	}
	a.Raw(batch)
	b.Raw(appendUnit(appendUnit(nil, 15, 12), 25, 13))
	equal(t, "first", times(g, 22), 10, 15, 20)
	equal(t, "second", times(g, math.MaxUint64), 25, 30)
}
