package live

import (
	"sync"

	"ooc/engine/internal/cancel"
)

// State is the state of a store.
type State string

// The states of a store.
const (
	Importing  State = "importing" // it is being made
	New        State = "new"       // nothing is solved of it
	Running    State = "running"
	Paused     State = "paused"
	Unfinished State = "unfinished" // and no process is solving it
	Solved     State = "solved"
)

// Stage is a part of a solve, as shown to people.
type Stage string

// The stages of a solve. That by rounds has the first alone.
const (
	StageRounds    Stage = "rounds"
	StageOrder     Stage = "order" // vertices, for their elimination
	StageEliminate Stage = "elimination"
	StageCore      Stage = "core" // in rounds of its own, if it is large
	StageExpand    Stage = "expand"
	StageWrite     Stage = "write" // of factors
	StageBetween   Stage = "betweenness"
)

// checkpoint is the state of a checkpoint; "" if there is none to report.
type checkpoint string

// The states of a checkpoint.
const (
	CheckpointAsked    checkpoint = "asked" // for, and not begun
	CheckpointUnderWay checkpoint = "under way"
)

// Status is how far a solve is and what it is doing. Rates are those of the last few seconds.
type Status struct {
	Store        string  `json:"store"`
	Vertices     int     `json:"vertices"`
	Arcs         int64   `json:"arcs"`
	Kind         string  `json:"kind"`
	Algorithm    string  `json:"algorithm"`
	Device       string  `json:"device,omitempty"`
	State        State   `json:"state"`
	Stage        Stage   `json:"stage"`
	Round        int     `json:"round"` // the one being worked on, from 1
	Rounds       int     `json:"rounds"`
	Progress     float64 `json:"progress"`      // 0…1, of all work
	RestorePoint float64 `json:"restore_point"` // 0…1: what a new run would go on from after a power cut

	StageProgress float64 `json:"stage_progress,omitempty"`      // 0…1, of the stage; 0: nothing yet, or not known
	VertexRate    float64 `json:"vertices_per_second,omitempty"` // that are put in an order

	Rows         int     `json:"rows,omitempty"` // of distances, of an elimination; how many are written and how fast
	RowsDone     int     `json:"rows_done,omitempty"`
	DistanceRate float64 `json:"distances_per_second,omitempty"`

	Rate         float64    `json:"relaxations_per_second"`
	Ceiling      float64    `json:"ceiling_relaxations_per_second,omitempty"`
	InRate       float64    `json:"bytes_in_per_second"`
	OutRate      float64    `json:"bytes_out_per_second"`
	ReadRate     float64    `json:"bytes_read_per_second"`
	WriteRate    float64    `json:"bytes_written_per_second"`
	Busy         Busy       `json:"busy"` // by stage, as a share of the time of all its goroutines or streams, 0…1
	DeviceMemory int64      `json:"device_memory_bytes"`
	HostMemory   int64      `json:"host_memory_bytes"`
	Checkpoint   checkpoint `json:"checkpoint,omitempty"`
	Elapsed      float64    `json:"elapsed_seconds"` // all runs, pauses left out
	ETA          float64    `json:"eta_seconds"`     // from this run's own speed; -1 while unknown
	PID          int        `json:"pid,omitempty"`

	Devices []Device `json:"devices,omitempty"` // where several share the rounds
}

// StageShares are what the stages of an elimination take of its time, by any measure. What comes last is writing, of
// rows or factors.
type StageShares struct{ Eliminate, Core, Last float64 }

// Progress is the share of all work that is done, when so much is done of a stage. before is the share of the last
// stage's work that earlier runs have done; the other stages come again in each run. If nothing is known of the shares,
// the last stage is all.
func (w StageShares) Progress(stage Stage, share, before float64) float64 {
	if w == (StageShares{}) {
		w.Last = 1
	}
	// The last stage has a share in any case: while it is not done, the whole is not either.
	w.Last = max(w.Last, (w.Eliminate+w.Core)/1000)
	done, last := 0.0, w.Last*(1-before)
	switch stage {
	case StageEliminate:
		done = share * w.Eliminate
	case StageCore:
		done = w.Eliminate + share*w.Core
	case StageExpand, StageWrite:
		done = w.Eliminate + w.Core + share*last
	}
	if all := w.Eliminate + w.Core + last; all > 0 {
		return before + (1-before)*done/all
	}
	return before
}

// Counting returns look, which begins to count by t anew when it is first called: until then another one tells of what
// came before.
func Counting(t *cancel.Tally, look func() Live) func() Live {
	var first sync.Once
	return func() Live {
		first.Do(func() { t.Begin(0) })
		return look()
	}
}

// Count completes a status with what is counted in a stage that is not the last; before is as in Progress.
func (st *Status) Count(stage Stage, w StageShares, before float64, t *cancel.Tally, c *Control) {
	share, perSecond := t.Look()
	st.Stage, st.StageProgress, st.Progress = stage, share, w.Progress(stage, share, before)
	switch {
	case c.Paused():
	case stage == StageOrder:
		st.VertexRate = perSecond
	case stage == StageWrite:
		st.WriteRate = perSecond
	default:
		st.Rate = perSecond
	}
}

// Device is what one of several devices, or processes, that share the rounds of a solve is doing. Rates are those of
// the last few seconds.
type Device struct {
	Name         string  `json:"device"`
	Rate         float64 `json:"relaxations_per_second"`
	Busy         float64 `json:"busy"`                   // with kernels, as a share of the time of all its streams, 0…1
	TakenRate    float64 `json:"bytes_taken_per_second"` // tiles of panels from others
	DeviceMemory int64   `json:"device_memory_bytes"`
	HostMemory   int64   `json:"host_memory_bytes"`
}

// Busy is the time that stages of the pipeline were at work.
type Busy map[string]float64
