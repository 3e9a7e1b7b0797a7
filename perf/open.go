package perf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Attribute bits that x/sys/unix does not name.
const (
	bitInheritThread = 1 << 35 // inherit to new threads only, not to new processes; Linux 5.13
)

// Attr says what event to open; the fields have the names that
// man perf_event_open uses.
type Attr struct {
	Name         string // for messages: "raw_syscalls:sys_enter"
	Type         uint32
	Config       uint64
	SamplePeriod uint64
	SampleType   uint64
	ReadFormat   uint64
	Bits         uint64 // unix.PerfBit…
	WatermarkAt  uint32 // bytes in the ring that wake the reader; 0: the kernel's choice
	RegsUser     uint64
}

// raw completes the attr: all events of one ring must have the same clock, and
// none samples anything without sample_id_all.
func (a *Attr) raw() *unix.PerfEventAttr {
	r := &unix.PerfEventAttr{
		Type: a.Type, Config: a.Config, Sample: a.SamplePeriod,
		Sample_type: a.SampleType, Read_format: a.ReadFormat,
		Bits:             a.Bits | unix.PerfBitSampleIDAll | unix.PerfBitUseClockID | unix.PerfBitWatermark,
		Wakeup:           a.WatermarkAt,
		Sample_regs_user: a.RegsUser,
		Clockid:          unix.CLOCK_MONOTONIC,
	}
	r.Size = uint32(unsafe.Sizeof(*r))
	return r
}

// An Event is one open perf event.
type Event struct {
	Name string
	CPU  int
	PID  int // -1: all tasks
	fd   int

	countsLost bool   // PERF_FORMAT_LOST
	lost       uint64 // as last read
}

// Open opens an event for a task (-1: all) on a CPU. If the soft limit of open
// files is in the way, it is raised.
func Open(a *Attr, pid, cpu int) (*Event, error) {
	raw := a.raw()
	fd, err := perfEventOpen(raw, pid, cpu)
	if errors.Is(err, unix.EMFILE) && raiseNoFile() {
		fd, err = perfEventOpen(raw, pid, cpu)
	}
	if errors.Is(err, unix.EINVAL) && raw.Read_format&unix.PERF_FORMAT_LOST != 0 {
		// Before Linux 6.0: go without, the ledger then has LOST records only.
		raw.Read_format &^= unix.PERF_FORMAT_LOST
		fd, err = perfEventOpen(raw, pid, cpu)
	}
	if err != nil {
		return nil, openError(a.Name, pid, cpu, err)
	}
	return &Event{
		Name: a.Name, CPU: cpu, PID: pid, fd: fd,
		countsLost: raw.Read_format&unix.PERF_FORMAT_LOST != 0,
	}, nil
}

func perfEventOpen(a *unix.PerfEventAttr, pid, cpu int) (int, error) {
	for {
		fd, err := unix.PerfEventOpen(a, pid, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// raiseNoFile raises the soft limit of open files to the hard one, and reports
// whether that changed anything. The Go runtime does it at start too, and puts
// it back for children; but a caller may have lowered it since.
func raiseNoFile() bool {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) != nil || l.Cur >= l.Max {
		return false
	}
	l.Cur = l.Max
	return unix.Setrlimit(unix.RLIMIT_NOFILE, &l) == nil
}

func (e *Event) FD() int { return e.fd }

func (e *Event) ioctl(what string, req uint, arg int) error {
	if err := unix.IoctlSetInt(e.fd, req, arg); err != nil {
		return fmt.Errorf("%s %s on CPU %d: %w", what, e.Name, e.CPU, err)
	}
	return nil
}

// Enable and Disable switch the event, with all that inherited it.
func (e *Event) Enable() error  { return e.ioctl("enable", unix.PERF_EVENT_IOC_ENABLE, 0) }
func (e *Event) Disable() error { return e.ioctl("disable", unix.PERF_EVENT_IOC_DISABLE, 0) }

// SetOutput makes the event write into the ring of another event of the same CPU.
func (e *Event) SetOutput(to *Event) error {
	return e.ioctl("redirect", unix.PERF_EVENT_IOC_SET_OUTPUT, to.fd)
}

// Pause stops (true) and resumes writing into the event's ring, which must be
// mapped by this event. What happens meanwhile counts as lost.
func (e *Event) Pause(on bool) error {
	arg := 0
	if on {
		arg = 1
	}
	return e.ioctl("pause", unix.PERF_EVENT_IOC_PAUSE_OUTPUT, arg)
}

// SetFilter sets a tracepoint's filter. Inherited events use it too.
func (e *Event) SetFilter(filter string) error {
	p, err := unix.BytePtrFromString(filter)
	if err != nil {
		return fmt.Errorf("filter %q: %w", filter, err)
	}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(e.fd), unix.PERF_EVENT_IOC_SET_FILTER, uintptr(unsafe.Pointer(p)))
	runtime.KeepAlive(p)
	if errno != 0 {
		return fmt.Errorf("set filter of %s on CPU %d: %w; the filter was %q", e.Name, e.CPU, errno, filter)
	}
	return nil
}

// Lost reads how many of the event's records did not fit into its ring, with
// those of all that inherited it. ok is false if the kernel does not count them
// (before Linux 6.0).
func (e *Event) Lost() (n uint64, ok bool) {
	if !e.countsLost {
		return 0, false
	}
	if e.fd >= 0 {
		var b [16]byte // u64 value, u64 lost
		if k, err := unix.Read(e.fd, b[:]); err == nil && k == len(b) {
			e.lost = binary.NativeEndian.Uint64(b[8:])
		}
	}
	return e.lost, true
}

// Close closes the event. If it is mapped, unmap it before.
func (e *Event) Close() error {
	if e.fd < 0 {
		return nil
	}
	fd := e.fd
	e.fd = -1
	return os.NewSyscallError("close", unix.Close(fd))
}
