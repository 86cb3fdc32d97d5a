package conformance

import (
	"fmt"
	"math"
	"slices"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// searchOps searches graphs with hubs and without, with weights of 0, some, and such that distances are near the
// greatest that there are, and wants the judge's distances.
func (b *bench) searchOps(d kernels.SearchOps) {
	for _, kind := range entry.Kinds {
		for range draws(25) {
			b.laneSearch(d, kind.Variant(false))
		}
	}
	b.badSearches(d)
}

// searchGraph is a random graph in device memory, and lanes and memory of any content, with all that a search is told.
func (b *bench) searchGraph(v entry.Variant) kernels.LaneSearch {
	n := 1 + b.IntN([]int{3, 100, 300}[b.IntN(3)])
	into := make([][]uint64, n)
	near := 1 + b.IntN(n) // how far apart the ends of most arcs are
	for range b.IntN(6 * n) {
		u := b.IntN(n)
		into[u] = append(into[u], uint64(max(0, u-b.IntN(near))))
	}
	if hub := b.IntN(n); b.IntN(2) == 0 {
		for range b.IntN(600) {
			into[hub] = append(into[hub], uint64(b.IntN(n)))
			u := b.IntN(n)
			into[u] = append(into[u], uint64(hub))
		}
	}
	longest := min(v.Kind().Value(v.Unreachable()-1), math.MaxFloat32)
	most := []float64{1, 1000, longest / 20}[b.IntN(3)]
	var pieces, ends, weights matrix
	for row, from := range into {
		each := 1 + b.IntN(100)
		first, shared := len(ends), uint64(0)
		if len(from) > each {
			shared = 1
		}
		for range from {
			w := math.Floor(b.Float64() * most * float64(b.IntN(2)))
			if weights = append(weights, encode(v, w)); b.IntN(50) == 0 {
				weights[len(weights)-1] = v.Unreachable()
			}
		}
		ends = append(ends, from...)
		for ; first < len(ends); first += each {
			pieces = append(pieces, uint64(row), uint64(first), uint64(min(first+each, len(ends))), shared)
		}
	}
	width := kernels.DeviceLaneUnit * []int{1 + b.IntN(3), 1 + b.IntN(12)}[b.IntN(2)]
	sources := make(matrix, b.IntN(width+1))
	for i := range sources {
		sources[i] = uint64(b.IntN(n))
	}
	size := v.Bytes()
	return kernels.LaneSearch{Lanes: b.uploadAs(b.garbage(n*width, size), size), Width: width, Rows: n,
		Sources: b.upload(sources), Count: len(sources), Pieces: b.upload(pieces), PieceCount: len(pieces) / 4,
		Ends: b.upload(ends), Weights: b.uploadAs(weights, v.WeightBytes()), Arcs: len(ends),
		Near: []float64{0, most * b.Float64(), math.MaxFloat64}[b.IntN(3)], Memory: b.searchMemory(n)}
}

func (b *bench) searchMemory(rows int) kernels.Tile {
	return b.uploadAs(b.garbage(5*rows+1024, 1), 1)
}

func (b *bench) laneSearch(d kernels.SearchOps, v entry.Variant) {
	b.Helper()
	l := b.searchGraph(v)
	count, size := l.Rows*l.Width, v.Bytes()
	for range 2 { // the second search is in what the first has left
		most := 2*count + 10 // times; each lowers something
		for l.Fresh = true; l.Fresh || b.download(l.Memory, 1)[0] != math.MaxInt32; l.Fresh = false {
			b.must(d.LaneSearch(b.stream, v, l))
			if most--; most < 0 {
				b.Fatalf("%v, %d vertices, %d arcs: the search does not end", v, l.Rows, l.Arcs)
			}
		}
		got := b.downloadAs(l.Lanes, count, size)
		l.Fresh = true
		b.must(laneJudge{b.device}.LaneSearch(b.stream, v, l))
		b.same(v, fmt.Sprintf("%d vertices, %d arcs, %d of %d lanes", l.Rows, l.Arcs, l.Count, l.Width), got,
			b.downloadAs(l.Lanes, count, size))
		sources := make(matrix, l.Count)
		for i := range sources {
			sources[i] = uint64(b.IntN(l.Rows))
		}
		l.Sources = b.upload(sources)
	}
}

// badSearches wants errors of operands that are not there, and of numbers that are wrong.
func (b *bench) badSearches(d kernels.SearchOps) {
	good := b.searchGraph(entry.I32)
	for good.Rows < 100 || good.Arcs < 100 || good.Count < 10 {
		good = b.searchGraph(entry.I32)
	}
	good.Fresh = true
	b.must(d.LaneSearch(b.stream, entry.I32, good))
	errs := map[string]error{"signed": d.LaneSearch(b.stream, entry.I32Signed, good)}
	for i, spoil := range []func(l *kernels.LaneSearch){
		func(l *kernels.LaneSearch) { l.Width = 32 },
		func(l *kernels.LaneSearch) { l.Width = 1 << 15 }, // for which there is no memory
		func(l *kernels.LaneSearch) { l.Rows = -1 },
		func(l *kernels.LaneSearch) { l.Rows = 1 << 20 },
		func(l *kernels.LaneSearch) { l.Count = -1 },
		func(l *kernels.LaneSearch) { l.Count = l.Width + 1 },
		func(l *kernels.LaneSearch) { l.PieceCount = -1 },
		func(l *kernels.LaneSearch) { l.PieceCount = 1 << 20 },
		func(l *kernels.LaneSearch) { l.Arcs = -1 },
		func(l *kernels.LaneSearch) { l.Arcs = 1 << 20 },
		func(l *kernels.LaneSearch) { l.Near = -1 },
		func(l *kernels.LaneSearch) { l.Near = math.NaN() },
		func(l *kernels.LaneSearch) { l.Lanes = kernels.Tile{} },
		func(l *kernels.LaneSearch) { l.Lanes.Off = 4 },
		func(l *kernels.LaneSearch) { l.Sources = kernels.Tile{} },
		func(l *kernels.LaneSearch) { l.Pieces = kernels.Tile{} },
		func(l *kernels.LaneSearch) { l.Ends = kernels.Tile{} },
		func(l *kernels.LaneSearch) { l.Weights = kernels.Tile{} },
		func(l *kernels.LaneSearch) { l.Memory = kernels.Tile{} },
		func(l *kernels.LaneSearch) { l.Memory.Off = 1020 },
	} {
		l := good
		spoil(&l)
		errs[fmt.Sprintf("search %d", i)] = d.LaneSearch(b.stream, entry.I32, l)
	}
	b.wantErrors(errs)
}

// LaneSearch implements kernels.SearchOps: it lowers rows by the arcs from rows that have fallen,
// until none does.
func (d laneJudge) LaneSearch(s kernels.Stream, v entry.Variant, l kernels.LaneSearch) error {
	x := &transfer{s: s}
	pieces, ends := x.in(l.Pieces, 4*l.PieceCount, wordBytes), x.in(l.Ends, l.Arcs, wordBytes)
	weights, sources := x.in(l.Weights, l.Arcs, v.WeightBytes()), x.in(l.Sources, l.Count, wordBytes)
	m := lanes{width: l.Width, rows: make(matrix, l.Rows*l.Width)}
	entry.Fill(m.rows, v.Unreachable())
	was, fallen := make([]bool, l.Rows), make([]bool, l.Rows) // in the pass before, and in this one
	for lane, row := range sources {
		m.row(int(row))[lane], fallen[row] = 0, true
	}
	for before := make(matrix, l.Width); slices.Contains(fallen, true); {
		was, fallen = fallen, was
		clear(fallen)
		for at := 0; at < len(pieces); at += 4 {
			row := m.row(int(pieces[at]))
			copy(before, row)
			for k := pieces[at+1]; k < pieces[at+2]; k++ {
				if was[ends[k]] || fallen[ends[k]] {
					lowerAll(v, row, m.row(int(ends[k])), weights[k])
				}
			}
			fallen[pieces[at]] = fallen[pieces[at]] || !slices.Equal(row, before)
		}
	}
	x.err = x.out(l.Lanes, m.rows, v.Bytes())
	return x.out(l.Memory, matrix{math.MaxInt32}, wordBytes)
}
