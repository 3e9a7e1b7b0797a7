package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// quotaRows are the calls on quotas of file systems. What is at their end hangs
// on the command, which is in the upper 24 bits of their first argument.
var quotaRows = []Row{
	{Name: "quotactl", Args: append(args{{"op", quotaOp}, {"special", path}}, quotaTail(0)...)},
	{Name: "quotactl_fd", Args: append(args{{"fd", fd}, {"op", quotaOp}}, quotaTail(1)...)},
}

var quotaOp = printed(U32, func(c *Call, v uint64) {
	c.ExprDec(v, func(c *Call, v uint64) {
		c.BeginCall("QCMD")
		c.Param()
		c.Enum(v>>8, xlat.QuotaCmds)
		c.Param()
		c.Enum(v&0xff, xlat.QuotaTypes)
		c.EndCall()
	})
})

// A quotaCommand says what the last two arguments are. Without an id (or data)
// the argument is not shown.
type quotaCommand struct {
	id, data *Type
}

var quotaCommands = map[uint64]quotaCommand{
	xlat.Q_QUOTAOFF:      {},
	xlat.Q_SYNC:          {},
	xlat.Q_XQUOTASYNC:    {},
	xlat.Q_QUOTAON:       {id: ptr(enum(xlat.QuotaFormats)), data: &path},
	xlat.Q_GETQUOTA:      {id: &uid, data: ptr(outPtr(dqblk))},
	xlat.Q_SETQUOTA:      {id: &uid, data: ptr(in(dqblk))},
	xlat.Q_GETNEXTQUOTA:  {id: &uid, data: ptr(outPtr(nextDqblk))},
	xlat.Q_XGETQUOTA:     {id: &uid, data: ptr(outPtr(xfsDqblk))},
	xlat.Q_XGETNEXTQUOTA: {id: &uid, data: ptr(outPtr(xfsDqblk))},
	xlat.Q_XSETQLIM:      {id: &uid, data: ptr(in(xfsDqblk))},
	xlat.Q_GETFMT:        {data: ptr(boxed(outPtr, enum(xlat.QuotaFormats)))},
	xlat.Q_GETINFO:       {data: ptr(outPtr(dqinfo))},
	xlat.Q_SETINFO:       {data: ptr(in(dqinfo))},
	xlat.Q_XGETQSTAT:     {data: ptr(outPtr(xfsStat))},
	xlat.Q_XGETQSTATV:    {data: ptr(outPtr(xfsStatv))},
	xlat.Q_XQUOTAON:      {data: ptr(boxed(in, flags(xlat.XFSQuotaFlags)))},
	xlat.Q_XQUOTAOFF:     {data: ptr(boxed(in, flags(xlat.XFSQuotaFlags)))},
	xlat.Q_XQUOTARM:      {data: ptr(boxed(in, flags(xlat.XFSDqblkFlags)))},
}

func ptr(t Type) *Type { return &t }

// quotaMax is the size of the longest struct.
const quotaMax = 160

// quotaTail are the arguments behind the second; op is the argument with the
// command.
func quotaTail(op int) args {
	command := func(c *Call) (quotaCommand, bool) {
		q, ok := quotaCommands[c.args[op]>>8]
		return q, ok
	}
	return args{
		{"id", Type{
			Width: U32,
			Print: func(c *Call, v uint64) {
				if q, ok := command(c); ok && q.id != nil {
					q.id.Print(c, v)
					return
				}
				uid.Print(c, v)
			},
			Hide: func(c *Call) bool { q, ok := command(c); return ok && q.id == nil },
		}},
		{"addr", Type{
			Width: Ulong,
			Print: func(c *Call, v uint64) {
				if q, ok := command(c); ok {
					q.data.Print(c, v)
					return
				}
				c.Addr(v)
			},
			Hide: func(c *Call) bool { q, ok := command(c); return ok && q.data == nil },
			// The command is not alone in its argument, so that it can't choose
			// captures: all that it may need is copied.
			Cap: func(b *Caps, at Place) {
				b.Add(at, event.Capture{Kind: event.CapBytes, Size: quotaMax, When: event.AtExit})
				b.Add(at, event.Capture{Kind: event.CapString, Max: event.MaxPath, When: event.AtExit})
			},
		}},
	}
}

