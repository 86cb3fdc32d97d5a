// Package rows computes rows of distances and shares the work out. An Engine makes a graph ready, and a Ready graph
// computes any of its rows. Run deals rows to goroutines and devices, holds them in pauses, and takes restore points.
// What becomes of the rows is for the callers: the tiles of a store, statistics, near pairs, exports, proofs.
//
// An engine is one file and one line in the table of package engine; docs/add-a-row-engine.md shows one.
package rows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"ooc/engine/graph"
	"ooc/engine/live"
	"ooc/engine/sparse"
	"ooc/kernels"
)

// Question says what is wanted of a graph, and what may be taken to compute it. The zero value is all rows, on the
// processor.
type Question struct {
	// Rows is about how many rows will be asked for: what makes each faster may take as long as some; 0: all.
	Rows    int
	Dissect bool           // single distances will be asked for, too
	Memory  int64          // bytes to take at most; 0: no limit, but what is free has to be enough
	Device  kernels.Device // does what it can, and stays the caller's; nil: the processor does all
	Counts  kernels.Device // counts vertices by their distance, where rows are wanted for no more; nil: it does not
	Sums    kernels.Device // adds up rows and answers questions about them, where these are all; nil: it does not
	// Pieces is how many vertices may be left between pieces of an elimination that a device multiplies by, to add up
	// rows; 0: rows are not added up (see sparse.Order.EliminateInPieces).
	Pieces int
	// Open sets the devices and Pieces, once there are any. It may wait for them, and any number of goroutines may call
	// it. nil: they are set.
	Open func(*Question) error
	// Cut is called with an elimination in pieces before its core is closed; it may be nil.
	Cut func(*sparse.Elimination)
	// Stage is called when a stage begins, with what stages take, if that is known yet; it may be nil.
	Stage  func(live.Stage, live.StageShares)
	Engine string // the name of the engine to take; "": the one that takes least time

	// After is how many vertices to eliminate, as for an earlier question of the same graph and as many rows; nil: as
	// many as pays.
	After *int
	// Most returns how many seconds other engines take, 0: unknown, once they have said so: more promise nothing, so
	// that the plan may end there. nil: there are none.
	Most func() float64
	// Free is how many bytes are taken to be free; 0: as many as are. Tests set it.
	Free int64
}

// Opened returns the question with its devices.
func (q Question) Opened() (_ Question, err error) {
	if q.Open != nil {
		err = q.Open(&q)
	}
	return q, err
}

// Engine computes rows of distances.
type Engine interface {
	// Name names the engine in stores, plans and flags.
	Name() string
	// Offer says what the engine takes to answer a question, without beginning. The graph has no negative cycle. It
	// fails with device.ErrMemory where there is not enough memory, and with the cause of ctx if that ends first.
	Offer(ctx context.Context, g *graph.Graph, q Question) (Offer, error)
}

// Offer is what an engine promises.
type Offer struct {
	Engine  string
	Seconds float64 // to make the graph ready and compute the rows; +Inf: the engine cannot
	Least   int64   // about the bytes that a Worker for one row takes
	Memory  int64   // and all that the engine takes with a Worker for each thread
	How     string  // in a few words, for people
	Counted bool    // by Question.Counts or Sums, which is what Seconds are of
	Levels  bool    // Prepare returns a LevelReady
	Tiles   bool    // its Workers are TileWorkers
	// Prepare makes the graph ready, once. Close what it returns after use. Its errors are those of Offer.
	Prepare func(ctx context.Context) (Ready, error)
}

// ErrNoEngine is the error of Choose for a name that no engine has, and of Offer where the engine is for other graphs.
var ErrNoEngine = errors.New("there is no such engine of rows")

// Offers returns the offers of the engine that the question names, or else of all that can, the one that takes least
// time first. If none can, it fails with the error of the first that is for such graphs. What those before one take is the most that it may
// take, so that an engine which takes longer may promise more than it would need. All find out what they take at the same
// time.
func Offers(ctx context.Context, engines []Engine, g *graph.Graph, q Question) (offers []Offer, err error) {
	var asked []func() (Offer, error)
	for _, e := range engines {
		if q.Engine != "" && q.Engine != e.Name() {
			continue
		}
		q, before := q, asked
		if len(before) > 0 {
			q.Most = func() (least float64) {
				for _, ask := range before {
					if o, err := ask(); err == nil && (least == 0 || o.Seconds < least) {
						least = o.Seconds
					}
				}
				return least
			}
		}
		ask := sync.OnceValues(func() (Offer, error) { return e.Offer(ctx, g, q) })
		go ask()
		asked = append(asked, ask)
	}
	for _, ask := range asked {
		if o, failed := ask(); failed == nil {
			offers = append(offers, o)
		} else if err == nil || errors.Is(err, ErrNoEngine) {
			err = failed
		}
	}
	if len(offers) == 0 {
		return nil, cmp.Or(err, fmt.Errorf("%w: %s", ErrNoEngine, q.Engine))
	}
	slices.SortStableFunc(offers, bySeconds)
	return offers, nil
}

