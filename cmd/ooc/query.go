package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/terminal"
	"ooc/cmd/ooc/vertices"
	"ooc/engine"
	"ooc/engine/between"
	"ooc/engine/export"
	"ooc/engine/graph"
	"ooc/engine/graph/dense"
	"ooc/engine/path"
	"ooc/engine/stats"
	"ooc/engine/text"
	"ooc/kernels/entry"
	"ooc/tiles"
)

type queryOptions struct {
	line
	graphFlags
	row, col, pairs, within string
	rows, cols              string
	json, count             bool
	nearest                 int
}

func queryCommand() *cobra.Command {
	f := &queryOptions{}
	cmd := about.Command("query", cobra.MinimumNArgs(1))
	f.graphFlags.add(cmd, entry.Kinds...)
	fl := cmd.Flags()
	fl.StringVar(&f.row, "row", "", "print the distances from this vertex to all")
	fl.StringVar(&f.col, "col", "", "print the distances from all to this vertex")
	fl.StringVar(&f.rows, "rows", "",
		"print a table of the distances from these vertices: ids, ranges and @FILEs, separated by commas")
	fl.StringVar(&f.cols, "cols", "", "print a table of the distances to these vertices")
	fl.StringVar(&f.pairs, "pairs", "", "a file with a pair of vertices a line")
	fl.Var(flagvalue.AtLeast(&f.nearest, 1), "k-nearest",
		"of the row or column, print only so many nearest other vertices")
	fl.StringVar(&f.within, "within", "", "of the row or column, print only other vertices no farther than this")
	fl.BoolVar(&f.count, "count", false, "of pairs and a row of a graph: also how many shortest paths there are")
	fl.BoolVar(&f.json, "json", false, "one JSON object a line, with null where there is no path")
	return runs(cmd, &f.line, f.run)
}

func (o *queryOptions) run(ctx context.Context) error {
	isNear := o.nearest > 0 || o.within != ""
	within, err := flagvalue.Within(o.within)
	if err = cmp.Or(err, o.check(isNear)); err != nil {
		return err
	}
	return o.answer(ctx, &o.line, o.json, func(a *printer) error {
		vertices := o.args[1:]
		if o.count {
			if err := a.count(); err != nil {
				return err
			}
		}
		switch {
		case o.rows != "" || o.cols != "":
			return o.table(ctx, a)
		case isNear:
			near := stats.Near{K: cmp.Or(o.nearest, math.MaxInt), Within: within, Incoming: o.col != ""}
			return a.near(strings.Join(vertices, "")+o.row+o.col, near) // one of them is given
		case o.row != "":
			return a.line(o.row, true)
		case o.col != "":
			return a.line(o.col, false)
		}
		return a.each(o.pairs, vertices, a.distance)
	})
}

// check finds mistakes on the command line. near says that only what is near is asked for.
func (o *queryOptions) check(near bool) error {
	ways := 0
	table := o.rows != "" || o.cols != ""
	for _, given := range []bool{len(o.args) > 1, o.row != "", o.col != "", o.pairs != "", table} {
		if given {
			ways++
		}
	}
	return cmp.Or(
		exit.Refuse(ways > 1, "give one of: U V..., --row, --col, --pairs, and --rows with --cols"),
		exit.Refuse(ways == 0 || len(o.args) == 2 && !near,
			"name a pair of vertices U V, or --row U, --col V, --pairs FILE or --rows LIST --cols LIST"),
		exit.Refuse(o.count && (near || table || o.col != ""), "--count is for pairs of vertices, --pairs and --row"),
		exit.Refuse(near && (o.pairs != "" || table || len(o.args) > 2),
			"--k-nearest and --within are for --row U and --col V"))
}

// table prints the distances between two lists of vertices.
func (o *queryOptions) table(ctx context.Context, a *printer) (err error) {
	if a.p == nil && o.rows == "" {
		var flags []string // that say how the graph is read
		for _, flag := range o.but("cols", "json") {
			flags = append(flags, text.Quote(flag))
		}
		return exit.UsageError(fmt.Errorf("each row of a graph takes a search: name some with --rows, or solve the "+
			"graph (%s), and ask that", terminal.Command("solve", flags, o.args[0])))
	}
	t := export.TableOptions{JSON: o.json}
	if t.Rows, err = a.Selection("rows", o.rows); err != nil {
		return err
	}
	if t.Cols, err = a.Selection("cols", o.cols); err != nil {
		return err
	}
	if a.p == nil {
		return a.searched(t.Rows, t.Cols)
	}
	return export.Table(ctx, a.p, terminal.Out, t)
}

