package main

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/dustin/go-humanize"

	"ooc/engine"
	"ooc/engine/batch"
)

// label10 is a name as rows begin with it.
func label10(name string) string { return fmt.Sprintf(label, name) }

// watched is what watch has seen of a store, or of a batch.
type watched struct {
	dir   string
	view  engine.View
	err   error             // why there is no view
	lanes map[string]string // by lane, the letters of what it was at, oldest first
	order []string          // lanes in the order of their rows

	queue *batch.Queue // nil: dir is a store
	jobs  []watched    // stores of the jobs that run
}

// laneHistory is how many looks at a lane are kept.
const laneHistory = 300

// remember adds the lanes of a look to those before.
func (w *watched) remember(l engine.Lanes) {
	w.order = nil
	seen := map[string]string{}
	for _, group := range []struct{ name, at string }{{"lane", l.Device}, {"reader", l.Read}, {"writer", l.Write}, {"sync", l.Sync}} {
		for i, letter := range group.at {
			name := fmt.Sprintf("%s %d", group.name, i)
			h := w.lanes[name] + string(letter)
			seen[name] = h[max(0, len(h)-laneHistory):]
			w.order = append(w.order, name)
		}
	}
	w.lanes = seen
}

// Below sideBySide columns the board is below the figures. Beside them, these take figures columns.
const (
	sideBySide = 110
	figures    = 62
)

