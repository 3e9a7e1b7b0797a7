package decode

// identityRows are the calls that ask for and change ids: of tasks, users and
// groups. The calls with 32 in their names take wide ids in 32-bit ABIs, where
// those without take 16 bits.
var identityRows = func() []Row {
	rows := []Row{
		{Name: "getpid", Ret: RetTGID},
		{Name: "getppid", Ret: RetTGID},
		{Name: "gettid", Ret: RetTID},
		{Name: "getpgrp", Ret: RetPGID},
		{Name: "getpgid", Ret: RetPGID, Args: args{{"pid", pid}}},
		{Name: "setpgid", Args: args{{"pid", pid}, {"pgid", pgid}}},
		{Name: "getsid", Ret: RetSID, Args: args{{"pid", pid}}},
		{Name: "setsid", Ret: RetSID},
	}
	rows = append(rows, idRows("", 0, uid)...)
	rows = append(rows, idRows("", On32, uid16)...)
	return append(rows, idRows("32", 0, uid)...)
}()

func idRows(suffix string, on ABIs, id Type) []Row {
	told := boxed(outPtr, id)
	// The kernel has no more groups than that.
	const most = 65536
	groups := func(how func(Type) Type, n count) Type {
		t := array(how, id, n)
		print := t.Print
		t.Print = func(c *Call, v uint64) {
			if uint32(c.args[0]) > most {
				c.Addr(v)
				return
			}
			print(c, v)
		}
		return t
	}
	rows := []Row{
		{Name: "getuid", Ret: RetUDec},
		{Name: "getgid", Ret: RetUDec},
		{Name: "geteuid", Ret: RetUDec},
		{Name: "getegid", Ret: RetUDec},
		{Name: "setuid", Args: args{{"uid", id}}},
		{Name: "setgid", Args: args{{"gid", id}}},
		{Name: "setfsuid", Ret: RetUDec, Args: args{{"fsuid", id}}},
		{Name: "setfsgid", Ret: RetUDec, Args: args{{"fsgid", id}}},
		{Name: "setreuid", Args: args{{"ruid", id}, {"euid", id}}},
		{Name: "setregid", Args: args{{"rgid", id}, {"egid", id}}},
		{Name: "setresuid", Args: args{{"ruid", id}, {"euid", id}, {"suid", id}}},
		{Name: "setresgid", Args: args{{"rgid", id}, {"egid", id}, {"sgid", id}}},
		{Name: "getresuid", Args: args{{"ruid", told}, {"euid", told}, {"suid", told}}},
		{Name: "getresgid", Args: args{{"rgid", told}, {"egid", told}, {"sgid", told}}},
		{Name: "setgroups", Args: args{{"size", dec}, {"list", groups(in, argCount32(0))}}},
		{Name: "getgroups", Args: args{{"size", dec}, {"list", groups(outPtr, retCount())}}},
	}
	for i := range rows {
		rows[i].Name += suffix
		rows[i].ABIs = on
	}
	return rows
}
