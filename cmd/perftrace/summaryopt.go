package main

import (
	"slices"
	"strconv"
	"strings"
)

// column is a column of the summary table.
type column uint8

const (
	colNone column = iota
	colPercent
	colTotal
	colMin
	colMax
	colAvg
	colCalls
	colErrors
	colName
	colWallTotal
	colWallMin
	colWallMax
	colWallAvg
	numColumns
)

// columnNames are the spellings that -S and -U know.
var columnNames = []struct {
	name string
	col  column
}{
	{"time", colPercent},
	{"time_percent", colPercent},
	{"time-percent", colPercent},
	{"time_total", colTotal},
	{"time-total", colTotal},
	{"total_time", colTotal},
	{"total-time", colTotal},
	{"min_time", colMin},
	{"min-time", colMin},
	{"shortest", colMin},
	{"time_min", colMin},
	{"time-min", colMin},
	{"longest", colMax},
	{"max_time", colMax},
	{"max-time", colMax},
	{"time_max", colMax},
	{"time-max", colMax},
	{"avg_time", colAvg},
	{"avg-time", colAvg},
	{"time_avg", colAvg},
	{"time-avg", colAvg},
	{"calls", colCalls},
	{"count", colCalls},
	{"error", colErrors},
	{"errors", colErrors},
	{"name", colName},
	{"syscall", colName},
	{"syscall_name", colName},
	{"syscall-name", colName},
	{"wall_total", colWallTotal},
	{"wall-total", colWallTotal},
	{"total_wall", colWallTotal},
	{"total-wall", colWallTotal},
	{"wall_min", colWallMin},
	{"wall-min", colWallMin},
	{"min_wall", colWallMin},
	{"min-wall", colWallMin},
	{"wall_max", colWallMax},
	{"wall-max", colWallMax},
	{"max_wall", colWallMax},
	{"max-wall", colWallMax},
	{"wall_avg", colWallAvg},
	{"wall-avg", colWallAvg},
	{"avg_wall", colWallAvg},
	{"avg-wall", colWallAvg},
	{"none", colNone},
	{"nothing", colNone},
}

// summaryOptions are -c, -C, -S, -U, -w, -O.
type summaryOptions struct {
	on, only   bool
	wall       bool
	sort       column
	sortSet    bool
	columns    []column
	columnsSet bool
	overhead   uint64 // ns
}

func (s *summaryOptions) reset() {
	s.sort = colPercent
	s.columns = []column{colPercent, colTotal, colAvg, colCalls, colErrors, colName}
}

const exclusive = "-c/--summary-only and -C/--summary are mutually exclusive"

func setSummaryOnly(c *config, _ string) error {
	if c.summary.on && !c.summary.only {
		return badUsage(exclusive)
	}
	c.summary.on, c.summary.only = true, true
	return nil
}

func setSummary(c *config, _ string) error {
	if c.summary.only {
		return badUsage(exclusive)
	}
	c.summary.on = true
	return nil
}

func setWall(c *config, _ string) error {
	c.summary.wall = true
	return nil
}

func setSort(c *config, arg string) error {
	c.summary.sortSet = true
	for _, n := range columnNames {
		if n.name == arg {
			c.summary.sort = n.col
			return nil
		}
	}
	return badUsage("invalid sortby: '%s'", arg)
}

func setColumns(c *config, arg string) error {
	s := &c.summary
	s.columnsSet = true
	s.columns = nil
	var seen [numColumns]bool
	for rest, more := arg, true; more; {
		var word string
		left := rest
		word, rest, more = strings.Cut(rest, ",")
		col := colNone
		for _, n := range columnNames {
			if n.name == word && n.col != colNone {
				col = n.col
				break
			}
		}
		switch {
		case col == colNone:
			return badUsage("unknown column name: '%s'", word)
		case seen[col]:
			return badUsage("call summary column has been provided more than once: '%s' (-U option residual: '%s')", word, left)
		}
		seen[col] = true
		s.columns = append(s.columns, col)
	}
	if !seen[colName] { // a table without names says nothing
		s.columns = append(s.columns, colName)
	}
	return nil
}

// setOverhead takes a number, whole or not, and a unit: s, ms, us (if missing), ns.
func setOverhead(c *config, arg string) error {
	digits := strings.TrimRight(arg, "smun")
	scale := inMicros
	if unit := arg[len(digits):]; unit != "" {
		var ok bool
		if scale, ok = parseScale(unit); !ok {
			return errArgument{}
		}
	}
	if n, err := strconv.ParseUint(strings.TrimPrefix(digits, "+"), 10, 63); err == nil && n < 1<<63/scale.unit {
		c.summary.overhead = n * scale.unit
		return nil
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(f >= 0) || f*float64(scale.unit) >= 1<<63 || !strings.ContainsAny(digits, "0123456789") {
		return errArgument{}
	}
	c.summary.overhead = uint64(f * float64(scale.unit))
	return nil
}

// isTime: of system times, without -w, or of wall times.
func (c column) isTime() bool     { return c.isCallTime() || c.isWallTime() }
func (c column) isCallTime() bool { return c >= colPercent && c <= colAvg }
func (c column) isWallTime() bool { return c >= colWallTotal }

// needs reports whether there is such a column, or one that is sorted by.
func (s *summaryOptions) needs(such func(column) bool) bool {
	return such(s.sort) || slices.ContainsFunc(s.columns, such)
}

// system reports whether system times are needed, needsWall whether wall times are.
func (s *summaryOptions) system() bool { return s.on && !s.wall && s.needs(column.isCallTime) }

func (s *summaryOptions) needsWall() bool {
	return s.needs(column.isWallTime) || s.wall && s.needs(column.isCallTime)
}
