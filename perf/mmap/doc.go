// Package mmap reads the rings that perf events write into.
//
//	kernel ──► ring of CPU 0 ─┐
//	kernel ──► ring of CPU 1 ─┼─► Group: merge by time, up to a horizon ──► Unit (aliases the ring)
//	kernel ──► ring of CPU n ─┘
//
// Terms:
//
//	ring      the data area of one mmapped perf event; a power of two of pages
//	head      where the kernel will write next; only the kernel moves it
//	tail      what the kernel may not overwrite; only we move it
//	cursor    our private place between tail and head; the tail follows it by batch
//	record    what the kernel wrote at once: an 8-byte header (type, misc, size) and a body
//	unit      what the Group hands out: a record, or one of the many parts of a
//	          sample's raw data, if the Group has a Splitter
//	batch     what is between the heads and the cursors at one Group.Begin
//	horizon   only units older than it are handed out: younger ones may still
//	          have elders on their way in another ring
//
// Nothing here allocates or copies for a record, but one that wraps around the
// end of its ring: that one is put together in the ring's bounce buffer. (The
// kernel refuses to map a ring twice in a row, so wraps can't be mapped away.)
package mmap
