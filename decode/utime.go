package decode

import "perftrace/decode/xlat"

// utimeRows are the calls that set the times of a file.
var utimeRows = []Row{
	{Name: "utime", Args: args{{"filename", path}, {"times", in(utimbuf)}}},
	{Name: "utimes", Args: args{{"pathname", path}, {"times", utimesPair}}},
	{Name: "futimesat", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"times", utimesPair}}},
	{Name: "utimensat", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"times", utimensPair(Long)}, {"flags", flags(xlat.AtFlags)}}},
	{Name: "utimensat_time64", Args: args{{"dirfd", dirfd}, {"pathname", path}, {"times", utimensPair(I64)}, {"flags", flags(xlat.AtFlags)}}},
}

// dated is a number of seconds, with the date in a comment.
var dated = Type{Width: Long, Print: func(c *Call, v uint64) {
	c.Int(int64(v))
	c.DateComment(int64(v), 0, 0)
}}

var utimbuf = NewStruct(Arg{"actime", dated}, Arg{"modtime", dated}).Type()

// utimesPair is a pointer to two timevals: access and modification.
var utimesPair = pair(Type{
	Width: None, Size: timeval.Size, Align: timeval.Align,
	Mem: func(c *Call, b []byte, addr uint64) {
		timeval.Mem(c, b, addr)
		w := c.Lay.Word()
		c.DateComment(int64(Long.load(b, c.Lay)), Ulong.load(b[w:], c.Lay), 6)
	},
})

const (
	utimeNow  = 1<<30 - 1
	utimeOmit = 1<<30 - 2
)

// utimensPair is a pointer to two timespecs whose members have a width; some
// values of tv_nsec have a meaning of their own.
func utimensPair(w Width) Type {
	t := timespec
	if w == I64 {
		t = timespec64
	}
	return pair(Type{
		Width: None, Size: t.Size, Align: t.Align,
		Mem: func(c *Call, b []byte, addr uint64) {
			nsec := w.load(b[w.size(c.Lay):], c.Lay)
			name := ""
			switch nsec {
			case utimeNow:
				name = "UTIME_NOW"
			case utimeOmit:
				name = "UTIME_OMIT"
			default:
				t.Mem(c, b, addr)
				if w == Long && c.Lay != Lay64 {
					nsec = uint64(uint32(nsec))
				}
				c.DateComment(int64(w.load(b, c.Lay)), nsec, 9)
				return
			}
			if !c.Opt.JSON && c.Opt.Xlat != 0 {
				t.Mem(c, b, addr)
			}
			switch {
			case c.Opt.JSON || c.Opt.Xlat == 0:
				c.Text(name)
			case c.Opt.Xlat == 2:
				c.Comment(name)
			}
		},
	})
}

// pair is a pointer to two values: [a, b].
func pair(t Type) Type {
	return in(Type{
		Width: None, Size: twice(t.Size), Align: t.Align,
		Mem: func(c *Call, b []byte, addr uint64) {
			n := t.size(c.Lay)
			c.BeginArray()
			c.Elem()
			t.Val(c, b[:n], addr)
			c.Elem()
			t.Val(c, b[n:], addr+uint64(n))
			c.EndArray()
		},
	})
}

func twice(s [numLay]uint16) [numLay]uint16 {
	for i := range s {
		s[i] *= 2
	}
	return s
}
