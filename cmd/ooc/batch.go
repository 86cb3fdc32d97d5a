package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/show"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/batch"
	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/live"
	"ooc/engine/task"
	"ooc/kernels"
)

// runBatch solves many graphs.
func (f *solveFlags) runBatch(cmd *cobra.Command, args []string) (err error) {
	if err := oneDevice(f.device); err != nil {
		return err
	}
	display := show.New(f.progress, f.json)
	jobs, skipped, err := f.listJobs(cmd, args)
	if err != nil {
		return err
	}
	list, err := queued(jobs, f.restart)
	if err != nil {
		return err
	}
	if err := f.checkTimelines(jobs); err != nil {
		return err
	}
	if len(skipped) > 0 {
		display.Note("skipped, for its name is not that of a graph: %s", some(skipped))
	}
	d, why, err := f.open()
	if err != nil {
		return err
	}
	display.Device(d, why)
	defer func() {
		if exit.Code(err) != exit.Interrupted { // else readers that were left may still use it
			err = errors.Join(err, d.Close())
		}
	}()
	shared := device.Share(d)
	if f.dryRun {
		return f.printForecasts(jobs, list, shared.Part(0))
	}
	dir, err := batch.Name(f.hint(args), list)
	if err != nil {
		return err
	}
	log, err := patient(cmd.Context(), display.Note, func() (*batch.Log, error) { return batch.Open(dir, list, os.Args) })
	if err != nil {
		return err
	}
	b := &batchRun{jobs: jobs, log: log, show: show.NewBatch(display, log)}
	needs, err := b.plan(shared.Part(0), f.restart)
	if err != nil {
		return errors.Join(err, log.Discard())
	}
	defer exit.CanResume(func() string { return show.SameCommand(os.Args) })()
	exit.Graceful.Store(true)
	defer display.OnStopping(cmd.Context())()
	b.show.Begin()
	defer display.OnAsking()()
	stop := display.Keyboard(cmd.Context())
	err = batch.Run(cmd.Context(), log, needs, shared, b, batch.Options{StopOnError: f.stopOnError, Code: exit.Code, Changed: b.show.Changed})
	stop()
	b.show.End()
	err = errors.Join(err, log.Close())
	b.show.Finish(exit.Code(err))
	switch exit.Code(err) {
	case exit.Interrupted:
		err = fmt.Errorf("%w%s; continue with:\n  %s", err, f.maxHoursOver(cmd), show.SameCommand(os.Args))
	case exit.SomeFailed:
		err = fmt.Errorf("%w; the same command tries what is not solved again:\n  %s", err, show.SameCommand(os.Args))
	}
	return err
}

// hint is the beginning of the queue's name.
func (f *solveFlags) hint(args []string) string {
	name := "jobs"
	switch {
	case f.jobs != "":
		name = strings.TrimSuffix(filepath.Base(f.jobs), filepath.Ext(f.jobs))
	case len(args) > 0 && batch.IsPattern(args[0]):
		name = "graphs"
	case len(args) > 0:
		abs, err := filepath.Abs(args[0])
		if err == nil {
			name = read.BaseName(abs)
		}
	}
	if name = strings.TrimLeft(name, "."); name == "" || name == string(filepath.Separator) {
		name = "graphs"
	}
	return name
}

