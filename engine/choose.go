package engine

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"ooc/engine/graph"
	"ooc/engine/sparse"
	"ooc/kernels"
	"ooc/tiles"
)

// The ways to solve, beside those of byRounds.
const (
	AlgorithmAuto      = "auto"      // whichever should end first
	AlgorithmEliminate = "eliminate" // eliminate vertices, solve the core, expand: see package sparse
)

// Algorithms lists them, with those of byRounds.
var Algorithms = algorithmNames()

func algorithmNames() []string {
	names := []string{AlgorithmAuto, byRounds[0].name, AlgorithmEliminate}
	for _, w := range byRounds[1:] {
		names = append(names, w.name)
	}
	return names
}

// ErrAlgorithm is wrapped by the error of an algorithm that is not there, or cannot solve what it is asked to.
var ErrAlgorithm = errors.New("wrong algorithm")

// EliminatePlan says what a solve by elimination will do and how long that should take.
type EliminatePlan struct {
	Eliminated int   `json:"eliminated"` // vertices
	Core       int   `json:"core"`       // vertices left
	Fill       int64 `json:"fill"`       // arcs kept from eliminated vertices up
	Rows       int   `json:"rows"`       // of distances, to be written

	// Of an expansion on the device; zero where the processor does it.
	Lanes       int   `json:"lanes,omitempty"`        // rows of a batch
	Batches     int   `json:"batches,omitempty"`      // on their way at a time
	DeviceBytes int64 `json:"device_bytes,omitempty"` // for all of it

	OrderSeconds     float64 `json:"order_seconds"` // spent already
	EliminateSeconds float64 `json:"eliminate_seconds"`
	CoreSeconds      float64 `json:"core_seconds"`
	ExpandSeconds    float64 `json:"expand_seconds"`
	Seconds          float64 `json:"seconds"` // of these three
}

// Choice is how a problem will be solved.
type Choice struct {
	Algorithm string
	Tile      int            // tile edge
	Rounds    *Plan          // nil: not asked for, or not possible
	Eliminate *EliminatePlan // nil: not asked for, or not possible

	order *sparse.Order
}

// Choose picks algorithm and tile edge for a new problem by what should end first. It fails with ErrMemory
// where a limit is too small, and with ErrAlgorithm where the algorithm that is asked for is not possible.
func Choose(w Weights, d kernels.Device, l Limits) (_ *Choice, err error) {
	if d, err = l.device(d); err != nil {
		return nil, err
	}
	rates, err := l.measure(w, d)
	if err != nil {
		return nil, err
	}
	return choose(w, d.Info(), rates, l.withDefaults(d.Info()))
}

// measure returns the rates that choosing takes.
func (l *Limits) measure(w Weights, d kernels.Device) (Rates, error) {
	f := w.Facts()
	v := VariantOf(string(f.Kind), f.Negative)
	r, err := ratesFor(roundsNamed(l.Algorithm), d, v, f.N)
	if err == nil && l.mayEliminate(w) {
		err = r.measureLevels(d, v)
	}
	return r, err
}

// mayEliminate reports whether elimination is to be looked at.
func (l *Limits) mayEliminate(w Weights) bool {
	_, isGraph := w.(*graph.Graph)
	return isGraph && roundsNamed(l.Algorithm) == nil && !l.Predecessors
}

func choose(w Weights, info kernels.Info, r Rates, l Limits) (*Choice, error) {
	g, isGraph := w.(*graph.Graph)
	if err := l.checkAlgorithm(isGraph); err != nil {
		return nil, err
	}
	c := &Choice{}
	var err error
	asked, way := roundsNamed(l.Algorithm), roundsOrFirst(l.Algorithm)
	if l.Algorithm != AlgorithmEliminate && len(l.Sources) == 0 {
		if err = c.planRounds(way, w.Facts(), info, r, l); err != nil && (asked != nil || !errors.Is(err, ErrMemory)) {
			return nil, err
		}
	}
	if l.mayEliminate(w) {
		err = errors.Join(err, c.planEliminate(g, info, r, l))
	}
	switch {
	case c.Eliminate == nil && c.Rounds == nil:
		return nil, err
	case c.Eliminate == nil || c.Rounds != nil && c.Rounds.Seconds-c.Rounds.SyncSeconds <= c.Eliminate.Seconds:
		c.Algorithm, c.Tile = way.name, c.Rounds.Tile
	default:
		c.Algorithm, c.Tile = AlgorithmEliminate, l.Tile
		if c.Tile == 0 {
			c.Tile = rowTile(c.Eliminate.Rows, w.Facts().N)
		}
	}
	return c, nil
}

