package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/graph/read"
	"ooc/engine/text"
	"ooc/tiles"
)

// same fails if a store is not what is asked for, or was made from another input, unless the input is the store itself.
// With --strict, what is left to a default is asked for, too; else j.unasked lists where the store has something else.
func (j *job) same(ctx context.Context, p *engine.Problem) error {
	j.unasked = nil
	for _, c := range p.Differences(j.wanted(p)) {
		if !c.Left || j.strict && j.in.form != aStore {
			return j.changed(p, c)
		}
		if j.in.form != aStore {
			j.unasked = append(j.unasked, flagOf(c.In, c.Was))
		}
	}
	switch j.in.form {
	case aStore:
		return nil
	case standardInput:
		return exit.InputError(fmt.Errorf("%s exists, and what standard input holds cannot be compared with it: "+
			"continue it with %s%s", p.Dir(), terminal.Command("solve", nil, p.Dir()), j.otherwise()))
	}
	err := p.SameInput(ctx, j.in.name)
	if c := (*engine.ChangedError)(nil); errors.As(err, &c) {
		err = j.changed(p, c)
	}
	return err
}

// wanted is what the flags ask of a store that is to be continued.
func (o *solveOptions) wanted(p *engine.Problem) engine.Wanted {
	w := engine.Wanted{
		Keep: o.keep, Kind: o.kind, Scale: o.scale, Tile: o.Tile, Layout: o.Layout,
		Predecessors: o.Predecessors, Unweighted: o.unweighted, Format: o.format, Columns: o.columns, NoArc: o.noArc,
		Base:              o.base,
		DirectedByDefault: true, Directed: o.options("").Directed,
	}
	for _, format := range read.Formats {
		if format.Name == p.Meta().Input.Format {
			w.DirectedByDefault = format.Directed
		}
	}
	if o.keepsRowsNow(p) { // and is made anew, as the flags say
		w.Keep, w.Tile, w.Layout, w.Predecessors = "", 0, "", false
	} else if o.sources != "" {
		// No store has an empty set: names that cannot be found in it are not those that it was made with.
		w.Sources = tiles.RowSet{}
		if ids, err := p.IDs(); err == nil {
			if rows, _, err := sourcesOf(graph.Facts{N: p.Meta().N, IDs: ids}, o.sources, p.Meta().T); err == nil {
				w.Sources = rows
			}
		}
	}
	return w
}

// otherwise is what to do about a store that cannot be continued. What destroys comes last.
func (o *solveOptions) otherwise() string {
	switch o.place {
	case "store":
		return "; name another folder with --store, or remove this one"
	case "part-dir", "out-dir":
		return "; solve it into another folder with --" + o.place + ", or begin again with --restart"
	}
	return "; solve it into another store with --out, or begin again with --restart"
}

// changed names the flag in which a store differs.
func (j *job) changed(p *engine.Problem, c *engine.ChangedError) error {
	ifThere := func(name, says string) string { // else it helps nobody, such as that of a graph in a program's memory
		if _, err := os.Stat(name); err != nil {
			return ""
		}
		return says
	}
	if c.In == "input" {
		from := "another file"
		if abs, err := filepath.Abs(j.in.name); err == nil && abs != c.Was {
			from += ifThere(c.Was, ", "+text.Line(c.Was))
		}
		return text.ErrorOf(c, "%s was made from %s, or %s has changed since%s",
			c.Store, from, j.in.name, j.otherwise())
	}
	asks := flagOf(c.In, c.Wanted)
	if c.Left {
		asks = "the default, " + c.Wanted
	}
	what := j.otherwise()
	if j.in.form == aStore { // neither of both can be said of it
		graph := p.Meta().Input.Name
		what = fmt.Sprintf("; it stays as it is: solve its graph%s into another store with --out, or over this one "+
			"with --restart", ifThere(graph, ", "+graph+","))
	}
	return text.ErrorOf(c, "%s was made with %s, and this asks for %s%s", c.Store, flagOf(c.In, c.Was), asks, what)
}

// flagOf is the flag that asks for a value.
func flagOf(in, value string) string {
	switch {
	case value == "":
		return "no --" + in
	case in == "direction":
		return "--" + value
	case in == "predecessors", in == "unweighted":
		return "--" + in
	}
	return fmt.Sprintf("--%s %s", in, text.Line(text.Quote(value)))
}
