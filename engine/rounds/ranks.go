package rounds

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"ooc/engine/ranks"
	"ooc/engine/task"
	"ooc/engine/text"
	"ooc/stream"
)

// conversation is what the processes that share a run say to each other during the rounds. Rank 0 decides which
// rounds are opened and when all stop, and keeps the state of the store. The others do as it says, and tell it how
// far they are.
type conversation struct {
	*ranks.Group
	run   *run
	group *errgroup.Group
	all   context.Context // ends when this process fails
	asked context.Context // ends when the user wants this process to stop
	stop  context.CancelCauseFunc

	// Guarded by run.mu.
	out      []chan notice  // by rank: what is to be said; nil where nobody listens, or no more
	answered chan struct{}  // closed by the next answer of rank 0
	saved    []int          // by rank: iterations that all its tiles have finished durably; known to rank 0
	stats    []stream.Stats // by rank; known to rank 0
	stopped  bool           // some rank did, before the end

	durable int // iterations of the newest restore point of all; guarded by run.saving, as the next
	own     int // and of that of this process's part store
}

// notice is a message during the rounds.
type notice struct {
	Kind    noticeKind
	Done    int  // iterations
	Yes     bool // noticeOpened: it is; noticePause: it begins; noticeEnded: before the end; noticeOver: all is solved
	Stats   stream.Stats
	Tiles   []uint32 // words of the grid, of each tile of the sender's part in turn
	Summed  []int    // tiles
	TheSums []uint32 // of each of these in turn
}

type noticeKind uint8

const (
	noticeAsk        noticeKind = iota // is the round after these iterations opened?
	noticeOpened                       // the answer, to all
	noticeStop                         // of rank 0: all stop, after the rounds that are opened; of others: they want it
	noticePause                        // a pause begins, or ends
	noticeCheckpoint                   // all begin a checkpoint
	noticeSaved                        // all tiles of the sender have finished these iterations durably
	noticeProgress                     // how far the sender is
	noticeEnded                        // the sender's part has
	noticeOver                         // all have, and nothing more is said
)

// tellEvery is how often ranks tell how far they are.
const tellEvery = 500 * time.Millisecond

// queue is how many messages may wait to be sent to a rank.
const queue = 1024

// GridFor returns the rows and columns of a grid of so many parts: as square as can be, if it is not given. It fails
// with ErrRound for a grid of another number.
func GridFor(size int, given [2]int) (rows, cols int, err error) {
	if given[0] > 0 {
		if given[0]*given[1] != size {
			return 0, 0, text.ErrorOf(ErrRound, "a grid of %d×%d has %d parts, and there are %d ranks", given[0],
				given[1], given[0]*given[1], size)
		}
		return given[0], given[1], nil
	}
	for d := 1; d*d <= size; d++ {
		if size%d == 0 {
			rows = d
		}
	}
	return rows, size / rows, nil
}

// converse prepares the conversation, in a group of goroutines that ends with it. The context that it returns ends
// where all are to stop.
func (r *run) converse(ctx, all context.Context, group *errgroup.Group) context.Context {
	size := r.Ranks.Size()
	c := &conversation{
		Group: r.Ranks, run: r, group: group, all: all, out: make([]chan notice, size), answered: make(chan struct{}),
		saved: make([]int, size), stats: make([]stream.Stats, size), durable: r.start, own: r.start,
	}
	for rank := range c.saved {
		c.saved[rank] = r.start
	}
	r.talk = c
	inner := ctx
	if c.Rank() > 0 { // it does not stop by itself
		inner = context.WithoutCancel(ctx)
	}
	inner, c.stop = context.WithCancelCause(inner)
	for peer := range size {
		if peer != c.Rank() && (c.Rank() == 0 || peer == 0) {
			c.out[peer] = make(chan notice, queue)
		}
	}
	c.asked = ctx
	return inner
}

// begin has the conversation begin. Until then nothing was said or heard.
func (c *conversation) begin() {
	for peer, out := range c.out {
		if out != nil {
			c.group.Go(func() error { return c.speak(peer, out) })
			c.group.Go(func() error { return c.listen(peer) })
		}
	}
	if c.Rank() == 0 {
		go c.lead()
	} else {
		go c.report()
	}
}

// speak sends what is to be said to a rank, in order.
func (c *conversation) speak(to int, out <-chan notice) error {
	for {
		select {
		case n, more := <-out:
			if !more {
				return nil
			}
			if err := c.Put(c.all, to, n); err != nil {
				return err
			}
		case <-c.all.Done():
			return nil
		}
	}
}

// say has something said to all that this rank speaks to: rank 0 to the others, and these to it. Call it with run.mu
// held.
func (c *conversation) say(n notice) {
	for _, out := range c.out {
		if out == nil {
			continue
		}
		select {
		case out <- n:
		case <-c.all.Done():
		}
	}
}

func (c *conversation) sayNow(n notice) {
	c.run.mu.Lock()
	defer c.run.mu.Unlock()
	c.say(n)
}

// endTalk ends what is said to a rank. Call it with run.mu held.
func (c *conversation) endTalk(to int) {
	if c.out[to] != nil {
		close(c.out[to])
		c.out[to] = nil
	}
}