// rowTile returns the tile edge for rows that are written a row of tiles at a time, by several goroutines that
// each hold one.
func rowTile(rows, n int) int {
	const most = 64 << 20
	t := DefaultTile(rows)
	for t > 64 && t*n*kernels.EntryBytes > most {
		t /= 2
	}
	return t
}

// keepsTrees fails where an algorithm that is asked for keeps no predecessors.
func keepsTrees(algorithm string) error {
	way := roundsNamed(algorithm)
	if algorithm == "" || algorithm == AlgorithmAuto || way != nil && way.tracks {
		return nil
	}
	return fmt.Errorf("%w: %s keeps no predecessors, %s does: leave the algorithm to the plan; or do without them: "+
		"ooc path and ooc export --predecessors find those of a sparse graph by its arcs", ErrAlgorithm, algorithm, AlgorithmBlocked)
}

func (l *Limits) checkAlgorithm(isGraph bool) error {
	switch {
	case l.Algorithm != "" && !slices.Contains(Algorithms, l.Algorithm):
		return fmt.Errorf("%w %q: there are %v", ErrAlgorithm, l.Algorithm, Algorithms)
	case l.Algorithm == AlgorithmEliminate && !isGraph:
		return fmt.Errorf("%w: a matrix has no sparse graph to eliminate vertices of; leave the algorithm to the plan", ErrAlgorithm)
	case l.Predecessors && keepsTrees(l.Algorithm) != nil:
		return keepsTrees(l.Algorithm)
	case len(l.Sources) > 0 && l.Predecessors:
		return fmt.Errorf("%w: predecessors are kept in rounds, which need every row, not only those of chosen sources", ErrAlgorithm)
	case len(l.Sources) > 0 && !isGraph:
		return fmt.Errorf("%w: chosen sources need a sparse graph, and the input is a matrix; solve all of it", ErrAlgorithm)
	case len(l.Sources) > 0 && roundsNamed(l.Algorithm) != nil:
		return fmt.Errorf("%w: %s needs every row, not only those of chosen sources; leave the algorithm to the plan", ErrAlgorithm, l.Algorithm)
	}
	return nil
}

// planRounds plans rounds over the whole matrix.
func (c *Choice) planRounds(way *rounds, f graph.Facts, info kernels.Info, r Rates, l Limits) (err error) {
	t := l.Tile
	if t == 0 {
		if t, err = ChooseTile(f.N, info, r, l); err != nil {
			return err
		}
	}
	p, err := way.plan(tiles.Geometry{N: f.N, T: t, EntryBytes: l.entryBytes()}, 0, info, r, l)
	if err == nil {
		c.Rounds = &p
	}
	return err
}

