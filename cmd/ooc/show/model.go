package show

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"

	"ooc/cmd/ooc/terminal"
	"ooc/engine/live"
	"ooc/engine/text"
)

// stage says what is being done, and how much of that is.
func stage(s live.Status) string {
	doing := map[live.Stage]string{live.StageOrder: "ordering vertices", live.StageEliminate: "eliminating vertices",
		live.StageCore: "closing the core", live.StageWrite: "writing factors"}[s.Stage]
	round := fmt.Sprintf("round %d of %d", s.Round, s.Rounds)
	switch {
	case s.Stage == live.StageRounds:
		return round
	case inRounds(s):
		return "the core's " + round
	case s.Stage == live.StageExpand:
		return humanize.Comma(int64(s.RowsDone)) + " of " + text.Count(s.Rows, "row", "rows")
	case s.Stage == live.StageBetween:
		return fmt.Sprintf("betweenness from %s of %s", humanize.Comma(int64(s.RowsDone)),
			text.Count(s.Rows, "source", "sources"))
	case s.StageProgress > 0:
		return fmt.Sprintf("%s, %.1f %% of that", doing, 100*s.StageProgress)
	}
	return doing
}

// inRounds reports whether tiles go through a device in rounds.
func inRounds(s live.Status) bool {
	return s.Stage == live.StageRounds || s.Stage == live.StageCore && s.Rounds > 0
}

// rates says how fast that goes, by what is known of it.
func rates(s live.Status) (parts []string) {
	if s.State == live.Paused {
		return []string{"paused"}
	}
	if s.Rate > 0 && inRounds(s) && s.Ceiling > 0 {
		return []string{fmt.Sprintf("%s (%.0f %% of the ceiling)", text.Per(s.Rate, "relax"), 100*s.Rate/s.Ceiling)}
	}
	add := func(rate float64, unit, says string) {
		if rate > 0 {
			parts = append(parts, text.Per(rate, unit)+says)
		}
	}
	add(s.Rate, "relax", "")
	add(s.VertexRate, "vertices", "")
	if s.Stage == live.StageBetween {
		add(s.DistanceRate/float64(s.Vertices), "sources", "")
	} else {
		add(s.DistanceRate, "distances", "")
	}
	if !inRounds(s) {
		add(s.WriteRate, "B", " written")
	}
	return parts
}

// statusBlock is the block that is redrawn.
func statusBlock(s live.Status, width int) []string {
	return append([]string{row(width, "store", s.Store)}, block(live.Live{Status: s}, "", width, false)...)
}

// block is the rows of a solve that runs. next is what to run where its process does not go on; else "". Narrow
// terminals get fewer words a row.
func block(l live.Live, next string, width int, p paint) []string {
	s, c := l.Status, l.Ceilings
	row := func(name string, parts ...string) string { return row(width, name, parts...) }
	all := []string{
		row("graph", vertices(s.Vertices), arcs(s.Arcs), s.Kind),
	}
	if s.Device != "" { // it is not known yet
		all = append(all, row("device", s.Device))
	}
	all = append(all, row("stage", stage(s), s.Algorithm))
	left := timeLeft(s.ETA)
	switch rates := rates(s); {
	case next != "":
		all, left = append(all, row("next", next)), ""
	case inRounds(s) && s.State != live.Paused:
		add := func(stage, unit string, rate, ceiling float64) {
			all = append(all, gauge(width, stage, unit, rate, ceiling, p))
		}
		add("kernel", "relax", s.Rate, s.Ceiling)
		add("in", "B", s.InRate, c.In)
		add("out", "B", s.OutRate, c.Out)
		add("read", "B", s.ReadRate, c.Read)
		add("write", "B", s.WriteRate, c.Write)
		all = append(all, row("busy", busyParts(s.Busy)...))
	case len(rates) > 0:
		all = append(all, row("rate", rates...))
	}
	if s.DeviceMemory > 0 {
		all = append(all, row("memory", humanize.IBytes(uint64(s.DeviceMemory))+" device",
			humanize.IBytes(uint64(max(0, s.HostMemory)))+" host"))
	}
	all = append(all, deviceRows(s, width)...)
	return append(all, row("time", text.Time(s.Elapsed)+" elapsed", left), row("restore", restoreParts(s)...),
		terminal.Clip(progressBar(s, width), width))
}

