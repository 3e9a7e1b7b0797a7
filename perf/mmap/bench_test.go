package mmap_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"perftrace/perf/mmap"
	"perftrace/perf/mmap/ringtest"
)

const benchRing = 1 << 20

// replay fills a ring to the last byte with records of 128 bytes, or with
// batches of 39 units of 104 bytes; the head moved on by the ring's size shows
// the same again. Ring i of n has every n-th time: the worst case for merging.
func replay(split bool, i, n int) *ringtest.Producer {
	p := ringtest.New(benchRing)
	t := uint64(i)
	data := p.Mem()[len(p.Mem())-benchRing:]
	size := 128
	if split {
		size = 4096
	}
	for at := 0; at < benchRing; at += size {
		rec := data[at : at+size]
		binary.NativeEndian.PutUint32(rec, mmap.TypeSample)
		binary.NativeEndian.PutUint16(rec[6:], uint16(size))
		if !split {
			binary.NativeEndian.PutUint64(rec[8:], t)
			t += uint64(n)
			continue
		}
		binary.NativeEndian.PutUint32(rec[8:], uint32(size-12))
		for k := range 39 {
			u := rec[12+104*k:]
			binary.NativeEndian.PutUint64(u, t)
			binary.NativeEndian.PutUint32(u[8:], 104)
			t += uint64(n)
		}
	}
	return p
}

func perSecond(b *testing.B, units uint64) {
	b.ReportMetric(float64(units)/b.Elapsed().Seconds()/1e6, "Munits/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(units), "ns/unit")
}

// BenchmarkRingRead reads records of one ring, without a Group.
func BenchmarkRingRead(b *testing.B) {
	p := replay(false, 0, 1)
	r := ringOver(b, p, 0)
	b.ReportAllocs()
	var sum uint64
	for b.Loop() {
		p.SetHead(p.Head() + benchRing)
		r.Snapshot()
		for {
			rec, err := r.Next()
			if rec == nil || err != nil {
				break
			}
			sum += binary.NativeEndian.Uint64(rec[8:])
		}
		r.Release()
	}
	perSecond(b, r.Stats.Records)
}

func benchmarkMerge(b *testing.B, rings int) {
	for _, split := range []bool{false, true} {
		name, f := "records", mmap.Splitter(nil)
		if split {
			name, f = "batches", splitUnit
		}
		b.Run(name, func(b *testing.B) {
			var ps []*ringtest.Producer
			for i := range rings {
				ps = append(ps, replay(split, i, rings))
			}
			g := group(b, f, ps...)
			b.ReportAllocs()
			var sum uint64
			for b.Loop() {
				for _, p := range ps {
					p.SetHead(p.Head() + benchRing)
				}
				g.Begin(math.MaxUint64)
				for u := g.Next(); u != nil; u = g.Next() {
					sum += u.Time + uint64(u.Data[len(u.Data)-1])
				}
			}
			perSecond(b, g.Stats.Units)
			if sum == 0 {
				b.Error("nothing was read")
			}
		})
	}
}

func BenchmarkMerge1(b *testing.B)  { benchmarkMerge(b, 1) }
func BenchmarkMerge2(b *testing.B)  { benchmarkMerge(b, 2) }
func BenchmarkMerge16(b *testing.B) { benchmarkMerge(b, 16) }
func BenchmarkMerge64(b *testing.B) { benchmarkMerge(b, 64) }

func TestTheReplayOfTheBenchmarksIsInOrder(t *testing.T) {
	for _, split := range []bool{false, true} {
		f, per := mmap.Splitter(nil), benchRing/128
		if split {
			f, per = splitUnit, benchRing/4096*39
		}
		a, b := replay(split, 0, 2), replay(split, 1, 2)
		g := group(t, f, a, b)
		a.SetHead(benchRing)
		b.SetHead(benchRing)
		g.Begin(math.MaxUint64)
		n := uint64(0)
		for u := g.Next(); u != nil; u = g.Next() {
			if u.Time != n {
				t.Fatal(fmt.Errorf("unit %d has time %d", n, u.Time))
			}
			n++
		}
		if n != uint64(2*per) || g.Stats.Late != 0 {
			t.Errorf("%d units, %d late; want %d, 0", n, g.Stats.Late, 2*per)
		}
	}
}
