package decode

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"perftrace/event"
)

func TestEveryGoldenCaseIsValidJSONAndAllocatesNothing(t *testing.T) {
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files (%v)", err)
	}
	rows := map[string]*Rows{"amd64": NewRows("amd64"), "arm64": NewRows("arm64")}
	for _, file := range files {
		for _, c := range readGolden(t, file) {
			o := c.opt
			o.JSON = true
			d := New(rows[c.arch], o)
			d.Buf = append(d.Buf, `{"x":1`...)
			d.JSON(&c.ev)
			if d.Buf = append(d.Buf, '}'); !json.Valid(d.Buf) {
				t.Errorf("%s: not JSON: %s", c.at, d.Buf)
			}
			d = New(rows[c.arch], c.opt)
			allocs := testing.AllocsPerRun(3, func() {
				d.Buf = d.Buf[:0]
				d.Begin()
				if c.ev.Kind == event.KindEnter {
					d.Enter(&c.ev)
				} else {
					d.Whole(&c.ev)
				}
			})
			if allocs > 0 {
				t.Errorf("%s: %v allocations", c.at, allocs)
			}
		}
	}
}
