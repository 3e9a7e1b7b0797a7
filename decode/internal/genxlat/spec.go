package main

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
)

// A table is one block of a spec: the names of one parameter, or constants.
type table struct {
	name    string // "" : constants
	dflt    string
	signed  bool
	isCodes bool
	comment []string
	entries []entry
}

// An entry is a name with its values, by target.
type entry struct {
	name string
	val  [len(targets)]uint64
	has  [len(targets)]bool
}

// A snapshot is values.tsv.
type snapshot map[string]entry

func readSnapshot(file string) (snapshot, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := snapshot{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		w := strings.Split(lines.Text(), "\t")
		if len(w) != 2 && len(w) != 1+len(targets) {
			return nil, fmt.Errorf("%s: %q is no line of a snapshot", file, lines.Text())
		}
		e := entry{name: w[0]}
		for i := range targets {
			v := w[1]
			if len(w) > 2 {
				v = w[1+i]
			}
			if v == "-" {
				continue
			}
			if e.val[i], err = parse(v); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", file, w[0], err)
			}
			e.has[i] = true
		}
		s[e.name] = e
	}
	return s, lines.Err()
}

func parse(s string) (uint64, error) {
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return uint64(n), nil
	}
	return strconv.ParseUint(s, 0, 64)
}

// readSpec reads a .x file.
func readSpec(file string, snap snapshot) (tables []*table, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var t *table
	var comment []string
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		fail := func(format string, a ...any) ([]*table, error) {
			return nil, fmt.Errorf("%s:%d: %s", file, n, fmt.Sprintf(format, a...))
		}
		line := strings.TrimRight(lines.Text(), " \t")
		w := strings.Fields(line)
		switch {
		case len(w) == 0:
			comment = nil
		case w[0][0] == '#':
			comment = append(comment, strings.TrimPrefix(strings.TrimPrefix(line, "#"), " "))
		case line[0] != ' ' && line[0] != '\t':
			t = &table{comment: comment}
			comment = nil
			tables = append(tables, t)
			if w[0] == "const" && len(w) == 1 {
				continue
			}
			if w[0] != "enum" && w[0] != "flags" && w[0] != "codes" || len(w) < 2 {
				return fail("want enum NAME DEFAULT, flags NAME DEFAULT, codes NAME or const")
			}
			t.name, t.isCodes = w[1], w[0] == "codes"
			for _, o := range w[2:] {
				if o == "signed" {
					t.signed = true
				} else {
					t.dflt = o
				}
			}
		case t == nil:
			return fail("a name before the first table")
		default:
			if t.name == "" && strings.ContainsAny(w[0], "*?[") {
				before := len(t.entries)
				for _, name := range sorted(snap) {
					if ok, _ := path.Match(w[0], name); ok {
						t.entries = append(t.entries, snap[name])
					}
				}
				if len(t.entries) == before {
					return fail("no name matches %s", w[0])
				}
				continue
			}
			e, err := readEntry(w, snap)
			if err != nil {
				return fail("%v", err)
			}
			t.entries = append(t.entries, e)
		}
	}
	return tables, lines.Err()
}

// readEntry reads NAME, NAME = value, or NAME arch=value….
func readEntry(w []string, snap snapshot) (entry, error) {
	e, known := snap[w[0]]
	e.name = w[0]
	if len(w) == 3 && w[1] == "=" {
		v, err := parse(w[2])
		if err != nil {
			return e, err
		}
		for i := range targets {
			e.val[i], e.has[i] = v, true
		}
		return e, nil
	}
	for _, o := range w[1:] {
		arch, val, ok := strings.Cut(o, "=")
		if !ok {
			return e, fmt.Errorf("want NAME, NAME = VALUE or NAME ARCH=VALUE…")
		}
		for i, t := range targets {
			if t.goarch != arch {
				continue
			}
			ok = false
			if val == "-" {
				e.val[i], e.has[i] = 0, false
				continue
			}
			v, err := parse(val)
			if err != nil {
				return e, err
			}
			e.val[i], e.has[i], known = v, true, true
		}
		if ok {
			return e, fmt.Errorf("no architecture %s", arch)
		}
	}
	if !known {
		return e, fmt.Errorf("%s has no value: not in values.tsv; give it one with =", e.name)
	}
	return e, nil
}
