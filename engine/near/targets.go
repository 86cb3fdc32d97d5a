package near

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"runtime"
	"slices"
	"unsafe"

	"github.com/dustin/go-humanize"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/internal/parallel"
	"ooc/engine/text"
	"ooc/kernels/entry"
	"ooc/tiles/disk"
)

// checkTargets refuses lists that name no rows of a graph, or one twice.
func (o Options) checkTargets(n int) error {
	if o.Targets != nil && len(o.Targets) == 0 {
		return text.ErrorOf(graph.ErrOptions, "targets: want one or more")
	}
	for i, t := range o.Targets {
		if t < 0 || int(t) >= n || i > 0 && t <= o.Targets[i-1] {
			return text.ErrorOf(graph.ErrOptions, "targets: want rows of %d, ascending; place %d has %d", n, i, t)
		}
	}
	return nil
}

// targetsDigest is what the head of a spool says of targets; "" where all other vertices are some.
func targetsDigest(targets []int32) string {
	if targets == nil {
		return ""
	}
	sum := sha256.Sum256(entry.Bytes(targets))
	return hex.EncodeToString(sum[:])
}

// answer is what searches from targets have found, in memory.
type answer struct {
	pairs int64
	row   func(b *batch, row int) // adds a row to a batch
}

// fromTargets finds the targets that are near each vertex by searches from the targets on reversed arcs, since there
// are fewer of them than of vertices. It keeps all in memory, and then puts missing rows into the spool.
func fromTargets(ctx context.Context, g *graph.Graph, m *matrix, missing [][2]int, o Options) error {
	if !g.Symmetric {
		g = g.Reverse()
	}
	s, err := newSearcher(ctx, g, Question{Within: o.Within, Self: true})
	if err != nil {
		return err
	}
	progress := func(share float64) {
		if o.Progress != nil {
			o.Progress(int(min(1, share)*float64(g.N)), g.N)
		}
	}
	k := min(o.Nearest, len(o.Targets))
	var found answer
	if k == 0 {
		found, err = s.columns(ctx, o.Targets, progress)
	} else {
		found, err = s.nearest(ctx, o.Targets, k, g.Negative, progress)
	}
	if err != nil {
		return err
	}
	_, held := m.held()
	if err := m.room(o.File.Path, float64(found.pairs-held)); err != nil {
		return err
	}
	return m.put(missing, found)
}

// put puts rows into the spool.
func (m *matrix) put(missing [][2]int, found answer) error {
	b := new(batch)
	for _, rows := range missing {
		b.reset(rows[0])
		for row := rows[0]; row < rows[1]; row++ {
			found.row(b, row)
			if row+1 < rows[1] && b.bytes() < batchBytes {
				continue
			}
			b.pack(m.kind)
			if err := m.append(b.record, b.parts); err != nil {
				return err
			}
			b.reset(row + 1)
		}
	}
	return nil
}

// enough fails if so many bytes are not free.
func enough(bytes float64, what string) error {
	free := device.FreeMemory()
	if free == 0 || bytes <= float64(free) {
		return nil
	}
	return text.ErrorOf(device.ErrMemory, "%s take %s of memory, and %s are free: ask for fewer, or name fewer targets",
		what, disk.Size(int64(min(bytes, math.MaxInt64/2))), disk.Size(free))
}

// each searches from each target, on all processors, and calls use with what is found, in the order of the targets.
// Lists are use's to keep.
func (s *searcher) each(ctx context.Context, targets []int32, progress func(share float64),
	use func(target int32, rows []int32, distances []byte)) error {
	type one struct {
		rows      []int32
		distances []byte
	}
	workers := make(chan Worker, runtime.GOMAXPROCS(0)+1) // as many as Ordered has goroutines, and more
	for range cap(workers) {
		workers <- nil
	}
	done := 0
	return parallel.Ordered(ctx, len(targets), len(targets), func(i int) (one, error) {
		w := <-workers
		defer func() { workers <- w }()
		if w == nil {
			w = s.Worker(ctx)
		}
		rows, distances, err := w.Row(int(targets[i]))
		return one{slices.Clone(rows), s.kind.Append(nil, distances)}, err
	}, func(x one) error {
		use(targets[done], x.rows, x.distances)
		done++
		progress(float64(done) / float64(len(targets)))
		return nil
	})
}

