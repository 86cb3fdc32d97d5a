package rounds

import (
	"sync"
	"sync/atomic"

	"ooc/tiles"
)

// tracker records which iterations each tile's copy on disk has finished.
type tracker struct {
	restore atomic.Int64 // State.Done of the newest synced checkpoint

	mu     sync.Mutex
	done   []int32  // by tile: iterations finished on disk; -1: not written yet. Guarded by mu, as all below
	count  []int    // by done+1: how many tiles
	least  int      // the least of done over all tiles
	summed []bool   // by tile
	sums   []uint32 // of each tile that is summed, written by whoever sums it
}

// newTracker returns a tracker of so many tiles, each of which has some checksums.
func newTracker(count, sums, last, start int, onDisk bool) *tracker {
	if !onDisk {
		start = -1
	}
	t := &tracker{
		done: make([]int32, count), count: make([]int, last+2), least: start,
		sums: make([]uint32, count*sums), summed: make([]bool, count),
	}
	for i := range t.done {
		t.done[i] = int32(start)
	}
	t.count[start+1] = count
	return t
}

// wrote records that a tile has been written, and reports whether the least over all tiles rose.
func (t *tracker) wrote(tile, done int) (least int, rose bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count[t.done[tile]+1]--
	t.done[tile] = int32(done)
	t.count[done+1]++
	before := t.least
	for t.count[t.least+1] == 0 {
		t.least++
	}
	return t.least, t.least > before && t.least > 0
}

// sum takes the checksums of a tile's final bytes. It is called by one goroutine at a time for each tile.
func (t *tracker) sum(tile int, data []byte) {
	each := len(t.sums) / len(t.done)
	tiles.Sums(t.sums[tile*each:][:each], data)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.summed[tile] = true
}

// give returns the tiles that are summed, and the checksums of each in turn.
func (t *tracker) give() (list []int, sums []uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	each := len(t.sums) / len(t.done)
	for tile, is := range t.summed {
		if is {
			list, sums = append(list, tile), append(sums, t.sums[tile*each:][:each]...)
		}
	}
	return list, sums
}

// take takes what another process gives.
func (t *tracker) take(list []int, sums []uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	each := len(t.sums) / len(t.done)
	for i, tile := range list {
		copy(t.sums[tile*each:][:each], sums[i*each:])
		t.summed[tile] = true
	}
}
