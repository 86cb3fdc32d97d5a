package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
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
	fl.StringVar(&f.jobs, "jobs", "", "a file of jobs, one a line: a graph and its own flags, quoted as for a shell; # begins a comment")
	fl.BoolVar(&f.stopOnError, "stop-on-error", false, "begin no job of a batch after one has failed")
	fl.BoolVar(&f.dryRun, "dry-run", false, "say what would be solved, where, how and how long that takes, and write nothing")
	fl.Var(flagvalue.Hours(&f.maxHours), "max-hours", "checkpoint and stop (exit code 130) in time before this many hours have passed")
}

// Flags for the whole batch, and flags that every job needs with a value of its own.
var (
	flagsOfBatch = []string{"jobs", "stop-on-error", "dry-run", "max-hours", "device", "device-memory", "progress", "json"}
	flagsOfOne   = []string{"out", "timeline"}
)

// count checks how many graphs there are, and flags that every run needs.
func (f *solveFlags) count(_ *cobra.Command, args []string) error {
	switch {
	case f.out != "" && f.outDir != "":
		return errors.New("--out names the store, and --out-dir its folder: give one of them")
	case len(args) == 0 && f.jobs == "":
		return errors.New("accepts 1 argument or more, or --jobs FILE; received none")
	case len(args) > 0 && f.jobs != "":
		return errors.New("--jobs FILE names the graphs: give it no others")
	}
	return nil
}

// isBatch reports whether the arguments are a batch, and not one graph.
func (f *solveFlags) isBatch(args []string) bool {
	if f.jobs != "" || len(args) != 1 {
		return true
	}
	return isMany(args[0])
}

// isMany reports whether an argument may stand for several graphs: a folder that is no store, or a pattern.
func isMany(arg string) bool {
	info, err := os.Stat(arg)
	return err == nil && info.IsDir() && !isStore(arg) || batch.IsPattern(arg)
}

// limited returns the command's context, which --max-hours ends. While there is nothing to take a checkpoint of,
// --max-hours ends the process, as a signal does.
func (f *solveFlags) limited(cmd *cobra.Command) (context.Context, func()) {
	if f.maxHours <= 0 {
		return cmd.Context(), func() {}
	}
	ctx, cancel := context.WithCancelCause(cmd.Context())
	timer := time.AfterFunc(timeFor(f.maxHours), func() {
		if !exit.Graceful.Load() {
			exit.Now(fmt.Sprintf("interrupted while the input was read%s", f.maxHoursText()))
		}
		cancel(errMaxHours)
	})
	return ctx, func() { timer.Stop(); cancel(nil) }
}

func (f *solveFlags) maxHoursText() string { return fmt.Sprintf(" (--max-hours %v)", f.maxHours) }

var errMaxHours = fmt.Errorf("%w: --max-hours are over", task.ErrInterrupted)

// maxHoursOver says that --max-hours ended the command's context; "" if something else did.
func (f *solveFlags) maxHoursOver(cmd *cobra.Command) string {
	if errors.Is(context.Cause(cmd.Context()), errMaxHours) {
		return f.maxHoursText()
	}
	return ""
}

// timeFor is the time after which a solve begins to stop: a twentieth of the time, and at most ten minutes, before the end.
// The checkpoint then has to write what one interval has changed, or what the system has not written back yet.
func timeFor(hours float64) time.Duration {
	whole := time.Duration(hours * float64(time.Hour))
	return whole - min(whole/20, 10*time.Minute)
}

// job is a graph of a batch with its flags.
type job struct {
	*solveFlags
	cmd   *cobra.Command
	input string
	from  string // where it was named, for people
}

// listJobs reads the jobs that the arguments or the jobs file name.
func (f *solveFlags) listJobs(cmd *cobra.Command, args []string) (jobs []job, skipped []string, err error) {
	if slices.Contains(args, "-") {
		return nil, nil, exit.UsageError(errors.New("standard input (-) can only be solved, and alone"))
	}
	if !f.isBatch(args) { // one graph of which nothing but the outlook is wanted
		return []job{{f, cmd, args[0], args[0]}}, nil, flagvalue.NewFolder("out-dir", f.outDir)
	}
	for _, name := range flagsOfOne {
		if cmd.Flags().Changed(name) {
			return nil, nil, exit.UsageError(fmt.Errorf("--%s is for one graph: in a batch, give it in the lines of --jobs FILE; --out-dir DIR has all stores in one folder", name))
		}
	}
	if f.jobs != "" {
		jobs, err = f.fileJobs(cmd)
		return jobs, nil, err
	}
	for _, arg := range args {
		inputs, left, err := batch.Expand(arg)
		if err != nil {
			return nil, nil, err
		}
		skipped = append(skipped, left...)
		for _, input := range inputs {
			j, err := newJob(cmd, []string{"--", input}, arg)
			if err != nil {
				return nil, nil, err
			}
			jobs = append(jobs, j)
		}
	}
	return jobs, skipped, nil
}