// columns finds all targets that are near each row.
func (s *searcher) columns(ctx context.Context, targets []int32, progress func(share float64)) (answer, error) {
	var ranges [][2]int
	for _, t := range targets {
		ranges = append(ranges, [2]int{int(t), int(t) + 1})
	}
	_, sure, _, err := s.sample(ctx, ranges)
	if err != nil {
		return answer{}, err
	}
	size := s.kind.Bytes()
	pairs := sure * float64(len(targets))
	what := "some " + humanize.CommafWithDigits(pairs, 0) + " pairs"
	if err := enough(pairs*float64(2*(columnBytes+size)), what); err != nil {
		return answer{}, err
	}
	var of [][]int32 // rows that are near each target
	var all [][]byte // and how far they are
	starts := make([]int64, s.n+2)
	err = s.each(ctx, targets, progress, func(_ int32, rows []int32, distances []byte) {
		of, all = append(of, rows), append(all, distances)
		for _, row := range rows {
			starts[row+2]++
		}
	})
	if err != nil {
		return answer{}, err
	}
	for row := range s.n {
		starts[row+2] += starts[row+1]
	}
	total := starts[s.n+1]
	columns, distances := make([]int32, total), make([]byte, total*int64(size))
	for i, t := range targets { // starts of each row move to those of the next
		for j, row := range of[i] {
			at := starts[row+1]
			columns[at] = t
			copy(distances[at*int64(size):], all[i][j*size:][:size])
			starts[row+1]++
		}
		of[i], all[i] = nil, nil
	}
	return answer{total, func(b *batch, row int) {
		lo, hi := starts[row], starts[row+1]
		b.counts = append(b.counts, uint32(hi-lo))
		b.columns = append(b.columns, columns[lo:hi]...)
		b.distances = append(b.distances, distances[lo*int64(size):hi*int64(size)]...)
	}}, nil
}

// label says how far a target is from a vertex.
type label[D number] struct {
	distance D
	target   int32
}

func (a label[D]) compare(b label[D]) int {
	return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.target, b.target))
}

// labels has places for k labels of each vertex, of different targets. Those that are left have a greater distance
// than all others.
type labels[D number] struct {
	k   int
	all []label[D]
}

// newLabels fails if the memory for that is not free.
func newLabels[D number](n, k int, far D) (labels[D], error) {
	free := label[D]{far, math.MaxInt32}
	err := enough(float64(n)*float64(k)*float64(unsafe.Sizeof(free)), fmt.Sprintf("the %d nearest of each vertex", k))
	if err != nil {
		return labels[D]{}, err
	}
	return labels[D]{k, slices.Repeat([]label[D]{free}, n*k)}, nil
}

// put puts a label in the place of the last one of a vertex, or of that with the same target, if it comes before that.
// It returns the place, -1 if it is not put anywhere.
func (l *labels[D]) put(v int, x label[D]) int {
	all, last := l.all[v*l.k:][:l.k], 0
	for i, a := range all {
		if a.target == x.target {
			last = i
			break
		}
		if a.compare(all[last]) > 0 {
			last = i
		}
	}
	if x.compare(all[last]) >= 0 {
		return -1
	}
	all[last] = x
	return v*l.k + last
}

// replace puts a label of another target in the place of the last one of a vertex, if it comes before that. The labels
// of each vertex are a heap then, the last one first, and put is not for these.
func (l *labels[D]) replace(v int, x label[D]) {
	all, at := l.all[v*l.k:][:l.k], 0
	if x.compare(all[0]) >= 0 {
		return
	}
	for {
		next := 2*at + 1
		if next+1 < len(all) && all[next+1].compare(all[next]) > 0 {
			next++
		}
		if next >= len(all) || x.compare(all[next]) >= 0 {
			break
		}
		all[at], at = all[next], next
	}
	all[at] = x
}

