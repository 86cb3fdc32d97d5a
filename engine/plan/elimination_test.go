package plan

import (
	"testing"

	"ooc/engine/graph"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// TestRowSecondsInMemory: a file in memory is written faster than one on a disk, and waits for none.
func TestRowSecondsInMemory(t *testing.T) {
	q := &Basis{Graph: &graph.Graph{N: 10_000}}
	q.Graph.Kind, q.Layout = entry.KindI32, tiles.Square
	q.Rates = Rates{threads: 16}
	seconds := func(disk, dirty float64, inMemory bool) float64 {
		q.Rates.Disk, q.Rates.Dirty, q.InMemory = disk, dirty, inMemory
		return q.RowSeconds(1024, 10_000)
	}
	memory, waits, writes := seconds(0, 0, true), seconds(1e9, 1e6, false), seconds(1e9, 1e12, false)
	if memory >= writes || writes >= waits {
		t.Errorf("%g s in memory, %g s on a disk, %g s where nothing may wait", memory, writes, waits)
	}
	q.Facts.Kind = entry.KindF32
	onDisk := q.Chooser().RowSeconds(1024, 10_000)
	q.InMemory = true
	if inMemory := q.Chooser().RowSeconds(1024, 10_000); inMemory != onDisk {
		t.Errorf("floats are rounded by where a store is: %g s in memory, %g s on a disk", inMemory, onDisk)
	}
}
