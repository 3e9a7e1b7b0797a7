package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// ipc64 is in the command of the ctl calls where the C library asks for the
// newer forms of the structs, which are the only ones shown here.
const ipc64 = 0x100

var ipc64Flag = out.NewXlat("", []out.Entry{{Val: ipc64, Name: "IPC_64"}})

// ctlOp is the command of a ctl call.
func ctlOp(x *out.Xlat) Type {
	return Type{Width: U32, Print: func(c *Call, v uint64) {
		if v&ipc64 == 0 {
			c.Enum(v, x)
			return
		}
		c.BeginExpr(v)
		c.Enum(ipc64, ipc64Flag)
		c.Syntax("|")
		c.Enum(v&^ipc64, x)
		c.EndExpr()
	}}
}

// Commands of the ctl calls (include/uapi/linux/{ipc,msg,sem,shm}.h).
const (
	ipcSet  = 1
	ipcStat = 2
	ipcInfo = 3
)

// ipcCtl are the commands of a ctl call whose command is argument n: set, stat
// and info are the pointers that they take, in front of which stand before.
func ipcCtl(n int, name string, set, stat Type, stats []uint32, infos map[uint32]Type) *Commands {
	m := &Commands{Arg: n, Mask: ^uint32(ipc64), Of: map[uint32]*Command{ipcSet: {Args: args{{name, in(set)}}}}}
	for _, op := range stats {
		m.Of[op] = &Command{Args: args{{name, outPtr(stat)}}}
	}
	for op, t := range infos {
		m.Of[op] = &Command{Args: args{{name, outPtr(t)}}}
	}
	return m
}

// ipcKey is a key of an object.
var ipcKey = enum(xlat.IPCPrivate)

// ipcFlags are flags with permissions: IPC_CREAT|0600.
func ipcFlags(x *out.Xlat) Type {
	return Type{Width: U32, Print: func(c *Call, v uint64) {
		c.BeginExpr(v)
		c.alsoFlags(v&^0o777, x)
		c.Perm(v & 0o777)
		c.EndExpr()
	}}
}

const (
	shmHugeShift = 26
	shmHugeMask  = 0x3f << shmHugeShift
)

var shmHuge = out.NewXlat("", []out.Entry{{Val: shmHugeShift, Name: "SHM_HUGE_SHIFT"}})

// shmgetFlags are ipcFlags with the size of huge pages among them.
var shmgetFlags = Type{Width: U32, Print: func(c *Call, v uint64) {
	c.BeginExpr(v)
	c.alsoFlags(v&^(0o777|shmHugeMask), xlat.ShmResource)
	if size := v & shmHugeMask; size != 0 {
		c.Uint(size >> shmHugeShift)
		c.Syntax("<<")
		c.EnumDec(shmHugeShift, shmHuge)
		c.Syntax("|")
	}
	c.Perm(v & 0o777)
	c.EndExpr()
}}

// in32 is padding that only the 32-bit layouts have: the upper half of a time.
var in32 = Type{
	Width: None, Size: [numLay]uint16{0, 4, 4}, Align: [numLay]uint16{1, 4, 4},
	Mem: func(*Call, []byte, uint64) {},
}

// ipcMode is a __kernel_mode_t: 32 bits wide, but 16 and padding on 32-bit
// machines.
var ipcMode = Type{
	Width: None, Size: [numLay]uint16{4, 4, 4}, Align: [numLay]uint16{4, 2, 2},
	Mem: func(c *Call, b []byte, _ uint64) {
		if c.Lay == Lay64 {
			c.Perm(c.U32(b))
		} else {
			c.Perm(c.U16(b))
		}
	},
}

var ipcPermStruct = NewStruct(
	Arg{"key", udec}, Arg{"uid", uid}, Arg{"gid", uid}, Arg{"cuid", uid}, Arg{"cgid", uid}, Arg{"mode", ipcMode},
	Arg{"", udec16}, Arg{"", udec16}, Arg{"", uldec}, Arg{"", uldec},
)

// ipcPerm is struct ipc64_perm; brief is what IPC_SET takes of it.
func ipcPerm(brief bool) Type {
	t := ipcPermStruct.Type()
	t.Mem = func(c *Call, b []byte, _ uint64) {
		c.BeginStruct()
		ipcPermStruct.PrintOnly(c, b, "uid", "gid", "mode")
		if !brief {
			ipcPermStruct.PrintOnly(c, b, "key", "cuid", "cgid")
		}
		c.EndStruct()
	}
	return t
}

