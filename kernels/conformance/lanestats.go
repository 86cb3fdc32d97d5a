package conformance

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"testing"

	"ooc/kernels"
	"ooc/kernels/entry"
)

func (b *bench) laneStatsOps(d kernels.LaneStats) {
	for _, v := range entry.Variants {
		b.Run(v.String(), func(t *testing.T) {
			for range draws(15) {
				b.with(t).laneStats(d, v)
			}
		})
	}
	b.Run("BadOperands", func(t *testing.T) { b.with(t).badLaneStats(d) })
}

// laneRows is kernels.LaneRows in host memory.
type laneRows struct {
	width, count int
	rows, names  matrix
}

// answer is the judge of kernels.LaneStats: what it gives is as long as an answer.
func (p *laneRows) answer(v entry.Variant, q kernels.LaneQuestion) []byte {
	memory := entry.Bytes(make([]uint64, entry.CeilDiv(q.Room(v, p.width, len(p.names)).Answer, 8)))
	switch q := q.(type) {
	case kernels.LaneBelow:
		edges, counts := numbers(v, unpack(q.Edges, v.Bytes())), entry.View[int32](memory)
		for l := range p.count {
			lane := p.lane(v, l)
			for j, edge := range edges {
				for _, d := range lane {
					if d < edge {
						counts[j*p.width+l]++
					}
				}
			}
		}
	case kernels.LaneBins:
		edges, counts := numbers(v, unpack(q.Edges, v.Bytes())), entry.View[int64](memory)
		for l := range p.count {
			for _, d := range p.lane(v, l) {
				if !math.IsInf(d, 1) {
					counts[sort.Search(len(edges), func(i int) bool { return d < edges[i] })]++
				}
			}
		}
	case kernels.LaneNearest:
		near := kernels.LaneNearIn(memory)
		for i := range near {
			near[i].Name = -1
		}
		for l := range p.count {
			for i, n := range p.nearest(v, p.lane(v, l), q.K) {
				near[i*p.width+l] = n
			}
		}
	}
	return memory
}

// lane returns the entries of a lane.
func (p *laneRows) lane(v entry.Variant, l int) []float64 {
	x := make([]float64, len(p.names))
	for i := range x {
		x[i] = v.Kind().Value(p.rows[i*p.width+l])
	}
	return x
}

func (p *laneRows) nearest(v entry.Variant, lane []float64, k int) (near []kernels.LaneNear) {
	order := make([]int, 0, len(lane))
	for i, d := range lane {
		if !math.IsInf(d, 1) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(lane[i], lane[j]), cmp.Compare(p.names[i], p.names[j]))
	})
	for _, i := range order[:min(k, len(order))] {
		near = append(near, kernels.LaneNear{Distance: v.Kind().Wide().Bits(lane[i]), Name: int32(p.names[i])})
	}
	return near
}

// laneStats asks about few and many rows, whose entries are drawn from few numbers or from many.
func (b *bench) laneStats(d kernels.LaneStats, v entry.Variant) {
	p := &laneRows{width: kernels.DeviceLaneUnit * (1 + b.IntN(5))}
	p.count = b.IntN(p.width + 1)
	few := make(matrix, 1+b.IntN(40))
	for i := range few {
		few[i] = b.randomEntry(v, i > 0)
	}
	share := []int{0, 1, 20}[b.IntN(3)]
	for range b.IntN([]int{3, 40, 3 * kernels.LaneSumRows}[b.IntN(3)]) {
		p.names = append(p.names, uint64(b.IntN(1000)))
		for range p.width {
			x := few[b.IntN(len(few))]
			if b.IntN(21) < share {
				x = b.randomEntry(v, true)
			}
			p.rows = append(p.rows, x)
		}
	}
	lanes, names := b.uploadAs(p.rows, v.Bytes()), b.upload(p.names)
	edges := func(n int, unreachable bool) []byte {
		m := make(matrix, n)
		for i := range m {
			if m[i] = b.randomEntry(v, unreachable); i > 0 && b.IntN(3) == 0 {
				m[i] = few[0]
			}
		}
		slices.SortFunc(m, func(x, y uint64) int { return cmp.Compare(v.Kind().Value(x), v.Kind().Value(y)) })
		return m.pack(v.Bytes())
	}
	for _, q := range []kernels.LaneQuestion{
		kernels.LaneBelow{Edges: edges(1+b.IntN(10), true)},
		kernels.LaneBins{Edges: edges(b.IntN([]int{3, 100, 30000}[b.IntN(3)]), false)},
		kernels.LaneBins{Edges: b.evenEdges(v)},
		kernels.LaneNearest{K: 1 + b.IntN([]int{3, kernels.MostLaneNear}[b.IntN(2)])},
	} {
		room := q.Room(v, p.width, len(p.names))
		data, _, all := room.Places()
		start := make([]byte, all)
		copy(start[data:], q.Data())
		k := kernels.LaneRows{Lanes: lanes, Width: p.width, Rows: len(p.names), Count: p.count, Names: names, Memory: kernels.Tile{Buf: b.alloc(int64(all))}}
		b.must(b.stream.CopyIn(k.Memory, start))
		b.must(d.LaneStat(b.stream, v, k, q))
		got := entry.Bytes(make([]uint64, entry.CeilDiv(room.Answer, 8)))
		b.done(b.stream.CopyOut(got[:room.Answer], k.Memory))
		b.sameAnswer(v, p, q, got, p.answer(v, q))
	}
}

