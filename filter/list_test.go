package filter

import (
	"slices"
	"strings"
	"testing"

	"perftrace/event"
)

func TestAListMeansWhatPeopleMean(t *testing.T) {
	for list, expr := range map[string]string{
		"open,read":           "open,openat,openat2,creat,read",
		"stat":                "stat,lstat,fstat,newfstatat,statx,?stat64,?lstat64,?fstat64,?fstatat64,?oldstat,?oldlstat,?oldfstat",
		"fork":                "fork,vfork,clone,clone3",
		"write":               "write",
		"reads":               "read,readv,pread64,preadv,preadv2,?readv#64,?preadv#64,?preadv2#64",
		"exec@64":             "execve@64,execveat@64",
		"epoll@64":            "epoll_create,epoll_create1,epoll_ctl,epoll_wait,epoll_pwait,epoll_pwait2,epoll_ctl_old,epoll_wait_old@64",
		"!open":               "!open,openat,openat2,creat",
		"file":                "%file",
		"%file":               "%file",
		"creds":               "%creds",
		"net":                 "%network",
		"%stat":               "%stat",
		"%%stat":              "%%stat",
		"none":                "none",
		"all":                 "all",
		"none,read":           "read",
		"all,!read":           "!read",
		"open,!openat2":       "open,openat,creat",
		"!open,!openat2":      "!open,openat,creat",
		"%lstat@64,!lstat@64": "none",
		"/^openat$":           "openat",
		"openat":              "openat",
		"?nothing,2@64":       "open@64",
		"exit":                "exit,exit_group",
	} {
		got, err := ParseList("amd64", list)
		if err != nil {
			t.Errorf("%s: %v", list, err)
			continue
		}
		want, err := ParseTrace("amd64", expr)
		if err != nil {
			t.Fatal(err)
		}
		if list == "epoll@64" { // the words before the last have no @64
			got.abi[1], got.abi[2], want.abi[1], want.abi[2] = slots{}, slots{}, slots{}, slots{}
		}
		if got != want {
			t.Errorf("%s is\n%s, want\n%s", list, namesIn(&got, 0, 1, 2), namesIn(&want, 0, 1, 2))
		}
	}
}

func TestAnUnknownWordIsAnsweredWithTheNearest(t *testing.T) {
	for list, want := range map[string]string{
		"opneat":                   "invalid system call 'opneat' (did you mean openat?)",
		"raed,write":               "invalid system call 'raed' (did you mean read?)",
		"read,!wirte":              "invalid system call '!wirte' (did you mean write?)",
		"OPEN":                     "invalid system call 'OPEN' (did you mean open?)",
		"getpids@64":               "invalid system call 'getpids@64' (did you mean getpid?)",
		"%netwrok":                 "invalid system call '%netwrok' (did you mean %network?)",
		"forks":                    "invalid system call 'forks' (did you mean fork?)",
		"zzzzzzzz":                 "invalid system call 'zzzzzzzz' (--list-filters shows what there is)",
		"":                         "invalid system call ''",
		"read@63":                  "incorrect personality designator '63' in qualification 'read@63'",
		"/(":                       `regcomp: (: Unmatched ( or \(`,
		strings.Repeat("x", 10000): "invalid system call '" + strings.Repeat("x", 10000) + "' (--list-filters shows what there is)",
	} {
		_, err := ParseList("amd64", list)
		if err == nil {
			t.Errorf("%s is accepted", list)
		} else if err.Error() != want {
			t.Errorf("%s: %v, want %s", list, err, want)
		}
	}
}

func TestTheListOfFiltersTellsWhatEachStandsFor(t *testing.T) {
	byName := map[string]string{}
	for _, e := range List("amd64") {
		if len(e.Calls) == 0 {
			t.Errorf("%s stands for nothing on amd64", e.Name)
		}
		byName[e.Name] = strings.Join(e.Calls, " ")
	}
	for name, want := range map[string]string{
		"open":     "open creat openat openat2",
		"fork":     "clone fork vfork clone3",
		"io_uring": "io_uring_setup io_uring_enter io_uring_register",
		"%statfs":  "statfs statfs64",
	} {
		if byName[name] != want {
			t.Errorf("%s stands for %q, want %q", name, byName[name], want)
		}
	}
	arm := List("arm64")
	i := slices.IndexFunc(arm, func(e Entry) bool { return e.Name == "open" })
	if got := strings.Join(arm[i].Calls, " "); got != "openat openat2 open creat" {
		t.Errorf("on arm64 open stands for %q", got)
	}
}

func TestSetsAddUpAndAreTakenAway(t *testing.T) {
	parse := func(expr string) Calls {
		c, err := ParseTrace("amd64", expr)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c, write := parse("read,open"), parse("write")
	c.Union(&write)
	if c != parse("read,write,open") {
		t.Errorf("read, open and write make %s", namesIn(&c, 0, 1, 2))
	}
	read := parse("read")
	c.Subtract(&read)
	if c != parse("open,write") {
		t.Errorf("without read it is %s", namesIn(&c, 0, 1, 2))
	}
	if c = Everything("amd64"); c != parse("all") || !c.Has(event.X32, 1<<25) || c.Has(event.NumABI, 1) {
		t.Error("Everything is not all")
	}
}
