package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/terminal"
	"ooc/engine/batch"
	"ooc/engine/task"
)

// batchFlags are the flags of a solve of many graphs.
type batchFlags struct {
	jobs                string
	stopOnError, dryRun bool
	maxHours            float64
}

func (f *batchFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.jobs, "jobs", "",
		"a file of jobs, one a line: a graph and its own flags, quoted as for a shell; # begins a comment")
	fl.BoolVar(&f.stopOnError, "stop-on-error", false, "begin no job of a batch after one has failed")
	fl.BoolVar(&f.dryRun, "dry-run", false,
		"say what would be solved, where, how and how long that takes, and write nothing")
	fl.Var(flagvalue.Hours(&f.maxHours), "max-hours",
		"checkpoint and stop (exit code 130) in time before this many hours have passed")
}

// Flags for the whole batch, and flags that every job needs with a value of its own.
var (
	flagsOfBatch = []string{"jobs", "stop-on-error", "dry-run", "max-hours", "device", "device-memory", "progress",
		"json"}
	flagsOfOne = []string{"out", "timeline"}
)

// count checks how many graphs there are, and flags that every run needs.
func (o *solveOptions) count(_ *cobra.Command, args []string) error {
	return cmp.Or(
		exit.Refuse(o.out != "" && o.outDir != "", "--out names the store, and --out-dir its folder: give one of them"),
		exit.Refuse(len(args) == 0 && o.jobs == "", "accepts 1 argument or more, or --jobs FILE; received none"),
		exit.Refuse(len(args) > 0 && o.jobs != "", "--jobs FILE names the graphs: give it no others"))
}