// ordered is a struct of which only some fields are shown, in another order
// than they are laid out in.
func ordered(s *Struct, names ...string) Type {
	t := s.Type()
	t.Mem = func(c *Call, b []byte, _ uint64) {
		c.BeginStruct()
		for _, n := range names {
			s.PrintField(c, b, n)
		}
		c.EndStruct()
	}
	return t
}

func msqidDS(brief bool) *Struct {
	return NewStruct(
		Arg{"msg_perm", ipcPerm(brief)},
		Arg{"msg_stime", uldec}, Arg{"", in32}, Arg{"msg_rtime", uldec}, Arg{"", in32}, Arg{"msg_ctime", uldec}, Arg{"", in32},
		Arg{"", uldec}, Arg{"msg_qnum", uldec}, Arg{"msg_qbytes", uldec},
		Arg{"msg_lspid", dec}, Arg{"msg_lrpid", dec}, Arg{"", uldec}, Arg{"", uldec},
	)
}

func shmidDS(brief bool) *Struct {
	return NewStruct(
		Arg{"shm_perm", ipcPerm(brief)}, Arg{"shm_segsz", uldec},
		Arg{"shm_atime", uldec}, Arg{"", in32}, Arg{"shm_dtime", uldec}, Arg{"", in32}, Arg{"shm_ctime", uldec}, Arg{"", in32},
		Arg{"shm_cpid", pid}, Arg{"shm_lpid", pid}, Arg{"shm_nattch", uldec}, Arg{"", uldec}, Arg{"", uldec},
	)
}

// semidDS is struct semid64_ds. x86 has a word behind each time in the 64-bit
// layout as well, as gap says.
func semidDS(brief bool, gap Type) *Struct {
	return NewStruct(
		Arg{"sem_perm", ipcPerm(brief)}, Arg{"sem_otime", uldec}, Arg{"", gap}, Arg{"sem_ctime", uldec}, Arg{"", gap},
		Arg{"sem_nsems", uldec}, Arg{"", uldec}, Arg{"", uldec},
	)
}

var (
	msqidSet  = ordered(msqidDS(true), "msg_perm", "msg_qbytes")
	msqidStat = ordered(msqidDS(false), "msg_perm", "msg_stime", "msg_rtime", "msg_ctime", "msg_qnum", "msg_qbytes",
		"msg_lspid", "msg_lrpid")
	msginfo = NewStruct(
		Arg{"msgpool", dec}, Arg{"msgmap", dec}, Arg{"msgmax", dec}, Arg{"msgmnb", dec}, Arg{"msgmni", dec},
		Arg{"msgssz", dec}, Arg{"msgtql", dec}, Arg{"msgseg", udec16},
	).Type()

	shmidSet  = ordered(shmidDS(true), "shm_perm")
	shmidStat = ordered(shmidDS(false), "shm_perm", "shm_segsz", "shm_cpid", "shm_lpid", "shm_nattch",
		"shm_atime", "shm_dtime", "shm_ctime")
	shminfo = NewStruct(
		Arg{"shmmax", uldec}, Arg{"shmmin", uldec}, Arg{"shmmni", uldec}, Arg{"shmseg", uldec}, Arg{"shmall", uldec},
		Arg{"", uldec}, Arg{"", uldec}, Arg{"", uldec}, Arg{"", uldec},
	).Type()
	shmUsage = NewStruct(
		Arg{"used_ids", dec}, Arg{"shm_tot", uldec}, Arg{"shm_rss", uldec}, Arg{"shm_swp", uldec},
		Arg{"swap_attempts", uldec}, Arg{"swap_successes", uldec},
	).Type()

	seminfo = NewStruct(
		Arg{"semmap", dec}, Arg{"semmni", dec}, Arg{"semmns", dec}, Arg{"semmnu", dec}, Arg{"semmsl", dec},
		Arg{"semopm", dec}, Arg{"semume", dec}, Arg{"semusz", dec}, Arg{"semvmx", dec}, Arg{"semaem", dec},
	).Type()
	sembuf = NewStruct(
		Arg{"sem_num", udec16}, Arg{"sem_op", dec16}, Arg{"sem_flg", flagsIn(U16, xlat.SemopFlags)},
	).Type()
)

func semctlOf(gap Type) *Commands {
	stat := ordered(semidDS(false, gap), "sem_perm", "sem_otime", "sem_ctime", "sem_nsems")
	return ipcCtl(2, "arg", ordered(semidDS(true, gap), "sem_perm"), stat,
		[]uint32{ipcStat, 18, 20}, map[uint32]Type{ipcInfo: seminfo, 19: seminfo})
}

