package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/flagvalue"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/export"
	"ooc/engine/graph"
	"ooc/engine/stats"
	"ooc/engine/text"
)

type queryOptions struct {
	line
	row, col, pairs, within string
	rows, cols              string
	json                    bool
	nearest                 int
}

func queryCommand() *cobra.Command {
	o := &queryOptions{}
	cmd := &cobra.Command{
		Use:   "query STORE U V...",
		Short: "Print distances between vertices named by their ids in the input",
		Long: "query prints one line for each V: U, V and their distance, separated by tabs. --row prints the distances\n" +
			"from a vertex to all, --col those from all to a vertex, --pairs those of each line \"U V\" of a file (- for\n" +
			"standard input). A pair without a path is \"unreachable\".\n\n" +
			"--rows and --cols print a table: the distances from each vertex of the one to each of the other, with their ids as\n" +
			"the first column and the first line. Both take ids and ranges, separated by commas, or files of them, as in\n" +
			"export: --rows 17,20..29,@more.txt; without one of them, it is all vertices.\n\n" +
			"Ids with blanks, commas or quotes are printed in double quotes, and stand in them in --pairs, whose lines may have\n" +
			"tabs or commas for blanks, a header, and a third column: what query prints can be given to it again.\n\n" +
			"--k-nearest K prints, of --row U or --col V, the K nearest other vertices, the nearest first, and --within R\n" +
			"those no farther than R; with both, the K nearest of those. U alone then stands for --row U.",
		Args: cobra.MinimumNArgs(1),
	}
	fl := cmd.Flags()
	fl.StringVar(&o.row, "row", "", "print the distances from this vertex to all")
	fl.StringVar(&o.col, "col", "", "print the distances from all to this vertex")
	fl.StringVar(&o.rows, "rows", "", "print a table of the distances from these vertices: ids, ranges and @FILEs, separated by commas")
	fl.StringVar(&o.cols, "cols", "", "print a table of the distances to these vertices")
	fl.StringVar(&o.pairs, "pairs", "", "a file with a pair of vertices a line")
	fl.Var(flagvalue.AtLeast(&o.nearest, 1), "k-nearest", "of the row or column, print only so many nearest other vertices")
	fl.StringVar(&o.within, "within", "", "of the row or column, print only other vertices no farther than this")
	fl.BoolVar(&o.json, "json", false, "one JSON object a line, with null where there is no path")
	return runs(cmd, &o.line, o.run)
}

func (o *queryOptions) run(ctx context.Context) error {
	near, err := o.near()
	if err == nil {
		err = o.check(near != nil)
	}
	if err != nil {
		return exit.UsageError(err)
	}
	return ask(o.args[0], func(p *engine.Problem) error {
		if err := p.Solved(); err != nil {
			return err
		}
		ids, err := p.IDs()
		if err != nil {
			return err
		}
		if o.rows != "" || o.cols != "" {
			return o.table(ctx, p, ids)
		}
		w := bufio.NewWriterSize(terminal.Out, 1<<16)
		out := pairPrinter{p, ids, w, p.Numbers(), o.json}
		return errors.Join(o.answer(&out, near), w.Flush())
	})
}

// near is what --k-nearest and --within say; nil if neither is given.
func (o *queryOptions) near() (*stats.Near, error) {
	if o.nearest == 0 && o.within == "" {
		return nil, nil
	}
	near := stats.Near{K: math.MaxInt, Within: math.Inf(1), Incoming: o.col != ""}
	if o.nearest > 0 {
		near.K = o.nearest
	}
	if o.within != "" {
		var err error
		if near.Within, err = strconv.ParseFloat(o.within, 64); err != nil || math.IsNaN(near.Within) {
			return nil, fmt.Errorf("--within %s: want a distance", o.within)
		}
	}
	return &near, nil
}

// check finds mistakes on the command line.
func (o *queryOptions) check(near bool) error {
	ways := 0
	for _, given := range []bool{len(o.args) > 1, o.row != "", o.col != "", o.pairs != "", o.rows != "" || o.cols != ""} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		return errors.New("give one of: U V..., --row, --col, --pairs, and --rows with --cols")
	case ways == 0, len(o.args) == 2 && !near:
		return errors.New("name a pair of vertices U V, or --row U, --col V, --pairs FILE or --rows LIST --cols LIST")
	case near && (o.pairs != "" || o.rows != "" || o.cols != "" || len(o.args) > 2):
		return errors.New("--k-nearest and --within are for --row U and --col V")
	}
	return nil
}

