package export

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"ooc/engine/internal/npy"
	"ooc/kernels/entry"
)

// npyFormat writes a 2-D NumPy array in C order.
var npyFormat = format{
	Name:  "npy",
	Title: "2-D NumPy array",
	write: func(ctx context.Context, x *extract, w io.Writer) error {
		kind, none := x.numbers()
		l := lines{bytes: 8, encode: x.widen(none)}
		if kind != entry.KindF64 {
			l = lines{encode: x.replace(uint32(x.p.Meta().Kind.Wide().Unreachable()), uint32(kind.Bits(none)))}
		}
		return x.writeArray(ctx, w, kind, l)
	},
}

// writeArray writes an array whose elements are of a kind.
func (x *extract) writeArray(ctx context.Context, w io.Writer, kind entry.Kind, l lines) error {
	if _, err := w.Write(npy.Header("'"+kind.NumPy()+"'", fmt.Sprintf("(%d, %d)", x.rows.n, x.cols.n))); err != nil {
		return err
	}
	return x.stream(ctx, w, l)
}

// replace keeps entries of 4 bytes as they are stored, except those that are was.
func (x *extract) replace(was, by uint32) func(b *block) []byte {
	return func(b *block) []byte {
		used := (b.hi - b.lo) * x.cols.n
		if by != was {
			for i, bits := range b.entries[:used] {
				if bits == was {
					b.entries[i] = by
				}
			}
		}
		return b.stored[:4*used]
	}
}

// widen makes entries float64, in the input's units.
func (x *extract) widen(none float64) func(b *block) []byte {
	noPath := x.p.Meta().Kind.Wide().Unreachable()
	return func(b *block) []byte {
		out := b.out[:0]
		for k := range (b.hi - b.lo) * x.cols.n {
			d := none
			if bits := b.bits(k); bits != noPath {
				d = x.p.Meta().Distance(bits)
			}
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(d))
		}
		return out
	}
}
