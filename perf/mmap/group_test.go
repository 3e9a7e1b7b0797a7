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

func TestARingOverThreeQuartersFullIsDrainedWhateverTheHorizon(t *testing.T) {
	a, b := ringtest.New(4096), ringtest.New(4096)
	g := group(t, nil, a, b)
	sample(b, 105, 0)
	for n := uint64(100); a.Head() < 3073; n++ {
		sample(a, n, 0)
	}
	last := uint64(100) + a.Head()/32 - 1
	got := times(g, 50)
	// All of a, and what is older than its last one of b, in order.
	if n := len(got); uint64(n) != last-100+2 || got[5] != 105 || got[6] != 105 || got[n-1] != last {
		t.Fatalf("got %v, want 100–%d, 105 twice", got, last)
	}
	if g.Stats.Pressed != 1 || g.Stats.Late != 0 {
		t.Errorf("stats: %+v, want 1 pressed batch, none late", g.Stats)
	}
	sample(b, 103, 0)
	equal(t, "an elder that came too late", times(g, 200), 103)
	if g.Stats.Late != 1 {
		t.Errorf("late: %d, want 1", g.Stats.Late)
	}
}

func TestARingIsReplacedWhileItRunsAfterTheOldOneIsDrained(t *testing.T) {
	old, young := ringtest.New(4096), ringtest.New(8192)
	g := group(t, nil)
	first := ringOver(t, old, 0)
	if err := g.Add(first); err != nil {
		t.Fatal(err)
	}
	sample(old, 10, 0)
	sample(old, 30, 0)
	r := ringOver(t, young, 0)
	if err := g.Add(r); err != nil {
		t.Fatal(err)
	}
	equal(t, "before 20", times(g, 20), 10)
	for _, u := range []uint64{40, 50} {
		sample(young, u, 0)
	}
	g.Begin(20) // the pending unit is of the old ring
	g.Retire(first)
	equal(t, "both", times(g, 45), 30, 40)
	if g.Len() != 2 {
		t.Errorf("%d rings, want 2: the old one is told empty in the next batch", g.Len())
	}
	equal(t, "the rest", times(g, 100), 50)
	if g.Len() != 1 {
		t.Errorf("%d rings, want the new one alone", g.Len())
	}
}

func TestWhatAfterAGapIsOlderThanTheGapOfAnotherRingComesAfterIt(t *testing.T) {
	a, b := ringtest.New(4096), ringtest.New(4096)
	b.Trailer = func(buf []byte) []byte { return binary.NativeEndian.AppendUint64(buf, 900) }
	g := group(t, nil, a, b)
	n := uint64(100)
	for ; sample(b, n, 0); n++ {
	}
	times(g, math.MaxUint64)
	g.Begin(math.MaxUint64)
	sample(a, n+1, 0) // while b was full
	sample(b, 950, 0) // brings the LOST record
	g.Begin(math.MaxUint64)
	u := g.Next()
	if u == nil || u.Type != mmap.TypeLost || u.Ring.CPU != 1 || u.Lost != 1 {
		t.Fatalf("first comes %+v, want the gap of ring 1", u)
	}
	if u = g.Next(); u.Time != n+1 || u.Late {
		t.Errorf("then comes %+v, want the sample of time %d", u, n+1)
	}
}

func TestBrokenBatchesAreReportedAndSkipped(t *testing.T) {
	p := ringtest.New(4096)
	g := group(t, splitUnit, p)
	bad := appendUnit(appendUnit(nil, 10, 24), 20, 24)
	binary.NativeEndian.PutUint32(bad[24+8:], 1000)
	p.Raw(bad)
	p.Raw(appendUnit(nil, 30, 24))
	var types []uint32
	g.Begin(math.MaxUint64)
	for u := g.Next(); u != nil; u = g.Next() {
		types = append(types, u.Type)
		if u.Ring.Stats.Corrupt > 1 {
			t.Errorf("corrupt: %d, want 1", u.Ring.Stats.Corrupt)
		}
	}
	if len(types) != 3 || types[0] != mmap.TypeSample || types[1] != mmap.TypeCorrupt || types[2] != mmap.TypeSample {
		t.Errorf("types %v, want sample, corrupt, sample", types)
	}
}

func TestALayoutSaysWhereTheKernelPutsThings(t *testing.T) {
	const ip, tid, time, cpu, raw = 1 << 0, 1 << 1, 1 << 2, 1 << 7, 1 << 10
	for _, c := range []struct {
		sampleType uint64
		want       mmap.Layout
	}{
		{raw, mmap.Layout{Raw: 8}},
		{time | raw, mmap.Layout{Time: 8, Raw: 16, TailTime: 8}},
		{ip | tid | time | cpu | raw, mmap.Layout{IP: 8, TID: 16, Time: 24, CPU: 32, Raw: 40, TailTime: 16, TailTID: 24}},
	} {
		if got := mmap.LayoutOf(c.sampleType, true); got != c.want {
			t.Errorf("%#x: got %+v, want %+v", c.sampleType, got, c.want)
		}
	}
}
