package decode

// PrintField writes one field of the struct whose bytes are b.
func (s *Struct) PrintField(c *Call, b []byte, name string) {
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Name != name {
			continue
		}
		at := int(s.off[c.Lay][i])
		if at+f.size(c.Lay) <= len(b) {
			c.Field(name)
			f.Val(c, b[at:at+f.size(c.Lay)], 0)
		}
		return
	}
}

// PrintOnly writes the named fields of the struct whose bytes are b, in the
// order of the names.
func (s *Struct) PrintOnly(c *Call, b []byte, names ...string) {
	for _, n := range names {
		s.PrintField(c, b, n)
	}
}
