package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"ooc/engine/ranks"
	"ooc/engine/task"
	"ooc/tiles"
)

// finishSums makes sure that a matrix that an algorithm has solved has its checksums. Damaged ones are not replaced:
// by now the matrix may be damaged too, and new checksums would hide that.
func (p *Problem) finishSums(ctx context.Context, o *Options, algorithm string) error {
	_, err := p.store.Sums()
	missing, mend := errors.Is(err, fs.ErrNotExist), p.mends(algorithm)
	if mend && p.store.IsPart() { // where one part has them, all trees are made, durably
		rooted, rerr := p.treesRooted()
		if rerr = p.agree(o.Ranks, rerr); rerr != nil { // checksums that cannot be read do not say that there are any
			return rerr
		}
		all, gerr := ranks.All(context.Background(), o.Ranks, rooted)
		if gerr != nil {
			return errors.Join(err, gerr)
		}
		mend = !slices.Contains(all, true)
	}
	if !missing {
		return err
	}
	return p.finish(ctx, o, mend, make([]uint32, p.geom.Tiles()*p.meta.SumsPerTile()), make([]bool, p.geom.Tiles()))
}

// finish completes a store whose distances are all final: it makes trees of predecessors, if these are to be mended,
// and then stores checksums. If ctx ends first, the next run does it. Of a store in parts, the processes that have
// one call it together.
func (p *Problem) finish(ctx context.Context, o *Options, mend bool, sums []uint32, summed []bool) error {
	if !mend {
		return p.storeSums(sums, summed)
	}
	var l lines = &storeLines{p.store, make([]bool, p.geom.Tiles())}
	var err error
	o.Control.Report() // whoever stops it now is told that the distances are on disk
	if p.store.IsPart() {
		l, err = p.rootPartTrees(ctx, o)
	} else {
		err = p.rootTrees(ctx, o.Control, l)
	}
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w at 100 %%, while predecessors were checked", task.ErrInterrupted)
	}
	if err == nil {
		var state tiles.State
		if state, _, err = p.store.State(); err == nil {
			// Whatever the checksums cover is durable before them, also what a run that was killed here has written.
			err = p.store.Checkpoint(state)
		}
	}
	if err = p.agree(o.Ranks, err); err != nil { // and whatever the checksums of any part vouch for
		return err
	}
	for i, w := range l.written() {
		summed[i] = summed[i] && !w
	}
	return p.storeSums(sums, summed)
}

// storeSums stores the checksums of every tile of a solved matrix that is here, reading only those that this run did
// not write itself.
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
