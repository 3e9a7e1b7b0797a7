package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	specDir    = "../../xlat"
	valuesFile = "values.tsv"
)

func TestGeneratedTablesAreThoseOfTheSpecs(t *testing.T) {
	want, err := generate(specDir, valuesFile)
	if err != nil {
		t.Fatal(err)
	}
	have, err := filepath.Glob(filepath.Join(specDir, "z*.go"))
	if err != nil {
		t.Fatal(err)
	}
	if len(have) == 0 || len(have) != len(want) {
		t.Errorf("%d generated files, %d specs: run go generate in decode/xlat", len(have), len(want))
	}
	for name, text := range want {
		old, err := os.ReadFile(filepath.Join(specDir, name))
		if err != nil || !bytes.Equal(old, text) {
			t.Errorf("%s is not what its spec says (%v): run go generate in decode/xlat", name, err)
		}
	}
}

func TestSnapshotHasValuesOfAllKindsAndArchitectures(t *testing.T) {
	s, err := readSnapshot(valuesFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		val  [4]uint64
	}{
		{"SEEK_END", [4]uint64{2, 2, 2, 2}},                                         // a macro
		{"O_DIRECT", [4]uint64{0x4000, 0x4000, 0x10000, 0x10000}},                   // differs
		{"AT_FDCWD", [4]uint64{^uint64(99), ^uint64(99), ^uint64(99), ^uint64(99)}}, // negative
		{"BPF_PROG_LOAD", [4]uint64{5, 5, 5, 5}},                                    // an enum
		{"AF_INET", [4]uint64{2, 2, 2, 2}},                                          // of x/sys
		{"VIDIOC_QBUF", [4]uint64{0xc058560f, 0xc044560f, 0xc058560f, 0xc044560f}},  // an ioctl with sizeof
	} {
		if e := s[c.name]; e.val != c.val || e.has != [4]bool{true, true, true, true} {
			t.Errorf("%s is %#x, want %#x", c.name, e.val, c.val)
		}
	}
	if e := s["MAP_32BIT"]; e.has != [4]bool{true, true, false, false} {
		t.Errorf("MAP_32BIT: on %v, want x86 alone", e.has)
	}
}

func TestMistakesInSpecsAreTold(t *testing.T) {
	snap := snapshot{"A_B": {name: "A_B"}}
	for text, want := range map[string]string{
		"flags X A_???\n  A_C\n":         "x.x:2: A_C has no value",
		"  A_B\n":                        "x.x:1: a name before",
		"flag X A_???\n":                 "x.x:1: want enum",
		"const\n  B_*\n":                 "x.x:2: no name matches B_*",
		"flags X\n  A_B mips=1\n":        "x.x:2: no architecture mips",
		"flags X\n  A_B = 0b2\n":         "x.x:2: ",
		"flags X A_???\n  A_B is that\n": "x.x:2: want NAME",
	} {
		file := filepath.Join(t.TempDir(), "x.x")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readSpec(file, snap); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
