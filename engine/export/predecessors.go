package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"ooc/engine"
	"ooc/engine/tree"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// writePredecessors writes the predecessors of rows as a 2-D array of int32. Each row is a tree of shortest paths from
// its vertex, even with arcs of weight 0.
func writePredecessors(ctx context.Context, x *extract, w io.Writer) error {
	g, err := x.p.Graph()
	if errors.Is(err, tiles.ErrNoCSR) {
		return fmt.Errorf("%w: predecessors need the arcs, which only stores of sparse graphs keep; "+
			"solve the matrix again with --predecessors", err)
	} else if err != nil {
		return err
	}
	back := g.Reverse()
	var idle sync.Pool
	l := lines{least: tree.AtOnce}
	if x.size != entry.WordBytes {
		l.bytes = entry.WordBytes
	}
	l.encode = func(b *block) []byte {
		t, _ := idle.Get().(*tree.Maker)
		if t == nil {
			if t, b.err = tree.NewMaker(g, back); b.err != nil {
				return nil
			}
		}
		defer idle.Put(t)
		rows := b.entries // predecessors take the places of distances where they have as many bytes
		if rows == nil {
			b.out = b.out[:cap(b.out)]
			rows = entry.View[uint32](b.out)
		}
		at := 0
		for lo := b.lo; lo < b.hi; lo += tree.AtOnce {
			var sources []int
			for i := lo; i < min(lo+tree.AtOnce, b.hi); i++ {
				sources = append(sources, x.rowVertex(i))
			}
			preds, source, wrong := t.Of(b.stored[at*x.size:][:len(sources)*g.N*x.size], sources)
			if wrong >= 0 {
				b.err = fmt.Errorf("%s: from %s to %s: %w: no arcs make the stored distance; look with: ooc verify",
					x.p.Dir(), x.ids.Name(source), x.ids.Name(wrong), engine.ErrWrong)
				return nil
			}
			for _, pred := range preds {
				for _, p := range pred {
					if p == entry.NoVertex {
						p = *x.Predecessors
					}
					rows[at] = uint32(p)
					at++
				}
			}
		}
		return entry.Bytes(rows[:at])
	}
	return x.writeArray(ctx, w, entry.KindI32, l)
}

// writeStoredPredecessors writes the predecessors which the store keeps.
func writeStoredPredecessors(ctx context.Context, x *extract, w io.Writer) error {
	before := entry.NoVertex
	return x.writeArray(ctx, w, entry.KindI32, lines{encode: x.replace(uint32(before), uint32(*x.Predecessors))})
}
