package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/path"
	"ooc/engine/text"
)

type pathOptions struct {
	line
	pairs string
	json  bool
}

func pathCommand() *cobra.Command {
	o := &pathOptions{}
	cmd := &cobra.Command{
		Use:   "path STORE U V",
		Short: "Print a shortest path between vertices named by their ids in the input",
		Long: "path prints a line with U, V, the length of a shortest path and the number of its arcs, and then a line for\n" +
			"each arc, which begins with a tab: its ends and its weight. All are separated by tabs. --pairs does so for\n" +
			"each line \"U V\" of a file (- for standard input). Where there is no path the length is \"unreachable\".\n" +
			"The store has to be of a sparse graph, or solved with --predecessors.",
		Args: cobra.RangeArgs(1, 3),
	}
	cmd.Flags().StringVar(&o.pairs, "pairs", "", "a file with a pair of vertices a line")
	cmd.Flags().BoolVar(&o.json, "json", false, "one JSON object a pair")
	return runs(cmd, &o.line, o.run)
}

func (o *pathOptions) run(ctx context.Context) error {
	if (len(o.args) == 3) == (o.pairs != "") || len(o.args) == 2 {
		return exit.UsageError(errors.New("name a pair of vertices U V, or --pairs FILE"))
	}
	return ask(o.args[0], func(p *engine.Problem) error {
		if err := p.Solved(); err != nil {
			return err
		}
		ids, err := p.IDs()
		if err != nil {
			return err
		}
		w := bufio.NewWriterSize(terminal.Out, 1<<16)
		out := pathPrinter{ids: ids, number: p.Numbers(), w: w, json: o.json}
		if o.pairs != "" {
			err = out.file(ctx, p, o.pairs)
		} else {
			err = out.one(p, o.args[1], o.args[2])
		}
		return errors.Join(err, w.Flush())
	})
}

// pathPrinter writes paths.
type pathPrinter struct {
	ids    graph.IDs
	number text.Numbers
	w      io.Writer
	json   bool
}

func (o *pathPrinter) cell(row int) string { return text.CellOf(o.ids.Name(row)) }

func lookupPair(p *engine.Problem, u, v string) (pair [2]int, err error) {
	if pair[0], err = p.Lookup(u); err == nil {
		pair[1], err = p.Lookup(v)
	}
	return pair, err
}

func (o *pathPrinter) one(p *engine.Problem, u, v string) error {
	pair, err := lookupPair(p, u, v)
	if err != nil {
		return err
	}
	found, err := path.Between(p, pair[0], pair[1])
	if err != nil {
		return err
	}
	return o.print(&found)
}

// pairsAtOnce bounds the paths that are held before they are printed in order.
const pairsAtOnce = 1 << 14

// file answers the pairs of a file, some thousand at a time.
func (o *pathPrinter) file(ctx context.Context, p *engine.Problem, file string) error {
	w, err := path.New(p)
	if err != nil {
		return err
	}
	var pairs [][2]int
	left := leftOut{file: file, number: o.number}
	defer left.report()
	err = verticesIn(p, o.ids).Pairs(file, func(u, v int, told string) error {
		if told != "" {
			d, err := p.Distance(u, v)
			if err != nil {
				return err
			}
			left.compare(o.ids.Name(u), o.ids.Name(v), told, d)
		}
		if pairs = append(pairs, [2]int{u, v}); len(pairs) < pairsAtOnce {
			return nil
		}
		defer func() { pairs = pairs[:0] }()
		return o.all(ctx, w, pairs)
	})
	if err != nil {
		return err
	}
	return o.all(ctx, w, pairs)
}

func (o *pathPrinter) all(ctx context.Context, w *path.Walker, pairs [][2]int) error {
	paths, err := w.All(ctx, pairs)
	if err != nil {
		return err
	}
	for i := range paths {
		if err := o.print(&paths[i]); err != nil {
			return err
		}
	}
	return nil
}

func (o *pathPrinter) print(path *path.Route) error {
	if o.json {
		return o.printJSON(path)
	}
	from, to := o.cell(path.From), o.cell(path.To)
	if !path.Reachable() {
		_, err := fmt.Fprintf(o.w, "%s\t%s\tunreachable\n", from, to)
		return err
	}
	_, err := fmt.Fprintf(o.w, "%s\t%s\t%s\t%d\n", from, to, o.number.Text(path.Length), len(path.Weights))
	for i, weight := range path.Weights {
		if err == nil {
			_, err = fmt.Fprintf(o.w, "\t%s\t%s\t%s\n", o.cell(int(path.Vertices[i])), o.cell(int(path.Vertices[i+1])), o.number.Text(weight))
		}
	}
	return err
}

func (o *pathPrinter) printJSON(path *path.Route) error {
	object := struct {
		Type      string            `json:"type"`
		From      string            `json:"from"`
		To        string            `json:"to"`
		Reachable bool              `json:"reachable"`
		Length    json.RawMessage   `json:"length"` // null where there is no path
		Vertices  []string          `json:"vertices"`
		Weights   []json.RawMessage `json:"weights"`
	}{Type: "path", From: o.ids.Name(path.From), To: o.ids.Name(path.To), Reachable: path.Reachable(), Length: o.number.JSON(path.Length)}
	object.Vertices = make([]string, len(path.Vertices))
	for i, v := range path.Vertices {
		object.Vertices[i] = o.ids.Name(int(v))
	}
	object.Weights = make([]json.RawMessage, len(path.Weights))
	for i, weight := range path.Weights {
		object.Weights[i] = o.number.JSON(weight)
	}
	return json.NewEncoder(o.w).Encode(object)
}