// msgbuf is a pointer to a message: its type and as many bytes of text as
// argument n says.
func msgbuf(when event.When, n int) Type {
	return Type{
		Width: Ulong,
		Out:   when&event.IfOK != 0,
		Print: func(c *Call, v uint64) {
			word := c.Lay.Word()
			if when&event.IfOK != 0 && (c.Failed() || !c.Returned()) {
				c.Addr(v)
				return
			}
			b, ok := c.ReadOr(v, word)
			if !ok {
				return
			}
			c.BeginStruct()
			c.Field("mtype")
			c.Int(int64(Long.load(b, c.Lay)))
			c.Field("mtext")
			c.BufAt(v+uint64(word), c.args[n])
			c.EndStruct()
		},
		Cap: func(b *Caps, at Place) {
			word := b.Lay.Word()
			b.Add(at, event.Capture{Kind: event.CapBytes, Size: uint16(word), When: when})
			at.Off += uint16(word)
			b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenArg, LenFrom: uint8(n), When: when | event.InPlace})
		},
	}
}

// ipcRows are the calls of System V IPC.
var ipcRows = []Row{
	{Name: "msgget", Args: args{{"key", ipcKey}, {"msgflg", ipcFlags(xlat.IPCResource)}}},
	{Name: "msgsnd", Args: args{
		{"msqid", dec}, {"msgp", msgbuf(event.AtExit, 2)}, {"msgsz", size}, {"msgflg", flags(xlat.MsgFlags)},
	}},
	{Name: "msgrcv", Args: args{
		{"msqid", dec},
		{"msgp", receivedMsg},
		{"msgsz", size},
		{"msgtyp", ldec},
		{"msgflg", msgrcvFlags},
	}},
	{Name: "msgctl", Args: args{{"msqid", dec}, {"op", ctlOp(xlat.Msgctl)}, {"buf", addr}}, Cmd: ipcCtl(1, "buf",
		msqidSet, msqidStat, []uint32{ipcStat, 11, 13}, map[uint32]Type{ipcInfo: msginfo, 12: msginfo})},

	{Name: "semget", Args: args{{"key", ipcKey}, {"nsems", dec}, {"semflg", ipcFlags(xlat.IPCResource)}}},
	{Name: "semop", Args: args{{"semid", dec}, {"sops", array(in, sembuf, argCount32(2))}, {"nsops", udec}}},
	{Name: "semtimedop", Args: semtimedopArgs(timespec)},
	{Name: "semtimedop_time64", Args: semtimedopArgs(timespec64)},
	{Name: "semctl", ABIs: OnAMD64 | On386 | OnX32, Args: semctlArgs, Cmd: semctlOf(Type{Width: Ulong})},
	{Name: "semctl", ABIs: OnARM64 | OnARM, Args: semctlArgs, Cmd: semctlOf(in32)},

	{Name: "shmget", Args: args{{"key", ipcKey}, {"size", size}, {"shmflg", shmgetFlags}}},
	{Name: "shmat", Ret: RetHex, Args: args{{"shmid", dec}, {"shmaddr", addr}, {"shmflg", flags(xlat.ShmFlags)}}},
	{Name: "shmdt", Args: args{{"shmaddr", addr}}},
	{Name: "shmctl", Args: args{{"shmid", dec}, {"op", ctlOp(xlat.Shmctl)}, {"buf", addr}}, Cmd: ipcCtl(1, "buf",
		shmidSet, shmidStat, []uint32{ipcStat, 13, 15}, map[uint32]Type{ipcInfo: shminfo, 14: shmUsage})},

	{Name: "ipc", Args: args{
		{"call", ipcCall}, {"first", lhex}, {"second", lhex}, {"third", lhex}, {"ptr", lhex}, {"fifth", lhex},
	}, Mux: ipcMux},
}

var (
	receivedMsg = msgbuf(event.AtExit|event.IfOK, 2)
	msgrcvFlags = flags(xlat.MsgFlags)
)

var semctlArgs = args{{"semid", dec}, {"semnum", dec}, {"op", ctlOp(xlat.Semctl)}, {"arg", addr}}

func semtimedopArgs(t Type) args {
	return args{{"semid", dec}, {"sops", array(in, sembuf, argCount32(2))}, {"nsops", udec}, {"timeout", in(t)}}
}

// ipcCall is the call behind ipc, with a version in its upper half.
var ipcCall = Type{Width: U32, Print: func(c *Call, v uint64) {
	c.BeginExpr(v)
	if v>>16 != 0 {
		c.Uint(v >> 16)
		c.Syntax("<<16|")
	}
	c.EnumDec(v&0xffff, xlat.IPCCalls)
	c.EndExpr()
}}
