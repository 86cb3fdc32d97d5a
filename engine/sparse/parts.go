package sparse

import (
	"errors"
	"fmt"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// ErrParts is wrapped by the error of parts that are not those of an elimination.
var ErrParts = errors.New("these are not the parts of an elimination")

// Restored returns the elimination that has the given parts: vertices and parents by rank, the first ranks being the core, and
// the arcs up and down. It looks at everything but the arcs' ends and weights, which CheckArcs does. What is returned cannot
// fill tiles of the core.
func Restored(v entry.Variant, core int, vertices, parent []int32, up, down *kernels.Arcs) (*Elimination, error) {
	n := len(vertices)
	e := &Elimination{Variant: v, Vertices: vertices, Rank: make([]int32, n), Parent: parent, Up: up, Down: down}
	e.Work = Work{Vertices: n, Eliminated: n - core, Core: core, Fill: int64(len(up.Ends))}
	if core < 0 || core > n || len(parent) != n {
		return nil, fmt.Errorf("%w: a core of %d vertices, %d parents for %d", ErrParts, core, len(parent), n)
	}
	seen := make([]bool, n)
	for r, v := range vertices {
		if v < 0 || int(v) >= n || seen[v] {
			return nil, fmt.Errorf("%w: rank %d is that of vertex %d", ErrParts, r, v)
		}
		seen[v], e.Rank[v] = true, int32(r)
	}
	for r, p := range parent {
		if p != -1 && (int(p) < core || int(p) >= r) {
			return nil, fmt.Errorf("%w: the parent of rank %d is %d", ErrParts, r, p)
		}
	}
	words := v.WeightBytes() / entry.WordBytes
	for _, a := range []*kernels.Arcs{up, down} {
		if len(a.Offsets) != n+1 || a.Offsets[0] != 0 || int(a.Offsets[n]) != len(a.Ends) || len(a.Weights) != words*len(a.Ends) {
			return nil, fmt.Errorf("%w: %d offsets, %d ends, %d words of weights for %d vertices", ErrParts, len(a.Offsets), len(a.Ends), len(a.Weights), n)
		}
		for r := range n {
			if a.Offsets[r] > a.Offsets[r+1] || r < core && a.Offsets[r+1] > 0 {
				return nil, fmt.Errorf("%w: the offsets of rank %d", ErrParts, r)
			}
		}
	}
	return e, nil
}

// CheckArcs fails where an arc of a restored elimination leads to no rank that it may lead to. An Expander needs it to hold.
func (e *Elimination) CheckArcs() error {
	for _, a := range []*kernels.Arcs{e.Up, e.Down} {
		for r := range e.Vertices {
			for _, end := range a.Ends[a.Offsets[r]:a.Offsets[r+1]] {
				if uint32(end) >= uint32(r) {
					return e.BadArc(r, end)
				}
			}
		}
	}
	return nil
}

// BadArc returns the error of an arc that leads to no rank that it may lead to.
func (e *Elimination) BadArc(r int, end int32) error {
	return fmt.Errorf("%w: an arc of rank %d leads to %d", ErrParts, r, end)
}

// Reversed returns the elimination of the graph with all arcs reversed. It shares memory with e.
func (e *Elimination) Reversed() *Elimination {
	return &Elimination{Work: e.Work, Variant: e.Variant, Vertices: e.Vertices, Rank: e.Rank, Parent: e.Parent, Up: e.Down, Down: e.Up}
}

// Reversed returns the closed core of the reversed elimination.
func (c *DenseCore) Reversed() *DenseCore {
	t := &DenseCore{Host: c.Host, Variant: c.Variant, Size: c.Size, Pitch: c.Pitch}
	t.Matrix = entry.As[uint32](make([]uint64, (len(c.Matrix)+1)/2))[:len(c.Matrix)]
	if c.Variant.WeightBytes() == entry.WordBytes {
		transpose(t.Matrix, c.Matrix, c.Size, c.Pitch)
	} else {
		transpose(entry.As[uint64](t.Matrix), entry.As[uint64](c.Matrix), c.Size, c.Pitch)
	}
	return t
}

// transpose sets the first rows and columns of a square of the given pitch to the transpose of another's, in blocks that stay in
// the cache.
func transpose[E uint32 | uint64](dst, src []E, size, pitch int) {
	const edge = 32
	for i := 0; i < size; i += edge {
		for j := 0; j < size; j += edge {
			for r := i; r < min(i+edge, size); r++ {
				for c := j; c < min(j+edge, size); c++ {
					dst[c*pitch+r] = src[r*pitch+c]
				}
			}
		}
	}
}
