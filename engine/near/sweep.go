package near

import (
	"math"
	"slices"
)

// buckets hold vertices by their distance while a worker sweeps. A vertex whose distance falls is put into another
// bucket too, or into the same again.
type buckets[D number] struct {
	heads   []int32 // of each bucket, the place of its last entry; -1: it is empty
	entries []entryOf[D]
	per     float64 // buckets for a distance of 1
}

type entryOf[D number] struct {
	vertex, next int32 // next is the place of the one before it in the bucket, or -1
	distance     D     // when it was put there; a greater one than the vertex has is of no use
}

// A bucket is narrower than most arcs, so that few vertices are taken out of one and then fall within it. All of them
// are looked at for each row, so there must not be too many.
const (
	bucketsAnArc = 8
	mostBuckets  = 4096
)

// sweeps reports whether buckets are good for the question.
func (w *worker[D, W]) sweeps() bool {
	return w.potential == nil && w.k == w.n && float64(w.last)*bucketsAnArc < mostBuckets*w.mean &&
		bucketsAnArc/w.mean <= math.MaxFloat64
}

// newBuckets makes buckets for distances up to last, where arcs have a mean weight.
func newBuckets[D number](last D, mean float64) buckets[D] {
	count := int(float64(last)*bucketsAnArc/mean) + 2
	return buckets[D]{heads: slices.Repeat([]int32{-1}, count), per: bucketsAnArc / mean}
}

// sweep is search where no weight is negative and all that is within the limit is wanted, so that the order in which
// vertices come does not matter. It takes bucket after bucket, and each until nothing falls into it any more (U.
// Meyer and P. Sanders, Δ-stepping: a parallelizable shortest path algorithm, 2003).
func (w *worker[D, W]) sweep(source int32) error {
	b := &w.buckets
	if b.heads == nil {
		*b = newBuckets(w.last, w.mean)
	}
	b.entries = append(b.entries[:0], entryOf[D]{source, -1, 0})
	b.heads[0] = 0
	for at := range b.heads {
		steps := 0
		for b.heads[at] >= 0 {
			e := b.heads[at]
			b.heads[at] = -1
			for e >= 0 {
				x := b.entries[e]
				e = x.next
				if x.distance > w.dist[x.vertex] {
					continue
				}
				w.reached = append(w.reached, x.vertex)
				steps += w.spread(x.vertex, x.distance)
			}
		}
		if err := w.poll.After(int64(steps)); err != nil {
			w.buckets = buckets[D]{} // the others are not empty
			return err
		}
	}
	return nil
}

// spread relaxes the arcs of a vertex, and returns how many there are. Whether an arc shortens a path cannot be
// foreseen, so no branch depends on it: an entry is written for every arc, and the next one takes its place if the
// arc shortens none.
func (w *worker[D, W]) spread(v int32, d D) int {
	arcs, b := w.arcs[w.first[v]:w.first[v+1]], &w.buckets
	last, dist, heads, per := w.last, w.dist, b.heads, b.per
	n := int32(len(b.entries))
	entries := slices.Grow(b.entries, len(arcs))[:int(n)+len(arcs)]
	for _, a := range arcs {
		to := d + D(a.weight)
		if to > last {
			break // they ascend
		}
		was, at := dist[a.to], int(float64(to)*per)
		head := heads[at]
		entries[n] = entryOf[D]{a.to, head, to}
		dist[a.to] = min(to, was)
		next, kept := n, int32(1) // two conditions, since the compiler makes a branch of one with both assignments
		if to >= was {
			next = head
		}
		if to >= was {
			kept = 0
		}
		heads[at] = next
		n += kept
	}
	b.entries = entries[:n]
	return len(arcs)
}