// evenEdges are between bins of the same width.
func (b *bench) evenEdges(v entry.Variant) []byte {
	width := float64(1 + b.IntN(20))
	m := make(matrix, 1+b.IntN(1000))
	for i := range m {
		m[i] = v.Kind().Bits(float64(i) * width)
	}
	return m.pack(v.Bytes())
}

// sameAnswer compares what answers say of the lanes that are asked about.
func (b *bench) sameAnswer(v entry.Variant, p *laneRows, q kernels.LaneQuestion, got, want []byte) {
	b.Helper()
	differ := func(i int, x, y any) {
		b.Fatalf("%T of %d rows of %d of %d lanes in %v: number %d is %v, want %v", q, len(p.names), p.count, p.width, v, i, x, y)
	}
	switch q.(type) {
	case kernels.LaneBelow:
		for i, w := range entry.View[int32](want) {
			if g := entry.View[int32](got)[i]; i%p.width < p.count && g != w {
				differ(i, g, w)
			}
		}
	case kernels.LaneBins:
		for i, w := range entry.View[int64](want) {
			if g := entry.View[int64](got)[i]; g != w {
				differ(i, g, w)
			}
		}
	case kernels.LaneNearest:
		for i, w := range kernels.LaneNearIn(want) {
			if g := kernels.LaneNearIn(got)[i]; i%p.width < p.count && (g.Name != w.Name || g.Name >= 0 && g.Distance != w.Distance) {
				differ(i, g, w)
			}
		}
	}
}

func (b *bench) badLaneStats(d kernels.LaneStats) {
	type asked struct {
		kernels.LaneRows
		q kernels.LaneQuestion
	}
	const end = 64 * 64 * wordBytes
	tile := func() kernels.Tile { return b.upload(make(matrix, 64*64)) }
	rows := kernels.LaneRows{Lanes: tile(), Width: 64, Rows: 8, Count: 64, Names: tile(), Memory: tile()}
	edges := kernels.LaneBelow{Edges: make([]byte, 4)}
	refused(b, "LaneStat", asked{rows, edges}, func(k asked) error { return d.LaneStat(b.stream, entry.I32, k.LaneRows, k.q) }, map[string]func(k *asked){
		"odd width":    func(k *asked) { k.Width = 60 },
		"more lanes":   func(k *asked) { k.Count = 65 },
		"fewer than 0": func(k *asked) { k.Rows = -1 },
		"past the end": func(k *asked) { k.Rows, k.q = 65, kernels.LaneBins(edges) },
		"no memory":    func(k *asked) { k.Memory.Buf, k.q = nil, kernels.LaneBins(edges) },
		"no alignment": func(k *asked) { k.Memory.Off = 4 },
		"no room":      func(k *asked) { k.Memory.Off, k.q = end-256, kernels.LaneNearest{K: 1} },
		"no names":     func(k *asked) { k.Names.Off, k.q = end-16, kernels.LaneNearest{K: 1} },
		"too many":     func(k *asked) { k.q = kernels.LaneNearest{K: kernels.MostLaneNear + 1} },
		"none":         func(k *asked) { k.q = kernels.LaneNearest{} },
		"no question":  func(k *asked) { k.q = nil },
	})
}

// LaneStat implements kernels.LaneStats.
func (d plainLaneOps) LaneStat(s kernels.Stream, v entry.Variant, l kernels.LaneRows, q kernels.LaneQuestion) error {
	x := &transfer{s: s}
	p := laneRows{width: l.Width, count: l.Count, rows: x.in(l.Lanes, l.Rows*l.Width, v.Bytes()), names: x.in(l.Names, l.Rows, wordBytes)}
	if x.err != nil {
		return x.err
	}
	return x.out(l.Memory, unpack(p.answer(v, q)[:q.Room(v, l.Width, l.Rows).Answer], 1), 1)
}
