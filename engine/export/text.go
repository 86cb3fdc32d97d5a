package export

import (
	"strconv"

	"ooc/engine/text"
)

// textForm writes stored entries as text.
type textForm struct {
	x      *extract
	noPath uint64
	none   []byte // stands for no path
	number text.Numbers
	bytes  int // about what an element takes, its separator included
}

func (x *extract) text(none float64) textForm {
	f := textForm{x: x, noPath: x.p.Meta().Kind.Wide().Unreachable(), none: text.Float64.Append(nil, none),
		number: text.NumbersOf(x.p.Meta().Kind, x.p.Meta().Scale), bytes: 16}
	if x.p.Meta().Scale == 1 && !x.p.Meta().Kind.Float() {
		f.bytes = 8
	}
	return f
}

func (f *textForm) append(out []byte, bits uint64) []byte {
	switch m := f.x.p.Meta(); {
	case bits == f.noPath:
		return append(out, f.none...)
	case !m.Kind.Float() && m.Scale == 1: // as below, and faster
		return strconv.AppendInt(out, int64(int32(bits)), 10)
	default:
		return f.number.Append(out, m.Distance(bits))
	}
}
