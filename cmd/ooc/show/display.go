package show

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

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
	mode     displayMode
	out      *os.File // standard error
	Steering *steering

	mu    sync.Mutex
	help  func(width int) string // the row that names the keys; nil: there are none. Guarded by mu
	drawn []string               // rows of the block that is on the screen, whose first one has the cursor; guarded by mu, as those below
	last  time.Time              // of the last JSON object
}

type displayMode int

const (
	quiet displayMode = iota
	lines
	block
)

// Times between two updates.
const (
	blockEvery = 250 * time.Millisecond
	jsonEvery  = time.Second
	LinesEvery = 10 * time.Second
)

// New returns what shows solves: progress is auto, always or never.
func New(progress string, json bool) *Display {
	d := &Display{json: json, out: os.Stderr, mode: lines, Interval: LinesEvery, Steering: &steering{}}
	switch {
	case progress == "never":
		d.mode = quiet
	case progress == "always", progress == "auto" && term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb":
		d.mode, d.Interval = block, blockEvery
		terminal.OnLeaving(d.leaveSoon)
	}
	if json {
		d.Interval = min(d.Interval, jsonEvery)
	}
	return d
}

// Note prints a line that stays, above the block if one is drawn.
func (d *Display) Note(format string, args ...any) {
	if d.mode != quiet {
		d.say(format, args...)
	}
}

// say is Note for what must be known whatever is shown of the progress.
func (d *Display) say(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.drawn != nil {
		io.WriteString(d.out, clearBelow)
		d.drawn = nil
	}
	fmt.Fprintf(terminal.Err, format+"\n", args...)
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
		d.say("warning: %s is on %s, a network file system: no other host may write to it meanwhile, and a sync is only as good as the server's", store, volume)
	}
}

var directions = map[bool]string{true: "directed", false: "undirected"}

// Imported says what was read.
func (d *Display) Imported(g graph.Facts, layout tiles.Layout, src *graph.Source, out string, took time.Duration) {
	number := g.Numbers()
	d.say("imported %s (%s): %s, %s, weights %s…%s, %s, %s, in %s → %s",
		src.Name, src.Format, terminal.Count(g.N, "vertex", "vertices"), terminal.Count(g.Arcs, "arc", "arcs"),
		number.Text(g.MinWeight/float64(g.Scale)), number.Text(g.MaxWeight/float64(g.Scale)), g.Kind, directions[g.Directed]+halves(g, layout), terminal.Time(took.Seconds()), out)
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
	}{{g.SelfLoops, "self-loop", "self-loops", "dropped"}, {g.Parallel, "parallel arc", "parallel arcs", "merged into the shortest"},
		{g.NoArcs, "infinite weight", "infinite weights", "dropped"}} {
		if dropped.n > 0 {
			d.say("  %s %s", terminal.Count(dropped.n, dropped.one, dropped.many), dropped.what)
		}
	}
}

// halves says that one half of the matrix is stored, and what a directed graph has to do with that.
func halves(g graph.Facts, layout tiles.Layout) string {
	switch {
	case layout != tiles.Upper:
		return ""
	case g.Directed:
		return ", each arc with its equal reverse: one half of the matrix is kept"
	}
	return ", one half of the matrix is kept"
}

// Status shows how far a solve is. The engine calls it from one goroutine.
func (d *Display) Status(s live.Status) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.json && (s.State != live.Running || time.Since(d.last) >= jsonEvery-blockEvery/2) {
		d.last = time.Now()
		terminal.PrintJSON("status", objectOfStatus(s))
	}
	switch d.mode {
	case block:
		d.draw(func(width int) []string { return append(statusBlock(s, width), progressBar(s, width)) })
	case lines:
		if !d.json {
			fmt.Fprintln(terminal.Err, StatusLine(s))
		}
	}
}

// clearBelow clears the row of the cursor and all below it.
const clearBelow = "\r\x1b[J"

// draw writes a block of rows over the one before, and puts the cursor on its first row. There it stays with that row when
// the terminal is resized, whether or not the terminal wraps the rows below.
func (d *Display) draw(block func(width int) []string) {
	width, height := d.size()
	rows := block(width - 1)
	if d.help != nil {
		rows = append(rows, d.help(width-1))
	}
	d.drawn = rows[max(0, len(rows)-height+1):] // the cursor goes below them once
	io.WriteString(d.out, over(d.drawn, width)+fmt.Sprintf("\x1b[%dA", len(d.drawn)))
}

// over is what writes rows over those from the cursor on, clears all that is below them, and leaves the cursor there.
func over(rows []string, width int) string {
	var b strings.Builder
	b.WriteByte('\r')
	for _, row := range rows {
		b.WriteString(terminal.Clip(row, width-1) + "\x1b[K\r\n")
	}
	return b.String() + "\x1b[J"
}

