package main

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// A stream is where lines go: one for all tasks, or one a task (-ff). Lines are
// gathered in buf; the last of them may be open: a call that has not returned.
type stream struct {
	fd   int
	name string // for messages; "": stderr
	buf  []byte
	open *task  // whose call the unfinished last line is of
	col  int    // how long that line is so far, on its way out or not
	last uint64 // the time of the line before, for -r
	// first is the time of the oldest event in buf, so that buf doesn't wait.
	first uint64

	size  int64 // of the file, as far as it was written here
	whole int64 // up to the last whole line
	dead  bool  // an error was said: nothing is written any more
	dirty bool  // listed in outputs.dirty
}

// outputs opens, flushes and closes streams.
type outputs struct {
	cfg    *config
	say    *sayer
	shared *stream // nil with -ff
	dirty  []*stream
	shell  int // pid of the command that gets the output; 0: none
}

// flushSize is when a buffer is written although more may come at once;
// flushDelay (ns of event time) is how long a line waits while events keep coming.
const (
	flushSize  = 64 << 10
	flushDelay = 50_000_000
)

func newOutputs(cfg *config, say *sayer) (*outputs, error) {
	o := &outputs{cfg: cfg, say: say}
	switch {
	case cfg.output == "":
		o.shared = &stream{fd: 2}
	case cfg.piped():
		var fds [2]int
		if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
			return nil, cannot("pipe: %s", cause(err))
		}
		pid, err := shell(cfg.output[1:], fds[0])
		unix.Close(fds[0])
		if err != nil {
			return nil, err
		}
		o.shell = pid
		o.shared = &stream{fd: fds[1], name: cfg.output}
	case cfg.separate:
		if len(cfg.output) >= unix.PathMax-12 {
			return nil, cannot("%s: %s", cfg.output, cause(unix.ENAMETOOLONG))
		}
	default:
		s, err := o.openFile(cfg.output)
		if err != nil {
			return nil, err
		}
		o.shared = s
	}
	return o, nil
}

func (o *outputs) openFile(name string) (*stream, error) {
	mode := unix.O_TRUNC
	if o.cfg.append {
		mode = unix.O_APPEND
	}
	fd, err := unix.Open(name, unix.O_WRONLY|unix.O_CREAT|unix.O_CLOEXEC|mode, 0o666)
	if err != nil {
		return nil, cannot("Can't fopen '%s': %s", name, cause(err))
	}
	s := &stream{fd: fd, name: name}
	var st unix.Stat_t
	if o.cfg.append && unix.Fstat(fd, &st) == nil {
		s.size, s.whole = st.Size, st.Size
	}
	return s, nil
}

// of returns the stream of a task, which is opened when it is first needed.
func (o *outputs) of(t *task) *stream {
	if o.shared != nil {
		return o.shared
	}
	if t.own == nil {
		s, err := o.openFile(o.cfg.output + "." + strconv.Itoa(int(t.tid)))
		if err != nil {
			o.say.say("%s", err)
			s = &stream{fd: -1, dead: true}
		}
		t.own = s
	}
	return t.own
}

// opened returns the stream of a task if there is one already.
func (o *outputs) opened(t *task) *stream {
	if o.shared != nil {
		return o.shared
	}
	return t.own
}

// wrote notes that a line was appended to s at event time now.
func (o *outputs) wrote(s *stream, now uint64) {
	if !s.dirty {
		s.dirty = true
		o.dirty = append(o.dirty, s)
	}
	if s.first == 0 {
		s.first = now
	}
	if len(s.buf) >= flushSize || now > s.first+flushDelay {
		o.write(s)
	}
}

// flushAll writes all that is gathered.
func (o *outputs) flushAll() {
	for _, s := range o.dirty {
		s.dirty = false
		o.write(s)
	}
	o.dirty = o.dirty[:0]
}

// write writes the buffer of s. An error is said once; then what is in the file
// ends with a whole line, and nothing more is written.
func (o *outputs) write(s *stream) {
	b := s.buf
	s.buf, s.first = s.buf[:0], 0
	for len(b) > 0 && !s.dead {
		n, err := unix.Write(s.fd, b)
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN: // someone else's O_NONBLOCK, on a terminal or pipe
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLOUT}}, 100)
		case err != nil:
			s.dead = true
			s.cut()
			o.complain(s, err)
		default:
			if i := bytes.LastIndexByte(b[:n], '\n'); i >= 0 {
				s.whole = s.size + int64(i) + 1
			}
			s.size += int64(n)
			b = b[n:]
		}
	}
}

// cut shortens a file to its last whole line, unless others write to it too.
func (s *stream) cut() {
	var st unix.Stat_t
	if unix.Fstat(s.fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG && st.Size == s.size {
		_ = unix.Ftruncate(s.fd, s.whole)
	}
}

func (o *outputs) complain(s *stream, err error) {
	if s.fd == 2 {
		return // there is nobody to tell
	}
	o.say.say("%s: %s: the output ends here, the traced program goes on", s.name, cause(err))
}

// close closes the stream of a task that ended.
func (o *outputs) close(s *stream) {
	if s == nil || s == o.shared {
		return
	}
	o.write(s)
	s.dirty = false
	if s.fd >= 0 {
		unix.Close(s.fd)
		s.fd, s.dead = -1, true
	}
}

// finish writes what is left and waits for the command that reads it.
func (o *outputs) finish() {
	o.flushAll()
	if o.shared != nil && o.shared.fd > 2 {
		unix.Close(o.shared.fd)
		o.shared.fd = -1
	}
	if o.shell != 0 {
		for {
			if _, err := syscall.Wait4(o.shell, nil, 0, nil); err != syscall.EINTR {
				break
			}
		}
	}
}

// detachStdio gives up stdin and stdout, which are the command's: a pipe into it
// or out of it must end when the command closes its end.
func detachStdio() {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	for fd := range 2 {
		_ = unix.Dup3(int(null.Fd()), fd, unix.O_CLOEXEC)
	}
	_ = null.Close()
}
