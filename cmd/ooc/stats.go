package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/statsplot"
)

// statsFlags are those of stats.
type statsFlags struct {
	json, csv, overwrite bool
	plot, bins, within   string
	nearest              int
}

func statsCommand() *cobra.Command {
	var f statsFlags
	cmd := &cobra.Command{
		Use:   "stats STORE",
		Short: "Print eccentricities, centralities, means and histograms, from one pass over the matrix",
		Long: "stats prints diameter, radius, center, mean distance, efficiency, the most central vertices and what the\n" +
			"flags ask for. --csv prints a table with one line a vertex instead: eccentricity, closeness and harmonic\n" +
			"centrality, counts and sums; --json prints all of both as one object. docs/stats.md defines each number;\n" +
			"those that networkx has too go by its names. Distances are directed: closeness and harmonic centrality count the\n" +
			"incoming ones, as networkx does, and their columns that end in _out the outgoing ones.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runStats(cmd, args[0], &f) },
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.json, "json", false, "one JSON object, with arrays of what there is of each vertex")
	fl.BoolVar(&f.csv, "csv", false, "a table with one line a vertex")
	fl.StringVar(&f.bins, "bins", "", "histograms: how many bins at most, all of one round width, or their edges: 0,100,500,1000")
	fl.IntVar(&f.nearest, "k-nearest", 0, "list so many nearest vertices of each; with --csv or --json")
	fl.StringVar(&f.within, "within", "", "count, for each vertex, those within these distances: 100,500")
	fl.StringVar(&f.plot, "plot", "", "draw the histograms of distances and of eccentricities to this .png or .svg")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace the --plot file if it is there")
	return cmd
}

func runStats(cmd *cobra.Command, dir string, f *statsFlags) error {
	o, err := f.options()
	if err != nil {
		return usageError{err}
	}
	p, err := engine.OpenReadOnly(dir)
	if err != nil {
		return err
	}
	defer p.Close()
	if err := o.Check(p.Geometry().N); err != nil {
		return usageError{err}
	}
	ids, err := p.IDs()
	if err != nil {
		return err
	}
	s, err := f.gather(cmd.Context(), p, o)
	if err != nil {
		return exportError(p, err)
	}
	switch {
	case f.json:
		return s.WriteJSON(os.Stdout, ids)
	case f.csv:
		return s.WriteCSV(os.Stdout, ids)
	}
	return printStats(os.Stdout, p, s, ids)
}

// gather makes the statistics and, where it is asked for, the picture, which the first signal may not tear.
func (f *statsFlags) gather(ctx context.Context, p *engine.Problem, o engine.StatsOptions) (s *engine.Stats, err error) {
	gather := func() (*engine.Stats, error) {
		began := time.Now()
		s, err = p.Stats(ctx, o)
		if err != nil {
			return nil, err
		}
		took, size := time.Since(began).Seconds(), p.Geometry().MatrixBytes()
		fmt.Fprintf(os.Stderr, "read %s in %s, %s\n", humanize.IBytes(uint64(size)), shortTime(took), perSecond(float64(size)/took))
		return s, nil
	}
	if f.plot == "" {
		return gather()
	}
	graceful.Store(true)
	defer graceful.Store(false)
	if err := statsplot.Write(f.plot, f.overwrite, gather); err != nil {
		return nil, err
	}
	return s, context.Cause(ctx)
}

// options reads the flags.
func (f *statsFlags) options() (o engine.StatsOptions, err error) {
	if f.json && f.csv {
		return o, errors.New("give one of --json and --csv")
	}
	if f.nearest > 0 && !f.json && !f.csv {
		return o, errors.New("--k-nearest lists vertices for each vertex: it needs --csv or --json; for one vertex: ooc query STORE U --k-nearest K")
	}
	o.Nearest = f.nearest
	if o.Within, err = numberList("within", f.within); err != nil {
		return o, err
	}
	if f.plot != "" {
		if err := statsplot.Check(f.plot); err != nil {
			return o, fmt.Errorf("--plot %s: %w", f.plot, err)
		}
		o.Bins = 50
	}
	if f.bins == "" {
		return o, nil
	}
	if n, err := strconv.Atoi(f.bins); err == nil {
		if n < 2 {
			return o, fmt.Errorf("--bins %d: want 2 or more", n)
		}
		o.Bins = n
		return o, nil
	}
	o.Bins = 0
	o.Edges, err = numberList("bins", f.bins)
	return o, err
}

func numberList(flag, list string) (numbers []float64, err error) {
	if list == "" {
		return nil, nil
	}
	for word := range strings.SplitSeq(list, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil {
			return nil, fmt.Errorf("--%s %s: %q is no number", flag, list, word)
		}
		numbers = append(numbers, x)
	}
	return numbers, nil
}

// statsText prints statistics for people.
type statsText struct {
	w      io.Writer
	s      *engine.Stats
	ids    graph.IDs
	number func(float64) string // a distance
	err    error
}