func (f *solveFlags) fileJobs(cmd *cobra.Command) ([]job, error) {
	file, err := os.Open(f.jobs)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines, err := batch.ReadLines(file, f.jobs)
	if err != nil {
		return nil, err
	}
	jobs := make([]job, len(lines))
	for i, line := range lines {
		from := fmt.Sprintf("%s:%d", f.jobs, line.Number)
		if jobs[i], err = newJob(cmd, line.Words, from); err != nil {
			return nil, exit.UsageError(fmt.Errorf("%s: %w", from, err))
		}
	}
	return jobs, nil
}

// shared returns the command's flags that every job takes, without those that the job's own words set.
func shared(cmd *cobra.Command, words []string) (flags []string) {
	if end := slices.Index(words, "--"); end >= 0 { // what follows are names
		words = words[:end]
	}
	own := func(name string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return w == "--"+name || strings.HasPrefix(w, "--"+name+"=") })
	}
	direction := own("directed") || own("undirected")
	cmd.Flags().Visit(func(fl *pflag.Flag) {
		switch {
		case fl.Name == "restart", slices.Contains(flagsOfBatch, fl.Name), slices.Contains(flagsOfOne, fl.Name):
		case direction && (fl.Name == "directed" || fl.Name == "undirected"):
		default:
			flags = append(flags, "--"+fl.Name+"="+fl.Value.String())
		}
	})
	return flags
}

// newJob reads the words of a job, after the flags that all jobs take from the command.
func newJob(cmd *cobra.Command, words []string, from string) (job, error) {
	c, f := newSolve()
	c.SetContext(cmd.Context())
	if err := c.ParseFlags(append(shared(cmd, words), words...)); err != nil {
		return job{}, flagvalue.Error(c, err)
	}
	if err := flagvalue.Check(c); err != nil {
		return job{}, err
	}
	for _, name := range flagsOfBatch {
		if c.Flags().Changed(name) {
			return job{}, exit.UsageError(fmt.Errorf("--%s is for the whole batch: give it on the command line", name))
		}
	}
	args := c.Flags().Args()
	if len(args) != 1 {
		return job{}, exit.UsageError(fmt.Errorf("a job is one graph and its flags, and this has %d graphs", len(args)))
	}
	if f.out == "" {
		f.place = "out-dir"
	}
	j := job{f, c, args[0], from}
	if j.input == "-" || isMany(j.input) {
		return job{}, exit.UsageError(fmt.Errorf("%s: a job is one graph in a file, or a store", j.input))
	}
	if err := f.check(); err != nil {
		return job{}, err
	}
	return j, flagvalue.NewFolder("out-dir", f.outDir)
}

// checkTimelines refuses timelines of jobs that any of them needs for something else.
func (f *solveFlags) checkTimelines(jobs []job) error {
	var keep []string
	from := map[string]string{}
	for _, j := range jobs {
		if j.timeline == "" {
			continue
		}
		at := filepath.Clean(j.timeline)
		if first, ok := from[at]; ok {
			return exit.UsageError(fmt.Errorf("%s and %s have the same --timeline %s", first, j.from, j.timeline))
		}
		from[at] = j.from
	}
	if len(from) == 0 {
		return nil
	}
	if f.jobs != "" {
		keep = append(keep, f.jobs)
	}
	for _, j := range jobs {
		store, err := j.store(j.input)
		if err != nil {
			return err
		}
		keep = append(keep, output(j.cmd, j.timeline, false, store).Keep...)
	}
	for _, j := range jobs {
		if err := j.checkTimeline(j.cmd, j.input, keep...); err != nil {
			return fmt.Errorf("%s: %w", j.from, err)
		}
	}
	return nil
}

// words are the job's own flags, as a command line has them.
func (j job) words() (flags []string) {
	j.cmd.Flags().Visit(func(fl *pflag.Flag) {
		if fl.Name != "restart" && fl.Name != "overwrite" {
			flags = append(flags, "--"+fl.Name+"="+fl.Value.String())
		}
	})
	return flags
}

// queued returns the jobs for a queue. It refuses two jobs with the same store.
func queued(jobs []job, restart bool) ([]batch.Job, error) {
	list, from := make([]batch.Job, len(jobs)), make([]string, len(jobs))
	for i, j := range jobs {
		j.restart = j.restart || restart
		store, err := j.store(j.input)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", j.from, err)
		}
		list[i] = batch.Job{Input: filepath.Clean(j.input), Store: filepath.Clean(store), Flags: j.words(), Restart: j.restart}
		from[i] = j.from
	}
	return list, batch.Distinct(list, from)
}
