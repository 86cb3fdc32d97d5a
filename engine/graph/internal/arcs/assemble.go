package arcs

import (
	"context"
	"runtime/debug"
	"slices"

	"ooc/engine/internal/pages"
	"ooc/engine/internal/parallel"
)

// rows are arcs in compressed rows: those of row i are Targets[Offsets[i]:Offsets[i+1]], strictly ascending,
// and their words are at the same places.
type rows struct {
	Offsets  []int64
	Targets  []int32
	Words    []uint32
	Parallel int64 // arcs that were merged with a parallel one of smaller or equal weight
}

// assembly turns collected arcs into compressed rows, a bucket of them at a time.
type assembly struct {
	rows
	n       int
	arcs    *Collector
	lighter func(a, b uint32) bool
	first   []int64 // of each bucket, where its arcs begin before parallel ones are merged; then their number
	kept    []int64 // of each bucket, its arcs after that
}

// releaseAbove is the number of arcs from which memory that has served is given back at once: the collector would let
// it stand beside the CSR. Up to there it is 128 MiB at most.
const releaseAbove = 1 << 24

// Rows returns the arcs, which must be between rows, of n rows. It empties c. lighter says of which of two words the
// weight is less.
func (c *Collector) Rows(n int, lighter func(a, b uint32) bool) rows {
	c.sealAll()
	buckets := (n-1)>>c.shift + 1
	c.makeRoom(buckets-1, 0, 0)
	a := &assembly{n: n, arcs: c, lighter: lighter, first: make([]int64, buckets+1), kept: make([]int64, buckets)}
	for i := range buckets {
		a.first[i+1] = a.first[i] + int64(c.buckets[i].arcs())
	}
	all := a.first[buckets]
	if all >= releaseAbove {
		debug.FreeOSMemory()
	}
	a.Offsets, a.Targets, a.Words = make([]int64, n+1), pages.Make[int32](int(all)), pages.Make[uint32](int(all))
	_ = parallel.Do(context.Background(), buckets, func() func(int) error { // there is no error
		var s scratch
		return func(i int) error {
			a.build(i, &s)
			return nil
		}
	}, func() {})
	a.closeGaps()
	return a.rows
}

// scratch is what a goroutine builds the rows of a bucket with, in its processor's cache.
type scratch struct {
	recs  []Arc    // of a chunk
	pairs []uint64 // of each arc by row: its target, and below that its word
	ends  []int    // of each row in pairs
}

// build sorts the rows of a bucket and keeps the lightest of parallel arcs. For the others a gap stays behind the
// bucket's last row.
func (a *assembly) build(i int, s *scratch) {
	b, out := &a.arcs.buckets[i], a.first[i]
	lo := i << a.arcs.shift
	ends := a.Offsets[1:][lo:min(lo+1<<a.arcs.shift, a.n)]
	s.ends = slices.Grow(s.ends[:0], len(ends))[:len(ends)]
	clear(s.ends)
	for _, k := range b.full {
		s.recs = a.arcs.unpack(k, s.recs[:0])
		for _, r := range s.recs {
			s.ends[r.From]++
		}
	}
	sum := 0
	for row, n := range s.ends {
		s.ends[row] = sum
		sum += n
	}
	s.pairs = slices.Grow(s.pairs[:0], sum)[:sum]
	for c, k := range b.full {
		s.recs = a.arcs.unpack(k, s.recs[:0])
		if b.full[c].data = nil; len(a.Words) >= releaseAbove {
			pages.Discard(k.data[:cap(k.data)])
		}
		for _, r := range s.recs {
			to := s.ends[r.From]
			s.ends[r.From] = to + 1
			s.pairs[to] = uint64(r.To)<<32 | uint64(r.Word)
		}
	}
	*b = bucket{}
	from := 0
	for r, to := range s.ends {
		row := s.pairs[from:to]
		from = to
		slices.Sort(row)
		start := out
		for _, p := range row {
			v, w := int32(p>>32), uint32(p)
			if out == start || a.Targets[out-1] != v {
				a.Targets[out], a.Words[out] = v, w
				out++
			} else if a.lighter(w, a.Words[out-1]) {
				a.Words[out-1] = w
			}
		}
		ends[r] = out
	}
	a.kept[i] = out - a.first[i]
}

// closeGaps moves the arcs together where merging has left gaps: to other memory where it left much unused.
func (a *assembly) closeGaps() {
	all, buckets := int64(len(a.Targets)), len(a.kept)
	into := make([]int64, buckets+1) // where the arcs of each bucket go
	for i, kept := range a.kept {
		into[i+1] = into[i] + kept
	}
	end, targets, words := into[buckets], a.Targets, a.Words
	workers, moved := 1, end < all-all/8 // in the same memory, each bucket goes where those before it have been
	if moved {
		targets, words, workers = make([]int32, end), make([]uint32, end), buckets
	}
	_ = parallel.Do(context.Background(), workers, func() func(int) error { // there is no error
		return func(w int) error {
			for i := w; i < buckets; i += workers {
				from, to := a.first[i], into[i]
				if from == to && !moved {
					continue
				}
				copy(targets[to:], a.Targets[from:from+a.kept[i]])
				copy(words[to:], a.Words[from:from+a.kept[i]])
				lo := i << a.arcs.shift
				for r := lo; r < min(lo+1<<a.arcs.shift, a.n); r++ {
					a.Offsets[r+1] -= from - to
				}
			}
			return nil
		}
	}, func() {})
	a.Parallel, a.Targets, a.Words = all-end, targets[:end], words[:end]
}