// gauge is a row with a rate. If the highest rate is known, the row has a bar.
func gauge(width int, stage, unit string, rate, ceiling float64, p paint) string {
	said := text.Per(rate, unit)
	room := width - len(label(stage)) - 32
	if ceiling <= 0 || room < 6 {
		if ceiling > 0 {
			said += fmt.Sprintf(", %.0f %%", 100*rate/ceiling)
		}
		return terminal.Clip(label(stage)+said, width)
	}
	full := int(float64(room)*min(1, max(0, rate/ceiling)) + 0.5)
	bar := p.text(stage, strings.Repeat("█", full)) + p.text("idle", strings.Repeat("░", room-full))
	return label(stage) + bar + " " + terminal.Clip(said+" of "+text.Per(ceiling, unit), 31)
}

// mostDevices is how many devices have a row of their own.
const mostDevices = 8

// deviceRows are a row for each of several devices that share the rounds of a solve.
func deviceRows(s live.Status, width int) (rows []string) {
	for _, d := range s.Devices[:min(len(s.Devices), mostDevices)] {
		rows = append(rows, row(width, d.Name, text.Per(d.Rate, "relax"),
			fmt.Sprintf("kernels %.0f %%", 100*d.Busy), humanize.IBytes(uint64(d.DeviceMemory)),
			humanize.IBytes(uint64(d.HostMemory))+" host", "takes "+text.Per(d.TakenRate, "B")))
	}
	if more := len(s.Devices) - mostDevices; more > 0 {
		rows = append(rows, row(width, "", fmt.Sprintf("and %d more", more)))
	}
	return rows
}

func restoreParts(s live.Status) []string {
	parts := []string{fmt.Sprintf("%.1f %% is safe on disk", 100*s.RestorePoint)}
	switch s.Checkpoint {
	case live.CheckpointAsked:
		of := map[bool]string{true: "row", false: "round"}[s.Stage == live.StageExpand]
		parts = append(parts, "checkpoint at the end of this "+of)
	case live.CheckpointUnderWay:
		parts = append(parts, "checkpoint under way")
	}
	return parts
}

// busyParts prints how busy each stage is, of all its lanes or threads. The share of the stage that limits the others
// is the highest.
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
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionShowTotalBytes(false),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerHead: "█", SaucerPadding: "░"}))
	_ = bar.RenderBlank() // which Set would leave out below 1 %; io.Discard does not fail
	_ = bar.Set(int(math.Floor(steps * min(1, max(0, s.Progress)))))
	text := bar.String()
	if _, rest, found := strings.Cut(text, "%"); found { // the percentage, in our own form, goes last
		text = strings.TrimSpace(rest)
	}
	return fmt.Sprintf("%s %5.1f %%", strings.TrimSpace(text), 100*s.Progress)
}

// statusLine is the rows in one line.
func statusLine(s live.Status) string {
	doing, left := stage(s), timeLeft(s.ETA)
	if s.State == live.Paused {
		doing, left = "paused", ""
	}
	parts := []string{doing, fmt.Sprintf("progress %.1f %%", 100*s.Progress),
		fmt.Sprintf("restore point %.1f %%", 100*s.RestorePoint)}
	if s.State != live.Paused {
		parts = append(parts, rates(s)...)
		if inRounds(s) {
			parts = append(parts, "in "+text.Per(s.InRate, "B"), "out "+text.Per(s.OutRate, "B"))
		}
	}
	parts = append(parts, text.Time(s.Elapsed)+" elapsed", left)
	return s.Store + ": " + known(", ", parts...)
}

// known joins parts, without those that say nothing.
func known(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), separator)
}

// label is a name, padded as the beginning of a row.
func label(name string) string { return fmt.Sprintf("%-10s", name) }

// row is a row of parts under a name, as many as fit. Later parts are left out first; the first part is cut if it
// alone is too long.
func row(width int, name string, parts ...string) string {
	line := label(name)
	for i, p := range parts {
		sep := " · "
		if i == 0 {
			sep = ""
		}
		if i > 0 && utf8.RuneCountInString(line+sep+p) > width {
			break
		}
		line += sep + p
	}
	return terminal.Clip(line, width)
}

// escapes are what colours text.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// beside puts two blocks of rows beside each other, the left one so many characters wide.
func beside(left, right []string, width int) []string {
	rows := make([]string, max(len(left), len(right)))
	for i := range rows {
		if i < len(left) {
			rows[i] = left[i]
		}
		if i < len(right) {
			used := utf8.RuneCountInString(escapes.ReplaceAllString(rows[i], ""))
			rows[i] += strings.Repeat(" ", max(0, width-used)) + right[i]
		}
	}
	return rows
}

// timeLeft prints the seconds that are left; less than none are unknown.
func timeLeft(seconds float64) string {
	if seconds < 0 {
		return "time left unknown yet"
	}
	return text.Time(seconds) + " left"
}

func vertices(n int) string { return text.Count(n, "vertex", "vertices") }

func arcs(n int64) string { return text.Count(n, "arc", "arcs") }
