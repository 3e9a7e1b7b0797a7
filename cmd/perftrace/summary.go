package main

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"perftrace/decode"
	"perftrace/event"
)

// counter is what the summary knows about one call.
type counter struct {
	calls, errors uint64
	time          uint64 // ns
	min, max      uint64
}

// summary adds up calls for -c and -C. All times are wall times: sources that
// don't stop the target can't tell how long it was on the CPU.
type summary struct {
	opt   *summaryOptions
	known [event.NumABI][event.MaxNR]counter
	other map[otherCall]*counter // numbers from MaxNR on
}

type otherCall struct {
	abi event.ABI
	nr  uint32
}

func newSummary(o *summaryOptions) *summary {
	return &summary{opt: o, other: make(map[otherCall]*counter)}
}

// count adds a call that returned.
func (s *summary) count(e *event.Event) {
	var c *counter
	if e.NR < event.MaxNR && e.ABI < event.NumABI {
		c = &s.known[e.ABI][e.NR]
	} else {
		key := otherCall{e.ABI, e.NR}
		if c = s.other[key]; c == nil {
			c = new(counter)
			s.other[key] = c
		}
	}
	took := uint64(0)
	if e.Flags&event.HasEnter != 0 && e.Time > e.Enter+s.opt.overhead {
		took = e.Time - e.Enter - s.opt.overhead
	}
	if c.calls == 0 || took < c.min {
		c.min = took
	}
	c.max = max(c.max, took)
	c.time += took
	c.calls++
	if _, failed := e.Failed(); failed {
		c.errors++
	}
}

// tableRow is a line of the table.
type tableRow struct {
	counter
	name string
	avg  uint64
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
	add := func(nr uint32, c *counter) {
		if c.calls > 0 {
			list = append(list, tableRow{*c, names.Name(abi, nr), c.time / c.calls})
		}
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
	case colPercent, colTotal, colWallTotal:
		by(func(r *tableRow) uint64 { return r.time })
	case colMin, colWallMin:
		by(func(r *tableRow) uint64 { return r.min })
	case colMax, colWallMax:
		by(func(r *tableRow) uint64 { return r.max })
	case colAvg, colWallAvg:
		by(func(r *tableRow) uint64 { return r.avg })
	case colCalls:
		by(func(r *tableRow) uint64 { return r.calls })
	case colErrors:
		by(func(r *tableRow) uint64 { return r.errors })
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
	total := tableRow{name: "total", counter: counter{min: math.MaxUint64}}
	var maxMin, maxAvg uint64
	longest := 0
	for i := range list {
		r := &list[i]
		total.calls += r.calls
		total.errors += r.errors
		total.time += r.time
		total.min = min(total.min, r.min)
		total.max = max(total.max, r.max)
		maxMin = max(maxMin, r.min)
		maxAvg = max(maxAvg, r.avg)
		longest = max(longest, len(r.name))
	}
	total.avg = total.time / total.calls

	var widths [numColumns]int
	for c := range widths {
		widths[c] = columnHeads[c].width
	}
	grow := func(text string, cols ...column) {
		for _, c := range cols {
			widths[c] = max(widths[c], len(text))
		}
	}
	grow(seconds(total.time), colTotal, colWallTotal)
	grow(wholeSeconds(maxMin), colMin, colWallMin)
	grow(wholeSeconds(total.max), colMax, colWallMax)
	grow(strconv.FormatUint(maxAvg/1000, 10), colAvg, colWallAvg)
	grow(strconv.FormatUint(total.calls, 10), colCalls)
	grow(strconv.FormatUint(total.errors, 10), colErrors)
	widths[colName] = max(widths[colName], longest+1)

	b = s.line(b, &widths, func(c column) string { return columnHeads[c].head })
	rule := func(c column) string { return strings.Repeat("-", widths[c]) }
	b = s.line(b, &widths, rule)
	for i := range list {
		b = s.line(b, &widths, func(c column) string { return list[i].cell(c, total.time) })
	}
	b = s.line(b, &widths, rule)
	return s.line(b, &widths, func(c column) string {
		if c == colPercent {
			return "100.00"
		}
		return total.cell(c, total.time)
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
		if r.time > 0 {
			percent = 100 * float64(r.time) / float64(all)
		}
		return strconv.FormatFloat(percent, 'f', 2, 64)
	case colTotal, colWallTotal:
		return seconds(r.time)
	case colMin, colWallMin:
		return seconds(r.min)
	case colMax, colWallMax:
		return seconds(r.max)
	case colAvg, colWallAvg:
		return strconv.FormatUint(r.avg/1000, 10)
	case colCalls:
		return strconv.FormatUint(r.calls, 10)
	case colErrors:
		if r.errors == 0 {
			return ""
		}
		return strconv.FormatUint(r.errors, 10)
	}
	return r.name
}

// seconds is a time with six digits behind the point.
func seconds(ns uint64) string { return strconv.FormatFloat(float64(ns)/1e9, 'f', 6, 64) }

// wholeSeconds is as wide as seconds is.
func wholeSeconds(ns uint64) string { return strconv.FormatUint(ns/1e9, 10) + ".000000" }
