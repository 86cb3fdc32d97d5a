package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/terminal"
	"ooc/engine/path"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

type pathOptions struct {
	line
	graphFlags
	pairs string
	json  bool
}

func pathCommand() *cobra.Command {
	f := &pathOptions{}
	cmd := about.Command("path", cobra.RangeArgs(1, 3))
	f.graphFlags.add(cmd, entry.Kinds...)
	cmd.Flags().StringVar(&f.pairs, "pairs", "", "a file with a pair of vertices a line")
	cmd.Flags().BoolVar(&f.json, "json", false, "one JSON object a pair")
	return runs(cmd, &f.line, f.run)
}

func (o *pathOptions) run(ctx context.Context) error {
	if (len(o.args) == 3) == (o.pairs != "") || len(o.args) == 2 {
		return exit.UsageError(errors.New("name a pair of vertices U V, or --pairs FILE"))
	}
	return o.answer(ctx, &o.line, o.json, func(a *printer) error {
		most, find := 1, func(_ context.Context, pairs [][2]int) (found []path.Route, err error) {
			for _, p := range pairs {
				route, err := a.finder.Between(p[0], p[1])
				if err != nil {
					return nil, err
				}
				found = append(found, route)
			}
			return found, nil
		}
		if a.p != nil {
			w, err := path.New(a.p)
			if err != nil {
				return err
			}
			most, find = pairsAtOnce, w.All
		}
		var pairs [][2]int
		print := func() error {
			paths, err := find(ctx, pairs)
			for i := range paths {
				if err == nil {
					err = a.path(&paths[i])
				}
			}
			pairs = pairs[:0]
			return err
		}
		err := a.each(o.pairs, o.args[1:], func(u, v int) error {
			if pairs = append(pairs, [2]int{u, v}); len(pairs) < most {
				return nil
			}
			return print()
		})
		if err != nil {
			return err
		}
		return print()
	})
}

// pairsAtOnce bounds the paths of a store that are held before they are printed in order.
const pairsAtOnce = 1 << 14

// path prints a path.
func (a *printer) path(path *path.Route) error {
	if a.json {
		return a.pathJSON(path)
	}
	cell := func(row int) string { return text.CellOf(a.IDs.Name(row)) }
	from, to := cell(path.From), cell(path.To)
	if !path.Reachable() {
		_, err := fmt.Fprintf(a.w, "%s\t%s\tunreachable\n", from, to)
		return err
	}
	_, err := fmt.Fprintf(a.w, "%s\t%s\t%s\t%d\n", from, to, a.number.Text(path.Length), len(path.Weights))
	for i, weight := range path.Weights {
		if err == nil {
			_, err = fmt.Fprintf(a.w, "\t%s\t%s\t%s\n", cell(int(path.Vertices[i])), cell(int(path.Vertices[i+1])),
				a.number.Text(weight))
		}
	}
	return err
}

func (a *printer) pathJSON(path *path.Route) error {
	vertices, weights := make([]string, len(path.Vertices)), make([]json.RawMessage, len(path.Weights))
	for i, v := range path.Vertices {
		vertices[i] = a.IDs.Name(int(v))
	}
	for i, weight := range path.Weights {
		weights[i] = a.number.JSON(weight)
	}
	return terminal.WriteJSON(a.w, "path", terminal.Members("from", a.IDs.Name(path.From), "to", a.IDs.Name(path.To),
		"reachable", path.Reachable(), "length", a.number.JSON(path.Length), // null where there is no path
		"vertices", vertices, "weights", weights))
}