// planEliminate orders the vertices, as far as that promises to pay, and picks where to stop. It fails with
// ErrMemory where a limit is too small for that.
func (c *Choice) planEliminate(g *graph.Graph, info kernels.Info, r Rates, l Limits) error {
	if need := leastScratch(rowsOf(l, g.N), g.N, l.Tile); l.HostMemory > 0 && need > l.HostMemory {
		return fmt.Errorf("%w: host memory %d bytes; expanding rows of %d vertices needs at least %d bytes", ErrMemory, l.HostMemory, g.N, need)
	}
	rows := rowsOf(l, g.N)
	began, most := time.Now(), largestCore()
	perRelaxation := 1 / (coreShare * r.Kernel)
	if c.Rounds != nil { // a plan for rounds knows better
		perRelaxation = (c.Rounds.Seconds - c.Rounds.SyncSeconds) / math.Pow(float64(g.N), 3)
	}
	x := &expander{info: info, rows: rows, tile: l.Tile, rates: &r}
	if x.tile == 0 {
		x.tile = rowTile(rows, g.N)
	}
	seconds := func(w sparse.Work) float64 { return x.eliminate(w, perRelaxation, 0).Seconds }
	o := sparse.NewOrder(g, sparse.OrderOptions{Sources: rows, Seconds: seconds, MaxFill: maxFill()})
	best := o.Best(func(w sparse.Work) float64 {
		if w.Core > most {
			return math.Inf(1)
		}
		return seconds(w)
	})
	if best.Eliminated == 0 && c.Rounds != nil && l.Algorithm != AlgorithmEliminate {
		return nil
	}
	if best.Vertices == 0 { // no stopping point will do
		return fmt.Errorf("%w: elimination leaves more than %d vertices, whose matrix has to stay in host memory while rows are expanded", ErrMemory, most)
	}
	if best.Core > 0 {
		core := tiles.Geometry{N: best.Core, T: DefaultTile(best.Core), EntryBytes: kernels.EntryBytes}
		l.Round = 0
		if _, err := MakePlan(core, 0, info, r, l); err != nil && oneTile(best.Core) > info.Memory-info.Scratch {
			return fmt.Errorf("the core that elimination leaves: %w", err)
		}
	}
	p := x.eliminate(best, perRelaxation, preferDevice)
	p.OrderSeconds = time.Since(began).Seconds()
	c.Eliminate, c.order = &p, o
	return nil
}

// leastScratch is the memory without which no row of n vertices can be expanded, if the core is small.
func leastScratch(rows, n, tile int) int64 {
	if tile == 0 {
		tile = rowTile(rows, n)
	}
	return int64(n+1)*kernels.LaneUnit*kernels.EntryBytes + int64(ceilDiv(n, tile))*int64(tile)*int64(tile)*kernels.EntryBytes
}

// rowsOf is how many rows are wanted.
func rowsOf(l Limits, n int) int {
	if len(l.Sources) > 0 {
		return len(l.Sources)
	}
	return n
}

// maxFill is how many arcs up there is room for.
func maxFill() int64 {
	if free := freeMemory(); free > 0 {
		return min(sparse.DefaultMaxFill, free/2/sparse.ArcBytes)
	}
	return sparse.DefaultMaxFill
}

// What the stages reach of the rate of products, by measurement on two cores with AVX-512 (docs/benchmarks.md);
// relaxations/s of one thread for the numeric elimination.
const (
	eliminateRate = 250e6
	// Threads that numeric elimination keeps busy: most of its work is at the top of the tree. On 16 cores it took
	// 0.27 s where two would have taken 0.26 s.
	eliminateThreads = 2
	sweepShare       = 0.35
	crossShare       = 0.7
	writeRate        = 600e6 // bytes/s of one thread into a file that was never written: the system finds pages
	fileRate         = 2e9   // bytes/s of all threads on the H100's host: writes to one file take turns, and go on to its disk
	coreShare        = 0.7
	stageSeconds     = 1e-3  // to begin
	coreCopies       = 5e-10 // seconds a byte: to fill a core's matrix, and to bring it to a GPU and back
	storeCopies      = 2     // times as long where the core is in a store
)

// eliminate predicts the times of a solve by elimination, whose core takes so many seconds for each of its relaxations
// where it is closed in rounds. The device expands where it takes no longer than the processor, or some seconds longer.
func (x *expander) eliminate(w sparse.Work, perRelaxation, longer float64) EliminatePlan {
	p := EliminatePlan{Eliminated: w.Eliminated, Core: w.Core, Fill: w.Fill, Rows: x.rows}
	r := x.rates
	p.EliminateSeconds = w.Eliminate/(eliminateRate*float64(min(threads(), eliminateThreads))) + stageSeconds
	p.CoreSeconds = w.Rounds * perRelaxation
	if !x.info.SharedCores {
		p.CoreSeconds += storeCopies * float64(oneTile(w.Core)) * coreCopies
		if closesAtOnce(w.Core, x.info) {
			p.CoreSeconds = r.closure(float64(w.Core)) + float64(oneTile(w.Core))*coreCopies
		}
	}
	host := r.host()
	p.ExpandSeconds = (w.Climb+w.Sweep)/(sweepShare*host) + w.Cross/(crossShare*host) + x.bytes(w)/fileWrites() + stageSeconds
	x.widen(&p, w, p.ExpandSeconds*(1+longer)+longer)
	p.Seconds = p.EliminateSeconds + p.CoreSeconds + p.ExpandSeconds
	return p
}

