package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

var prctlRows = []Row{{
	Name: "prctl",
	Args: append(args{{"op", enum(xlat.Prctl)}}, prctlRest...),
	Cmd:  &Commands{Arg: 0, Of: prctlOptions},
}}

// prctlOptions are the arguments of the options of prctl. Those that are not
// here show all of them in hex.
var prctlOptions = map[uint32]*Command{
	xlat.PR_GET_KEEPCAPS:             prOpt(),
	xlat.PR_GET_TIMING:               prOpt(),
	xlat.PR_GET_SECCOMP:              prOpt(),
	xlat.PR_GET_TIMERSLACK:           prOpt(),
	xlat.PR_TASK_PERF_EVENTS_DISABLE: prOpt(),
	xlat.PR_TASK_PERF_EVENTS_ENABLE:  prOpt(),

	xlat.PR_GET_FPEMU:           prOpt(Arg{"fpemu", boxedUint}),
	xlat.PR_GET_FPEXC:           prOpt(Arg{"mode", boxedUint}),
	xlat.PR_GET_ENDIAN:          prOpt(Arg{"endianness", boxedUint}),
	xlat.PR_GET_CHILD_SUBREAPER: prOpt(Arg{"isset", boxedUint}),

	xlat.PR_SET_KEEPCAPS:        prOpt(Arg{"state", uldec}),
	xlat.PR_SET_FPEMU:           prOpt(Arg{"fpemu", uldec}),
	xlat.PR_SET_FPEXC:           prOpt(Arg{"mode", uldec}),
	xlat.PR_SET_TIMING:          prOpt(Arg{"mode", uldec}),
	xlat.PR_SET_ENDIAN:          prOpt(Arg{"endianness", uldec}),
	xlat.PR_SET_CHILD_SUBREAPER: prOpt(Arg{"set", uldec}),

	xlat.PR_SET_NO_NEW_PRIVS: prAll(Arg{"set", uldec}),
	xlat.PR_SET_THP_DISABLE:  prAll(Arg{"flag", uldec}),
	xlat.PR_SET_IO_FLUSHER:   prAll(Arg{"state", uldec}),

	xlat.PR_GET_PDEATHSIG: prOpt(Arg{"sig", boxed(outPtr, sig)}),
	xlat.PR_SET_PDEATHSIG: prOpt(Arg{"sig", Type{Width: Ulong, Print: func(c *Call, v uint64) {
		if v > 128 {
			c.Uint(v)
			return
		}
		sig.Print(c, v)
	}}}),
	xlat.PR_GET_DUMPABLE: prOpt().telling(RetDec, auxName(xlat.Dumpable)),
	xlat.PR_SET_DUMPABLE: prOpt(Arg{"dumpable", word(xlat.Dumpable)}),
	xlat.PR_GET_UNALIGN:  prOpt(Arg{"flags", boxed(outPtr, flags(xlat.PrUnalign))}),
	xlat.PR_SET_UNALIGN:  prOpt(Arg{"flags", flags(xlat.PrUnalign)}),

	xlat.PR_SET_NAME: prOpt(Arg{"name", comm(event.AtExit, 15)}),
	xlat.PR_GET_NAME: prOpt(Arg{"name", comm(event.AtExit|event.IfOK, 16)}),

	xlat.PR_CAPBSET_READ: prOpt(Arg{"cap", word(xlat.Caps)}),
	xlat.PR_CAPBSET_DROP: prOpt(Arg{"cap", word(xlat.Caps)}),
	xlat.PR_GET_TSC:      prOpt(Arg{"flag", boxed(outPtr, enum(xlat.PrTSC))}),
	xlat.PR_SET_TSC:      prOpt(Arg{"flag", enum(xlat.PrTSC)}),

	xlat.PR_GET_SECUREBITS: prOpt().telling(RetHex, auxFlags(xlat.Secbits, false)),
	xlat.PR_SET_SECUREBITS: prOpt(Arg{"flags", wordFlags(xlat.Secbits)}),
	xlat.PR_SET_TIMERSLACK: prOpt(Arg{"slack", ldec}),

	xlat.PR_SET_SECCOMP: {Args: args{
		{"mode", word(xlat.SeccompMode)},
		{"filter", prSeccompFilter},
		{"arg4", unlessMode(lhex, seccompModeFilter, seccompModeStrict)},
		{"arg5", unlessMode(lhex, seccompModeFilter, seccompModeStrict)},
	}},

	xlat.PR_MCE_KILL: prAll(Arg{"operation", word(xlat.PrMCEKill)}, Arg{"policy", Type{
		Width: Ulong, Print: func(c *Call, v uint64) {
			if c.args[1] == mceKillSet {
				c.Enum(v, xlat.PrMCEKillPolicy)
				return
			}
			c.Hex(v)
		},
	}}),
	xlat.PR_MCE_KILL_GET: prAll().telling(RetDec, auxName(xlat.PrMCEKillPolicy)),
	xlat.PR_SET_MM:       prAll(Arg{"operation", enum(xlat.PrSetMM)}),

	xlat.PR_GET_TID_ADDRESS: prOpt(Arg{"addr", boxedPtr}),
	xlat.PR_SET_FP_MODE:     prOpt(Arg{"mode", flags(xlat.PrFPMode)}),
	xlat.PR_GET_FP_MODE:     prOpt().telling(RetHex, auxFlags(xlat.PrFPMode, false)),

	xlat.PR_CAP_AMBIENT: prAll(Arg{"operation", word(xlat.PrCapAmbient)}, Arg{"caps", Type{
		Width: Ulong, Print: func(c *Call, v uint64) {
			if op := c.args[1]; op >= 1 && op <= 3 {
				c.Enum(v, xlat.Caps)
				return
			}
			c.Hex(v)
		},
	}}),

	xlat.PR_SVE_SET_VL: prOpt(Arg{"value", vectorLen(xlat.PrSVE)}).telling(RetHex, auxVector(sveExpr)),
	xlat.PR_SVE_GET_VL: prOpt().telling(RetHex, auxVector(sveExpr)),
	xlat.PR_SME_SET_VL: prOpt(Arg{"arg", vectorLen(xlat.PrSME)}).telling(RetHex, auxVector(smeExpr)),
	xlat.PR_SME_GET_VL: prOpt().telling(RetHex, auxVector(smeExpr)),

	xlat.PR_GET_SPECULATION_CTRL: prOpt(Arg{"misfeature", word(xlat.PrSpec)}).telling(RetHex, auxSpec),
	xlat.PR_SET_SPECULATION_CTRL: prOpt(Arg{"misfeature", word(xlat.PrSpec)}, Arg{"value", Type{
		Width: Ulong, Print: func(c *Call, v uint64) {
			if c.args[1] <= 2 {
				c.Enum(v, xlat.PrSpecSet)
				return
			}
			c.Hex(v)
		},
	}}),

	xlat.PR_PAC_RESET_KEYS:       prAll(Arg{"keys", wordFlags(xlat.PrPACKeys)}),
	xlat.PR_PAC_SET_ENABLED_KEYS: prAll(Arg{"bitmask_affected", wordFlags(xlat.PrPACEnabled)}, Arg{"bitmask_set", wordFlags(xlat.PrPACEnabled)}),
	xlat.PR_PAC_GET_ENABLED_KEYS: prAll().telling(RetHex, auxFlags(xlat.PrPACEnabled, true)),

	xlat.PR_SET_TAGGED_ADDR_CTRL: prAll(Arg{"mode", exprOf(Ulong, taggedExpr)}),
	xlat.PR_GET_TAGGED_ADDR_CTRL: prAll().telling(RetHex, auxOf(taggedExpr)),

	xlat.PR_SET_SYSCALL_USER_DISPATCH: prOpt(Arg{"operation", word(xlat.PrSyscallDispatch)},
		Arg{"off", lhex}, Arg{"size", lhex}, Arg{"switch", addr}),

	xlat.PR_SCHED_CORE: prOpt(Arg{"operation", enum(xlat.PrSchedCore)}, Arg{"pid", pid},
		Arg{"pid_type", Type{Width: U32, Print: (*Call).pidType}}, Arg{"cookie", schedCoreCookie}),

	xlat.PR_SET_MDWE: prAll(Arg{"mask", flags(xlat.PrMDWE)}),
	xlat.PR_GET_MDWE: prAll().telling(RetHex, auxFlags(xlat.PrMDWE, true)),

	xlat.PR_RISCV_V_SET_CONTROL: prOpt(Arg{"arg", exprOf(Ulong, riscvExpr)}),
	xlat.PR_RISCV_V_GET_CONTROL: prOpt().telling(RetHex, auxOf(riscvExpr)),
	xlat.PR_RISCV_SET_ICACHE_FLUSH_CTX: prOpt(
		Arg{"ctx", word(xlat.PrRISCVFlushCtx)}, Arg{"scope", word(xlat.PrRISCVFlushScope)}),

	xlat.PR_PPC_GET_DEXCR: prAll(Arg{"which", word(xlat.PrDEXCR)}).telling(RetHex, auxFlags(xlat.PrDEXCRCtrl, false)),
	xlat.PR_PPC_SET_DEXCR: prAll(Arg{"which", word(xlat.PrDEXCR)}, Arg{"ctrl", wordFlags(xlat.PrDEXCRCtrl)}),

	xlat.PR_SET_VMA: {Args: args{
		{"attr", word(xlat.PrSetVMA)}, {"addr", Type{Width: Ulong, Print: func(c *Call, v uint64) {
			if c.args[1] == setVMAAnonName {
				c.Addr(v)
				return
			}
			c.Hex(v)
		}}}, {"size", Type{Width: Ulong, Print: func(c *Call, v uint64) {
			if c.args[1] == setVMAAnonName {
				c.Uint(v)
				return
			}
			c.Hex(v)
		}}}, {"name", Type{
			Width: Ulong, Cap: str.Cap, Print: func(c *Call, v uint64) {
				if c.args[1] == setVMAAnonName {
					str.Print(c, v)
					return
				}
				c.Hex(v)
			},
		}},
	}},

	xlat.PR_SET_PTRACER: prOpt(Arg{"pid", Type{Width: I32, Print: func(c *Call, v uint64) {
		if int32(v) == -1 {
			c.EnumDec(v, anyPtracer)
			return
		}
		pid.Print(c, v)
	}}}),
}

