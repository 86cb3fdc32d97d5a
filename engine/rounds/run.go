package rounds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ooc/engine/device"
	"ooc/engine/plan"
	"ooc/engine/task"
	"ooc/stream"
	"ooc/tiles"
)

// run is one solve in rounds. Each device has a part of it.
type run struct {
	*task.Task
	algorithm *algorithm
	parts     []*partRun // of this process
	plan      Plan       // of each part
	rates     plan.Rates // that the plan was made with
	start     int        // iterations done before
	last      int        // iterations in all
	track     *tracker
	grid      *grid
	ctx       context.Context // ends when the rounds are to stop
	talk      *conversation   // with the other processes; nil: there are none

	mu      sync.Mutex
	ended   time.Time    // when the last product was done; zero: not yet. Guarded by mu, as all below
	decided map[int]bool // by iterations done, once a part has asked: whether all open the round after them
	toOpen  int          // rounds that all open
	begun   int          // checkpoints
	saving  sync.Mutex   // held while a checkpoint is made durable
}

// partRun is a run's part on one device: the driver of its schedule.
type partRun struct {
	*run
	x         *executor
	held      device.Held
	change    <-chan struct{} // closed by the next change of what the control says
	flushed   int             // iterations done when the last checkpoint began
	flushedAt time.Time       // and when that was
	hurry     bool            // the user asked for the checkpoint in progress

	opened  int // rounds; guarded by run.mu, as all below
	joined  int // of the run's checkpoints: the newest that this part has begun
	written int // and that it has written
	done    int // iterations that all tiles of this part had finished in that one
}

// rounds runs the schedules of all parts until they end or ctx does, then writes and syncs the tiles that memory
// still holds.
func (r *run) rounds(ctx context.Context) error {
	// It outlives ctx: an interrupted solve still has to write its checkpoint.
	group, all := errgroup.WithContext(context.Background())
	handover := &handover{ctx: all, offers: map[offerKey]*offer{}}
	var between exchange = handover
	if r.Ranks != nil {
		near, err := r.Ranks.Share(context.Background(), r.segmentSlots(), r.Geometry.TileBytes())
		if err != nil {
			return err
		}
		defer near.Close()
		between = &carrier{all, r.Ranks, near}
		ctx = r.converse(ctx, all, group)
	}
	r.ctx = ctx
	for i, p := range r.parts {
		if err := p.openPipeline(all); err != nil {
			for _, q := range r.parts[:i] {
				err = errors.Join(err, q.x.pipe.Close())
			}
			group.Go(func() error { return err })
			return group.Wait()
		}
		p.x.exchange = between
		p.flushed, p.flushedAt = r.start, time.Now()
	}
	if r.Ranks == nil {
		handover.connect(r.parts)
	}
	if r.talk != nil {
		r.talk.begin()
	}
	if r.leads() {
		r.startReports()
	}
	rounds := r.Control.Now()
	stopped := make([]bool, len(r.parts))
	for i, p := range r.parts {
		group.Go(func() (err error) {
			stopped[i], err = p.schedule(i)
			if err == nil && r.talk != nil {
				r.talk.end(stopped[i])
			}
			return err
		})
	}
	err := group.Wait()
	for _, p := range r.parts {
		if cerr := p.x.pipe.Close(); err == nil {
			err = cerr
		}
	}
	end := err == nil && !slices.Contains(stopped, true) && (r.talk == nil || !r.talk.stopped)
	if err == nil && r.devices() > 1 {
		err = r.saveAll()
	}
	if err == nil && r.talk != nil {
		err = r.talk.conclude(end)
	}
	if r.ended.IsZero() {
		r.ended = r.Control.Now()
	}
	r.tally(r.ended.Sub(rounds))
	if err == nil && end && (r.leads() || r.Meta.Part != nil) {
		err = r.Finish(ctx, r.track.sums, r.track.summed)
	}
	r.Summary.SyncSeconds = r.Since(r.ended)
	r.Summary.ElapsedSeconds = r.State.Elapsed.Seconds() + r.Since(r.Began)
	r.Reports.Stop(err == nil && end)
	if err == nil && !end {
		kept := float64(r.track.restore.Load()) / float64(r.Geometry.N)
		err = fmt.Errorf("%w at %.1f %%", task.ErrInterrupted, 100*kept)
	}
	return err
}

