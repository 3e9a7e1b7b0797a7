package mmap

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Map maps the ring of a perf event with dataPages pages (a power of two) for
// data. The fd stays the caller's. To close the fd does not stop an event that
// is still mapped: disable it, then Close the Ring, then the fd.
func Map(fd, cpu, dataPages int) (*Ring, error) {
	mem, err := mapPages(fd, dataPages, unix.PROT_READ|unix.PROT_WRITE)
	if err != nil {
		return nil, fmt.Errorf("map ring of CPU %d: %w", cpu, err)
	}
	r, err := Over(mem, cpu)
	if err != nil {
		return nil, errors.Join(err, unix.Munmap(mem))
	}
	r.mem, r.fd = mem, fd
	return r, nil
}

// mapPages maps the shared page and the data area.
func mapPages(fd, dataPages, prot int) ([]byte, error) {
	if dataPages < 1 || dataPages&(dataPages-1) != 0 {
		return nil, fmt.Errorf("%d pages: %w; it must be a power of two", dataPages, unix.EINVAL)
	}
	return unix.Mmap(fd, 0, (1+dataPages)*os.Getpagesize(), prot, unix.MAP_SHARED)
}

// Close unmaps the ring. Nothing lent is valid any more.
func (r *Ring) Close() error {
	mem := r.mem
	r.mem, r.data, r.end, r.pos, r.fd = nil, nil, 0, 0, -1
	r.head, r.tail = nil, nil
	if mem == nil {
		return nil
	}
	return unix.Munmap(mem)
}
