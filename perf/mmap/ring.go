package mmap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"
)

// Offsets in the shared page (struct perf_event_mmap_page).
const (
	offHead = 1024
	offTail = 1032
)

// headerSize is the size of struct perf_event_header. It never wraps: sizes of
// records are multiples of it.
const headerSize = 8

// maxRecord is the most that a u16 size can say.
const maxRecord = 1 << 16

// Stats are the counts of one ring since it was mapped.
type Stats struct {
	Records     uint64 // records read, of any type
	Bytes       uint64 // their bytes
	Wrapped     uint64 // records that went through the bounce buffer
	Lost        uint64 // records that the kernel told lost (PERF_RECORD_LOST)
	LostSamples uint64 // samples that the kernel told lost (PERF_RECORD_LOST_SAMPLES)
	Gaps        uint64 // LOST and LOST_SAMPLES records
	Corrupt     uint64 // places that made no sense; the reader jumped to the head there
	Skipped     uint64 // bytes jumped over
	Peak        uint64 // most bytes found unread
}

// A Ring reads one forward ring. One goroutine uses it.
type Ring struct {
	CPU   int
	Stats Stats

	fd   int    // -1: none, so it can't be waited for
	mem  []byte // the mapping, nil if it is not ours
	head *atomic.Uint64
	tail *atomic.Uint64
	data []byte
	mask uint64

	pos    uint64 // cursor: next record
	end    uint64 // head at the last snapshot
	told   uint64 // tail as the kernel knows it
	bad    bool   // Snapshot found an impossible head; the Group has not told yet
	bounce []byte
}

// Over makes a Ring of memory that is not mapped by this package: one page as
// the kernel lays it out, then the data area, whose size is a power of two.
// Tests use it.
func Over(mem []byte, cpu int) (*Ring, error) {
	page := os.Getpagesize()
	n := len(mem) - page
	if n < headerSize || n&(n-1) != 0 {
		return nil, fmt.Errorf("ring of %d bytes: the data area must be a power of two", n)
	}
	r := &Ring{
		CPU:    cpu,
		fd:     -1,
		head:   (*atomic.Uint64)(unsafe.Pointer(&mem[offHead])),
		tail:   (*atomic.Uint64)(unsafe.Pointer(&mem[offTail])),
		data:   mem[page:],
		mask:   uint64(n) - 1,
		bounce: make([]byte, min(n, maxRecord)),
	}
	r.pos = r.tail.Load()
	r.end, r.told = r.pos, r.pos
	return r, nil
}

// FD is the file descriptor of the event that owns the ring, or -1.
func (r *Ring) FD() int { return r.fd }

// Size is the size of the data area in bytes.
func (r *Ring) Size() int { return len(r.data) }

// Snapshot loads the head: what the kernel wrote up to now becomes readable.
// It returns how many bytes are unread. An impossible head counts as Corrupt.
func (r *Ring) Snapshot() uint64 {
	h := r.head.Load()
	n := h - r.pos
	if n > uint64(len(r.data)) || h&(headerSize-1) != 0 {
		r.Stats.Corrupt++
		r.pos = h &^ (headerSize - 1)
		r.end, r.bad = r.pos, true
		return 0
	}
	r.end = h
	if n > r.Stats.Peak {
		r.Stats.Peak = n
	}
	return n
}

// ErrCorrupt is the error of a ring whose bytes are no records.
var ErrCorrupt = errors.New("corrupt ring: jumped to its head")

// Next returns the next record of the snapshot, with its header, or nil at its
// end. It is lent until Release. After ErrCorrupt the rest of the snapshot is
// skipped.
func (r *Ring) Next() (rec []byte, err error) {
	left := r.end - r.pos
	if left == 0 {
		return nil, nil
	}
	off := r.pos & r.mask
	size := uint64(binary.NativeEndian.Uint16(r.data[off+6 : off+8]))
	if size < headerSize || size&(headerSize-1) != 0 || size > left {
		r.Stats.Corrupt++
		r.Stats.Skipped += left
		r.pos = r.end
		return nil, ErrCorrupt
	}
	r.pos += size
	r.Stats.Records++
	r.Stats.Bytes += size
	if off+size <= uint64(len(r.data)) {
		return r.data[off : off+size : off+size], nil
	}
	// At most one record between tail and head wraps, so one buffer is enough.
	r.Stats.Wrapped++
	n := copy(r.bounce, r.data[off:])
	copy(r.bounce[n:size], r.data)
	return r.bounce[:size:size], nil
}

// Release gives all that was read back to the kernel.
func (r *Ring) Release() { r.releaseTo(r.pos) }

// releaseTo stores the tail, if it moves: the store is a full barrier and takes
// the cache line from the kernel, so it is done by batch.
func (r *Ring) releaseTo(pos uint64) {
	if pos != r.told {
		r.told = pos
		r.tail.Store(pos)
	}
}

// count takes the numbers of a LOST or LOST_SAMPLES record, and returns them.
func (r *Ring) count(rec []byte) uint64 {
	switch RecordType(rec) {
	case TypeLost: // header, u64 id, u64 lost
		if len(rec) >= 24 {
			n := binary.NativeEndian.Uint64(rec[16:])
			r.Stats.Lost += n
			r.Stats.Gaps++
			return n
		}
	case TypeLostSamples: // header, u64 lost
		if len(rec) >= 16 {
			n := binary.NativeEndian.Uint64(rec[8:])
			r.Stats.LostSamples += n
			r.Stats.Gaps++
			return n
		}
	}
	return 0
}
