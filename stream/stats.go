package stream

import (
	"sync/atomic"
	"time"
)

// stageStats counts what one stage has done since the pipeline started.
type stageStats struct {
	Ops   int64
	Bytes int64
	Work  int64         // relaxations
	Busy  time.Duration // summed over its goroutines or streams, so it may exceed the wall time
}

// Stats holds one entry a stage, indexed by Stage.
type Stats [Stages]stageStats

type counters [Stages]struct{ ops, bytes, work, busy atomic.Int64 }

func (c *counters) add(s Stage, bytes, work int64, busy time.Duration) {
	c[s].ops.Add(1)
	c[s].bytes.Add(bytes)
	c[s].work.Add(work)
	c[s].busy.Add(int64(busy))
}

// Stats returns the counters of every stage.
func (p *Pipeline) Stats() Stats {
	var out Stats
	for s := range p.stats {
		c := &p.stats[s]
		out[s] = stageStats{c.ops.Load(), c.bytes.Load(), c.work.Load(), time.Duration(c.busy.Load())}
	}
	return out
}
