package ptrace

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An alarm makes a waiting Next return after its timeout or when it is woken.
// wait4 has no timeout, so a signal interrupts it. A signal that comes right
// before wait4 begins interrupts nothing; so the alarm rings again and again
// until Next has returned.
type alarm struct {
	turn    atomic.Uint64 // odd: inside Next; changes with each
	expired atomic.Uint64 // the turn whose time is over
	woken   atomic.Bool
	timeout atomic.Int64 // ns
	tgid    int
	tid     int
	done    chan struct{}
	ended   sync.WaitGroup
	old     [2]sigaction
}

// The alarm's signal: the highest real-time signal, which the Go runtime has a
// handler for (so it kills nothing), and which nobody else uses.
const alarmSignal = 64

// tick is how exactly timeouts are kept.
const tick = 5 * time.Millisecond

// newAlarm prepares the signals and begins to look after the calling thread.
func newAlarm() (*alarm, error) {
	a := &alarm{tgid: unix.Getpid(), tid: unix.Gettid(), done: make(chan struct{})}
	// Go installs its handlers with SA_RESTART; the alarm wants wait4 to end.
	if err := changeSigaction(alarmSignal, 0, saRestart, &a.old[0]); err != nil {
		return nil, err
	}
	// Each stop of a tracee sends SIGCHLD to the tracer unless it says that it
	// is interested in ends only: two signals a call for nothing.
	if err := changeSigaction(int(unix.SIGCHLD), saNoCldStop, 0, &a.old[1]); err != nil {
		return nil, err
	}
	a.ended.Go(a.run)
	return a, nil
}

func (a *alarm) close() {
	close(a.done)
	a.ended.Wait()
	_ = setSigaction(alarmSignal, &a.old[0])
	_ = setSigaction(int(unix.SIGCHLD), &a.old[1])
}

func (a *alarm) run() {
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	var turn uint64
	var since time.Time
	for {
		select {
		case <-a.done:
			return
		case now := <-ticks.C:
			t := a.turn.Load()
			if t&1 == 0 {
				continue
			}
			if t != turn {
				turn, since = t, now
			}
			// since is up to a tick late, hence the tick that is taken off.
			over := now.Sub(since) >= time.Duration(a.timeout.Load())-tick
			if over {
				a.expired.Store(turn)
			}
			if over || a.woken.Load() {
				a.ring()
			}
		}
	}
}

func (a *alarm) ring() { _ = unix.Tgkill(a.tgid, a.tid, unix.Signal(alarmSignal)) }

func (a *alarm) wake() {
	a.woken.Store(true)
	a.ring()
}

// begin and end enclose a Next.
func (a *alarm) begin(timeout time.Duration) {
	if int64(timeout) != a.timeout.Load() {
		a.timeout.Store(int64(timeout))
	}
	a.turn.Add(1)
}

func (a *alarm) end() { a.turn.Add(1) }

// rang reports whether Next is to return; a wake is used up by it.
func (a *alarm) rang() bool {
	return a.expired.Load() == a.turn.Load() || a.woken.Load() && a.woken.Swap(false)
}

// sigaction is the kernel's struct sigaction (amd64, arm64).
type sigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const (
	saRestart   = 0x10000000
	saNoCldStop = 1
)

// changeSigaction changes only flags: handlers stay what the Go runtime made them.
func changeSigaction(sig int, set, clear uint64, old *sigaction) error {
	if _, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), 0, uintptr(unsafe.Pointer(old)), 8, 0, 0); errno != 0 {
		return errno
	}
	changed := *old
	changed.flags = changed.flags&^clear | set
	return setSigaction(sig, &changed)
}

func setSigaction(sig int, to *sigaction) error {
	if _, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(to)), 0, 8, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
