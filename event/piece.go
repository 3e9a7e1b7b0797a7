package event

import "encoding/binary"

// A piece is a stretch of the target's memory that a source copied, with its
// address. Pieces are found again by address, so what a source copies (the
// capture plan) and what the decoder looks at need not agree: the decoder
// follows the call's pointers and asks for memory; what no piece covers could
// not be read, and is printed as an address.
//
// Wire form, written by bpf/progs and by the other sources alike, little
// endian, 8-byte aligned:
//
//	u64 addr    address in the target
//	u16 len     bytes that follow
//	u8  status  PieceStatus
//	u8  op      index of the Capture that made it
//	u32 want    bytes asked for (len < want: cut or faulted; see status)
//	len bytes, then zeros up to a multiple of 8
const PieceHeader = 16

// PieceStatus says how the copying of a piece ended.
type PieceStatus uint8

const (
	PieceOK    PieceStatus = iota // all of want; of a string: all of it, without its NUL, and len < want
	PieceCut                      // the limit came first
	PieceFault                    // memory ended at an unreadable page after len bytes (0: nothing readable)
	PieceFD                       // not memory: addr is a descriptor, the bytes tell what it is (docs/architecture.md)
)

// A Piece is one parsed piece; Data aliases the event.
type Piece struct {
	Addr   uint64
	Data   []byte
	Want   uint32
	Status PieceStatus
	Op     uint8
}

// NextPiece splits the first piece off b. ok is false at the end, also for
// bytes that are no piece.
func NextPiece(b []byte) (p Piece, rest []byte, ok bool) {
	if len(b) < PieceHeader {
		return Piece{}, nil, false
	}
	n := int(binary.LittleEndian.Uint16(b[8:]))
	if n > len(b)-PieceHeader {
		return Piece{}, nil, false
	}
	p = Piece{
		Addr:   binary.LittleEndian.Uint64(b),
		Status: PieceStatus(b[10]),
		Op:     b[11],
		Want:   binary.LittleEndian.Uint32(b[12:]),
		Data:   b[PieceHeader : PieceHeader+n : PieceHeader+n],
	}
	end := PieceHeader + (n+7)&^7
	if end > len(b) {
		end = len(b)
	}
	return p, b[end:], true
}

// AppendPiece appends a piece in wire form to b.
func AppendPiece(b []byte, p Piece) []byte {
	b = binary.LittleEndian.AppendUint64(b, p.Addr)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(p.Data)))
	b = append(b, byte(p.Status), p.Op)
	b = binary.LittleEndian.AppendUint32(b, p.Want)
	b = append(b, p.Data...)
	for len(b)&7 != 0 {
		b = append(b, 0)
	}
	return b
}