// answer makes one of the labels that are within a limit. place tells which vertex a row is.
func (l *labels[D]) answer(s *searcher, rounded func(D) float64, place func(row int) int) answer {
	near := func(a label[D]) bool { return a.target != math.MaxInt32 && rounded(a.distance) <= s.limit }
	var x answer
	for _, a := range l.all {
		if near(a) {
			x.pairs++
		}
	}
	var sorted []label[D]
	var columns []int32
	var distances []float64
	x.row = func(b *batch, row int) {
		v := place(row)
		sorted = append(sorted[:0], l.all[v*l.k:][:l.k]...)
		slices.SortFunc(sorted, func(a, b label[D]) int { return cmp.Compare(a.target, b.target) })
		columns, distances = columns[:0], distances[:0]
		for _, a := range sorted {
			if near(a) {
				columns, distances = append(columns, a.target), append(distances, rounded(a.distance))
			}
		}
		b.add(s.kind, columns, distances)
	}
	return x
}

// nearest finds the k nearest targets of each row; of those that are equally far, the first.
func (s *searcher) nearest(ctx context.Context, targets []int32, k int, negative bool, progress func(share float64)) (
	answer, error) {
	// The more labels a vertex has, the more time each takes. Searches from each target were faster beyond this, on two
	// processors. How many there are must not matter: in f32, the two ways may take different ones of targets whose
	// distances are rounded to the same.
	if !negative && s.n*k <= math.MaxInt32 && k*(k+50) < 12*len(targets) {
		return s.Worker(ctx).(interface {
			labelled(targets []int32, k int, progress func(share float64)) (answer, error)
		}).labelled(targets, k, progress)
	}
	l, err := newLabels(s.n, k, math.Inf(1))
	if err != nil {
		return answer{}, err
	}
	err = s.each(ctx, targets, progress, func(target int32, rows []int32, distances []byte) {
		for i, row := range rows {
			l.replace(int(row), label[float64]{s.kind.Value(s.kind.At(distances, i)), target})
		}
	})
	return l.answer(s, func(d float64) float64 { return d }, func(row int) int { return row }), err
}

// labelled searches from all targets at once with Dijkstra's algorithm. A vertex is taken once for each of its labels:
// what is behind a vertex on a shortest path to one of its k nearest targets has that among its k nearest, too.
func (w *worker[D, W]) labelled(targets []int32, k int, progress func(share float64)) (answer, error) {
	l, err := newLabels(w.n, k, w.far)
	if err != nil {
		return answer{}, err
	}
	last := D(w.above(max(w.limit, 0)))
	if w.limit >= 0 {
		for _, t := range targets {
			w.heap.Push(0, int32(l.put(int(w.at[t]), label[D]{0, t})))
		}
	}
	for taken := 0; len(w.heap) > 0; taken++ {
		top := w.heap.Pop()
		x := l.all[top.Vertex]
		if top.Key > x.distance {
			continue // it was taken before, or another one has its place
		}
		v := int(top.Vertex) / k
		for _, a := range w.arcs[w.first[v]:w.first[v+1]] {
			to := label[D]{x.distance + D(a.weight), x.target}
			if to.distance > last {
				break // they ascend
			}
			if place := l.put(int(a.to), to); place >= 0 {
				w.heap.Push(to.distance, int32(place))
			}
		}
		if err := w.poll.After(int64(k)*(w.first[v+1]-w.first[v]) + 1); err != nil {
			return answer{}, err
		}
		if taken%(1<<16) == 0 {
			progress(float64(taken) / float64(len(l.all)))
		}
	}
	return l.answer(w.searcher, w.rounded, func(row int) int { return int(w.at[row]) }), nil
}
