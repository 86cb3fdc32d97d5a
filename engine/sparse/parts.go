package sparse

import (
	"errors"
	"fmt"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// ErrParts is wrapped by the error of parts that are not those of an elimination.
var ErrParts = errors.New("these are not the parts of an elimination")

// Restored returns the elimination that has the given parts: vertices and parents by rank, the first ranks being the
// core, and the lists and weights of the arcs up and down. It looks at everything but the arcs' ends and weights.
// What is returned has no Up.Ends and Down.Ends before ListEnds, and cannot fill tiles of the core.
func Restored(v entry.Variant, core int, vertices, parent []int32, up, down *Lists, upWeights,
	downWeights []uint32) (*Elimination, error) {
	n := len(vertices)
	e := &Elimination{Variant: v, Vertices: vertices, Rank: make([]int32, n), Parent: parent, upLists: up,
		downLists: down}
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
	var err error
	if e.Up, err = restoredArcs(v, core, n, up, upWeights); err != nil {
		return nil, err
	}
	if e.Down = e.Up; down != up || unsafe.SliceData(upWeights) != unsafe.SliceData(downWeights) {
		if e.Down, err = restoredArcs(v, core, n, down, downWeights); err != nil {
			return nil, err
		}
	}
	e.Work = Work{Vertices: n, Eliminated: n - core, Core: core, Fill: int64(up.Offsets[n])}
	return e, nil
}

// restoredArcs returns the arcs of some lists, without their ends.
func restoredArcs(v entry.Variant, core, n int, l *Lists, weights []uint32) (*kernels.Arcs, error) {
	words := v.WeightBytes() / entry.WordBytes
	if len(l.Offsets) != n+1 || l.Offsets[0] != 0 || len(weights) != words*int(l.Offsets[n]) {
		return nil, fmt.Errorf("%w: %d offsets, %d words of weights for %d vertices", ErrParts, len(l.Offsets),
			len(weights), n)
	}
	for r := range n {
		if l.Offsets[r] > l.Offsets[r+1] || r < core && l.Offsets[r+1] > 0 {
			return nil, fmt.Errorf("%w: the offsets of rank %d", ErrParts, r)
		}
	}
	return &kernels.Arcs{Offsets: l.Offsets, Weights: weights}, l.check()
}

// ListEnds makes Up.Ends and Down.Ends of a restored elimination, which an Expander needs. It fails where an arc
// leads to no rank that it may lead to. Call it once, before the elimination is shared.
func (e *Elimination) ListEnds() (err error) {
	if e.Up.Ends, err = e.upLists.expand(); err != nil || e.Down == e.Up {
		return err
	}
	if e.Down.Ends = e.Up.Ends; e.downLists != e.upLists {
		e.Down.Ends, err = e.downLists.expand()
	}
	return err
}

// Reversed returns the elimination of the graph with all arcs reversed. It shares memory with e.
func (e *Elimination) Reversed() *Elimination {
	up, down := e.Lists()
	return &Elimination{Work: e.Work, Variant: e.Variant, Vertices: e.Vertices, Rank: e.Rank, Parent: e.Parent,
		Up: e.Down, Down: e.Up,
		upLists: down, downLists: up}
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

// transpose sets the first rows and columns of a square of the given pitch to the transpose of another's, in blocks
// that stay in the cache.
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
