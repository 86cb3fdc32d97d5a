package show

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/batch"
	"ooc/engine/live"
	"ooc/engine/text"
	"ooc/tiles/lock"
)

// Watched is what ooc watch has seen of a store, or of a batch.
type Watched struct {
	Dir   string
	View  engine.View
	Err   error             // why there is no view
	lanes map[string]string // by lane, the letters of what it was at, oldest first
	order []string          // lanes in the order of their rows

	Queue *batch.Queue // nil: dir is a store
	Jobs  []Watched    // stores of the jobs that run
}

// laneHistory is how many looks at a lane are kept.
const laneHistory = 300

// Remember adds the lanes of a look to those before.
func (w *Watched) Remember(l live.Workers) {
	w.order = nil
	seen := map[string]string{}
	for _, group := range []struct{ name, at string }{{"lane", l.Device}, {"reader", l.Read}, {"writer", l.Write},
		{"sync", l.Sync}} {
		for i, letter := range group.at {
			name := fmt.Sprintf("%s %d", group.name, i)
			if !strings.ContainsRune(live.WorkerLetters, letter) {
				letter = '?'
			}
			h := w.lanes[name] + string(letter)
			seen[name] = h[max(0, len(h)-laneHistory):]
			w.order = append(w.order, name)
		}
	}
	w.lanes = seen
}

// On a terminal narrower than sideBySide the board is below the figures; otherwise it is beside them, and they take
// figures columns.
const (
	sideBySide = 110
	figures    = 62
)

// Screen draws what was seen in at most width columns and height rows.
func (w *Watched) Screen(width, height int, p paint) []string {
	head := []string{w.title(width, p)}
	quit := "q quits" + terminal.If(w.View.Running || w.Queue != nil && w.Queue.Running, "; the solve goes on")
	foot := []string{p.text("dim", terminal.Clip(quit, width))}
	room := height - len(head) - len(foot)
	var body []string
	switch {
	case w.Queue != nil:
		body = w.batchRows(width, room, p)
	case w.Err != nil || !w.View.Running:
		body = w.resting(width)
	case width >= sideBySide:
		right := append(w.figures(figures, p), w.laneRows(figures, 100, p)...)
		left := w.boardRows(width-figures-2, room, p)
		body = beside(first(right, room), left, figures+2)
	default:
		body = w.figures(width, p)
		lanes := w.laneRows(width, min(4, room/6), p)
		body = append(body, w.boardRows(width, room-len(body)-len(lanes), p)...)
		body = append(body, lanes...)
	}
	rows := append(append(head, first(body, room)...), foot...)
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return rows
}

func first(rows []string, n int) []string { return rows[:min(len(rows), max(0, n))] }

// title says what the store is doing.
func (w *Watched) title(width int, p paint) string {
	text, colour := w.Told(), "good"
	if w.Err != nil || w.View.Died || w.halted() != "" {
		colour = "warn"
	}
	return p.text(colour, terminal.Clip(w.Dir+": "+text, width))
}

// State says in a few words what is being done, and by which process.
func (w *Watched) State() string {
	v := &w.View
	by := fmt.Sprintf(" by process %d on %s", v.PID, v.Host)
	switch halted := w.halted(); {
	case w.Queue != nil:
		return queueState(w.Queue)
	case w.Err != nil:
		return w.Err.Error()
	case halted != "":
		return halted
	case v.Running && v.State == live.Solved:
		return "solved; process " + fmt.Sprint(v.PID) + " still has it"
	case v.Running:
		return string(v.State) + by
	case v.Died:
		return fmt.Sprintf("process %d on %s ended before it was done; what it wrote is kept, %.1f %% of the work",
			v.PID, v.Host, 100*v.Progress)
	case v.State == live.Unfinished:
		return fmt.Sprintf("unfinished, %.1f %% done, and no process at it", 100*v.Progress)
	}
	return string(v.State)
}

// halted says what is known of a process that has the store and does not go on, or has said nothing for long; "" if it
// does what it should.
func (w *Watched) halted() string {
	v := &w.View
	if w.Queue != nil || w.Err != nil || !v.Running {
		return ""
	}
	switch what := doing(v.PID, v.Host, v.Process); {
	case v.Silent > 0, v.Process == lock.ProcessStopped, v.Process == lock.ProcessEnded:
		return what
	}
	return ""
}

// Halted reports whether the store's process does not go on, or has said nothing for long.
func (w *Watched) Halted() bool { return w.halted() != "" }

// doing says what a process does.
func doing(pid int, host string, state lock.ProcessState) string {
	switch state {
	case lock.ProcessStopped:
		return fmt.Sprintf("process %d is stopped", pid)
	case lock.ProcessEnded:
		return fmt.Sprintf("process %d has ended, and its lock is not free yet", pid)
	case lock.ProcessElsewhere:
		return fmt.Sprintf("process %d is on another host: %s", pid, host)
	case lock.ProcessContained:
		return fmt.Sprintf("process %d is in another container: %s", pid, host)
	case lock.ProcessRuns:
		return fmt.Sprintf("process %d on %s still runs", pid, host)
	}
	return fmt.Sprintf("whether process %d on %s still runs cannot be told", pid, host)
}

