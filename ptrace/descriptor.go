package ptrace

import (
	"bytes"
	"encoding/binary"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"perftrace/event"
)

const (
	atFDCWD = -100 // the working directory
	sifmt   = 0o170000
	sifsock = 0o140000
)

// Magic numbers of the file systems whose files have no path: linux/magic.h.
const (
	anonMagic  = 0x09041934
	pidfsMagic = 0x50494446
)

// AppendFD implements event.Memory: /proc tells what a descriptor is, and it is
// still that, since the target is stopped.
func (m *memory) AppendFD(fd int32, to []byte) []byte {
	what := "cwd"
	switch {
	case fd >= 0:
		what = "fd/" + strconv.Itoa(int(fd))
	case fd != atFDCWD:
		return to
	}
	path := m.procPath(what)
	var text [unix.PathMax]byte
	n, err := unix.Readlink(path, text[:])
	if err != nil {
		return to
	}
	link := text[:n]

	begin := len(to)
	to = append(to, make([]byte, event.FDHead)...)
	head := to[begin:]
	var st unix.Stat_t
	if unix.Stat(path, &st) == nil {
		binary.LittleEndian.PutUint16(head[event.FDModeAt:], uint16(st.Mode))
		binary.LittleEndian.PutUint32(head[event.FDRdevAt:], unix.Major(st.Rdev)<<20|unix.Minor(st.Rdev))
		binary.LittleEndian.PutUint64(head[event.FDInodeAt:], st.Ino)
	}
	var fs unix.Statfs_t
	if unix.Statfs(path, &fs) == nil {
		binary.LittleEndian.PutUint32(head[event.FDMagicAt:], uint32(fs.Type))
	}
	switch {
	case st.Mode&sifmt == sifsock && bytes.HasPrefix(link, []byte("socket:[")):
		head[event.FDKindAt] = byte(event.FDSocket)
		return m.appendSocket(fd, to, begin)
	case link[0] == '/':
		head[event.FDKindAt] = byte(event.FDPath)
		if name, cut := bytes.CutSuffix(link, []byte(" (deleted)")); cut && !m.isNamed(link, &st) {
			head[event.FDFlagsAt] = event.FDDeleted
			link = name
		}
		m.putValue(fd, head)
		return append(to, link...)
	}
	head[event.FDKindAt] = byte(event.FDName)
	if name, ok := bytes.CutPrefix(link, []byte("anon_inode:")); ok {
		link = name
		m.putValue(fd, head)
	} else if i := bytes.Index(link, []byte(":[")); i >= 0 {
		link = link[:i] // the inode in the brackets is in the head
	}
	return append(to, link...)
}

func (m *memory) procPath(what string) string { return "/proc/" + strconv.Itoa(m.tid) + "/" + what }

// isNamed reports whether the target has a file of this very name, and it is
// the one that st is of.
func (m *memory) isNamed(path []byte, st *unix.Stat_t) bool {
	var named unix.Stat_t
	err := unix.Lstat(m.procPath("root")+string(path), &named)
	return err == nil && named.Ino == st.Ino && named.Dev == st.Dev
}

// putValue writes what fdinfo tells of the special kinds of descriptors.
func (m *memory) putValue(fd int32, head []byte) {
	magic := binary.LittleEndian.Uint32(head[event.FDMagicAt:])
	mode := binary.LittleEndian.Uint16(head[event.FDModeAt:])
	if fd < 0 || magic != anonMagic && magic != pidfsMagic && mode&sifmt != unix.S_IFCHR {
		return
	}
	b, err := os.ReadFile(m.procPath("fdinfo/" + strconv.Itoa(int(fd))))
	if err != nil {
		return
	}
	for line := range bytes.Lines(b) {
		name, text, _ := bytes.Cut(line, []byte(":"))
		base := 10
		if string(name) == "sigmask" || string(name) == "eventfd-count" {
			base = 16
		}
		v, err := strconv.ParseUint(string(bytes.TrimSpace(text)), base, 64)
		if err != nil {
			continue
		}
		switch string(name) {
		case "Pid", "sigmask", "eventfd-count":
			binary.LittleEndian.PutUint64(head[event.FDValueAt:], v)
		case "tty-index":
			binary.LittleEndian.PutUint64(head[event.FDValueAt:], v+1)
		case "eventfd-id":
			binary.LittleEndian.PutUint32(head[event.FDIDAt:], uint32(v))
		case "eventfd-semaphore":
			binary.LittleEndian.PutUint16(head[event.FDProtocolAt:], uint16(v))
		}
	}
}
