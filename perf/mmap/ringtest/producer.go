// Package ringtest writes rings as the kernel does, so that their readers are
// tested without root.
//
// A forward ring refuses what does not fit, and writes a LOST record in front
// of the next record that does. A backward ring overwrites. An 8-byte header
// never wraps around the end of the ring, its body does.
package ringtest

import (
	"encoding/binary"
	"os"
	"sync/atomic"
	"unsafe"
)

const (
	offHead = 1024
	offTail = 1032

	typeLost   = 2
	typeSample = 9
)

// A Producer plays the kernel's part of one ring. One goroutine uses it, which
// may be another one than the reader's.
type Producer struct {
	// ID goes into LOST records. Trailer is put at the end of LOST records,
	// as sample_id_all does.
	ID      uint64
	Trailer func([]byte) []byte
	// Lost is how many records were refused; LostRecords how many LOST
	// records told of them.
	Lost, LostRecords uint64

	mem      []byte
	data     []byte
	head     *atomic.Uint64
	tail     *atomic.Uint64
	pos      uint64
	lost     uint64 // refused since the last LOST record
	backward bool
	paused   atomic.Bool
	buf      []byte
}

// New makes a ring with dataBytes (a power of two) for data, and its producer.
func New(dataBytes int) *Producer {
	page := os.Getpagesize()
	words := make([]uint64, (page+dataBytes)/8) // aligned for the atomics
	mem := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), page+dataBytes)
	return &Producer{
		mem:  mem,
		data: mem[page:],
		head: (*atomic.Uint64)(unsafe.Pointer(&mem[offHead])),
		tail: (*atomic.Uint64)(unsafe.Pointer(&mem[offTail])),
	}
}

// NewBackward is New for a ring that is written downwards and overwritten.
func NewBackward(dataBytes int) *Producer {
	p := New(dataBytes)
	p.backward = true
	return p
}

// Mem is the ring's memory: the shared page and the data.
func (p *Producer) Mem() []byte { return p.mem }

// Head and Tail are where the two sides are.
func (p *Producer) Head() uint64 { return p.head.Load() }
func (p *Producer) Tail() uint64 { return p.tail.Load() }

// SetHead puts the head anywhere: to start near a wrap, or to misbehave.
func (p *Producer) SetHead(h uint64) { p.pos = h; p.head.Store(h) }

// Start puts head and tail to the same place. No reader may exist yet.
func (p *Producer) Start(at uint64) { p.tail.Store(at); p.SetHead(at) }

// Pause is PERF_EVENT_IOC_PAUSE_OUTPUT: while paused, records vanish.
func (p *Producer) Pause(on bool) error { p.paused.Store(on); return nil }

// Write writes one record; the body is padded with zeros to 8 bytes. It
// reports whether it is in the ring.
func (p *Producer) Write(typ uint32, misc uint16, body []byte) bool {
	if p.paused.Load() {
		return false
	}
	size := 8 + (len(body)+7)&^7
	if p.backward {
		p.pos -= uint64(size)
		p.put(p.pos, typ, misc, size, body)
		p.head.Store(p.pos)
		return true
	}
	need := size
	var lost []byte
	if p.lost > 0 {
		lost = p.lostBody()
		need += 8 + len(lost)
	}
	// As the kernel: a ring is never filled to the last byte.
	if uint64(need) >= uint64(len(p.data))-(p.pos-p.tail.Load()) {
		p.lost++
		p.Lost++
		return false
	}
	if lost != nil {
		p.put(p.pos, typeLost, 0, 8+len(lost), lost)
		p.pos += uint64(8 + len(lost))
		p.lost = 0
		p.LostRecords++
	}
	p.put(p.pos, typ, misc, size, body)
	p.pos += uint64(size)
	p.head.Store(p.pos)
	return true
}

// Raw writes a sample whose only field is raw data (PERF_SAMPLE_RAW), with the
// kernel's padding.
func (p *Producer) Raw(data []byte) bool {
	n := (len(data)+4+7)&^7 - 4
	p.buf = binary.NativeEndian.AppendUint32(p.buf[:0], uint32(n))
	p.buf = append(p.buf, data...)
	return p.Write(typeSample, 0, p.buf)
}

func (p *Producer) lostBody() []byte {
	b := make([]byte, 0, 64)
	b = binary.NativeEndian.AppendUint64(b, p.ID)
	b = binary.NativeEndian.AppendUint64(b, p.lost)
	if p.Trailer != nil {
		b = p.Trailer(b)
	}
	return b
}

func (p *Producer) put(pos uint64, typ uint32, misc uint16, size int, body []byte) {
	mask := uint64(len(p.data)) - 1
	h := p.data[pos&mask:]
	binary.NativeEndian.PutUint32(h, typ)
	binary.NativeEndian.PutUint16(h[4:], misc)
	binary.NativeEndian.PutUint16(h[6:], uint16(size))
	p.copyIn(pos+8, body)
	var zero [8]byte
	p.copyIn(pos+8+uint64(len(body)), zero[:size-8-len(body)])
}

func (p *Producer) copyIn(pos uint64, b []byte) {
	off := pos & (uint64(len(p.data)) - 1)
	n := copy(p.data[off:], b)
	copy(p.data, b[n:])
}
