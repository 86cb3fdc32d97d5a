package conformance

import (
	"fmt"
	"math"

	"ooc/kernels"
)

// pathLanes are those of a kernels.PathSearch.
const pathLanes = 64

// pathOps adds up in graphs with hubs and without, with many ways and with long ones.
func (b *bench) pathOps(d kernels.PathOps) {
	for i := range draws(60) {
		b.pathSums(d, 8<<(i%4))
	}
	b.badPaths(d)
}

// pathSearch is a search of a random graph in device memory.
func (b *bench) pathSearch(unit int) kernels.PathSearch {
	var g kernels.BitSearch
	if b.IntN(5) == 0 {
		g = b.layers()
	} else {
		g = b.bitGraph(kernels.BitLanes[0])
	}
	// The arcs the other way, in any order.
	into, from := b.download(g.Offsets, g.Vertices+1), b.download(g.Ends, g.Arcs)
	out := make([][]uint64, g.Vertices)
	for v := range g.Vertices {
		for _, u := range from[into[v]:into[v+1]] {
			out[u] = append(out[u], uint64(v))
		}
	}
	offsets, ends, ending := matrix{0}, matrix{}, make(matrix, g.Vertices)
	for v, all := range out {
		b.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		ends = append(ends, all...)
		offsets = append(offsets, uint64(len(ends)))
		ending[v] = math.Float64bits(float64(min(1, b.IntN(4))))
	}
	return kernels.PathSearch{Vertices: g.Vertices, Arcs: g.Arcs, Offsets: b.upload(offsets), Ends: b.upload(ends),
		Into: g.Offsets, From: g.Ends, Ending: b.uploadAs(ending, 8), Sources: g.Sources,
		Count: min(g.Count, pathLanes), Unit: unit, Levels: 1 + b.IntN(200), Endpoints: b.IntN(2) == 0, Edges: b.IntN(2) == 0}
}

// layers is a graph of layers, in which each vertex has arcs to all of the next one: up to 4^30 paths, or 2⁵³.
func (b *bench) layers() kernels.BitSearch {
	deep, wide := 1+b.IntN(31), 1+b.IntN(4)
	if b.IntN(2) == 0 {
		deep, wide = 55, 2
	}
	offsets, ends, sources := matrix{0}, matrix{}, matrix{}
	for v := range deep * wide {
		for u := v/wide*wide - wide; u >= 0 && u < v/wide*wide; u++ {
			ends = append(ends, uint64(u))
		}
		offsets = append(offsets, uint64(len(ends)))
	}
	for _, v := range b.Perm(deep * wide)[:min(deep*wide, 1+b.IntN(pathLanes))] {
		sources = append(sources, uint64(v))
	}
	return kernels.BitSearch{Vertices: deep * wide, Arcs: len(ends), Offsets: b.upload(offsets), Ends: b.upload(ends),
		Sources: b.upload(sources), Count: len(sources)}
}

func (b *bench) pathSums(d kernels.PathOps, unit int) {
	b.Helper()
	p := b.pathSearch(unit)
	p.Memory = b.uploadAs(b.garbage(int(d.PathRoom(p))/8+1, 8), 8)
	words := int(p.SumBytes() / 8)
	p.Sums = b.uploadAs(make(matrix, words), 8)
	b.must(newBitJudge(b.device).PathSums(b.stream, p))
	want := b.downloadAs(p.Sums, words, 8)
	for range 2 { // the second search is in what the first has left
		p.Sums = b.uploadAs(b.garbage(words, 8), 8)
		b.must(d.PathSums(b.stream, p))
		each := (words - 1) / (pathLanes / unit)
		for i, got := range b.downloadAs(p.Sums, words, 8) {
			failed := i > 0 && want[0]>>((i-1)/each*unit)&(1<<unit-1) != 0
			if got != want[i] && !failed {
				b.Fatalf("%+v: word %d of %d is %x, %g, want %x, %g", p, i, words, got, math.Float64frombits(got),
					want[i], math.Float64frombits(want[i]))
			}
		}
	}
}

// badPaths wants errors of operands that are not there, and of numbers that are wrong.
func (b *bench) badPaths(d kernels.PathOps) {
	good := b.pathSearch(8)
	good.Memory, good.Sums = kernels.Tile{Buf: b.alloc(d.PathRoom(good))}, kernels.Tile{Buf: b.alloc(good.SumBytes())}
	errs := map[string]error{}
	for i, spoil := range []func(p *kernels.PathSearch){
		func(p *kernels.PathSearch) { p.Vertices = 0 },
		func(p *kernels.PathSearch) { p.Vertices = 1 << 20 },
		func(p *kernels.PathSearch) { p.Arcs = -1 },
		func(p *kernels.PathSearch) { p.Arcs = 1 << 31 },
		func(p *kernels.PathSearch) { p.Count = -1 },
		func(p *kernels.PathSearch) { p.Count = pathLanes + 1 },
		func(p *kernels.PathSearch) { p.Unit = 0 },
		func(p *kernels.PathSearch) { p.Unit = 4 },
		func(p *kernels.PathSearch) { p.Unit = 24 },
		func(p *kernels.PathSearch) { p.Unit = 128 },
		func(p *kernels.PathSearch) { p.Levels = 0 },
		func(p *kernels.PathSearch) { p.Levels = 1 << 20 },
		func(p *kernels.PathSearch) { p.Offsets = kernels.Tile{} },
		func(p *kernels.PathSearch) { p.Ends = kernels.Tile{} },
		func(p *kernels.PathSearch) { p.Into = kernels.Tile{} },
		func(p *kernels.PathSearch) { p.From = kernels.Tile{} },
		func(p *kernels.PathSearch) { p.Ending = kernels.Tile{} },
		func(p *kernels.PathSearch) { p.Sources = kernels.Tile{} },
		func(p *kernels.PathSearch) { p.Memory = kernels.Tile{} },
		func(p *kernels.PathSearch) { p.Memory.Off = 4 },
		func(p *kernels.PathSearch) { p.Sums = kernels.Tile{} },
		func(p *kernels.PathSearch) { p.Sums.Off = 8 },
	} {
		p := good
		spoil(&p)
		errs[fmt.Sprintf("betweenness %d", i)] = d.PathSums(b.stream, p)
	}
	b.wantErrors(errs)
}

