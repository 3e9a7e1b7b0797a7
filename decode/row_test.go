package decode

import (
	"testing"

	"perftrace/event"
)

func TestEveryCallOfTheTablesHasARow(t *testing.T) {
	written := make(map[string]ABIs) // where a family has a row
	for _, f := range families() {
		for i := range f {
			on := f[i].ABIs
			if on == 0 {
				on = ^ABIs(0)
			}
			if on&OnAMD64 != 0 {
				on |= OnX32
			}
			written[f[i].Name] |= on
		}
	}
	calls := 0
	for _, arch := range []string{"amd64", "arm64"} {
		rows := NewRows(arch)
		for abi := range event.NumABI {
			for nr, name := range Table(arch, abi).All() {
				calls++
				r := rows.Row(abi, nr)
				switch {
				case r == nil:
					t.Errorf("%s, ABI %d: %s (%d) has no row at all", arch, abi, name, nr)
					continue
				case r.Name != name:
					t.Errorf("%s, ABI %d: %s (%d) has the row of %s", arch, abi, name, nr, r.Name)
				case written[name]&rows.mask(abi) == 0:
					t.Errorf("%s, ABI %d: no family has a row for %s (%d)", arch, abi, name, nr)
				}
				for i := range r.Args {
					if a := &r.Args[i]; a.Print == nil {
						t.Errorf("%s: argument %d (%q) has no printer", name, i, a.Name)
					}
				}
			}
		}
	}
	if calls < 1500 {
		t.Errorf("only %d calls were looked at", calls)
	}
}

func TestEveryArgumentThatIsShownHasAName(t *testing.T) {
	check := func(call string, list []Arg) {
		for i := range list {
			// The second half of a value in two registers has none.
			if a := &list[i]; a.Name == "" && a.Hide == nil {
				t.Errorf("%s: argument %d has no name", call, i)
			}
		}
	}
	for _, f := range families() {
		for i := range f {
			check(f[i].Name, f[i].Args)
			if m := f[i].Cmd; m != nil {
				for _, c := range m.Of {
					check(f[i].Name, c.Args)
				}
			}
		}
	}
}

func TestWhatSocketcallSendsIsCopiedAsFarAsANetlinkMessage(t *testing.T) {
	var calls event.CallSets
	for i := range calls[event.Compat] {
		calls[event.Compat][i] = ^uint64(0)
	}
	nr, _ := Table("amd64", event.Compat).Number("socketcall")
	const sendto = 11
	for _, test := range []struct {
		stringMax int
		want      uint16
	}{{32, event.NetlinkMax}, {event.NetlinkMax + 1, 0}} {
		o := Default()
		o.StringMax = test.stringMax
		plans := NewRows("amd64").CallPlans(&calls, &o)
		found := false
		for _, c := range plans[event.Compat][nr].Commands[sendto] {
			if c.Kind == event.CapBytes && c.Len == event.LenOp && c.LenOff == 8 {
				found = true
				if c.Max != test.want {
					t.Errorf("-s %d: at most %d bytes are copied, want %d", test.stringMax, c.Max, test.want)
				}
			}
		}
		if !found {
			t.Error("no capture of the data")
		}
	}
}
