package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// securityRows are the calls of Landlock and those on security modules.
var securityRows = []Row{
	{Name: "landlock_create_ruleset", Ret: RetFD, Args: landlockCreate},
	{
		Name: "landlock_add_rule", Args: landlockRule(addr),
		Cmd: &Commands{Arg: 1, Of: map[uint32]*Command{
			xlat.LANDLOCK_RULE_PATH_BENEATH: {Args: landlockRule(in(pathBeneath))[2:]},
			xlat.LANDLOCK_RULE_NET_PORT:     {Args: landlockRule(in(landlockPort))[2:]},
		}},
	},
	{Name: "landlock_restrict_self", Args: args{{"ruleset_fd", fd}, {"flags", hex}}},
	{Name: "lsm_get_self_attr", Args: args{{"attr", enum(xlat.LSMAttrs)}, {"ctx", lsmContexts}, {"size", lsmSize(2)}, {"flags", flags(xlat.LSMFlags)}}},
	{Name: "lsm_set_self_attr", Args: args{{"attr", enum(xlat.LSMAttrs)}, {"ctx", lsmContext}, {"size", udec}, {"flags", hex}}},
	{Name: "lsm_list_modules", Args: args{{"ids", lsmIDs}, {"size", lsmSize(1)}, {"flags", hex}}},
}

var landlockCreate = args{{"attr", landlockAttr.Type()}, {"size", size}, {"flags", flags(xlat.LandlockCreateFlags)}}

func landlockRule(attr Type) args {
	return args{{"ruleset_fd", fd}, {"rule_type", enum(xlat.LandlockRuleTypes)}, {"rule_attr", attr}, {"flags", flags(xlat.LandlockAddRuleFlags)}}
}

var (
	pathBeneath  = NewStruct(Arg{"allowed_access", flagsIn(U64, xlat.LandlockAccessFS)}, Arg{"parent_fd", fd}).packed()
	landlockPort = NewStruct(Arg{"allowed_access", flagsIn(U64, xlat.LandlockAccessNet)}, Arg{"port", udec64}).Type()
)

// packed is the struct without padding at its end.
func (s *Struct) packed() Type {
	t := s.Type()
	last := len(s.Fields) - 1
	for l := range numLay {
		t.Size[l] = s.off[l][last] + uint16(s.Fields[last].size(l))
	}
	return t
}

// landlockFields are the fields of struct landlock_ruleset_attr, each shown if
// the struct is longer than its offset.
var landlockFields = []Arg{
	{"handled_access_fs", flagsIn(U64, xlat.LandlockAccessFS)},
	{"handled_access_net", flagsIn(U64, xlat.LandlockAccessNet)},
	{"scoped", flagsIn(U64, xlat.LandlockScopes)},
	{"quiet_access_fs", flagsIn(U64, xlat.LandlockAccessFS)},
	{"quiet_access_net", flagsIn(U64, xlat.LandlockAccessNet)},
	{"quiet_scoped", flagsIn(U64, xlat.LandlockScopes)},
}

var landlockAttr = sized{arg: 1, min: 8, known: 48, when: event.AtExit, fields: func(c *Call, b []byte, size uint64) {
	for i := range landlockFields {
		if size <= uint64(8*i) {
			return
		}
		c.Field(landlockFields[i].Name)
		landlockFields[i].Val(c, b[8*i:8*i+8], 0)
	}
	if size > 48 {
		c.MoreFields()
	}
}}

// lsmHead is the size of a struct lsm_ctx without its context.
const lsmHead = 32

// maxLSM is the most that is captured of contexts.
const maxLSM = 8192

// lsmContext is a struct lsm_ctx of as many bytes as argument 2 says.
var lsmContext = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		n := c.args[2]
		b, ok := c.Read(v, lsmHead)
		if n < lsmHead || !ok || !c.Verbose {
			c.Addr(v)
			return
		}
		c.lsmContext(b, v, n)
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapBytes, Len: event.LenArg, LenFrom: 2, LenWidth: 4, Max: maxLSM, When: event.AtExit})
	},
}