const (
	seccompModeStrict = 1
	seccompModeFilter = 2
	mceKillSet        = 1
	setVMAAnonName    = 0
	schedCoreGet      = 0
)

var anyPtracer = out.NewXlat("", []out.Entry{{Val: 1<<64 - 1, Name: "PR_SET_PTRACER_ANY"}})

// prSeccompFilter is the filter of PR_SET_SECCOMP, if the mode has one.
var prSeccompFilter = func() Type {
	t := unlessMode(in(seccompFprog), seccompModeStrict)
	filter := t.Print
	t.Print = func(c *Call, v uint64) {
		if c.args[1] != seccompModeFilter {
			c.Hex(v)
			return
		}
		filter(c, v)
	}
	return t
}()

// unlessMode shows an argument only if the one behind the option has none of
// these values.
func unlessMode(t Type, modes ...uint64) Type {
	t.Hide = func(c *Call) bool {
		for _, m := range modes {
			if c.args[1] == m {
				return true
			}
		}
		return false
	}
	return t
}

// auxSpec shows what the kernel does about a misfeature of the processor.
func auxSpec(c *Call) bool {
	if c.args[1] > 2 {
		return false
	}
	return auxFlags(xlat.PrSpecGet, true)(c)
}

// pidType says of which kind the pid of PR_SCHED_CORE is: a number of the
// kernel's own, so its name is only a comment.
func (c *Call) pidType(v uint64) {
	mode := c.Opt.Xlat
	if mode == out.Abbrev && !c.Opt.JSON {
		c.Opt.Xlat = out.Verbose
	}
	c.Enum(v, xlat.PrSchedCorePid)
	c.Opt.Xlat = mode
}

// schedCoreCookie is where PR_SCHED_CORE_GET puts its cookie.
var schedCoreCookie = Type{
	Width: Ulong, Cap: boxedHex.Cap,
	Print: func(c *Call, v uint64) {
		if uint32(c.args[1]) != schedCoreGet {
			c.Hex(v)
			return
		}
		boxedHex.Print(c, v)
	},
}
