// Package held starts a command and holds it before its execve, until tracing is
// armed.
//
// Go can't fork without exec. So perftrace runs itself once more, with a socket
// whose number is in an environment variable. That process, the stub, gets the
// Launch through the socket, becomes what the command is to be (user, groups),
// says that it is ready, waits for the word, and calls execve. Nothing of this is
// left in the command: its environment comes through the socket too, which is
// closed on exec.
//
// The stub is all that happens in that process: it begins in this package's
// init. Go initialises packages in the order of their import paths, as far as
// what they import allows (Go 1.21), so the large tables of perftrace/decode,
// whose path is behind this one's, are not built in it. That is also why this
// package must not import any of perftrace's others.
package held
