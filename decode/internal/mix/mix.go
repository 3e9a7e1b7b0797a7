// Package mix is a recording of calls as a source delivers them, to measure
// decoding with: testdata/mix.gz of package decode. record/ makes it, of the
// programs that record/workload.sh runs.
package mix

import (
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"perftrace/event"
)

// header is what stands in front of an event's two lists of pieces.
type header struct {
	ABI     event.ABI
	Kind    event.Kind
	Flags   event.Flags
	NR      uint32
	Args    [6]uint64
	Ret     int64
	In, Out uint32 // bytes
}

// Append writes an event.
func Append(w io.Writer, e *event.Event) error {
	h := header{
		ABI: e.ABI, Kind: e.Kind, Flags: e.Flags, NR: e.NR, Args: e.Args, Ret: e.Ret,
		In: uint32(len(e.In)), Out: uint32(len(e.Out)),
	}
	if err := binary.Write(w, binary.LittleEndian, &h); err != nil {
		return err
	}
	if _, err := w.Write(e.In); err != nil {
		return err
	}
	_, err := w.Write(e.Out)
	return err
}

// Load reads a compressed recording.
func Load(r io.Reader) ([]event.Event, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("open the recording: %w", err)
	}
	var events []event.Event
	for {
		var h header
		if err := binary.Read(z, binary.LittleEndian, &h); errors.Is(err, io.EOF) {
			return events, nil
		} else if err != nil {
			return nil, fmt.Errorf("read event %d of the recording: %w", len(events), err)
		}
		pieces := make([]byte, int(h.In)+int(h.Out))
		if _, err := io.ReadFull(z, pieces); err != nil {
			return nil, fmt.Errorf("read the memory of event %d of the recording: %w", len(events), err)
		}
		events = append(events, event.Event{
			ABI: h.ABI, Kind: h.Kind, Flags: h.Flags, NR: h.NR, Args: h.Args, Ret: h.Ret,
			In: pieces[:h.In:h.In], Out: pieces[h.In:],
		})
	}
}
