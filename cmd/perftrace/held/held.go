package held

import (
	"errors"
	"io"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// A Command waits before its execve.
type Command struct {
	PID  int
	sock *os.File
}

// An Error says at which step the command could not be started.
type Error struct {
	Step string
	Err  error
}

func (e *Error) Error() string { return e.Step + ": " + e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Start starts the command. It is not held yet when this returns; see Ready.
func Start(l *Launch) (*Command, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, &Error{"start the command: make a socket", err}
	}
	// The socket keeps its number: descriptors that perftrace inherited go on
	// to the command under theirs.
	// Without asynchronous preemption, as its signal, SIGURG, could be pending
	// when the command begins.
	env := []string{Variable + "=" + strconv.Itoa(fds[1]), "GODEBUG=asyncpreemptoff=1"}
	if _, err := unix.FcntlInt(uintptr(fds[1]), unix.F_SETFD, 0); err != nil {
		return nil, &Error{"start the command", err}
	}
	pid, err := syscall.ForkExec("/proc/self/exe", l.Argv, &syscall.ProcAttr{
		Env:   env,
		Files: []uintptr{0, 1, 2},
	})
	unix.Close(fds[1])
	c := &Command{PID: pid, sock: os.NewFile(uintptr(fds[0]), "held command")}
	if err != nil {
		c.sock.Close()
		return nil, &Error{"start the command: run /proc/self/exe", err}
	}
	if _, err := c.sock.Write(l.encode()); err != nil {
		c.GiveUp()
		return nil, &Error{"start the command", err}
	}
	return c, nil
}

// Ready waits until the process has become what the command is to be, and waits
// before its execve. If it fails, the command is given up.
func (c *Command) Ready() error {
	ready, err := c.said()
	if ready {
		return nil
	}
	c.GiveUp()
	if err == nil {
		err = &Error{"start the command", errors.New("its process ended before it was to run")}
	}
	return err
}

// said reads what the stub says: that it is ready, or what went wrong, or nothing.
func (c *Command) said() (ready bool, err error) {
	var b [2]byte
	if _, err := io.ReadFull(c.sock, b[:]); err != nil || int(b[0]) >= len(steps) {
		return false, nil
	}
	if b[0] == stepReady {
		return true, nil
	}
	return false, &Error{steps[b[0]], syscall.Errno(b[1])}
}

// Release lets the command call execve.
func (c *Command) Release() error {
	_, err := c.sock.Write([]byte{1})
	return err
}

// ExecError waits until the execve has failed or succeeded, and returns the *Error
// of it or of what stands in front of it.
func (c *Command) ExecError() error {
	_, err := c.said()
	return err
}

// GiveUp ends a command that was not released.
func (c *Command) GiveUp() {
	c.sock.Close()
	for {
		if _, err := unix.Wait4(c.PID, nil, 0, nil); err != unix.EINTR {
			return
		}
	}
}