func printStats(w io.Writer, p *engine.Problem, s *engine.Stats, ids graph.IDs) error {
	t := &statsText{w: w, s: s, ids: ids, number: numbers(p)}
	t.head(p.Dir())
	t.extremes()
	t.means()
	t.central("closeness", s.Closeness, s.ClosenessOut)
	t.central("harmonic", s.Harmonic, s.HarmonicOut)
	for i := range s.Within {
		t.within(&s.Within[i])
	}
	if s.DistanceHistogram != nil {
		t.histogram("distances, by pairs", s.DistanceHistogram)
		t.histogram("eccentricities, by vertices", s.EccentricityHistogram)
	}
	return t.err
}

// row prints a line, with its name in the margin.
func (t *statsText) row(name, format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, "%-13s"+format+"\n", append([]any{name}, args...)...)
	}
}

func (t *statsText) head(dir string) {
	s := t.s
	direction, connected := "directed", "strongly connected"
	if !s.Directed {
		direction, connected = "undirected", "connected"
	}
	if !s.Connected {
		connected = "not " + connected
	}
	t.row("graph", "%s: %s, %s, %s", dir, count(s.N, "vertex", "vertices"), direction, connected)
	t.row("reachable", "%s of %s", humanize.Comma(s.ReachablePairs), count(int64(s.N)*int64(s.N-1), "pair", "pairs"))
}

func (t *statsText) extremes() {
	s := t.s
	t.extreme("diameter", s.Diameter, s.DiameterPair)
	if math.IsInf(s.Diameter, 1) {
		t.row("longest", "%s, from %s to %s", t.number(s.LongestDistance), t.ids.Name(s.LongestPair[0]), t.ids.Name(s.LongestPair[1]))
	}
	t.extreme("radius", s.Radius, s.RadiusPair)
	t.list("center", s.Center)
	t.list("periphery", s.Periphery)
	t.list("barycenter", s.Barycenter)
}

func (t *statsText) extreme(name string, d float64, pair [2]int) {
	from, to := t.ids.Name(pair[0]), t.ids.Name(pair[1])
	if math.IsInf(d, 1) {
		t.row(name, "infinite: %s does not reach %s", from, to)
		return
	}
	t.row(name, "%s, from %s to %s", t.number(d), from, to)
}

// list prints vertices, some of them where they are many.
func (t *statsText) list(name string, at []int) {
	const most = 10
	var names []string
	for _, v := range at[:min(len(at), most)] {
		names = append(names, t.ids.Name(v))
	}
	switch {
	case len(at) == 0:
		t.row(name, "none")
	case len(at) > most:
		t.row(name, "%s … %s vertices in all", strings.Join(names, " "), humanize.Comma(int64(len(at))))
	default:
		t.row(name, "%s", strings.Join(names, " "))
	}
}

func (t *statsText) means() {
	s := t.s
	if s.ReachablePairs > 0 {
		t.row("mean", "%.9g over reachable pairs, %.9g in total", s.MeanDistance, s.TotalDistance)
	}
	if s.Connected {
		t.row("Wiener index", "%.15g", s.WienerIndex)
	}
	t.row("efficiency", "%.9g", s.GlobalEfficiency)
}

// central prints the most central vertices.
func (t *statsText) central(name string, in, out []float64) {
	text := func(list []float64) string {
		best := 0
		for v, x := range list {
			if x > list[best] {
				best = v
			}
		}
		return fmt.Sprintf("%.9g at %s", list[best], t.ids.Name(best))
	}
	if !t.s.Directed {
		t.row(name, "at most %s", text(in))
		return
	}
	t.row(name, "at most %s incoming, %s outgoing", text(in), text(out))
}

func (t *statsText) within(w *engine.Within) {
	total, best := int64(0), 0
	for v, count := range w.Count {
		total += int64(count)
		if count > w.Count[best] {
			best = v
		}
	}
	t.row("within "+t.number(w.Distance), "%.6g others on average, at most %s at %s",
		float64(total)/float64(len(w.Count)), humanize.Comma(int64(w.Count[best])), t.ids.Name(best))
}

func (t *statsText) histogram(name string, h *engine.Histogram) {
	most, total, width := int64(1), h.Below+h.Above, 0
	edges := make([]string, len(h.Edges))
	for i, e := range h.Edges {
		edges[i] = number(e)
		width = max(width, len(edges[i]))
	}
	for _, count := range h.Counts {
		most, total = max(most, count), total+count
	}
	t.row("\n"+name, "")
	line := func(interval string, count int64) {
		share := 100 * float64(count) / float64(max(total, 1))
		bar := strings.Repeat("█", int(40*count/most))
		t.row("", "%s %15s %5.1f %% %s", interval, humanize.Comma(count), share, bar)
	}
	if h.Below > 0 {
		line(fmt.Sprintf("%*s … %*s", width, "", width, edges[0]), h.Below)
	}
	for i, count := range h.Counts {
		line(fmt.Sprintf("%*s … %*s", width, edges[i], width, edges[i+1]), count)
	}
	if h.Above > 0 {
		line(fmt.Sprintf("%*s … %*s", width, edges[len(edges)-1], width, ""), h.Above)
	}
}
