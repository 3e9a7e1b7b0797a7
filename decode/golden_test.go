package decode

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"perftrace/event"
)

// A golden file in testdata is a list of cases:
//
//	# comment
//	native openat -100 0x1000 0x80000 = 3      abi (native, compat, x32; arm64 before it: "arm64 native"), call, arguments, = result
//	opt -v -s 8                                options of this case
//	in 0x1000 "text" u32:7 u64:-1 x:00ff       memory captured at entry: words are concatenated
//	out 0x1000 "/etc"                          memory captured at exit
//	fd 3 path 0 "/etc"                         what a descriptor was when the call returned; infd: when it entered
//	> openat(AT_FDCWD, "/etc", O_RDONLY|O_CLOEXEC) = 3
//
// A string ends without a NUL unless it says \x00. Results are shown without
// padding (column 0). "= enter" instead of a result shows the unfinished line.
type goldenCase struct {
	at   string
	arch string
	opt  Options
	ev   event.Event
	want string
}

func TestEveryGoldenCaseDecodesToItsLine(t *testing.T) {
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files (%v)", err)
	}
	rows := map[string]*Rows{"amd64": NewRows("amd64"), "arm64": NewRows("arm64")}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".golden"), func(t *testing.T) {
			for _, c := range readGolden(t, file) {
				d := New(rows[c.arch], c.opt)
				d.Begin()
				if c.ev.Kind == event.KindEnter {
					d.Enter(&c.ev)
				} else {
					d.Whole(&c.ev)
				}
				if got := strings.TrimRight(string(d.Buf), " "); got != c.want {
					t.Errorf("%s:\n got %s\nwant %s", c.at, got, c.want)
				}
			}
		})
	}
}

func readGolden(t *testing.T, file string) (cases []*goldenCase) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var c *goldenCase
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		at := fmt.Sprintf("%s:%d", file, n)
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "", "#":
		case "arm64", "native", "compat", "x32":
			c = parseCall(t, at, line)
		case "opt":
			parseOpt(t, at, c, strings.Fields(rest))
		case "in", "out":
			addr, data, _ := strings.Cut(rest, " ")
			p := event.Piece{Addr: number(t, at, addr), Data: bytesOf(t, at, data)}
			p.Want = uint32(len(p.Data))
			if word == "in" {
				c.ev.In = event.AppendPiece(c.ev.In, p)
			} else {
				c.ev.Out = event.AppendPiece(c.ev.Out, p)
			}
		case "fd":
			c.ev.Out = event.AppendPiece(c.ev.Out, descriptor(t, at, strings.Fields(rest)))
		case "infd":
			c.ev.In = event.AppendPiece(c.ev.In, descriptor(t, at, strings.Fields(rest)))
		case ">":
			c.want = rest
			cases = append(cases, c)
			c = nil
		default:
			t.Fatalf("%s: what is %q?", at, word)
		}
	}
	if c != nil {
		t.Fatalf("%s: the last case has no line", file)
	}
	return cases
}

func parseCall(t *testing.T, at, line string) *goldenCase {
	c := &goldenCase{at: at, arch: "amd64", opt: Default()}
	c.opt.Column = 0
	w := strings.Fields(line)
	if w[0] == "arm64" {
		c.arch, w = w[0], w[1:]
	}
	switch w[0] {
	case "compat":
		c.ev.ABI = event.Compat
	case "x32":
		c.ev.ABI = event.X32
	}
	nr, ok := Table(c.arch, c.ev.ABI).Number(w[1])
	if !ok {
		nr = uint32(number(t, at, w[1]))
	}
	c.ev.NR = nr
	i := 2
	for ; w[i] != "="; i++ {
		c.ev.Args[i-2] = number(t, at, w[i])
	}
	if w[i+1] == "enter" {
		c.ev.Kind = event.KindEnter
	} else {
		c.ev.Ret = int64(number(t, at, w[i+1]))
	}
	return c
}

func parseOpt(t *testing.T, at string, c *goldenCase, w []string) {
	for i := 0; i < len(w); i++ {
		switch w[i] {
		case "-v":
			c.opt.Abbrev = [event.NumABI]event.CallSet{}
		case "-s":
			i++
			c.opt.StringMax = int(number(t, at, w[i]))
		case "-x":
			c.opt.HexStrings = 1
		case "-xx":
			c.opt.HexStrings = 2
		case "-Xraw":
			c.opt.Xlat = 1
		case "-Xverbose":
			c.opt.Xlat = 2
		case "-y":
			c.opt.FDs = FDPath
		case "-yy":
			c.opt.FDs = ^FDDetail(0)
		case "json":
			c.opt.JSON = true
		default:
			t.Fatalf("%s: option %q", at, w[i])
		}
	}
}

// descriptor makes the piece that tells what a descriptor is: "3 path FLAGS
// "text"" or "3 tcp".
func descriptor(t *testing.T, at string, w []string) event.Piece {
	head := make([]byte, event.FDHead)
	p := event.Piece{Addr: number(t, at, w[0]), Status: event.PieceFD}
	switch w[1] {
	case "path":
		head[event.FDKindAt], head[event.FDFlagsAt] = byte(event.FDPath), byte(number(t, at, w[2]))
		head = append(head, bytesOf(t, at, strings.Join(w[3:], " "))...)
	case "tcp":
		head[event.FDKindAt], head[event.FDFamilyAt] = byte(event.FDSocket), 2
		copy(head[event.FDProtoAt:], "TCP")
		copy(head[event.FDSrcAt:], []byte{127, 0, 0, 1})
		copy(head[event.FDDstAt:], []byte{127, 0, 0, 1})
		binary.LittleEndian.PutUint16(head[event.FDSportAt:], 8080)
		binary.LittleEndian.PutUint16(head[event.FDDportAt:], 0x1234)
	default:
		t.Fatalf("%s: what is %q?", at, w[1])
	}
	p.Data = head
	return p
}

func number(t *testing.T, at, s string) uint64 {
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return uint64(n)
	}
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	return n
}

// bytesOf concatenates "quoted" strings, u8: u16: u32: u64: numbers, zero:N and
// x:hex bytes.
func bytesOf(t *testing.T, at, s string) (b []byte) {
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		if s[0] == '"' {
			q, err := strconv.QuotedPrefix(s)
			if err != nil {
				t.Fatalf("%s: %v", at, err)
			}
			u, _ := strconv.Unquote(q)
			b, s = append(b, u...), s[len(q):]
			continue
		}
		word, rest, _ := strings.Cut(s, " ")
		kind, val, _ := strings.Cut(word, ":")
		s = rest
		switch kind {
		case "u8":
			b = append(b, byte(number(t, at, val)))
		case "u16":
			b = binary.LittleEndian.AppendUint16(b, uint16(number(t, at, val)))
		case "u32":
			b = binary.LittleEndian.AppendUint32(b, uint32(number(t, at, val)))
		case "u64":
			b = binary.LittleEndian.AppendUint64(b, number(t, at, val))
		case "zero":
			b = append(b, make([]byte, number(t, at, val))...)
		case "x":
			for ; len(val) >= 2; val = val[2:] {
				b = append(b, byte(number(t, at, "0x"+val[:2])))
			}
		default:
			t.Fatalf("%s: what is %q?", at, word)
		}
	}
	return b
}
