package perf

import (
	"encoding/binary"
	"testing"

	"perftrace/event"
	"perftrace/perf/mmap"
)

// formats as Linux 6.18 has them, shortened.
const enterFormat = `name: sys_enter
ID: 368
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:long id;	offset:8;	size:8;	signed:1;
	field:unsigned long args[6];	offset:16;	size:48;	signed:0;

print fmt: "NR %ld"
`

const exitFormat = `name: sys_exit
ID: 367
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;

	field:long id;	offset:8;	size:8;	signed:1;
	field:long ret;	offset:16;	size:8;	signed:1;
`

func testLayout(t testing.TB) layout {
	t.Helper()
	enter, exit := &Tracepoint{Name: "enter"}, &Tracepoint{Name: "exit"}
	if err := enter.parse(enterFormat); err != nil {
		t.Fatal(err)
	}
	if err := exit.parse(exitFormat); err != nil {
		t.Fatal(err)
	}
	l, err := newLayout(enter, exit)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// words makes a record of u64 words.
func words(typ uint32, misc uint16, ws ...uint64) []byte {
	b := make([]byte, 8+8*len(ws))
	binary.LittleEndian.PutUint32(b, typ)
	binary.LittleEndian.PutUint16(b[4:], misc)
	binary.LittleEndian.PutUint16(b[6:], uint16(len(b)))
	for i, w := range ws {
		binary.LittleEndian.PutUint64(b[8+8*i:], w)
	}
	return b
}

// enterSample is a sample as the kernel writes it; the raw data begin in the
// middle of a word.
func enterSample(abi, nr uint64) []byte {
	rec := words(mmap.TypeSample, 0, 77<<32|55, 1000, 68, 0, 0, 0, 0, 0, 0, 0, 0, abi, 0x401000)
	raw := rec[offRaw:]
	binary.LittleEndian.PutUint16(raw, 368)
	binary.LittleEndian.PutUint64(raw[8:], nr)
	for i := range uint64(6) {
		binary.LittleEndian.PutUint64(raw[16+8*i:], i+1)
	}
	return rec
}

func TestAnEntryIsParsedWithItsABI(t *testing.T) {
	l := testLayout(t)
	for _, c := range []struct {
		abi, nr uint64
		want    event.ABI
		wantNR  uint32
	}{
		{2, 39, event.Native, 39},
		{1, 20, event.Compat, 20},
		{2, 1<<30 | 39, event.X32, 39},
		{2, 1<<64 - 1, event.Native, event.NoNumber},
	} {
		var s sample
		if !l.parse(enterSample(c.abi, c.nr), &s) {
			t.Fatalf("abi %d nr %#x: not parsed", c.abi, c.nr)
		}
		if x32Bit == 0 && c.want == event.X32 {
			continue
		}
		want := sample{enter: true, abi: c.want, tgid: 55, tid: 77, nr: c.wantNR, time: 1000, ip: 0x401000, args: [6]uint64{1, 2, 3, 4, 5, 6}}
		if s != want {
			t.Errorf("got %+v, want %+v", s, want)
		}
	}
}

func TestAnExitIsParsed(t *testing.T) {
	l := testLayout(t)
	rec := words(mmap.TypeSample, 0, 77<<32|55, 1000, 28, 0, 0, 0, 2, 0x401000)
	raw := rec[offRaw:]
	binary.LittleEndian.PutUint16(raw, 367)
	binary.LittleEndian.PutUint64(raw[8:], 3)
	binary.LittleEndian.PutUint64(raw[16:], 1<<64-9)
	var s sample
	want := sample{tgid: 55, tid: 77, nr: 3, time: 1000, ip: 0x401000, ret: -9}
	if !l.parse(rec, &s) || s != want {
		t.Errorf("got %+v, want %+v", s, want)
	}
}

func TestSideRecordsAreParsed(t *testing.T) {
	var s sideRecord
	comm := append(words(mmap.TypeComm, 0x2000, 77<<32|55), "a name\x00\x00"...)
	comm = append(comm, make([]byte, 16)...)
	if !parseSide(comm, &s) || s.tgid != 55 || s.tid != 77 || !s.exec || string(s.comm[:7]) != "a name\x00" {
		t.Errorf("COMM: %+v", s)
	}
	if !parseSide(words(mmap.TypeFork, 0, 55<<32|88, 77<<32|99, 1000, 0, 0), &s) || s.tgid != 88 || s.tid != 99 || s.ptgid != 55 || s.ptid != 77 {
		t.Errorf("FORK: %+v", s)
	}
	if parseSide(words(mmap.TypeExit, 0, 1), &s) {
		t.Error("a cut EXIT record was parsed")
	}
}

func TestAFormatThatIsNotAsExpectedIsRefused(t *testing.T) {
	enter, exit := &Tracepoint{}, &Tracepoint{}
	if err := enter.parse(exitFormat); err != nil { // it has no args
		t.Fatal(err)
	}
	if err := exit.parse(exitFormat); err != nil {
		t.Fatal(err)
	}
	if _, err := newLayout(enter, exit); err == nil {
		t.Error("no error")
	}
	if err := new(Tracepoint).parse("name: sys_exit\n"); err == nil {
		t.Error("no error for a format without ID")
	}
}

func FuzzRecord(f *testing.F) {
	f.Add(enterSample(2, 1))
	f.Add(words(mmap.TypeFork, 0, 1, 2, 3, 4))
	f.Add(words(mmap.TypeComm, 0, 1, 2, 3, 4))
	f.Add(words(mmap.TypeLost, 0, 1, 2))
	f.Fuzz(func(t *testing.T, rec []byte) {
		if len(rec) < 8 {
			return // the ring reader hands out no less
		}
		l := testLayout(t)
		src := Source{
			layout: l, plan: &event.Plan{Calls: all(), EnterEvent: true},
			byCPU: map[int]*cpu{0: {}},
		}
		u := mmap.Unit{Type: mmap.RecordType(rec), Data: rec, Ring: &mmap.Ring{}}
		for range 2 {
			src.handle(&u)
			for ; src.queued > 0; src.queued-- {
			}
		}
	})
}
