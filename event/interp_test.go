package event

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// fakeMemory is made of mapped regions; reads end where a region ends.
type fakeMemory struct {
	regions map[uint64][]byte
	netlink int32 // this descriptor is a netlink socket
	reads   int
}

func (m *fakeMemory) ReadMemory(addr uint64, buf []byte) int {
	m.reads++
	for base, b := range m.regions {
		if addr >= base && addr < base+uint64(len(b)) {
			return copy(buf, b[addr-base:])
		}
	}
	return 0
}

func (m *fakeMemory) IsNetlink(fd int32) bool { return fd == m.netlink }

// AppendFD tells of descriptors below 100, the netlink socket, and AT_FDCWD.
func (m *fakeMemory) AppendFD(fd int32, to []byte) []byte {
	if fd >= 100 || fd < 0 && fd != -100 {
		return to
	}
	return fmt.Appendf(to, "file %d", fd)
}

// words lays out 64-bit words, words32 32-bit ones.
func words(v ...uint64) (b []byte) {
	for _, w := range v {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

func words32(v ...uint32) (b []byte) {
	for _, w := range v {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// show writes pieces one a line: op addr status want "bytes".
func show(b []byte) string {
	var s strings.Builder
	for {
		p, rest, ok := NextPiece(b)
		if !ok {
			if len(b) != 0 {
				fmt.Fprintf(&s, "%d stray bytes\n", len(b))
			}
			return s.String()
		}
		b = rest
		status := [...]string{"ok", "cut", "fault", "fd"}[p.Status]
		data := fmt.Sprintf("%q", p.Data)
		if len(p.Data) > 40 {
			data = fmt.Sprintf("%d bytes", len(p.Data))
		}
		fmt.Fprintf(&s, "%d %#x %s %d %s\n", p.Op, p.Addr, status, p.Want, data)
	}
}

// w64 is the text that show prints for words.
func w64(v ...uint64) string { return fmt.Sprintf("%q", words(v...)) }

const page = 0x10000

func TestPlansCopyWhatTheyDescribe(t *testing.T) {
	mem := func(kv ...any) map[uint64][]byte {
		m := make(map[uint64][]byte)
		for i := 0; i < len(kv); i += 2 {
			switch v := kv[i+1].(type) {
			case string:
				m[uint64(kv[i].(int))] = []byte(v)
			case []byte:
				m[uint64(kv[i].(int))] = v
			}
		}
		return m
	}
	str := func(from uint8, when When, limit uint16) Capture {
		return Capture{Kind: CapString, From: from, When: when, Max: limit}
	}
	tests := []struct {
		name     string
		caps     []Capture
		abi      ABI
		args     [6]uint64
		ret      int64
		mem      map[uint64][]byte
		atExit   map[uint64][]byte // mapped only at exit
		in, out  string
		netlink  int32
		strMax   uint32
		cutIn    bool
		commands map[uint32][]Capture
		cmdArg   int8
		cmdMask  uint32
	}{
		{
			name: "a string ends at its NUL",
			caps: []Capture{str(0, AtEntry, 64)}, args: [6]uint64{page},
			mem: mem(page, "hello\x00xxx"),
			in:  "0 0x10000 ok 6 \"hello\"\n",
		},
		{
			name: "an empty string is a piece without bytes",
			caps: []Capture{str(0, AtEntry, 64)}, args: [6]uint64{page},
			mem: mem(page, "\x00"),
			in:  "0 0x10000 ok 1 \"\"\n",
		},
		{
			name: "a string as long as the limit is whole",
			caps: []Capture{str(0, AtEntry, 5)}, args: [6]uint64{page},
			mem: mem(page, "hello\x00"),
			in:  "0 0x10000 ok 6 \"hello\"\n",
		},
		{
			name: "a string one longer than the limit is cut",
			caps: []Capture{str(0, AtEntry, 5)}, args: [6]uint64{page},
			mem: mem(page, "hello!\x00"),
			in:  "0 0x10000 cut 5 \"hello\"\n",
		},
		{
			name: "a string without a limit of its own has the -s limit",
			caps: []Capture{str(0, AtEntry, 0)}, args: [6]uint64{page}, strMax: 3,
			mem: mem(page, "hello!\x00"),
			in:  "0 0x10000 cut 3 \"hel\"\n",
		},
		{
			name: "a string that runs into unmapped memory faults with what there is",
			caps: []Capture{str(0, AtEntry, 64)}, args: [6]uint64{page},
			mem: mem(page, "hel"),
			in:  "0 0x10000 fault 64 \"hel\"\n",
		},
		{
			name: "a string crosses pages",
			caps: []Capture{str(0, AtEntry, 64)}, args: [6]uint64{page - 2},
			mem: mem(page-2, "ab", page, "cd\x00"),
			in:  "0 0xfffe ok 5 \"abcd\"\n",
		},
		{
			name: "an unreadable pointer is a fault without bytes, NULL is nothing",
			caps: []Capture{str(0, AtEntry, 64), str(1, AtEntry, 64)}, args: [6]uint64{page, 0},
			in: "0 0x10000 fault 64 \"\"\n",
		},
		{
			name: "bytes by argument are cut at the -s limit",
			caps: []Capture{{Kind: CapBytes, From: 1, When: AtExit, Len: LenArg, LenFrom: 2}},
			args: [6]uint64{1, page, 10}, ret: 10, strMax: 4,
			mem: mem(page, "0123456789"),
			out: "0 0x10000 cut 10 \"01234\"\n",
		},
		{
			name: "bytes by argument times a size; no length, no piece",
			caps: []Capture{
				{Kind: CapBytes, From: 0, When: AtEntry, Len: LenArg, LenFrom: 1, Size: 8, Max: 64},
				{Kind: CapBytes, From: 0, When: AtEntry, Len: LenArg, LenFrom: 2, Size: 8, Max: 64},
			},
			args: [6]uint64{page, 2, 0},
			mem:  mem(page, words(1, 2, 3)),
			in:   "0 0x10000 ok 16 " + w64(1, 2) + "\n",
		},
		{
			name: "an absurd length asks for what a u32 can tell and copies up to the limit",
			caps: []Capture{{Kind: CapBytes, From: 0, When: AtEntry, Len: LenArg, LenFrom: 1, Size: 9, Max: 4}},
			args: [6]uint64{page, 1<<64 - 1},
			mem:  mem(page, "0123456789"),
			in:   "0 0x10000 cut 4294967295 \"0123\"\n",
		},
		{
			name: "an int length ignores the upper half of the register",
			caps: []Capture{{Kind: CapBytes, From: 0, When: AtEntry, Len: LenArg, LenFrom: 1, LenWidth: 4, Max: 64}},
			args: [6]uint64{page, 0xdead_0000_0000_0003},
			mem:  mem(page, "0123456789"),
			in:   "0 0x10000 ok 3 \"012\"\n",
		},
		{
			name: "a struct is whole whatever -s says, and may end at an unmapped page",
			caps: []Capture{{Kind: CapBytes, From: 0, When: AtEntry, Size: 8}, {Kind: CapBytes, From: 1, When: AtEntry, Size: 8}},
			args: [6]uint64{page, page + 4}, strMax: 2,
			mem: mem(page, "01234567"),
			in:  "0 0x10000 ok 8 \"01234567\"\n1 0x10004 fault 8 \"4567\"\n",
		},
		{
			name: "bytes by result, which a failure has not",
			caps: []Capture{{Kind: CapBytes, From: 0, When: AtExit, Len: LenRet, Max: 64}},
			args: [6]uint64{page}, ret: 3,
			mem: mem(page, "0123456789"),
			out: "0 0x10000 ok 3 \"012\"\n",
		},
		{
			name: "after a failure only what does not need success is copied",
			caps: []Capture{
				{Kind: CapBytes, From: 0, When: AtExit, Len: LenRet, Max: 64},
				{Kind: CapBytes, From: 0, When: AtExit | IfOK, Size: 4, Max: 64},
				{Kind: CapBytes, From: 0, When: AtExit, Size: 2, Max: 64},
			},
			args: [6]uint64{page}, ret: -14,
			mem: mem(page, "0123456789"),
			out: "2 0x10000 ok 2 \"01\"\n",
		},
		{
			name: "iovec: each base with the length beside it",
			caps: []Capture{
				{Kind: CapBytes, From: 1, When: AtEntry, Len: LenArg, LenFrom: 2, Size: 16, Max: 1024},
				{Kind: CapBytes, From: FromOp, Stride: 16, When: AtEntry, Len: LenField, LenOff: 8, Max: 64},
			},
			args: [6]uint64{1, page, 3},
			mem:  mem(page, words(0x20000, 3, 0, 5, 0x30000, 2), 0x20000, "abcdef", 0x30000, "xyz"),
			in: "0 0x10000 ok 48 48 bytes\n" +
				"1 0x20000 ok 3 \"abc\"\n" +
				"1 0x30000 ok 2 \"xy\"\n",
		},
		{
			name: "compat iovec: words of four bytes, pointers without the upper half",
			abi:  Compat,
			caps: []Capture{
				{Kind: CapBytes, From: 1, When: AtEntry, Len: LenArg, LenFrom: 2, Size: 8, Max: 1024},
				{Kind: CapBytes, From: FromOp, Stride: 8, When: AtEntry, Len: LenField, LenOff: 4, Max: 64},
			},
			args: [6]uint64{1, 0xffff_ffff_0000_0000 | page, 0xffff_ffff_0000_0002},
			mem:  mem(page, words32(0x20000, 3, 0x30000, 2), 0x20000, "abcdef", 0x30000, "xyz"),
			in: "0 0x10000 ok 16 " + fmt.Sprintf("%q", words32(0x20000, 3, 0x30000, 2)) + "\n" +
				"1 0x20000 ok 3 \"abc\"\n" +
				"1 0x30000 ok 2 \"xy\"\n",
		},
		{
			name: "readv: the result is spread over the buffers; what it does not reach is not copied",
			caps: []Capture{
				{Kind: CapBytes, From: 1, When: AtEntry, Len: LenArg, LenFrom: 2, Size: 16, Max: 1024},
				{Kind: CapBytes, From: FromOp, Stride: 16, When: AtExit | IfOK | LimitRet, Len: LenField, LenOff: 8, Max: 64},
			},
			args: [6]uint64{1, page, 3}, ret: 4,
			mem: mem(page, words(0x20000, 3, 0x30000, 3, 0x40000, 3), 0x20000, "abc", 0x30000, "def", 0x40000, "ghi"),
			in:  "0 0x10000 ok 48 48 bytes\n",
			out: "1 0x20000 ok 3 \"abc\"\n1 0x30000 ok 1 \"d\"\n",
		},
		{
			name: "mmsghdr: pointers in pieces of pieces",
			caps: []Capture{
				{Kind: CapBytes, From: 0, When: AtEntry, Len: LenArg, LenFrom: 1, Size: 32, Max: 1024},
				{Kind: CapBytes, From: FromOp, Off: 8, Stride: 32, When: AtEntry, Len: LenField, LenOff: 16, Size: 16, Max: 1024},
				{Kind: CapBytes, From: FromOp + 1, Stride: 16, When: AtEntry, Len: LenField, LenOff: 8, Max: 64},
			},
			args: [6]uint64{page, 2},
			mem: mem(page, words(7, 0x20000, 1, 7, 7, 0x30000, 2, 7),
				0x20000, words(0x40000, 1), 0x30000, words(0x40001, 1, 0x40002, 1), 0x40000, "abc"),
			in: "0 0x10000 ok 64 64 bytes\n" +
				"1 0x20000 ok 16 " + w64(0x40000, 1) + "\n" +
				"1 0x30000 ok 32 " + w64(0x40001, 1, 0x40002, 1) + "\n" +
				"2 0x40000 ok 1 \"a\"\n2 0x40001 ok 1 \"b\"\n2 0x40002 ok 1 \"c\"\n",
		},
		{
			name: "argv: a vector up to its NULL and its strings",
			caps: []Capture{
				{Kind: CapVector, From: 1, When: AtEntry, Max: 256},
				{Kind: CapString, From: FromOp, Stride: 8, When: AtEntry, Max: 64},
			},
			args: [6]uint64{0, page},
			mem:  mem(page, words(0x20000, 0x20003, 0, 0x20000), 0x20000, "ls\x00-l\x00"),
			in: "0 0x10000 ok 24 " + w64(0x20000, 0x20003, 0) + "\n" +
				"1 0x20000 ok 3 \"ls\"\n1 0x20003 ok 3 \"-l\"\n",
		},
		{
			name: "a vector longer than its limit is cut at a word",
			caps: []Capture{{Kind: CapVector, From: 0, When: AtEntry, Max: 20}},
			args: [6]uint64{page},
			mem:  mem(page, words(1, 2, 3, 0)),
			in:   "0 0x10000 cut 16 " + w64(1, 2) + "\n",
		},
		{
			name: "a vector that runs into unmapped memory has its whole words",
			caps: []Capture{{Kind: CapVector, From: 0, When: AtEntry, Max: 64}},
			args: [6]uint64{page},
			mem:  mem(page, append(words(1, 2), 3)),
			in:   "0 0x10000 fault 64 " + w64(1, 2) + "\n",
		},
		{
			name: "a value-result length: the one of this phase counts",
			caps: []Capture{
				{Kind: CapBytes, From: 2, When: AtEntry | AtExit, Size: 4},
				{Kind: CapBytes, From: 1, When: AtExit | IfOK, Len: LenOp, LenFrom: 0, LenWidth: 4, Max: 128},
			},
			args: [6]uint64{3, page, 0x20000},
			mem:  mem(page, "0123456789", 0x20000, words32(8)),
			in:   "0 0x20000 ok 4 \"\\b\\x00\\x00\\x00\"\n",
			out:  "0 0x20000 ok 4 \"\\b\\x00\\x00\\x00\"\n1 0x10000 ok 8 \"01234567\"\n",
		},
		{
			name: "a length of the entry serves at exit",
			caps: []Capture{
				{Kind: CapBytes, From: 2, When: AtEntry, Size: 4},
				{Kind: CapBytes, From: 1, When: AtExit | IfOK, Len: LenOp, LenFrom: 0, LenWidth: 4, Max: 128},
			},
			args: [6]uint64{3, page, 0x20000},
			mem:  mem(page, "0123456789", 0x20000, words32(8)),
			in:   "0 0x20000 ok 4 \"\\b\\x00\\x00\\x00\"\n",
			out:  "1 0x10000 ok 8 \"01234567\"\n",
		},
		{
			name: "a length that could not be read copies nothing",
			caps: []Capture{
				{Kind: CapBytes, From: 2, When: AtEntry, Size: 4},
				{Kind: CapBytes, From: 1, When: AtEntry, Len: LenOp, LenFrom: 0, LenWidth: 4, Max: 128},
			},
			args: [6]uint64{3, page, 0x20000},
			mem:  mem(page, "0123456789"),
			in:   "0 0x20000 fault 4 \"\"\n",
		},
		{
			name: "ioctl: the size in the command",
			caps: []Capture{{Kind: CapBytes, From: 2, When: AtEntry, Len: LenIoctl, Max: 64}},
			args: [6]uint64{3, 0xc004_5401, page},
			mem:  mem(page, "0123456789"),
			in:   "0 0x10000 ok 4 \"0123\"\n",
		},
		{
			name: "fd_set: whole words for the descriptors, none for a negative number",
			caps: []Capture{
				{Kind: CapBytes, From: 1, When: AtEntry, Len: LenFDSet, LenFrom: 0, Max: 128},
				{Kind: CapBytes, From: 1, When: AtEntry, Len: LenFDSet, LenFrom: 2, Max: 128},
			},
			args: [6]uint64{65, page, 0xffff_ffff},
			mem:  mem(page, words(5, 6, 7)),
			in:   "0 0x10000 ok 16 " + w64(5, 6) + "\n",
		},
		{
			name: "compat fd_set: words of four bytes",
			abi:  Compat,
			caps: []Capture{{Kind: CapBytes, From: 1, When: AtEntry, Len: LenFDSet, LenFrom: 0, Max: 128}},
			args: [6]uint64{33, page},
			mem:  mem(page, "0123456789"),
			in:   "0 0x10000 ok 8 \"01234567\"\n",
		},
		{
			name: "what faulted at entry is tried again at exit, with what depends on it, and nothing else",
			caps: []Capture{
				{Kind: CapBytes, From: 0, When: AtEntry | IfFault, Size: 8},
				{Kind: CapString, From: FromOp, When: AtEntry | IfFault, Max: 8},
				{Kind: CapString, From: 1, When: AtEntry | IfFault, Max: 8},
			},
			args:   [6]uint64{page, 0x20000},
			mem:    mem(0x20000, "ok\x00"),
			atExit: mem(page, words(0x20000)),
			in:     "0 0x10000 fault 8 \"\"\n2 0x20000 ok 3 \"ok\"\n",
			out:    "0 0x10000 ok 8 " + w64(0x20000) + "\n1 0x20000 ok 3 \"ok\"\n",
		},
		{
			name: "a netlink message is longer than -s",
			caps: []Capture{{Kind: CapBytes, From: 1, When: AtEntry | Netlink, Len: LenArg, LenFrom: 2}},
			args: [6]uint64{3, page, 8}, strMax: 4, netlink: 3,
			mem: mem(page, "01234567"),
			in:  "0 0x10000 ok 8 \"01234567\"\n",
		},
		{
			name: "no netlink socket, no longer message",
			caps: []Capture{{Kind: CapBytes, From: 1, When: AtEntry | Netlink, Len: LenArg, LenFrom: 2}},
			args: [6]uint64{4, page, 8}, strMax: 4, netlink: 3,
			mem: mem(page, "01234567"),
			in:  "0 0x10000 cut 8 \"01234\"\n",
		},
		{
			name: "in place: the tail of an argument, and of each element",
			caps: []Capture{
				{Kind: CapBytes, From: 0, Off: 4, When: AtEntry | InPlace, Size: 4},
				{Kind: CapBytes, From: FromOp, Off: 1, Stride: 2, When: AtEntry | InPlace, Size: 1},
			},
			args: [6]uint64{page},
			mem:  mem(page, "01234567"),
			in:   "0 0x10004 ok 4 \"4567\"\n1 0x10005 ok 1 \"5\"\n1 0x10007 ok 1 \"7\"\n",
		},
		{
			name: "a command chooses its plan, masked",
			caps: []Capture{str(1, AtEntry, 8)}, cmdArg: 0, cmdMask: 0xff,
			commands: map[uint32][]Capture{7: {{Kind: CapBytes, From: 1, When: AtEntry, Size: 2}}},
			args:     [6]uint64{0x107, page},
			mem:      mem(page, "abc\x00"),
			in:       "0 0x10000 ok 2 \"ab\"\n",
		},
		{
			name: "other commands have the plan of the call",
			caps: []Capture{str(1, AtEntry, 8)}, cmdArg: 0,
			commands: map[uint32][]Capture{7: {{Kind: CapBytes, From: 1, When: AtEntry, Size: 2}}},
			args:     [6]uint64{0x107, page},
			mem:      mem(page, "abc\x00"),
			in:       "0 0x10000 ok 4 \"abc\"\n",
		},
		{
			name: "plans that make no sense copy nothing",
			caps: []Capture{
				{Kind: CapBytes, From: 6, When: AtEntry, Size: 2},
				{Kind: CapBytes, From: FromOp + 1, When: AtEntry, Size: 2},
				{Kind: CapBytes, From: 0, When: AtEntry, Len: LenArg, LenFrom: 9},
				{Kind: 99, From: 0, When: AtEntry, Size: 2},
			},
			args: [6]uint64{page},
			mem:  mem(page, "abc\x00"),
		},
		{
			name: "descriptors are told from arguments, memory and the result",
			caps: []Capture{
				{Kind: CapFD, From: 0, When: AtEntry},
				{Kind: CapFD, From: 1, When: AtEntry},
				{Kind: CapFD, From: 2, When: AtEntry},
				{Kind: CapBytes, From: 3, When: AtEntry, Size: 8},
				{Kind: CapFD, From: FromOp + 3, When: AtEntry, Stride: 4},
				{Kind: CapFD, From: FromRet, When: AtExit | IfOK},
			},
			args: [6]uint64{1<<32 - 100, 3, 100, page},
			ret:  5,
			mem:  mem(page, words32(7, 8)),
			in: "0 0xffffffffffffff9c fd 9 \"file -100\"\n1 0x3 fd 6 \"file 3\"\n3 0x10000 ok 8 \"\\a\\x00\\x00\\x00\\b\\x00\\x00\\x00\"\n" +
				"4 0x7 fd 6 \"file 7\"\n4 0x8 fd 6 \"file 8\"\n",
			out: "5 0x5 fd 6 \"file 5\"\n",
		},
		{
			name:    "of a descriptor that matters only as a netlink socket, others are not told",
			caps:    []Capture{{Kind: CapFD, From: 0, When: AtEntry | Netlink}, {Kind: CapFD, From: 1, When: AtEntry | Netlink}},
			args:    [6]uint64{3, 4},
			netlink: 4,
			in:      "1 0x4 fd 6 \"file 4\"\n",
		},
		{
			name: "too many elements use up the budget",
			caps: []Capture{
				{Kind: CapBytes, From: 0, When: AtEntry, Size: 8 * (MaxPieces + 1)},
				{Kind: CapBytes, From: FromOp, Stride: 8, When: AtEntry, Size: 1},
			},
			args:  [6]uint64{page},
			mem:   mem(page, bytes.Repeat(words(0x20000), MaxPieces+1), 0x20000, "z"),
			in:    "0 0x10000 ok 2056 2056 bytes\n" + strings.Repeat("1 0x20000 ok 1 \"z\"\n", MaxPieces-1),
			cutIn: true,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &fakeMemory{regions: tt.mem, netlink: -1}
			if tt.netlink != 0 {
				m.netlink = tt.netlink
			}
			if m.regions == nil {
				m.regions = make(map[uint64][]byte)
			}
			cmdArg := tt.cmdArg
			if tt.commands == nil {
				cmdArg = -1
			}
			plan := &CallPlan{Captures: tt.caps, CmdArg: cmdArg, CmdMask: tt.cmdMask, Commands: tt.commands}
			ip := Interpreter{StringMax: max(tt.strMax, 1)}
			if tt.strMax == 0 {
				ip.StringMax = 32
			}
			e := &Event{ABI: tt.abi, Args: tt.args}
			in, cut := ip.Entry(m, plan, e, nil)
			if got := show(in); got != tt.in || cut != tt.cutIn {
				t.Errorf("at entry, cut %v:\n%s\nwant cut %v:\n%s", cut, got, tt.cutIn, tt.in)
			}
			for k, v := range tt.atExit {
				m.regions[k] = v
			}
			e.In, e.Ret = in, tt.ret
			out, _ := ip.Exit(m, plan, e, nil)
			if got := show(out); got != tt.out {
				t.Errorf("at exit:\n%s\nwant:\n%s", got, tt.out)
			}
		})
	}
}

func TestPiecesStayUnderTheByteBudget(t *testing.T) {
	m := &fakeMemory{regions: map[uint64][]byte{
		page:    bytes.Repeat(words(0x20000), 64),
		0x20000: make([]byte, 1<<16),
	}}
	plan := &CallPlan{CmdArg: -1, Captures: []Capture{
		{Kind: CapBytes, From: 0, When: AtEntry, Size: 512},
		{Kind: CapBytes, From: FromOp, Stride: 8, When: AtEntry, Size: 65535},
	}}
	ip := Interpreter{StringMax: 32}
	before := words(1)
	out, cut := ip.Entry(m, plan, &Event{Args: [6]uint64{page}}, before)
	if !cut || len(out) > MaxPieceBytes+len(before) || len(out) < MaxPieceBytes-70000 {
		t.Errorf("%d bytes, cut %v; want a little less than %d, cut", len(out), cut, MaxPieceBytes)
	}
	if !bytes.HasPrefix(out, before) {
		t.Error("what was in the buffer before is gone")
	}
}

func TestAStringThatEndsInItsPageIsOneRead(t *testing.T) {
	m := &fakeMemory{regions: map[uint64][]byte{page: append([]byte("/etc/passwd"), make([]byte, 8192)...)}}
	plan := &CallPlan{CmdArg: -1, Captures: []Capture{{Kind: CapString, When: AtEntry, Max: MaxPath}}}
	ip := Interpreter{StringMax: 32}
	ip.Entry(m, plan, &Event{Args: [6]uint64{page}}, nil)
	if m.reads != 1 {
		t.Errorf("%d reads, want 1", m.reads)
	}
}

func TestAWarmInterpreterDoesNotAllocate(t *testing.T) {
	m := &fakeMemory{regions: map[uint64][]byte{
		page: words(0x20000, 3, 0x20000, 2), 0x20000: []byte("abc\x00"),
	}}
	plan := &CallPlan{Captures: nil, CmdArg: 3, Commands: map[uint32][]Capture{5: {
		{Kind: CapBytes, From: 1, When: AtEntry, Len: LenArg, LenFrom: 2, Size: 16, Max: 1024},
		{Kind: CapString, From: FromOp, Stride: 16, When: AtEntry, Max: 16},
		{Kind: CapBytes, From: FromOp, Stride: 16, When: AtExit | LimitRet, Len: LenField, LenOff: 8, Max: 64},
	}}}
	e := &Event{Args: [6]uint64{0, page, 2, 5}, Ret: 5}
	ip := &Interpreter{StringMax: 32}
	var in, out []byte
	n := testing.AllocsPerRun(100, func() {
		in, _ = ip.Entry(m, plan, e, in[:0])
		e.In = in
		out, _ = ip.Exit(m, plan, e, out[:0])
	})
	if n != 0 || len(out) == 0 {
		t.Errorf("%v allocations a call, %d bytes out", n, len(out))
	}
}

func FuzzAnyPlanOverAnyMemoryGivesWellFormedPieces(f *testing.F) {
	f.Add([]byte{1, 1, 0, 1, 0, 0, 0, 0, 2, 0, 0, 8, 0, 0, 0, 0}, []byte("some memory"), uint64(0x1000), int64(5))
	f.Fuzz(func(t *testing.T, plan, memory []byte, arg uint64, ret int64) {
		var caps []Capture
		for len(plan) >= 16 {
			caps = append(caps, Capture{
				Kind: CapKind(plan[0]), When: When(plan[1]), From: plan[2], Len: LenKind(plan[3]),
				Off: uint16(plan[4]), Stride: uint16(plan[5]), LenFrom: plan[6], LenWidth: plan[7], LenOff: uint16(plan[8]),
				Size: binary.LittleEndian.Uint16(plan[9:]), Max: binary.LittleEndian.Uint16(plan[11:]),
			})
			plan = plan[16:]
		}
		m := &fakeMemory{regions: map[uint64][]byte{0x1000: memory}}
		ip := Interpreter{StringMax: 32}
		e := &Event{Args: [6]uint64{arg, 0x1000, arg >> 8, 0x1001, arg >> 16, 3}, Ret: ret}
		p := &CallPlan{Captures: caps, CmdArg: -1}
		e.In, _ = ip.Entry(m, p, e, nil)
		out, _ := ip.Exit(m, p, e, nil)
		for _, b := range [][]byte{e.In, out} {
			n := 0
			for {
				piece, rest, ok := NextPiece(b)
				if !ok {
					break
				}
				if int(piece.Op) >= len(caps) || uint32(len(piece.Data)) > piece.Want || piece.Status > PieceFault {
					t.Fatalf("bad piece %+v", piece)
				}
				b, n = rest, n+1
			}
			if len(b) != 0 || n > MaxPieces {
				t.Fatalf("%d pieces, %d bytes that are none", n, len(b))
			}
		}
	})
}
