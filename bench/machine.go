package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A machine is where and with what was measured.
type machine struct {
	Date, Kernel, CPU string
	CPUs              int
	Load              [2]string // before and after
	Versions          []string
	Command           string
	Took              string
}

func describe() machine {
	m := machine{Date: time.Now().UTC().Format("2006-01-02 15:04 UTC"), CPUs: runtime.NumCPU(), CPU: "unknown"}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		m.Kernel = unix.ByteSliceToString(u.Release[:]) + " " + unix.ByteSliceToString(u.Machine[:])
	}
	b, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			m.CPU = strings.TrimSpace(value)
			break
		}
	}
	m.Load[0] = loads()
	m.Versions = append(m.Versions, runtime.Version())
	for _, v := range [][]string{{"strace", "-V"}, {"perf", "--version"}, {"bpftrace", "--version"}, {"trace-cmd", "--version"}, {"sysdig", "--version"}, {"gcc", "--version"}} {
		out, err := exec.Command(v[0], v[1:]...).Output()
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		if err != nil && first == "" {
			first = v[0] + ": missing"
		}
		m.Versions = append(m.Versions, first)
	}
	return m
}

// loads is the load average of one, five and fifteen minutes.
func loads() string {
	b, _ := os.ReadFile("/proc/loadavg")
	f := strings.Fields(string(b))
	return strings.Join(f[:min(3, len(f))], " ")
}

const busyText = "The machine was busy with other work: what was shown and lost counts, but costs are rough, and small ones are lost in the noise."

// busy tells whether load averages say that others have run too. bench itself keeps
// one to two CPUs busy, so the average of five minutes may be up to 2.
func busy(loads string) bool {
	f := strings.Fields(loads)
	if len(f) < 2 {
		return false
	}
	v, err := strconv.ParseFloat(f[1], 64)
	return err == nil && v > 2.5
}

func (m *machine) print(w io.Writer) {
	fmt.Fprintf(w, "%s · Linux %s · %d × %s · load before %s, after %s · took %s  \n", m.Date, m.Kernel, m.CPUs, m.CPU, m.Load[0], m.Load[1], m.Took)
	fmt.Fprintf(w, "%s  \n`%s`\n", strings.Join(m.Versions, " · "), m.Command)
	if busy(m.Load[0]) || busy(m.Load[1]) {
		fmt.Fprint(w, "\n**"+busyText+"**\n")
	}
}
