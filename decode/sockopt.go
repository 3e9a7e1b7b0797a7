package decode

import (
	"math/bits"

	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

// A sockOpt is how the value of one socket option is shown: n bytes at addr.
type sockOpt struct {
	get, set func(c *Call, addr uint64, n int64)
}

// optKey is a level and the name of an option.
type optKey struct{ level, name uint64 }

// sockOptNames are the names of options by level.
var sockOptNames = map[uint64]struct{ get, set *out.Xlat }{
	xlat.SOL_SOCKET:    {xlat.SocketOptionsGet, xlat.SocketOptionsSet},
	xlat.SOL_IP:        {xlat.IPOptionsGet, xlat.IPOptionsSet},
	xlat.SOL_IPV6:      {xlat.IPv6OptionsGet, xlat.IPv6OptionsSet},
	xlat.AF_VSOCK:      {xlat.VsockOptions, xlat.VsockOptions}, // vsock takes its family for the level
	xlat.SOL_IPX:       {xlat.IPXOptions, xlat.IPXOptions},
	xlat.SOL_AX25:      {xlat.AX25Options, xlat.AX25Options},
	xlat.SOL_PACKET:    {xlat.PacketOptions, xlat.PacketOptions},
	xlat.SOL_TCP:       {xlat.TCPOptions, xlat.TCPOptions},
	xlat.SOL_CAN_RAW:   {xlat.CANRawOptions, xlat.CANRawOptions},
	xlat.SOL_SCTP:      {xlat.SCTPOptions, xlat.SCTPOptions},
	xlat.SOL_RAW:       {xlat.RawOptions, xlat.RawOptions},
	xlat.SOL_NETLINK:   {xlat.NetlinkOptions, xlat.NetlinkOptions},
	xlat.SOL_UDP:       {xlat.UDPOptions, xlat.UDPOptions},
	xlat.SOL_IRDA:      {xlat.IrDAOptions, xlat.IrDAOptions},
	xlat.SOL_LLC:       {xlat.LLCOptions, xlat.LLCOptions},
	xlat.SOL_DCCP:      {xlat.DCCPOptions, xlat.DCCPOptions},
	xlat.SOL_TIPC:      {xlat.TIPCOptions, xlat.TIPCOptions},
	xlat.SOL_RXRPC:     {xlat.RxRPCOptions, xlat.RxRPCOptions},
	xlat.SOL_PPPOL2TP:  {xlat.PPPoL2TPOptions, xlat.PPPoL2TPOptions},
	xlat.SOL_BLUETOOTH: {xlat.BluetoothOptions, xlat.BluetoothOptions},
	xlat.SOL_PNPIPE:    {xlat.PNPipeOptions, xlat.PNPipeOptions},
	xlat.SOL_RDS:       {xlat.RDSOptions, xlat.RDSOptions},
	xlat.SOL_IUCV:      {xlat.IUCVOptions, xlat.IUCVOptions},
	xlat.SOL_CAIF:      {xlat.CAIFOptions, xlat.CAIFOptions},
	xlat.SOL_ALG:       {xlat.ALGOptions, xlat.ALGOptions},
	xlat.SOL_NFC:       {xlat.NFCLLCPOptions, xlat.NFCLLCPOptions},
	xlat.SOL_KCM:       {xlat.KCMOptions, xlat.KCMOptions},
	xlat.SOL_TLS:       {xlat.TLSOptions, xlat.TLSOptions},
	xlat.SOL_XDP:       {xlat.XDPOptions, xlat.XDPOptions},
}

// sockLevels differs from the levels of control messages in how an unknown one
// is commented.
var sockLevels = withDefault(xlat.SocketLevels, "SOL_??")

// sockOptHead are the arguments that say which option it is.
func sockOptHead(set bool) args {
	name := printed(U32, func(c *Call, v uint64) {
		names, ok := sockOptNames[c.args[1]]
		switch {
		case !ok:
			c.Uint(v)
		case set:
			c.Enum(v, names.set)
		default:
			c.Enum(v, names.get)
		}
	})
	return args{{"sockfd", fd}, {"level", enum(sockLevels)}, {"optname", name}}
}

// maxSockOpt is the most that is captured of an option's value, if not -s asks
// for more.
const maxSockOpt = 512

func sockOptMax(b *Caps) uint16 { return uint16(min(max(b.Opts.StringMax, maxSockOpt), 1<<15)) }

// inSockOpt is a pointer to the value of the option that is set.
var inSockOpt = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		n := int64(int32(c.args[4]))
		if v != 0 && c.Verbose {
			if o := sockOptOf(c.args[1], c.args[2]); o.set != nil {
				o.set(c, v, n)
				return
			}
		}
		c.sockOptDefault(v, n)
	},
	Cap: func(b *Caps, at Place) {
		b.Add(at, event.Capture{
			Kind: event.CapBytes, Len: event.LenArg, LenFrom: 4, LenWidth: 4, Max: sockOptMax(b), When: event.AtExit,
		})
	},
}

