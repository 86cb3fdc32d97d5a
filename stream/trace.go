package stream

import (
	"time"

	"ooc/kernels"
)

// Span is when an operation ran, since the pipeline began. Start and End of the device's stages are by its
// own clock, those of the others by the host's.
type Span struct {
	Stage      Stage
	Stream     int // of the device's stages; else the goroutine, from 0 in each stage
	Name       string
	Start, End time.Duration
}

// epoch is the moment from which spans are counted, on both clocks.
type epoch struct {
	event kernels.Event
	wall  time.Time
}

func newEpoch(s kernels.Stream) (e epoch, err error) {
	if e.event, err = s.Record(); err != nil {
		return e, err
	}
	err = e.event.Sync()
	e.wall = time.Now()
	return e, err
}

func (p *Pipeline) traced(t *task, start, end time.Duration) {
	if p.trace == nil {
		return
	}
	span := Span{Stage: t.Stage, Stream: t.Stream, Start: start, End: end}
	if t.Name != nil {
		span.Name = t.Name()
	}
	p.trace(span)
}

func (p *Pipeline) tracedOnDevice(t *task, busy time.Duration) error {
	if p.trace == nil {
		return nil
	}
	start, err := t.start.Since(p.epoch.event)
	if err == nil {
		p.traced(t, start, start+busy)
	}
	return err
}
