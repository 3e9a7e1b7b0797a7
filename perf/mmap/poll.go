package mmap

import (
	"errors"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// poller waits for rings. Its zero value is ready.
//
// Polling a perf fd is like an edge: data that was there before EPOLL_CTL_ADD,
// or that was left in the ring, never wakes anybody; nor does data below the
// watermark. So the caller drains first and waits with a timeout.
type poller struct {
	mu   sync.Mutex // guards opening and closing against Wake
	ep   int        // 0: not open
	wake int
	buf  [8]unix.EpollEvent
}

func (p *poller) open() error {
	if p.ep != 0 {
		return nil
	}
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	ev, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return errors.Join(err, unix.Close(ep))
	}
	if err := unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, ev, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(ev)}); err != nil {
		return errors.Join(err, unix.Close(ep), unix.Close(ev))
	}
	p.ep, p.wake = ep, ev
	return nil
}

func (p *poller) add(fd int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.open(); err != nil {
		return err
	}
	return unix.EpollCtl(p.ep, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
}

func (p *poller) remove(fd int) {
	if p.ep != 0 {
		_ = unix.EpollCtl(p.ep, unix.EPOLL_CTL_DEL, fd, nil)
	}
}

// Wait waits until a ring passes its watermark, Wake is called, or the timeout
// is over (at least a millisecond; 0: it does not wait).
func (g *Group) Wait(timeout time.Duration) error {
	p := &g.poll
	p.mu.Lock()
	err := p.open()
	p.mu.Unlock()
	if err != nil {
		return err
	}
	ms := int((timeout + time.Millisecond - 1) / time.Millisecond)
	n, err := unix.EpollWait(p.ep, p.buf[:], max(ms, 0))
	if err != nil {
		if errors.Is(err, unix.EINTR) {
			return nil
		}
		return err
	}
	for _, e := range p.buf[:n] {
		if int(e.Fd) == p.wake {
			var b [8]byte
			_, _ = unix.Read(p.wake, b[:])
		} else if e.Events&unix.EPOLLHUP != 0 {
			// The event's task is gone: it would be ready for ever. What is
			// in its ring is read anyway.
			p.remove(int(e.Fd))
		}
	}
	return nil
}

// Wake makes a Wait that is going on, or else the next one, return at once.
// Any goroutine may call it.
func (g *Group) Wake() {
	p := &g.poll
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open() != nil {
		return
	}
	_, _ = unix.Write(p.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}

func (p *poller) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ep == 0 {
		return nil
	}
	err := errors.Join(unix.Close(p.ep), unix.Close(p.wake))
	p.ep, p.wake = 0, 0
	return err
}
