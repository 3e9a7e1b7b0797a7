package main

import (
	"encoding/binary"
	"slices"
	"testing"
)

// perfFile makes a perf.data file with one attribute and the given records.
func perfFile(sampleType uint64, records ...[]byte) []byte {
	head := make([]byte, 104)
	copy(head, "PERFILE2")
	le := binary.LittleEndian
	le.PutUint64(head[24:], 104) // attributes
	le.PutUint64(head[32:], 144)
	data := slices.Concat(records...)
	le.PutUint64(head[40:], 104+144)
	le.PutUint64(head[48:], uint64(len(data)))
	attr := make([]byte, 144)
	le.PutUint64(attr[24:], sampleType)
	return slices.Concat(head, attr, data, []byte("what follows is no record"))
}

func record(typ uint32, words ...uint64) []byte {
	b := binary.LittleEndian.AppendUint32(nil, typ)
	b = binary.LittleEndian.AppendUint16(b, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(8+8*len(words)))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// sample has the fields identifier, tid and time before its raw data, which is the
// common part of a tracepoint and the number of a call.
func sample(nr uint64) []byte {
	b := record(perfRecordSample, 1, 2, 3, 0, 0, 0)
	raw := b[8+3*8:]
	binary.LittleEndian.PutUint32(raw, 20)
	copy(raw[4:], "\x12\x34\x56\x78\x9a\xbc\xde\xf0")
	binary.LittleEndian.PutUint64(raw[12:], nr)
	return b
}

const sampleType = 1<<16 | 1<<1 | 1<<2 | sampleRaw

func TestSamplesOfWantedCallsAndLossesAreCounted(t *testing.T) {
	file := perfFile(sampleType,
		record(77, 5), sample(110), sample(110), sample(0), record(perfRecordLost, 9, 4), sample(110), record(perfRecordLostSamples, 3))
	got, err := readPerfData(wrote(t, string(file)), func(nr int64) bool { return nr == 110 })
	if want := (perfCount{samples: 3, lost: 7}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestBrokenPerfDataIsAnError(t *testing.T) {
	whole := perfFile(sampleType, record(77, 5))
	short := slices.Clone(whole)
	binary.LittleEndian.PutUint16(short[104+144+6:], 4)
	cut := slices.Clone(whole)
	binary.LittleEndian.PutUint16(cut[104+144+6:], 4000)
	for name, file := range map[string][]byte{
		"empty":                   nil,
		"another format":          make([]byte, 200),
		"a record of 4 bytes":     short,
		"a record beyond the end": cut,
		"call chains":             perfFile(sampleType | 1<<5),
		"no raw data":             perfFile(1 << 1),
	} {
		if got, err := readPerfData(wrote(t, string(file)), func(int64) bool { return true }); err == nil {
			t.Errorf("%s: got %+v and no error", name, got)
		}
	}
}
