package stream

import "sync/atomic"

// Activity is the stage that each worker is at: the streams of the device first, then the goroutines of Read, of Write
// and of Sync. Stages stands for one that waits for work.
type Activity struct{ Streams, Read, Write, Sync []Stage }

// activities are what Activity reads: a word a worker, written by that worker alone.
type activities struct {
	streams []atomic.Uint32
	host    [Stages][]atomic.Uint32
}

func newActivities(o Options) *activities {
	a := &activities{streams: make([]atomic.Uint32, o.Streams)}
	for stage, workers := range o.workers() {
		a.host[stage] = make([]atomic.Uint32, workers)
	}
	for _, group := range append(a.host[:], a.streams) {
		for i := range group {
			group[i].Store(uint32(Stages))
		}
	}
	return a
}

// Activity says what every worker is at. A stream is at the oldest operation that it was given and that has not
// finished, which may still wait for another stream.
func (p *Pipeline) Activity() Activity {
	look := func(group []atomic.Uint32) []Stage {
		out := make([]Stage, len(group))
		for i := range group {
			out[i] = Stage(group[i].Load())
		}
		return out
	}
	h := &p.now.host
	return Activity{Streams: look(p.now.streams), Read: look(h[Read]), Write: look(h[Write]), Sync: look(h[Sync])}
}
