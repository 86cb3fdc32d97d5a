package prove

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/graph/dense"
	"ooc/engine/internal/parallel"
	"ooc/engine/tree"
	"ooc/kernels"
	"ooc/kernels/cpu"
	"ooc/kernels/entry"
)

// Options say how to prove.
type Options struct {
	// Device proves what it can, as devices that it stands for do together, and the processor the rest; nil: the
	// processor proves all.
	Device   kernels.Device
	Progress func(rows, of int) // called now and then with the rows that are done, one call at a time; may be nil
}

// Proof says what was proved: that every entry of a matrix is the distance in a sparse graph.
type Proof struct {
	Rows     int     `json:"rows"`     // all there are; columns, of a matrix in Fortran order
	Entries  int64   `json:"entries"`  // in them
	Checks   int64   `json:"checks"`   // sums of an entry and an arc that were compared
	Trees    int     `json:"trees"`    // rows whose predecessors were checked, too
	Searched int     `json:"searched"` // rows that a search had to decide as well
	Worst    float64 `json:"worst"`    // of those, the largest difference as a fraction of what rounding allows
	Seconds  float64 `json:"seconds"`
}

// All proves every entry of a solved store of a sparse graph, in one pass over the matrix and n·m steps. It fails with
// engine.ErrWrong, naming tile and vertices, if an entry is not the distance; in f32, if it differs by more than the
// rounding that docs/promises.md allows. It fails with tiles.ErrNoCSR if the input was a matrix, and with
// engine.ErrUnsolved. If the store keeps predecessors, they are checked too.
//
// The distances d from s are the only row with d(s) = 0 and, for every other v, d(v) = min over arcs (x,v) of d(x) +
// w(x,v). That minimum is at most the length of any path. And the arcs that attain it, followed backwards, can end
// only in s, since d falls along them. Around a cycle of length 0 it does not fall: there, wrong values could justify
// each other. So vertices that such cycles join are taken as one group. Only arcs into the group from outside count,
// and the differences of d within it are known. Unreachable entries are infinite; the argument holds for them too.
//
// In f32, d(v) may differ from the minimum by one rounding for each arc. That is still a proof if the smallest weight
// is larger than what rounding can change in the largest distance. A row for which it is not, or with an entry that
// differs by more than one rounding, is compared with a search in float64 instead, which takes vertices in the order
// of their entries. So are all rows if there are weights of 0 or below, and in f64.
func All(ctx context.Context, p *engine.Problem, o Options) (Proof, error) {
	if err := p.Solved(); err != nil {
		return Proof{}, err
	}
	g, err := p.Graph()
	if err != nil {
		return Proof{}, err
	}
	proof, err := prove(ctx, g, storeSource(p), o)
	if err != nil || !p.Meta().Predecessors {
		return proof, err
	}
	began, rows := time.Now(), make([]int, p.Geometry().N)
	for i := range rows {
		rows[i] = i
	}
	err = verifyTrees(ctx, p, rows)
	proof.Trees, proof.Seconds = len(rows), proof.Seconds+time.Since(began).Seconds()
	return proof, err
}

