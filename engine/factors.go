package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
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

// Keeps returns what the store keeps to answer questions: "rows" of the matrix, all or those of chosen sources, or
// "factors", from which any row is computed when it is asked for (package factors).
func (p *Problem) Keeps() string {
	if p.geom.Factors {
		return "factors"
	}
	return "rows"
}

// entries are the distances of a solved store, whether it keeps their matrix or factors. Rows are numbered by Place;
// entries are of Kind.Wide. Many goroutines may ask at a time.
type entries interface {
	ReadAt(row, v int) (bits uint64, err error)
	ReadRow(dst []byte, row int) error
	ReadCol(dst []byte, v int) error
}

// Entries returns the distances of a store that is solved. Those of layout tiles.Factors are a *rows.Reader.
func (p *Problem) Entries() (entries, error) {
	if !p.geom.Factors {
		return p.store, nil
	}
	p.asking.Lock()
	defer p.asking.Unlock()
	if p.ready == nil {
		ready, err := p.load()
		if err != nil {
			return nil, err
		}
		p.ready = rows.NewReader(ready, p.meta.Kind)
	}
	return p.ready, nil
}

// Ready returns what a solved store of layout tiles.Factors answers questions from, opened on first use; Close closes
// it. It is nil for other layouts. It fails with disk.ErrCorrupt where the file is damaged.
func (p *Problem) Ready() (rows.Ready, error) {
	if !p.geom.Factors {
		return nil, nil
	}
	entries, err := p.Entries()
	if err != nil {
		return nil, err
	}
	return entries.(*rows.Reader).Ready, nil
}

// load loads what the engine of a solved store has made, or has it made again where the store keeps its graph alone.
func (p *Problem) load() (rows.Ready, error) {
	if err := p.Solved(); err != nil {
		return nil, err
	}
	state, _, err := p.store.State()
	if err != nil {
		return nil, err
	}
	engines, err := enginesNamed(state.Algorithm)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; solve again with --restart", p.Dir(), err)
	}
	if k, ok := engines[0].(rows.Keeper); ok {
		return k.Load(p.store.FactorsPath(), p.meta.ID, p.meta.N, p.meta.Variant())
	}
	g, err := p.Graph()
	if err != nil {
		return nil, err
	}
	o, err := engines[0].Offer(context.Background(), g, factorsQuestion)
	if err != nil {
		return nil, err
	}
	return o.Prepare(context.Background())
}

// closeReady closes what Entries has opened.
func (p *Problem) closeReady() error {
	p.asking.Lock()
	defer p.asking.Unlock()
	if p.ready == nil {
		return nil
	}
	r := p.ready
	p.ready = nil
	return r.Close()
}

// solveFactors makes the graph of a store ready by the engine that takes least time, and writes what the engine keeps.
// A run that ends before that leaves nothing to go on from.
func (p *Problem) solveFactors(ctx context.Context, o Options, began time.Time, state tiles.State,
	reports *live.Reporter, sum *task.Summary) (err error) {
	defer func() { reports.Stop(err == nil) }()
	engines, err := enginesNamed(o.Algorithm)
	if err != nil {
		return err
	}
	since, before := func() float64 { return o.Control.Now().Sub(began).Seconds() }, state.Elapsed.Seconds()
	sum.Algorithm = engines[0].Name() // until one is chosen
	var tally cancel.Tally
	ctx = tally.Counted(ctx)
	var last live.StageShares
	at := func(stage live.Stage, shares live.StageShares) {
		algorithm := sum.Algorithm
		last = shares
		reports.Show(live.Counting(&tally, func() live.Live {
			st := task.StatusOf(p.store)
			st.Algorithm, st.Device, st.ETA, st.PID = algorithm, o.Device.Info().Model, -1, os.Getpid()
			st.Elapsed = before + since()
			st.Count(stage, shares, 0, &tally, o.Control)
			return live.Live{Status: st}
		}))
	}
	offer, err := p.offerFactors(ctx, engines, o, at)
	var ready rows.Ready
	if err == nil {
		sum.Algorithm = offer.Engine
		ready, err = offer.Prepare(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.Dir(), err)
	}
	defer func() { err = errors.Join(err, ready.Close()) }()
	how := told(ready, sum, since())
	at(live.StageWrite, last)
	writing := since()
	if err := rows.Save(ctx, ready, offer.Engine, p.store.FactorsPath(), p.meta.ID); err != nil {
		return err
	}
	elapsed := state.Elapsed + o.Control.Now().Sub(began)
	state = tiles.State{Algorithm: offer.Engine, Done: int64(p.geom.N), Elapsed: elapsed}
	if err := p.store.Checkpoint(state); err != nil {
		return err
	}
	sum.BytesWritten = p.store.FactorsBytes()
	sum.SyncSeconds, sum.ElapsedSeconds = since()-writing, state.Elapsed.Seconds()
	sum.Text = fmt.Sprintf("%s; factors of %s, written and synced in %s", how,
		humanize.IBytes(uint64(sum.BytesWritten)), text.Time(sum.SyncSeconds))
	return p.storeSums(nil, nil)
}

// offerFactors returns the offer of the engine that makes the graph ready in least time. It calls at, unless that is nil,
// when a stage begins.
func (p *Problem) offerFactors(ctx context.Context, engines []rows.Engine, o Options,
	at func(live.Stage, live.StageShares)) (rows.Offer, error) {
	g, err := p.Graph()
	if err != nil {
		return rows.Offer{}, err
	}
	q := factorsQuestion
	q.Memory, q.Device, q.Stage = o.HostMemory, o.Device, at
	return rows.Choose(ctx, engines, g, q)
}

// told says how a graph was made ready, in so many seconds.
func told(r rows.Ready, sum *task.Summary, seconds float64) string {
	f, ok := r.(*factors.Factors)
	if !ok {
		return fmt.Sprintf("made ready by %s in %s", sum.Algorithm, text.Time(seconds))
	}
	w := f.Elimination.Work
	done := &eliminate.Plan{Eliminated: w.Eliminated, Core: w.Core, Fill: w.Fill}
	sum.Plans = sum.Plans.With(done)
	sum.EliminateSeconds, sum.CoreSeconds = f.EliminateSeconds, f.CoreSeconds
	return done.Told(sum)
}

// factorsQuestion is about how many rows are worth as much time as making factors: where elimination stops depends on
// it.
var factorsQuestion = rows.Question{Rows: 100, Dissect: true}
