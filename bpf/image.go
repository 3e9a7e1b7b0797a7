package bpf

import (
	"bytes"
	"encoding/binary"

	"perftrace/event"
)

// A program may execute a path, or give an argument, that lies in a page which
// nothing touched before: at the entry of execve the page is not there, and when
// the call returns the old image is gone. The kernel has read them, though: the
// path is in its linux_binprm, and the arguments lie in the new image.

// image returns what a REC_EXEC has of them, or nil.
func (r record) image() []byte {
	const part = int(traceImageLimitsIMAGE_PART)
	n := int(binary.LittleEndian.Uint32(r[offChildTGID:]))
	if binary.LittleEndian.Uint32(r[offInfoLen:]) != uint32(part) || n > part || len(r) < recSize+part+n {
		return nil
	}
	return r[recSize : recSize+part+n]
}

// rescue completes the entry part of a successful execve from the image.
func (k *task) rescue(e *event.Event) {
	const part = int(traceImageLimitsIMAGE_PART)
	if e.Ret != 0 || len(e.In) == 0 || len(k.image) < part {
		return
	}
	path, args := k.image[:part], k.image[part:]
	pathAt, argvAt, word := e.Args[0], e.Args[1], 8
	if e.ABI == event.Compat {
		word = 4
	}
	if exec := numbersOf(e.ABI).exec; len(exec) > 1 && e.NR == exec[1] {
		pathAt, argvAt = e.Args[1], e.Args[2]
	}
	var vector []byte
	whole := make([]byte, 0, len(e.In)+len(k.image)+1024)
	for rest := e.In; ; {
		p, next, ok := event.NextPiece(rest)
		if !ok {
			break
		}
		rest = next
		if p.Addr == argvAt && p.Status == event.PieceOK {
			vector = p.Data
		}
		if p.Status != event.PieceFault {
			whole = event.AppendPiece(whole, p)
		}
	}
	add := func(addr uint64, text []byte) {
		whole = event.AppendPiece(whole, event.Piece{Addr: addr, Data: text, Want: uint32(len(text) + 1)})
	}
	if i := bytes.IndexByte(path, 0); i > 0 {
		add(pathAt, path[:i])
	}
	// Behind a script's #! the arguments are others: their number tells.
	if n := len(vector)/word - 1; n > 0 && n == bytes.Count(args, []byte{0}) {
		for i := range n {
			end := bytes.IndexByte(args, 0)
			add(pointer(vector[i*word:], word), args[:end])
			args = args[end+1:]
		}
	}
	e.In = whole
}

func pointer(b []byte, word int) uint64 {
	if word == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}
