package filter

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"perftrace/decode"
	"perftrace/event"
)

// namesIn lists what a set holds, in words: calls by name, with the ABI where
// it is not the native one; i386's functions; "?" for numbers without a name.
func namesIn(c *Calls, abis ...event.ABI) string {
	var list []string
	for _, abi := range abis {
		mark := [...]string{"", "@32", "@x32"}[abi]
		for slot, name := range names(c.arch, abi) {
			if c.abi[abi].has(slot) {
				if slot > socketSlot && slot < otherSlot {
					name = "-" + name
				}
				list = append(list, name+mark)
			}
		}
		if c.abi[abi].has(otherSlot) {
			list = append(list, "?"+mark)
		}
	}
	return strings.Join(list, " ")
}

func TestAnExpressionSelectsTheCallsThatStraceSelects(t *testing.T) {
	for _, c := range []struct {
		expr string
		abis []event.ABI
		want string
	}{
		{"open,read", []event.ABI{0, 1, 2}, "read open read@32 open@32 read@x32 open@x32"},
		{"read,,read,", []event.ABI{0}, "read"},
		{"none", []event.ABI{0, 1, 2}, ""},
		{"!all", []event.ABI{0, 1, 2}, ""},
		{"!!none", []event.ABI{0, 1, 2}, ""},
		{"open@64", []event.ABI{0, 1, 2}, "open"},
		{"open@32", []event.ABI{0, 1, 2}, "open@32"},
		{"ioctl@x32", []event.ABI{0, 1, 2}, "ioctl@x32"},
		{"ioctl#64", []event.ABI{0, 1, 2}, "ioctl#64@x32"},
		{"?foo", []event.ABI{0, 1, 2}, ""},
		{"?foo,??read@64", []event.ABI{0, 1, 2}, "read"},
		{"3", []event.ABI{0, 1, 2}, "close read@32 close@x32"},
		{"3@32", []event.ABI{0, 1, 2}, "read@32"},
		{"1073741825", []event.ABI{0, 1, 2}, "write@x32"},
		{"socket", []event.ABI{0, 1}, "socket socket@32 -socket@32"},
		{"socketcall", []event.ABI{0, 1}, "socketcall@32"},
		{"ipc@32", []event.ABI{0, 1}, "ipc@32 semget@32 semctl@32 shmget@32 shmctl@32 shmat@32 shmdt@32 msgget@32 msgsnd@32 msgrcv@32 msgctl@32 semtimedop_time64@32 -semop@32 -semget@32 -semctl@32 -semtimedop@32 -msgsnd@32 -msgrcv@32 -msgget@32 -msgctl@32 -shmat@32 -shmdt@32 -shmget@32 -shmctl@32"},
		{"%pure@64", []event.ABI{0}, "getpid getuid getgid geteuid getegid getppid getpgrp gettid"},
		{"%stat", []event.ABI{0, 1}, "stat oldstat@32 stat@32 stat64@32"},
		{"%lstat@64,%fstat@64", []event.ABI{0}, "fstat lstat newfstatat statx"},
		{"%%stat@64", []event.ABI{0}, "stat fstat lstat newfstatat statx"},
		{"%statfs@64,%fstatfs@64", []event.ABI{0}, "statfs fstatfs"},
		{"%%statfs@64", []event.ABI{0}, "ustat statfs fstatfs"},
		{"%clock@64", []event.ABI{0}, "gettimeofday adjtimex settimeofday time clock_settime clock_gettime clock_getres clock_adjtime"},
		{"/^open", []event.ABI{0}, "open openat open_tree openat2 open_by_handle_at open_tree_attr"},
		{"/^(get|set)uid$", []event.ABI{0, 1}, "getuid setuid setuid@32 getuid@32"},
		{"?/nothing", []event.ABI{0}, ""},
		{"process@64", []event.ABI{0}, "rt_sigqueueinfo clone fork vfork execve exit wait4 kill tkill exit_group tgkill waitid rt_tgsigqueueinfo execveat pidfd_send_signal clone3"},
	} {
		set, err := ParseTrace("amd64", c.expr)
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		got, want := strings.Fields(namesIn(&set, c.abis...)), strings.Fields(c.want)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %s\nwant %s", c.expr, got, want)
		}
	}
}