// searched prints a table of a graph as export.Table prints one of a store. No cols stand for all.
func (a *printer) searched(rows, cols []int) error {
	if cols == nil {
		for v := range a.N {
			cols = append(cols, v)
		}
	}
	names, d := make([]string, len(cols)), make([]float64, a.N)
	for i, v := range cols {
		names[i] = a.IDs.Name(v)
		if !a.json {
			fmt.Fprintf(a.w, "\t%s", text.CellOf(names[i]))
		}
	}
	if !a.json {
		fmt.Fprintln(a.w)
	} else if err := terminal.WriteJSON(a.w, "columns", terminal.Members("to", names)); err != nil {
		return err
	}
	for _, u := range rows {
		err := a.from.Row(d, u)
		distances, cells := []json.RawMessage(nil), []string{text.CellOf(a.IDs.Name(u))}
		for _, v := range cols {
			distances = append(distances, a.number.JSON(d[v]))
			cells = append(cells, a.number.Text(d[v]))
		}
		switch {
		case err != nil:
		case a.json:
			err = terminal.WriteJSON(a.w, "row", terminal.Members("from", a.IDs.Name(u), "distances", distances))
		default:
			_, err = fmt.Fprintln(a.w, strings.Join(cells, "\t"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// printer prints answers from a store that is solved, or from a graph.
type printer struct {
	vertices.Of
	p      *engine.Problem                       // nil: it is a graph
	finder *path.Finder                          // nil: it is a store
	g      *graph.Graph                          // nil: it is a store
	paths  func(u, v int) (between.Count, error) // counts them; nil: that is not asked for
	from   asked                                 // the one that is not nil
	meta   *tiles.Meta                           // of a graph N, Kind and Scale
	w      io.Writer
	number text.Numbers
	json   bool
}

// asked is what answers: a store from what it keeps, or a graph by searches.
type asked interface {
	Distance(u, v int) (float64, error)
	stats.Lines
}

// answer opens the store or reads the graph that a line names first, for print, which answers a question from it.
func (f *graphFlags) answer(ctx context.Context, l *line, json bool, print func(*printer) error) (err error) {
	in, w := resolve(l.args[0]), bufio.NewWriterSize(terminal.Out, 1<<16)
	if _, missing := os.Stat(in.name); in.form == aStore || in.isMany() || in.form == unknown && missing != nil {
		if err := l.noGraphFlags(); err != nil {
			return err
		}
		return ask(in.name, func(p *engine.Problem) error {
			if err := p.Solved(); err != nil {
				return err
			}
			ids, err := p.IDs()
			if err != nil {
				return err
			}
			a := &printer{Of: verticesIn(p, ids), p: p, from: p, meta: p.Meta(), w: w, number: p.Numbers(), json: json}
			return errors.Join(print(a), w.Flush())
		})
	}
	if in.form == standardInput && l.flag("pairs") == "--pairs=-" {
		return exit.UsageError(errors.New("the graph and --pairs cannot both be standard input: " +
			"give one of them as a file"))
	}
	n, err := f.readArcs(l)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.close()) }()
	g := n.graph()
	if g == nil {
		if g, err = n.weights.(*dense.Matrix).Graph(); err != nil {
			return err
		}
	}
	finder, err := path.NewFinder(ctx, g)
	if err != nil {
		return err
	}
	of, m := vertices.Of{IDs: g.IDs, N: g.N, Name: in.name}, &tiles.Meta{N: g.N, Kind: g.Kind, Scale: g.Scale}
	a := &printer{Of: of, finder: finder, g: g, from: finder, meta: m, w: w, number: text.NumbersOf(g.Kind, g.Scale),
		json: json}
	return errors.Join(print(a), w.Flush())
}

// each has do answer for the pairs in a file, or without one for the first of some vertices with each other.
func (a *printer) each(file string, ids []string, do func(u, v int) error) error {
	if file != "" {
		return a.pairs(file, do)
	}
	rows, err := a.Rows(ids...)
	for i := 1; i < len(rows) && err == nil; i++ {
		err = do(rows[0], rows[i])
	}
	return err
}

// pairs has do answer for the pairs in a file. It says of how many lines the number at the end is not the distance: it
// may have been meant for something else.
func (a *printer) pairs(file string, do func(u, v int) error) error {
	left, first := 0, ""
	defer func() {
		if left > 0 {
			note("%s: of %s only the two vertices are read, and not the number behind them, which is not their "+
				"distance; the first is %s",
				file, text.Count(left, "line", "lines"), first)
		}
	}()
	return a.Pairs(file, func(u, v int, told string) error {
		if told == "" {
			return do(u, v)
		}
		d, err := a.from.Distance(u, v)
		if err != nil {
			return err
		}
		if x, err := strconv.ParseFloat(told, 64); told != a.number.Text(d) && (err != nil || x != d) {
			if left++; left == 1 {
				first = fmt.Sprintf("%s %s %s, where the distance is %s", text.CellOf(a.IDs.Name(u)),
					text.CellOf(a.IDs.Name(v)), told, a.number.Text(d))
			}
		}
		return do(u, v)
	})
}

// count makes the printer count paths, too: from one vertex to all before it goes on with another.
func (a *printer) count() error {
	if a.g == nil {
		return exit.UsageError(errors.New("--count is for graphs, and this is a store: give the graph's file instead"))
	}
	countsFrom, err := between.Counts(a.g)
	if err != nil {
		return err
	}
	from, counts := -1, []between.Count(nil)
	a.paths = func(u, v int) (c between.Count, err error) {
		if u != from {
			if counts, err = countsFrom(u); err != nil {
				return c, err
			}
			from = u
		}
		return counts[v], nil
	}
	return nil
}

// distance prints the distance of two rows.
func (a *printer) distance(u, v int) error {
	d, err := a.from.Distance(u, v)
	if err != nil {
		return err
	}
	return a.print(u, v, d)
}

// print prints the distance from u to v.
func (a *printer) print(u, v int, d float64) (err error) {
	var paths string
	if a.paths != nil {
		c, err := a.paths(u, v)
		if err != nil {
			return err
		}
		paths = c.String()
	}
	from, to := a.IDs.Name(u), a.IDs.Name(v)
	if !a.json {
		cells := []string{text.CellOf(from), text.CellOf(to), a.number.Text(d)}
		if paths != "" {
			cells = append(cells, paths)
		}
		_, err := fmt.Fprintln(a.w, strings.Join(cells, "\t"))
		return err
	}
	return terminal.WriteJSON(a.w, "distance", struct {
		From     string          `json:"from"`
		To       string          `json:"to"`
		Distance json.RawMessage `json:"distance"` // null where there is no path
		Paths    json.RawMessage `json:"paths,omitempty"`
	}{from, to, a.number.JSON(d), json.RawMessage(paths)})
}

// near prints the pairs of a vertex and those near it.
func (a *printer) near(id string, near stats.Near) error {
	at, err := a.Find(id)
	if err != nil {
		return err
	}
	list, err := near.Of(a.from, a.meta, at)
	for _, n := range list {
		switch {
		case err != nil:
		case near.Incoming:
			err = a.print(n.Row, at, n.Distance)
		default:
			err = a.print(at, n.Row, n.Distance)
		}
	}
	return err
}

// line prints a row or a column.
func (a *printer) line(id string, isRow bool) error {
	at, err := a.Find(id)
	if err != nil {
		return err
	}
	d := make([]float64, a.N)
	if isRow {
		err = a.from.Row(d, at)
	} else {
		d = d[:cmp.Or(len(a.meta.Sources), a.N)]
		err = a.from.Col(d, at)
	}
	for i, x := range d {
		switch {
		case err != nil:
		case isRow:
			err = a.print(at, i, x)
		default:
			err = a.print(a.meta.Sources.Vertex(i), at, x)
		}
	}
	return err
}