// outSockOpt is a pointer to where the value of an option goes.
var outSockOpt = Type{
	Width: Ulong,
	Out:   true,
	Print: func(c *Call, v uint64) {
		ulen, ok := c.sockLen(1, c.args[4], true)
		rlen, ok2 := c.sockLen(1, c.args[4], false)
		if !ok || !ok2 || c.Failed() || ulen <= 0 || rlen <= 0 {
			c.Addr(v)
			return
		}
		if v != 0 && c.Verbose {
			if o := sockOptOf(c.args[1], c.args[2]); o.get != nil {
				o.get(c, v, rlen)
				return
			}
		}
		c.sockOptDefault(v, rlen)
	},
	Cap: func(b *Caps, at Place) {
		op := addSockLen(b, 4)
		b.Add(at, event.Capture{
			Kind: event.CapBytes, Len: event.LenOp, LenFrom: uint8(max(op, 0)), LenWidth: 4,
			Max: sockOptMax(b), When: event.AtExit | event.IfOK,
		})
	},
}

// sockOptDefault shows an option that nothing is known about: an int or bytes.
func (c *Call) sockOptDefault(addr uint64, n int64) {
	switch {
	case !c.Verbose:
		c.Addr(addr)
	case n == 4:
		showInt(c, addr, n)
	default:
		c.BufAt(addr, uint64(n))
	}
}

// sockOptOf is how an option is shown; of some levels, all options are ints.
func sockOptOf(level, name uint64) sockOpt {
	if o, ok := sockOpts[optKey{level, name}]; ok {
		return o
	}
	switch level {
	case xlat.SOL_NETLINK:
		return sockOpt{get: showInt, set: ifLong(4, showInt)}
	case xlat.SOL_TIPC:
		return sockOpt{get: showInt, set: showInt}
	}
	return sockOpt{}
}

func showInt(c *Call, addr uint64, _ int64) {
	if b, ok := c.ReadOr(addr, 4); ok {
		c.BeginArray()
		c.Elem()
		c.Int(c.I32(b))
		c.EndArray()
	}
}

// ifLong shows values of at least min bytes by p, others as an address; hexIfShort
// and hexUnless, as bytes.
func ifLong(min int64, p func(*Call, uint64, int64)) func(*Call, uint64, int64) {
	return func(c *Call, addr uint64, n int64) {
		if n < min {
			c.Addr(addr)
			return
		}
		p(c, addr, n)
	}
}

func hexIfShort(min int64, p func(*Call, uint64, int64)) func(*Call, uint64, int64) {
	return func(c *Call, addr uint64, n int64) {
		if n < min {
			c.HexAt(addr, uint64(n))
			return
		}
		p(c, addr, n)
	}
}

func hexUnless(size int64, p func(*Call, uint64, int64)) func(*Call, uint64, int64) {
	return func(c *Call, addr uint64, n int64) {
		if n != size {
			c.HexAt(addr, uint64(n))
			return
		}
		p(c, addr, n)
	}
}

// boxedOpt shows a scalar in brackets.
func boxedOpt(t Type) func(*Call, uint64, int64) {
	return func(c *Call, addr uint64, _ int64) {
		if b, ok := c.ReadOr(addr, t.size(c.Lay)); ok {
			c.BeginArray()
			c.Elem()
			t.Val(c, b, addr)
			c.EndArray()
		}
	}
}

// structOpt shows a struct; its value must have all of it.
func structOpt(m *message) func(*Call, uint64, int64) {
	return ifLong(int64(m.size), func(c *Call, addr uint64, _ int64) {
		if b, ok := c.ReadOr(addr, m.size); ok {
			m.Print(c, b)
		}
	})
}

// exactOpt is structOpt for values that must not be longer either.
func exactOpt(m *message) func(*Call, uint64, int64) {
	return func(c *Call, addr uint64, n int64) {
		if n != int64(m.size) {
			c.Addr(addr)
			return
		}
		structOpt(m)(c, addr, n)
	}
}

