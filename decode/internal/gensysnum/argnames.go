package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// fromKernel are the calls whose function in the kernel, which tracefs names,
// is called differently.
var fromKernel = map[string]string{
	"newstat":    "stat",
	"newfstat":   "fstat",
	"newlstat":   "lstat",
	"newuname":   "uname",
	"umount":     "umount2",
	"sendfile64": "sendfile",
}

func writeArgNames(dir, snapshot string) error {
	f, err := os.Open(snapshot)
	if err != nil {
		return err
	}
	defer f.Close()
	byCall := map[string][]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		call := words[0]
		if n, ok := fromKernel[call]; ok {
			byCall[n] = words[1:]
			if call != "sendfile64" {
				continue
			}
		}
		byCall[call] = words[1:]
	}
	if err := lines.Err(); err != nil {
		return err
	}
	var calls []string
	for c := range byCall {
		calls = append(calls, c)
	}
	slices.Sort(calls)
	var b bytes.Buffer
	b.WriteString("// argNames are sorted by call.\nvar argNames = [...]callArgNames{\n")
	for _, c := range calls {
		fmt.Fprintf(&b, "{%q, %q},\n", c, strings.Join(byCall[c], " "))
	}
	b.WriteString("}\n")
	return writeGo(dir, "zargnames.go", &b)
}

// field matches one field of a format file. The four fields common to all
// events and __syscall_nr come first.
var field = regexp.MustCompile(`(?m)^\tfield:[^;]*[ *](\w+);`)

// writeSnapshot mounts tracefs where only this process can see it, and writes
// the argument names of every call that it tells about.
func writeSnapshot(name string) error {
	dir, err := os.MkdirTemp("", "gensysnum")
	if err != nil {
		return err
	}
	defer os.Remove(dir)
	if err := unix.Mount("tracefs", dir, "tracefs", 0, ""); err != nil {
		return fmt.Errorf("mount tracefs: %w (needs root)", err)
	}
	defer func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }()
	formats, err := filepath.Glob(filepath.Join(dir, "events/syscalls/sys_enter_*/format"))
	if err != nil {
		return err
	}
	if len(formats) == 0 {
		return fmt.Errorf("tracefs has no events/syscalls (the kernel lacks CONFIG_FTRACE_SYSCALLS)")
	}
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Argument names of system calls, as tracefs of Linux %s (%s) tells them in\n"+
		"# events/syscalls/sys_enter_*/format. Written by: gensysnum -snapshot\n",
		unix.ByteSliceToString(u.Release[:]), unix.ByteSliceToString(u.Machine[:]))
	for _, f := range formats {
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		b.WriteString(strings.TrimPrefix(filepath.Base(filepath.Dir(f)), "sys_enter_"))
		seen := false
		for _, m := range field.FindAllSubmatch(text, -1) {
			arg := string(m[1])
			if seen && !strings.HasPrefix(arg, "__") { // later kernels add copies of strings as __data
				b.WriteString(" " + arg)
			}
			seen = seen || arg == "__syscall_nr"
		}
		b.WriteByte('\n')
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}
