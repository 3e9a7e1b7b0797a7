package mmap

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// A Backward ring is written downwards and overwrites its oldest records: it
// always holds the last ones. Its event has attr.write_backward. It is read
// while it is paused:
//
//	b.Pause(); for rec := b.Next(); rec != nil; rec = b.Next() { … }; b.Resume()
//
// What happens while it is paused is lost; the kernel counts it.
type Backward struct {
	CPU   int
	Stats Stats

	r       *Ring
	pause   func(on bool) error
	seen    uint64   // head at the last Pause
	any     bool     // there was one
	records []uint64 // where the records begin, newest first
}

// MapBackward maps the backward ring of a perf event; see Map.
func MapBackward(fd, cpu, dataPages int) (*Backward, error) {
	// Not writable: that is what tells the kernel to overwrite.
	mem, err := mapPages(fd, dataPages, unix.PROT_READ)
	if err != nil {
		return nil, fmt.Errorf("map backward ring of CPU %d: %w", cpu, err)
	}
	b, err := OverBackward(mem, cpu, func(on bool) error {
		arg := 0
		if on {
			arg = 1
		}
		return unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_PAUSE_OUTPUT, arg)
	})
	if err != nil {
		return nil, errors.Join(err, unix.Munmap(mem))
	}
	b.r.mem = mem
	return b, nil
}

// OverBackward is MapBackward over memory of the caller's, who also says how
// the writer is paused.
func OverBackward(mem []byte, cpu int, pause func(on bool) error) (*Backward, error) {
	r, err := Over(mem, cpu)
	if err != nil {
		return nil, err
	}
	return &Backward{CPU: cpu, r: r, pause: pause}, nil
}

// Pause stops the writer and looks through what is in the ring. Only what is
// newer than at the last Pause will be handed out.
func (b *Backward) Pause() error {
	if err := b.pause(true); err != nil {
		return fmt.Errorf("pause the ring of CPU %d: %w", b.CPU, err)
	}
	b.scan()
	return nil
}

// scan finds where records begin, from the newest, at the head, to the oldest
// that is whole.
func (b *Backward) scan() {
	size := uint64(len(b.r.data))
	head := b.r.head.Load()
	b.records = b.records[:0]
	if head&(headerSize-1) != 0 {
		b.Stats.Corrupt++
		return
	}
	// The head counts down from 0, so -head is how much was ever written.
	limit := min(-head, size)
	if b.any {
		fresh := b.seen - head
		if fresh > size {
			b.Stats.Gaps++ // what was overwritten was never read
		}
		limit = min(limit, fresh)
	}
	b.seen, b.any = head, true
	b.Stats.Peak = max(b.Stats.Peak, limit)
	for at := uint64(0); limit-at >= headerSize; {
		off := (head + at) & b.r.mask
		n := uint64(binary.NativeEndian.Uint16(b.r.data[off+6:]))
		if n == 0 && limit == size {
			break // never written: the head is not where it should be
		}
		if n < headerSize || n&(headerSize-1) != 0 {
			b.Stats.Corrupt++
			b.Stats.Skipped += limit - at
			break
		}
		if n > limit-at {
			break // the oldest one is overwritten in part
		}
		b.records = append(b.records, head+at)
		at += n
	}
}

// Next returns the next record, the oldest first, or nil at the end. It is lent
// until the next call.
func (b *Backward) Next() []byte {
	n := len(b.records) - 1
	if n < 0 {
		return nil
	}
	// The ring's own cursor does the rest: one record from here.
	b.r.pos = b.records[n]
	b.r.end = b.r.pos + uint64(len(b.r.data))
	b.records = b.records[:n]
	rec, err := b.r.Next()
	if err != nil {
		b.records = b.records[:0]
		b.Stats.Corrupt++
		return nil
	}
	b.Stats.Records++
	b.Stats.Bytes += uint64(len(rec))
	b.r.count(rec)
	return rec
}

// Resume lets the writer go on.
func (b *Backward) Resume() error {
	b.records = b.records[:0]
	if err := b.pause(false); err != nil {
		return fmt.Errorf("resume the ring of CPU %d: %w", b.CPU, err)
	}
	return nil
}

// Close unmaps the ring.
func (b *Backward) Close() error { return b.r.Close() }
