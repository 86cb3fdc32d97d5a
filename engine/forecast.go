package engine

import (
	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/tiles"
)

// Forecast is a plan with what it was made for and from.
type Forecast struct {
	Vertices  int            `json:"vertices"`
	Arcs      int64          `json:"arcs"`
	Kind      string         `json:"kind"`
	Rows      int            `json:"rows"` // of distances
	Done      int64          `json:"done"` // pivot vertices, or rows
	Rates     Rates          `json:"rates"`
	Algorithm string         `json:"algorithm"`
	Plan      Plan           `json:"plan"`                // of rounds; no rounds where there can be none
	Eliminate *EliminatePlan `json:"eliminate,omitempty"` // nil: not looked at, or of no use
}

// ForecastGraph plans the solve of a graph that has no store yet into the folder dir, whose disk is timed. It
// writes and removes a file of 128 MiB there, and writes nothing and leaves syncs out of the time if dir is "".
func ForecastGraph(w Weights, d kernels.Device, l Limits, dir string) (*Forecast, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	d, err := l.device(d)
	if err != nil {
		return nil, err
	}
	g := w.Facts()
	f := &Forecast{Vertices: g.N, Arcs: g.Arcs, Kind: string(g.Kind), Rows: g.N}
	if len(l.Sources) > 0 {
		f.Rows = len(l.Sources)
	}
	c, l, err := f.choose(w, d, l, dir)
	if err != nil || c.Rounds == nil {
		return f, err
	}
	geom := tiles.Geometry{N: g.N, T: c.Rounds.Tile, EntryBytes: l.entryBytes()}
	return f, f.predict(geom, d, l)
}

// Forecast plans what is left of a store. It times the disk of the folder dir as ForecastGraph does.
func (p *Problem) Forecast(d kernels.Device, l Limits, dir string) (*Forecast, error) {
	state, _, err := p.store.State()
	if err != nil {
		return nil, err
	}
	f := &Forecast{Vertices: p.meta.N, Arcs: p.meta.Arcs, Kind: string(p.meta.Kind), Rows: p.geom.RowCount(), Done: state.Done}
	l.Tile, l.Sources, l.Predecessors = p.meta.T, p.meta.Sources, p.meta.Predecessors
	begun, err := p.begun(state)
	if err != nil {
		return nil, err
	}
	if l.Algorithm, err = p.algorithm(l.Algorithm, begun); err != nil {
		return nil, err
	}
	if d, err = l.device(d); err != nil {
		return nil, err
	}
	if p.meta.Dense || p.meta.Predecessors {
		f.Algorithm = roundsOrFirst(l.Algorithm).name
		l = l.withDefaults(d.Info())
		rates, err := ratesFor(roundsNamed(f.Algorithm), d, p.variant(), p.geom.N)
		if err == nil {
			err = f.reckon(rates, d, dir)
		}
		if err != nil {
			return f, err
		}
		return f, f.predict(p.geom, d, l)
	}
	g, err := p.Graph()
	if err != nil {
		return nil, err
	}
	c, l, err := f.choose(g, d, l, dir)
	if err != nil || c.Algorithm == AlgorithmEliminate {
		return f, err
	}
	return f, f.predict(p.geom, d, l)
}

// ForecastMatrix plans the solve of a matrix of n vertices that has no store yet, without looking at its entries or
// timing a disk.
func ForecastMatrix(n int, d kernels.Device, l Limits) (*Forecast, error) {
	if err := l.checkAlgorithm(false); err != nil {
		return nil, err
	}
	d, err := l.device(d)
	if err != nil {
		return nil, err
	}
	l = l.withDefaults(d.Info())
	way := roundsOrFirst(l.Algorithm)
	f := &Forecast{Vertices: n, Rows: n, Algorithm: way.name}
	if f.Rates, err = ratesFor(way, d, kernels.I32, n); err != nil {
		return nil, err
	}
	c := &Choice{}
	if err := c.planRounds(way, graph.Facts{N: n}, d.Info(), f.Rates, l); err != nil {
		return nil, err
	}
	f.Plan = *c.Rounds
	return f, nil
}

// reckon takes rates that were measured on the device, and measures those of the host in a folder, if there is one.
func (f *Forecast) reckon(r Rates, d kernels.Device, dir string) error {
	f.Rates = r
	if dir == "" {
		return nil
	}
	return f.Rates.measureHost(dir, d.Info().SharedCores)
}

// choose measures and chooses. It returns the limits with their defaults.
func (f *Forecast) choose(w Weights, d kernels.Device, l Limits, dir string) (*Choice, Limits, error) {
	l = l.withDefaults(d.Info())
	rates, err := l.measure(w, d)
	if err == nil {
		err = f.reckon(rates, d, dir)
	}
	if err != nil {
		return nil, l, err
	}
	c, err := choose(w, d.Info(), f.Rates, l)
	if err != nil {
		return nil, l, err
	}
	f.Algorithm, f.Eliminate = c.Algorithm, c.Eliminate
	if c.Rounds != nil {
		f.Plan = *c.Rounds
	}
	return c, l, nil
}

// predict plans the rounds that are left.
func (f *Forecast) predict(geom tiles.Geometry, d kernels.Device, l Limits) (err error) {
	done, way := f.Done, roundsNamed(f.Algorithm)
	if way == nil {
		done, way = 0, byRounds[0] // what rounds would take, for comparison
	}
	if f.Plan, err = way.plan(geom, done, d.Info(), f.Rates, l); err != nil || way != &blocked {
		return err
	}
	// Counting step by step takes about 0.3 µs a step; past some seconds the estimate has to do.
	if side := int64(geom.Side()); side*side*int64(f.Plan.Rounds) < 20e6 {
		return f.Plan.Predict(geom, done, d.Info(), f.Rates)
	}
	return nil
}
