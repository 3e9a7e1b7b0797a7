package decode

import "perftrace/decode/xlat"

// userfaultRows are the call that opens a userfaultfd.
var userfaultRows = []Row{
	{Name: "userfaultfd", Args: args{{"flags", flags(xlat.UffdFlags)}}, Ret: RetFD},
}

var uffdRange = NewStruct(Arg{"start", hex64}, Arg{"len", hex64}).Type()

// uffdRequest is a range, a mode, and what the call tells.
func uffdRequest(mode Type, name string, result Type) Type {
	return inout(NewStruct(Arg{"range", uffdRange}, Arg{"mode", mode}, Arg{name, filled(result)}))
}

var uffdAPI = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		c.AtEntry = true
		b, ok := c.ReadOr(v, 24)
		c.AtEntry = false
		if !ok {
			return
		}
		c.BeginStruct()
		c.Field("api")
		c.Hex(c.U64(b))
		c.Field("features")
		asked := c.U64(b[8:])
		c.Flags(asked, xlat.UffdFeatures)
		if c.Succeeded() {
			if b, ok = c.Read(v, 24); ok {
				if got := c.U64(b[8:]); got != asked {
					c.Syntax(" => features=")
					if c.Opt.JSON {
						c.Field("features_out")
					}
					c.Flags(got, xlat.UffdFeatures)
				}
				c.Field("ioctls")
				c.Flags(c.U64(b[16:]), xlat.UffdApiFlags)
			}
		}
		c.EndStruct()
	},
	Cap: inout(NewStruct(Arg{"", pad(24)})).Cap,
}

var ioctlUserfault = joined(
	each(argp(uffdAPI), "UFFDIO_API"),
	each(argp(inout(NewStruct(
		Arg{"dst", hex64}, Arg{"src", hex64}, Arg{"len", hex64}, Arg{"mode", flagsIn(U64, xlat.UffdCopy)}, Arg{"copy", filled(hex64)},
	))), "UFFDIO_COPY"),
	each(argp(uffdRequest(flagsIn(U64, xlat.UffdRegister), "ioctls", flagsIn(U64, xlat.UffdRegisterIoctls))), "UFFDIO_REGISTER"),
	each(argp(in(uffdRange)), "UFFDIO_UNREGISTER", "UFFDIO_WAKE"),
	each(argp(uffdRequest(flagsIn(U64, xlat.UffdZeropage), "zeropage", hex64)), "UFFDIO_ZEROPAGE"),
	each(argp(in(NewStruct(Arg{"range", uffdRange}, Arg{"mode", flagsIn(U64, xlat.UffdWriteprotect)}).Type())), "UFFDIO_WRITEPROTECT"),
	each(argp(uffdRequest(flagsIn(U64, xlat.UffdContinue), "mapped", udec64)), "UFFDIO_CONTINUE"),
	each(argp(uffdRequest(flagsIn(U64, xlat.UffdPoison), "updated", udec64)), "UFFDIO_POISON"),
)
