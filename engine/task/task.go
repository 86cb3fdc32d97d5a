package task

import (
	"context"
	"time"

	"ooc/engine/graph"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/ranks"
	"ooc/kernels"
	"ooc/tiles"
	"ooc/tiles/class"
)

// ErrInterrupted is wrapped by the error of a solve whose context ended. The solve took a checkpoint first, and the same
// call continues from there.
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

	HostMemory int64 // bytes; 0: the plan decides, as for the next two
	Round      int   // vertices
	Streams    int
	Checkpoint time.Duration // between two checkpoints

	Ranks *ranks.Group // the processes that share the solve; nil: this one alone
	Grid  [2]int       // rows and columns in which their parts stand; zero: chosen

	Control  *live.Control
	Began    time.Time // by the clock of Control, as all times of a solve
	Reports  *live.Reporter
	Timeline *live.Timeline // nil: none is wanted
	Summary  *Summary

	// Graph returns the stored graph. It fails if the input was a matrix.
	Graph func() (*graph.Graph, error)
	// Finish completes the store once all distances are final and written. sums are the checksums of the tiles for which
	// summed is true; it computes the others.
	Finish func(ctx context.Context, sums []uint32, summed []bool) error
	// SolveCore solves another matrix by an algorithm of rounds, in a store inside the store with restore points of its own. It returns the
	// distances in rows of pitch entries. print identifies the matrix, so that a later run resumes only the same one.
	SolveCore func(ctx context.Context, algorithm string, w graph.Weights, print string, reports *live.Reporter) (sum Summary, distances []uint32, pitch int, err error)
}

// Request returns the request for a plan of the rest of the task.
func (t *Task) Request() *plan.Request {
	m := t.Meta
	q := &plan.Request{
		Stored: true,
		Facts:  graph.Facts{N: m.N, Arcs: m.Arcs, Kind: m.Kind, Directed: m.Directed, Scale: m.Scale, Negative: m.Negative},
		Done:   t.State.Done,
		Limits: plan.Limits{
			HostMemory: t.HostMemory, Round: t.Round, Streams: t.Streams, Tile: m.T, Sources: m.Sources, Kind: m.Kind, Predecessors: m.Predecessors,
			Layout: t.Store.Geometry().Layout(),
		},
	}
	if m.Part != nil {
		q.Limits.Block = m.Part.Block
	}
	if free, err := t.Store.FreeBeside(); err == nil {
		q.Limits.Room = max(1, free)
	}
	return q
}

// Status begins the status of the task.
func (t *Task) Status() live.Status { return StatusOf(t.Store) }

// StatusOf begins the status of a store.
func StatusOf(s *tiles.Store) live.Status {
	m := s.Meta()
	return live.Status{Store: s.Dir(), Vertices: m.N, Arcs: m.Arcs, Kind: string(m.Kind)}
}

// Since returns the seconds since then, without pauses.
func (t *Task) Since(then time.Time) float64 { return t.Control.Now().Sub(then).Seconds() }
