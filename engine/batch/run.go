package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize/english"
	"golang.org/x/sync/errgroup"

	"ooc/engine/device"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/tiles/class"
)

// runner reads and solves jobs. Its methods may be called by several goroutines.
type runner interface {
	// Open opens the store of job i, or reads its input and makes the store. d is the job's part of the device.
	// restart says that the store is to begin again. Run does not wait for Open if it is interrupted, so nothing that
	// Open still does then may do harm.
	Open(ctx context.Context, i int, restart bool, d kernels.Device) (Work, error)
}

// Work is a store that is open.
type Work interface {
	// Solve solves it, or takes a checkpoint when ctx ends and fails with task.ErrInterrupted.
	Solve(ctx context.Context) (task.Summary, error)
	Close() error
}

// Options tune a run.
type Options struct {
	StopOnError bool            // begin no job after one has failed
	Code        func(error) int // the exit code of a failure; nil: all are 1
	Changed     func(i int)     // job i is in another state, or Solving again; called from one goroutine
}

// Small jobs share the device. A job is small if its store is at most smallBytes: much of its time then goes into
// reading, short steps and syncs, which leave the device idle (docs/batch.md has what sharing gains). Its part of the
// device must also hold the store twice, which leaves room for its panels.
const smallBytes = 64 << 20 // some 4,000 vertices

// atOnce is how many small jobs share the device. It is a variable only for tests.
var atOnce = 4

// ErrSomeFailed is wrapped by the error of a batch of which not all jobs were solved, and that was not interrupted.
var ErrSomeFailed = class.New(class.SomeFailed, "some of the batch failed")

// run is one call of Run.
type run struct {
	l      *Log
	r      runner
	o      Options
	needs  []Need
	shared *device.Shared
	part   int64 // bytes of the device for each of several
	most   int64 // bytes of the store of a small job

	events  chan event
	began   map[int]time.Time // jobs that run, and since when
	solving int               // of these; the others are in Open
	large   bool              // what runs is alone
	failed  int               // in this run
}

// event is what a job's goroutine reports to the goroutine that has the queue.
type event struct {
	job   int
	began bool // its store is open
	sum   task.Summary
	err   error
}

// Run works through the jobs that are not solved, in order. Jobs that failed before are tried again; jobs that an
// earlier run had begun continue from their stores. When ctx ends, the jobs that are being solved take a checkpoint,
// and Run fails with task.ErrInterrupted. It does not wait for jobs that are still reading; these use the device
// until the process ends. Run fails with ErrSomeFailed if jobs failed.
func Run(ctx context.Context, l *Log, needs []Need, shared *device.Shared, r runner, o Options) error {
	info := shared.Part(0).Info()
	part := info.Memory / int64(atOnce)
	b := &run{
		l: l, r: r, o: o, needs: needs, shared: shared, part: part, most: min(smallBytes, (part-info.Scratch)/2),
		events: make(chan event, 2*atOnce), // so that who is left never waits
		began:  map[int]time.Time{},
	}
	err := b.all(ctx)
	if l.failed != nil {
		err = errors.Join(err, fmt.Errorf("the state of some jobs is not recorded; the same command finds it out: %w",
			l.failed))
	}
	return err
}

// all starts jobs as there is room for them, and waits for the last.
func (b *run) all(ctx context.Context) error {
	var jobs errgroup.Group
	for i := range b.l.Jobs {
		if b.l.Jobs[i].State == Solved {
			continue
		}
		small := b.small(i)
		for ctx.Err() == nil && !b.room(small) {
			b.wait(ctx)
		}
		if ctx.Err() != nil || b.o.StopOnError && b.failed > 0 {
			break
		}
		b.start(ctx, &jobs, i, small)
	}
	for b.solving > 0 || len(b.began) > 0 && ctx.Err() == nil {
		b.wait(ctx)
	}
	if len(b.began) == 0 {
		_ = jobs.Wait() // nobody is left; errors came as events
	}
	for i := range b.began {
		b.change(i, Interrupted, nil)
	}
	counts := b.l.Counts()
	solved := fmt.Sprintf("%d of %s solved", counts[Solved], english.Plural(len(b.l.Jobs), "job", ""))
	switch left := len(b.l.Jobs) - counts[Solved]; {
	case left > counts[Failed] && ctx.Err() != nil:
		return fmt.Errorf("%w: %s", task.ErrInterrupted, solved)
	case left > counts[Failed]:
		return fmt.Errorf("%w: %s, %d failed, %d not begun", ErrSomeFailed, solved, counts[Failed], left-counts[Failed])
	case left > 0:
		return fmt.Errorf("%w: %s, %d failed", ErrSomeFailed, solved, counts[Failed])
	}
	return nil
}

// small reports whether a job may run beside others.
func (b *run) small(i int) bool {
	return b.needs[i].Bytes > 0 && b.needs[i].Bytes <= b.most
}

// room reports whether a job can be started now.
func (b *run) room(small bool) bool {
	return len(b.began) == 0 || small && !b.large && len(b.began) < atOnce
}

func (b *run) start(ctx context.Context, jobs *errgroup.Group, i int, small bool) {
	j := &b.l.Jobs[i]
	j.Attempt++
	b.began[i], b.large = time.Now(), !small
	b.change(i, Reading, nil)
	memory, restart := int64(0), j.Restart
	if small {
		memory = b.part
	}
	jobs.Go(func() error {
		w, err := b.r.Open(ctx, i, restart, b.shared.Part(memory))
		if err != nil {
			b.events <- event{job: i, err: err}
			return nil
		}
		b.events <- event{job: i, began: true}
		sum, err := w.Solve(ctx)
		b.events <- event{job: i, sum: sum, err: errors.Join(err, w.Close())}
		return nil
	})
}

// wait takes one event. While jobs are only being read it also ends with ctx.
func (b *run) wait(ctx context.Context) {
	var end <-chan struct{}
	if b.solving == 0 {
		end = ctx.Done()
	}
	select {
	case e := <-b.events:
		b.take(e)
	case <-end:
	}
}

func (b *run) take(e event) {
	j := &b.l.Jobs[e.job]
	if e.began {
		b.solving++
		j.Restart = false // it is done
		b.change(e.job, Solving, nil)
		return
	}
	if j.State == Solving {
		b.solving--
	}
	switch {
	case e.err == nil:
		j.Summary = &e.sum
		b.change(e.job, Solved, nil)
	case errors.Is(e.err, task.ErrInterrupted):
		b.change(e.job, Interrupted, nil)
	default:
		b.failed++
		b.change(e.job, Failed, e.err)
	}
	delete(b.began, e.job)
}

// change sets the state of a job, records it and reports it.
func (b *run) change(i int, s State, err error) {
	j := &b.l.Jobs[i]
	j.State, j.Seconds, j.Code, j.Error = s, 0, 0, ""
	if s != Solved {
		j.Summary = nil
	}
	if s != Reading && s != Solving {
		j.Seconds = time.Since(b.began[i]).Seconds()
	}
	if err != nil {
		j.Code, j.Error = 1, err.Error()
		if b.o.Code != nil {
			j.Code = b.o.Code(err)
		}
	}
	b.l.record(i)
	if b.o.Changed != nil {
		b.o.Changed(i)
	}
}

// Again puts a job back into the queue. With restart, its store is to begin again.
func (l *Log) Again(i int, restart bool) {
	j := &l.Jobs[i]
	j.State, j.Restart, j.Summary, j.Code, j.Error, j.Seconds = Queued, restart, nil, 0, "", 0
	l.record(i)
}