// answer prints the answer to the question of the arguments and flags.
func (o *queryOptions) answer(out *pairPrinter, near *stats.Near) error {
	vertices := o.args[1:]
	switch {
	case near != nil:
		return out.near(strings.Join(vertices, "")+o.row+o.col, *near) // one of them is given
	case o.row != "":
		return out.line(o.row, true)
	case o.col != "":
		return out.line(o.col, false)
	case o.pairs != "":
		return o.answerPairs(out)
	}
	for _, v := range vertices[1:] {
		pair, err := lookupPair(out.p, vertices[0], v)
		if err != nil {
			return err
		}
		if _, err := out.pair(pair[0], pair[1]); err != nil {
			return err
		}
	}
	return nil
}

// table prints the distances between two lists of vertices.
func (o *queryOptions) table(ctx context.Context, p *engine.Problem, ids graph.IDs) (err error) {
	t := export.TableOptions{JSON: o.json}
	if t.Rows, err = verticesIn(p, ids).Selection("rows", o.rows); err != nil {
		return err
	}
	if t.Cols, err = verticesIn(p, ids).Selection("cols", o.cols); err != nil {
		return err
	}
	return export.Table(ctx, p, terminal.Out, t)
}

// answerPairs prints the distances of the pairs in a file.
func (o *queryOptions) answerPairs(out *pairPrinter) error {
	left := leftOut{file: o.pairs, number: out.number}
	defer left.report()
	return verticesIn(out.p, out.ids).Pairs(o.pairs, func(u, v int, told string) error {
		d, err := out.pair(u, v)
		if err == nil && told != "" {
			left.compare(out.ids.Name(u), out.ids.Name(v), told, d)
		}
		return err
	})
}

// leftOut counts the lines of a file of pairs that end in a number which is not the distance: they may have been meant for
// something else.
type leftOut struct {
	file   string
	number text.Numbers
	count  int
	first  string
}

func (o *leftOut) compare(u, v, told string, d float64) {
	if x, err := strconv.ParseFloat(told, 64); told == o.number.Text(d) || err == nil && x == d {
		return
	}
	if o.count++; o.count == 1 {
		o.first = fmt.Sprintf("%s %s %s, where the distance is %s", text.CellOf(u), text.CellOf(v), told, o.number.Text(d))
	}
}

// report says what was left out.
func (o *leftOut) report() {
	if o.count > 0 {
		fmt.Fprintf(terminal.Err, "%s: of %s only the two vertices are read, and not the number behind them, which is not their distance; the first is %s\n",
			o.file, terminal.Count(o.count, "line", "lines"), o.first)
	}
}

// pairPrinter prints the distances of pairs.
type pairPrinter struct {
	p      *engine.Problem
	ids    graph.IDs
	w      io.Writer
	number text.Numbers
	json   bool
}

func (o *pairPrinter) print(u, v string, d float64) error {
	if !o.json {
		_, err := fmt.Fprintf(o.w, "%s\t%s\t%s\n", text.CellOf(u), text.CellOf(v), o.number.Text(d))
		return err
	}
	return json.NewEncoder(o.w).Encode(struct {
		Type     string          `json:"type"`
		From     string          `json:"from"`
		To       string          `json:"to"`
		Distance json.RawMessage `json:"distance"` // null where there is no path
	}{"distance", u, v, o.number.JSON(d)})
}

// pair prints the distance of two rows.
func (o *pairPrinter) pair(u, v int) (d float64, err error) {
	if d, err = o.p.Distance(u, v); err != nil {
		return d, err
	}
	return d, o.print(o.ids.Name(u), o.ids.Name(v), d)
}

// ends prints the distance from u to v, or that from v to u.
func (o *pairPrinter) ends(u, v string, d float64, incoming bool) error {
	if incoming {
		u, v = v, u
	}
	return o.print(u, v, d)
}

// near prints the pairs of a vertex and those near it.
func (o *pairPrinter) near(id string, near stats.Near) error {
	at, err := o.p.Lookup(id)
	if err != nil {
		return err
	}
	id = o.ids.Name(at)
	list, err := stats.Nearest(o.p, at, near)
	for _, n := range list {
		if err == nil {
			err = o.ends(id, o.ids.Name(n.Row), n.Distance, near.Incoming)
		}
	}
	return err
}

// line prints a row or a column.
func (o *pairPrinter) line(id string, isRow bool) error {
	at, err := o.p.Lookup(id)
	if err != nil {
		return err
	}
	id = o.ids.Name(at)
	d := make([]float64, o.p.Geometry().N)
	read, name := o.p.Row, o.ids.Name
	if !isRow {
		d = d[:o.p.Geometry().RowCount()]
		read, name = o.p.Col, func(i int) string { return o.ids.Name(o.p.Sources().Vertex(i)) }
	}
	err = read(d, at)
	for i, x := range d {
		if err == nil {
			err = o.ends(id, name(i), x, !isRow)
		}
	}
	return err
}
