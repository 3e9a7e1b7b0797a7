package held

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestALaunchSurvivesTheSocket(t *testing.T) {
	l := Launch{Path: "/bin/x", Argv: []string{"x", "", "a b\n"}, Env: []string{"", "A=\xff"}, Switch: true, UID: 1, GID: 2, EUID: 3, EGID: 4, Groups: []int{2, 7}, Filter: []byte{0, 255}}
	var got Launch
	got.decode(l.encode()[4:])
	if diff := cmp.Diff(l, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
