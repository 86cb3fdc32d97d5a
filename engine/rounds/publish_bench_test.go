package rounds

import (
	"fmt"
	"testing"

	"ooc/engine/live"
	"ooc/stream"
)

// BenchmarkPublish tells once how a solve of a grid of tiles is doing, which happens four times a second.
func BenchmarkPublish(b *testing.B) {
	for _, side := range []int{16, 64, 800} {
		b.Run(fmt.Sprintf("side=%d", side), func(b *testing.B) {
			grid := newGrid(gridOf(side, false), side, 0)
			r := live.NewReporter(live.ReporterOptions{Control: new(live.Control),
				Publish: func([]byte) error { return nil }})
			defer r.Stop(false)
			for b.Loop() {
				r.Show(func() live.Live {
					return live.Live{Board: grid.board(grid.least(), 1), Workers: workersOf(stream.Activity{})}
				})
			}
		})
	}
}
