package export

import (
	"context"
	"io"
	"strconv"

	"ooc/engine/text"
)

// layout is how a format in text writes a matrix, a line for each row or column.
type layout struct {
	columns bool
	none    []byte                            // stands for no path
	start   func(out []byte, line int) []byte // appends what a line begins with; nil: it begins with its entries
	between byte                              // two entries of a line
	end     string                            // of a line
}

// writeText writes a head, and then entries with the digits that they need, in the input's units.
func (x *extract) writeText(ctx context.Context, w io.Writer, head []byte, l layout) error {
	if _, err := w.Write(head); err != nil {
		return err
	}
	m := x.p.Meta()
	noPath, number := m.Kind.Wide().Unreachable(), text.NumbersOf(m.Kind, m.Scale)
	integers, bytes := !m.Kind.Float() && m.Scale == 1, 16
	if integers {
		bytes = 8
	}
	return x.stream(ctx, w, lines{columns: l.columns, bytes: bytes, encode: func(b *block) []byte {
		out := b.out[:0]
		for i := range b.hi - b.lo {
			at, step, count := i*x.cols.n, 1, x.cols.n
			if l.columns {
				at, step, count = i, b.hi-b.lo, x.rows.n
			}
			if l.start != nil {
				out = l.start(out, b.lo+i)
			}
			for k := range count {
				if k > 0 {
					out = append(out, l.between)
				}
				switch bits := b.bits(at + k*step); {
				case bits == noPath:
					out = append(out, l.none...)
				case integers: // as below, and faster
					out = strconv.AppendInt(out, int64(int32(bits)), 10)
				default:
					out = number.Append(out, m.Distance(bits))
				}
			}
			out = append(out, l.end...)
		}
		return out
	}})
}