func bySeconds(a, b Offer) int { return cmp.Compare(a.Seconds, b.Seconds) }

// Choose returns the first of Offers.
func Choose(ctx context.Context, engines []Engine, g *graph.Graph, q Question) (Offer, error) {
	offers, err := Offers(ctx, engines, g, q)
	if err != nil {
		return Offer{}, err
	}
	return offers[0], nil
}

// Ready is a graph of which any row can be computed. Any number of goroutines may ask it. Distances are entries of
// Kind.Wide of the graph's kind. Implementations are pointers.
type Ready interface {
	// Order returns all vertices in an order in which those that follow each other share work.
	Order() []int32
	// NewWorker returns what computes rows for one goroutine, about so many at a time. Close it after use.
	NewWorker(rows int) (Worker, error)
	// WorkerBytes is about the memory that such a Worker takes.
	WorkerBytes(rows int) int64
	// Reversed returns the same of the graph with all arcs reversed: its rows are columns. It is closed with what it is
	// of, and may be that.
	Reversed() (Ready, error)
	Close() error
}

// LaneReady is a Ready whose Workers are LaneWorkers.
type LaneReady interface {
	Ready
	// LaneBytes is about the memory that a Worker for so many rows takes for Lanes.
	LaneBytes(rows int) int64
}

// Worker computes rows, for one goroutine.
type Worker interface {
	// ReadRows fills dst with the distances from each source to all vertices, row after row.
	ReadRows(dst []byte, sources []int) error
	Close() error
}

// LaneWorker is a Worker that computes rows side by side.
type LaneWorker interface {
	Worker
	// Lanes computes rows in batches, and gives each to take in pieces. Row r of m has the distances to vertex
	// Order[first+r], in lane i those from source batch[i], an index of sources; lanes beyond the batch repeat its
	// last one. A batch comes from the first vertex of Order to the last. Entries are of the graph's kind. m is
	// take's until it returns.
	Lanes(sources []int32, take func(batch []int32, first int, m kernels.Lanes) error) error
}

// TileWorker is a Worker that writes rows where they belong.
type TileWorker interface {
	Worker
	// Rows writes the rows of some vertices to a target.
	Rows(sources []int32, to sparse.Target) error
}

// LevelReady is a Ready whose Workers for Lanes rows are LevelWorkers.
type LevelReady interface {
	Ready
	// LevelBytes is about the memory that a Worker takes for Levels.
	LevelBytes() int64
	// Sources returns all vertices in an order, and the source of each, whose levels tell those of the vertex. It is
	// the vertex itself, or else its only neighbour, which has one before it and an arc back: all other vertices are a
	// level farther from the vertex than from its source. Those of one source follow one another, and it is the first.
	Sources() (order, sources []int32)
}

// LevelWorker is a Worker that finds vertices by their distance.
type LevelWorker interface {
	Worker
	// Levels gives all distances from at most Lanes sources to take, each with the vertices at that distance, from 0
	// on, and one level more, without vertices. A level is there until the next but one.
	Levels(sources []int32, take func(Level) error) error
}

// Level is what there is at one distance.
type Level struct {
	Distance uint64  // the bits of an entry
	At       []int32 // indices of Order: the vertices at that distance from any of the sources
	Of       []Bits  // by index of Order: from which; of those that At does not list, from none

	// What a device says in the place of At and Of, of each source.
	Counts []int32 // how many vertices there are; nil: At and Of say it
	First  []int32 // the first of them; -1: there is none
}

// Any reports whether there is any vertex, of a level that a device has counted.
func (l *Level) Any() bool {
	return slices.ContainsFunc(l.Counts, func(count int32) bool { return count > 0 })
}

// Lanes is how many sources a LevelWorker searches from at most.
const Lanes = 512

// Bits has a bit for each lane: bit i%64 of word i/64 is that of lane i.
type Bits = [Lanes / 64]uint64
