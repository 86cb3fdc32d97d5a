package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize/english"

	"ooc/engine/graph"
	"ooc/engine/graph/dense"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/rows"
	"ooc/engine/searches"
	"ooc/engine/task"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/disk"
)

// Problem is one open store: a graph, its distance matrix, and how far the solve is. Its methods may be called
// concurrently, except those that change what the store is: Solve, Restart, Replace and Close. Questions may be asked
// while Solve runs. The others are called while nothing else is.
type Problem struct {
	store *tiles.Store
	geom  tiles.Geometry
	meta  tiles.Meta

	final atomic.Bool // distances were seen to be

	mu     sync.Mutex
	ids    *graph.IDs    // read on first use; guarded by mu
	graph  *graph.Graph  // read on first use; guarded by mu
	matrix *dense.Matrix // opened on first use where there is no graph; guarded by mu

	asking sync.Mutex
	ready  *rows.Reader // opened on first use in a store of layout Factors; guarded by asking

	choice *plan.Choice  // made before the store was, or by Restart; nil: none. Solve reads it
	given  graph.Weights // of a core: what its tiles are filled from
}

// CreateOptions describe a new store.
type CreateOptions struct {
	Tile    int          // tile edge, a multiple of 64; 0: the choice's, or DefaultTile of the graph's size
	Sources tiles.RowSet // the rows that are wanted; none: all
	// Layout: Upper keeps one half of a symmetric graph's matrix, Factors none of it; "": the choice's, or all tiles.
	Layout  tiles.Layout
	Choice  *plan.Choice // how Solve shall go about it; nil: it chooses
	Input   tiles.Input  // what the graph was read from
	Command []string     // the command line, for the record
	Parent  tiles.ID     // the store that this one is the core of; zero: none

	Predecessors bool // keep them beside the distances

	Part *tiles.Part // keep the tiles of one part alone; nil: all

	Checked bool // the graph's Check, which reads all of it, has said that it can be solved
}

// check looks at the graph's numbers, once.
func (o *CreateOptions) check(ctx context.Context, w graph.Weights) error {
	if o.Checked {
		return nil
	}
	return interrupted(ctx, check(ctx, w, o.Sources))
}

// check is the graph's Check. Where that could not show that distances fit a byte, it finds the longest of those from
// the sources; none: from all vertices.
func check(ctx context.Context, w graph.Weights, sources tiles.RowSet) error {
	err := w.Check(ctx)
	var refused *graph.RangeError
	g, sparse := w.(*graph.Graph)
	if !sparse || g.Kind != entry.KindU8 || !errors.As(err, &refused) {
		return err
	}
	depth, failed := searches.Depth(ctx, g, sources)
	if failed != nil {
		return failed
	}
	refused.Bound = float64(depth) * g.MaxWeight
	refused.What = "a shortest path has " + english.Plural(depth, "arc", "") + " and is as long as"
	if refused.Bound < refused.Limit {
		return nil
	}
	return err
}

// Create makes the store dir for a graph. It checks the graph's numbers (a negative cycle, or distances that i32 cannot
// hold), reserves the space and stores the graph. A matrix in a file is not stored; Close closes it. If Create fails,
// nothing is left behind. It fails with task.ErrInterrupted if ctx ends while the numbers are checked.
func Create(ctx context.Context, dir string, w graph.Weights, o CreateOptions) (*Problem, error) {
	if err := o.check(ctx, w); err != nil {
		return nil, err
	}
	return makeStore(dir, w, o, func(m tiles.Meta, csr *tiles.CSR, ids tiles.IDs) (*tiles.Store, error) {
		return tiles.Create(dir, m, csr, ids)
	})
}

// Replace makes the store of another graph, or of the same one again, in the place of this one, which it closes. It
// gives this one up only when the graph's numbers are known to be right, and the folder holds nothing else and has
// room for the new store. Errors before that leave it as it was. No other process can open the store in between.
func (p *Problem) Replace(ctx context.Context, w graph.Weights, o CreateOptions) (*Problem, error) {
	if err := o.check(ctx, w); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	q, err := makeStore(p.Dir(), w, o, p.store.Replace)
	if cerr := p.Close(); cerr != nil {
		if err = errors.Join(err, cerr); q != nil {
			return nil, errors.Join(err, q.Close())
		}
	}
	return q, err
}

