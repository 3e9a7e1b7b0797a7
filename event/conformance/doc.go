// Package conformance has no code of its own: its test is the one table of
// programs and expectations that every backend has to pass.
package conformance
