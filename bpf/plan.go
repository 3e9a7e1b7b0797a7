package bpf

import (
	"fmt"
	"slices"

	"perftrace/event"
)

// slotOf returns a call's place in the map of plans.
func slotOf(abi event.ABI, nr uint32) uint32 { return uint32(abi)<<9 | min(nr, event.Unknown) }

const numSlots = uint32(event.NumABI) * event.MaxNR

// A compiled plan is what goes into the maps.
type compiled struct {
	plans    []tracePlan // by slot
	commands map[traceCommand]tracePlan
	entry    bool // something runs at entry, so the hook is needed for it
}

// compile translates a Plan. entryHook says that sys_enter is hooked anyway.
func compile(p *event.Plan) (*compiled, error) {
	c := &compiled{plans: make([]tracePlan, numSlots), commands: map[traceCommand]tracePlan{}}
	for abi := range event.NumABI {
		for nr := uint32(0); nr < event.MaxNR; nr++ {
			if !p.Calls[abi].Has(nr) {
				continue
			}
			slot := slotOf(abi, nr)
			special := specialOf(abi, nr)
			if err := c.call(slot, p.Captures[abi][nr], special); err != nil {
				return nil, fmt.Errorf("capture plan of call %d (ABI %d): %w", nr, abi, err)
			}
			c.plans[slot].Flags |= uint8(tracePlanFlagsPLAN_ENABLED | special)
			if special&(tracePlanFlagsPLAN_NO_RETURN|tracePlanFlagsPLAN_EXEC) != 0 ||
				c.plans[slot].Flags&uint8(tracePlanFlagsPLAN_ENTRY) != 0 {
				c.entry = true
			}
		}
	}
	return c, nil
}

// call writes the plan of one call, and those of its commands.
func (c *compiled) call(slot uint32, p *event.CallPlan, special tracePlanFlags) error {
	dst := &c.plans[slot]
	if p == nil {
		return nil
	}
	caps := p.Captures
	if special&tracePlanFlagsPLAN_EXEC != 0 {
		// Memory that is not present at entry can be had at exit, if the call
		// failed. (The program does not retry if it did not: that memory is gone.)
		caps = slices.Clone(caps)
		for i := range caps {
			caps[i].When |= event.IfFault
		}
	}
	if err := compileOps(dst, caps); err != nil {
		return err
	}
	if p.CmdArg < 0 || len(p.Commands) == 0 {
		return nil
	}
	if p.CmdArg > 5 {
		return fmt.Errorf("command in argument %d: a call has six", p.CmdArg)
	}
	dst.CmdArg, dst.CmdMask = uint8(p.CmdArg), p.CmdMask
	if dst.CmdMask == 0 {
		dst.CmdMask = ^uint32(0)
	}
	// The flags of the call are those of all its commands.
	for cmd, caps := range p.Commands {
		var sub tracePlan
		if err := compileOps(&sub, caps); err != nil {
			return fmt.Errorf("command %#x: %w", cmd, err)
		}
		c.commands[traceCommand{Slot: slot, Cmd: cmd}] = sub
		dst.Flags |= sub.Flags
	}
	dst.Flags |= uint8(tracePlanFlagsPLAN_COMMANDS)
	return nil
}

func compileOps(dst *tracePlan, caps []event.Capture) error {
	if len(caps) > event.MaxCaptures {
		return fmt.Errorf("%d captures; the limit is %d", len(caps), event.MaxCaptures)
	}
	when := make([]event.When, len(caps))
	for i := range caps {
		when[i] = caps[i].When
	}
	// What a capture at exit leans on must be copied at exit too: the pieces of
	// the entry are in another record by then.
	for i := len(caps) - 1; i >= 0; i-- {
		if k := int(caps[i].From) - event.FromOp; k >= 0 && k < i {
			lean(&when[k], when[i])
		}
		if k := int(caps[i].LenFrom); caps[i].Len == event.LenOp && k < i {
			lean(&when[k], when[i])
		}
	}
	for i, c := range caps {
		if k := int(c.From) - event.FromOp; k >= i || k < 0 && c.From > 5 && (c.Kind != event.CapFD || c.From != event.FromRet) && c.From != event.FromSP {
			return fmt.Errorf("capture %d takes its pointer from %#x, which is neither an argument nor an earlier capture", i, c.From)
		}
		switch {
		case when[i]&event.IfFault != 0:
			dst.Flags |= uint8(tracePlanFlagsPLAN_RETRY)
		case when[i]&event.AtExit != 0:
			dst.Flags |= uint8(tracePlanFlagsPLAN_EXIT)
		}
		if when[i]&event.AtEntry != 0 {
			dst.Flags |= uint8(tracePlanFlagsPLAN_ENTRY)
		}
		o := &dst.Ops[i]
		o.Kind, o.When, o.From, o.Len = uint8(c.Kind), uint8(when[i]), c.From, uint8(c.Len)
		o.Off, o.Stride = c.Off, c.Stride
		o.LenFrom, o.LenWidth, o.LenOff = c.LenFrom, c.LenWidth, c.LenOff
		o.Size, o.Max = c.Size, c.Max
	}
	dst.Nops = uint8(len(caps))
	return nil
}

// lean makes a capture run whenever one runs at exit that leans on it.
func lean(on *event.When, by event.When) {
	switch {
	case by&event.IfFault != 0:
		if *on&event.AtExit == 0 {
			*on |= event.IfFault
		}
	case by&event.AtExit != 0:
		*on = *on&^event.IfFault | event.AtExit
	}
}
