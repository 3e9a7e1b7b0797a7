package event

// FDKind says what the bytes of a PieceFD tell of a descriptor.
type FDKind uint8

const (
	FDPath   FDKind = 1 + iota // text: the path, from the top of the mounts
	FDName                     // text: the name of a file without a path (pipe, anonymous inode, memfd …)
	FDSocket                   // text: the name that a unix socket is bound to
)

// FDDeleted in the flags: the file has no name any more.
const FDDeleted = 1

// A PieceFD has the descriptor as its address (AT_FDCWD: the working directory)
// and holds struct fd_info of bpf/progs/abi.h: FDHead bytes at these offsets,
// then text without a NUL.
const (
	FDKindAt     = 0  // u8
	FDFlagsAt    = 1  // u8
	FDModeAt     = 2  // u16, st_mode
	FDRdevAt     = 4  // u32, major<<20 | minor
	FDInodeAt    = 8  // u64
	FDMagicAt    = 16 // u32, of the file system
	FDPortidAt   = 20 // u32, netlink
	FDValueAt    = 24 // u64: pid of a pidfd, mask of a signalfd, count of an eventfd, 1 + number of a ptmx's terminal
	FDFamilyAt   = 32 // u16
	FDTypeAt     = 34 // u16
	FDProtocolAt = 36 // u16 (eventfd: 1 if it is a semaphore)
	FDStateAt    = 38 // u16
	FDSportAt    = 40 // u16, host order
	FDDportAt    = 42 // u16
	FDIDAt       = 44 // u32, eventfd
	FDSrcAt      = 48 // 16 bytes (4 used by IPv4)
	FDDstAt      = 64
	FDPeerAt     = 80 // u64, inode of a unix socket's peer
	FDProtoAt    = 88 // FDProtoLen bytes: the name of the protocol ("TCP", "UNIX-STREAM")
	FDProtoLen   = 16
	FDHead       = 104
)
