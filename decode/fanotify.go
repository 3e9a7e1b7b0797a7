package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
)

// fanotifyRows are the calls that watch files of whole mounts.
var fanotifyRows = []Row{
	{Name: "fanotify_init", Ret: RetFD, Args: args{{"flags", fanotifyInit}, {"event_f_flags", openFlags}}},
	{Name: "fanotify_mark", Args: args{{"fanotify_fd", fd}, {"flags", flags(xlat.FanotifyMarkFlags)}, {"mask", flagsIn(U64, xlat.FanotifyEvents)}, {"dirfd", markDir}, {"pathname", path}}},
}

var fanotifyInit = printed(U32, func(c *Call, v uint64) {
	const classes = 0xc
	c.KindFlags(v, classes, xlat.FanotifyClasses, xlat.FanotifyInitFlags)
})

var fanNoFD = out.NewXlat("", []out.Entry{{Val: ^uint64(0), Name: "FAN_NOFD"}})

// markDir is a directory, or FAN_NOFD: the path stands for itself.
var markDir = func() Type {
	t := dirfd
	t.Print = func(c *Call, v uint64) {
		if int32(v) == -1 {
			c.EnumDec(v, fanNoFD)
			return
		}
		c.DirFD(int64(v))
	}
	return t
}()
