package show

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"

	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/batch"
	"ooc/engine/live"
	"ooc/engine/text"
	"ooc/tiles/lock"
)

// Batch shows a batch: a line that stays for each job that ends, and a block with the jobs that run.
type Batch struct {
	*Display
	log *batch.Log

	states  []batch.State       // of jobs, as they were told; guarded by display.mu, as those below
	running map[int]live.Status // by job
	told    map[int]time.Time   // when a job last said how far it is, or began to
	drew    time.Time
}

func NewBatch(d *Display, log *batch.Log) *Batch {
	return &Batch{Display: d, log: log, states: make([]batch.State, len(log.Jobs)), running: map[int]live.Status{},
		told: map[int]time.Time{}}
}

// objectOf is job i in JSON, where they are counted from 1.
func objectOf(i int, j *batch.Job) json.RawMessage {
	return terminal.Members("job", i+1, "input", j.Input, "store", j.Store, "state", j.State, "attempt", j.Attempt,
		"seconds", j.Seconds, "exit_code", terminal.Known(j.Code), "error", terminal.Known(j.Error),
		"summary", objectOfSummary(j.Summary))
}

// batchObject is a whole batch, in JSON.
func batchObject(dir string, jobs []batch.Job, counts map[batch.State]int, command []string) json.RawMessage {
	return terminal.Members("batch", dir, "jobs", len(jobs), "counts", counts, "command", command)
}

func (b *Batch) Name(i int) string {
	return fmt.Sprintf("[%d/%d] %s", i+1, len(b.log.Jobs), b.log.Jobs[i].Input)
}

// About is an error of a job without the name of its input, for a line that has it already.
func About(input, message string) string {
	rest, cut := strings.CutPrefix(strings.TrimPrefix(message, "open "), input+":")
	if !cut {
		return message
	}
	if line, after, ok := strings.Cut(rest, ": "); ok && line != "" && strings.Trim(line, "0123456789") == "" {
		return "line " + line + ": " + after
	}
	return strings.TrimSpace(rest)
}

// Begin prints which jobs have nothing left to do.
func (b *Batch) Begin() {
	for i := range b.log.Jobs {
		b.states[i] = b.log.Jobs[i].State
		if b.json && b.states[i] == batch.Solved {
			terminal.PrintJSON("job", objectOf(i, &b.log.Jobs[i]))
		}
	}
}

// Changed prints the new state of a job. Run calls it from one goroutine.
func (b *Batch) Changed(i int) {
	j := &b.log.Jobs[i]
	b.mu.Lock()
	b.states[i] = j.State
	if j.State == batch.Reading && !b.json {
		b.told[i] = time.Now() // what is over in a moment needs no line about how far it is
	}
	if j.State != batch.Solving {
		delete(b.running, i)
	}
	if b.json {
		terminal.PrintJSON("job", objectOf(i, j))
	}
	b.mu.Unlock()
	switch j.State {
	case batch.Solved:
		b.Note("%s: solved %s in %s (%s)", b.Name(i), j.Store, text.Time(j.Seconds), outcome(j))
	case batch.Failed:
		b.Note("%s: failed, exit code %d: %s", b.Name(i), j.Code, About(j.Input, j.Error))
	case batch.Interrupted:
		b.Note("%s: interrupted", b.Name(i))
	}
}

// Progress shows how far a job is. Solves call it, each from a goroutine of its own.
func (b *Batch) Progress(i int, s live.Status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running[i] = s
	since := time.Since(b.told[i])
	if b.json && since >= jsonEvery-blockEvery/2 {
		b.told[i] = time.Now()
		terminal.PrintJSON("status", map[string]int{"job": i + 1}, objectOfStatus(s))
	}
	switch {
	case b.block != nil && time.Since(b.drew) >= blockEvery/2:
		b.drew = time.Now()
		b.draw(b.rows)
	case b.block == nil && !b.quiet && !b.json && since >= LinesEvery-blockEvery:
		b.told[i] = time.Now()
		fmt.Fprintf(terminal.Err, "%s: %s\n", b.Name(i), statusLine(s))
	}
}

// rows is the block: everything about a job that runs alone, or a row for each of several; then the batch.
func (b *Batch) rows(width int) (rows []string) {
	for _, i := range slices.Sorted(maps.Keys(b.running)) {
		if len(b.running) == 1 {
			rows = statusBlock(b.running[i], width)
			break
		}
		rows = append(rows, terminal.Clip(statusLine(b.running[i]), width))
	}
	n := map[batch.State]int{}
	for _, state := range b.states {
		n[state]++
	}
	return append(rows, row(width, "batch", fmt.Sprintf("%d of %d solved, %d failed, %d running",
		n[batch.Solved], len(b.states), n[batch.Failed], len(b.running))))
}

