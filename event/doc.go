// Package event defines what all backends deliver and what all outputs take:
// the Event, the Plan that a backend is given, the Source that every backend
// implements, and the Ledger that accounts for every call.
//
// Terms, used the same way in the whole project:
//
//	task      what the kernel schedules; has a tid. A process is the tasks of one tgid.
//	call      one system call of one task, from entry to exit
//	record    what the kernel side writes for a call; travels in a ring
//	ring      the mmapped buffer of one CPU that a perf event writes to
//	piece     a stretch of the target's memory inside a record
//	plan      what to trace and what to copy
//	gap       a place where records of a task are missing
package event