func (c *Call) lsmContext(b []byte, addr, n uint64) {
	c.BeginStruct()
	c.Field("id")
	c.Enum(c.U64(b), lsmIDPlain)
	c.Field("flags")
	c.Hex(c.U64(b[8:]))
	size, text := c.U64(b[16:]), c.U64(b[24:])
	c.Field("len")
	c.Uint(size)
	c.Field("ctx_len")
	c.Uint(text)
	// strace keeps these lengths in 32 bits.
	size = uint64(uint32(min(size, n)))
	if size > lsmHead {
		if text = min(uint64(uint32(text)), size-lsmHead); text > 0 {
			c.Field("ctx")
			c.HexBuf(addr+lsmHead, text)
		}
	}
	c.EndStruct()
}

var lsmIDPlain = withDefault(xlat.LSMIDs, "")

const lsmSingle = 1

// lsmContexts are the contexts that a call returns, in as many bytes as argument
// 2 points to; with a flag, the first says which module is meant.
var lsmContexts = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		single := c.args[3]&lsmSingle != 0
		c.AtEntry = true
		_, sizeOK := c.Read(c.args[2], 4)
		head, headOK := c.Read(v, lsmHead)
		if !sizeOK || single && !headOK || !c.Verbose {
			c.AtEntry = false
			c.Addr(v)
			return
		}
		if single {
			if c.Returned() {
				c.BeginChange()
			}
			c.BeginStruct()
			c.Field("id")
			c.Enum(c.U64(head), lsmIDPlain)
			c.EndStruct()
			if c.Returned() {
				c.Then()
			}
		}
		c.AtEntry = false
		if size, ok := c.Read(c.args[2], 4); ok && c.Returned() {
			c.lsmSequence(v, c.U32(size))
		} else {
			c.Addr(v)
		}
		if single && c.Returned() {
			c.EndChange()
		}
	},
	Cap: func(b *Caps, at Place) {
		b.Add(argPlace(2), event.Capture{Kind: event.CapBytes, Size: 4, When: event.AtEntry | event.AtExit})
		b.Add(at, event.Capture{Kind: event.CapBytes, Size: lsmHead, When: event.AtEntry})
		op := b.Add(argPlace(2), event.Capture{Kind: event.CapBytes, Size: 4, When: event.AtExit})
		b.Add(at, event.Capture{
			Kind: event.CapBytes, Len: event.LenOp, LenFrom: uint8(max(op, 0)), LenWidth: 4, Max: maxLSM, When: event.AtExit | event.IfOK,
		})
	},
}

func (c *Call) lsmSequence(addr, n uint64) {
	first := true
	for i := 0; ; i++ {
		b, ok := c.Read(addr, lsmHead)
		if n < lsmHead || !ok || c.Failed() {
			if first {
				c.Addr(addr)
				return
			}
			c.Elem()
			c.Unreadable(addr)
			break
		}
		if first {
			c.BeginArray()
			first = false
		}
		c.Elem()
		if c.Abbrev && i >= c.Opts.StringMax || i >= maxElems {
			c.More()
			break
		}
		c.lsmContext(b, addr, n)
		size := c.U64(b[16:])
		if size < lsmHead || size >= n || addr+size < addr {
			break
		}
		addr, n = addr+size, uint64(uint32(n-size))
	}
	if !first {
		c.EndArray()
	}
}

// lsmIDs are the ids that a call returns.
var lsmIDs = func() Type {
	t := array(outPtr, enumIn(U64, xlat.LSMIDs), retCount())
	print := t.Print
	t.Print = func(c *Call, v uint64) {
		if _, ok := c.Read(c.args[1], 4); !ok {
			c.Addr(v)
			return
		}
		print(c, v)
	}
	return t
}()

// lsmSize is the pointer to a size that the call changes: [32 => 40].
func lsmSize(n int) Type {
	return Type{
		Width: Ulong,
		Out:   true,
		Print: func(c *Call, v uint64) {
			c.AtEntry = true
			before, ok := c.ReadOr(v, 4)
			c.AtEntry = false
			if !ok {
				return
			}
			was := c.U32(before)
			c.BeginArray()
			c.Elem()
			if after, ok := c.Read(v, 4); ok && c.Returned() && c.U32(after) != was {
				c.BeginChange()
				c.Uint(was)
				c.Then()
				c.Uint(c.U32(after))
				c.EndChange()
			} else {
				c.Uint(was)
			}
			c.EndArray()
		},
		Cap: func(b *Caps, at Place) {
			b.Add(at, event.Capture{Kind: event.CapBytes, Size: 4, When: event.AtEntry | event.AtExit})
		},
	}
}
