package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"perftrace/decode"
	"perftrace/event"
)

// summary adds up calls for -c and -C. Its tables are made of calls that return;
// those that never do are in none, as with strace.
type summary struct {
	opt   *summaryOptions
	known [event.NumABI][event.MaxNR]event.Count
	other map[otherCall]*event.Count // numbers from MaxNR on
	// wallOnly: the source does not tell system times, so wall times stand for them.
	wallOnly bool
}

type otherCall struct {
	abi event.ABI
	nr  uint32
}

func newSummary(o *summaryOptions) *summary {
	return &summary{opt: o, other: make(map[otherCall]*event.Count), wallOnly: true}
}

func (s *summary) of(abi event.ABI, nr uint32) *event.Count {
	if nr < event.MaxNR && abi < event.NumABI {
		return &s.known[abi][nr]
	}
	key := otherCall{abi, nr}
	c := s.other[key]
	if c == nil {
		c = new(event.Count)
		s.other[key] = c
	}
	return c
}

// count adds a call that returned.
func (s *summary) count(e *event.Event) {
	less := func(took uint64) uint64 { return took - min(took, s.opt.overhead) }
	one := event.Count{Calls: 1}
	if e.Flags&event.HasEnter != 0 && e.Time > e.Enter {
		one.Wall.Add(0, less(e.Time-e.Enter))
		one.System.Add(0, less(e.System))
	}
	if _, failed := e.Failed(); failed {
		one.Errors = 1
	}
	s.of(e.ABI, e.NR).Merge(&one)
}

// tableRow is a line of the table. Its time is system time, or wall time with -w.
type tableRow struct {
	event.Count
	name             string
	time             event.Span
	timeAvg, wallAvg uint64
}

func (r *tableRow) average() {
	r.timeAvg, r.wallAvg = r.time.Total/r.Calls, r.Wall.Total/r.Calls
}

// append writes the tables: one, and one more for each further ABI.
func (s *summary) append(b []byte, rows *decode.Rows) []byte {
	for abi := range event.NumABI {
		list := s.rows(abi, rows)
		if len(list) == 0 {
			continue
		}
		if abi != event.Native {
			b = append(b, "System call usage summary for "...)
			b = append(b, abiMode(abi)...)
			b = append(b, " mode:\n"...)
		}
		b = s.table(b, list)
	}
	return b
}

// abiMode is what strace calls an ABI.
func abiMode(abi event.ABI) string {
	switch abi {
	case event.Compat:
		return "32 bit"
	case event.X32:
		return "x32"
	}
	return "64 bit"
}

// rows collects the calls of an ABI in the order that -S asks for.
func (s *summary) rows(abi event.ABI, names *decode.Rows) (list []tableRow) {
	add := func(nr uint32, c *event.Count) {
		if c.Calls == 0 {
			return
		}
		r := tableRow{Count: *c, name: names.Name(abi, nr), time: c.System}
		if s.opt.wall || s.wallOnly {
			r.time = c.Wall
		}
		r.average()
		list = append(list, r)
	}
	for nr := range s.known[abi] {
		add(uint32(nr), &s.known[abi][nr])
	}
	var more []uint32
	for key := range s.other {
		if key.abi == abi {
			more = append(more, key.nr)
		}
	}
	slices.Sort(more)
	for _, nr := range more {
		add(nr, s.other[otherCall{abi, nr}])
	}
	by := func(field func(*tableRow) uint64) {
		slices.SortStableFunc(list, func(a, b tableRow) int { return cmp.Compare(field(&b), field(&a)) })
	}
	switch s.opt.sort {
	case colPercent, colTotal:
		by(func(r *tableRow) uint64 { return r.time.Total })
	case colMin:
		by(func(r *tableRow) uint64 { return r.time.Min })
	case colMax:
		by(func(r *tableRow) uint64 { return r.time.Max })
	case colAvg:
		by(func(r *tableRow) uint64 { return r.timeAvg })
	case colWallTotal:
		by(func(r *tableRow) uint64 { return r.Wall.Total })
	case colWallMin:
		by(func(r *tableRow) uint64 { return r.Wall.Min })
	case colWallMax:
		by(func(r *tableRow) uint64 { return r.Wall.Max })
	case colWallAvg:
		by(func(r *tableRow) uint64 { return r.wallAvg })
	case colCalls:
		by(func(r *tableRow) uint64 { return r.Calls })
	case colErrors:
		by(func(r *tableRow) uint64 { return r.Errors })
	case colName:
		slices.SortStableFunc(list, func(a, b tableRow) int { return strings.Compare(a.name, b.name) })
	}
	return list
}

