package engine

import (
	"context"
	"errors"
	"os"

	"ooc/engine/graph"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/lock"
)

// solveCore is Task.SolveCore. A core that turns out to be damaged is made again, once: the rows that were made from it
// are not lost.
func (p *Problem) solveCore(ctx context.Context, o Options, lines *live.Timeline, w graph.Weights, print string,
	reports *live.Reporter) (sum task.Summary, distances []uint32, pitch int, err error) {
	for again := false; ; again = true {
		sub, err := p.openCore(ctx, w, print)
		if err == nil {
			if sum, err = sub.solve(ctx, o, lines, reports); err == nil {
				distances, pitch, err = sub.weightMatrix()
			}
			err = errors.Join(err, sub.Close())
		}
		if again || !tiles.Damaged(err) {
			return sum, distances, pitch, err
		}
		if err := p.store.RemoveCore(); err != nil {
			return sum, nil, 0, err
		}
	}
}

// openCore opens the problem of a core. If what is there is another's, it makes a new one.
func (p *Problem) openCore(ctx context.Context, w graph.Weights, print string) (*Problem, error) {
	dir, err := p.store.CoreDir()
	if err != nil {
		return nil, err
	}
	n := w.Facts().N
	sub, err := Open(dir)
	if err == nil && sub.meta.Input.SHA256 == print && sub.geom.N == n {
		sub.given = w
		return sub, nil
	}
	if err == nil {
		err = sub.Close()
	} else if tiles.Absent(err) || tiles.Damaged(err) || errors.Is(err, lock.ErrNotStore) {
		err = nil // of use to nobody, or half removed
	}
	if err == nil {
		err = p.store.RemoveCore()
	}
	if err != nil {
		return nil, err
	}
	layout := tiles.Square
	if w.Facts().Symmetric {
		layout = tiles.Upper
	}
	sub, err = Create(ctx, dir, w, CreateOptions{
		Tile: plan.DefaultTile(n, layout == tiles.Upper), Layout: layout, Command: os.Args, Parent: p.meta.ID,
		Input: tiles.Input{Name: "what is left of " + p.meta.Input.Name, Format: "core", SHA256: print},
	})
	if err == nil {
		sub.given = w
	}
	return sub, err
}

// weightMatrix reads all distances into memory, in pitch rows of pitch weights, as sparse.DenseCore has them.
func (p *Problem) weightMatrix() (m []uint32, pitch int, err error) {
	n, v := p.geom.N, p.meta.Variant()
	size, words := v.Bytes(), v.WeightBytes()/entry.WordBytes
	pitch = entry.CeilDiv(n, kernels.DeviceLaneUnit) * kernels.DeviceLaneUnit
	m = entry.As[uint32](make([]uint64, pitch*pitch*words/2))
	t := p.geom.T
	tile := p.meta.Kind.Make(t * t)
	for i := range p.geom.Side() { // by tiles: a row would touch a page for each entry where one half is stored
		for j := range p.geom.Side() {
			if err := p.store.ReadTile(tile, i, j); err != nil {
				return nil, 0, err
			}
			for r := range min(t, n-i*t) {
				v.Weights(m[((i*t+r)*pitch+j*t)*words:], tile[r*t*size:][:min(t, n-j*t)*size])
			}
		}
	}
	return m, pitch, nil
}
