package decode

import (
	"bytes"

	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// statmountRows are the calls that tell of mounts and namespaces by their ids.
var statmountRows = []Row{
	{Name: "statmount", Args: args{{"req", idReq(mountID(flagsIn(U64, xlat.StatmountMask), hex64))}, {"buf", statmountBuf}, {"bufsize", size}, {"flags", flags(xlat.StatmountFlags)}}},
	{Name: "listmount", Args: args{{"req", idReq(mountID(hex64, enumIn(U64, xlat.ListmountIDs)))}, {"mnt_ids", idList}, {"nr_mnt_ids", size}, {"flags", flags(xlat.ListmountFlags)}}},
	{Name: "listns", Args: args{{"req", idReq(nsID)}, {"ns_ids", idList}, {"nr_ns_ids", size}, {"flags", hex}}},
}

// An idRequest is what is asked for: it begins with its own size. Fields that are
// marked shy are shown only if not 0.
type idRequest struct {
	first, last int // sizes of the first and the last version
	fields      []requestField
}

type requestField struct {
	Arg
	at  int
	shy bool
}

func mountID(param, id Type) *idRequest {
	return &idRequest{first: 24, last: 32, fields: []requestField{
		{Arg: Arg{"mnt_ns_fd", fd}, at: 4}, {Arg: Arg{"mnt_id", id}, at: 8}, {Arg: Arg{"param", param}, at: 16}, {Arg: Arg{"mnt_ns_id", hex64}, at: 24},
	}}
}

var nsID = &idRequest{first: 32, last: 32, fields: []requestField{
	{Arg: Arg{"spare", hex}, at: 4, shy: true},
	{Arg: Arg{"ns_id", hex64}, at: 8},
	{Arg: Arg{"ns_type", flags(xlat.NSTypes)}, at: 16},
	{Arg: Arg{"spare2", hex}, at: 20, shy: true},
	{Arg: Arg{"user_ns_id", enumIn(U64, xlat.ListnsIDs)}, at: 24},
}}

// idReq is a pointer to an idRequest.
func idReq(r *idRequest) Type {
	return Type{
		Width: Ulong,
		Print: r.print,
		Cap: func(b *Caps, at Place) {
			op := b.Add(at, event.Capture{Kind: event.CapBytes, Size: 4, When: event.AtExit})
			b.Add(at, event.Capture{
				Kind: event.CapBytes, Len: event.LenOp, LenFrom: uint8(max(op, 0)), LenWidth: 4, Max: maxSized, When: event.AtExit,
			})
		},
	}
}

func (r *idRequest) print(c *Call, v uint64) {
	head, ok := c.ReadOr(v, 4)
	if !ok {
		return
	}
	size := c.U32(head)
	c.BeginStruct()
	c.Field("size")
	c.Uint(size)
	if size >= uint64(r.first) {
		b, ok := c.Read(v, int(min(size, uint64(r.last))))
		if ok {
			r.printFields(c, v, b, size)
		} else {
			c.Unknown()
		}
	}
	c.EndStruct()
}

func (r *idRequest) printFields(c *Call, v uint64, b []byte, size uint64) {
	for i := range r.fields {
		f := &r.fields[i]
		n := f.size(c.Lay)
		if f.at+n > len(b) || f.shy && allZero(b[f.at:f.at+n]) {
			continue
		}
		c.Field(f.Name)
		f.Val(c, b[f.at:f.at+n], 0)
	}
	c.NonzeroTail(v, uint64(r.last), min(size, maxSized))
}

// Unknown writes ??? for fields that could not be read.
func (c *Call) Unknown() {
	c.Field("more")
	c.Buf = c.trimField(c.Buf, "more=")
	c.Text("???")
}

// idList is an array of ids, as many as the result says.
var idList = func() Type {
	t := array(outPtr, hex64, retCount())
	print := t.Print
	t.Print = func(c *Call, v uint64) {
		if c.args[2] == 0 || !c.Failed() && uint64(c.Ev.Ret) > c.args[2] {
			c.Array(v, c.args[2], &idElem)
			return
		}
		print(c, v)
	}
	return t
}()

var idElem = hex64

// What a struct statmount has, behind its size.
const (
	statmountSize = 512
	maxStatmount  = 3 * event.MaxPath
)

// statmountBuf is the struct statmount that the call fills in, with strings
// behind it.
var statmountBuf = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		size := c.args[2]
		n := min(size, statmountSize)
		if n < 4 || c.Failed() {
			c.Addr(v)
			return
		}
		b, ok := c.ReadOr(v, int(n))
		if !ok {
			return
		}
		var whole [statmountSize]byte
		copy(whole[:], b)
		var text []byte
		if used := c.U32(whole[:]); used > statmountSize && used <= size {
			n := int(min(used-statmountSize, maxStatmount))
			if text = c.Avail(v+statmountSize, n); len(text) < n {
				text = nil
			}
		}
		c.statmount(whole[:], text)
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{
			Kind: event.CapBytes, Len: event.LenArg, LenFrom: 2, Max: statmountSize + maxStatmount, When: event.AtExit | event.IfOK,
		})
	},
}

// A statmountField is shown if the mask has its bit; at is its offset. Strings
// and lists of them are shown from the text behind the struct.
type statmountField struct {
	name string
	bit  uint64
	at   int
	kind statmountKind
	x    *out.Xlat
	num  int // offset of the number of strings in a list
}

type statmountKind uint8

const (
	smUint32 statmountKind = iota
	smHex64
	smMagic
	smFlags32
	smFlags64
	smText
	smList
)

