package decode

import "perftrace/decode/xlat"

// notifyRows are the calls that make descriptors which tell of something, and
// those that wait for them with epoll.
var notifyRows = append(append([]Row{
	{Name: "epoll_create", Ret: RetFD, Args: args{{"size", dec}}},
	{Name: "epoll_create1", Ret: RetFD, Args: args{{"flags", flags(xlat.EpollFlags)}}},
	{Name: "eventfd", Ret: RetFD, Args: args{{"initval", udec}}},
	{Name: "eventfd2", Ret: RetFD, Args: args{{"initval", udec}, {"flags", flags(xlat.EventfdFlags)}}},
	{Name: "signalfd", Ret: RetFD, Args: args{{"fd", fd}, {"mask", sigsetPtr(in, 2)}, {"sizemask", size}}},
	{Name: "signalfd4", Ret: RetFD, Args: args{{"fd", fd}, {"mask", sigsetPtr(in, 2)}, {"sizemask", size}, {"flags", flags(xlat.SignalfdFlags)}}},
	{Name: "timerfd_create", Ret: RetFD, Args: args{{"clockid", clockid}, {"flags", flags(xlat.TimerfdFlags)}}},
	{Name: "timerfd_settime", Args: args{{"fd", fd}, {"flags", flags(xlat.TimerfdFlags)}, {"new_value", in(itimerspec)}, {"old_value", outPtr(itimerspec)}}},
	{Name: "timerfd_settime64", Args: args{{"fd", fd}, {"flags", flags(xlat.TimerfdFlags)}, {"new_value", in(itimerspec64)}, {"old_value", outPtr(itimerspec64)}}},
	{Name: "timerfd_gettime", Args: args{{"fd", fd}, {"curr_value", outPtr(itimerspec)}}},
	{Name: "timerfd_gettime64", Args: args{{"fd", fd}, {"curr_value", outPtr(itimerspec64)}}},
	{Name: "inotify_init", Ret: RetFD},
	{Name: "inotify_init1", Ret: RetFD, Args: args{{"flags", flags(xlat.InotifyInitFlags)}}},
	{Name: "inotify_add_watch", Args: args{{"fd", fd}, {"pathname", path}, {"mask", flags(xlat.InotifyMask)}}},
	{Name: "inotify_rm_watch", Args: args{{"fd", fd}, {"wd", dec}}},
}, epollRows(0, epollEvent(4))...), epollRows(OnARM64|OnARM, epollEvent(8))...)

// epollEvent is a struct epoll_event. Its data is aligned to 4 bytes on x86 (of
// 64 bits, too), to 8 on ARM.
func epollEvent(at int) Type {
	size := uint16(at + 8)
	return Type{
		Width: None, Size: [numLay]uint16{size, size, size}, Align: [numLay]uint16{uint16(at), uint16(at), uint16(at)},
		Mem: func(c *Call, b []byte, _ uint64) {
			c.BeginStruct()
			c.Field("events")
			c.Flags(c.U32(b), xlat.EpollEvents)
			c.Field("data")
			c.Hex(c.U64(b[at:]))
			c.EndStruct()
		},
	}
}

func epollRows(on ABIs, ev Type) []Row {
	const ctlDel = 2
	one, many := in(ev), array(outPtr, ev, retCount())
	print := one.Print
	one.Print = func(c *Call, v uint64) {
		if c.args[1] == ctlDel {
			c.Addr(v)
			return
		}
		print(c, v)
	}
	wait := args{{"epfd", fd}, {"events", many}, {"maxevents", dec}, {"timeout", dec}}
	pwait := append(append(args{}, wait...), args{{"sigmask", sigsetPtr(in, 5)}, {"sigsetsize", size}}...)
	pwait2 := append(args{}, pwait...)
	pwait2[3] = Arg{"timeout", in(timespec64)}
	return []Row{
		{Name: "epoll_ctl", ABIs: on, Args: args{{"epfd", fd}, {"op", enum(xlat.EpollCtls)}, {"fd", fd}, {"event", one}}},
		{Name: "epoll_wait", ABIs: on, Args: wait},
		{Name: "epoll_pwait", ABIs: on, Args: pwait},
		{Name: "epoll_pwait2", ABIs: on, Args: pwait2},
	}
}