// size is that of the terminal, or of an ordinary one where that cannot be.
func (d *Display) size() (width, height int) {
	width, height, err := term.GetSize(int(d.out.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	if err != nil || height < 2 {
		height = 24
	}
	return width, height
}

// End leaves the block on the screen and starts below it.
func (d *Display) End() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leave()
}

// leave is End. Call it with mu held.
func (d *Display) leave() {
	if d.drawn != nil {
		width, _ := d.size()
		io.WriteString(d.out, over(d.drawn, width))
		d.drawn = nil
	}
}

// leaveSoon is End for a process that ends at once: who holds mu may be waiting for the terminal.
func (d *Display) leaveSoon() {
	for range 20 {
		if d.mu.TryLock() { // and nothing is drawn after that
			d.leave()
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Summary says how a solve went.
func (d *Display) Summary(s task.Summary) {
	if d.json {
		terminal.PrintJSON("summary", objectOfSummary(&s))
		return
	}
	if s.AlreadySolved {
		fmt.Fprintf(terminal.Out, "%s is already solved (%s of work)%s; ask it with: %s U V\n", s.Store, terminal.Time(s.ElapsedSeconds), asMade(&s), terminal.Command("query", nil, s.Store))
		return
	}
	resumed := ""
	if s.ResumedFrom > 0 {
		resumed = fmt.Sprintf(" from %.1f %%", 100*s.ResumedFrom)
	}
	fmt.Fprintf(terminal.Out, "solved %s%s%s: %s\n", s.Store, resumed, asMade(&s), s.Text)
}

// asMade says what the store was made with that nobody has asked for now.
func asMade(s *task.Summary) string {
	if len(s.Unasked) == 0 {
		return ""
	}
	return " as it was made, with " + strings.Join(s.Unasked, ", ")
}

// statusBlock is the rows of the block, without the bar. Narrow terminals get fewer words a row.
func statusBlock(s live.Status, width int) []string {
	row := func(name string, parts ...string) string { return terminal.Row(width, name, parts...) }
	head := []string{
		row("graph", s.Store, terminal.Count(s.Vertices, "vertex", "vertices"), terminal.Count(s.Arcs, "arc", "arcs"), s.Kind),
		row("device", s.Device),
	}
	tail := []string{
		row("time", terminal.Time(s.Elapsed)+" elapsed", terminal.TimeLeft(s.ETA)),
		row("restore", restoreParts(s)...),
	}
	at := stageRow(s, width)
	if s.Stage == live.StageExpand {
		return slices.Concat(head, []string{at, rateRow(s, width)}, tail)
	}
	return slices.Concat(head, []string{
		at,
		rateRow(s, width),
		row("device io", terminal.PerSecond(s.InRate)+" in", terminal.PerSecond(s.OutRate)+" out"),
		row("disk io", terminal.PerSecond(s.ReadRate)+" read", terminal.PerSecond(s.WriteRate)+" written"),
		row("busy", busyParts(s.Busy)...),
		row("memory", humanize.IBytes(uint64(s.DeviceMemory))+" device", humanize.IBytes(uint64(s.HostMemory))+" host"),
	}, DeviceRows(s, width), tail)
}

// deviceRows is how many devices have a row of their own.
const deviceRows = 8

// DeviceRows are a row for each of several devices that share the rounds of a solve.
func DeviceRows(s live.Status, width int) (rows []string) {
	for _, d := range s.Devices[:min(len(s.Devices), deviceRows)] {
		rows = append(rows, terminal.Row(width, d.Name, terminal.Rate(d.Rate), fmt.Sprintf("kernels %.0f %%", 100*d.Busy), humanize.IBytes(uint64(d.DeviceMemory)),
			humanize.IBytes(uint64(d.HostMemory))+" host", "takes "+terminal.PerSecond(d.TakenRate)))
	}
	if more := len(s.Devices) - deviceRows; more > 0 {
		rows = append(rows, terminal.Row(width, "", fmt.Sprintf("and %d more", more)))
	}
	return rows
}

// stageRow says what is being done.
func stageRow(s live.Status, width int) string {
	switch {
	case s.Stage == live.StageExpand:
		return terminal.Row(width, "stage", string(s.Stage), fmt.Sprintf("%s of %s", humanize.Comma(int64(s.RowsDone)), terminal.Count(s.Rows, "row", "rows")), s.Algorithm)
	case s.Stage == live.StageCore && s.Rounds > 0:
		return terminal.Row(width, "stage", fmt.Sprintf("%s, round %d of %d", s.Stage, s.Round, s.Rounds), s.Algorithm)
	case s.Stage != live.StageRounds:
		return terminal.Row(width, "stage", string(s.Stage), s.Algorithm)
	}
	return terminal.Row(width, "round", fmt.Sprintf("%d of %d", s.Round, s.Rounds), s.Algorithm)
}

// rateRow says how fast distances, or relaxations, are made.
func rateRow(s live.Status, width int) string {
	rate := []string{terminal.Rate(s.Rate)}
	switch {
	case s.State == live.Paused:
		rate = []string{"paused"}
	case s.Stage == live.StageExpand:
		rate = []string{terminal.DistanceRate(s.DistanceRate), terminal.PerSecond(s.WriteRate) + " written"}
	case s.Ceiling > 0:
		rate = append(rate, fmt.Sprintf("%.0f %% of the ceiling", 100*s.Rate/s.Ceiling))
	}
	return terminal.Row(width, "rate", rate...)
}

func restoreParts(s live.Status) []string {
	parts := []string{fmt.Sprintf("%.1f %% is safe on disk", 100*s.RestorePoint)}
	switch s.Checkpoint {
	case live.CheckpointAsked:
		parts = append(parts, "checkpoint at the end of this "+map[bool]string{true: "row", false: "round"}[s.Stage == live.StageExpand])
	case live.CheckpointUnderWay:
		parts = append(parts, "checkpoint under way")
	}
	return parts
}

// busyParts prints how busy each stage is, of all its lanes or threads. The share of the stage that limits the others is the highest.
func busyParts(b live.Busy) []string {
	var parts []string
	for _, stage := range []string{"kernel", "in", "out", "read", "write", "sync"} {
		parts = append(parts, fmt.Sprintf("%s %.0f %%", stage, 100*b[stage]))
	}
	return parts
}

// progressBar is one row with the bar. The part after the restore point would be computed again after a crash.
func progressBar(s live.Status, width int) string {
	const steps = 1000
	bar := progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(io.Discard), progressbar.OptionSetWidth(max(10, width-10)),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionShowTotalBytes(false),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerHead: "█", SaucerPadding: "░", BarStart: "", BarEnd: ""}))
	_ = bar.RenderBlank() // which Set would leave out below 1 %; io.Discard does not fail
	_ = bar.Set(int(math.Floor(steps * min(1, max(0, s.Progress)))))
	text := bar.String()
	if _, rest, found := strings.Cut(text, "%"); found { // the percentage, in our own form, goes last
		text = strings.TrimSpace(rest)
	}
	return fmt.Sprintf("%s %5.1f %%", strings.TrimSpace(text), 100*s.Progress)
}

// StatusLine is the block in one line.
func StatusLine(s live.Status) string {
	if s.State == live.Paused {
		return fmt.Sprintf("%s: paused, progress %.1f %%, restore point %.1f %%, %s elapsed", s.Store, 100*s.Progress, 100*s.RestorePoint, terminal.Time(s.Elapsed))
	}
	switch {
	case s.Stage == live.StageExpand:
		return fmt.Sprintf("%s: %s of %s, progress %.1f %%, restore point %.1f %%, %s, %s elapsed, %s", s.Store, humanize.Comma(int64(s.RowsDone)),
			terminal.Count(s.Rows, "row", "rows"), 100*s.Progress, 100*s.RestorePoint, terminal.DistanceRate(s.DistanceRate), terminal.Time(s.Elapsed), terminal.TimeLeft(s.ETA))
	case s.Stage == live.StageEliminate || s.Stage == live.StageWrite || s.Stage == live.StageCore && s.Rounds == 0:
		doing := map[live.Stage]string{live.StageEliminate: "eliminating vertices", live.StageCore: "closing the core", live.StageWrite: "writing factors"}
		return fmt.Sprintf("%s: %s, %s elapsed", s.Store, doing[s.Stage], terminal.Time(s.Elapsed))
	}
	ceiling := ""
	if s.Ceiling > 0 {
		ceiling = fmt.Sprintf(" (%.0f %% of the ceiling)", 100*s.Rate/s.Ceiling)
	}
	core := ""
	if s.Stage == live.StageCore {
		core = "the core's "
	}
	return fmt.Sprintf("%s: %sround %d of %d, progress %.1f %%, restore point %.1f %%, %s%s, in %s, out %s, %s elapsed, %s",
		s.Store, core, s.Round, s.Rounds, 100*s.Progress, 100*s.RestorePoint, terminal.Rate(s.Rate), ceiling,
		terminal.PerSecond(s.InRate), terminal.PerSecond(s.OutRate), terminal.Time(s.Elapsed), terminal.TimeLeft(s.ETA))
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
	if slices.ContainsFunc(args, func(a string) bool { return a == "--cluster" || strings.HasPrefix(a, "--cluster=") }) {
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
