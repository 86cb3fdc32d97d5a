package near

import (
	"context"
	"runtime"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/rows"
)

// whole is a Worker over whole rows, which an engine computes some at a time.
type whole struct {
	*searcher
	rows   rows.Worker
	first  int // row in memory
	memory []byte

	row    []float64
	found  []int32
	values []float64
	ranked []float64
}

// wholeRows is how many rows are computed at a time.
const wholeRows = 32

func (w *whole) Row(u int) ([]int32, []float64, error) {
	each := w.n * w.kind.Bytes()
	if at := u - w.first; at < 0 || at >= len(w.memory)/each {
		sources := make([]int, min(wholeRows, w.n-u))
		for i := range sources {
			sources[i] = u + i
		}
		if w.row == nil {
			w.row, w.memory = make([]float64, w.n), w.kind.Make(wholeRows*w.n)
		}
		w.first, w.memory = u, w.memory[:each*len(sources)]
		if err := w.rows.ReadRows(w.memory, sources); err != nil {
			w.memory = w.memory[:0]
			return nil, nil, err
		}
	}
	w.kind.Values(w.row, w.memory[each*(u-w.first):][:each])
	w.found, w.values = w.found[:0], w.values[:0]
	for v, d := range w.row {
		if d <= w.limit && (v != u || w.self) {
			w.found, w.values = append(w.found, int32(v)), append(w.values, d)
		}
	}
	if len(w.found) > w.k {
		w.ranked = append(w.ranked[:0], w.values...)
		w.found, w.values = keep(w.k, choose(w.ranked, w.k-1), w.found, w.values)
	}
	return w.found, w.values, nil
}

func (w *whole) Close() error { return w.rows.Close() }

// way says how rows of a Searcher are found in least time, for any number of goroutines.
type way struct {
	Hands int // Workers that are best
	Open  func() (Worker, error)
	Close func() error
}

// Ready tries a few rows, and then takes searches, or, where that is offered for less time, whole rows; what is found
// is the same. ctx may end it, and the Workers.
func (s *searcher) Ready(ctx context.Context, g *graph.Graph, offer offer) (way, error) {
	_, _, seconds, err := s.sample(ctx, [][2]int{{0, s.n}})
	if err != nil {
		return way{}, err
	}
	ready, err := s.engine(ctx, g, offer, s.n, seconds*float64(s.n)/float64(runtime.GOMAXPROCS(0)))
	r := way{s.hands(ready), func() (Worker, error) { return s.open(ctx, ready) }, func() error { return nil }}
	if ready != nil {
		r.Close = ready.Close
	}
	return r, err
}

// open opens a Worker that has whole rows; ready is nil: one that searches.
func (s *searcher) open(ctx context.Context, ready rows.Ready) (Worker, error) {
	if ready == nil {
		return s.Worker(ctx), nil
	}
	w, err := ready.NewWorker(wholeRows)
	return &whole{searcher: s, rows: w}, err
}

// hands is how many Workers are best: one for each processor, or as many as a half of the free memory has room for
// whole rows of.
func (s *searcher) hands(ready rows.Ready) int {
	hands, room := runtime.GOMAXPROCS(0), device.FreeMemory()/2
	if ready == nil {
		return hands
	}
	const each = 8 + 4 + 8 + 8 // of row, found, values and ranked
	if bytes := ready.WorkerBytes(wholeRows) + int64(s.n*(wholeRows*s.kind.Bytes()+each)); room > 0 {
		hands = max(1, min(hands, int(room/bytes)))
	}
	return hands
}

// lookRate is how many distances a second one processor looks at, to find those that are near. It is a round number
// from below.
const lookRate = 5e8

// worthAsking is how many seconds more searches must take than that, for an engine to be asked: some order all vertices
// before they answer. It is a variable only for tests.
var worthAsking = 10.0

// engine makes the graph ready by an engine that computes so many rows whole in less time than searches take; nil: none
// does. It is not for floats, whose sums engines round in other ways than searches.
func (s *searcher) engine(
	ctx context.Context, g *graph.Graph, ask offer, count int, seconds float64,
) (rows.Ready, error) {
	looking := float64(count) * float64(s.n) / (lookRate * float64(runtime.GOMAXPROCS(0)))
	if ask == nil || s.kind.Float() || seconds-looking < worthAsking {
		return nil, nil
	}
	offer, err := ask(ctx, g, rows.Question{Rows: count})
	if err == nil && offer.Seconds+looking < seconds {
		var ready rows.Ready
		if ready, err = offer.Prepare(ctx); err == nil {
			return ready, nil
		}
	}
	return nil, context.Cause(ctx) // whatever else is wrong, searches do without
}