// limited returns the command's context, which --max-hours ends. While there is nothing to take a checkpoint of,
// --max-hours ends the process, as a signal does.
func (f *batchFlags) limited(ctx context.Context) (context.Context, func()) {
	if f.maxHours <= 0 {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(timeFor(f.maxHours), func() {
		if !exit.Graceful.Load() {
			exit.Now("interrupted while the input was read" + f.maxHoursText())
		}
		cancel(errMaxHours)
	})
	return ctx, func() { timer.Stop(); cancel(nil) }
}

func (f *batchFlags) maxHoursText() string { return fmt.Sprintf(" (--max-hours %v)", f.maxHours) }

var errMaxHours = fmt.Errorf("%w: --max-hours are over", task.ErrInterrupted)

// maxHoursOver says that --max-hours ended the command's context; "" if something else did.
func (f *batchFlags) maxHoursOver(ctx context.Context) string {
	return terminal.If(errors.Is(context.Cause(ctx), errMaxHours), "%s", f.maxHoursText())
}

// timeFor is the time after which a solve begins to stop: a twentieth of the time, and at most ten minutes, before
// the end. The checkpoint then has to write what one interval has changed, or what the system has not written back
// yet.
func timeFor(hours float64) time.Duration {
	whole := time.Duration(hours * float64(time.Hour))
	return whole - min(whole/20, 10*time.Minute)
}

// listJobs reads the jobs that the arguments or the jobs file name.
func (o *solveOptions) listJobs(inputs []input) (jobs []*job, skipped []string, err error) {
	if slices.Contains(o.args, "-") {
		return nil, nil, exit.UsageError(errors.New("standard input (-) can only be solved, and alone"))
	}
	if len(inputs) == 1 && !inputs[0].isMany() { // one graph of which nothing but the outlook is wanted
		jobs = []*job{{solveOptions: *o, in: inputs[0], from: inputs[0].name}}
		return jobs, nil, flagvalue.NewFolder("out-dir", o.outDir)
	}
	if err := o.without("--%s is for one graph: in a batch, give it in the lines of --jobs FILE; --out-dir DIR has "+
		"all stores in one folder", flagsOfOne...); err != nil {
		return nil, nil, err
	}
	if o.jobs != "" {
		jobs, err = o.fileJobs()
		return jobs, nil, err
	}
	for _, in := range inputs {
		files, left, err := batch.Expand(in.name)
		if err != nil {
			return nil, nil, err
		}
		skipped = append(skipped, left...)
		for _, file := range files {
			j, err := o.newJob([]string{"--", file}, in.name)
			if err != nil {
				return nil, nil, err
			}
			jobs = append(jobs, j)
		}
	}
	return jobs, skipped, nil
}

func (o *solveOptions) fileJobs() ([]*job, error) {
	file, err := os.Open(o.jobs)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines, err := batch.ReadLines(file, o.jobs)
	if err != nil {
		return nil, err
	}
	jobs := make([]*job, len(lines))
	for i, line := range lines {
		from := fmt.Sprintf("%s:%d", o.jobs, line.Number)
		if jobs[i], err = o.newJob(line.Words, from); err != nil {
			return nil, exit.UsageError(fmt.Errorf("%s: %w", from, err))
		}
	}
	return jobs, nil
}

// newJob reads the words of a job, after the flags that all jobs take from the command.
func (o *solveOptions) newJob(words []string, from string) (*job, error) {
	cmd, _ := newSolve()
	_ = cmd.ParseFlags(words) // what is wrong with them comes again
	not := slices.Concat([]string{"restart"}, flagsOfBatch, flagsOfOne)
	if own := lineOf(cmd); own.has("directed") || own.has("undirected") {
		not = append(not, "directed", "undirected")
	}
	cmd, own := newSolve()
	if err := cmd.ParseFlags(append(o.but(not...), words...)); err != nil {
		return nil, flagvalue.Error(cmd, err)
	}
	own.line = lineOf(cmd)
	n := len(own.args)
	if err := cmp.Or(flagvalue.Check(cmd),
		own.without("--%s is for the whole batch: give it on the command line", flagsOfBatch...),
		exit.Refuse(n != 1, "a job is one graph and its flags, and this has %d graphs", n)); err != nil {
		return nil, err
	}
	if own.out == "" {
		own.place = "out-dir"
	}
	j := &job{solveOptions: *own, in: resolve(own.args[0]), from: from}
	return j, cmp.Or(exit.Refuse(j.in.form == standardInput || j.in.isMany(),
		"%s: a job is one graph in a file, or a store", j.in.name),
		j.check(), j.checkKeep(true), j.checkCluster([]input{j.in}, true), flagvalue.NewFolder("out-dir", j.outDir))
}

// checkTimelines refuses timelines of jobs that any of them needs for something else.
func (o *solveOptions) checkTimelines(jobs []*job) error {
	if !slices.ContainsFunc(jobs, func(j *job) bool { return j.timeline != "" }) {
		return nil // and nothing has to be looked at
	}
	var keep []string
	if o.jobs != "" {
		keep = append(keep, o.jobs)
	}
	from := map[string]string{}
	for _, j := range jobs {
		at := filepath.Clean(j.timeline)
		if first, ok := from[at]; ok && j.timeline != "" {
			return exit.UsageError(fmt.Errorf("%s and %s have the same --timeline %s", first, j.from, j.timeline))
		}
		from[at] = j.from
		keep = append(keep, j.output(j.timeline, false, j.store).Keep...)
	}
	for _, j := range jobs {
		if err := j.checkTimeline(keep...); err != nil {
			return fmt.Errorf("%s: %w", j.from, err)
		}
	}
	return nil
}

// queued returns the jobs for a queue, once it is known into which store each is solved. It refuses two with the same
// store.
func queued(jobs []*job, restart bool) ([]batch.Job, error) {
	list, from := make([]batch.Job, len(jobs)), make([]string, len(jobs))
	for i, j := range jobs {
		j.restart = j.restart || restart
		store, err := j.storeOf(j.in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", j.from, err)
		}
		j.store = filepath.Clean(store)
		list[i] = batch.Job{Input: filepath.Clean(j.in.name), Store: j.store, Flags: j.but("restart", "overwrite")}
		list[i].Restart = j.restart
		from[i] = j.from
	}
	return list, batch.Distinct(list, from)
}
