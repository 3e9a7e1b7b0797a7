package perf

import (
	"errors"
	"slices"
	"testing"
)

func TestOnlineCPUsMayHaveHoles(t *testing.T) {
	for _, c := range []struct {
		list string
		want []int
	}{
		{"0\n", []int{0}},
		{"0-1\n", []int{0, 1}},
		{"0,2-4,7\n", []int{0, 2, 3, 4, 7}},
		{"1-2,64-65", []int{1, 2, 64, 65}},
	} {
		got, err := parseCPUs(c.list)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: got %v, %v; want %v", c.list, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "\n", "x", "3-1", "-1", "0-99999999", "1-2-3"} {
		if got, err := parseCPUs(bad); err == nil {
			t.Errorf("%q: got %v and no error", bad, got)
		}
	}
}

func TestACPUThatIsOfflineIsRefused(t *testing.T) {
	got, err := chooseCPUs([]int{4, 0, 4}, []int{0, 2, 4})
	if err != nil || !slices.Equal(got, []int{0, 4}) {
		t.Errorf("got %v, %v; want 0 and 4", got, err)
	}
	_, err = chooseCPUs([]int{1}, []int{0, 2})
	var access *AccessError
	const want = "trace CPU 1: it is not online; choose among [0 2]"
	if !errors.As(err, &access) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