// cutOpt shows as much of a struct as the call has filled in.
func cutOpt(m *message) func(*Call, uint64, int64) {
	return func(c *Call, addr uint64, n int64) {
		if b, ok := c.ReadOr(addr, int(min(n, int64(m.size)))); ok {
			m.PrintCut(c, b)
		}
	}
}

// icmpFilter is a set of ICMP types; if more than half are in it, those that
// are not are shown.
func icmpFilter(c *Call, addr uint64, n int64) {
	if n <= 0 {
		c.Addr(addr)
		return
	}
	b, ok := c.ReadOr(addr, int(min(n, 4)))
	if !ok {
		return
	}
	set := ^uint32(0)
	for i, v := range b {
		set = set&^(0xff<<(8*i)) | uint32(v)<<(8*i)
	}
	inverted := bits.OnesCount32(set) > 16
	if inverted {
		set = ^set
	}
	c.BeginSet(inverted)
	for ; set != 0; set &= set - 1 {
		c.Member()
		c.Enum(uint64(bits.TrailingZeros32(set)), xlat.ICMPTypes)
	}
	c.EndSet()
}

// portRange is two ports in one number: 0x20001 /* 1..2 */.
var portRange = printed(U32, func(c *Call, v uint64) {
	c.Hex(v)
	lo, hi := v&0xffff, v>>16
	if c.Opt.JSON || c.Opt.Xlat == out.Raw || v == 0 || lo != 0 && hi != 0 && lo > hi {
		return
	}
	c.Syntax(" /* ")
	if lo != 0 {
		c.Uint(lo)
	}
	c.Syntax("..")
	if hi != 0 {
		c.Uint(hi)
	}
	c.Syntax(" */")
})

// getFilter and setFilter show classic BPF programs. What a get returns as the
// length is the number of instructions.
func getFilter(c *Call, addr uint64, n int64) {
	if n != int64(uint16(n)) {
		c.Addr(addr)
		return
	}
	c.sockFilter(addr, uint64(n))
}

func setFilter(c *Call, addr uint64, n int64) {
	size := packetFprog.size(c.Lay)
	if n != int64(size) {
		c.Addr(addr)
		return
	}
	if b, ok := c.ReadOr(addr, size); ok {
		packetFprog.Mem(c, b, addr)
	}
}

// The options whose value is a program or a descriptor have captures of their
// own.
var (
	setSockOptFilters = &Commands{Arg: 2, Of: map[uint32]*Command{
		xlat.SO_ATTACH_FILTER:         {Args: args{{"optval", inSockOptFilter}, {"optlen", dec}}},
		xlat.SO_ATTACH_REUSEPORT_CBPF: {Args: args{{"optval", inSockOptFilter}, {"optlen", dec}}},
	}}
	getSockOptFilters = &Commands{Arg: 2, Of: map[uint32]*Command{
		xlat.SO_ATTACH_FILTER: {Args: args{{"optval", outSockOptFilter}, {"optlen", optLen}}},
		xlat.SO_PEERPIDFD:     {Args: args{{"optval", outSockOptFD}, {"optlen", optLen}}},
	}}

	outSockOptFD = Type{
		Width: Ulong, Out: true, Print: outSockOpt.Print,
		Cap: func(b *Caps, at Place) {
			outSockOpt.Cap(b, at)
			b.When = event.AtExit | event.IfOK
			capFD(b, In(len(b.list)-1, 0, 0))
			b.When = event.AtExit
		},
	}

	inSockOptFilter = Type{
		Width: Ulong, Print: inSockOpt.Print,
		Cap: func(b *Caps, at Place) {
			op := b.Add(at, event.Capture{
				Kind: event.CapBytes, Len: event.LenArg, LenFrom: 4, LenWidth: 4, Max: sockOptMax(b), When: event.AtExit,
			})
			packetFprog.Cap(b, In(op, 0, 0))
		},
	}
	outSockOptFilter = Type{
		Width: Ulong, Out: true, Print: outSockOpt.Print,
		Cap: func(b *Caps, at Place) {
			op := addSockLen(b, 4)
			b.Add(at, event.Capture{
				Kind: event.CapBytes, Len: event.LenOp, LenFrom: uint8(max(op, 0)), LenWidth: 4,
				Size: sockFilterSize, Max: 32768, When: event.AtExit | event.IfOK,
			})
		},
	}
)

// packetFprog is a program that filters packets.
var packetFprog = sockFprog(socketK)
