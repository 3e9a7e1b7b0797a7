package perf

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Tracefs reads the tracing file system, where the ids and formats of
// tracepoints are.
type Tracefs struct {
	dir *os.File // the root of tracefs
}

// OpenTracefs opens tracefs where it is mounted, or else makes a mount that is
// attached nowhere: nobody sees it, and it ends with Close.
func OpenTracefs() (*Tracefs, error) {
	for _, dir := range []string{"/sys/kernel/tracing", "/sys/kernel/debug/tracing"} {
		// events/ tells a mounted tracefs from the empty directory below it,
		// and from one that we may not read.
		if f, err := os.Open(dir); err == nil {
			t := &Tracefs{f}
			if g, err := t.open("events"); err == nil {
				_ = g.Close()
				return t, nil
			}
			_ = f.Close()
		}
	}
	dir, err := mountTracefs()
	if err != nil {
		e := &AccessError{What: "mount tracefs", Cause: err.Error(), Err: err}
		switch {
		case errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES):
			e.Cause = "permission denied, and /sys/kernel/tracing is not mounted or not readable"
			e.Fix = "run as root, or let root mount it: mount -t tracefs -o gid=GROUP,mode=750 none /sys/kernel/tracing"
		case errors.Is(err, unix.ENODEV):
			e.Cause, e.Fix = "this kernel has no tracefs", "use --backend=ptrace, or a kernel with CONFIG_FTRACE_SYSCALLS"
		case errors.Is(err, unix.ENOSYS):
			e.Cause, e.Fix = "this kernel can't mount it privately (needs Linux 5.2)", "mount it: mount -t tracefs none /sys/kernel/tracing"
		default:
			e.Fix = "mount it: mount -t tracefs none /sys/kernel/tracing"
		}
		return nil, e
	}
	return &Tracefs{dir}, nil
}

func mountTracefs() (*os.File, error) {
	fs, err := unix.Fsopen("tracefs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("fsopen: %w", err)
	}
	defer unix.Close(fs)
	if err := unix.FsconfigCreate(fs); err != nil {
		return nil, fmt.Errorf("fsconfig: %w", err)
	}
	mnt, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("fsmount: %w", err)
	}
	return os.NewFile(uintptr(mnt), "tracefs"), nil
}

// Close ends the private mount, if there is one.
func (t *Tracefs) Close() error { return t.dir.Close() }

func (t *Tracefs) open(path string) (*os.File, error) {
	fd, err := unix.Openat(int(t.dir.Fd()), path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: filepath.Join(t.dir.Name(), path), Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// Read returns a file of tracefs, by its path from the root.
func (t *Tracefs) Read(path string) ([]byte, error) {
	f, err := t.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 1<<20))
}

// A Tracepoint is what tracefs tells about one: its id, which is perf's config
// and the common_type of its records, and where its fields are.
type Tracepoint struct {
	Name   string // "raw_syscalls:sys_enter"
	ID     uint64
	Fields map[string]Field
}

// A Field of a tracepoint's raw data.
type Field struct{ Offset, Size int }

// Tracepoint looks up a tracepoint.
func (t *Tracefs) Tracepoint(system, name string) (*Tracepoint, error) {
	tp := &Tracepoint{Name: system + ":" + name}
	b, err := t.Read("events/" + system + "/" + name + "/format")
	if err != nil {
		e := &AccessError{What: "look up tracepoint " + tp.Name, Cause: err.Error(), Fix: runAsRoot, Err: err}
		if errors.Is(err, os.ErrNotExist) {
			e.Cause, e.Fix = "this kernel does not have it", "it needs CONFIG_FTRACE_SYSCALLS"
		}
		return nil, e
	}
	if err := tp.parse(string(b)); err != nil {
		return nil, err
	}
	return tp, nil
}

// parse reads a format file:
//
//	ID: 348
//	        field:long id;  offset:8;       size:8; signed:1;
func (tp *Tracepoint) parse(format string) error {
	tp.Fields = make(map[string]Field)
	for line := range strings.Lines(format) {
		line = strings.TrimSpace(line)
		if s, ok := strings.CutPrefix(line, "ID:"); ok {
			tp.ID, _ = strconv.ParseUint(strings.TrimSpace(s), 10, 32)
			continue
		}
		decl, ok := strings.CutPrefix(line, "field:")
		if !ok {
			continue
		}
		parts := strings.Split(decl, ";")
		name := parts[0][strings.LastIndexAny(parts[0], " *")+1:]
		name, _, _ = strings.Cut(name, "[")
		var f Field
		for _, p := range parts[1:] {
			k, v, _ := strings.Cut(strings.TrimSpace(p), ":")
			n, _ := strconv.Atoi(v)
			switch k {
			case "offset":
				f.Offset = n
			case "size":
				f.Size = n
			}
		}
		tp.Fields[name] = f
	}
	if tp.ID == 0 {
		return fmt.Errorf("format of tracepoint %s has no ID; is tracefs mounted properly?", tp.Name)
	}
	return nil
}
