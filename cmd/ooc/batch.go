package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/show"
	"ooc/engine"
	"ooc/engine/batch"
	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/live"
	"ooc/engine/task"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/tiles"
	"ooc/tiles/class"
)

// runBatch solves many graphs.
func (o *solveOptions) runBatch(ctx context.Context, inputs []input) (err error) {
	if err := o.isOne(); err != nil {
		return err
	}
	display := show.New(o.progress, o.json)
	jobs, skipped, err := o.listJobs(inputs)
	if err != nil {
		return err
	}
	list, err := queued(jobs, o.restart)
	if err != nil {
		return err
	}
	if err := o.checkTimelines(jobs); err != nil {
		return err
	}
	if n := len(skipped); n > 5 {
		display.Note("skipped, for its name is not that of a graph: %s and %d more", strings.Join(skipped[:5], ", "),
			n-5)
	} else if n > 0 {
		display.Note("skipped, for its name is not that of a graph: %s", strings.Join(skipped, ", "))
	}
	if err := o.check(); err != nil {
		return err
	}
	d, why, err := o.open()
	if err != nil {
		return err
	}
	display.Device(d, why)
	defer func() {
		if exit.Code(err) != class.Interrupted { // else readers that were left may still use it
			err = errors.Join(err, d.Close())
		}
	}()
	shared := &device.Shared{On: d}
	part := shared.Part(0)
	for _, j := range jobs {
		j.on, j.show = part, display // to plan with
	}
	if o.dryRun {
		return o.printForecasts(ctx, jobs, list)
	}
	dir := batch.Name(o.queueName(inputs), list)
	log, err := patient(ctx, display.Note, func() (*batch.Log, error) { return batch.Open(dir, list, os.Args) })
	if err != nil {
		return err
	}
	b := &batchRun{jobs: jobs, log: log, show: show.NewBatch(display, log)}
	needs, err := b.plan(ctx, part, o.restart)
	if err != nil {
		return errors.Join(err, log.Discard())
	}
	defer exit.CanResume(func() string { return show.SameCommand(os.Args) })()
	exit.Graceful.Store(true)
	defer display.OnStopping(ctx)()
	b.show.Begin()
	defer display.OnAsking()()
	stop := display.Keyboard(ctx)
	how := batch.Options{StopOnError: o.stopOnError, Code: exit.Code, Changed: b.show.Changed}
	err = batch.Run(ctx, log, needs, shared, b, how)
	stop()
	b.show.End()
	err = errors.Join(err, log.Close())
	b.show.Finish(exit.Code(err))
	switch exit.Code(err) {
	case class.Interrupted:
		err = fmt.Errorf("%w%s; continue with:\n  %s", err, o.maxHoursOver(ctx), show.SameCommand(os.Args))
	case class.SomeFailed:
		err = fmt.Errorf("%w; the same command tries what is not solved again:\n  %s", err, show.SameCommand(os.Args))
	}
	return err
}

// queueName is the beginning of the queue's name.
func (o *solveOptions) queueName(inputs []input) string {
	name := "graphs"
	switch {
	case o.jobs != "":
		name = strings.TrimSuffix(filepath.Base(o.jobs), filepath.Ext(o.jobs))
	case inputs[0].form != aPattern:
		if abs, err := filepath.Abs(inputs[0].name); err == nil {
			name = read.BaseName(abs)
		}
	}
	if name = strings.TrimLeft(name, "."); name == "" || name == string(filepath.Separator) {
		name = "graphs"
	}
	return name
}

// batchRun is the batch.Runner of a command.
type batchRun struct {
	jobs []*job
	log  *batch.Log
	show *show.Batch
}

// plan finds out what each job needs, which solved jobs are still solved, and whether there is room for all.
func (b *batchRun) plan(ctx context.Context, d kernels.Device, restart bool) ([]batch.Need, error) {
	needs := make([]batch.Need, len(b.jobs))
	b.show.Note("batch %s: finding out the needs of %s", b.log.Dir, text.Count(len(b.jobs), "job", "jobs"))
	sum, most := int64(0), 1
	var again []int
	for i, j := range b.jobs {
		was := &b.log.Jobs[i]
		j.restart = restart || was.Restart // what Open will be told
		solved := was.State == batch.Solved
		if solved && !restart && j.stillSolved(ctx) {
			continue
		}
		if solved || restart && !was.Restart {
			again = append(again, i)
		}
		needs[i] = j.need()
		if needs[i].Err != nil {
			b.show.Note("%s: will fail: %s", b.show.Name(i), show.About(j.in.name, needs[i].Err.Error()))
		}
		sum += needs[i].Bytes - needs[i].Has
		most = max(most, needs[i].Vertices)
	}
	share(ctx, b.jobs, b.log.Jobs, needs)
	err := batch.Room(b.log.Jobs, needs)
	if err == nil {
		err = engine.MeasureShared(d, most)
	}
	if err != nil {
		return nil, err
	}
	for _, i := range again { // not before it is known that the batch can begin
		b.log.Again(i, b.jobs[i].restart)
	}
	b.show.Note("%d of them solved; the others' stores take %s more",
		b.log.Counts()[batch.Solved], humanize.IBytes(uint64(sum)))
	return needs, nil
}