// some lists names, but not too many of them.
func some(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// batchRun is the batch.Runner of a command.
type batchRun struct {
	jobs []job
	log  *batch.Log
	show *show.Batch
}

// plan finds out what each job needs, which solved jobs are still solved, and whether there is room for all.
func (b *batchRun) plan(d kernels.Device, restart bool) ([]batch.Need, error) {
	needs, extents := make([]batch.Need, len(b.jobs)), make([]graph.Extent, len(b.jobs))
	b.show.Note("batch %s: finding out the needs of %s", b.log.Dir, terminal.Count(len(b.jobs), "job", "jobs"))
	sum, most := int64(0), 1
	var again []int
	for i, j := range b.jobs {
		was := &b.log.Jobs[i]
		j.restart = restart || was.Restart // what Open will be told
		solved := was.State == batch.Solved
		if solved && !restart && j.stillSolved(was.Store) {
			continue
		}
		if solved || restart && !was.Restart {
			again = append(again, i)
		}
		needs[i], extents[i] = j.need(was.Store, d)
		if needs[i].Err != nil {
			b.show.Note("%s: will fail: %s", b.show.Name(i), show.About(j.input, needs[i].Err.Error()))
		}
		sum += needs[i].Bytes - needs[i].Has
		most = max(most, needs[i].Vertices)
	}
	share(b.jobs, b.log.Jobs, needs, extents, d)
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

// share has jobs do with the room that there is beside all stores, where that may be less than they could take. Each then
// needs what its plan says, which may be more than its share. Run and dry run both ask Room of what share leaves.
func share(jobs []job, list []batch.Job, needs []batch.Need, extents []graph.Extent, d kernels.Device) {
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
		f, err := j.forecast(&jobForecast{Store: list[i].Store}, extents[i], d)
		if err != nil {
			continue // which the job will say
		}
		left := j.roomAt(list[i].Store)
		if f.StoreBytes > 0 {
			n.Bytes = f.StoreBytes
			n.Has = min(n.Has, n.Bytes)
		}
		n.Beside = f.BesideBytes + f.BesideBytes/16 // cores differ a little from plan to plan, as rates do
		if left -= n.Bytes; left >= f.BesideBytes {
			n.Beside = min(n.Beside, left)
		}
		j.room = max(j.room, n.Bytes+n.Beside)
	}
}

// need is what a job needs, and the size of its graph if that had to be read.
func (j job) need(store string, d kernels.Device) (n batch.Need, e graph.Extent) {
	var has int64
	if isStore(store) {
		p, err := engine.OpenReadOnly(store)
		if err != nil {
			return batch.Need{Err: err}, e
		}
		defer p.Close()
		has = p.Geometry().MatrixBytes()
		if !j.restart || isStore(j.input) {
			m, limits := p.Meta(), j.Request
			limits.Tile, limits.Predecessors = m.T, m.Predecessors
			e = graph.Extent{N: m.N, Dense: m.Dense}
			n = batch.Need{Vertices: m.N, Bytes: has, Has: has}
			if j.restart || p.Solved() != nil {
				_, n.Beside, _ = engine.Space(e, d, limits)
			}
			return n, e
		}
	}
	e, err := read.Measure(j.input, j.options(j.cmd, "."))
	if err != nil {
		return batch.Need{Err: err}, e
	}
	limits := j.Request
	if limits.Sources, limits.Tile, err = sourcesOf(graph.Facts{N: e.N, IDs: e.IDs}, j.sources, limits.Tile); err != nil {
		return batch.Need{Err: err}, e
	}
	n.Vertices = e.N
	n.Bytes, n.Beside, n.Err = engine.Space(e, d, limits)
	n.Beside += e.Spool
	n.Has = min(has, n.Bytes) // it takes the place of what is there
	return n, e
}

// stillSolved reports whether the store of a job that was solved is there, is solved, and is that of the input as it is
// now, and of what is asked for now. If it is solved with more than that, another look at it will say so.
func (j job) stillSolved(store string) bool {
	p, err := engine.OpenReadOnly(store)
	if err != nil {
		return false
	}
	defer p.Close()
	st, err := p.Status()
	return err == nil && st.State == live.Solved && j.same(j.cmd, p, j.input) == nil && j.unasked == nil
}

// Open implements batch.Runner.
func (b *batchRun) Open(_ context.Context, i int, restart bool, d kernels.Device) (batch.Work, error) {
	j := b.jobs[i]
	j.restart = restart
	if err := j.checkTimeline(j.cmd, j.input); err != nil { // once more: another process may have made the file, or solved the store
		return nil, err
	}
	p, err := j.openOrCreate(j.cmd, j.input, d, b.show.Display)
	if err != nil {
		return nil, err
	}
	b.show.Volume(p.Dir())
	return &batchWork{p, j, d, i, b.show}, nil
}

// batchWork is the batch.Work of a job.
type batchWork struct {
	*engine.Problem
	job
	device kernels.Device
	at     int
	show   *show.Batch
}

func (w *batchWork) Solve(ctx context.Context) (task.Summary, error) {
	return w.job.solve(ctx, w.Problem, w.input, w.device, w.show.Display, func(s live.Status) { w.show.Progress(w.at, s) })
}
