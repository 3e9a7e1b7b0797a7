package decode

import (
	"perftrace/decode/xlat"
	"perftrace/event"
)

// execRows are the calls that run a program. Their memory is gone when they
// have succeeded, so it is copied at entry.
var execRows = []Row{
	{Name: "execve", Args: args{{"pathname", execPath}, {"argv", argv}, {"envp", envp}}},
	{Name: "execveat", Args: args{{"dirfd", dirfd}, {"pathname", execPath}, {"argv", argv}, {"envp", envp}, {"flags", flags(xlat.ExecveatFlags)}}},
}

const atEntryOrFault = event.AtEntry | event.IfFault

var execPath = func() Type {
	t := path
	t.Cap = func(b *Caps, at Place) {
		b.Add(at, event.Capture{Kind: event.CapString, Max: event.MaxPath, When: atEntryOrFault})
	}
	return t
}()

// argv is a vector of strings up to a NULL.
var argv = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) { c.strings(v) },
	Cap:   func(b *Caps, at Place) { captureStrings(b, at) },
}

// envp is another one; abbreviated, its strings are counted.
var envp = Type{
	Width: Ulong,
	Print: func(c *Call, v uint64) {
		if c.Abbrev {
			c.countStrings(v)
		} else {
			c.strings(v)
		}
	},
	Cap: func(b *Caps, at Place) {
		if b.Abbrev {
			b.Add(at, event.Capture{Kind: event.CapVector, Max: maxVector, When: atEntryOrFault})
		} else {
			captureStrings(b, at)
		}
	},
}

// maxVector is how much of a vector is copied, bytes.
const maxVector = 1 << 15

func captureStrings(b *Caps, at Place) {
	word, most := b.Lay.Word(), maxVector
	if b.Abbrev {
		most = min(most, (b.Opts.StringMax+2)*word)
	}
	op := b.Add(at, event.Capture{Kind: event.CapVector, Max: uint16(most), When: atEntryOrFault})
	b.Add(In(op, 0, word), event.Capture{Kind: event.CapString, When: atEntryOrFault})
}

// strings writes the strings of the vector at addr: ["ls", "-l"].
func (c *Call) strings(addr uint64) {
	if addr == 0 || !c.Verbose {
		c.Addr(addr)
		return
	}
	c.AtEntry = true
	defer func() { c.AtEntry = false }()
	word := c.Lay.Word()
	for n := 0; ; n++ {
		at := addr + uint64(n*word)
		b, ok := c.Read(at, word)
		if !ok {
			if n == 0 {
				c.Addr(at)
				return
			}
			c.Elem()
			c.Unreadable(at)
			break
		}
		if n == 0 {
			c.BeginArray()
		}
		p := c.Word(b)
		if p == 0 {
			break
		}
		c.Elem()
		if c.Abbrev && n >= c.Opts.StringMax {
			c.More()
			break
		}
		c.StrAt(p)
	}
	c.EndArray()
}

// countStrings writes the address of a vector and how many strings it has.
func (c *Call) countStrings(addr uint64) {
	c.Addr(addr)
	if addr == 0 || !c.Verbose || c.Opt.JSON {
		return
	}
	c.AtEntry = true
	b := c.Avail(addr, maxVector)
	c.AtEntry = false
	word := c.Lay.Word()
	if len(b) < word {
		return
	}
	n, ended := 0, false
	for ; len(b) >= word && !ended; b = b[word:] {
		if ended = c.Word(b) == 0; !ended {
			n++
		}
	}
	c.Buf = append(c.Buf, " /* "...)
	c.Uint(uint64(n))
	c.Buf = append(c.Buf, " var"...)
	if n != 1 {
		c.Buf = append(c.Buf, 's')
	}
	if !ended {
		c.Buf = append(c.Buf, ", unterminated"...)
	}
	c.Buf = append(c.Buf, " */"...)
}