// fileWrites returns the bytes/s at which rows are written.
func fileWrites() float64 { return min(writeRate*float64(threads()), fileRate) }

// host returns the relaxations/s of products on the processor, which does the expansion.
func (r Rates) host() float64 {
	if r.Host > 0 {
		return r.Host
	}
	return r.Kernel
}

// largestCore returns the vertices of the largest core whose matrix may stay in memory while rows are expanded.
func largestCore() int {
	free := freeMemory()
	if free == 0 {
		return math.MaxInt32
	}
	return int(math.Sqrt(float64(free) / 2 / kernels.EntryBytes))
}

// threads is how many goroutines expand.
func threads() int { return runtime.GOMAXPROCS(0) }

// begun returns the algorithm that a store has to go on with, "" where nothing is there to go on from.
func (p *Problem) begun(state tiles.State) (string, error) {
	if state.Done > 0 {
		if !slices.Contains(Algorithms, state.Algorithm) {
			return "", fmt.Errorf("%w: %s was begun by algorithm %q, which this version does not know; go on with the one that began it, or begin again with --restart",
				ErrAlgorithm, p.Dir(), state.Algorithm)
		}
		return state.Algorithm, nil
	}
	left, err := p.coreLeft()
	if err == nil && left > 0 {
		return AlgorithmEliminate, nil
	}
	return "", err
}

// algorithm returns what a store has to go on with, given what is asked for.
func (p *Problem) algorithm(asked, begun string) (string, error) {
	if err := keepsTrees(asked); p.meta.Predecessors && err != nil {
		return "", err
	}
	switch {
	case begun == "":
		return asked, nil
	case asked != "" && asked != begun && countPivots(asked, begun):
		return asked, nil
	case asked != "" && asked != AlgorithmAuto && asked != begun:
		return "", fmt.Errorf("%w: %s was begun by algorithm %s; go on with that, or begin again with --restart", ErrAlgorithm, p.Dir(), begun)
	}
	return begun, nil
}

// choose returns how to go on with what was begun by an algorithm, or by none.
func (p *Problem) choose(o Options, begun string) (*Choice, error) {
	algorithm, err := p.algorithm(o.Algorithm, begun)
	if err != nil {
		return nil, err
	}
	if way := roundsNamed(algorithm); way != nil && len(p.meta.Sources) == 0 {
		return &Choice{Algorithm: way.name, Tile: p.geom.T}, nil
	}
	if (p.meta.Dense || p.meta.Predecessors) && algorithm != AlgorithmEliminate {
		return &Choice{Algorithm: roundsOrFirst(algorithm).name, Tile: p.geom.T}, nil
	}
	c := p.choice
	if c == nil || algorithm != "" && algorithm != AlgorithmAuto && c.Algorithm != algorithm {
		g, err := p.Graph()
		if err != nil {
			return nil, err
		}
		l := Limits{HostMemory: o.HostMemory, Round: o.Round, Streams: o.Streams, Tile: p.geom.T, Algorithm: algorithm, Sources: p.meta.Sources, Predecessors: p.meta.Predecessors}
		if c, err = Choose(g, o.Device, l); err != nil {
			return nil, err
		}
	}
	if begun != AlgorithmEliminate {
		return c, nil
	}
	core, err := p.coreLeft()
	if err != nil {
		return nil, err
	}
	if eliminated := p.geom.N - core; core > 0 && c.order != nil && eliminated <= c.order.Limit {
		c.Eliminate.Eliminated, c.Eliminate.Core = eliminated, core // as the run before that began to solve this core
	}
	return c, nil
}
