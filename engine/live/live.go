// Package live owns the status of a running solve: what it reports to displays and to other processes, and how it is
// paused, resumed and asked for checkpoints from outside.
//
// # Units and invariants
//
// Times are seconds by the clock of a Control, which stands still in pauses; rates are over the last few seconds.
// Reports never fail a solve. What other processes publish is checked before it is drawn.
package live

import (
	"encoding/json"
	"fmt"

	"ooc/engine/text"
)

// Live is what a running solve publishes for other processes.
type Live struct {
	Status
	Ceilings Ceilings `json:"ceilings"`
	Workers  Workers  `json:"lanes"`
	Board    *Board   `json:"board,omitempty"` // nil: there is nothing to draw
}

// Ceilings are the rates that the plan was made with, measured when the solve began; 0: unknown. In and Out are those
// between host and device, Read and Write those between the matrix's mapping and host memory, in bytes/s.
type Ceilings struct {
	In    float64 `json:"bytes_in_per_second,omitempty"`
	Out   float64 `json:"bytes_out_per_second,omitempty"`
	Read  float64 `json:"bytes_read_per_second,omitempty"`
	Write float64 `json:"bytes_written_per_second,omitempty"`
}

// Workers say what each worker of the pipeline is doing, with a letter for each: r read, i in, k kernel, o out, w
// write, s sync, and . for one that waits. "" where there is no pipeline.
type Workers struct {
	Device string `json:"device,omitempty"` // the streams of the device
	Read   string `json:"read,omitempty"`   // goroutines, as those below
	Write  string `json:"write,omitempty"`
	Sync   string `json:"sync,omitempty"`
}

// WorkerLetters are the letters of Workers, in the order of the stages. Those that exchange tiles with other parts have
// none.
const WorkerLetters = "rikows."

// Decode parses what a process has published. It trusts nothing: the writer may be another version or another program.
func (l *Live) Decode(data []byte) error {
	var live Live
	if err := json.Unmarshal(data, &live); err != nil {
		return fmt.Errorf("live status: %w", err)
	}
	if live.Board != nil && !live.Board.valid() {
		live.Board = nil
	}
	for _, s := range []*string{&live.Kind, &live.Algorithm, &live.Device, (*string)(&live.State),
		(*string)(&live.Stage),
		(*string)(&live.Checkpoint), &live.Workers.Device, &live.Workers.Read, &live.Workers.Write,
		&live.Workers.Sync} {
		*s = text.Line(*s)
	}
	*l = live
	return nil
}
