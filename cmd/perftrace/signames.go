package main

import (
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	firstRealTime = 32
	lastSignal    = 64
)

// signalName is strace's name of a signal; a number if it has none.
func signalName(sig uint32) string {
	switch {
	case sig >= firstRealTime && sig <= lastSignal:
		return "SIGRT_" + strconv.Itoa(int(sig-firstRealTime))
	case sig < firstRealTime:
		if name := unix.SignalName(syscall.Signal(sig)); name != "" {
			return name
		}
	}
	return strconv.Itoa(int(sig))
}
