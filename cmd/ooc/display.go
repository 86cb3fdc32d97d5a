package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/tiles"
)

// display shows a solve: a block that is redrawn on a terminal, plain lines elsewhere, JSON with --json.
type display struct {
	interval time.Duration
	json     bool
	mode     displayMode
	out      *os.File // standard error
	steering *steering

	mu    sync.Mutex
	help  func(width int) string // the row that names the keys; nil: there are none. Guarded by mu
	drawn int                    // lines of the block that are on the screen; guarded by mu, as those below
	width int                    // of the terminal when they were drawn
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
	linesEvery = 10 * time.Second
)

func newDisplay(progress string, json bool) (*display, error) {
	d := &display{json: json, out: os.Stderr, mode: lines, interval: linesEvery, steering: &steering{}}
	switch {
	case progress == "never":
		d.mode = quiet
	case progress == "always", progress == "auto" && term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb":
		d.mode, d.interval = block, blockEvery
	case progress != "auto":
		return nil, usageError{fmt.Errorf("--progress %s: known are auto, always and never", progress)}
	}
	if json {
		d.interval = min(d.interval, jsonEvery)
	}
	return d, nil
}

// note prints a line that stays, above the block if one is drawn.
func (d *display) note(format string, args ...any) {
	if d.mode == quiet {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	above := ""
	if d.drawn > 0 {
		above = fmt.Sprintf("\x1b[%dA\r\x1b[J", d.drawn)
		d.drawn = 0
	}
	fmt.Fprintf(d.out, above+format+"\n", args...)
}

// device says what will compute, and why not something faster.
func (d *display) device(dev kernels.Device, why string) {
	text := dev.Info().Name + ": " + dev.Info().Model
	if why != "" {
		text += " (" + why + ")"
	}
	d.note("device %s", text)
}

// volume warns of a store on a network.
func (d *display) volume(store string) {
	if volume := tiles.NetworkVolume(store); volume != "" {
		d.note("warning: %s is on %s, a network file system: no other host may write to it meanwhile, and a sync is only as good as the server's", store, volume)
	}
}

// imported says what was read.
func (d *display) imported(g graph.Facts, src *graph.Source, out string, took time.Duration) {
	d.note("imported %s (%s): %s, %s, weights %s…%s, %s, in %s → %s",
		src.Name, src.Format, count(g.N, "vertex", "vertices"), count(g.Arcs, "arc", "arcs"),
		number(g.MinWeight/float64(g.Scale)), number(g.MaxWeight/float64(g.Scale)), g.Kind, shortTime(took.Seconds()), out)
	if src.Remark != "" {
		d.note("  %s", src.Remark)
	}
	for _, dropped := range []struct {
		n         int64
		one, many string
		what      string
	}{{g.SelfLoops, "self-loop", "self-loops", "dropped"}, {g.Parallel, "parallel arc", "parallel arcs", "merged into the shortest"},
		{g.NoArcs, "infinite weight", "infinite weights", "dropped"}} {
		if dropped.n > 0 {
			d.note("  %s %s", count(dropped.n, dropped.one, dropped.many), dropped.what)
		}
	}
}

// status shows how far a solve is. The engine calls it from one goroutine.
func (d *display) status(s engine.Status) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.json && (s.State != "running" || time.Since(d.last) >= jsonEvery-blockEvery/2) {
		d.last = time.Now()
		printJSON(os.Stdout, "status", s)
	}
	switch d.mode {
	case block:
		d.draw(func(width int) []string { return append(statusBlock(s, width), progressBar(s, width)) })
	case lines:
		if !d.json {
			fmt.Fprintln(d.out, statusLine(s))
		}
	}
}

// draw writes a block of rows over the one before.
func (d *display) draw(block func(width int) []string) {
	width, _, err := term.GetSize(int(d.out.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	if width != d.width {
		d.drawn, d.width = 0, width // a terminal that was resized has wrapped the block: leave it, draw another
	}
	rows := block(width - 1)
	if d.help != nil {
		rows = append(rows, d.help(width-1))
	}
	var b strings.Builder
	if d.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", d.drawn)
	}
	for _, row := range rows {
		b.WriteString("\r" + clip(row, width-1) + "\x1b[K\n")
	}
	// What a wider terminal had left below goes.
	b.WriteString("\x1b[J")
	d.drawn = len(rows)
	io.WriteString(d.out, b.String())
}

// end leaves the block on the screen and starts below it.
func (d *display) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.drawn = 0
}

