package decode

import "perftrace/event"

// Siginfo writes the siginfo of a signal.
func (d *Decoder) Siginfo(e *event.Event) {
	d.BeginStruct()
	d.Field("si_signo")
	d.Uint(uint64(e.Signal))
	d.EndStruct()
}
