package task

import (
	"context"
	"os"
	"time"

	"ooc/engine/graph"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/ranks"
	"ooc/kernels"
	"ooc/tiles"
	"ooc/tiles/class"
)

// ErrInterrupted is wrapped by the error of a solve whose context ended. The solve took a checkpoint first, and the
// same call continues from there.
var ErrInterrupted = class.New(class.Interrupted, "interrupted")

// DefaultCheckpoint is the time between two checkpoints.
const DefaultCheckpoint = 60 * time.Second

// Task is one solve in progress, as its algorithm sees it.
type Task struct {
	Store    *tiles.Store
	Meta     *tiles.Meta
	Geometry tiles.Geometry
	State    tiles.State    // what earlier runs have done
	Weights  graph.Weights  // the source of the first tiles; nil: all tiles are on disk
	Device   kernels.Device // keeps predecessors if the store does
	Choice   *plan.Choice   // if it lacks the algorithm's plan, the algorithm makes one

	plan.Request               // what is wanted of it; what the store fixes counts instead
	Checkpoint   time.Duration // between two checkpoints
	Ranks        *ranks.Group  // the processes that share the solve; nil: this one alone

	Control  *live.Control
	Began    time.Time // by the clock of Control, as all times of a solve
	Reports  *live.Reporter
	Timeline *live.Timeline // nil: none is wanted
	Summary  *Summary

	// Graph returns the stored graph. It fails if the input was a matrix.
	Graph func() (*graph.Graph, error)
	// Finish completes the store once all distances are final and written. sums are the checksums of the tiles for
	// which summed is true; it computes the others.
	Finish func(ctx context.Context, sums []uint32, summed []bool) error
	// SolveCore solves another matrix, in a store inside the store with restore points of its own. It returns the
	// distances in rows of pitch entries. print identifies the matrix, so that a later run resumes only the same one.
	SolveCore func(ctx context.Context, w graph.Weights, print string, reports *live.Reporter) (sum Summary,
		distances []uint32, pitch int, err error)
}

// Basis is what the rest of the task is planned by.
func (t *Task) Basis() *plan.Basis {
	q := BasisOf(t.Store, t.Request)
	q.Store, q.State = t.Store, t.State
	return q
}

// BasisOf is what a solve of a store is planned by from its beginning on. What the store fixes counts, whatever is
// wanted.
func BasisOf(s *tiles.Store, r plan.Request) *plan.Basis {
	m := s.Meta()
	r.Tile, r.Sources, r.Kind, r.Predecessors, r.Layout, r.Room = m.T, m.Sources, m.Kind, m.Predecessors,
		s.Geometry().Layout(), 0
	if m.Part != nil {
		r.Block = m.Part.Block
	}
	r.InMemory = s.InMemory() && r.Nodes == 0
	if free, err := s.FreeBeside(); err == nil {
		r.Room = max(1, free)
	}
	return &plan.Basis{
		Request: r, Stored: true, Dense: m.Dense,
		Facts: graph.Facts{N: m.N, Arcs: m.Arcs, Kind: m.Kind, Directed: m.Directed, Scale: m.Scale,
			Negative: m.Negative},
	}
}

// Status begins the status of the task while it is solved.
func (t *Task) Status() live.Status {
	st := StatusOf(t.Store)
	st.Algorithm, st.Device, st.PID = t.Summary.Algorithm, t.Device.Info().Model, os.Getpid()
	st.Elapsed = t.State.Elapsed.Seconds() + t.Since(t.Began)
	return st
}

// StatusOf begins the status of a store.
func StatusOf(s *tiles.Store) live.Status {
	m := s.Meta()
	return live.Status{Store: s.Dir(), Vertices: m.N, Arcs: m.Arcs, Kind: string(m.Kind)}
}

// Since returns the seconds since then, without pauses.
func (t *Task) Since(then time.Time) float64 { return t.Control.Now().Sub(then).Seconds() }
