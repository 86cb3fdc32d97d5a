package plan

import "ooc/engine/sparse"

// Elimination says what a solve by elimination will do and how long that should take.
type Elimination struct {
	Eliminated int   `json:"eliminated"` // vertices
	Core       int   `json:"core"`       // vertices left
	Fill       int64 `json:"fill"`       // arcs kept from eliminated vertices up
	Rows       int   `json:"rows"`       // of distances, to be written

	// Of an expansion on the device; zero if the processor expands.
	Lanes       int   `json:"lanes"`        // rows of a batch
	Batches     int   `json:"batches"`      // in flight at a time
	DeviceBytes int64 `json:"device_bytes"` // for all of it

	OrderSeconds     float64 `json:"order_seconds"` // spent already
	EliminateSeconds float64 `json:"eliminate_seconds"`
	CoreSeconds      float64 `json:"core_seconds"`
	ExpandSeconds    float64 `json:"expand_seconds"`
	Seconds          float64 `json:"seconds"` // of these three

	Algorithm string        `json:"-"` // whose plan this is
	Order     *sparse.Order `json:"-"` // of the vertices
}
