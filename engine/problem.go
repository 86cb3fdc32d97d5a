package engine

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/tiles"
)

// Problem is one store that is open: a graph, its distance matrix and how far that is.
// Its methods other than Solve and Close may be called concurrently.
type Problem struct {
	summed atomic.Bool // checksums were stored, the last thing that a solve does

	store *tiles.Store
	geom  tiles.Geometry
	meta  tiles.Meta

	mu     sync.Mutex
	ids    *graph.IDs   // read on first use; guarded by mu
	graph  *graph.Graph // read on first use; guarded by mu
	matrix *graph.Dense // opened on first use where there is no graph; guarded by mu

	choice *Choice // made before the store was; nil: none
	given  Weights // of a core: what its tiles are filled from
}

// CreateOptions describe a store to be made.
type CreateOptions struct {
	Tile    int          // tile edge, a multiple of 64; 0: the choice's, or DefaultTile of the graph's size
	Sources tiles.RowSet // the rows that are wanted; none: all
	Choice  *Choice      // how Solve shall go about it; nil: it chooses
	Input   tiles.Input  // what the graph was read from
	Command []string     // the command line, for the record

	Predecessors bool // keep them beside the distances, in rounds
}

// Create makes the store dir for a graph: it checks the graph's numbers (a negative cycle, or distances
// that i32 cannot hold), reserves the space and stores the graph, unless that is a matrix in a file, which
// the problem closes in the end. Nothing is left behind where it fails.
func Create(dir string, w Weights, o CreateOptions) (*Problem, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	return makeStore(dir, w, o)
}

// Replace makes the store of another graph, or of the same anew, in the place of this one, which it closes: that is
// gone once the graph's numbers are known to be right. Errors before that leave it as it was.
func (p *Problem) Replace(w Weights, o CreateOptions) (*Problem, error) {
	if err := w.Check(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	if err := errors.Join(p.Discard(), p.Close()); err != nil {
		return nil, err
	}
	return makeStore(p.Dir(), w, o)
}

func makeStore(dir string, w Weights, o CreateOptions) (*Problem, error) {
	f := w.Facts()
	if o.Tile == 0 && o.Choice != nil {
		o.Tile = o.Choice.Tile
	} else if o.Tile == 0 {
		o.Tile = DefaultTile(f.N)
	}
	meta := tiles.Meta{
		N: f.N, Arcs: f.Arcs, Kind: tiles.Kind(f.Kind), T: o.Tile, Scale: f.Scale, Directed: f.Directed,
		Negative: f.Negative, Input: o.Input, MinWeight: f.MinWeight, MaxWeight: f.MaxWeight,
		IDBase: f.IDs.Base, Command: o.Command, Created: time.Now(), Sources: o.Sources,
		Predecessors: o.Predecessors,
	}
	var csr *tiles.CSR
	g, sparse := w.(*graph.Graph)
	if sparse {
		csr = &tiles.CSR{Offsets: g.Offsets, Targets: g.Targets, Weights: weightBytes(g)}
	}
	if err := roomForCore(dir, meta.Geometry(), o.Choice); err != nil {
		return nil, err
	}
	store, err := tiles.Create(dir, meta, csr, tiles.IDs{Numeric: f.IDs.Numeric, Text: f.IDs.Text})
	if err != nil {
		return nil, err
	}
	p := newProblem(store)
	p.graph, p.ids = g, &f.IDs
	p.matrix, _ = w.(*graph.Dense)
	p.choice = o.Choice
	return p, nil
}

// roomForCore fails where the matrix of a new store and that of the core that its elimination will leave cannot be on
// the volume at once, which would else be found when that core is made.
func roomForCore(dir string, g tiles.Geometry, c *Choice) error {
	if c == nil || c.Algorithm != AlgorithmEliminate || c.Eliminate.Core <= coreAtOnce {
		return nil
	}
	core := tiles.Geometry{N: c.Eliminate.Core, T: DefaultTile(c.Eliminate.Core), EntryBytes: kernels.EntryBytes}
	return tiles.Room(filepath.Dir(filepath.Clean(dir)), filepath.Join(dir, "core", "dist.npy"), g.MatrixBytes()+core.MatrixBytes())
}

// Open opens a store for solving. It fails with tiles.ErrLocked while another process holds it.
func Open(dir string) (*Problem, error) { return wrap(tiles.Open(dir)) }

// OpenReadOnly opens a store for questions, also while a solve runs or from read-only media.
func OpenReadOnly(dir string) (*Problem, error) { return wrap(tiles.OpenReadOnly(dir)) }

func wrap(s *tiles.Store, err error) (*Problem, error) {
	if err != nil {
		return nil, err
	}
	return newProblem(s), nil
}

func newProblem(s *tiles.Store) *Problem {
	return &Problem{store: s, geom: s.Geometry(), meta: s.Meta()}
}

// Close releases the store, and the matrix that it was made from where that is open.
func (p *Problem) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	if p.matrix != nil {
		err = p.matrix.Close()
		p.matrix = nil
	}
	return errors.Join(err, p.store.Close())
}

// Meta returns what store.json says.
func (p *Problem) Meta() tiles.Meta { return p.meta }

// Geometry returns the matrix's shape.
func (p *Problem) Geometry() tiles.Geometry { return p.geom }

// Dir returns the store's folder.
func (p *Problem) Dir() string { return p.store.Dir() }

