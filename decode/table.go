package decode

import (
	"strings"

	"perftrace/decode/out"
	"perftrace/event"
)

// families are the rows of all calls, by subject.
func families() [][]Row {
	return [][]Row{
		descRows,
		systemRows,
		mountRows,
		statmountRows,
		xattrRows,
		securityRows,
		fanotifyRows,
		keyRows,
		direntRows,
		quotaRows,
		aioRows,
		ioprioRows,
		ldtRows,
		uringRows,
		plainRows(),
		perfRows,
		bpfRows,
		ioctlRows(),
		ptraceRows,
		prctlRows,
		seccompRows,
		capsRows,
		mqRows,
		ipcRows,
		fileRows,
		statRows,
		utimeRows,
		fcntlRows,
		pollRows,
		notifyRows,
		memRows,
		numaRows,
		processRows,
		cloneRows,
		execRows,
		resourceRows,
		identityRows,
		netRows,
		schedRows,
		futexRows,
		timeRows,
		signalRows,
	}
}

// Rows finds the rows of calls by ABI and number, for one architecture.
type Rows struct {
	arch string
	abi  [event.NumABI]*CallTable
	rows [event.NumABI][]*Row // by slot of the CallTable
	mux  [event.NumABI]map[*Mux]map[uint32]*Row
}

// layOf is the memory layout of an ABI.
func (t *Rows) layOf(abi event.ABI) Lay {
	switch {
	case abi == event.Native || abi == event.X32:
		return Lay64
	case t.arch == "arm64":
		return LayARM
	}
	return LayI386
}

// machine is whose values names have in an ABI.
func (t *Rows) machine(abi event.ABI) out.Machine {
	switch {
	case t.arch == "arm64" && abi == event.Native:
		return out.ARM64
	case t.arch == "arm64":
		return out.ARM
	case abi == event.Compat:
		return out.I386
	}
	return out.AMD64
}

func (t *Rows) mask(abi event.ABI) ABIs {
	switch {
	case abi == event.X32:
		return OnX32
	case t.arch == "amd64" && abi == event.Native:
		return OnAMD64
	case t.arch == "amd64":
		return On386
	case abi == event.Native:
		return OnARM64
	}
	return OnARM
}

// NewRows makes the rows of an architecture (a GOARCH: amd64 or arm64). A call
// without a row gets one with the kernel's argument names and hex values.
func NewRows(arch string) *Rows {
	t := &Rows{arch: arch}
	byName := make(map[string][]*Row, 512)
	for _, f := range families() {
		for i := range f {
			byName[f[i].Name] = append(byName[f[i].Name], &f[i])
		}
	}
	for abi := range event.NumABI {
		mask := t.mask(abi)
		ct := Table(arch, abi)
		t.abi[abi] = ct
		t.rows[abi] = make([]*Row, len(ct.names))
		for slot, name := range ct.names {
			if name == "" {
				continue
			}
			for _, r := range byName[name] {
				if r.ABIs == 0 || r.ABIs&mask != 0 || mask == OnX32 && r.ABIs&OnAMD64 != 0 {
					t.rows[abi][slot] = r
				}
			}
			if t.rows[abi][slot] == nil {
				t.rows[abi][slot] = defaultRow(name)
			}
		}
	}
	t.resolveMux(byName)
	return t
}

// Row returns the row of a call, or nil if the table has no such number.
func (t *Rows) Row(abi event.ABI, nr uint32) *Row {
	if abi >= event.NumABI {
		return nil
	}
	slot, ok := t.abi[abi].Slot(nr)
	if !ok {
		return nil
	}
	return t.rows[abi][slot]
}

func defaultRow(name string) *Row {
	r := &Row{Name: name}
	names, _ := ArgNames(name)
	for _, a := range strings.Fields(names) {
		r.Args = append(r.Args, Arg{a, lhex})
	}
	return r
}

// CallPlans says what must be copied for the calls in a set, with these
// options; plans[abi][nr] is nil where nothing is.
func (t *Rows) CallPlans(calls *event.CallSets, o *Options) (plans [event.NumABI][event.MaxNR]*event.CallPlan) {
	for abi := range event.NumABI {
		for nr := range uint32(event.MaxNR) {
			r := t.Row(abi, nr)
			if !calls[abi].Has(nr) || o.Raw[abi].Has(nr) && (r == nil || !o.dumps(r)) {
				continue
			}
			switch {
			case r == nil:
			case r.Mux != nil:
				plans[abi][nr] = t.muxPlan(abi, r, o, o.Abbrev[abi].Has(nr))
			default:
				plans[abi][nr] = r.plan(t.layOf(abi), o, o.Abbrev[abi].Has(nr))
			}
		}
	}
	return plans
}

func (r *Row) plan(l Lay, o *Options, abbrev bool) *event.CallPlan {
	p := &event.CallPlan{CmdArg: -1, Captures: capture(r.Args, r.Ret, l, o, abbrev)}
	if r.Cmd != nil {
		p.CmdArg, p.CmdMask = int8(r.Cmd.Arg), r.Cmd.Mask
		p.Commands = make(map[uint32][]event.Capture, len(r.Cmd.Of))
		for v, cmd := range r.Cmd.Of {
			all := append(append(args{}, r.Args[:r.Cmd.Arg+1]...), cmd.Args...)
			p.Commands[v] = capture(all, cmd.Ret, l, o, abbrev)
		}
	}
	if len(p.Captures) == 0 && len(p.Commands) == 0 {
		return nil
	}
	if o.dumps(r) {
		captureAll(p.Captures)
	}
	return p
}

// capture collects the captures of args and of a result that is a descriptor.
func capture(list []Arg, ret Ret, l Lay, o *Options, abbrev bool) []event.Capture {
	b := Caps{Lay: l, When: event.AtExit, Opts: o, Abbrev: abbrev}
	reg := 0
	for i := range list {
		wide := list[i].wide(l)
		if wide && l == LayARM {
			reg += reg & 1
		}
		if list[i].Cap != nil && reg < 6 {
			list[i].Cap(&b, argPlace(reg))
		}
		reg++
		if wide {
			reg++
		}
	}
	if ret == RetFD && o.wantFDs() {
		b.Add(Place{From: event.FromRet}, event.Capture{Kind: event.CapFD, When: event.AtExit | event.IfOK})
	}
	return b.list
}

// wide reports whether the argument takes two registers.
func (t *Type) wide(l Lay) bool {
	return l != Lay64 && (t.Width == I64 || t.Width == U64)
}
