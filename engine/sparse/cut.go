package sparse

import (
	"math"
	"slices"

	"ooc/kernels/entry"
)

// piece is a range of ranks: a subtree of the elimination forest, or a few that follow one another. All arcs up that
// leave it lead to its boundary, ascending ranks that are in no piece.
type piece struct {
	first, last int32
	boundary    []int32
}

func (p piece) size() int { return int(p.last-p.first) + 1 }

// cost is the time of one product with the piece, in relaxations per source.
func (p piece) cost() float64 { return pieceCost(p.size(), len(p.boundary)) }

func pieceCost(size, boundary int) float64 {
	return float64(entry.RoundUp(size, PieceUnit) * (boundary + blockStart))
}

// cut is a way to cut the forest into pieces. Its boundaries are ranks of a layout without pieces; first and last
// count only the ranks in pieces.
type cut struct {
	most   int32 // vertices of a subtree in a piece
	pieces []piece
	upper  int     // ranks in no piece
	fill   int64   // arcs up from these
	cost   float64 // of all products with pieces, per source
}

const (
	// blockStart is how many ranks of the boundary more would take as long as it takes to begin and end a product,
	// row by row.
	blockStart = 4
	// The others are times, too, in relaxations by an arc of a device, of which a product takes one for blockGain.
	// They are those of an H200 and 16 cores. They are constants and not measured, so that the elimination of a graph
	// is the same in every run.
	blockGain = 15
	hostGain  = 8   // of a relaxation by an arc of the processor
	copyGain  = 350 // of a distance that is copied to the device
)

// pieceSizes are the sizes of pieces that are tried: at most so many vertices.
var pieceSizes = []int{32, 64, 128, 256, 512, 1024, 2048, 4096}

// bestCut returns the cut with which a device takes the least time for all rows, nil if the processor is faster by
// arcs one by one. size is that of each rank's subtree.
func (l *layout) bestCut(o *Order, w Work, size []int32, how Cutting) (best *cut) {
	if len(how.Sizes) == 0 {
		return nil
	}
	sources := float64(w.Sources)
	cross := w.Cross / sources / blockGain
	least := hostGain * (float64(w.Fill) + cross)
	if len(how.Sizes) == 1 { // asked for
		least = math.Inf(1)
	}
	cuts := make([]*cut, len(how.Sizes))
	together(len(cuts), func(i int) { cuts[i] = l.cut(o, size, int32(how.Sizes[i])) })
	for _, c := range cuts {
		upper := float64(c.upper)
		if len(c.pieces) == 0 || max(upper*upper, entries(c.pieces)) > float64(how.MostUpper)*float64(how.MostUpper) ||
			entries(c.pieces)/PieceUnit > math.MaxInt32 {
			continue
		}
		perSource := (c.cost+c.reached()*upper)/blockGain +
			upper*(copyGain*upper+hostGain*(float64(c.fill)+cross))/sources
		if perSource < least {
			best, least = c, perSource
		}
	}
	return best
}

// entries is how many there are in Pieces.Down and Up, and in all that Elimination.Inside returns, of a directed graph.
func entries(pieces []piece) (sum float64) {
	for _, p := range pieces {
		sum += float64(entry.RoundUp(p.size(), PieceUnit)) * float64(p.size()+2*len(p.boundary))
	}
	return sum
}

// batchSources is how many sources a device takes at a time.
const batchSources = 512

// reached is how many ranks are in the boundaries of the pieces of a batch of sources.
func (c *cut) reached() float64 {
	vertices, boundary := 0.0, 0.0
	for _, p := range c.pieces {
		vertices += float64(p.size())
		boundary += float64(p.size()) * float64(len(p.boundary))
	}
	neighbours := batchSources / 2 / (vertices / float64(len(c.pieces))) // that share half of their boundaries
	return boundary / vertices * (1 + neighbours)
}

// cut takes the largest subtrees of at most so many vertices as pieces, and joins neighbours as long as that makes the
// products cheaper.
func (l *layout) cut(o *Order, size []int32, most int32) *cut {
	c := &cut{most: most, upper: l.core}
	var boundaries []int32
	for r := int32(l.core); int(r) < l.n; {
		row := o.row(o.position[l.vertices[r]])
		if size[r] > most {
			c.upper++
			c.fill += int64(len(row))
			r++
			continue
		}
		at := len(boundaries)
		for _, x := range row {
			boundaries = append(boundaries, l.rank[o.Vertices[x]])
		}
		first := r - int32(c.upper)
		p := piece{first, first + size[r] - 1, boundaries[at:len(boundaries):len(boundaries)]}
		slices.Sort(p.boundary)
		if !c.join(p, most) {
			c.pieces = append(c.pieces, p)
		}
		r += size[r]
	}
	for _, p := range c.pieces {
		c.cost += p.cost()
	}
	return c
}

// join adds p to the last piece, if one product is cheaper than two.
func (c *cut) join(p piece, most int32) bool {
	if len(c.pieces) == 0 {
		return false
	}
	q := &c.pieces[len(c.pieces)-1]
	size := p.size() + q.size()
	if size > int(most) || pieceCost(size, max(len(p.boundary), len(q.boundary))) > p.cost()+q.cost() {
		return false
	}
	both := slices.Concat(q.boundary, p.boundary)
	slices.Sort(both)
	if both = slices.Compact(both); pieceCost(size, len(both)) <= p.cost()+q.cost() {
		q.last, q.boundary = p.last, both
		return true
	}
	return false
}

// adopt renumbers the ranks: those of the pieces follow all others.
func (l *layout) adopt(c *cut, size []int32) {
	before := slices.Clone(l.vertices)
	l.upper, l.pieces = c.upper, c.pieces
	upper, inside := int32(l.core), int32(c.upper)
	for r := l.core; r < l.n; r++ {
		at := &inside
		if size[r] > c.most {
			at = &upper
		}
		l.vertices[*at], l.rank[before[r]] = before[r], *at
		*at++
	}
	for i := range l.pieces {
		p := &l.pieces[i]
		p.first, p.last = p.first+int32(c.upper), p.last+int32(c.upper)
		for k, r := range p.boundary {
			p.boundary[k] = l.rank[before[r]]
		}
	}
}