// listen does what a rank says, until that has no more to say.
func (c *conversation) listen(from int) error {
	for {
		var n notice
		if err := c.Get(c.all, from, &n); err != nil {
			return err
		}
		if n.Kind == noticeSaved {
			c.run.mu.Lock()
			c.saved[from] = n.Done
			c.run.mu.Unlock()
			c.group.Go(c.run.saveAll) // for which this rank does not wait
			continue
		}
		if c.hear(from, n) {
			return nil
		}
	}
}

// hear does what a rank says, and reports whether that was all.
func (c *conversation) hear(from int, n notice) (last bool) {
	r := c.run
	if n.Kind == noticeProgress || n.Kind == noticeEnded {
		r.grid.take(r.partOf(from), n.Tiles) // without the lock, for which this part's next step may wait
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch n.Kind {
	case noticeAsk:
		r.asked(n.Done)
	case noticeOpened:
		r.decide(n.Done, n.Yes)
		close(c.answered)
		c.answered = make(chan struct{})
	case noticeStop:
		c.stop(task.ErrInterrupted)
	case noticePause:
		if n.Yes {
			r.Control.Pause()
		} else {
			r.Control.Resume()
		}
	case noticeCheckpoint:
		r.Control.Checkpoint()
	case noticeProgress, noticeEnded:
		c.stats[from] = n.Stats
		if n.Kind == noticeProgress {
			break
		}
		c.stopped = c.stopped || n.Yes
		r.track.take(n.Summed, n.TheSums)
		c.endTalk(from)
		last = true
	case noticeOver:
		c.stopped = !n.Yes
		last = true
	}
	r.Control.Touch()
	return last
}

// lead tells all when to stop, to stand still and to go on.
func (c *conversation) lead() {
	still, stop := false, c.run.ctx.Done()
	for {
		change := c.run.Control.Changes()
		if now := c.run.Control.Paused(); now != still {
			still = now
			c.sayNow(notice{Kind: noticePause, Yes: still})
		}
		select {
		case <-change:
		case <-c.all.Done():
			return
		case <-stop:
			stop = nil
			c.sayNow(notice{Kind: noticeStop}) // no round is opened after this
		}
	}
}

// report tells rank 0 how far this one is, and that somebody wants it to stop.
func (c *conversation) report() {
	stop, tick := c.asked.Done(), time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		n := notice{Kind: noticeStop}
		select {
		case <-c.all.Done():
			return
		case <-stop:
			stop = nil
		case <-tick.C:
			n = c.progress()
		}
		c.sayNow(n)
	}
}

func (c *conversation) progress() notice {
	return notice{Kind: noticeProgress, Stats: c.run.stats(), Tiles: c.run.grid.words(c.run.partOf(c.Rank()))}
}

// end is called when the part of this process has ended, before the end of the rounds or not.
func (c *conversation) end(stopped bool) {
	n := c.progress()
	n.Kind, n.Yes = noticeEnded, stopped
	n.Summed, n.TheSums = c.run.track.give()
	c.run.mu.Lock()
	defer c.run.mu.Unlock()
	c.stopped = c.stopped || stopped
	if c.Rank() > 0 {
		c.say(n)
		c.endTalk(0)
	}
}

// conclude tells all that the rounds are at an end, once all parts are.
func (c *conversation) conclude(end bool) error {
	if c.Rank() > 0 {
		return nil
	}
	err := c.Tell(context.Background(), notice{Kind: noticeOver, Yes: end})
	c.Over()
	return err
}

// opens returns the answer of rank 0 to another one, with run.mu held.
func (c *conversation) opens(done int) bool {
	r := c.run
	for asked := false; ; asked = true {
		if open, known := r.decided[done]; known {
			return open
		}
		if !asked {
			c.say(notice{Kind: noticeAsk, Done: done})
		}
		next := c.answered
		r.mu.Unlock()
		select {
		case <-next:
		case <-c.all.Done():
		}
		r.mu.Lock()
		if c.all.Err() != nil {
			return false
		}
	}
}

// save makes durable what this process has written, of which all tiles have finished done iterations, and on rank 0
// what all have, where that is more than before. Where each process has a part store, that says what its own tiles
// have finished. Call it with run.saving held.
func (c *conversation) save(done int) error {
	r := c.run
	apart := r.Meta.Part != nil
	if apart && done > c.own {
		if err := r.Store.Checkpoint(r.state(done)); err != nil {
			return err
		}
		c.own = done
	}
	if c.Rank() > 0 {
		if !apart {
			if err := r.Store.SyncTiles(); err != nil {
				return err
			}
		}
		c.sayNow(notice{Kind: noticeSaved, Done: done})
		return nil
	}
	r.mu.Lock()
	c.saved[0] = done
	for _, n := range c.saved {
		done = min(done, n)
	}
	r.mu.Unlock()
	if done <= c.durable {
		return nil
	}
	st := r.state(done)
	if !apart {
		if err := r.Store.Checkpoint(st); err != nil {
			return err
		}
	}
	c.durable = done
	r.track.restore.Store(st.Done)
	return nil
}
