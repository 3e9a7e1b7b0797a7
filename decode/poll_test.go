package decode

import (
	"encoding/binary"
	"strings"
	"testing"

	"perftrace/event"
)

func TestTheListOfReadyDescriptorsHasStracesRoom(t *testing.T) {
	o := Default()
	o.Abbrev = event.CallSets{}
	d := New(NewRows("amd64"), o)
	var fds, left []byte
	const n = 100
	for i := range n {
		fds = binary.LittleEndian.AppendUint32(fds, uint32(100+i))
		fds = binary.LittleEndian.AppendUint16(fds, 1)
		fds = binary.LittleEndian.AppendUint16(fds, 1)
	}
	left = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(left, 1), 2)
	nr, _ := Table("amd64", event.Native).Number("ppoll")
	e := &event.Event{NR: nr, Ret: n, Args: [6]uint64{0x1000, n, 0x9000}}
	e.Out = event.AppendPiece(e.Out, piece(0x1000, string(fds)))
	e.Out = event.AppendPiece(e.Out, piece(0x9000, string(left)))
	d.Begin()
	d.Whole(e)
	_, text, _ := strings.Cut(string(d.Buf), " = 100 (")
	// 38 elements of 24 bytes, 37 separators and a bracket are 987 bytes; one
	// more would not leave the 27 that strace keeps. For the time there is room:
	// 993 + 8 + 21 < 1024.
	if got := strings.Count(text, "{fd="); got != 38 {
		t.Errorf("%d descriptors are shown, want 38", got)
	}
	if want := "{fd=137, revents=POLLIN}, ...], left {tv_sec=1, tv_nsec=2})"; !strings.HasSuffix(text, want) {
		t.Errorf("it ends with %s, want %s", text[max(0, len(text)-80):], want)
	}
}
