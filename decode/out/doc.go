// Package out writes the values of one call, as strace's text or as JSON.
//
// A decoder says what a value is (a number, flags, a string, a struct with
// fields, …) and a Printer knows how that looks. No decoder writes syntax of its
// own: what it says is enough for both forms. Nothing here allocates once the
// buffer has grown, and everything that a target controls is escaped.
package out
