package main

import (
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"perftrace/ptrace"
)

// The command must not run before tracing is armed, and Go can't fork without
// exec. So perftrace runs itself once more, with a socket whose number is in the
// environment variable heldVar. That process gets the launch through the socket,
// becomes what the command is to be (user, signals), says that it is ready,
// waits for the word, and calls execve. Nothing of this is left in the command:
// its environment comes through the socket too, which is closed on exec.
const heldVar = "PERFTRACE_HELD"

// A held command waits for its execve.
type held struct {
	pid  int
	sock *os.File
}

// hold starts the command and returns when it waits before its execve.
func hold(l *launch) (*held, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, cannot("start the command: make a socket: %s", cause(err))
	}
	// The socket keeps its number: descriptors that perftrace inherited go on
	// to the command under theirs.
	// Without asynchronous preemption, as its signal, SIGURG, could be pending
	// when the command begins.
	env := []string{heldVar + "=" + strconv.Itoa(fds[1]), "GODEBUG=asyncpreemptoff=1"}
	if _, err := unix.FcntlInt(uintptr(fds[1]), unix.F_SETFD, 0); err != nil {
		return nil, cannot("start the command: %s", cause(err))
	}
	pid, err := syscall.ForkExec("/proc/self/exe", l.Argv, &syscall.ProcAttr{
		Env:   env,
		Files: []uintptr{0, 1, 2},
	})
	unix.Close(fds[1])
	h := &held{pid: pid, sock: os.NewFile(uintptr(fds[0]), "held command")}
	if err != nil {
		h.sock.Close()
		return nil, cannot("start the command: run /proc/self/exe: %s", cause(err))
	}
	if _, err := h.sock.Write(l.encode()); err == nil {
		var ready [1]byte
		if _, err = io.ReadFull(h.sock, ready[:]); err == nil {
			return h, nil
		}
	}
	// It has said why.
	h.giveUp()
	return nil, &usageError{}
}

// release lets the command call execve.
func (h *held) release() error {
	_, err := h.sock.Write([]byte{1})
	return err
}

// execError waits until the execve has failed or succeeded, and returns the error.
func (h *held) execError() error {
	var errno [1]byte
	if n, _ := h.sock.Read(errno[:]); n == 1 {
		return syscall.Errno(errno[0])
	}
	return nil
}

// giveUp ends a command that was not released.
func (h *held) giveUp() {
	h.sock.Close()
	for {
		if _, err := unix.Wait4(h.pid, nil, 0, nil); err != unix.EINTR {
			return
		}
	}
}

// encode writes the launch as a length, and words that each end in a NUL.
func (l *launch) encode() []byte {
	b := make([]byte, 4)
	word := func(s string) { b = append(append(b, s...), 0) }
	list := func(words []string) {
		word(strconv.Itoa(len(words)))
		for _, w := range words {
			word(w)
		}
	}
	word(l.Path)
	word(l.Name)
	word(hex.EncodeToString(l.Filter))
	list(l.Argv)
	list(l.Env)
	numbers := []string{strconv.FormatBool(l.Switch)}
	for _, n := range append([]int{l.UID, l.GID, l.EUID, l.EGID}, l.Groups...) {
		numbers = append(numbers, strconv.Itoa(n))
	}
	list(numbers)
	binary.LittleEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

func (l *launch) decode(b []byte) {
	words := strings.Split(string(b), "\x00")
	word := func() (w string) {
		if len(words) > 0 {
			w, words = words[0], words[1:]
		}
		return w
	}
	list := func() (of []string) {
		n, _ := strconv.Atoi(word())
		for range min(n, len(words)) {
			of = append(of, word())
		}
		return of
	}
	l.Path, l.Name = word(), word()
	l.Filter, _ = hex.DecodeString(word())
	l.Argv, l.Env = list(), list()
	for i, s := range list() {
		if i == 0 {
			l.Switch = s == "true"
			continue
		}
		n, _ := strconv.Atoi(s)
		switch i {
		case 1:
			l.UID = n
		case 2:
			l.GID = n
		case 3:
			l.EUID = n
		case 4:
			l.EGID = n
		default:
			l.Groups = append(l.Groups, n)
		}
	}
}

// heldFD reports whether this process is a command to be, and its socket.
func heldFD() (fd int, ok bool) {
	fd, err := strconv.Atoi(os.Getenv(heldVar))
	if err != nil || fd < 3 {
		return 0, false
	}
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	return fd, err == nil && kind == unix.SOCK_STREAM
}

// becomeCommand is all that the held process does.
func becomeCommand(fd int) {
	// The execve must be made by the first thread: made by another one it
	// would end that one's trace under its own id. Nearly always main runs
	// there already.
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		_ = syscall.Exec("/proc/self/exe", os.Args, environment())
	}
	unix.CloseOnExec(fd)
	var l launch
	var size [4]byte
	sock := os.NewFile(uintptr(fd), "perftrace")
	if _, err := io.ReadFull(sock, size[:]); err != nil {
		os.Exit(1)
	}
	b := make([]byte, binary.LittleEndian.Uint32(size[:]))
	if _, err := io.ReadFull(sock, b); err != nil {
		os.Exit(1)
	}
	l.decode(b)
	die := func(what string, err error) {
		os.Stderr.WriteString(l.Name + ": " + what + ": " + cause(err) + "\n")
		os.Exit(1)
	}
	if l.Switch {
		if err := syscall.Setgroups(l.Groups); err != nil {
			die("setgroups", err)
		}
		if err := syscall.Setregid(l.GID, l.EGID); err != nil {
			die("setregid", err)
		}
		if err := syscall.Setreuid(l.UID, l.EUID); err != nil {
			die("setreuid", err)
		}
	}
	// Raw reads from here on: the pollers of os.File would be more calls.
	if _, err := unix.Write(fd, []byte{1}); err != nil {
		os.Exit(1)
	}
	var word [1]byte
	for {
		n, err := unix.Read(fd, word[:])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			os.Exit(1) // perftrace is gone
		}
		break
	}
	// The tracer is attached by now, without which the calls of the filter fail.
	if err := ptrace.InstallFilter(ptrace.DecodeFilter(l.Filter)); err != nil {
		die("--seccomp-bpf", err)
	}
	// Exec gives the command back the limit of open files that Go raised; the
	// handlers that Go has installed end with the execve, and the signal mask
	// of the first thread is the one that it began with.
	err := syscall.Exec(l.Path, l.Argv, l.Env)
	// perftrace says it, behind the line of the call.
	errno, _ := err.(syscall.Errno)
	_, _ = unix.Write(fd, []byte{byte(errno)})
	os.Exit(1)
}
