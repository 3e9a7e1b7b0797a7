package decode

import "perftrace/event"

// The registers of ipc behind the number of the function: ipc/syscall.c.
const (
	ipcFirst  = 1
	ipcSecond = 2
	ipcThird  = 3
	ipcPtr    = 4
	ipcFifth  = 5
)

// ipcMux is ipc; its numbers are in include/uapi/linux/ipc.h. Above them is a
// version in argument 0, which only msgrcv looks at.
var ipcMux = &Mux{Mask: 0xffff, Calls: map[uint32]subcall{
	1:  {name: "semop", regs: []uint8{ipcFirst, ipcPtr, ipcSecond}},
	2:  {name: "semget", regs: []uint8{ipcFirst, ipcSecond, ipcThird}},
	3:  {row: &semctlBehind, regs: []uint8{ipcFirst, ipcSecond, ipcThird, ipcPtr}},
	4:  {name: "semtimedop", regs: []uint8{ipcFirst, ipcPtr, ipcSecond, ipcFifth}},
	11: {name: "msgsnd", regs: []uint8{ipcFirst, ipcPtr, ipcSecond, ipcThird}},
	12: {row: &msgrcvBehind, regs: []uint8{ipcFirst, ipcPtr, ipcSecond, ipcFifth, ipcThird}, mend: pairedMsgrcv},
	13: {name: "msgget", regs: []uint8{ipcFirst, ipcSecond}},
	14: {name: "msgctl", regs: []uint8{ipcFirst, ipcSecond, ipcPtr}},
	21: {
		name: "shmat", regs: []uint8{ipcFirst, ipcPtr, ipcSecond}, mend: storedAddress,
		also: event.Capture{Kind: event.CapBytes, From: ipcThird, Size: 4, When: event.AtExit | event.IfOK},
	},
	22: {name: "shmdt", regs: []uint8{ipcPtr}},
	23: {name: "shmget", regs: []uint8{ipcFirst, ipcSecond, ipcThird}},
	24: {name: "shmctl", regs: []uint8{ipcFirst, ipcSecond, ipcPtr}},
}}

// semctlBehind is semctl with a pointer to its last argument.
var semctlBehind = func() Row {
	r := Row{Name: "semctl", Args: args{semctlArgs[0], semctlArgs[1], semctlArgs[2], {"arg", boxed(in, addr)}}}
	direct := semctlOf(Type{Width: Ulong})
	r.Cmd = &Commands{Arg: direct.Arg, Mask: direct.Mask, Of: make(map[uint32]*Command, len(direct.Of))}
	for op, cmd := range direct.Of {
		r.Cmd.Of[op] = &Command{Args: args{{"arg", behind(cmd.Args[0].Type)}}}
	}
	return r
}()

// behind is a pointer to a pointer of type t, shown as t; what can't be read, as
// the address in brackets.
func behind(t Type) Type {
	show := t.Print
	t.Print = func(c *Call, v uint64) {
		if _, ok := c.Read(v, 1); ok && (!t.Out || c.Returned() && !c.Failed()) {
			show(c, v)
			return
		}
		c.BeginArray()
		c.Elem()
		c.Addr(v)
		c.EndArray()
	}
	p := in(t)
	p.Out = t.Out
	return p
}

// msgrcvBehind is msgrcv as ipc has it: the pointer to the message may be in a
// pair that ptr points to, so both are captured.
var msgrcvBehind = Row{Name: "msgrcv", Args: args{
	{"msqid", dec},
	{"msgp", Type{Width: Ulong, Out: true, Print: receivedMsg.Print, Cap: func(b *Caps, at Place) {
		pair := b.Add(at, event.Capture{Kind: event.CapBytes, Size: 8, When: event.AtEntry | event.AtExit})
		receivedMsg.Cap(b, at)
		shown := Default().StringMax
		if b.Opts != nil {
			shown = b.Opts.StringMax
		}
		b.Add(In(pair, 0, 0), event.Capture{
			Kind: event.CapBytes, Size: uint16(min(b.Lay.Word()+shown+1, event.MaxPath)), When: event.AtExit | event.IfOK,
		})
	}}},
	{"msgsz", size},
	{"msgtyp", ldec},
	{"msgflg", msgrcvFlags},
}}

// pairedMsgrcv takes the pointer and the type out of the pair where version 0
// has them.
func pairedMsgrcv(c *Call, e *event.Event) bool {
	if c.Ev.Args[0]>>16&0xffff != 0 {
		return true
	}
	c.AtEntry = true
	b, ok := c.Read(c.mask(e.Args[1]), 8)
	c.AtEntry = false
	if ok {
		e.Args[1], e.Args[3] = c.U32(b), c.U32(b[4:])
	}
	return ok
}

// storedAddress makes the address that shmat stored the result, as the call of
// that name has it.
func storedAddress(c *Call, e *event.Event) bool {
	if b, ok := c.Read(c.mask(c.Ev.Args[ipcThird]), 4); ok && c.Returned() && !c.Failed() {
		e.Ret = int64(c.U32(b))
	}
	return true
}
