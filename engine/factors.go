package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"ooc/engine/eliminate"
	"ooc/engine/factors"
	"ooc/engine/internal/cancel"
	"ooc/engine/live"
	"ooc/engine/rows"
	"ooc/engine/task"
	"ooc/engine/text"
	"ooc/tiles"
)

// Keep is what a store keeps to answer questions.
type Keep string

// What stores keep.
const (
	KeepRows    Keep = "rows"    // of the matrix: all, or those of chosen sources
	KeepFactors Keep = "factors" // what any row is computed from when it is asked for, see package factors
)

// Keeps returns what the store keeps.
func (p *Problem) Keeps() Keep {
	if p.geom.Factors {
		return KeepFactors
	}
	return KeepRows
}

// Entries are the distances of a solved store, whether it keeps their matrix or factors. Rows are numbered by Place; entries are
// of Kind.Wide. Many goroutines may ask at a time.
type Entries interface {
	ReadAt(row, v int) (bits uint64, err error)
	ReadRow(dst []byte, row int) error
	ReadCol(dst []byte, v int) error
}

// Entries returns the distances of a store that is solved.
func (p *Problem) Entries() (Entries, error) {
	if !p.geom.Factors {
		return p.store, nil
	}
	return p.Factors()
}

// Factors returns what a solved store of layout tiles.Factors answers questions from, opened on first use; Close closes it. It is
// nil for other layouts. It fails with tiles.ErrCorrupt where the file is damaged.
func (p *Problem) Factors() (*factors.Factors, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.geom.Factors || p.factors != nil {
		return p.factors, nil
	}
	var err error
	p.factors, err = factors.Load(p.store.FactorsPath(), p.meta.ID, p.meta.N, p.meta.Variant())
	return p.factors, err
}

// closeFactors closes what Factors has opened. Call it with mu held.
func (p *Problem) closeFactors() error {
	if p.factors == nil {
		return nil
	}
	f := p.factors
	p.factors = nil
	return f.Close()
}

// solveFactors makes the factors of a store and writes them. A run that ends before that leaves nothing to go on from.
func (p *Problem) solveFactors(ctx context.Context, o Options, began time.Time, state tiles.State, reports *live.Reporter, sum *task.Summary) (err error) {
	defer func() { reports.Stop(err == nil) }()
	since, before := func() float64 { return o.Control.Now().Sub(began).Seconds() }, state.Elapsed.Seconds()
	var tally cancel.Tally
	ctx = cancel.Counted(ctx, &tally)
	at := func(stage live.Stage, shares live.StageShares) {
		reports.Show(live.Counting(&tally, func() live.Live {
			st := task.StatusOf(p.store)
			st.Algorithm, st.Device, st.ETA = factors.Name, o.Device.Info().Model, -1
			st.Elapsed = before + since()
			st.Count(stage, shares, 0, &tally, o.Control)
			return live.Live{Status: st}
		}))
	}
	g, err := p.Graph()
	if err != nil {
		return err
	}
	f, err := factors.Make(ctx, g, rows.Question{Rows: factorsRows, Dissect: true, Memory: o.HostMemory, Device: o.Device, Stage: at})
	if err != nil {
		return fmt.Errorf("%s: %w", p.Dir(), err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := f.Elimination.Work
	done := &eliminate.Plan{Eliminated: w.Eliminated, Core: w.Core, Fill: w.Fill}
	sum.Plans = sum.Plans.With(done)
	sum.EliminateSeconds, sum.CoreSeconds = f.EliminateSeconds, f.CoreSeconds
	at(live.StageWrite, factors.Shares(w))
	writing := since()
	if err := f.Save(ctx, p.store.FactorsPath(), tiles.FactorsSpare, p.meta.ID); err != nil {
		return err
	}
	state = tiles.State{Algorithm: factors.Name, Done: int64(p.geom.N), Elapsed: state.Elapsed + o.Control.Now().Sub(began)}
	if err := p.store.Checkpoint(state); err != nil {
		return err
	}
	sum.BytesWritten = p.store.FactorsBytes()
	sum.SyncSeconds, sum.ElapsedSeconds = since()-writing, state.Elapsed.Seconds()
	sum.Text = fmt.Sprintf("%s; factors of %s, written and synced in %s", done.Told(sum), humanize.IBytes(uint64(sum.BytesWritten)), text.Time(sum.SyncSeconds))
	return p.storeSums(nil, nil)
}

// factorsRows is about how many rows are worth as much time as making factors: where elimination stops depends on it.
const factorsRows = 100
