package held

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
)

// A Launch is all that is needed to start the command.
type Launch struct {
	Path   string
	Argv   []string
	Env    []string
	Switch bool // to another user:
	UID    int
	GID    int
	EUID   int
	EGID   int
	Groups []int
	Filter []byte // seccomp filter to install: an array of struct sock_filter; empty: none
}

// encode writes the launch as a length, and words that each end in a NUL.
func (l *Launch) encode() []byte {
	b := make([]byte, 4)
	word := func(s string) { b = append(append(b, s...), 0) }
	list := func(words []string) {
		word(strconv.Itoa(len(words)))
		for _, w := range words {
			word(w)
		}
	}
	word(l.Path)
	word(hex.EncodeToString(l.Filter))
	list(l.Argv)
	list(l.Env)
	numbers := []string{strconv.FormatBool(l.Switch)}
	for _, n := range append([]int{l.UID, l.GID, l.EUID, l.EGID}, l.Groups...) {
		numbers = append(numbers, strconv.Itoa(n))
	}
	list(numbers)
	binary.LittleEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

func (l *Launch) decode(b []byte) {
	words := strings.Split(string(b), "\x00")
	word := func() (w string) {
		if len(words) > 0 {
			w, words = words[0], words[1:]
		}
		return w
	}
	list := func() (of []string) {
		n, _ := strconv.Atoi(word())
		for range min(n, len(words)) {
			of = append(of, word())
		}
		return of
	}
	l.Path = word()
	l.Filter, _ = hex.DecodeString(word())
	l.Argv, l.Env = list(), list()
	for i, s := range list() {
		if i == 0 {
			l.Switch = s == "true"
			continue
		}
		n, _ := strconv.Atoi(s)
		switch i {
		case 1:
			l.UID = n
		case 2:
			l.GID = n
		case 3:
			l.EUID = n
		case 4:
			l.EGID = n
		default:
			l.Groups = append(l.Groups, n)
		}
	}
}
