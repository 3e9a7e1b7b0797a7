package decode

//go:generate go run ./internal/generrno

// ErrnoName returns the name and text of an error number, or "", "". The
// numbers are those of all architectures that have a table here.
func ErrnoName(errno int64) (name, text string) {
	if errno < 0 || errno >= int64(len(errnos)) {
		return "", ""
	}
	return errnos[errno].name, errnos[errno].text
}
