package mmap

import "encoding/binary"

// Types of records (enum perf_event_type) that somebody here looks at. Others
// are handed out too and can be skipped: every record has its size.
const (
	TypeLost        = 2
	TypeComm        = 3
	TypeExit        = 4
	TypeThrottle    = 5
	TypeUnthrottle  = 6
	TypeFork        = 7
	TypeSample      = 9
	TypeLostSamples = 13

	// TypeCorrupt is no type of the kernel: a unit of this type says that the
	// ring made no sense here and that an unknown number of records is missing.
	TypeCorrupt = 1<<32 - 1
)

// RecordType is the type in a record's header.
func RecordType(rec []byte) uint32 { return binary.NativeEndian.Uint32(rec) }

// RecordMisc is the misc field in a record's header.
func RecordMisc(rec []byte) uint16 { return binary.NativeEndian.Uint16(rec[4:]) }

// sample_type bits that come before the raw data in a sample, and those that
// are in the trailer of other records.
const (
	sampleIP         = 1 << 0
	sampleTID        = 1 << 1
	sampleTime       = 1 << 2
	sampleAddr       = 1 << 3
	sampleRead       = 1 << 4
	sampleCallchain  = 1 << 5
	sampleID         = 1 << 6
	sampleCPU        = 1 << 7
	samplePeriod     = 1 << 8
	sampleStreamID   = 1 << 9
	sampleIdentifier = 1 << 16
)

// A Layout says where things are in the records of events that all have the
// same sample_type. Offsets count from the record's header; 0 means absent.
type Layout struct {
	IP   int // of the u64 instruction pointer in a sample
	TID  int // of u32 pid, u32 tid in a sample
	Time int // of the u64 time in a sample
	CPU  int // of the u32 cpu in a sample
	Raw  int // of the u32 size of a sample's raw data, which follow it
	// TailTime and TailTID are distances from the end of the records that are
	// no samples (attr.sample_id_all).
	TailTime int
	TailTID  int
}

// LayoutOf computes the Layout of a sample_type. Raw is only right without
// READ and CALLCHAIN, which have no fixed size.
func LayoutOf(sampleType uint64, sampleIDAll bool) Layout {
	var l Layout
	off := headerSize
	take := func(bit uint64) int {
		if sampleType&bit == 0 {
			return 0
		}
		off += 8
		return off - 8
	}
	take(sampleIdentifier)
	l.IP = take(sampleIP)
	l.TID = take(sampleTID)
	l.Time = take(sampleTime)
	take(sampleAddr)
	take(sampleID)
	take(sampleStreamID)
	l.CPU = take(sampleCPU)
	take(samplePeriod)
	if sampleType&(sampleRead|sampleCallchain) == 0 {
		l.Raw = off
	}
	if !sampleIDAll {
		return l
	}
	// Trailer: tid, time, id, stream_id, cpu, identifier.
	end := 0
	for _, bit := range []uint64{sampleIdentifier, sampleCPU, sampleStreamID, sampleID, sampleTime, sampleTID} {
		if sampleType&bit == 0 {
			continue
		}
		end += 8
		switch bit {
		case sampleTime:
			l.TailTime = end
		case sampleTID:
			l.TailTID = end
		}
	}
	return l
}

// RawData returns the raw data of a sample, with the 0–7 bytes of padding that
// the kernel adds, or nil.
func (l *Layout) RawData(rec []byte) []byte {
	if l.Raw == 0 || len(rec) < l.Raw+4 {
		return nil
	}
	n := binary.NativeEndian.Uint32(rec[l.Raw:])
	if uint64(n) > uint64(len(rec)-l.Raw-4) {
		return nil
	}
	return rec[l.Raw+4 : l.Raw+4+int(n)]
}

// RecordTime returns the time of a record of any type; ok is false if it has none.
func (l *Layout) RecordTime(rec []byte) (t uint64, ok bool) {
	off := l.Time
	if RecordType(rec) != TypeSample {
		off = len(rec) - l.TailTime
		if l.TailTime == 0 || off < headerSize {
			return 0, false
		}
	}
	if off == 0 || off+8 > len(rec) {
		return 0, false
	}
	return binary.NativeEndian.Uint64(rec[off:]), true
}
