package perf

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// Prioritize ties the calling goroutine, which should be the one that calls
// Next, to its thread and gives that the highest priority that is no real-time
// one. A reader that has to share a CPU with busy targets as their equal comes
// too late, and records are lost. Start the command before: a child inherits it.
func Prioritize() error {
	runtime.LockOSThread()
	if err := unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), -20); err != nil {
		return fmt.Errorf("raise the priority of the reader: %w; it needs CAP_SYS_NICE", err)
	}
	return nil
}
