// Package show tells people about solves: the status block and its keys, batches, and the screen of ooc watch
// with the board of tiles and the lanes. It draws with package terminal. Neither package knows the command's flags.
package show

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ooc/cmd/ooc/terminal"
	"ooc/engine/graph"
	"ooc/engine/live"
	"ooc/engine/task"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/tiles"
	"ooc/tiles/disk"
)

// Display shows a solve: a block that is redrawn on a terminal, plain lines elsewhere, JSON with --json.
type Display struct {
	Interval time.Duration
	json     bool
	block    *terminal.Block // on standard error; nil: there are lines, or with quiet none
	quiet    bool
	Steering *steering

	mu   sync.Mutex
	help func(width int) string // the row that names the keys; nil: there are none. Guarded by mu
	last time.Time              // of the last JSON object; guarded by mu
}

// Times between two updates.
const (
	blockEvery = 250 * time.Millisecond
	jsonEvery  = time.Second
	LinesEvery = 10 * time.Second
)

// New returns what shows solves: progress is auto, always or never.
func New(progress string, json bool) *Display {
	d := &Display{json: json, quiet: progress == "never", Interval: LinesEvery, Steering: &steering{}}
	if can := terminal.CanDraw(terminal.ErrFile); progress == "always" || progress == "auto" && can {
		d.block, d.Interval = terminal.NewBlock(terminal.ErrFile, false), blockEvery
	}
	if json {
		d.Interval = min(d.Interval, jsonEvery)
	}
	return d
}

// Note prints a line that stays, above the block if one is drawn.
func (d *Display) Note(format string, args ...any) {
	if !d.quiet {
		d.say(format, args...)
	}
}

// say is Note for what must be known whatever is shown of the progress.
func (d *Display) say(format string, args ...any) {
	d.block.Aside(false, func() { fmt.Fprintf(terminal.Err, format+"\n", args...) })
}

// Device prints which device computes, and what is wrong with one that would be faster, if anything is.
func (d *Display) Device(dev kernels.Device, why string) {
	d.Note("device %s: %s", dev.Info().Name, dev.Info().Model)
	if why != "" {
		d.Note("warning: another device was tried and cannot be used: %s", why)
	}
}

// Volume warns if a store is on a network volume.
func (d *Display) Volume(store string) {
	if volume := disk.Network(store); volume != "" {
		d.say("warning: %s is on %s, a network file system: no other host may write to it meanwhile, and a sync is "+
			"only as good as the server's", store, volume)
	}
}

// printf prints to standard output.
func printf(format string, args ...any) { fmt.Fprintf(terminal.Out, format, args...) }

var directions = map[bool]string{true: "directed", false: "undirected"}

// Imported says what was read.
func (d *Display) Imported(g graph.Facts, layout tiles.Layout, src *graph.Source, out string, took time.Duration) {
	number := g.Numbers()
	d.say("imported %s (%s): %s, %s, weights %s…%s, %s, %s, in %s → %s",
		src.Name, src.Format, vertices(g.N), arcs(g.Arcs),
		number.Text(g.MinWeight/float64(g.Scale)), number.Text(g.MaxWeight/float64(g.Scale)), g.Kind,
		directions[g.Directed]+halves(g, layout), text.Time(took.Seconds()), out)
	for _, remark := range src.Remarks {
		d.say("  %s", remark)
		if d.json {
			terminal.PrintJSON("note", map[string]string{"message": remark})
		}
	}
	for _, dropped := range []struct {
		n         int64
		one, many string
		what      string
	}{{g.SelfLoops, "self-loop", "self-loops", "dropped"},
		{g.Parallel, "parallel arc", "parallel arcs", "merged into the shortest"},
		{g.NoArcs, "infinite weight", "infinite weights", "dropped"}} {
		if dropped.n > 0 {
			d.say("  %s %s", text.Count(dropped.n, dropped.one, dropped.many), dropped.what)
		}
	}
}

// halves says that one half of the matrix is stored, and what a directed graph has to do with that.
func halves(g graph.Facts, layout tiles.Layout) string {
	return terminal.If(layout == tiles.Upper, ", %sone half of the matrix is kept",
		terminal.If(g.Directed, "each arc with its equal reverse: "))
}

// Status shows how far a solve is. The engine calls it from one goroutine.
func (d *Display) Status(s live.Status) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.json && (s.State != live.Running || time.Since(d.last) >= jsonEvery-blockEvery/2) {
		d.last = time.Now()
		terminal.PrintJSON("status", objectOfStatus(s))
	}
	switch {
	case d.block != nil:
		d.draw(func(width int) []string { return statusBlock(s, width) })
	case !d.quiet && !d.json:
		fmt.Fprintln(terminal.Err, statusLine(s))
	}
}

// draw draws some rows, and the keys below them. Call it with mu held.
func (d *Display) draw(rows func(width int) []string) {
	d.block.Draw(func(width, _ int) []string {
		all := rows(width)
		if d.help != nil {
			all = append(all, d.help(width))
		}
		return all
	})
}

// End leaves the block on the screen and starts below it.
func (d *Display) End() {
	if d.block != nil {
		d.block.Leave()
	}
}

// Summary says how a solve went.
func (d *Display) Summary(s task.Summary) {
	if d.json {
		terminal.PrintJSON("summary", objectOfSummary(&s))
		return
	}
	if s.AlreadySolved {
		printf("%s is already solved (%s of work)%s; ask it with: %s U V\n", s.Store, text.Time(s.ElapsedSeconds),
			asMade(&s), terminal.Command("query", nil, s.Store))
		return
	}
	resumed := terminal.If(s.ResumedFrom > 0, " from %.1f %%", 100*s.ResumedFrom)
	printf("solved %s%s%s: %s\n", s.Store, resumed, asMade(&s), s.Text)
}

// asMade says what the store was made with that nobody has asked for now.
func asMade(s *task.Summary) string {
	return terminal.If(len(s.Unasked) > 0, " as it was made, with %s", strings.Join(s.Unasked, ", "))
}

// Launched ends the command lines that a launcher of processes has to start, where it is not known which has.
const Launched = "  # again with mpirun or srun"

// WholeCommand is a command line for a shell.
func WholeCommand(args []string) string {
	words := []string{"ooc"}
	for _, a := range args[min(1, len(args)):] {
		words = append(words, text.Quote(a))
	}
	line := strings.Join(words, " ")
	if slices.ContainsFunc(args,
		func(a string) bool { return a == "--cluster" || strings.HasPrefix(a, "--cluster=") }) {
		line += Launched
	}
	return line
}

// SameCommand is WholeCommand without --restart.
func SameCommand(args []string) string {
	names := false // after --, all are names
	return WholeCommand(slices.DeleteFunc(slices.Clone(args), func(a string) bool {
		names = names || a == "--"
		return !names && (a == "--restart" || strings.HasPrefix(a, "--restart="))
	}))
}
