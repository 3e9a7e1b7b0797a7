package decode

import "perftrace/decode/xlat"

// Namespaces and processes by descriptor: linux/nsfs.h, linux/pidfd.h,
// linux/seccomp.h.
var (
	mntNsInfo = NewStruct(Arg{"size", udec}, Arg{"nr_mounts", udec}, Arg{"mnt_ns_id", hex64}).Type()

	seccompNotifData = NewStruct(
		Arg{"nr", within(dec, func(c *Call, s []byte, at int, _ uint64) {
			c.CallNameOf(c.U32(s[at:]), uint32(c.U32(s[at+4:])))
		})},
		Arg{"arch", enum(xlat.AuditArch)}, Arg{"instruction_pointer", addr64}, Arg{"args", vec(hex64, 6)},
	).Type()
	seccompNotifReq = NewStruct(
		Arg{"id", hex64}, Arg{"pid", pid}, Arg{"flags", hex}, Arg{"data", seccompNotifData},
	).Type()
	seccompNotifResp = NewStruct(
		Arg{"id", hex64}, Arg{"val", dec64}, Arg{"error", errnoField}, Arg{"flags", flags(xlat.SeccompResp)},
	).Type()
	seccompAddfd = NewStruct(
		Arg{"id", hex64}, Arg{"flags", flags(xlat.SeccompAddfd)}, Arg{"srcfd", fd}, Arg{"newfd", dec},
		Arg{"newfd_flags", flags(xlat.OpenFlags)},
	).Type()
)

// errnoField is a negative error number.
var errnoField = Type{Width: I32, Print: func(c *Call, v uint64) {
	name := ""
	if n := -int64(v); n > 0 && n < 4096 {
		name, _ = ErrnoName(n)
	}
	if name == "" || c.Opt.Xlat != 0 {
		c.Int(int64(v))
	}
	switch {
	case name == "" || c.Opt.Xlat == 1 || c.Opt.JSON && c.Opt.Xlat != 0:
	case c.Opt.Xlat == 2:
		c.Syntax(" /* -")
		c.Text(name)
		c.Syntax(" */")
	default:
		c.Syntax("-")
		c.Text(name)
	}
}}

// seccompNotif is what SECCOMP_IOCTL_NOTIF_RECV is given, if it is not all
// zeros as it should be, and what it fills in.
var seccompNotif = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		size := seccompNotifReq.size(c.Lay)
		c.AtEntry = true
		b, ok := c.ReadOr(v, size)
		c.AtEntry = false
		if !ok {
			return
		}
		odd := !allZero(b)
		if odd {
			c.BeginChange()
			seccompNotifReq.Val(c, b, v)
			c.Then()
		}
		if !c.Succeeded() {
			c.Addr(v)
		} else if b, ok = c.ReadOr(v, size); ok {
			seccompNotifReq.Val(c, b, v)
		}
		if odd {
			c.EndChange()
		}
	},
	Cap: changed(seccompNotifReq, seccompNotifReq).Cap,
}

// auxNamespace tells the kind of namespace that NS_GET_NSTYPE returned.
func auxNamespace(c *Call) bool {
	name, ok := xlat.NsTypes.Name(uint64(c.Ev.Ret))
	c.Text(name)
	return ok
}

// namespaceOf are the requests that open a namespace of a process.
func namespaceOf(names ...string) []ioctl {
	list := each(argp(lhex), names...)
	for i := range list {
		list[i].ret = RetFD
	}
	return list
}

