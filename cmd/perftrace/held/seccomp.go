package held

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// InstallFilter installs a seccomp filter, an array of struct sock_filter, in the
// calling thread, which is to call execve next: calls that the filter has traced
// fail with ENOSYS where no tracer is attached. It sets no_new_privs only if it
// must, since set-user-ID programs don't work with it. The error is an Errno.
func InstallFilter(filter []byte) error {
	n := len(filter) / unix.SizeofSockFilter
	if n == 0 {
		return nil
	}
	prog := unix.SockFprog{Len: uint16(n), Filter: (*unix.SockFilter)(unsafe.Pointer(&filter[0]))}
	install := func() error {
		_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
		if errno != 0 {
			return errno
		}
		return nil
	}
	err := install()
	if err == unix.EACCES {
		if err = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err == nil {
			err = install()
		}
	}
	return err
}
