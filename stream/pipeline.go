package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"ooc/kernels"
)

// Stage is a step on a tile's path from disk to device and back.
type Stage uint8

// The stages in the order a tile passes them.
const (
	Read    Stage = iota // disk → page
	In                   // page → slot
	Kernel               // slots
	Out                  // slot → page
	Write                // page → disk
	Sync                 // what was written → durable; waits for every Write submitted before it
	Send                 // page → other parts
	Receive              // another part → page
	Stages               // their number
)

// String returns the stage's name.
func (s Stage) String() string {
	return [...]string{"read", "in", "kernel", "out", "write", "sync", "send", "receive"}[s]
}

func (s Stage) onDevice() bool { return s == In || s == Kernel || s == Out }

// Op is one operation. Host runs the stages Read, Write, Sync, Send and Receive on a goroutine; Device enqueues the
// stages In, Kernel and Out on the stream of that number.
type Op struct {
	Stage         Stage
	Stream        int
	Reads, Writes []*Region
	Host          func() error
	Device        func(kernels.Stream) error
	// Done: called once it has finished without an error; before Host of what depends on it, but not before Device;
	// quick; may be nil.
	Done  func()
	Name  func() string // what it does to what, for errors of the device and for the timeline; may be nil
	Bytes int64         // moved, for the statistics
	Work  int64         // relaxations, for the statistics
}

// task is an Op in flight.
type task struct {
	Op
	deps       []*task
	done       chan struct{} // closed when the operation has finished without an error
	start, end kernels.Event // device stages, set by the issuer; start only where it is timed
	stands     int64         // how many operations of its stage this one's time stands for; 0: it is not timed
}

func (t *task) finished() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// precedes reports whether t is sure to finish before u starts because both run on one stream.
func (t *task) precedes(u *task) bool {
	return t.Stage.onDevice() && u.Stage.onDevice() && t.Stream == u.Stream
}

func (t *task) after(dep *task) {
	if dep != nil && dep != t && !dep.finished() && !dep.precedes(t) && !slices.Contains(t.deps, dep) {
		t.deps = append(t.deps, dep)
	}
}

// Options size a pipeline. Zero fields take defaults.
type Options struct {
	Streams int // device streams; 3
	Readers int // goroutines of stage Read; 2
	Writers int // goroutines of stage Write; 2
	Window  int // operations in flight, the depth of read-ahead; 64
	Peers   int // goroutines of stage Send, and as many of Receive; 0: nothing is sent
	// Trace is called with every operation that has finished, by several goroutines; nil: none is wanted. Timing every
	// operation slows small tiles down.
	Trace func(Span)
}

func (o *Options) fill() {
	o.Streams, o.Readers = cmp.Or(max(0, o.Streams), 3), cmp.Or(max(0, o.Readers), 2)
	o.Writers, o.Window = cmp.Or(max(0, o.Writers), 2), cmp.Or(max(0, o.Window), 64)
}

// workers is how many goroutines each stage of the host has.
func (o *Options) workers() map[Stage]int {
	return map[Stage]int{Read: o.Readers, Write: o.Writers, Sync: 1, Send: o.Peers, Receive: o.Peers}
}

// Pipeline runs operations. Submit, Drain and Close are called by one goroutine; Stats and Activity by any.
type Pipeline struct {
	group   *errgroup.Group
	ctx     context.Context
	queues  []*queue
	issue   chan *task
	host    [Stages]chan *task
	window  chan struct{} // a token per operation in flight
	pending []*task       // writes that may be unfinished, for Sync
	issued  [Stages]int64 // by the issuer, to choose what is timed
	stats   counters
	now     *activities
	closed  bool
	trace   func(Span)
	epoch   epoch
}

type queue struct {
	stream kernels.Stream
	tasks  chan *task // issued, in order
}

// New starts a pipeline over dev. It fails where the device has no stream to give.
func New(ctx context.Context, dev kernels.Device, o Options) (*Pipeline, error) {
	o.fill()
	g, gctx := errgroup.WithContext(ctx)
	p := &Pipeline{group: g, ctx: gctx, issue: make(chan *task, o.Window), window: make(chan struct{}, o.Window),
		now: newActivities(o), trace: o.Trace}
	for i := range o.Streams {
		s, err := dev.NewStream()
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open stream %d of %s: %w", i, dev.Info().Name, err), p.closeStreams())
		}
		p.queues = append(p.queues, &queue{stream: s, tasks: make(chan *task, o.Window)})
	}
	var err error
	if p.epoch, err = newEpoch(p.queues[0].stream); err != nil {
		return nil, errors.Join(err, p.closeStreams())
	}
	for i, q := range p.queues {
		g.Go(func() error { return p.complete(q, &p.now[Kernel][i]) })
	}
	g.Go(p.issueAll)
	for stage, workers := range o.workers() {
		p.host[stage] = make(chan *task, o.Window)
		for worker := range workers {
			g.Go(func() error { return p.runHost(stage, worker) })
		}
	}
	return p, nil
}

// Submit adds an operation. It blocks while the window is full, and returns the pipeline's first error.
func (p *Pipeline) Submit(op Op) error {
	select {
	case p.window <- struct{}{}:
	case <-p.ctx.Done():
		return context.Cause(p.ctx)
	}
	t := &task{Op: op, done: make(chan struct{})}
	for _, r := range op.Reads {
		r.read(t)
	}
	for _, r := range op.Writes {
		r.write(t)
	}
	switch op.Stage {
	case Write:
		p.pending = append(slices.DeleteFunc(p.pending, (*task).finished), t)
	case Sync:
		for _, w := range p.pending {
			t.after(w)
		}
	}
	// Neither send blocks: each queue is as long as the window.
	if op.Stage.onDevice() {
		p.issue <- t
	} else {
		p.host[op.Stage] <- t
	}
	return nil
}

