// Package tables measures the comparisons that the literature of this field makes, on the devices of this machine,
// and prints them as tables in Markdown, each cell measured, beside what was published.
package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"ooc/engine/device/registry"
	"ooc/engine/graph"
	"ooc/kernels"
	"ooc/kernels/cpu"
)

// Options say what to measure. The zero value is everything.
type Options struct {
	Quick    bool          // small sizes, within 90 seconds
	Budget   time.Duration // when the last cell is to end; 0: after 90 seconds where quick, else 5 minutes
	Dir      string        // for stores that are solved and removed again
	Progress func(what string, elapsed time.Duration)
}

// The rules by which cells are left out.
const (
	quickCell   = 2 * time.Second // the longest cell of a quick run, as predicted from the row before
	quickBudget = 90 * time.Second
	fullBudget  = 5 * time.Minute
	fullCells   = 15 // the longest cell of a full run is this part of its budget
)

// suite is one run.
type suite struct {
	Options
	ctx     context.Context
	out     io.Writer
	began   time.Time
	serial  kernels.Device // the processor with one thread
	devices []target
}

// target is a device to compare.
type target struct {
	name   string
	title  string
	device kernels.Device
}

// table is a comparison.
type table struct {
	title, note string
	sizes       []int
	columns     []column
	ratios      []ratio
}

// column is one method to compare.
type column struct {
	title      string
	growth     float64 // seconds grow with this power of the size
	undirected bool    // the graph is
	run        func(g *graph.Graph) (seconds float64, err error)
	known      map[int]float64 // published, where run is nil
}

// add adds columns, and returns the place of the first.
func (t *table) add(c ...column) (first int) {
	first = len(t.columns)
	t.columns = append(t.columns, c...)
	return first
}

// ratio is how many times faster one column is than another.
type ratio struct {
	title      string
	slow, fast int
}

// all lists the comparisons, the cheaper ones first: what a budget has no time for is at the end.
var all = []func(s *suite) table{
	bellmanFord,
	spanningTrees,
	inCore,
	outOfCore,
}

// Run measures and prints, row by row.
func Run(ctx context.Context, out io.Writer, o Options) (err error) {
	s := &suite{Options: o, ctx: ctx, out: out, began: time.Now()}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.open(); err != nil {
		return err
	}
	s.preface()
	for _, make := range all {
		if err := s.print(make(s)); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(s.out, "\nAll took %.0f s.\n", time.Since(s.began).Seconds())
	return err
}

// open opens the processor with one thread and with all, and a GPU if there is one.
func (s *suite) open() error {
	one, err := cpu.Open(cpu.Options{Threads: 1})
	if err != nil {
		return err
	}
	s.serial = one
	for _, name := range slices.Backward(registry.Names()) {
		d, _, err := registry.Open(name, 0)
		if err != nil {
			fmt.Fprintf(s.out, "No %s: %v\n\n", name, err)
			continue
		}
		s.devices = append(s.devices, target{name, d.Info().Name, d})
	}
	return nil
}

func (s *suite) close() (err error) {
	if s.serial != nil {
		err = s.serial.Close()
	}
	for _, d := range s.devices {
		err = errors.Join(err, d.device.Close())
	}
	return err
}

func (s *suite) limit() time.Duration {
	if s.Quick {
		return quickCell
	}
	return s.budget() / fullCells
}

// budget is when the last cell is to end.
func (s *suite) budget() time.Duration {
	switch {
	case s.Budget > 0:
		return s.Budget
	case s.Quick:
		return quickBudget
	}
	return fullBudget
}

func (s *suite) preface() {
	fmt.Fprintf(s.out, "Devices: one thread is %s", s.serial.Info().Model)
	for _, d := range s.devices {
		fmt.Fprintf(s.out, "; %s is %s", d.title, d.device.Info().Model)
	}
	fmt.Fprintf(s.out, ".\nSeconds. A cell is the median of three runs, or one run if that takes over 0.3 s. It is "+
		"left out (–) if the row before\npredicts more than %.0f s, or that it would end after %.0f s in all.\n",
		s.limit().Seconds(), s.budget().Seconds())
}

// sizes are the sizes of a table, of a quick run those up to most.
func (s *suite) sizes(most int, sizes ...int) []int {
	if s.Quick {
		sizes = slices.DeleteFunc(sizes, func(n int) bool { return n > most })
	}
	return sizes
}

// print measures a table.
func (s *suite) print(t table) error {
	head := []string{"N"}
	for _, c := range t.columns {
		head = append(head, c.title)
	}
	for _, r := range t.ratios {
		head = append(head, r.title)
	}
	fmt.Fprintf(s.out, "\n### %s\n\n%s\n\n", t.title, t.note)
	fmt.Fprintf(s.out, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	last := make([]measured, len(t.columns))
	for _, n := range t.sizes {
		cells, row := []string{fmt.Sprint(n)}, make([]float64, len(t.columns))
		for i, c := range t.columns {
			if s.ctx.Err() != nil {
				return context.Cause(s.ctx)
			}
			if s.Progress != nil && c.run != nil {
				s.Progress(fmt.Sprintf("%s, N = %d: %s", t.title, n, c.title), time.Since(s.began))
			}
			seconds, err := s.cell(c, n, &last[i])
			if err != nil {
				return fmt.Errorf("%s, N = %d: %w", c.title, n, err)
			}
			row[i] = seconds
			cells = append(cells, show(seconds))
		}
		for _, r := range t.ratios {
			cells = append(cells, times(row[r.slow]/row[r.fast]))
		}
		if _, err := fmt.Fprintf(s.out, "| %s |\n", strings.Join(cells, " | ")); err != nil {
			return err
		}
	}
	return nil
}

// measured is what a column took last.
type measured struct {
	n       int
	seconds float64
	spent   float64 // all that the cell took, with making and removing what it needs
}

// cell measures a cell; NaN for one that is left out.
func (s *suite) cell(c column, n int, last *measured) (float64, error) {
	if c.run == nil {
		if seconds, ok := c.known[n]; ok {
			return seconds, nil
		}
		return math.NaN(), nil
	}
	if last.n > 0 {
		grown := math.Pow(float64(n)/float64(last.n), c.growth)
		left := (s.budget() - time.Since(s.began)).Seconds()
		if last.seconds*grown > s.limit().Seconds() || last.spent*grown > left {
			return math.NaN(), nil
		}
	} else if time.Since(s.began) > s.budget() {
		return math.NaN(), nil
	}
	began := time.Now()
	g, err := random(n, c.undirected)
	if err != nil {
		return 0, err
	}
	var runs []float64
	for len(runs) < 3 {
		seconds, err := c.run(g)
		if err != nil {
			return 0, err
		}
		if runs = append(runs, seconds); seconds > 0.3 {
			break
		}
	}
	slices.Sort(runs)
	*last = measured{n, runs[len(runs)/2], time.Since(began).Seconds()}
	return last.seconds, nil
}

func show(seconds float64) string {
	switch {
	case math.IsNaN(seconds):
		return "–"
	case seconds < 0.0995:
		return fmt.Sprintf("%.2g", seconds)
	case seconds < 99.95:
		return fmt.Sprintf("%.3g", seconds)
	}
	return fmt.Sprintf("%.0f", seconds)
}

func times(x float64) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case x < 9.95:
		return fmt.Sprintf("%.1f×", x)
	}
	return fmt.Sprintf("%.0f×", x)
}
