package main

import (
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// stampFormat is how the time of a line is written.
type stampFormat uint8

const (
	stampNone stampFormat = iota
	stampTime             // 15:04:05
	stampUnix             // seconds since 1970
)

// stampOptions are -t and -r.
type stampOptions struct {
	format    stampFormat
	precision timeScale // of the format
	relative  bool
	relScale  timeScale
}

// A timeScale is a precision: digits behind the point, and the nanoseconds that
// the last of them stands for.
type timeScale struct {
	set   bool
	width int
	unit  uint64
}

var (
	inSeconds = timeScale{true, 0, 1e9}
	inMicros  = timeScale{true, 6, 1e3}
)

func parseScale(s string) (timeScale, bool) {
	switch strings.ToLower(s) {
	case "s":
		return inSeconds, true
	case "ms":
		return timeScale{true, 3, 1e6}, true
	case "us":
		return inMicros, true
	case "ns":
		return timeScale{true, 9, 1}, true
	}
	return timeScale{}, false
}

func setRelative(c *config, arg string) error {
	c.stamp.relative = true
	return setScale(&c.stamp.relScale, arg)
}

func setTimes(c *config, arg string) error { return setScale(&c.times, arg) }

func setScale(t *timeScale, arg string) (err error) {
	*t = inMicros
	if arg != "" {
		scale, ok := parseScale(arg)
		if !ok {
			return errArgument{}
		}
		*t = scale
	}
	return nil
}

// setStamp takes what --absolute-timestamps takes.
func setStamp(c *config, arg string) error {
	c.longT = true
	return parseStamp(c, arg)
}

func parseStamp(c *config, arg string) error {
	format, given := stampTime, false
	for word := range strings.SplitSeq(arg, ",") {
		if word == "" {
			continue
		}
		lower := strings.ToLower(word)
		name, isFormat := strings.CutPrefix(lower, "format:")
		unit, isUnit := strings.CutPrefix(lower, "precision:")
		if !isUnit {
			known := true
			switch name {
			case "none":
				format, given = stampNone, true
			case "time":
				format, given = stampTime, true
			case "unix":
				format, given = stampUnix, true
			default:
				known = false
			}
			if known {
				continue
			}
		}
		scale, ok := parseScale(unit)
		if !ok || isFormat {
			return errArgument{}
		}
		c.stamp.precision = scale
	}
	if given || c.stamp.format == stampNone {
		c.stamp.format = format
	}
	return nil
}

// A wallClock turns CLOCK_MONOTONIC times into wall times. It looks at the
// clocks again every tenth of a second, so that a clock that was set, or a
// machine that was suspended, does not spoil what comes after.
type wallClock struct {
	offset  int64 // CLOCK_REALTIME - CLOCK_MONOTONIC
	checked uint64
	second  int64 // whose text hhmmss is
	hhmmss  [8]byte
}

const clockCheck = 100_000_000

// monotonic is CLOCK_MONOTONIC now.
func monotonic() uint64 {
	var ts unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return uint64(ts.Nano())
}

// wall returns the wall time of t, in nanoseconds since 1970.
func (w *wallClock) wall(t uint64) int64 {
	if w.checked == 0 || t > w.checked+clockCheck {
		var real unix.Timespec
		before := monotonic()
		unix.ClockGettime(unix.CLOCK_REALTIME, &real)
		after := monotonic()
		w.offset = real.Nano() - int64(before+(after-before)/2)
		w.checked = max(after, t)
	}
	return int64(t) + w.offset
}

// appendStamp writes the absolute time and a blank.
func (w *wallClock) appendStamp(b []byte, o *stampOptions, t uint64) []byte {
	ns := w.wall(t)
	sec := ns / 1e9
	if o.format == stampUnix {
		b = appendUint(b, uint64(sec), 0, ' ')
	} else {
		if sec != w.second {
			w.second = sec
			time.Unix(sec, 0).AppendFormat(w.hhmmss[:0], "15:04:05")
		}
		b = append(b, w.hhmmss[:]...)
	}
	b = appendFraction(b, uint64(ns%1e9), o.precision)
	return append(b, ' ')
}

// appendFraction writes the point and the digits behind it.
func appendFraction(b []byte, ns uint64, s timeScale) []byte {
	if s.width == 0 {
		return b
	}
	return appendUint(append(b, '.'), ns/s.unit, s.width, '0')
}

// appendSeconds writes a duration in seconds, at least width wide.
func appendSeconds(b []byte, ns uint64, width int, s timeScale) []byte {
	b = appendUint(b, ns/1e9, width, ' ')
	return appendFraction(b, ns%1e9, s)
}

// appendUint writes n, at least width wide, filled up with fill.
func appendUint(b []byte, n uint64, width int, fill byte) []byte {
	var digits [20]byte
	i := len(digits)
	for {
		i--
		digits[i] = byte('0' + n%10)
		n /= 10
		if n == 0 {
			break
		}
	}
	for k := len(digits) - i; k < width; k++ {
		b = append(b, fill)
	}
	return append(b, digits[i:]...)
}

// appendHex writes n in at least width hex digits.
func appendHex(b []byte, n uint64, width int) []byte {
	for shift := 60; shift >= 0; shift -= 4 {
		if digit := n >> shift & 15; digit != 0 || shift/4 < width || n>>shift != 0 {
			b = append(b, "0123456789abcdef"[digit])
		}
	}
	return b
}