// Failed is closed once an operation has failed: Err then says how.
func (p *Pipeline) Failed() <-chan struct{} { return p.ctx.Done() }

// Err returns the pipeline's first error, nil while there is none.
func (p *Pipeline) Err() error { return context.Cause(p.ctx) }

// Drain waits until every submitted operation has finished, and returns the first error.
func (p *Pipeline) Drain() error {
	for i := range cap(p.window) {
		select {
		case p.window <- struct{}{}:
		case <-p.ctx.Done():
			for range i {
				<-p.window
			}
			return context.Cause(p.ctx)
		}
	}
	for range cap(p.window) {
		<-p.window
	}
	return nil
}

// Close finishes what was submitted (or, after an error, abandons it), waits for every goroutine and
// for the device, and releases the streams. It returns the first error, also on later calls.
func (p *Pipeline) Close() error {
	if !p.closed {
		p.closed = true
		close(p.issue)
		for _, c := range p.host {
			if c != nil {
				close(c)
			}
		}
	}
	err := p.group.Wait()
	return errors.Join(err, p.closeStreams())
}

func (p *Pipeline) closeStreams() error {
	var err error
	for _, q := range p.queues {
		err = errors.Join(err, q.stream.Close())
	}
	p.queues = nil
	return err
}

// wait blocks until every dependency has finished, or the pipeline has failed.
func (p *Pipeline) wait(deps []*task) error {
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	for _, d := range deps {
		select {
		case <-d.done:
		case <-p.ctx.Done():
			return context.Cause(p.ctx)
		}
	}
	return nil
}

// finish books the operation and lets its dependants and the window go on.
func (p *Pipeline) finish(t *task, busy time.Duration) {
	p.stats.add(t.Stage, t.Bytes, t.Work, busy)
	if t.Done != nil {
		t.Done()
	}
	// What a finished operation waited for would otherwise stay reachable through its dependants.
	t.deps, t.Host, t.Device, t.Done, t.Name, t.Reads, t.Writes = nil, nil, nil, nil, nil, nil, nil
	close(t.done)
	<-p.window
}

func (p *Pipeline) runHost(stage Stage, worker int) error {
	now := &p.now[stage][worker]
	for t := range p.host[stage] {
		t.Stream = worker
		if err := p.wait(t.deps); err != nil {
			return err
		}
		now.Store(uint32(stage))
		start := time.Now()
		err := t.Host()
		end := time.Now()
		now.Store(uint32(Stages))
		if err != nil {
			return err
		}
		p.traced(t, start.Sub(p.epoch.wall), end.Sub(p.epoch.wall))
		p.finish(t, end.Sub(start))
	}
	return nil
}

// issueAll enqueues device operations in program order.
func (p *Pipeline) issueAll() error {
	defer func() {
		for _, q := range p.queues {
			close(q.tasks)
		}
	}()
	for t := range p.issue {
		if p.ctx.Err() != nil {
			return context.Cause(p.ctx)
		}
		q := p.queues[t.Stream]
		if err := p.enqueue(q.stream, t); err != nil {
			return err
		}
		q.tasks <- t
	}
	return nil
}

func (p *Pipeline) enqueue(s kernels.Stream, t *task) error {
	for _, d := range t.deps {
		if d.finished() {
			continue
		}
		var err error
		if d.Stage.onDevice() { // issued before t, so its event is set
			err = s.Wait(d.end)
		} else {
			err = p.wait([]*task{d})
		}
		if err != nil {
			return err
		}
	}
	var err error
	if t.stands = p.timing(t.Stage); t.stands > 0 {
		if t.start, err = s.Record(); err != nil {
			return err
		}
	}
	if err = t.Device(s); err != nil {
		return t.explained(err)
	}
	t.end, err = s.Record()
	return t.explained(err)
}

func (t *task) explained(err error) error {
	if err == nil || t.Name == nil {
		return err
	}
	return fmt.Errorf("%s: %w", t.Name(), err)
}

// Timing an operation takes an event and a question to the device more. Past the first timeAll of a stage
// that would cost small tiles more than it tells, so one in timeOneIn stands for the others.
const (
	timeAll   = 256
	timeOneIn = 8
)

func (p *Pipeline) timing(s Stage) (stands int64) {
	n := p.issued[s]
	p.issued[s]++
	switch {
	case n < timeAll || p.trace != nil:
		return 1
	case n%timeOneIn == 0:
		return timeOneIn
	}
	return 0
}

// complete waits for the issued operations of a stream one after another, and says in now which it waits for.
func (p *Pipeline) complete(q *queue, now *atomic.Uint32) error {
	for t := range q.tasks {
		if p.ctx.Err() != nil {
			return context.Cause(p.ctx)
		}
		now.Store(uint32(t.Stage))
		err := t.end.Sync()
		now.Store(uint32(Stages))
		if err != nil {
			return t.explained(err)
		}
		var busy time.Duration
		if t.stands > 0 {
			if busy, err = t.end.Since(t.start); err != nil {
				return err
			}
			if err = p.tracedOnDevice(t, busy); err != nil {
				return err
			}
		}
		p.finish(t, busy*time.Duration(t.stands))
	}
	return nil
}
