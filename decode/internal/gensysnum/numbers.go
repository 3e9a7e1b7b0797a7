package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// constant matches one line of a zsysnum file, e.g. "SYS_READ = 0".
var constant = regexp.MustCompile(`(?m)^\s*SYS_([A-Z0-9_]+)\s*=\s*(\d+)$`)

func writeNumbers(dir, src string, t table) error {
	text, err := os.ReadFile(filepath.Join(src, "unix", "zsysnum_linux_"+t.goarch+".go"))
	if err != nil {
		return err
	}
	names := map[int]string{}
	for _, m := range constant.FindAllStringSubmatch(string(text), -1) {
		nr, err := strconv.Atoi(m[2])
		if err != nil {
			return err
		}
		name := strings.ToLower(m[1])
		if n, ok := t.rename[name]; ok {
			name = n
		}
		if name == "" {
			continue
		}
		if old, ok := names[nr]; ok {
			return fmt.Errorf("%s: number %d is both %s and %s", t.goarch, nr, old, name)
		}
		names[nr] = name
	}
	if len(names) < 300 {
		return fmt.Errorf("%s: only %d numbers found; has the form of x/sys' files changed?", t.goarch, len(names))
	}
	for nr, name := range t.extra {
		if old, ok := names[nr]; ok {
			return fmt.Errorf("%s: number %d, added as %s, is %s in x/sys", t.goarch, nr, name, old)
		}
		names[nr] = name
	}
	var b bytes.Buffer
	emit(&b, t.variable, names)
	if t.derive != nil {
		name, derived, err := t.derive(names)
		if err != nil {
			return err
		}
		b.WriteByte('\n')
		emit(&b, name, derived)
	}
	return writeGo(dir, t.file, &b)
}

// emit writes two arrays: the names by slot, and the slots in the order of
// their names.
func emit(b *bytes.Buffer, variable string, names map[int]string) {
	var slots []int
	for nr := range names {
		slots = append(slots, nr)
	}
	slices.Sort(slots)
	fmt.Fprintf(b, "var names%s = [...]string{\n", variable)
	for _, nr := range slots {
		fmt.Fprintf(b, "%d: %q,\n", nr, names[nr])
	}
	fmt.Fprintf(b, "}\n\nvar sorted%s = [...]uint16{", variable)
	slices.SortFunc(slots, func(x, y int) int { return strings.Compare(names[x], names[y]) })
	for i, nr := range slots {
		if i%16 == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "%d, ", nr)
	}
	b.WriteString("\n}\n")
}