// columnHeads are the headings and least widths of the columns.
var columnHeads = [numColumns]struct {
	head  string
	width int
}{
	colPercent:   {"% time", 6},
	colTotal:     {"seconds", 11},
	colMin:       {"shortest", 8},
	colMax:       {"longest", 7},
	colAvg:       {"usecs/call", 11},
	colCalls:     {"calls", 9},
	colErrors:    {"errors", 9},
	colName:      {"syscall", 16},
	colWallTotal: {"wall-total", 11},
	colWallMin:   {"wall-min", 8},
	colWallMax:   {"wall-max", 8},
	colWallAvg:   {"wall-avg", 11},
}

// table writes one table.
func (s *summary) table(b []byte, list []tableRow) []byte {
	total := tableRow{name: "total"}
	var most tableRow // of each number the largest
	longest := 0
	for i := range list {
		r := &list[i]
		total.time.Merge(total.Calls, r.time)
		total.Merge(&r.Count)
		most.time.Min, most.Wall.Min = max(most.time.Min, r.time.Min), max(most.Wall.Min, r.Wall.Min)
		most.timeAvg, most.wallAvg = max(most.timeAvg, r.timeAvg), max(most.wallAvg, r.wallAvg)
		longest = max(longest, len(r.name))
	}
	total.average()

	var widths [numColumns]int
	for c := range widths {
		widths[c] = columnHeads[c].width
	}
	grow := func(c column, text string) { widths[c] = max(widths[c], len(text)) }
	grow(colTotal, seconds(total.time.Total))
	grow(colMin, wholeSeconds(most.time.Min))
	grow(colMax, wholeSeconds(total.time.Max))
	grow(colAvg, strconv.FormatUint(most.timeAvg/1000, 10))
	grow(colWallTotal, seconds(total.Wall.Total))
	grow(colWallMin, wholeSeconds(most.Wall.Min))
	grow(colWallMax, wholeSeconds(total.Wall.Max))
	grow(colWallAvg, strconv.FormatUint(most.wallAvg/1000, 10))
	grow(colCalls, strconv.FormatUint(total.Calls, 10))
	grow(colErrors, strconv.FormatUint(total.Errors, 10))
	widths[colName] = max(widths[colName], longest+1)

	b = s.line(b, &widths, func(c column) string { return columnHeads[c].head })
	rule := func(c column) string { return strings.Repeat("-", widths[c]) }
	b = s.line(b, &widths, rule)
	for i := range list {
		b = s.line(b, &widths, func(c column) string { return list[i].cell(c, total.time.Total) })
	}
	b = s.line(b, &widths, rule)
	return s.line(b, &widths, func(c column) string {
		if c == colPercent {
			return "100.00"
		}
		return total.cell(c, total.time.Total)
	})
}

// line writes a line of cells. Names stand on the left, numbers on the right;
// nothing is filled up behind the last column.
func (s *summary) line(b []byte, widths *[numColumns]int, cell func(column) string) []byte {
	for i, c := range s.opt.columns {
		if i > 0 {
			b = append(b, ' ')
		}
		text := cell(c)
		fill := widths[c] - len(text)
		if c != colName {
			b = appendBlanks(b, fill)
		}
		b = append(b, text...)
		if c == colName && i < len(s.opt.columns)-1 {
			b = appendBlanks(b, fill)
		}
	}
	return append(b, '\n')
}

func appendBlanks(b []byte, n int) []byte {
	for range n {
		b = append(b, ' ')
	}
	return b
}

// cell is what row r shows in a column; all is the time of the whole table.
func (r *tableRow) cell(c column, all uint64) string {
	switch c {
	case colPercent:
		percent := 0.0
		if r.time.Total > 0 {
			percent = 100 * float64(r.time.Total) / float64(all)
		}
		return strconv.FormatFloat(percent, 'f', 2, 64)
	case colTotal:
		return seconds(r.time.Total)
	case colMin:
		return seconds(r.time.Min)
	case colMax:
		return seconds(r.time.Max)
	case colAvg:
		return strconv.FormatUint(r.timeAvg/1000, 10)
	case colWallTotal:
		return seconds(r.Wall.Total)
	case colWallMin:
		return seconds(r.Wall.Min)
	case colWallMax:
		return seconds(r.Wall.Max)
	case colWallAvg:
		return strconv.FormatUint(r.wallAvg/1000, 10)
	case colCalls:
		return strconv.FormatUint(r.Calls, 10)
	case colErrors:
		if r.Errors == 0 {
			return ""
		}
		return strconv.FormatUint(r.Errors, 10)
	}
	return r.name
}

// seconds is a time with six digits behind the point.
func seconds(ns uint64) string { return strconv.FormatFloat(float64(ns)/1e9, 'f', 6, 64) }

// wholeSeconds is as wide as seconds is.
func wholeSeconds(ns uint64) string { return strconv.FormatUint(ns/1e9, 10) + ".000000" }
