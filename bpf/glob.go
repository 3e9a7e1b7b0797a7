package bpf

import "fmt"

// A glob over comm, as the program runs it: bit i of match[c] says that place i
// of the pattern takes byte c, stars where the stars are, end which bit stands
// for the end of the pattern. (* any bytes, ? one byte, the rest is itself.)
type glob struct {
	match [256]uint32
	stars uint32
	end   uint32
}

func compileGlob(pattern string) (*glob, error) {
	g := &glob{}
	i, star := 0, false
	for _, c := range []byte(pattern) {
		if i == 31 {
			return nil, fmt.Errorf("command name pattern %q: longer than 31 bytes; names have 15", pattern)
		}
		switch {
		case c == '*' && star:
			continue
		case c == '*':
			g.stars |= 1 << i
		case c == '?':
			for b := 1; b < 256; b++ {
				g.match[b] |= 1 << i
			}
		default:
			g.match[c] |= 1 << i
		}
		star = c == '*'
		i++
	}
	g.end = 1 << i
	return g, nil
}