// Tiles that a rank may have on the way to others of its host, beside those of a panel that it sends ahead: the
// fewest, and the bytes that decide whether more are kept.
const (
	fewSlots  = 16
	slotBytes = 1 << 30
	manySlots = 64
)

// segmentSlots is how many tiles a rank may have on the way to others of its host at a time, in memory that they
// share. All ranks take at most an eighth of what is free by now, of all that could be there.
func (r *run) segmentSlots() int {
	tb := r.Geometry.TileBytes()
	slots := max(r.plan.ahead()+fewSlots, int(min(manySlots, slotBytes/tb)))
	if free := device.FreeMemory(); free > 0 { // it is known
		slots = int(min(int64(slots), free/8/int64(r.Ranks.Size())/tb))
	}
	return slots
}

// schedule runs the schedule of part i until it ends or is stopped, and all of its steps.
func (p *partRun) schedule(i int) (stopped bool, err error) {
	s := newSchedule(p.algorithm, p.Geometry, &p.plan, p.start, p)
	if p.talk != nil {
		i = p.talk.Rank()
	}
	s.part, s.early = p.partOf(i), p.plan.early()
	if p.Weights == nil {
		s.resume()
	}
	if err = s.run(); err == nil {
		err = p.x.pipe.Drain()
	}
	return s.stopped, err
}

// devices are those that share the rounds, each with a part.
func (r *run) devices() int { return r.plan.GridRows * r.plan.GridCols }

// leads reports whether this process keeps the state of the store, and shows how far all are.
func (r *run) leads() bool { return r.Ranks == nil || r.Ranks.Rank() == 0 }

// partOf returns the part of a device or a rank.
func (r *run) partOf(i int) part {
	p := whole(r.Geometry, r.plan.Width)
	p.rows, p.cols, p.index, p.first = r.plan.GridRows, r.plan.GridCols, i, r.start
	if r.Meta.Part != nil { // who has which tile is fixed
		p.width, p.first = r.Meta.Part.Block, 0
	}
	return p
}

// openPipeline starts the goroutines that run the plan.
func (p *partRun) openPipeline(ctx context.Context) error {
	peers := 0
	if p.devices() > 1 {
		peers = max(p.plan.Readers, p.plan.ahead()) // each waits until another part has taken a tile
	}
	pipe, err := stream.New(ctx, p.x.device, stream.Options{
		Streams: p.plan.Streams + 1, Readers: p.plan.Readers, Writers: p.plan.Writers, Window: p.plan.Window,
		Peers: peers, Trace: p.Timeline.Span(),
	})
	p.x.pipe = pipe
	return err
}

// do implements driver, as do the methods below.
func (p *partRun) do(s step) error { return p.x.submit(s) }

func (p *partRun) differed() (bool, error) { return p.x.differed() }

// pace makes no part stop or stand still before it has opened every round that another has: that one needs its panels.
func (p *partRun) pace() pace {
	p.change = p.Control.Changes() // taken first, so that no later change is missed
	ended, paused := p.ctx.Err() != nil, p.Control.Paused()
	switch {
	case p.behind(): // asked last: no round is opened once ctx has ended
		return goOn
	case ended:
		return stop
	case paused:
		return pause
	}
	return goOn
}

func (p *partRun) behind() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.toOpen > p.opened
}

// decide notes whether all parts open the round after so many iterations. Call it with mu held, once for each.
func (r *run) decide(done int, open bool) {
	if r.decided[done] = open; open {
		r.toOpen++
	}
}

func (p *partRun) opens(done int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	ask := p.asked
	if !p.leads() {
		ask = p.talk.opens
	}
	open := ask(done)
	if open {
		p.opened++
	}
	return open
}

// asked returns whether all open the round after so many iterations, which the first part that asks decides. Call it
// with mu held.
func (r *run) asked(done int) bool {
	open, known := r.decided[done]
	if !known {
		open = r.ctx.Err() == nil
		r.decide(done, open)
		if r.talk != nil {
			r.talk.say(notice{Kind: noticeOpened, Done: done, Yes: open})
		}
		r.Control.Touch() // another part that stands still may have to go on
	}
	return open
}

func (p *partRun) wait() error {
	select {
	case <-p.change:
	case <-p.ctx.Done():
	case <-p.x.pipe.Failed():
		return p.x.pipe.Err()
	}
	return nil
}

