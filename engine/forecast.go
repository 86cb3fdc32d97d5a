package engine

import (
	"path/filepath"

	"ooc/kernels"
	"ooc/tiles"
)

// Forecast is a plan with what it was made for and from.
type Forecast struct {
	Vertices int    `json:"vertices"`
	Arcs     int64  `json:"arcs"`
	Kind     string `json:"kind"`
	Done     int64  `json:"done"` // pivot vertices
	Rates    Rates  `json:"rates"`
	Plan     Plan   `json:"plan"`
}

// ForecastGraph plans the solve of a graph that has no store yet, with tiles of the given edge (0: the
// best), into the folder dir, whose disk is timed. It writes and removes a file of 64 MiB there.
func ForecastGraph(w Weights, d kernels.Device, l Limits, tile int, dir string) (*Forecast, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	g := w.Facts()
	if tile == 0 {
		var err error
		if tile, err = PlanTile(g, d, l); err != nil {
			return nil, err
		}
	}
	f := &Forecast{Vertices: g.N, Arcs: g.Arcs, Kind: string(g.Kind)}
	geom := tiles.Geometry{N: g.N, T: tile, EntryBytes: kernels.EntryBytes}
	return f, f.fill(geom, variantOf(f.Kind, g.Negative), d, l, dir)
}

// Forecast plans what is left of a store.
func (p *Problem) Forecast(d kernels.Device, l Limits) (*Forecast, error) {
	state, _, err := p.store.State()
	if err != nil {
		return nil, err
	}
	f := &Forecast{Vertices: p.meta.N, Arcs: p.meta.Arcs, Kind: string(p.meta.Kind), Done: state.Done}
	return f, f.fill(p.geom, p.variant(), d, l, filepath.Dir(p.Dir()))
}

func (f *Forecast) fill(geom tiles.Geometry, v kernels.Variant, d kernels.Device, l Limits, dir string) (err error) {
	l = l.withDefaults(d.Info())
	if f.Rates, err = MeasureRates(d, v); err != nil {
		return err
	}
	if err = f.Rates.measureHost(dir, d.Info().SharedCores); err != nil {
		return err
	}
	if f.Plan, err = MakePlan(geom, f.Done, d.Info(), f.Rates, l); err != nil {
		return err
	}
	// Counting step by step takes about 0.3 µs a step; past some seconds the estimate has to do.
	if side := int64(geom.Side()); side*side*int64(f.Plan.Rounds) < 20e6 {
		return f.Plan.Predict(geom, f.Done, d.Info(), f.Rates)
	}
	return nil
}