var ioctlNS = joined(
	[]ioctl{
		{name: "NS_GET_USERNS", ret: RetFD},
		{name: "NS_GET_PARENT", ret: RetFD},
		{name: "NS_GET_NSTYPE", aux: auxNamespace},
		{name: "NS_GET_OWNER_UID", args: args{{"uid", boxed(outPtr, uid)}}},
		{name: "NS_GET_MNTNS_ID", args: argp(boxed(outPtr, hex64))},
		{name: "NS_GET_PID_FROM_PIDNS", args: argp(pid), ret: RetTID},
		{name: "NS_GET_TGID_FROM_PIDNS", args: argp(pid), ret: RetTGID},
		{name: "NS_GET_PID_IN_PIDNS", args: argp(pid)},
		{name: "NS_GET_TGID_IN_PIDNS", args: argp(pid)},
		{name: "NS_MNT_GET_INFO", args: argp(outPtr(mntNsInfo))},
		{name: "NS_MNT_GET_NEXT", args: argp(outPtr(mntNsInfo)), ret: RetFD},
		{name: "NS_MNT_GET_PREV", args: argp(outPtr(mntNsInfo)), ret: RetFD},
		{name: "SECCOMP_IOCTL_NOTIF_RECV", args: argp(seccompNotif)},
		{name: "SECCOMP_IOCTL_NOTIF_SEND", args: argp(in(seccompNotifResp))},
		{name: "SECCOMP_IOCTL_NOTIF_ID_VALID", args: argp(boxed(in, hex64))},
		{name: "SECCOMP_IOCTL_NOTIF_ADDFD", args: argp(in(seccompAddfd))},
		{name: "SECCOMP_IOCTL_NOTIF_SET_FLAGS", args: argp(flagsIn(Ulong, xlat.SeccompNotif))},
	},
	namespaceOf("PIDFD_GET_CGROUP_NAMESPACE", "PIDFD_GET_IPC_NAMESPACE", "PIDFD_GET_MNT_NAMESPACE", "PIDFD_GET_NET_NAMESPACE",
		"PIDFD_GET_PID_NAMESPACE", "PIDFD_GET_PID_FOR_CHILDREN_NAMESPACE", "PIDFD_GET_TIME_NAMESPACE",
		"PIDFD_GET_TIME_FOR_CHILDREN_NAMESPACE", "PIDFD_GET_USER_NAMESPACE", "PIDFD_GET_UTS_NAMESPACE"),
)

// pidfdInfo is struct pidfd_info, of which each field is there if its bit of
// the mask says so and the size of the request reaches as far.
var pidfdInfo = NewStruct(
	pidfdField("cgroupid", 1<<2, 16, udec64, 8),
	pidfdField("pid", 1<<0, 28, pid, 16), pidfdField("tgid", 1<<0, 28, pid, 20), pidfdField("ppid", 1<<0, 28, pid, 24),
	pidfdField("ruid", 1<<1, 60, uid, 28), pidfdField("rgid", 1<<1, 60, uid, 32), pidfdField("euid", 1<<1, 60, uid, 36),
	pidfdField("egid", 1<<1, 60, uid, 40), pidfdField("suid", 1<<1, 60, uid, 44), pidfdField("sgid", 1<<1, 60, uid, 48),
	pidfdField("fsuid", 1<<1, 60, uid, 52), pidfdField("fsgid", 1<<1, 60, uid, 56),
	pidfdField("exit_code", 1<<3, 64, waitStatus, 60),
	pidfdField("coredump_mask", 1<<4, 68, flags(xlat.PidfdCoredump), 64),
	pidfdField("coredump_signal", 1<<6, 72, printed(U32, (*Call).sigName), 68),
	pidfdField("coredump_code", 1<<7, 76, udec, 72),
	pidfdField("supported_mask", 1<<5, 88, flagsIn(U64, xlat.PidfdInfo), 80),
)

// pidfdField is a field at offset off, there if the mask has bit and the struct
// has end bytes.
func pidfdField(name string, bit uint64, end int, t Type, off int) Arg {
	return Arg{name, within(when(func(c *Call, s []byte) bool { return c.U64(s)&bit != 0 && len(s) >= end }, pad(0)),
		func(c *Call, s []byte, _ int, addr uint64) { t.Val(c, s[off:off+t.size(c.Lay)], addr+uint64(off)) })}
}

// pidfdInfoSizes are the sizes that the struct has had since Linux 6.13.
const pidfdInfoMin, pidfdInfoMax = 64, 88

// pidfdGetInfo writes the argument of PIDFD_GET_INFO of any size.
func (c *Call) pidfdGetInfo(size int, v uint64) {
	if size < pidfdInfoMin {
		c.Addr(v)
		return
	}
	c.AtEntry = true
	b, ok := c.ReadOr(v, 8)
	c.AtEntry = false
	if !ok {
		return
	}
	c.BeginStruct()
	c.Field("mask")
	asked := c.U64(b)
	c.Flags(asked, xlat.PidfdInfo)
	if b, ok = c.Read(v, min(size, pidfdInfoMax)); ok && c.Succeeded() {
		if got := c.U64(b); got != asked {
			c.Syntax(" => ")
			c.Flags(got, xlat.PidfdInfo)
		}
		pidfdInfo.printFields(c, b, v, allFields)
	}
	c.EndStruct()
}
