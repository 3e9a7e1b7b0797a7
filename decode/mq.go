package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// mqAttr is struct mq_attr.
func mqAttr(flags Type) Type {
	return NewStruct(
		Arg{"mq_flags", flags}, Arg{"mq_maxmsg", ldec}, Arg{"mq_msgsize", ldec}, Arg{"mq_curmsgs", ldec},
		Arg{"", ldec}, Arg{"", ldec}, Arg{"", ldec}, Arg{"", ldec},
	).Type()
}

var mqAttrNamed = mqAttr(flagsIn(Ulong, xlat.MqFlags))

const oCREAT = 0o100

// ifCreating shows an argument only if the flags, argument 1, make a queue.
func ifCreating(t Type) Type {
	t.Hide = func(c *Call) bool { return c.args[1]&oCREAT == 0 }
	return t
}

// mqMessage is the message that mq_timedreceive got.
var mqMessage = Type{
	Width: Ulong, Out: true,
	Print: func(c *Call, v uint64) {
		if c.Failed() || !c.Returned() {
			c.Addr(v)
			return
		}
		c.BufAt(v, uint64(c.Ev.Ret))
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenRet, When: event.AtExit | event.IfOK})
	},
}

// mqRows are the calls on POSIX message queues.
var mqRows = []Row{
	{Name: "mq_open", Ret: RetFD, Args: args{
		{"name", path}, {"flags", openFlags}, {"mode", ifCreating(perm)}, {"attr", ifCreating(in(mqAttr(lhex)))},
	}},
	{Name: "mq_unlink", Args: args{{"name", path}}},
	{Name: "mq_timedsend", Args: mqSendArgs(timespec)},
	{Name: "mq_timedsend_time64", Args: mqSendArgs(timespec64)},
	{Name: "mq_timedreceive", Args: mqReceiveArgs(timespec)},
	{Name: "mq_timedreceive_time64", Args: mqReceiveArgs(timespec64)},
	{Name: "mq_notify", Args: args{{"mqdes", fd}, {"sevp", in(sigevent)}}},
	{Name: "mq_getsetattr", Args: args{{"mqdes", fd}, {"newattr", inPair(mqAttrNamed)}, {"oldattr", outPtr(mqAttrNamed)}}},
}

func mqSendArgs(t Type) args {
	return args{
		{"mqdes", fd}, {"msg_ptr", inBuf(2)}, {"msg_len", size}, {"msg_prio", udec}, {"abs_timeout", in(t)},
	}
}

func mqReceiveArgs(t Type) args {
	return args{
		{"mqdes", fd}, {"msg_ptr", mqMessage}, {"msg_len", size}, {"msg_prio", boxed(outPtr, udec)}, {"abs_timeout", in(t)},
	}
}
