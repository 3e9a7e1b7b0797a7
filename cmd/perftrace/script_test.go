package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"perftrace/event/need"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"perftrace": main,
		"target":    runTarget,
	})
}

// The scripts of testdata/script run the whole program. Those in it that begin
// with root- trace something and need what the kernel asks for that.
func TestScripts(t *testing.T) {
	for _, set := range []struct {
		name string
		need func(testing.TB)
	}{
		{"plain", func(testing.TB) {}},
		{"root", need.Perf},
	} {
		t.Run(set.name, func(t *testing.T) {
			set.need(t)
			files, err := filepath.Glob("testdata/script/" + set.name + "-*.txtar")
			if err != nil || len(files) == 0 {
				t.Fatalf("no scripts: %v", err)
			}
			testscript.Run(t, testscript.Params{
				Files: files,
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"status":   checkStatus,
					"lines":    countLines,
					"balanced": checkLedger,
				},
			})
		})
	}
}

// runTarget is a program to be traced: what it does is its first argument.
func runTarget() {
	if len(os.Args) < 2 {
		os.Exit(2)
	}
	switch os.Args[1] {
	case "exit":
		n, _ := strconv.Atoi(os.Args[2])
		os.Exit(n)
	case "die":
		n, _ := strconv.Atoi(os.Args[2])
		st := status{signal: unix.Signal(n)}
		os.Exit(st.leave())
	case "env":
		for _, e := range environment() {
			os.Stdout.WriteString(e + "\n")
		}
	case "fds":
		entries, _ := os.ReadDir("/proc/self/fd")
		for _, e := range entries {
			// Go's own poller and this directory are not what was inherited.
			to, err := os.Readlink("/proc/self/fd/" + e.Name())
			if err == nil && !strings.HasPrefix(to, "anon_inode") && !strings.HasPrefix(to, "/proc") {
				os.Stdout.WriteString(e.Name() + " ")
			}
		}
		os.Stdout.WriteString("\n")
	case "argv":
		os.Stdout.WriteString(strings.Join(os.Args, "|") + "\n")
	case "ids":
		groups, _ := os.Getgroups()
		os.Stdout.WriteString(strconv.Itoa(os.Getuid()) + " " + strconv.Itoa(os.Getgid()) + " " + strconv.Itoa(len(groups)) + "\n")
	case "signals":
		b, _ := os.ReadFile("/proc/self/status")
		os.Stdout.WriteString(regexp.MustCompile(`SigBlk:\s*\w+`).FindString(string(b)) + "\n")
	case "getppid":
		n, _ := strconv.Atoi(os.Args[2])
		for range n {
			unix.Getppid() // Go itself calls getpid now and then
		}
	case "sleep":
		ms, _ := strconv.Atoi(os.Args[2])
		time.Sleep(time.Duration(ms) * time.Millisecond)
	}
}

// checkStatus is the script command "status N command…": the command's exit
// status is N; -N: it dies by signal N.
func checkStatus(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = append(os.Environ(), "PATH="+ts.Getenv("PATH"))
	out, _ := cmd.CombinedOutput()
	ws := cmd.ProcessState.Sys().(syscall.WaitStatus)
	got := ws.ExitStatus()
	if ws.Signaled() {
		got = -int(ws.Signal())
	}
	if got != want {
		ts.Fatalf("status %d, want %d\n%s", got, want, out)
	}
}

// countLines is "lines FILE REGEXP N": N lines of FILE match.
func countLines(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[2])
	ts.Check(err)
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	text := ts.ReadFile(args[0])
	if got := len(re.FindAllString(text, -1)); got != want {
		ts.Fatalf("%d lines match %s, want %d:\n%.2000s", got, args[1], want, text)
	}
}

// checkLedger is "balanced FILE": its last line is a ledger that adds up.
func checkLedger(ts *testscript.TestScript, neg bool, args []string) {
	text := strings.TrimSpace(ts.ReadFile(args[0]))
	line := text[strings.LastIndexByte(text, '\n')+1:]
	m := regexp.MustCompile(`^perftrace: issued (\d+) = shown (\d+) \+ filtered (\d+) \+ lost (\d+)( \(.*\))?$`).FindStringSubmatch(line)
	if m == nil {
		ts.Fatalf("no ledger: %q", line)
	}
	var n [5]int
	for i := range n[1:] {
		n[i+1], _ = strconv.Atoi(m[i+1])
	}
	if n[1] != n[2]+n[3]+n[4] || n[2] == 0 {
		ts.Fatalf("does not add up: %s", line)
	}
}