var statmountFields = []statmountField{
	{name: "mnt_opts", bit: xlat.STATMOUNT_MNT_OPTS, at: 4, kind: smText},
	{name: "mask", at: 8, kind: smFlags64, x: xlat.StatmountMask},
	{name: "sb_dev_major", bit: xlat.STATMOUNT_SB_BASIC, at: 16},
	{name: "sb_dev_minor", bit: xlat.STATMOUNT_SB_BASIC, at: 20},
	{name: "sb_magic", bit: xlat.STATMOUNT_SB_BASIC, at: 24, kind: smMagic},
	{name: "sb_flags", bit: xlat.STATMOUNT_SB_BASIC, at: 32, kind: smFlags32, x: xlat.StatmountSBFlags},
	{name: "fs_type", bit: xlat.STATMOUNT_FS_TYPE, at: 36, kind: smText},
	{name: "mnt_id", bit: xlat.STATMOUNT_MNT_BASIC, at: 40, kind: smHex64},
	{name: "mnt_parent_id", bit: xlat.STATMOUNT_MNT_BASIC, at: 48, kind: smHex64},
	{name: "mnt_id_old", bit: xlat.STATMOUNT_MNT_BASIC, at: 56, kind: smFlags32},
	{name: "mnt_parent_id_old", bit: xlat.STATMOUNT_MNT_BASIC, at: 60, kind: smFlags32},
	{name: "mnt_attr", bit: xlat.STATMOUNT_MNT_BASIC, at: 64, kind: smFlags64, x: xlat.MountAttrs},
	{name: "mnt_propagation", bit: xlat.STATMOUNT_MNT_BASIC, at: 72, kind: smFlags64, x: xlat.StatmountPropagation},
	{name: "mnt_peer_group", bit: xlat.STATMOUNT_MNT_BASIC, at: 80, kind: smHex64},
	{name: "mnt_master", bit: xlat.STATMOUNT_MNT_BASIC, at: 88, kind: smHex64},
	{name: "propagate_from", bit: xlat.STATMOUNT_PROPAGATE_FROM, at: 96, kind: smHex64},
	{name: "mnt_root", bit: xlat.STATMOUNT_MNT_ROOT, at: 104, kind: smText},
	{name: "mnt_point", bit: xlat.STATMOUNT_MNT_POINT, at: 108, kind: smText},
	{name: "mnt_ns_id", bit: xlat.STATMOUNT_MNT_NS_ID, at: 112, kind: smHex64},
	{name: "fs_subtype", bit: xlat.STATMOUNT_FS_SUBTYPE, at: 120, kind: smText},
	{name: "sb_source", bit: xlat.STATMOUNT_SB_SOURCE, at: 124, kind: smText},
	{name: "opt_num", bit: xlat.STATMOUNT_OPT_ARRAY, at: 128},
	{name: "opt_array", bit: xlat.STATMOUNT_OPT_ARRAY, at: 132, kind: smList, num: 128},
	{name: "opt_sec_num", bit: xlat.STATMOUNT_OPT_SEC_ARRAY, at: 136},
	{name: "opt_sec_array", bit: xlat.STATMOUNT_OPT_SEC_ARRAY, at: 140, kind: smList, num: 136},
	{name: "supported_mask", bit: xlat.STATMOUNT_SUPPORTED_MASK, at: 144, kind: smFlags64, x: xlat.StatmountMask},
	{name: "mnt_uidmap_num", bit: xlat.STATMOUNT_MNT_UIDMAP, at: 152},
	{name: "mnt_uidmap", bit: xlat.STATMOUNT_MNT_UIDMAP, at: 156, kind: smList, num: 152},
	{name: "mnt_gidmap_num", bit: xlat.STATMOUNT_MNT_GIDMAP, at: 160},
	{name: "mnt_gidmap", bit: xlat.STATMOUNT_MNT_GIDMAP, at: 164, kind: smList, num: 160},
}

func (c *Call) statmount(b, text []byte) {
	mask := c.U64(b[8:])
	c.BeginStruct()
	c.Field("size")
	c.Uint(c.U32(b))
	for i := range statmountFields {
		f := &statmountFields[i]
		if f.bit != 0 && mask&f.bit == 0 {
			continue
		}
		c.Field(f.name)
		v := c.U32(b[f.at:])
		switch f.kind {
		case smUint32:
			c.Uint(v)
		case smHex64:
			c.Hex(c.U64(b[f.at:]))
		case smMagic:
			c.Enum(c.U64(b[f.at:]), xlat.FSMagic)
		case smFlags64:
			c.Flags(c.U64(b[f.at:]), f.x)
		case smFlags32:
			if f.x == nil {
				c.Hex(v)
				break
			}
			c.Flags(v, f.x)
		case smText:
			if v >= uint64(len(text)) {
				c.Hex(v)
				break
			}
			c.CStrIn(text[v:])
		case smList:
			if v >= uint64(len(text)) {
				c.Hex(v)
				break
			}
			c.stringList(text[v:], c.U32(b[f.num:]))
		}
	}
	c.EndStruct()
}

// stringList writes n strings that lie one behind the other in b; ??? for those
// that b has no room for.
func (c *Call) stringList(b []byte, n uint64) {
	c.BeginArray()
	for i := uint64(0); i < n; i++ {
		c.Elem()
		if len(b) == 0 {
			c.Text("???")
			break
		}
		if c.Abbrev && i >= uint64(c.Opts.StringMax) {
			c.More()
			break
		}
		c.CStrIn(b)
		end := bytes.IndexByte(b, 0)
		if end < 0 {
			end = len(b) - 1
		}
		b = b[end+1:]
	}
	c.EndArray()
}
