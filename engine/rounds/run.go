package rounds

import (
	"context"
	"fmt"
	"time"

	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/task"
	"ooc/stream"
)

// run is one solve in rounds: the driver of its schedule.
type run struct {
	*task.Task
	algorithm *Algorithm
	x         *executor
	plan      plan.Rounds
	rates     plan.Rates // that the plan was made with
	start     int        // iterations done before
	last      int        // iterations in all
	ended     time.Time  // when the last product was done; zero: not yet

	ctx       context.Context
	change    <-chan struct{} // closed by the next change of what the control says
	flushed   int             // iterations done when the last checkpoint began
	flushedAt time.Time       // and when that was
	hurry     bool            // the user asked for the checkpoint in progress
}

// rounds runs the schedule until it ends or ctx does, then writes and syncs the tiles that memory still holds.
func (r *run) rounds(ctx context.Context) error {
	if err := r.openPipeline(); err != nil {
		return err
	}
	r.ctx, r.flushed, r.flushedAt = ctx, r.start, time.Now()
	o := dimensions{r.plan.Width, r.plan.Slots, r.plan.Pages, r.plan.Streams, r.plan.LookAhead}
	s := newSchedule(r.algorithm, r.Geometry, o, r.start, r)
	if r.Weights == nil {
		s.resume()
	}
	r.startReports()
	rounds := r.Control.Now()
	err := s.run()
	if err == nil {
		err = r.x.pipe.Drain()
	}
	if cerr := r.x.pipe.Close(); err == nil {
		err = cerr
	}
	if r.ended.IsZero() {
		r.ended = r.Control.Now()
	}
	r.tally(r.ended.Sub(rounds))
	if err == nil && !s.stopped {
		err = r.Finish(ctx, r.x.track.sums, r.x.track.summed)
	}
	r.Summary.SyncSeconds = r.Since(r.ended)
	r.Summary.ElapsedSeconds = r.State.Elapsed.Seconds() + r.Since(r.Began)
	r.Reports.Stop(err == nil && !s.stopped)
	if err == nil && s.stopped {
		err = fmt.Errorf("%w at %.1f %%", task.ErrInterrupted, 100*float64(r.x.track.restorePoint())/float64(r.Geometry.N))
	}
	return err
}

// do implements driver, as do the methods below.
func (r *run) do(s step) error { return r.x.submit(s) }

func (r *run) differed() (bool, error) { return r.x.differed() }

func (r *run) pace() pace {
	r.change = r.Control.Changes() // taken first, so that no later change is missed
	switch {
	case r.ctx.Err() != nil:
		return stop
	case r.Control.Paused():
		return pause
	}
	return goOn
}

func (r *run) wait() error {
	select {
	case <-r.change:
	case <-r.ctx.Done():
	case <-r.x.pipe.Failed():
		return r.x.pipe.Err()
	}
	return nil
}

// due begins a checkpoint when the interval has passed or the user asked for one, unless nothing was finished since the
// last.
func (r *run) due(done int, midway bool) bool {
	timely := !midway && time.Since(r.flushedAt) >= r.Checkpoint
	if done == r.last || done == r.flushed || !timely && !r.Control.Wanted() {
		return false
	}
	select {
	case r.x.syncing <- struct{}{}:
		r.flushed, r.flushedAt, r.hurry = done, time.Now(), r.Control.Wanted()
		r.Control.Begun()
		return true
	default: // the previous one is still in progress
		return false
	}
}

func (r *run) room() bool {
	return r.hurry || r.Control.Wanted() || r.Control.Paused() || r.x.flushing.Load() < int64(r.plan.Flushes())
}

// openPipeline starts the goroutines that run the plan. They outlive ctx: an interrupted solve still has
// to write its checkpoint.
func (r *run) openPipeline() error {
	pipe, err := stream.New(context.Background(), r.Device, stream.Options{
		Lanes: r.plan.Streams + 1, Readers: r.plan.Readers, Writers: r.plan.Writers, Window: r.plan.Window,
		Trace: r.Timeline.Span(),
	})
	r.x.pipe = pipe
	return err
}

// tally adds the traffic and the rate of this run to the summary.
func (r *run) tally(rounds time.Duration) {
	st := r.x.pipe.Stats()
	r.Summary.RoundsSeconds = rounds.Seconds()
	r.Summary.Relaxations = r.useful(st[stream.Kernel].Work)
	r.Summary.Rate = r.Summary.Relaxations / rounds.Seconds()
	r.Summary.BytesIn, r.Summary.BytesOut = st[stream.In].Bytes, st[stream.Out].Bytes
	r.Summary.Busy = live.BusySeconds(st)
	r.Summary.BytesRead, r.Summary.BytesWritten = st[stream.Read].Bytes, st[stream.Write].Bytes
}

// useful scales a count of relaxations down by the share of padding, so that a whole solve of every tile counts n³.
func (r *run) useful(work int64) float64 {
	n, padded := float64(r.Geometry.N), float64(r.Geometry.Side()*r.Geometry.T)
	share := n / padded
	return float64(work) * share * share * share
}