// Told is State with how long nothing was heard of the solve, if that is too long.
func (w *Watched) Told() string {
	silent := w.View.Silent.Truncate(time.Second)
	switch {
	case w.halted() == "" || silent == 0:
		return w.State()
	case silent < time.Minute:
		return fmt.Sprintf("no news for %d s; %s", silent/time.Second, w.State())
	}
	return fmt.Sprintf("no news for %s; %s", text.Time(silent.Seconds()), w.State())
}

// Next is the command to run next.
func (w *Watched) Next() string {
	if w.View.Running && w.View.Process == lock.ProcessStopped {
		return fmt.Sprintf("kill -CONT %d, or fg in its terminal", w.View.PID)
	}
	if w.View.Running && w.View.Process != lock.ProcessEnded {
		return terminal.Command("watch", nil, w.Dir)
	}
	made := ""
	if len(w.View.Made) > 1 {
		made = w.View.Made[1]
	}
	switch {
	case made == "stats": // whose store is for it alone, solved or not
		return SameCommand(w.View.Made)
	case w.View.State == live.Solved:
		return terminal.Command("query", nil, cmp.Or(w.View.All, w.Dir)) + " U V"
	case w.View.GoOn != "":
		return w.View.GoOn
	case made == "merge":
		return SameCommand(w.View.Made)
	}
	return terminal.Command("solve", nil, w.Dir)
}

// resting are the rows for a store that no process has.
func (w *Watched) resting(width int) []string {
	if w.Err != nil {
		return []string{terminal.Clip("watching for it to come back", width)}
	}
	s := &w.View.Status
	rows := []string{row(width, "graph", vertices(s.Vertices), arcs(s.Arcs), s.Kind)}
	if s.Algorithm != "" { // else none was begun
		rows = append(rows, row(width, "algorithm", s.Algorithm))
	}
	rows = append(rows, row(width, "restore", restoreParts(*s)...), terminal.Clip(progressBar(*s, width), width),
		terminal.Clip(label("next")+w.Next(), width))
	if s.State != live.Solved {
		rows = append(rows, terminal.Clip(label("")+"this screen follows it from there", width))
	}
	return rows
}

// figures are the rows with numbers.
func (w *Watched) figures(width int, p paint) []string {
	s, next := &w.View.Status, ""
	if s.State == live.Importing || s.PID == 0 || s.Stage == "" {
		return []string{terminal.Clip("it has said nothing about its progress yet", width)}
	}
	if w.Halted() {
		next = w.Next()
	}
	return block(w.View.Live, next, width, p)
}

// boardRows are the board and what its cells mean.
func (w *Watched) boardRows(width, height int, p paint) []string {
	if w.View.Board == nil || height < 4 {
		return nil
	}
	return append(p.board(w.View.Board, width, height-1), p.legend(width))
}

// laneRows are the rows of lanes, at most the given number.
func (w *Watched) laneRows(width, most int, p paint) (rows []string) {
	for i, name := range w.order {
		if i == most-1 && len(w.order) > most {
			return append(rows, p.text("dim",
				terminal.Clip(fmt.Sprintf("and %s", text.Count(len(w.order)-i, "more lane", "more lanes")), width)))
		}
		rows = append(rows, p.lane(name, w.lanes[name], width))
	}
	if len(rows) > 0 {
		rows = append(rows, p.stages(width))
	}
	return rows
}

// queueState says how far a batch is.
func queueState(q *batch.Queue) string {
	n := q.Counts()
	text := fmt.Sprintf("%d of %s solved, %d failed", n[batch.Solved], text.Count(len(q.Jobs), "job", "jobs"),
		n[batch.Failed])
	switch {
	case q.Running && (q.Process == lock.ProcessStopped || q.Process == lock.ProcessEnded):
		return text + "; " + doing(q.PID, q.Host, q.Process)
	case q.Running:
		return fmt.Sprintf("%s, by process %d", text, q.PID)
	case n[batch.Solved] < len(q.Jobs):
		return text + "; continue with: " + SameCommand(q.Command)
	}
	return text
}

// batchRows are a table of the jobs, and below it the figures and the board of the first job that runs. If there is
// no room for all jobs, the table has those that run and their neighbours.
func (w *Watched) batchRows(width, room int, p paint) []string {
	var table strings.Builder
	printJobs(&table, w.Queue.Jobs, func(i int) string {
		for k := range w.Jobs {
			if w.Jobs[k].Dir == w.Queue.Jobs[i].Store && w.Jobs[k].Err == nil {
				return fmt.Sprintf("%.1f %%", 100*w.Jobs[k].View.Progress)
			}
		}
		return ""
	})
	rows := strings.Split(strings.TrimRight(table.String(), "\n"), "\n")
	head, jobs := rows[:1], rows[1:]
	most := room - 1
	var below []string
	if len(w.Jobs) > 0 && room > 24 {
		most = room / 3
		one := &w.Jobs[0]
		below = append(below, "", one.title(width, p))
		below = append(below, one.figures(width, p)...)
		below = append(below, one.boardRows(width, room-1-min(most, len(jobs))-len(below), p)...)
	}
	if len(jobs) > most {
		at := 0
		for i := range w.Queue.Jobs {
			if s := w.Queue.Jobs[i].State; s == batch.Solving || s == batch.Reading {
				at = i
				break
			}
		}
		from := max(0, min(at-most/3, len(jobs)-most))
		jobs = jobs[from : from+most]
	}
	rows = append(head, jobs...)
	for i := range rows {
		rows[i] = terminal.Clip(rows[i], width)
	}
	return append(rows, below...)
}
