package main

import (
	"bufio"
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

// queryFlags are the flags of query.
type queryFlags struct {
	row, col, pairs, within string
	rows, cols              string
	json                    bool
	nearest                 int
	near                    *stats.Near // what nearest and within say; nil if neither is given
}

func queryCommand() *cobra.Command {
	var f queryFlags
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
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd, args); err != nil {
				return exit.UsageError(err)
			}
			p, err := engine.OpenReadOnly(args[0])
			if err != nil {
				return err
			}
			defer p.Close()
			if err := p.Solved(); err != nil {
				return wayOut(args[0], err)
			}
			w := bufio.NewWriterSize(terminal.Out, 1<<16)
			out := pairPrinter{w, p.Numbers(), f.json}
			if f.rows != "" || f.cols != "" {
				return f.table(cmd, p)
			}
			return errors.Join(f.answer(p, &out, args[1:]), w.Flush())
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.row, "row", "", "print the distances from this vertex to all")
	fl.StringVar(&f.col, "col", "", "print the distances from all to this vertex")
	fl.StringVar(&f.rows, "rows", "", "print a table of the distances from these vertices: ids, ranges and @FILEs, separated by commas")
	fl.StringVar(&f.cols, "cols", "", "print a table of the distances to these vertices")
	fl.StringVar(&f.pairs, "pairs", "", "a file with a pair of vertices a line")
	fl.Var(flagvalue.AtLeast(&f.nearest, 1), "k-nearest", "of the row or column, print only so many nearest other vertices")
	fl.StringVar(&f.within, "within", "", "of the row or column, print only other vertices no farther than this")
	fl.BoolVar(&f.json, "json", false, "one JSON object a line, with null where there is no path")
	return cmd
}

// pairPrinter prints the distances of pairs.
type pairPrinter struct {
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

// check reads the flags.
func (f *queryFlags) check(cmd *cobra.Command, args []string) error {
	if err := f.checkNear(cmd); err != nil {
		return err
	}
	ways := 0
	for _, given := range []bool{len(args) > 1, f.row != "", f.col != "", f.pairs != "", f.rows != "" || f.cols != ""} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		return errors.New("give one of: U V..., --row, --col, --pairs, and --rows with --cols")
	case ways == 0, len(args) == 2 && f.near == nil:
		return errors.New("name a pair of vertices U V, or --row U, --col V, --pairs FILE or --rows LIST --cols LIST")
	case f.near != nil && (f.pairs != "" || f.rows != "" || f.cols != "" || len(args) > 2):
		return errors.New("--k-nearest and --within are for --row U and --col V")
	}
	return nil
}

func (f *queryFlags) checkNear(cmd *cobra.Command) error {
	few, limited := cmd.Flags().Changed("k-nearest"), cmd.Flags().Changed("within")
	if !few && !limited {
		return nil
	}
	near := stats.Near{K: math.MaxInt, Within: math.Inf(1)}
	if few {
		near.K = f.nearest
	}
	if limited {
		var err error
		if near.Within, err = strconv.ParseFloat(f.within, 64); err != nil || math.IsNaN(near.Within) {
			return fmt.Errorf("--within %s: want a distance", f.within)
		}
	}
	near.Incoming = f.col != ""
	f.near = &near
	return nil
}

// answer prints the answer to the question of the arguments and flags.
func (f *queryFlags) answer(p *engine.Problem, out *pairPrinter, vertices []string) error {
	switch {
	case f.near != nil:
		return queryNear(p, out, strings.Join(vertices, "")+f.row+f.col, *f.near) // one of them is given
	case f.row != "":
		return queryLine(p, out, f.row, true)
	case f.col != "":
		return queryLine(p, out, f.col, false)
	}
	ids, err := p.IDs()
	if err != nil {
		return err
	}
	if f.pairs != "" {
		return f.answerPairs(p, out, ids)
	}
	for _, v := range vertices[1:] {
		pair, err := lookupPair(p, vertices[0], v)
		if err != nil {
			return err
		}
		if _, err := queryPair(p, out, ids, pair[0], pair[1]); err != nil {
			return err
		}
	}
	return nil
}

// table prints the distances between two lists of vertices.
func (f *queryFlags) table(cmd *cobra.Command, p *engine.Problem) error {
	o := export.TableOptions{JSON: f.json}
	ids, err := p.IDs()
	if err != nil {
		return err
	}
	if o.Rows, err = verticesIn(p, ids).Selection("rows", f.rows); err != nil {
		return err
	}
	if o.Cols, err = verticesIn(p, ids).Selection("cols", f.cols); err != nil {
		return err
	}
	return export.Table(cmd.Context(), p, terminal.Out, o)
}

// answerPairs prints the distances of the pairs in a file.
func (f *queryFlags) answerPairs(p *engine.Problem, out *pairPrinter, ids graph.IDs) error {
	left := leftOut{file: f.pairs, number: out.number}
	defer left.report()
	return verticesIn(p, ids).Pairs(f.pairs, func(u, v int, told string) error {
		d, err := queryPair(p, out, ids, u, v)
		if err == nil && told != "" {
			left.compare(ids.Name(u), ids.Name(v), told, d)
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

// queryNear prints the pairs of a vertex and those near it.
func queryNear(p *engine.Problem, out *pairPrinter, id string, near stats.Near) error {
	at, err := p.Lookup(id)
	if err != nil {
		return err
	}
	ids, err := p.IDs()
	if err != nil {
		return err
	}
	id = ids.Name(at)
	list, err := stats.Nearest(p, at, near)
	if err != nil {
		return err
	}
	for _, n := range list {
		u, v := id, ids.Name(n.Row)
		if near.Incoming {
			u, v = v, u
		}
		if err := out.print(u, v, n.Distance); err != nil {
			return err
		}
	}
	return nil
}

func queryPair(p *engine.Problem, out *pairPrinter, ids graph.IDs, u, v int) (d float64, err error) {
	if d, err = p.Distance(u, v); err != nil {
		return d, err
	}
	return d, out.print(ids.Name(u), ids.Name(v), d)
}

func queryLine(p *engine.Problem, out *pairPrinter, id string, isRow bool) error {
	at, err := p.Lookup(id)
	if err != nil {
		return err
	}
	ids, err := p.IDs()
	if err != nil {
		return err
	}
	id = ids.Name(at)
	d := make([]float64, p.Geometry().N)
	read, name := p.Row, ids.Name
	if !isRow {
		d = d[:p.Geometry().RowCount()]
		read, name = p.Col, func(i int) string { return ids.Name(p.Sources().Vertex(i)) }
	}
	if err := read(d, at); err != nil {
		return err
	}
	for i, x := range d {
		u, v := id, name(i)
		if !isRow {
			u, v = v, u
		}
		if err := out.print(u, v, x); err != nil {
			return err
		}
	}
	return nil
}
