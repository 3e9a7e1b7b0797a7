package decode

import (
	"encoding/json"
	"testing"

	"perftrace/event"
)

func TestTheTextBehindAResultIsAMemberOfItsObject(t *testing.T) {
	for _, test := range []struct {
		call string
		ret  int64
		args [6]uint64
		want any
	}{
		{"fcntl", 2, [6]uint64{3, 3}, "flags O_RDWR"},
		{"poll", 0, [6]uint64{0, 0, 7}, "Timeout"},
		{"getppid", 7, [6]uint64{}, nil},
	} {
		o := Default()
		o.JSON = true
		d := New(NewRows("amd64"), o)
		nr, _ := Table("amd64", event.Native).Number(test.call)
		for range 2 { // what one call leaves behind must not change the next
			d.Buf = append(d.Buf[:0], `{"x":1`...)
			d.Begin()
			d.JSON(&event.Event{NR: nr, Ret: test.ret, Args: test.args})
			d.Buf = append(d.Buf, '}')
			var got map[string]any
			if err := json.Unmarshal(d.Buf, &got); err != nil {
				t.Fatalf("%v: %s", err, d.Buf)
			}
			if got["ret_text"] != test.want {
				t.Errorf("%s: ret_text is %v, want %v: %s", test.call, got["ret_text"], test.want, d.Buf)
			}
		}
	}
}