// due begins a checkpoint when the interval has passed or the user asked for one, unless nothing was finished since the
// last. The other parts follow.
func (p *partRun) due(done int, midway bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	timely := !midway && time.Since(p.flushedAt) >= p.Checkpoint
	wanted := p.Control.Wanted()
	follows := p.joined < p.begun
	if done == p.last || !follows && (done == p.flushed || !timely && !wanted) {
		return false
	}
	select {
	case p.x.syncing <- struct{}{}:
		if !follows {
			p.begun++
			p.Control.Begun()
			if wanted && p.talk != nil && p.leads() {
				p.talk.say(notice{Kind: noticeCheckpoint})
			}
		}
		p.joined = p.begun
		p.flushed, p.flushedAt, p.hurry = done, time.Now(), wanted
		return true
	default: // the previous one is still in progress
		return false
	}
}

func (p *partRun) room() bool {
	return p.hurry || p.Control.Wanted() || p.Control.Paused() || p.x.flushing.Load() < int64(p.plan.flushes())
}

// save takes note that a part has written every tile, each of which had finished done iterations or more. Where all
// parts have written as much of one checkpoint, that becomes durable.
func (p *partRun) save(done int) error {
	p.mu.Lock()
	p.done, p.written = done, p.joined
	all := len(p.parts) == 1 ||
		p.written > 0 && !slices.ContainsFunc(p.parts, func(q *partRun) bool { return q.written != p.written })
	p.mu.Unlock()
	if !all {
		return nil
	}
	return p.saveAll()
}

// saveAll makes durable what all parts have written.
func (r *run) saveAll() error {
	r.saving.Lock()
	defer r.saving.Unlock()
	r.mu.Lock()
	done := r.last
	for _, p := range r.parts {
		done = min(done, p.done)
	}
	r.mu.Unlock()
	if done == 0 {
		return nil
	}
	if r.talk != nil {
		return r.talk.save(done)
	}
	st := r.state(done)
	if err := r.Store.Checkpoint(st); err != nil {
		return err
	}
	r.track.restore.Store(st.Done)
	return nil
}

// state describes a matrix of which every tile has finished the given number of iterations.
func (r *run) state(done int) tiles.State {
	elapsed := r.State.Elapsed + r.Control.Now().Sub(r.Began)
	return tiles.State{Algorithm: r.algorithm.name, Done: r.algorithm.toVertices(r.Geometry, done), Elapsed: elapsed}
}

// partStats are those of each part, as far as is known here.
func (r *run) partStats() (all []stream.Stats) {
	for _, p := range r.parts {
		all = append(all, p.x.pipe.Stats())
	}
	if r.talk != nil {
		own := all[0]
		r.mu.Lock()
		defer r.mu.Unlock()
		all = slices.Clone(r.talk.stats)
		all[r.talk.Rank()] = own
	}
	return all
}

// stats adds up those of the parts.
func (r *run) stats() stream.Stats { return total(r.partStats()) }

func total(all []stream.Stats) (sum stream.Stats) {
	for _, part := range all {
		for s, st := range part {
			sum[s].Ops, sum[s].Bytes, sum[s].Work, sum[s].Busy = sum[s].Ops+st.Ops, sum[s].Bytes+st.Bytes,
				sum[s].Work+st.Work, sum[s].Busy+st.Busy
		}
	}
	return sum
}

// activity is that of the workers of all parts.
func (r *run) activity() (all stream.Activity) {
	for _, p := range r.parts {
		for stage, workers := range p.x.pipe.Activity() {
			all[stage] = append(all[stage], workers...)
		}
	}
	return all
}

// tally adds the traffic and the rate of this run to the summary.
func (r *run) tally(rounds time.Duration) {
	st := r.stats()
	r.Summary.RoundsSeconds = rounds.Seconds()
	r.Summary.Relaxations = r.useful(st[stream.Kernel].Work)
	r.Summary.Rate = r.Summary.Relaxations / rounds.Seconds()
	r.Summary.BytesIn, r.Summary.BytesOut = st[stream.In].Bytes, st[stream.Out].Bytes
	r.Summary.Busy = busySeconds(st)
	r.Summary.BytesRead, r.Summary.BytesWritten = st[stream.Read].Bytes, st[stream.Write].Bytes
}

// useful scales a count of relaxations down by the share of padding, so that a whole solve of every tile counts n³.
func (r *run) useful(work int64) float64 {
	n, padded := float64(r.Geometry.N), float64(r.Geometry.Side()*r.Geometry.T)
	share := n / padded
	return float64(work) * share * share * share
}