// share has jobs do with the room that there is beside all stores, where that may be less than they could take. Each
// then needs what its plan says, which may be more than its share. Run and dry run both ask Room of what share
// leaves.
func share(ctx context.Context, jobs []*job, list []batch.Job, needs []batch.Need) {
	if batch.Room(list, needs) == nil {
		return
	}
	batch.Share(list, needs)
	for i, j := range jobs {
		n := &needs[i]
		if n.Err != nil || n.Bytes == 0 { // or solved
			continue
		}
		j.room = n.Bytes + n.Beside
		f, err := j.forecast(ctx)
		if err != nil {
			continue // which the job will say
		}
		left := j.roomAt(j.store)
		planned(n, f)
		n.Beside += n.Beside / 16 // cores differ a little from plan to plan, as rates do
		if left -= n.Bytes; left >= f.BesideBytes {
			n.Beside = min(n.Beside, left)
		}
		j.room = max(j.room, n.Bytes+n.Beside)
	}
}

// planned has a job need what its plan says.
func planned(n *batch.Need, f *engine.Forecast) {
	n.Beside = f.BesideBytes
	if f.StoreBytes > 0 {
		n.Bytes = f.StoreBytes
		n.Has = min(n.Has, n.Bytes)
	}
}

// need is what a job needs. It notes the size of the graph.
func (j *job) need() (n batch.Need) {
	j.state = live.New
	if tiles.IsStore(j.store) {
		p, err := engine.OpenReadOnly(j.store)
		if err != nil {
			return batch.Need{Err: err}
		}
		defer p.Close()
		n.Has = p.Geometry().MatrixBytes()
		if !j.restart || j.in.form == aStore {
			m, want := p.Meta(), j.Request
			want.Tile, want.Kind, want.Predecessors = m.T, m.Kind, m.Predecessors
			j.extent = graph.Extent{N: m.N, Dense: m.Dense}
			n.Vertices, n.Bytes = m.N, n.Has
			if j.restart || p.Solved() != nil {
				_, n.Beside, _ = engine.Space(j.extent, j.on, want)
			}
			return n
		}
	}
	e, err := read.Measure(j.in.name, j.options("."))
	if err != nil {
		return batch.Need{Err: err}
	}
	want, err := j.requestFor(graph.Facts{N: e.N, IDs: e.IDs})
	if err != nil {
		return batch.Need{Err: err}
	}
	j.extent, n.Vertices = e, e.N
	n.Bytes, n.Beside, n.Err = engine.Space(e, j.on, want)
	n.Beside += e.Spool
	n.Has = min(n.Has, n.Bytes) // it takes the place of what is there
	return n
}

// begun opens the store of a job, which has to be that of the input as it is now, and of what is asked for now.
func (j *job) begun(ctx context.Context) (p *engine.Problem, st live.Status, err error) {
	if p, err = engine.OpenReadOnly(j.store); err != nil {
		return nil, st, err
	}
	if err = j.same(ctx, p); err == nil {
		st, err = p.Status()
		j.state = st.State
	}
	if err != nil {
		return nil, st, errors.Join(err, p.Close())
	}
	return p, st, nil
}

// stillSolved reports whether the store of a job that was solved is there, is solved, and is what is asked for now. If
// it is solved with more than that, another look at it will say so.
func (j *job) stillSolved(ctx context.Context) bool {
	p, st, err := j.begun(ctx)
	if err != nil {
		return false
	}
	defer p.Close()
	return st.State == live.Solved && j.unasked == nil
}

// Open implements batch.Runner.
func (b *batchRun) Open(ctx context.Context, i int, restart bool, d kernels.Device) (batch.Work, error) {
	j := b.jobs[i]
	j.restart, j.on = restart, d
	if err := j.checkTimeline(); err != nil { // once more: another process may have made the file, or solved the store
		return nil, err
	}
	p, err := j.open(ctx)
	if err != nil {
		return nil, err
	}
	b.show.Volume(p.Dir())
	return &batchWork{p, j, func(s live.Status) { b.show.Progress(i, s) }}, nil
}

// batchWork is the batch.Work of a job.
type batchWork struct {
	*engine.Problem
	*job
	progress func(live.Status)
}

func (w *batchWork) Solve(ctx context.Context) (task.Summary, error) {
	return w.job.solve(ctx, w.Problem, w.progress)
}