// summary says how a solve went.
func (d *display) summary(s engine.Summary) {
	if d.json {
		printJSON(os.Stdout, "summary", s)
		return
	}
	if s.AlreadySolved {
		fmt.Printf("%s is already solved (%s of work); ask it with: ooc query %s U V\n", s.Store, shortTime(s.ElapsedSeconds), quote(s.Store))
		return
	}
	rate := rateText(s.Rate)
	if s.Ceiling > 0 {
		rate += fmt.Sprintf(", %.0f %% of the ceiling", 100*s.Rate/s.Ceiling)
	}
	resumed := ""
	if s.ResumedFrom > 0 {
		resumed = fmt.Sprintf(" from %.1f %%", 100*s.ResumedFrom)
	}
	if e := s.Eliminate; e != nil {
		d.eliminated(s, e, resumed)
		return
	}
	fmt.Printf("solved %s%s: rounds %s (%s; predicted %s), sync %s\n", s.Store, resumed, shortTime(s.RoundsSeconds), rate,
		shortTime(s.Plan.RoundsSeconds()), shortTime(s.SyncSeconds))
}

// eliminated says how a solve by elimination went.
func (d *display) eliminated(s engine.Summary, e *engine.EliminatePlan, resumed string) {
	distances := float64(s.BytesWritten) / 4
	fmt.Printf("solved %s%s: %s eliminated in %s, core of %s in %s, %s in %s (%s), sync %s; predicted %s\n", s.Store, resumed,
		count(e.Eliminated, "vertex", "vertices"), shortTime(s.EliminateSeconds), humanize.Comma(int64(e.Core)), shortTime(s.CoreSeconds),
		count(int64(distances)/int64(s.Vertices), "row", "rows"), shortTime(s.ExpandSeconds), distanceRate(distances/s.ExpandSeconds),
		shortTime(s.SyncSeconds), shortTime(e.Seconds))
}

// distanceRate prints distances per second.
func distanceRate(rate float64) string {
	x, prefix := humanize.ComputeSI(rate)
	return fmt.Sprintf("%.3g %sdistances/s", x, prefix)
}

const label = "%-10s"

// labelled is a row of parts under a name, as many as fit: those after the first, which is cut, are in order of worth.
func labelled(width int, name string, parts ...string) string {
	text := fmt.Sprintf(label, name)
	for i, p := range parts {
		sep := " · "
		if i == 0 {
			sep = ""
		}
		if i > 0 && utf8.RuneCountInString(text+sep+p) > width {
			break
		}
		text += sep + p
	}
	return clip(text, width)
}

// statusBlock is the rows of the block, without the bar. Narrow terminals get fewer words a row.
func statusBlock(s engine.Status, width int) []string {
	row := func(name string, parts ...string) string { return labelled(width, name, parts...) }
	head := []string{
		row("graph", s.Store, count(s.Vertices, "vertex", "vertices"), count(s.Arcs, "arc", "arcs"), s.Kind),
		row("device", s.Device),
	}
	tail := []string{
		row("time", shortTime(s.Elapsed)+" elapsed", etaText(s.ETA)),
		row("restore", restoreParts(s)...),
	}
	at := stageRow(s, width)
	if s.Stage == engine.StageExpand {
		return slices.Concat(head, []string{at, rateRow(s, width)}, tail)
	}
	return slices.Concat(head, []string{
		at,
		rateRow(s, width),
		row("device io", perSecond(s.InRate)+" in", perSecond(s.OutRate)+" out"),
		row("disk io", perSecond(s.ReadRate)+" read", perSecond(s.WriteRate)+" written"),
		row("busy", busyParts(s.Busy)...),
		row("memory", humanize.IBytes(uint64(s.DeviceMemory))+" device", humanize.IBytes(uint64(s.HostMemory))+" host"),
	}, tail)
}

// stageRow says what is being done.
func stageRow(s engine.Status, width int) string {
	switch {
	case s.Stage == engine.StageExpand:
		return labelled(width, "stage", s.Stage, fmt.Sprintf("%s of %s", humanize.Comma(int64(s.RowsDone)), count(s.Rows, "row", "rows")), s.Algorithm)
	case s.Stage == engine.StageCore && s.Rounds > 0:
		return labelled(width, "stage", fmt.Sprintf("%s, round %d of %d", s.Stage, s.Round, s.Rounds), s.Algorithm)
	case s.Stage != engine.StageRounds:
		return labelled(width, "stage", s.Stage, s.Algorithm)
	}
	return labelled(width, "round", fmt.Sprintf("%d of %d", s.Round, s.Rounds), s.Algorithm)
}

// rateRow says how fast distances, or relaxations, are made.
func rateRow(s engine.Status, width int) string {
	rate := []string{rateText(s.Rate)}
	switch {
	case s.State == "paused":
		rate = []string{"paused"}
	case s.Stage == engine.StageExpand:
		rate = []string{distanceRate(s.DistanceRate), perSecond(s.WriteRate) + " written"}
	case s.Ceiling > 0:
		rate = append(rate, fmt.Sprintf("%.0f %% of the ceiling", 100*s.Rate/s.Ceiling))
	}
	return labelled(width, "rate", rate...)
}

