package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perftrace/event/need"
)

// Several tracers of one target, perf and strace among them, each see its full set.
func TestSeveralTracersSeeTheirFullSetsOfOneTarget(t *testing.T) {
	need.BPF(t)
	need.Command(t, "strace")
	need.Command(t, "perf")
	const each = 5000
	bin := need.C(t, `
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/syscall.h>
int main(int argc, char **argv) {
	puts("ready"); fflush(stdout);
	getchar();
	for (int i = atoi(argv[1]); i > 0; i--) { syscall(SYS_getppid); syscall(SYS_getuid); }
}`)
	target := exec.Command(bin, strconv.Itoa(each))
	in, err := target.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := target.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := target.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Process.Kill(); _ = target.Wait() }()
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	pid, dir := strconv.Itoa(target.Process.Pid), t.TempDir()
	tracers := []struct {
		args []string
		call string
	}{
		{[]string{"perftrace", "-e", "trace=getppid", "-o", dir + "/0", "-p", pid}, "getppid("},
		{[]string{"perftrace", "-e", "trace=getuid", "-o", dir + "/1", "-p", pid}, "getuid("},
		{[]string{"perftrace", "--backend=perf", "-e", "trace=getppid", "-o", dir + "/2", "-p", pid}, "getppid("},
		{[]string{"strace", "-e", "trace=getuid", "-o", dir + "/3", "-p", pid}, "getuid("},
		{[]string{"perf", "trace", "-m", "4096", "-e", "getppid", "-o", dir + "/4", "-p", pid}, "getppid("},
	}
	var running []*exec.Cmd
	for _, c := range tracers {
		cmd := exec.Command(c.args[0], c.args[1:]...)
		cmd.Stderr = new(bytes.Buffer)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	time.Sleep(4 * time.Second) // until all of them are attached
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	_ = target.Wait()
	for i, cmd := range running {
		timer := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Signal(unix.SIGINT) })
		_ = cmd.Wait()
		timer.Stop()
		text, err := os.ReadFile(filepath.Join(dir, strconv.Itoa(i)))
		if err != nil {
			t.Errorf("%v: %v\n%s", cmd.Args, err, cmd.Stderr)
			continue
		}
		if n := strings.Count(string(text), tracers[i].call); n != each {
			t.Errorf("%v shows %d calls, want %d\n%s", cmd.Args, n, each, cmd.Stderr)
		}
	}
}