// dqblkFields are those that struct if_dqblk and its successor begin with.
func dqblkFields(rest ...Arg) args {
	return append(args{
		{"dqb_bhardlimit", udec64},
		{"dqb_bsoftlimit", udec64},
		{"dqb_curspace", udec64},
		{"dqb_ihardlimit", udec64},
		{"dqb_isoftlimit", udec64},
		{"dqb_curinodes", udec64},
	}, rest...)
}

var (
	dqblk = NewStruct(dqblkFields(
		abridged, Arg{"dqb_btime", udec64}, Arg{"dqb_itime", udec64}, Arg{"dqb_valid", flags(xlat.DqblkValid)})...).packed()

	nextDqblk = func() Type {
		full := NewStruct(dqblkFields(
			Arg{"dqb_btime", udec64}, Arg{"dqb_itime", udec64}, Arg{"dqb_valid", flags(xlat.DqblkValid)}, Arg{"dqb_id", udec})...)
		short := NewStruct(dqblkFields(Arg{"", pad(20)}, Arg{"dqb_id", udec}, abridged)...)
		t := full.Type()
		t.Mem = func(c *Call, b []byte, _ uint64) {
			if c.Abbrev {
				short.Print(c, b)
			} else {
				full.Print(c, b)
			}
		}
		return t
	}()

	dqinfo = NewStruct(
		Arg{"dqi_bgrace", udec64}, Arg{"dqi_igrace", udec64},
		Arg{"dqi_flags", flags(xlat.DqinfoFlags)}, Arg{"dqi_valid", flags(xlat.DqinfoValid)},
	).Type()

	xfsDqblk = NewStruct(
		Arg{"d_version", dec8}, Arg{"d_flags", flagsIn(U8, xlat.XFSDqblkFlags)}, Arg{"d_fieldmask", hex16}, Arg{"d_id", udec},
		Arg{"d_blk_hardlimit", udec64}, Arg{"d_blk_softlimit", udec64}, Arg{"d_ino_hardlimit", udec64}, Arg{"d_ino_softlimit", udec64},
		Arg{"d_bcount", udec64}, Arg{"d_icount", udec64}, abridged,
		Arg{"d_itimer", dec}, Arg{"d_btimer", dec}, Arg{"d_iwarns", udec16}, Arg{"d_bwarns", udec16}, Arg{"", pad(4)},
		Arg{"d_rtb_hardlimit", udec64}, Arg{"d_rtb_softlimit", udec64}, Arg{"d_rtbcount", udec64}, Arg{"d_rtbtimer", dec}, Arg{"d_rtbwarns", udec16},
		Arg{"", pad(10)},
	).Type()

	xfsFile  = NewStruct(Arg{"qfs_ino", udec64}, Arg{"qfs_nblks", udec64}, Arg{"qfs_nextents", udec}).Type()
	xfsFileV = NewStruct(Arg{"qfs_ino", udec64}, Arg{"qfs_nblks", udec64}, Arg{"qfs_nextents", udec}, Arg{"", skip32}).Type()

	xfsStat = NewStruct(
		Arg{"qs_version", dec8}, abridged, Arg{"qs_flags", flagsIn(U16, xlat.XFSQuotaFlags)}, Arg{"", pad(1)},
		Arg{"qs_uquota", xfsFile}, Arg{"qs_gquota", xfsFile}, Arg{"qs_incoredqs", udec},
		Arg{"qs_btimelimit", dec}, Arg{"qs_itimelimit", dec}, Arg{"qs_rtbtimelimit", dec}, Arg{"qs_bwarnlimit", udec16}, Arg{"qs_iwarnlimit", udec16},
	).Type()

	xfsStatv = NewStruct(
		Arg{"qs_version", dec8}, Arg{"", pad(1)}, abridged, Arg{"qs_flags", flagsIn(U16, xlat.XFSQuotaFlags)}, Arg{"qs_incoredqs", udec},
		Arg{"qs_uquota", xfsFileV}, Arg{"qs_gquota", xfsFileV}, Arg{"qs_pquota", xfsFileV},
		Arg{"qs_btimelimit", dec}, Arg{"qs_itimelimit", dec}, Arg{"qs_rtbtimelimit", dec}, Arg{"qs_bwarnlimit", udec16}, Arg{"qs_iwarnlimit", udec16},
	).Type()
)
