package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// A perf.data file, as far as counting needs it: the head tells where the
// attributes of the events and the records are; all events of perf trace record
// have the same sample type. Facts: tools/perf/Documentation/perf.data-file-format.txt
// of Linux, and perf_event_open(2).

type perfCount struct {
	samples int64 // of wanted calls: one for its entry, one for its exit
	lost    int64 // events
}

const (
	perfRecordLost        = 2
	perfRecordSample      = 9
	perfRecordLostSamples = 13

	sampleRaw = 1 << 10
)

// The fields before the raw data, each of 8 bytes: bits of the sample type. Those
// of variable size (read, callchain) would be too, but are not asked for.
const (
	fixedFields = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<6 | 1<<7 | 1<<8 | 1<<9 | 1<<16
	unknown     = 1<<4 | 1<<5 // read, callchain
)

// readPerfData counts the samples of raw_syscalls events with a wanted number.
func readPerfData(path string, want func(nr int64) bool) (perfCount, error) {
	f, err := os.Open(path)
	if err != nil {
		return perfCount{}, err
	}
	defer f.Close()
	var head [72]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return perfCount{}, fmt.Errorf("perf.data is cut off: %w", err)
	}
	if string(head[:8]) != "PERFILE2" {
		return perfCount{}, errors.New("perf.data has an unknown form")
	}
	le := binary.LittleEndian
	attrs, begin, size := le.Uint64(head[24:]), le.Uint64(head[40:]), le.Uint64(head[48:])
	var attr [32]byte
	if _, err := f.ReadAt(attr[:], int64(attrs)); err != nil {
		return perfCount{}, fmt.Errorf("attributes of perf.data: %w", err)
	}
	typ := le.Uint64(attr[24:])
	if typ&sampleRaw == 0 || typ&unknown != 0 {
		return perfCount{}, fmt.Errorf("perf.data has samples of type %#x, which bench can't read", typ)
	}
	raw := 8
	for bit := range 24 {
		if fixedFields&typ&(1<<bit) != 0 {
			raw += 8
		}
	}
	return countRecords(bufio.NewReaderSize(io.NewSectionReader(f, int64(begin), int64(size)), 1<<20), raw, want)
}

// countRecords walks records whose samples have the size of the raw data at offset raw.
func countRecords(r *bufio.Reader, raw int, want func(nr int64) bool) (perfCount, error) {
	var c perfCount
	le := binary.LittleEndian
	for {
		head, err := r.Peek(8)
		if len(head) < 8 {
			if err == io.EOF {
				return c, nil
			}
			return c, err
		}
		typ, size := le.Uint32(head), int(le.Uint16(head[6:]))
		if size < 8 {
			return c, fmt.Errorf("perf.data has a record of %d bytes", size)
		}
		rec, err := r.Peek(size)
		if err != nil {
			return c, fmt.Errorf("perf.data is cut off: %w", err)
		}
		switch typ {
		case perfRecordSample:
			// After the size: the common fields of a tracepoint, 8 bytes; then the number.
			if nr := raw + 4 + 8; size >= nr+8 && want(int64(le.Uint64(rec[nr:]))) {
				c.samples++
			}
		case perfRecordLost:
			if size >= 24 {
				c.lost += int64(le.Uint64(rec[16:]))
			}
		case perfRecordLostSamples:
			if size >= 16 {
				c.lost += int64(le.Uint64(rec[8:]))
			}
		}
		if _, err := r.Discard(size); err != nil {
			return c, err
		}
	}
}
