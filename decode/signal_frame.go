package decode

import "perftrace/event"

// frameMask is the one argument of the calls that end a signal handler: the mask
// on the signal's stack frame, which is to hold again. at is where its parts are
// behind the stack pointer, in bytes: struct rt_sigframe and sigframe of
// arch/*/kernel/signal*.c and arch/x86/include/asm/sigframe.h, less what the
// return from the handler took off the stack.
func frameMask(at ...uint16) args {
	read := func(c *Call) (mask [maxSigset]byte, ok bool) {
		n := 0
		for i := 0; i < min(c.in.n, len(at)); i++ {
			n += copy(mask[n:], c.in.p[i].Data)
		}
		return mask, n == maxSigset
	}
	return args{{"frame", Type{
		Width: Ulong,
		Hide: func(c *Call) bool {
			_, ok := read(c)
			return !ok
		},
		Print: func(c *Call, _ uint64) {
			mask, _ := read(c)
			c.BeginStruct()
			c.Field("mask")
			c.Sigset(mask[:])
			c.EndStruct()
		},
		Cap: func(b *Caps, _ Place) {
			for _, off := range at {
				b.Add(Place{From: event.FromSP, Off: off}, event.Capture{
					Kind: event.CapBytes, Size: uint16(maxSigset / len(at)), When: event.AtEntry,
				})
			}
		},
	}}}
}