// Restart forgets every distance, so that the next Solve begins from the graph. It makes sure first that a
// solve with the given options can be planned, and that its input is there if it is needed: what cannot begin
// must not cost what was solved.
func (p *Problem) Restart(o Options) error {
	if _, err := p.weights(o.Input); err != nil {
		return err
	}
	p.choice = nil
	if o.Device != nil {
		var err error
		if o.Device, err = p.device(o.Device); err != nil {
			return err
		}
		c, err := p.choose(o, "")
		if err != nil {
			return err
		}
		if way := roundsNamed(c.Algorithm); way != nil {
			if _, _, err := p.plan(o, way, 0); err != nil {
				return err
			}
		}
		p.choice = c
	}
	if err := p.store.Reset(); err != nil {
		return err
	}
	return p.store.RemoveCore()
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
		N: p.meta.N, Kind: graph.Kind(p.meta.Kind), Directed: p.meta.Directed, Scale: p.meta.Scale,
		Offsets: csr.Offsets, Targets: csr.Targets, IDs: ids,
	}
	if g.Kind == graph.KindI32 {
		g.I32 = words[int32](csr.Weights)
	} else {
		g.F32 = words[float32](csr.Weights)
	}
	if err := g.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w: graph.csr: %w; import the graph again", p.Dir(), tiles.ErrCorrupt, err)
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
	}
	p.ids = &ids
	return ids, nil
}

// variant returns the arithmetic that the graph's numbers need.
func (p *Problem) variant() kernels.Variant { return VariantOf(string(p.meta.Kind), p.meta.Negative) }

// noPath returns the stored entry of what is unreachable.
func (p *Problem) noPath() uint32 {
	if p.meta.Kind == tiles.F32 {
		return math.Float32bits(float32(math.Inf(1)))
	}
	return uint32(kernels.Inf32)
}

// VariantOf returns the arithmetic that a kind, "i32" or "f32", needs.
func VariantOf(kind string, negative bool) kernels.Variant {
	switch {
	case kind == string(tiles.I32) && negative:
		return kernels.I32Signed
	case kind == string(tiles.I32):
		return kernels.I32
	case negative:
		return kernels.F32Signed
	}
	return kernels.F32
}

// Status says how far the store is, from its files alone.
func (p *Problem) Status() (Status, error) {
	state, counts, err := p.store.State()
	if err != nil {
		return Status{}, err
	}
	st := p.status()
	st.Elapsed = state.Elapsed.Seconds()
	st.Progress = float64(state.Done) / float64(p.geom.RowCount())
	st.RestorePoint = st.Progress
	st.ETA = -1
	st.Algorithm = "" // whatever the next run picks
	if counts {
		st.Algorithm = state.Algorithm
	}
	if st.Algorithm == AlgorithmEliminate {
		st.Stage, st.Rows, st.RowsDone = StageExpand, p.geom.RowCount(), int(state.Done)
	}
	core := 0
	if !counts {
		if core, err = p.coreLeft(); err != nil {
			return Status{}, err
		}
	}
	settled := false
	if counts && state.Done == int64(p.geom.RowCount()) {
		if settled, err = p.settled(); err != nil {
			return Status{}, err
		}
	}
	switch {
	case core > 0:
		st.State, st.Algorithm, st.Stage, st.Rows = "unfinished", AlgorithmEliminate, StageCore, p.geom.RowCount()
	case !counts:
		st.State = "new"
	case settled:
		st.State, st.ETA = "solved", 0
	default:
		st.State = "unfinished"
	}
	return st, nil
}

func (p *Problem) status() Status {
	return Status{
		Store: p.Dir(), Vertices: p.meta.N, Arcs: p.meta.Arcs, Kind: string(p.meta.Kind), Algorithm: AlgorithmBlocked,
	}
}

func (p *Problem) summary(d kernels.Device) Summary {
	return Summary{
		Store: p.Dir(), Vertices: p.meta.N, Arcs: p.meta.Arcs, Kind: string(p.meta.Kind), Algorithm: AlgorithmBlocked,
		Device: d.Info().Model, Ceiling: Ceiling(d, p.variant()),
	}
}

// DefaultTile returns the tile edge for n vertices when nothing else decides it.
func DefaultTile(n int) int {
	for _, t := range []int{512, 256, 128} {
		if n >= 8*t {
			return t
		}
	}
	return 64
}

// weightBytes views a graph's weights as stored: 4 bytes each, little-endian.
func weightBytes(g *graph.Graph) []byte {
	if g.Kind == graph.KindI32 {
		return bytesOf(g.I32)
	}
	return bytesOf(g.F32)
}

func bytesOf[E int32 | float32](s []E) []byte {
	if len(s) == 0 {
		return []byte{}
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), 4*len(s))
}

// words views 4-byte little-endian entries as numbers; b comes from an allocation aligned for them.
func words[E int32 | float32](b []byte) []E {
	if len(b) == 0 {
		return []E{}
	}
	return unsafe.Slice((*E)(unsafe.Pointer(&b[0])), len(b)/4)
}

// entries returns memory for n stored entries, aligned for them.
func entries(n int) []byte {
	w := make([]uint32, n)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), 4*n)
}

// words32 views stored entries as bits.
func words32(b []byte) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}

// Discard gives up the store, so that Create can make another in its place. Close follows.
func (p *Problem) Discard() error { return p.store.Discard() }