func restoreParts(s engine.Status) []string {
	parts := []string{fmt.Sprintf("%.1f %% is safe on disk", 100*s.RestorePoint)}
	switch s.Checkpoint {
	case "asked":
		parts = append(parts, "checkpoint at the end of this "+map[bool]string{true: "row", false: "round"}[s.Stage == engine.StageExpand])
	case "under way":
		parts = append(parts, "checkpoint under way")
	}
	return parts
}

// busyParts prints how busy each stage is, the one that holds the others up first seen by its share.
func busyParts(b engine.Busy) []string {
	var parts []string
	for _, stage := range []string{"kernel", "in", "out", "read", "write", "sync"} {
		parts = append(parts, fmt.Sprintf("%s %.0f %%", stage, 100*b[stage]))
	}
	return parts
}

// progressBar is one row with the bar; what is past the restore point would be done again after a crash.
func progressBar(s engine.Status, width int) string {
	const steps = 1000
	bar := progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(io.Discard), progressbar.OptionSetWidth(max(10, width-10)),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionShowTotalBytes(false),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerHead: "█", SaucerPadding: "░", BarStart: "", BarEnd: ""}))
	_ = bar.Set(int(math.Floor(steps * min(1, max(0, s.Progress))))) // io.Discard does not fail
	text := bar.String()
	if _, rest, found := strings.Cut(text, "%"); found { // the percentage, in our own form, goes last
		text = strings.TrimSpace(rest)
	}
	return fmt.Sprintf("%s %5.1f %%", strings.TrimSpace(text), 100*s.Progress)
}

// statusLine is the block in one line.
func statusLine(s engine.Status) string {
	if s.State == "paused" {
		return fmt.Sprintf("%s: paused, progress %.1f %%, restore point %.1f %%, %s elapsed", s.Store, 100*s.Progress, 100*s.RestorePoint, shortTime(s.Elapsed))
	}
	switch {
	case s.Stage == engine.StageExpand:
		return fmt.Sprintf("%s: %s of %s, progress %.1f %%, restore point %.1f %%, %s, %s elapsed, %s", s.Store, humanize.Comma(int64(s.RowsDone)),
			count(s.Rows, "row", "rows"), 100*s.Progress, 100*s.RestorePoint, distanceRate(s.DistanceRate), shortTime(s.Elapsed), etaText(s.ETA))
	case s.Stage == engine.StageEliminate || s.Stage == engine.StageCore && s.Rounds == 0:
		return fmt.Sprintf("%s: %s, %s elapsed", s.Store, map[string]string{engine.StageEliminate: "eliminating vertices", engine.StageCore: "closing the core"}[s.Stage], shortTime(s.Elapsed))
	}
	ceiling := ""
	if s.Ceiling > 0 {
		ceiling = fmt.Sprintf(" (%.0f %% of the ceiling)", 100*s.Rate/s.Ceiling)
	}
	core := ""
	if s.Stage == engine.StageCore {
		core = "the core's "
	}
	return fmt.Sprintf("%s: %sround %d of %d, progress %.1f %%, restore point %.1f %%, %s%s, in %s, out %s, %s elapsed, %s",
		s.Store, core, s.Round, s.Rounds, 100*s.Progress, 100*s.RestorePoint, rateText(s.Rate), ceiling,
		perSecond(s.InRate), perSecond(s.OutRate), shortTime(s.Elapsed), etaText(s.ETA))
}

// count prints a number of things.
func count[N int | int64](n N, one, many string) string {
	return humanize.Comma(int64(n)) + " " + english.PluralWord(int(n), one, many)
}

func etaText(seconds float64) string {
	if seconds < 0 {
		return "time left unknown yet"
	}
	return shortTime(seconds) + " left"
}

// rateText prints relaxations per second.
func rateText(rate float64) string {
	x, prefix := humanize.ComputeSI(rate)
	return fmt.Sprintf("%.3g %srelax/s", x, prefix)
}

func perSecond(bytes float64) string {
	x, prefix := humanize.ComputeSI(bytes)
	return fmt.Sprintf("%.3g %sB/s", x, prefix)
}

// shortTime prints seconds in the two units that matter.
func shortTime(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d d %d h", int(d.Hours())/24, int(d.Hours())%24)
}

// number prints a distance: integers whole, others with the digits that a float32 has at most.
func number(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "unreachable"
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.9g", x)
}

// exactNumber prints the distance of a store whose distances are exact, with every digit it has.
func exactNumber(x float64) string {
	if math.IsInf(x, 1) {
		return "unreachable"
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// numbers returns what prints a store's distances.
func numbers(p *engine.Problem) func(float64) string {
	if p.Meta().Kind == tiles.I32 {
		return exactNumber
	}
	return number
}

// clip cuts a row to a number of characters.
func clip(row string, width int) string {
	if utf8.RuneCountInString(row) <= width {
		return row
	}
	return string([]rune(row)[:max(0, width-1)]) + "…"
}
