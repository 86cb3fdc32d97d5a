package conformance

import (
	"cmp"
	"fmt"
	"slices"
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

// laneStats asks every question about some rows, of edges that entries lie on, and of some between which all bins are
// as wide.
func (b *bench) laneStats(d kernels.LaneStats, v entry.Variant) {
	r, list := b.newLaneRows(v)
	edges := func(n int, unreachable bool) []byte {
		m := b.entries(v, n, many, unreachable)
		for i := range m {
			if i > 0 && b.IntN(3) == 0 {
				m[i] = list[0]
			}
		}
		slices.SortFunc(m, func(x, y uint64) int { return cmp.Compare(v.Kind().Value(x), v.Kind().Value(y)) })
		return m.pack(v.Bytes())
	}
	even, width := make(matrix, 1+b.IntN(1000)), float64(1+b.IntN(20))
	for i := range even {
		even[i] = v.Kind().Bits(float64(i) * width)
	}
	for _, q := range []kernels.LaneQuestion{
		kernels.LaneBelow{Edges: edges(1+b.IntN(10), true)},
		kernels.LaneBins{Edges: edges(b.IntN([]int{3, 100, 30000}[b.IntN(3)]), false)},
		kernels.LaneBins{Edges: even.pack(v.Bytes())},
		kernels.LaneNearest{K: 1 + b.IntN([]int{3, kernels.MostLaneNear}[b.IntN(2)])},
	} {
		got, want := b.answers(d, v, r, q), b.answers(laneJudge{b.device}, v, r, q)
		_, ofAll := q.(kernels.LaneBins)
		for i, w := range want {
			if (ofAll || i%r.Width < r.Count) && got[i] != w {
				b.Fatalf("%T, %+v in %v: number %d is %v, want %v", q, r, v, i, got[i], w)
			}
		}
	}
}

// answers are the numbers of an answer.
func (b *bench) answers(d kernels.LaneStats, v entry.Variant, r kernels.LaneRows, q kernels.LaneQuestion) (list []any) {
	b.Helper()
	room := q.Room(v, r.Width, r.Rows)
	data, _, all := room.Places()
	start := make([]byte, all)
	copy(start[data:], q.Data())
	r.Memory = kernels.Tile{Buf: b.alloc(int64(all))}
	b.must(b.stream.CopyIn(r.Memory, start))
	b.must(d.LaneStat(b.stream, v, r, q))
	memory := entry.Bytes(make([]uint64, entry.CeilDiv(room.Answer, 8)))
	b.done(b.stream.CopyOut(memory[:room.Answer], r.Memory))
	switch q.(type) {
	case kernels.LaneBelow:
		for _, n := range entry.View[int32](memory) {
			list = append(list, n)
		}
	case kernels.LaneBins:
		for _, n := range entry.View[int64](memory) {
			list = append(list, n)
		}
	case kernels.LaneNearest:
		for _, n := range kernels.LaneNearIn(memory) {
			if n.Name < 0 {
				n.Distance = 0 // it means nothing
			}
			list = append(list, n)
		}
	}
	return list
}

func (b *bench) badLaneStats(d kernels.LaneStats) {
	tile := func() kernels.Tile { return b.upload(make(matrix, 64*64)) }
	room := b.upload(make(matrix, 1<<17)) // for more near ones than are listed
	rows := kernels.LaneRows{Lanes: tile(), Width: 64, Rows: 20, Count: 64, Names: tile(), Memory: room}
	ask := func(q kernels.LaneQuestion) laneOperation[kernels.LaneStats, kernels.LaneRows] {
		return func(d kernels.LaneStats, s kernels.Stream, v entry.Variant, r kernels.LaneRows) error {
			return d.LaneStat(s, v, r, q)
		}
	}
	refused(b, d, rows, ask(kernels.LaneNearest{K: 1}))
	results := map[string]error{}
	tooMany := kernels.LaneNearest{K: kernels.MostLaneNear + 1}
	for _, q := range []kernels.LaneQuestion{tooMany, kernels.LaneNearest{}, nil} {
		results[fmt.Sprintf("the question %T %+v", q, q)] = d.LaneStat(b.stream, entry.I32, rows, q)
	}
	b.wantErrors(results)
	rows.Names = kernels.Tile{} // are not looked at
	refused(b, d, rows, ask(kernels.LaneBelow{Edges: make([]byte, 4)}))
	refused(b, d, rows, ask(kernels.LaneBins{Edges: make([]byte, 4)}))
}
