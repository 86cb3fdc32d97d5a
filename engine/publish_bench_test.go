package engine

import (
	"fmt"
	"testing"

	"ooc/stream"
)

// BenchmarkPublish tells once how a solve of a grid of tiles is doing, which happens four times a second.
func BenchmarkPublish(b *testing.B) {
	for _, side := range []int{16, 64, 800} {
		b.Run(fmt.Sprintf("side=%d", side), func(b *testing.B) {
			p := create(b, randomGraph(b, seeded(b), 100, "i32", false), 64)
			g := newGrid(side, side, 0)
			r := &reporter{p: p, o: Options{Control: new(Control)}}
			for b.Loop() {
				r.tell(func() Live { return Live{Board: g.board(g.least(), 1), Lanes: lanesOf(stream.Activity{})} }, true)
			}
		})
	}
}