func makeStore(dir string, w graph.Weights, o CreateOptions,
	create func(tiles.Meta, *tiles.CSR, tiles.IDs) (*tiles.Store, error)) (*Problem, error) {
	if err := oneLines(&o.Input); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", dir, graph.ErrBadInput, err)
	}
	f := w.Facts()
	if err := f.IDs.Check(); err != nil { // else the store could be solved, and not be asked
		return nil, fmt.Errorf("%s: %w: %w", dir, graph.ErrBadInput, err)
	}
	var c plan.Choice
	if o.Choice != nil {
		c = *o.Choice
	}
	if o.Layout = cmp.Or(o.Layout, c.Layout); o.Layout == tiles.Factors {
		o.Tile = 64 // the least, of no tile
	}
	o.Tile = cmp.Or(o.Tile, c.Tile, plan.DefaultTile(f.N, o.Layout == tiles.Upper))
	if _, ok := w.(*graph.Graph); o.Layout == tiles.Factors && (!ok || len(o.Sources) > 0 || o.Predecessors) {
		return nil, text.ErrorOf(plan.ErrLayout,
			"factors are kept of sparse graphs, with neither chosen sources nor predecessors")
	}
	if o.Layout == tiles.Upper && !f.Symmetric {
		return nil, fmt.Errorf("%w %s: the graph is not symmetric", plan.ErrLayout, o.Layout)
	}
	meta := tiles.Meta{
		N: f.N, Arcs: f.Arcs, Kind: entry.Kind(f.Kind), T: o.Tile, Scale: f.Scale, Directed: f.Directed,
		Negative: f.Negative, Input: o.Input, MinWeight: f.MinWeight, MaxWeight: f.MaxWeight,
		IDBase: f.IDs.Base, Command: o.Command, Created: time.Now(), Sources: o.Sources,
		Predecessors: o.Predecessors, Parent: o.Parent, Layout: o.Layout, Part: o.Part,
	}
	var csr *tiles.CSR
	g, sparse := w.(*graph.Graph)
	if sparse {
		csr = &tiles.CSR{Offsets: g.Offsets, Targets: g.Targets, Weights: g.WeightBytes()}
	}
	if c.Beside > 0 { // else the solve would find out that there is no room when it makes the core
		if err := disk.Room(dir, tiles.CorePath(dir), meta.Geometry().MatrixBytes()+c.Beside,
			tiles.GivesBack(dir)); err != nil {
			return nil, err
		}
	}
	store, err := create(meta, csr, tiles.IDs{Numeric: f.IDs.Numeric, Text: f.IDs.Text})
	if err != nil {
		return nil, err
	}
	p := newProblem(store)
	p.graph, p.ids = g, &f.IDs
	p.matrix, _ = w.(*dense.Matrix)
	p.choice = o.Choice
	return p, nil
}

// Open opens a store for solving. It fails with lock.ErrLocked while another process holds it.
func Open(dir string) (*Problem, error) { return wrap(tiles.Open(dir)) }

// OpenDamaged opens a store for Replace and Close alone, however damaged it is behind its description.
func OpenDamaged(dir string) (*Problem, error) { return wrap(tiles.OpenDamaged(dir)) }

// OpenReadOnly opens a store for questions, also while a solve runs or from read-only media.
func OpenReadOnly(dir string) (*Problem, error) { return wrap(tiles.OpenReadOnly(dir)) }

// OpenBeside opens a store that rank 0 has opened for solving, to solve it together with that.
func OpenBeside(dir string, id tiles.ID) (*Problem, error) { return wrap(tiles.OpenBeside(dir, id)) }

func wrap(s *tiles.Store, err error) (*Problem, error) {
	if err != nil {
		return nil, err
	}
	p := newProblem(s)
	if err := oneLines(&p.meta.Input); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w: store.json: %w", s.Dir(), disk.ErrCorrupt, err), s.Close())
	}
	return p, nil
}

// oneLines refuses what is known of an input where it would seem to say more than it does wherever it is shown.
func oneLines(in *tiles.Input) error {
	asked := tiles.Asked{}
	if in.Asked != nil {
		asked = *in.Asked
	}
	for _, s := range []string{in.Name, in.Format, in.Columns, in.Base, in.NoArc, asked.Format, asked.Kind,
		asked.Direction} {
		if !text.OneLine(s) {
			return fmt.Errorf("%q holds a line end", s)
		}
	}
	return nil
}

func newProblem(s *tiles.Store) *Problem {
	return &Problem{store: s, geom: s.Geometry(), meta: s.Meta()}
}

// Close releases the store, and the matrix that it was made from if that is open.
func (p *Problem) Close() error { return errors.Join(p.closeInputs(), p.store.Close()) }

// Remove removes a store that is open for writing, with its folder, and closes it. It refuses, with all still there,
// where the folder holds what is not ours.
func (p *Problem) Remove() error { return errors.Join(p.closeInputs(), p.store.Remove()) }

// closeInputs closes what the problem has opened beside its store.
func (p *Problem) closeInputs() error {
	err := p.closeReady() // without mu, which Entries takes while it loads
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.matrix != nil {
		err = errors.Join(err, p.matrix.Close())
		p.matrix = nil
	}
	return err
}

// Meta returns what store.json says. It is shared: do not change it.
func (p *Problem) Meta() *tiles.Meta { return &p.meta }

// Store returns the store itself, for callers that read whole tiles.
func (p *Problem) Store() *tiles.Store { return p.store }

// Geometry returns the matrix's shape.
func (p *Problem) Geometry() tiles.Geometry { return p.geom }

// Dir returns the store's folder.
func (p *Problem) Dir() string { return p.store.Dir() }

