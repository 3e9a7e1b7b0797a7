package filter

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"perftrace/event"
)

func setOf(nrs ...uint32) (s event.CallSet) {
	for _, nr := range nrs {
		s.Add(nr)
	}
	return s
}

func TestATracepointFilterIsAsShortAsItsSetAllows(t *testing.T) {
	full := setOf()
	for i := range full {
		full[i] = math.MaxUint64
	}
	butThree := full
	butThree.Remove(3)
	for name, c := range map[string]struct {
		arch  string
		sets  event.CallSets
		text  string
		exact bool
	}{
		"everything needs none":          {"amd64", event.CallSets{full, full, full}, "", true},
		"nothing is a contradiction":     {"amd64", event.CallSets{}, "id<0&&id>0", true},
		"one number":                     {"arm64", event.CallSets{setOf(1), setOf(1)}, "id==1", true},
		"a number and a range":           {"arm64", event.CallSets{setOf(1, 3, 4, 5), setOf(1, 3, 4, 5)}, "id==1||(id>=3&&id<=5)", true},
		"the complement":                 {"arm64", event.CallSets{butThree, butThree}, "id<=2||id>=4", true},
		"only of 64-bit tasks":           {"amd64", event.CallSets{setOf(1), {}}, "id==1", false},
		"both ABIs share the id":         {"amd64", event.CallSets{setOf(1), setOf(4)}, "id==1||id==4", false},
		"x32 has ids of its own":         {"amd64", event.CallSets{{}, {}, setOf(1)}, "id==1073741825", true},
		"a machine without other ABIs":   {"arm", event.CallSets{setOf(1), full, full}, "id==1", true},
		"numbers that no table has":      {"arm64", event.CallSets{setOf(511), setOf(511)}, "id<=-1||id>=511", true},
		"x32's unknown numbers, inexact": {"amd64", event.CallSets{{}, {}, setOf(511)}, "id<=-1||id>=1073742335", false},
	} {
		text, exact := Tracepoint(c.arch, &c.sets)
		if text != c.text || exact != c.exact {
			t.Errorf("%s: %q, exact %v, want %q, %v", name, text, exact, c.text, c.exact)
		}
	}
}

// evaluate evaluates a filter string as the kernel does, as far as we write
// them: && binds tighter than ||.
type evaluator struct {
	text string
	id   int64
}

func (e *evaluator) or(t *rapid.T) bool {
	v := e.and(t)
	for strings.HasPrefix(e.text, "||") {
		e.text = e.text[2:]
		w := e.and(t)
		v = v || w
	}
	return v
}

func (e *evaluator) and(t *rapid.T) bool {
	v := e.term(t)
	for strings.HasPrefix(e.text, "&&") {
		e.text = e.text[2:]
		w := e.term(t)
		v = v && w
	}
	return v
}

func (e *evaluator) term(t *rapid.T) bool {
	if rest, ok := strings.CutPrefix(e.text, "("); ok {
		e.text = rest
		v := e.or(t)
		if rest, ok = strings.CutPrefix(e.text, ")"); !ok {
			t.Fatalf("no ) at %q", e.text)
		}
		e.text = rest
		return v
	}
	for op, holds := range map[string]func(a, b int64) bool{
		"id==": func(a, b int64) bool { return a == b },
		"id>=": func(a, b int64) bool { return a >= b },
		"id<=": func(a, b int64) bool { return a <= b },
	} {
		if rest, ok := strings.CutPrefix(e.text, op); ok {
			return holds(e.id, e.number(t, rest))
		}
	}
	if rest, ok := strings.CutPrefix(e.text, "id<"); ok {
		return e.id < e.number(t, rest)
	}
	if rest, ok := strings.CutPrefix(e.text, "id>"); ok {
		return e.id > e.number(t, rest)
	}
	t.Fatalf("no term at %q", e.text)
	return false
}

func (e *evaluator) number(t *rapid.T, rest string) int64 {
	end := strings.IndexFunc(rest, func(r rune) bool { return r != '-' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(rest)
	}
	n, err := strconv.ParseInt(rest[:end], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	e.text = rest[end:]
	return n
}

// anySets generates sets of different density: few calls, runs, almost all.
func anySets() *rapid.Generator[event.CallSets] {
	return rapid.Custom(func(t *rapid.T) (sets event.CallSets) {
		for abi := range sets {
			switch rapid.SampledFrom([]string{"none", "few", "runs", "dense", "alternate", "as before"}).Draw(t, "density") {
			case "few":
				for _, nr := range rapid.SliceOfN(rapid.Uint32Range(0, 511), 0, 40).Draw(t, "numbers") {
					sets[abi].Add(nr)
				}
			case "runs":
				for i := range sets[abi] {
					sets[abi][i] = rapid.SampledFrom([]uint64{0, math.MaxUint64, 0xffff0000, 1 << 63}).Draw(t, "word")
				}
			case "dense":
				for i := range sets[abi] {
					sets[abi][i] = rapid.Uint64().Draw(t, "word")
				}
			case "alternate":
				for i := range sets[abi] {
					sets[abi][i] = 0x5555555555555555
				}
			case "as before":
				if abi > 0 {
					sets[abi] = sets[abi-1]
				}
			}
		}
		return sets
	})
}

func TestATracepointFilterLosesNothingAndIsExactWhenItSaysSo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arch := rapid.SampledFrom([]string{"amd64", "arm64", "386"}).Draw(t, "arch")
		sets := anySets().Draw(t, "sets")
		text, exact := Tracepoint(arch, &sets)
		if len(text) > MaxTracepoint {
			t.Fatalf("%d bytes", len(text))
		}
		check := func(id int64, abis ...event.ABI) {
			passed := true
			if text != "" {
				e := evaluator{text, id}
				passed = e.or(t)
				if e.text != "" {
					t.Fatalf("%q is left of %q", e.text, text)
				}
			}
			nr := uint32(id) &^ x32Bit
			if id < 0 {
				nr = event.Unknown
			}
			for _, abi := range abis {
				if sets[abi].Has(nr) && !passed {
					t.Fatalf("%q loses id %d of ABI %d", text, id, abi)
				}
				if exact && passed && !sets[abi].Has(nr) {
					t.Fatalf("%q is said to be exact and lets id %d of ABI %d through", text, id, abi)
				}
			}
		}
		for id := int64(-2); id < 600; id++ {
			switch arch {
			case "amd64":
				if id >= 0 {
					check(id, event.Native, event.Compat)
					check(x32Bit+id, event.X32)
				} else {
					check(id, event.Native, event.Compat, event.X32)
				}
			case "arm64":
				check(id, event.Native, event.Compat)
			default:
				check(id, event.Native)
			}
		}
	})
}