func TestAllAndANegationIncludeNumbersThatHaveNoName(t *testing.T) {
	for _, expr := range []string{"all", "!none", "!read", "!!all", "!?foo"} {
		set, err := ParseTrace("amd64", expr)
		if err != nil {
			t.Fatal(err)
		}
		for _, abi := range []event.ABI{event.Native, event.Compat, event.X32} {
			for _, nr := range []uint32{400, 511, 512, 700, 1 << 29, 1<<32 - 1} {
				if !set.Has(abi, nr) {
					t.Errorf("%s lacks number %d of ABI %d", expr, nr, abi)
				}
			}
		}
	}
	set, _ := ParseTrace("amd64", "all,read")
	if !set.Has(event.Native, 1) || set.Has(event.Native, 400) {
		t.Error("all among other words is not: all calls that have a name")
	}
}

func TestAWrongExpressionIsRefusedInStracesWords(t *testing.T) {
	for expr, want := range map[string]string{
		"foo":             "invalid system call 'foo'",
		"":                "invalid system call ''",
		",":               "invalid system call ','",
		"!":               "invalid system call '!'",
		"read,!write":     "invalid system call '!write'",
		"read,none":       "invalid system call 'none'",
		"?foo,bar":        "invalid system call 'bar'",
		"READ":            "invalid system call 'READ'",
		"%foo":            "invalid system call '%foo'",
		"%all":            "invalid system call '%all'",
		"creds":           "invalid system call 'creds'",
		"0x3":             "invalid system call '0x3'",
		"3x":              "invalid system call '3x'",
		"999":             "invalid system call '999'",
		"99999999999":     "invalid system call '99999999999'",
		"501@32":          "invalid system call '501@32'",
		"open@x32,foo@64": "invalid system call 'foo@64'",
		"/nothing":        "invalid system call '/nothing'",
		"/":               "", // matches all
		"/(":              `regcomp: (: Unmatched ( or \(`,
		"/a{2":            `regcomp: a{2: Unmatched \{`,
		"/*read":          "regcomp: *read: Invalid preceding regular expression",
		`/foo\`:           `regcomp: foo\: Trailing backslash`,
		"/[z-a]":          "regcomp: [z-a]: Invalid range end",
		"/[[:foo:]]":      "regcomp: [[:foo:]]: Invalid character class name",
		"?read@foo":       "incorrect personality designator 'foo' in qualification 'read@foo'",
	} {
		_, err := ParseTrace("amd64", expr)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", expr, got, want)
		}
		if syntax, ok := errors.AsType[*SyntaxError](err); err != nil && (!ok || syntax.Help != strings.Contains(want, "designator")) {
			t.Errorf("%q: the error is %#v", expr, err)
		}
	}
}

func TestMachinesHaveTheirOwnABIs(t *testing.T) {
	for _, c := range []struct {
		arch, expr, want string
		abis             []event.ABI
	}{
		{"arm64", "open", "open@32", []event.ABI{0, 1, 2}},
		{"arm64", "%desc@x32", "error", nil},
		{"arm64", "set_tls", "set_tls@32", []event.ABI{0, 1}},
		{"arm64", "983045", "set_tls@32", []event.ABI{0, 1}},
		{"386", "socket@32", "socket -socket", []event.ABI{0}},
		{"386", "socket@64", "error", nil},
	} {
		set, err := ParseTrace(c.arch, c.expr)
		got := "error"
		if err == nil {
			got = namesIn(&set, c.abis...)
		}
		if got != c.want {
			t.Errorf("%s on %s: %s (%v), want %s", c.expr, c.arch, got, err, c.want)
		}
	}
}

// A wordMeaning is a word of the language and what it means, told independently
// of the parser.
type wordMeaning struct {
	word  string
	holds func(abi event.ABI, nr uint32, name string) bool
}

func anyWord(arch string) *rapid.Generator[wordMeaning] {
	return rapid.Custom(func(t *rapid.T) wordMeaning {
		abi := event.ABI(rapid.IntRange(0, 2).Draw(t, "abi"))
		var all []string
		var numbers []uint32
		for nr, name := range decode.Table(arch, abi).All() {
			all = append(all, name)
			numbers = append(numbers, nr)
		}
		i := rapid.IntRange(0, len(all)-1).Draw(t, "call")
		var m wordMeaning
		switch rapid.SampledFrom([]string{"name", "number", "regex", "class", "unknown"}).Draw(t, "kind") {
		case "name":
			word := all[i]
			if word == "ipc" || word == "signal" {
				word = "read" // i386 has calls of these names, but the words are old spellings of %ipc and %signal
			}
			m = wordMeaning{word, func(_ event.ABI, _ uint32, name string) bool { return name == word }}
		case "number":
			n := numbers[i]
			m = wordMeaning{fmt.Sprint(n), func(_ event.ABI, nr uint32, name string) bool { return nr == n && name != "" }}
		case "regex":
			start := all[i][:1+len(all[i])/2]
			m = wordMeaning{"/^" + start, func(_ event.ABI, _ uint32, name string) bool { return name != "" && strings.HasPrefix(name, start) }}
		case "class":
			c := rapid.SampledFrom(classes[:]).Draw(t, "class")
			m = wordMeaning{"%" + c.name, func(_ event.ABI, _ uint32, name string) bool {
				name = strings.TrimSuffix(name, "#64")
				return name != "" && strings.Contains(" "+strings.Join(strings.Fields(c.calls), " ")+" ", " "+name+" ")
			}}
		case "unknown":
			m = wordMeaning{"?nosuchcall", func(event.ABI, uint32, string) bool { return false }}
		}
		if rapid.Bool().Draw(t, "@") && !strings.HasPrefix(m.word, "?") {
			inner := m.holds
			m.word = "?" + m.word + "@" + designator[abi]
			m.holds = func(a event.ABI, nr uint32, name string) bool { return a == abi && inner(a, nr, name) }
		}
		return m
	})
}

func TestAnExpressionMeansWhatItsWordsMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(anyWord("amd64"), 1, 6).Draw(t, "words")
		turned := rapid.IntRange(0, 2).Draw(t, "!")
		var text []string
		for _, w := range words {
			text = append(text, w.word)
		}
		expr := strings.Repeat("!", turned) + strings.Join(text, ",")
		set, err := ParseTrace("amd64", expr)
		if err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		sets := set.Sets()
		for abi := range event.NumABI {
			for nr := range uint32(600) {
				name := decode.Table("amd64", abi).Name(nr)
				want := false
				for _, w := range words {
					want = want || w.holds(abi, nr, name)
				}
				if turned%2 != 0 {
					want = !want
				}
				if got := set.Has(abi, nr); got != want {
					t.Fatalf("%s: number %d (%s) of ABI %d: %v, want %v", expr, nr, name, abi, got, want)
				}
				if want && !sets[abi].Has(nr) {
					t.Fatalf("%s: a source would not deliver number %d (%s) of ABI %d", expr, nr, name, abi)
				}
				if !want && sets[abi].Has(nr) && set.Exact() {
					t.Fatalf("%s is said to be exact, but a source would deliver number %d (%s) of ABI %d", expr, nr, name, abi)
				}
			}
		}
	})
}

func TestFunctionsOfSocketcallAreFilteredLikeTheCallsTheyAre(t *testing.T) {
	call := func(nr uint32, function uint64) *event.Event {
		return &event.Event{ABI: event.Compat, NR: nr, Args: [6]uint64{function}}
	}
	for _, c := range []struct {
		expr  string
		event *event.Event
		want  bool
	}{
		{"bind", call(102, 2), true},
		{"bind", call(102, 1), false},
		{"bind", call(102, 99), false},
		{"bind", call(361, 0), true},
		{"socketcall", call(102, 2), false},
		{"socketcall", call(102, 0), true},
		{"socketcall", call(102, 99), true},
		{"!bind", call(102, 2), false},
		{"!bind", call(102, 3), true},
		{"%network", call(102, 20), true},
		{"%network", call(102, 21), false},
		{"shmat", call(117, 21), true},
		{"shmat", call(117, 1<<16|21), true},
		{"shmat", call(117, 22), false},
		{"shmat", call(117, 5), false},
		{"%memory", call(117, 21), true},
		{"write", &event.Event{ABI: event.Native, NR: 1, Args: [6]uint64{2}}, true},
		{"sendto", &event.Event{ABI: event.Native, NR: 102, Args: [6]uint64{11}}, false}, // getuid
		{"bind", &event.Event{ABI: 9, NR: 102, Args: [6]uint64{2}}, false},
	} {
		set, err := ParseTrace("amd64", c.expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := set.Keep(c.event); got != c.want {
			t.Errorf("%s keeps call %d of ABI %d with %#x: %v", c.expr, c.event.NR, c.event.ABI, c.event.Args[0], got)
		}
		if sets := set.Sets(); c.want && !sets[c.event.ABI].Has(c.event.NR) {
			t.Errorf("%s: a source would not deliver call %d", c.expr, c.event.NR)
		}
	}
	for expr, want := range map[string]bool{
		"all": true, "none": true, "read": true, "!read": true, "bind": false, "%network": false, "socketcall": false,
		"ioctl": false /* x32 */, "ioctl@64": true, "ipc,!": true,
	} {
		set, err := ParseTrace("amd64", expr)
		if err == nil && set.Exact() != want {
			t.Errorf("%s is exact: %v", expr, !want)
		}
	}
}

func TestKeepDoesNotAllocate(t *testing.T) {
	set, err := ParseTrace("amd64", "%network,read")
	if err != nil {
		t.Fatal(err)
	}
	e := &event.Event{ABI: event.Compat, NR: 102, Args: [6]uint64{2}}
	kept := true
	if n := testing.AllocsPerRun(100, func() { kept = kept && set.Keep(e) }); n != 0 || !kept {
		t.Errorf("%v allocations, kept: %v", n, kept)
	}
}

func TestClassesHoldCallsThatExist(t *testing.T) {
	exists := map[string]bool{}
	for _, arch := range []string{"amd64", "arm64"} {
		for abi := range event.NumABI {
			for _, name := range names(arch, abi) {
				exists[name] = true
			}
		}
	}
	for _, c := range classes {
		words := c.words()
		if len(words) == 0 || !slices.IsSorted(words) {
			t.Errorf("%%%s is empty or not sorted", c.name)
		}
		for _, w := range words {
			if !exists[w] {
				t.Errorf("%%%s holds %s, which is no call", c.name, w)
			}
		}
	}
	for _, f := range families {
		for _, w := range strings.Fields(f.calls) {
			start, many := strings.CutSuffix(w, "*")
			found := exists[w]
			for name := range exists {
				found = found || many && strings.HasPrefix(name, start)
			}
			if !found {
				t.Errorf("family %s holds %s, which is no call", f.name, w)
			}
		}
		if exists[f.name] && !f.has(f.name) {
			t.Errorf("family %s is called like a call that it does not hold", f.name)
		}
		if c := classNamed(f.name); c != nil && strings.Contains(bareClasses, " "+f.name+" ") {
			t.Errorf("family %s hides strace's class of that name", f.name)
		}
	}
}
