package stream

import "sync/atomic"

// Activity is the stage that each worker is at: under Kernel the streams of the device, for all of its stages; under
// Read, Write and Sync their goroutines. Stages stands for one that waits for work.
type Activity [Stages][]Stage

// activities are what Activity reads: a word a worker, written by that worker alone.
type activities [Stages][]atomic.Uint32

func newActivities(o Options) *activities {
	a := &activities{Kernel: make([]atomic.Uint32, o.Streams)}
	for stage, workers := range o.workers() {
		a[stage] = make([]atomic.Uint32, workers)
	}
	for _, group := range a {
		for i := range group {
			group[i].Store(uint32(Stages))
		}
	}
	return a
}

// Activity says what every worker is at. A stream is at the oldest operation that it was given and that has not
// finished, which may still wait for another stream.
func (p *Pipeline) Activity() (all Activity) {
	for stage, group := range p.now[:Send] {
		for i := range group {
			all[stage] = append(all[stage], Stage(group[i].Load()))
		}
	}
	return all
}
