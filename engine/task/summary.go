package task

import (
	"encoding/json"

	"ooc/engine/live"
	"ooc/engine/plan"
)

// Summary says how a solve went. Times are seconds.
type Summary struct {
	Store         string `json:"store"`
	Vertices      int    `json:"vertices"`
	Arcs          int64  `json:"arcs"`
	Kind          string `json:"kind"`
	Algorithm     string `json:"algorithm"`
	Device        string `json:"device"`
	AlreadySolved bool   `json:"already_solved"`
	// what the store was made with that nobody has asked for now; for whoever compares
	Unasked []string `json:"unasked"`
	// fraction of the pivot vertices, or of the rows, done before this run
	ResumedFrom float64 `json:"resumed_from"`
	// planning, taking memory on the device and the host, and releasing it
	SetupSeconds   float64   `json:"setup_seconds"`
	RoundsSeconds  float64   `json:"rounds_seconds"`  // this run, until the last product was done
	SyncSeconds    float64   `json:"sync_seconds"`    // writing what memory still held, the final sync, and checksums
	ElapsedSeconds float64   `json:"elapsed_seconds"` // all runs
	Relaxations    float64   `json:"relaxations"`     // this run, padding not counted
	Rate           float64   `json:"relaxations_per_second"`
	Ceiling        float64   `json:"ceiling_relaxations_per_second,omitempty"` // of the device
	BytesIn        int64     `json:"bytes_in"`                                 // to the device
	BytesOut       int64     `json:"bytes_out"`                                // from the device
	BytesRead      int64     `json:"bytes_read"`                               // from the matrix or the graph
	BytesWritten   int64     `json:"bytes_written"`                            // to the matrix
	Busy           live.Busy `json:"busy_seconds"`                             // by stage
	// what was meant to be done; in JSON, a member each
	Plans plan.Plans `json:"-"`

	// Of stages that rounds do not have. The rounds and rates above are then those of the core, and SetupSeconds that
	// of an expansion on the device, which ExpandSeconds includes.
	EliminateSeconds float64 `json:"eliminate_seconds"`
	CoreSeconds      float64 `json:"core_seconds"`
	ExpandSeconds    float64 `json:"expand_seconds"`
	RowsWritten      int     `json:"rows_written"` // by this run; of each, what the layout keeps

	Text string `json:"-"` // how it went, in the algorithm's words
}

type summary Summary

// MarshalJSON has each plan as a member.
func (s Summary) MarshalJSON() ([]byte, error) { return s.Plans.JSON(summary(s)) }

// UnmarshalJSON keeps plans of whatever algorithm as they are.
func (s *Summary) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*summary)(s)); err != nil {
		return err
	}
	return s.Plans.Read(data, *s)
}