// PathRoom implements kernels.PathOps.
func (*bitJudge) PathRoom(p kernels.PathSearch) int64 {
	return int64(p.Vertices) * int64(p.Levels+8*pathLanes)
}

// PathSums implements kernels.PathOps: one lane after another, which are then added up in the order that is wanted.
func (d *bitJudge) PathSums(s kernels.Stream, p kernels.PathSearch) error {
	x, n := &transfer{s: s}, p.Vertices
	offsets, ends := x.in(p.Offsets, n+1, wordBytes), x.in(p.Ends, p.Arcs, wordBytes)
	ending, sources := x.in(p.Ending, n, 8), x.in(p.Sources, p.Count, wordBytes)
	if x.err != nil {
		return x.err
	}
	sums := make(matrix, p.SumBytes()/8)
	each := (len(sums) - 1) / (pathLanes / p.Unit)
	add := func(at int, y float64) { sums[at] = math.Float64bits(math.Float64frombits(sums[at]) + y) }
	for lo := 0; lo < p.Count; lo += p.Unit {
		lanes := make([]pathLane, min(p.Unit, p.Count-lo))
		deepest, fails := 0, false
		for i := range lanes {
			if lanes[i] = newPathLane(offsets, ends, ending, int(sources[lo+i])); lanes[i].fails(p.Levels) {
				sums[0] |= 1 << (lo + i)
				fails = true
			}
			deepest = max(deepest, len(lanes[i].at)-1)
		}
		if fails {
			continue
		}
		first, total, count := 1+lo/p.Unit*each, make([]float64, n), make([]float64, n)
		for level := deepest; level >= 0; level-- {
			var some []int // at that level
			for _, l := range lanes {
				for _, v := range l.at[min(level, len(l.at)-1)] {
					if count[v] == 0 {
						some = append(some, v)
					}
					total[v] += l.depend[v]
					count[v]++
				}
			}
			for _, v := range some {
				switch {
				case level > 0 && p.Endpoints:
					add(first+v, total[v]+count[v])
				case level > 0:
					add(first+v, total[v])
				case p.Endpoints:
					add(first+v, math.Round(total[v]))
				}
				total[v], count[v] = 0, 0
				for k := int(offsets[v]); k < int(offsets[v+1]) && p.Edges; k++ {
					through := 0.0
					for _, l := range lanes {
						if l.level[v] == level && l.level[ends[k]] == level+1 {
							through += float64(l.count[v] * l.wants[ends[k]])
						}
					}
					add(first+n+k, through)
				}
			}
		}
	}
	return x.out(p.Sums, sums, 8)
}

// pathLane is what there is of one source.
type pathLane struct {
	at                   [][]int // vertices, by level
	level                []int   // of each vertex; -1: there is none
	count, depend, wants []float64
}

func newPathLane(offsets, ends, ending matrix, source int) pathLane {
	n := len(offsets) - 1
	l := pathLane{at: [][]int{{source}}, level: make([]int, n), count: make([]float64, n), depend: make([]float64, n),
		wants: make([]float64, n)}
	for v := range l.level {
		l.level[v] = -1
	}
	l.level[source], l.count[source] = 0, 1
	for level := 1; len(l.at[level-1]) > 0; level++ {
		var found []int
		for _, v := range l.at[level-1] {
			for _, u := range ends[offsets[v]:offsets[v+1]] {
				if l.level[u] < 0 {
					l.level[u] = level
					found = append(found, int(u))
				}
				if l.level[u] == level {
					l.count[u] += l.count[v]
				}
			}
		}
		l.at = append(l.at, found)
	}
	for level := len(l.at) - 1; level >= 0; level-- {
		for _, v := range l.at[level] {
			sum := 0.0
			for _, u := range ends[offsets[v]:offsets[v+1]] {
				if l.level[u] == level+1 {
					sum += l.wants[u]
				}
			}
			l.depend[v] = float64(l.count[v] * sum)
			l.wants[v] = (math.Float64frombits(ending[v]) + l.depend[v]) / l.count[v]
		}
	}
	return l
}

// fails reports whether there is a vertex at a level, or one with too many paths.
func (l *pathLane) fails(levels int) bool {
	for _, c := range l.count {
		if c >= 1<<53 {
			return true
		}
	}
	return len(l.at)-1 > levels
}