// Matrix proves every entry of a matrix of distances in a .npy file, whatever program wrote it, as All does: entry
// [u,v] is the distance from row u to row v of g, in the input's units. Unreachable is +Inf, or in integer types the
// type's maximum. The file may be in C or Fortran order. It fails with graph.ErrBadInput if the file is no such
// matrix.
func Matrix(ctx context.Context, g *graph.Graph, file string, o Options) (proof Proof, err error) {
	m, err := dense.OpenDistances(file)
	if err != nil {
		return Proof{}, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if n := m.Facts().N; n != g.N {
		return Proof{}, &graph.InputError{File: file,
			Reason: fmt.Sprintf("%d×%d distances, but the graph has %d vertices", n, n, g.N)}
	}
	if m.ByColumn() { // a column holds the distances from its vertex once all arcs are reversed
		g = g.Reverse()
	}
	return prove(ctx, g, matrixSource(g, m), o)
}

// source is a matrix of distances to prove.
type source struct {
	kind   entry.Kind
	rows   int
	width  int                               // entries of a row that pieces give, padding included, or more
	vertex func(row int) int                 // whose distances a row holds
	values func() rowReader                  // one for each goroutine
	pieces func(most int) pieceReader        // likewise, of at most so many rows at once
	memory func(most int) (int64, error)     // that such a reader takes
	edge   int                               // pieces are of the same rows number edge·k to edge·(k+1)-1; 0: of any
	wrong  func(row int, d difference) error // says what is wrong
	ahead  func(row int)                     // what is read from this row on is wanted soon
}

// rowReader reads a row into dst, in stored units, unreachable as +Inf.
type rowReader = func(dst []float64, row int) error

// pieceReader reads rows first…first+count-1 and gives them to take in pieces of some columns, from left to right. A
// piece has room for as many rows as the reader may be asked for, of a width that is a multiple of
// kernels.HostLaneUnit. Entries beyond the last vertex are anything.
type pieceReader func(first, count int, take func(column int, piece []byte, width int)) error

// lanesAtOnce is how many rows are proved at a time, one in each lane. Relaxing an arc loads cache lines, and more
// lanes use more of them that lie side by side. But all their distances together should stay in the second-level
// cache.
const lanesAtOnce = 32

type prover struct {
	source
	g       *graph.Graph
	ops     kernels.HostLaneOps
	variant entry.Variant
	arcs    *tightArcs

	mu    sync.Mutex
	proof Proof // guarded by mu
	done  int   // of progress alone, which is called once at a time
}

func prove(ctx context.Context, g *graph.Graph, src source, o Options) (proof Proof, err error) {
	began := time.Now()
	device, err := cpu.Open(cpu.Options{})
	if err != nil {
		return Proof{}, err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	pr := &prover{source: src, g: g, ops: device, variant: g.Kind.Wide().Variant(g.Negative)}
	pr.proof = Proof{Rows: src.rows, Entries: int64(src.rows) * int64(g.N)}
	blocks := entry.CeilDiv(src.rows, lanesAtOnce)
	if pr.bySearch() {
		err = parallel.Do(ctx, src.rows, func() func(int) error { return pr.newSearcher().row },
			func() { pr.progress(o, 1) })
		pr.proof.Seconds = time.Since(began).Seconds()
		return pr.proof, err
	}
	if pr.arcs, err = newTightArcs(ctx, g, src.width); err != nil {
		return Proof{}, err
	}
	done, err := pr.onDevices(ctx, o)
	if !done && err == nil {
		err = parallel.Do(ctx, blocks, func() func(int) error {
			w := pr.newWorker()
			return func(b int) error { return w.block(b * lanesAtOnce) }
		}, func() { pr.progress(o, lanesAtOnce) })
	}
	pr.proof.Checks = int64(src.rows) * int64(len(pr.arcs.Ends))
	pr.proof.Seconds = time.Since(began).Seconds()
	return pr.proof, err
}

// bySearch reports whether every row needs a search: in f32, if weights are so small that rounding may hide them, and
// in f64.
func (pr *prover) bySearch() bool {
	return pr.g.Kind == entry.KindF64 || pr.g.Kind == entry.KindF32 && len(pr.g.Targets) > 0 && pr.g.MinWeight <= 0
}

func (pr *prover) progress(o Options, rows int) {
	if pr.done = min(pr.done+rows, pr.rows); o.Progress != nil {
		o.Progress(pr.done, pr.rows)
	}
}

// searcher compares rows with searches. It is for one goroutine.
type searcher struct {
	*prover
	c comparison
}

func (pr *prover) newSearcher() *searcher {
	got := make([]float64, pr.g.N)
	return &searcher{prover: pr,
		c: comparison{kind: pr.kind, judge: nearJudge{tree.NewSearch(pr.g), got}, got: got, read: pr.values()}}
}

func (s *searcher) row(row int) error {
	wrong, worst, err := s.c.row(row, s.vertex(row))
	if err != nil {
		return err
	}
	if wrong != nil {
		return s.wrong(row, *wrong)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.proof.Searched++
	s.proof.Worst = max(s.proof.Worst, worst)
	return nil
}

// worker proves blocks of rows. It is for one goroutine.
type worker struct {
	*prover
	read   pieceReader
	places []int64       // where the rows of m begin
	m      kernels.Lanes // the distances, vertex by vertex, and from row width on their minima
	words  []uint32      // of m
	bad    [lanesAtOnce]bool
	most   uint32 // in f32, the bits of the largest finite distance
	first  int    // row of lane 0
	count  int    // lanes in use
	search *searcher
}

func (pr *prover) newWorker() *worker {
	w := &worker{prover: pr, read: pr.pieces(lanesAtOnce), search: pr.newSearcher(), places: make([]int64, pr.width)}
	for v := range w.places {
		w.places[v] = int64(v) * lanesAtOnce * entry.WordBytes
	}
	w.m = kernels.Lanes{Data: alignedEntries((pr.width + pr.g.N) * lanesAtOnce), Width: lanesAtOnce,
		Entry: entry.WordBytes}
	w.words = entry.View[uint32](w.m.Data)
	return w
}

// block proves lanesAtOnce rows from first on, or those that are left.
func (w *worker) block(first int) error {
	w.first, w.count, w.most = first, min(lanesAtOnce, w.rows-first), 0
	clear(w.bad[:])
	w.ahead(first)
	err := w.read(first, w.count, func(column int, piece []byte, width int) {
		rows := kernels.Lanes{Data: piece, Width: width, Entry: entry.WordBytes}
		w.ops.Transpose(w.m.Data, w.places[column:column+width], rows, laneColumns, false)
	})
	if err != nil {
		return err
	}
	for l := range w.count {
		w.bad[l] = w.lane(w.vertex(first + l))[l] != 0 // in every kind, 0 is all bits 0
	}
	for lo := 0; lo < w.g.N; lo += sweepChunk {
		hi := min(lo+sweepChunk, w.g.N)
		w.ops.Sweep(w.variant, w.m, &w.arcs.Arcs, w.width+lo, w.width+hi, nil)
		w.compare(lo, hi)
	}
	w.compareMembers()
	hidden := w.g.Kind == entry.KindF32 &&
		float64(math.Float32frombits(w.most))*2*entry.KindF32.RoundingSlack() >= w.g.MinWeight
	for l := range w.count {
		if w.bad[l] || hidden {
			if err := w.decide(first + l); err != nil {
				return err
			}
		}
	}
	return nil
}

// sweepChunk is how many minima are computed before they are compared, while they are in the cache.
const sweepChunk = 256

// decide searches a row that differed.
func (w *worker) decide(row int) error {
	if err := w.search.row(row); err != nil {
		return err
	}
	if !w.g.Kind.Float() {
		return fmt.Errorf("%w: row %d breaks a relation with its arcs, though a search finds its distances: a fault "+
			"of the machine, or a bug", engine.ErrWrong, row)
	}
	return nil
}

// lane returns the words of row r of m.
func (w *worker) lane(r int) *[lanesAtOnce]uint32 {
	return (*[lanesAtOnce]uint32)(w.words[r*lanesAtOnce:])
}

// compare looks for lanes in which a distance to one of the vertices lo…hi-1 is not the minimum over its arcs.
func (w *worker) compare(lo, hi int) {
	least, span := int32(0), entry.Inf32 // of entries with which sums cannot wrap
	if w.variant == entry.I32Signed {
		least, span = -entry.Inf32, 2*entry.Inf32
	}
	for v := lo; v < hi; v++ {
		if w.arcs.group != nil && int(w.arcs.group[v]) != v {
			continue
		}
		got, want := w.lane(v), w.lane(w.width+v)
		var differ, beyond uint32
		for l := range got {
			differ |= got[l] ^ want[l]
			above := got[l] - uint32(least)
			// As int32, negative where got is below least, or more than span above it.
			beyond |= above | (uint32(span) - above)
		}
		if w.variant == entry.F32 {
			w.compareFloats(v, got, want)
		} else if differ != 0 || int32(beyond) < 0 {
			w.compareInts(v, got, want)
		}
	}
}

// compareInts finds the lanes in which an entry that counts differs.
func (w *worker) compareInts(v int, got, want *[lanesAtOnce]uint32) {
	for l := range w.count {
		d, least := int32(got[l]), int32(want[l])
		if d != entry.Inf32 && (d >= entry.Inf32 || w.variant == entry.I32 && d < 0 ||
			w.variant == entry.I32Signed && (d >= entry.Limit32 || d <= -entry.Limit32)) {
			w.bad[l] = true // sums with it might wrap
		}
		s := w.vertex(w.first + l)
		if group, _ := w.arcs.of(s); group == v {
			w.bad[l] = w.bad[l] || least < d // d is seen to in block and compareMembers
		} else if d != least {
			w.bad[l] = true
		}
	}
}

// compareMembers looks for lanes in which distances within a group differ from what they must be.
func (w *worker) compareMembers() {
	for _, v := range w.arcs.members {
		r, offset := w.arcs.of(int(v))
		got, first := w.lane(int(v)), w.lane(r)
		for l := range w.count {
			want := int32(first[l])
			if want != entry.Inf32 {
				want += offset
			}
			if int32(got[l]) != want {
				w.bad[l] = true
			}
		}
	}
}

// compareFloats finds the lanes in which a distance misses the minimum by more than a rounding.
func (w *worker) compareFloats(v int, got, want *[lanesAtOnce]uint32) {
	const inf = 0x7f800000
	for l := range w.count {
		d, least := got[l], want[l]
		if d < inf {
			w.most = max(w.most, d)
		}
		if d == least && d <= inf {
			continue
		}
		if d < inf && least < inf && d-least+1 <= 2 { // neighbours among the numbers
			continue
		}
		if w.vertex(w.first+l) == v { // block has seen that it is 0
			continue
		}
		x, y := float64(math.Float32frombits(d)), float64(math.Float32frombits(least))
		if !(math.Abs(x-y) <= entry.KindF32.RoundingSlack()*3/4*y) || math.IsInf(y, 1) { // the sum was rounded, too
			w.bad[l] = true
		}
	}
}
