package decode

import "perftrace/decode/out"

// Expr writes a number of which body writes the meaning, an expression of
// names: the number, the meaning or, with -X verbose, the one with the other as
// a comment.
func (c *Call) Expr(v uint64, body func(c *Call, v uint64)) { c.expr(v, false, body) }

// ExprDec is Expr whose number is decimal.
func (c *Call) ExprDec(v uint64, body func(c *Call, v uint64)) { c.expr(v, true, body) }

func (c *Call) expr(v uint64, decimal bool, body func(c *Call, v uint64)) {
	if c.Opt.JSON {
		c.BeginExpr(v)
		body(c, v)
		c.EndExpr()
		return
	}
	mode := c.Opt.Xlat
	switch {
	case mode == out.Abbrev:
	case decimal:
		c.Uint(v)
	default:
		c.Hex(v)
	}
	if mode == out.Raw {
		return
	}
	c.Opt.Xlat = out.Abbrev
	if mode == out.Verbose {
		c.Syntax(" /* ")
	}
	body(c, v)
	if mode == out.Verbose {
		c.Syntax(" */")
	}
	c.Opt.Xlat = mode
}

// exprOf is a number whose meaning is an expression.
func exprOf(w Width, body func(c *Call, v uint64)) Type {
	return Type{Width: w, Print: func(c *Call, v uint64) { c.Expr(v, body) }}
}

// alsoFlags writes the names of v's bits and "|" behind them; nothing if v is 0.
func (c *Call) alsoFlags(v uint64, x *out.Xlat) {
	if v != 0 {
		c.Flags(v, x)
		c.Syntax("|")
	}
}

// Shifted writes a value and by how much it is shifted: FUTEX_OP_SET<<28. A
// value without a name is commented by unknown.
func (c *Call) Shifted(v uint64, x *out.Xlat, by uint64, unknown string) {
	c.Enum(v, x)
	c.Syntax("<<")
	c.Uint(by)
	if _, ok := x.Name(v); !ok && !c.Opt.JSON {
		c.Comment(unknown)
	}
}