// screen draws what was seen in at most width columns and height rows.
func (w *watched) screen(width, height int, p paint) string {
	head := []string{w.title(width, p)}
	foot := []string{p.text("dim", clip("q quits; the solve goes on", width))}
	room := height - len(head) - len(foot)
	var body []string
	switch {
	case w.queue != nil:
		body = w.batchRows(width, room, p)
	case w.err != nil || !w.view.Running:
		body = w.resting(width)
	case width >= sideBySide:
		right := append(w.figures(figures, p), w.laneRows(figures, 100, p)...)
		left := w.boardRows(width-figures-2, room, p)
		body = strings.Split(lipgloss.JoinHorizontal(lipgloss.Top, strings.Join(first(right, room), "\n"), "  ", strings.Join(left, "\n")), "\n")
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
	return strings.Join(rows, "\n")
}

func first(rows []string, n int) []string { return rows[:min(len(rows), max(0, n))] }

// title says what the store is doing.
func (w *watched) title(width int, p paint) string {
	text, colour := w.state(), "good"
	if w.err != nil || w.view.Died {
		colour = "warn"
	}
	return p.text(colour, clip(w.dir+": "+text, width))
}

// state says in a few words what is being done, and by whom.
func (w *watched) state() string {
	v := &w.view
	by := fmt.Sprintf(" by process %d on %s", v.PID, v.Host)
	switch {
	case w.queue != nil:
		return queueState(w.queue)
	case w.err != nil:
		return w.err.Error()
	case v.Running && v.State == "solved":
		return "solved; process " + fmt.Sprint(v.PID) + " still has it"
	case v.Running:
		return v.State + by
	case v.Died:
		return fmt.Sprintf("process %d on %s is gone without a word; what it wrote is kept, %.1f %% of the work", v.PID, v.Host, 100*v.Progress)
	case v.State == "unfinished":
		return fmt.Sprintf("unfinished, %.1f %% done, and no process at it", 100*v.Progress)
	}
	return v.State
}

// next is what to run on a store that no process has.
func (w *watched) next() string {
	if w.view.State == "solved" {
		return fmt.Sprintf("ooc query %s U V", quote(w.dir))
	}
	return "ooc solve " + quote(w.dir)
}

// resting are the rows of a store that no process has in hand.
func (w *watched) resting(width int) []string {
	if w.err != nil {
		return []string{clip("watching for it to come back", width)}
	}
	s := &w.view.Status
	rows := []string{
		labelled(width, "graph", count(s.Vertices, "vertex", "vertices"), count(s.Arcs, "arc", "arcs"), s.Kind),
		labelled(width, "algorithm", s.Algorithm),
		labelled(width, "restore", restoreParts(*s)...),
		clip(progressBar(*s, width), width),
		clip(label10("next")+w.next(), width),
	}
	if s.State != "solved" {
		rows = append(rows, clip(label10("")+"this screen follows it from there", width))
	}
	return rows
}

// figures are the rows with numbers.
func (w *watched) figures(width int, p paint) []string {
	v := &w.view
	s := v.Status
	if s.State == engine.StateImporting || s.PID == 0 || s.Stage == "" {
		return []string{clip("it has said nothing about its progress yet", width)}
	}
	rows := []string{
		labelled(width, "graph", count(s.Vertices, "vertex", "vertices"), count(s.Arcs, "arc", "arcs"), s.Kind),
		labelled(width, "device", s.Device),
		stageRow(s, width),
	}
	switch {
	case s.State == "paused", s.Stage == engine.StageExpand:
		rows = append(rows, rateRow(s, width))
	case s.Rounds > 0:
		c := v.Ceilings
		rows = append(rows,
			gauge(width, "kernel", s.Rate, s.Ceiling, rateText, p), gauge(width, "in", s.InRate, c.In, perSecond, p),
			gauge(width, "out", s.OutRate, c.Out, perSecond, p), gauge(width, "read", s.ReadRate, c.Read, perSecond, p),
			gauge(width, "write", s.WriteRate, c.Write, perSecond, p), labelled(width, "busy", busyParts(s.Busy)...))
	}
	if s.DeviceMemory > 0 {
		rows = append(rows, labelled(width, "memory", humanize.IBytes(uint64(s.DeviceMemory))+" device", humanize.IBytes(uint64(max(0, s.HostMemory)))+" host"))
	}
	rows = append(rows,
		labelled(width, "time", shortTime(s.Elapsed)+" elapsed", etaText(s.ETA)),
		labelled(width, "restore", restoreParts(s)...),
		progressBar(s, width))
	for i := range rows {
		if !strings.Contains(rows[i], "\x1b") {
			rows[i] = clip(rows[i], width)
		}
	}
	return rows
}

// gauge is a row with a rate, as a bar of what was measured to be possible where that is known.
func gauge(width int, stage string, rate, ceiling float64, text func(float64) string, p paint) string {
	said := text(rate)
	room := width - len(label10(stage)) - 32
	if ceiling <= 0 || room < 6 {
		if ceiling > 0 {
			said += fmt.Sprintf(", %.0f %%", 100*rate/ceiling)
		}
		return clip(label10(stage)+said, width)
	}
	full := int(float64(room)*min(1, max(0, rate/ceiling)) + 0.5)
	bar := p.text(stage, strings.Repeat("█", full)) + p.text("idle", strings.Repeat("░", room-full))
	return label10(stage) + bar + " " + clip(fmt.Sprintf("%s of %s", said, text(ceiling)), 31)
}

// boardRows are the board and what its cells mean.
func (w *watched) boardRows(width, height int, p paint) []string {
	if w.view.Board == nil || height < 4 {
		return nil
	}
	return append(p.board(w.view.Board, width, height-1), p.legend(width))
}

// laneRows are at most most rows of lanes.
func (w *watched) laneRows(width, most int, p paint) (rows []string) {
	for i, name := range w.order {
		if i == most-1 && len(w.order) > most {
			return append(rows, p.text("dim", clip(fmt.Sprintf("and %s", count(len(w.order)-i, "more lane", "more lanes")), width)))
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
	text := fmt.Sprintf("%d of %s solved, %d failed", n[batch.Solved], count(len(q.Jobs), "job", "jobs"), n[batch.Failed])
	switch {
	case q.Running:
		return fmt.Sprintf("%s, by process %d", text, q.PID)
	case n[batch.Solved] < len(q.Jobs):
		return text + "; go on with: " + sameCommand(q.Command)
	}
	return text
}

// batchRows are a table of the jobs, those that run and those next to them where there is no room for all, and below it
// the figures and the board of the first that runs.
func (w *watched) batchRows(width, room int, p paint) []string {
	var table strings.Builder
	printJobs(&table, w.queue.Jobs, func(i int) string {
		for k := range w.jobs {
			if w.jobs[k].dir == w.queue.Jobs[i].Store && w.jobs[k].err == nil {
				return fmt.Sprintf("%.1f %%", 100*w.jobs[k].view.Progress)
			}
		}
		return ""
	})
	rows := strings.Split(strings.TrimRight(table.String(), "\n"), "\n")
	head, jobs := rows[:1], rows[1:]
	most := room - 1
	var below []string
	if len(w.jobs) > 0 && room > 24 {
		most = room / 3
		one := &w.jobs[0]
		below = append(below, "", one.title(width, p))
		below = append(below, one.figures(width, p)...)
		below = append(below, one.boardRows(width, room-1-min(most, len(jobs))-len(below), p)...)
	}
	if len(jobs) > most {
		at := 0
		for i := range w.queue.Jobs {
			if s := w.queue.Jobs[i].State; s == batch.Solving || s == batch.Reading {
				at = i
				break
			}
		}
		from := max(0, min(at-most/3, len(jobs)-most))
		jobs = jobs[from : from+most]
	}
	rows = append(head, jobs...)
	for i := range rows {
		rows[i] = clip(rows[i], width)
	}
	return append(rows, below...)
}
