package held

import (
	"encoding/binary"
	"io"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Variable is the environment variable that makes a process the stub.
const Variable = "PERFTRACE_HELD"

// What the stub says: first that it is ready, and a step that failed, with its
// error number.
const (
	stepReady = iota
	stepSetgroups
	stepSetregid
	stepSetreuid
	stepFilter
	stepExec
)

var steps = [...]string{
	stepSetgroups: "setgroups", stepSetregid: "setregid", stepSetreuid: "setreuid",
	stepFilter: "--seccomp-bpf: install the filter", stepExec: "exec",
}

// See doc.go for why this is in an init. It also makes sure that the stub runs on
// the first thread of its process, as all init functions do: an execve made by
// another one would end the first one's trace under its own id.
func init() {
	if fd, ok := socket(); ok {
		becomeCommand(fd) // does not return
	}
}

// socket reports whether this process is a stub, and its socket.
func socket() (fd int, ok bool) {
	fd, err := strconv.Atoi(os.Getenv(Variable))
	if err != nil || fd < 3 {
		return 0, false
	}
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	return fd, err == nil && kind == unix.SOCK_STREAM
}

// becomeCommand is all that the stub does.
func becomeCommand(fd int) {
	unix.CloseOnExec(fd)
	var l Launch
	sock := rawSocket(fd)
	var size [4]byte
	if _, err := io.ReadFull(sock, size[:]); err != nil {
		os.Exit(1)
	}
	b := make([]byte, binary.LittleEndian.Uint32(size[:]))
	if _, err := io.ReadFull(sock, b); err != nil {
		os.Exit(1)
	}
	l.decode(b)
	if step, err := l.become(); err != nil {
		fail(fd, step, err)
	}
	if _, err := unix.Write(fd, []byte{stepReady, 0}); err != nil {
		os.Exit(1)
	}
	var word [1]byte
	if _, err := io.ReadFull(sock, word[:]); err != nil {
		os.Exit(1) // perftrace is gone
	}
	// The tracer is attached by now, without which the calls of the filter fail.
	if err := InstallFilter(l.Filter); err != nil {
		fail(fd, stepFilter, err)
	}
	// Exec gives the command back the limit of open files that Go raised; the
	// handlers that Go has installed end with the execve, and the signal mask
	// of the first thread is the one that it began with.
	err := syscall.Exec(l.Path, l.Argv, l.Env)
	fail(fd, stepExec, err)
}

// fail tells perftrace, which says it behind the line of the call.
func fail(fd int, step byte, err error) {
	errno, _ := err.(syscall.Errno)
	_, _ = unix.Write(fd, []byte{step, byte(errno)})
	os.Exit(1)
}

// become makes this process one of the user that the command is to have.
func (l *Launch) become() (step byte, err error) {
	if !l.Switch {
		return stepReady, nil
	}
	if err := syscall.Setgroups(l.Groups); err != nil {
		return stepSetgroups, err
	}
	if err := syscall.Setregid(l.GID, l.EGID); err != nil {
		return stepSetregid, err
	}
	if err := syscall.Setreuid(l.UID, l.EUID); err != nil {
		return stepSetreuid, err
	}
	return stepReady, nil
}

// A rawSocket is read without the poller of os.File, which would be more calls.
type rawSocket int

func (fd rawSocket) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(int(fd), b)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}
