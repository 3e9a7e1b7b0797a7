package bpf

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// An UnsupportedFeature is what this kernel or host can't do for this backend.
// It wraps errors.ErrUnsupported: the caller can fall back to another backend.
type UnsupportedFeature struct {
	Feature string // "BPF type information (/sys/kernel/btf/vmlinux)"
	Fix     string
	Err     error
}

func (e *UnsupportedFeature) Error() string {
	return "trace with eBPF: this host lacks " + e.Feature + "; " + e.Fix
}

func (e *UnsupportedFeature) Unwrap() []error { return []error{errors.ErrUnsupported, e.Err} }

// An AccessError is a refusal: what was tried, why it failed, what to do.
type AccessError struct {
	What, Cause, Fix string
	Err              error
}

func (e *AccessError) Error() string { return e.What + ": " + e.Cause + "; " + e.Fix }
func (e *AccessError) Unwrap() error { return e.Err }

const otherBackend = "use --backend=perf (no strings) or --backend=ptrace (slow)"

// loadError explains why the programs could not be loaded or attached.
func loadError(what string, err error) error {
	var verifier *ebpf.VerifierError
	switch {
	case errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) && !errors.As(err, &verifier):
		cause := "permission denied"
		if b, e := os.ReadFile("/sys/kernel/security/lockdown"); e == nil {
			if s := string(b); strings.Contains(s, "[confidentiality]") || strings.Contains(s, "[integrity]") {
				cause += " (kernel lockdown is on)"
			}
		}
		return &AccessError{
			What: what, Cause: cause, Err: err,
			Fix: "run as root, or give the program CAP_BPF and CAP_PERFMON; otherwise " + otherBackend,
		}
	case errors.As(err, &verifier):
		return &UnsupportedFeature{Feature: fmt.Sprintf("a BPF verifier that accepts our programs (%v)", err), Fix: otherBackend, Err: err}
	case errors.Is(err, errors.ErrUnsupported) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS):
		return &UnsupportedFeature{Feature: fmt.Sprintf("a BPF feature (%v)", err), Fix: otherBackend, Err: err}
	}
	return fmt.Errorf("%s: %w", what, err)
}