// outcome says how a job was solved.
func outcome(j *batch.Job) string {
	s := j.Summary
	switch {
	case s == nil:
		return ""
	case s.AlreadySolved:
		return "already solved" + asMade(s)
	case s.ResumedFrom > 0:
		return fmt.Sprintf("%s, from %.1f %%%s", s.Algorithm, 100*s.ResumedFrom, asMade(s))
	}
	return s.Algorithm + asMade(s)
}

// Finish prints the final state of all jobs.
func (b *Batch) Finish(code int) {
	if b.json {
		terminal.PrintJSON("batch", batchObject(b.log.Dir, b.log.Jobs, b.log.Counts(), b.log.Command),
			map[string]int{"exit_code": code})
		return
	}
	printJobs(terminal.Out, b.log.Jobs, nil)
}

// printJobs prints a table of jobs. progress, which may be nil, returns the progress of job i if it runs.
func printJobs(out io.Writer, jobs []batch.Job, progress func(i int) string) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "JOB\tGRAPH\tSTORE\tVERTICES\tSTATE\tTRIES\tTIME\tRESULT")
	for i := range jobs {
		j := &jobs[i]
		vertices, took, result := "", terminal.If(j.Seconds > 0, "%s", text.Time(j.Seconds)), outcome(j)
		if j.Summary != nil {
			vertices = humanize.Comma(int64(j.Summary.Vertices))
		}
		if j.State == batch.Failed {
			first, _, _ := strings.Cut(About(j.Input, j.Error), "\n")
			result = fmt.Sprintf("exit code %d: %s", j.Code, terminal.Clip(first, 120))
		} else if progress != nil && j.Summary == nil {
			result = progress(i)
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", i+1, text.Line(j.Input), text.Line(j.Store), vertices,
			j.State, j.Attempt, took, text.Line(result))
	}
	w.Flush()
}

// printBatch is ooc status of a batch.
func printBatch(dir string, asJSON bool) error {
	q, err := batch.Read(dir)
	if err != nil {
		return err
	}
	if asJSON {
		printQueue(dir, q)
		return nil
	}
	n := q.Counts()
	printf("batch     %s, %s, made %s\n", dir, text.Count(len(q.Jobs), "job", "jobs"),
		q.Created.Local().Format(time.DateTime))
	printf("state     %d solved, %d failed, %d begun, %d queued\n", n[batch.Solved], n[batch.Failed],
		n[batch.Reading]+n[batch.Solving]+n[batch.Interrupted], n[batch.Queued])
	switch {
	case q.Running:
		by := fmt.Sprintf("by process %d", q.PID)
		if q.Process != lock.ProcessRuns && q.Process != "" {
			by = doing(q.PID, q.Host, q.Process)
		}
		printf("          %s\n", by)
	case q.Torn > 0:
		printf("          its last record was cut off and does not count (%s); "+
			"the next run finds out from the stores\n", text.Count(q.Torn, "byte", "bytes"))
		fallthrough
	case n[batch.Solved] < len(q.Jobs):
		printf("next      %s\n", SameCommand(q.Command))
	}
	printJobs(terminal.Out, q.Jobs, func(i int) string { return progressOf(&q.Jobs[i]) })
	return nil
}

// printQueue is ooc status --json of a batch.
func printQueue(dir string, q *batch.Queue) {
	var list []json.RawMessage
	for i := range q.Jobs {
		list = append(list, objectOf(i, &q.Jobs[i]))
	}
	var pid, next any
	torn := 0 // bytes of a last record that was cut off; what is being written now is not torn
	switch {
	case q.Running:
		pid, next = q.PID, terminal.Command("watch", nil, dir)
	case q.Torn > 0 || q.Counts()[batch.Solved] < len(q.Jobs):
		torn, next = q.Torn, SameCommand(q.Command)
	}
	terminal.PrintJSON("batch", batchObject(dir, q.Jobs, q.Counts(), q.Command),
		terminal.Members("pid", pid, "torn_bytes", torn, "next", next, "list", list))
}

// progressOf says how far the store of a job is that was begun.
func progressOf(j *batch.Job) string {
	if j.State != batch.Solving && j.State != batch.Interrupted {
		return ""
	}
	v, err := engine.Look(j.Store)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%.1f %%", 100*v.Progress)
}
