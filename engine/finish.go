package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"ooc/engine/live"
	"ooc/engine/task"
)

// finishSums makes sure that a solved matrix has its checksums. Damaged ones are not replaced: by now the matrix may be
// damaged too, and new checksums would hide that.
func (p *Problem) finishSums(ctx context.Context, c *live.Control) error {
	if _, err := p.store.Sums(); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return p.Finish(ctx, c, make([]uint32, p.geom.Tiles()*p.meta.SumsPerTile()), make([]bool, p.geom.Tiles()))
}

// Finish completes a store whose distances are all final: it makes trees of predecessors, if there are any, and then stores
// checksums. If ctx ends first, the next run does it.
func (p *Problem) Finish(ctx context.Context, c *live.Control, sums []uint32, summed []bool) error {
	if !p.meta.Predecessors {
		return p.storeSums(sums, summed)
	}
	written, err := p.rootTrees(ctx, c)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w at 100 %%, while predecessors were checked", task.ErrInterrupted)
		}
		return err
	}
	state, _, err := p.store.State()
	if err != nil {
		return err
	}
	// Whatever the checksums cover is durable before them, also what a run that was killed here has written.
	if err := p.store.Checkpoint(state); err != nil {
		return err
	}
	for i, w := range written {
		summed[i] = summed[i] && !w
	}
	return p.storeSums(sums, summed)
}

// storeSums stores the checksums of every tile of a solved matrix that is here, reading only those that this run did not write
// itself.
func (p *Problem) storeSums(sums []uint32, summed []bool) error {
	each := p.meta.SumsPerTile()
	for i, known := range summed {
		if known {
			continue
		}
		row, col := p.geom.TileAt(i)
		if !p.store.Holds(row, col) {
			continue
		}
		if err := p.store.TileSums(sums[i*each:][:each], row, col); err != nil {
			return err
		}
	}
	return p.store.WriteSums(sums)
}