// Restart forgets every distance, so that the next Solve begins from the graph. First it makes sure that a solve with
// the given options can be planned, and that its input is there if it is needed: if the solve cannot begin, nothing
// that was solved is lost. Nothing else may be called meanwhile.
func (p *Problem) Restart(ctx context.Context, o Options) error {
	if p.store.IsPart() {
		return p.store.OtherPart()
	}
	w, err := p.weights(o.Input)
	if err != nil {
		return err
	}
	if d, ok := w.(*dense.Matrix); ok { // of equal size and time it may still be another, of which nothing was checked
		sum, err := d.SHA256()
		if err == nil && sum != p.meta.Input.SHA256 {
			err = p.otherMatrix(fmt.Errorf("%s %s", d.Source().Name, notAsImported))
		}
		if err != nil {
			return err
		}
	}
	if p.geom.Factors {
		engines, err := enginesNamed(o.Algorithm)
		if err != nil {
			return err
		}
		if _, err := p.offerFactors(ctx, engines, o, nil); err != nil { // Solve asks again, and shows how far it is
			return fmt.Errorf("%s: %w", p.Dir(), err)
		}
	}
	var choice *plan.Choice
	if o.Device != nil && !p.geom.Factors {
		d, err := p.device(o.Device)
		if err != nil {
			return err
		}
		q, err := p.basis(o.Request)
		if err != nil {
			return err
		}
		if choice, err = q.ChooseOn(ctx, planned(), d); err != nil {
			return err
		}
	}
	if err := p.store.RemoveCore(); err != nil { // which may refuse, and resets nothing
		return err
	}
	if err := p.closeReady(); err != nil {
		return err
	}
	p.choice = choice
	p.final.Store(false)
	return p.store.Reset()
}

// Graph returns the stored graph. It fails with tiles.ErrNoCSR where the input was a matrix.
func (p *Problem) Graph() (*graph.Graph, error) {
	ids, err := p.IDs()
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.graph != nil {
		return p.graph, nil
	}
	csr, err := p.store.CSR()
	if err != nil {
		return nil, err
	}
	g := &graph.Graph{
		N: p.meta.N, Kind: entry.Kind(p.meta.Kind), Directed: p.meta.Directed, Scale: p.meta.Scale,
		Offsets: csr.Offsets, Targets: csr.Targets, IDs: ids,
	}
	g.SetWeights(csr.Weights)
	if err := g.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w: graph.csr: %w; import the graph again", p.Dir(), disk.ErrCorrupt, err)
	}
	p.graph = g
	return g, nil
}

// IDs returns the vertices' ids in the input.
func (p *Problem) IDs() (graph.IDs, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ids != nil {
		return *p.ids, nil
	}
	stored, err := p.store.IDs()
	if err != nil {
		return graph.IDs{}, err
	}
	ids := graph.IDs{Base: p.meta.IDBase, Numeric: stored.Numeric}
	if stored.Text != nil {
		ids = graph.TextIDs(stored.Text)
		if err := ids.Check(); err != nil { // which no reader of graphs would have made
			return graph.IDs{}, fmt.Errorf("%s: %w: ids: %w; import the graph again", p.Dir(), disk.ErrCorrupt, err)
		}
	}
	p.ids = &ids
	return ids, nil
}

// Status says how far the store is, from its files alone. Its progress is what the next Solve continues from.
func (p *Problem) Status() (live.Status, error) {
	safe, _, err := p.store.State()
	if err != nil {
		return live.Status{}, err
	}
	state, counts, err := p.store.Ahead()
	if err != nil {
		return live.Status{}, err
	}
	st, rows := task.StatusOf(p.store), int64(p.geom.RowCount())
	st.Elapsed = state.Elapsed.Seconds()
	st.Progress = float64(state.Done) / float64(rows)
	st.RestorePoint = float64(safe.Done) / float64(rows)
	st.ETA = -1
	st.Algorithm = "" // whatever the next run picks
	if counts {
		st.Algorithm = text.Line(state.Algorithm)
	}
	left := false
	for _, a := range algorithms {
		if !counts || a.Name() == st.Algorithm && !p.geom.Factors {
			after := st
			if left, err = a.Left(&after, p.store, counts); err != nil {
				return live.Status{}, err
			}
			if left || counts {
				st, st.Algorithm = after, a.Name()
				break
			}
		}
	}
	rooted := false
	if safe.Done == rows {
		if rooted, err = p.treesRooted(); err != nil {
			return live.Status{}, err
		}
	}
	st.State = live.Unfinished
	switch {
	case left:
	case !counts:
		st.State = live.New
	case rooted:
		st.State, st.ETA = live.Solved, 0
	}
	return st, nil
}

func (p *Problem) summary(d kernels.Device) task.Summary {
	store := p.Dir()
	if p.meta.Part != nil { // questions are asked of the folder that holds all parts
		store = filepath.Dir(store)
	}
	return task.Summary{
		Store: store, Vertices: p.meta.N, Arcs: p.meta.Arcs, Kind: string(p.meta.Kind),
		Plans: noPlans(), Device: d.Info().Model,
	}
}
