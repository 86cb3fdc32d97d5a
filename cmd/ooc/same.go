package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/graph"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// same fails if a store is not what the flags ask for, or was made from another input, unless the input is the store
// itself.
func (f *solveFlags) same(cmd *cobra.Command, p *engine.Problem, input string) error {
	err := p.Differs(f.wanted(cmd, p))
	if err == nil && !isStore(input) {
		if input == "-" {
			return exit.InputError(fmt.Errorf("%s exists, and what standard input holds cannot be compared with it: continue it with %s%s", p.Dir(), terminal.Command("solve", nil, p.Dir()), otherwise))
		}
		err = p.SameInput(cmd.Context(), input)
	}
	if c := (*engine.ChangedError)(nil); errors.As(err, &c) {
		err = &changed{c, input, p.Meta().Input.Name}
	}
	return err
}

// wanted is what the flags ask of a store that is to be continued.
func (f *solveFlags) wanted(cmd *cobra.Command, p *engine.Problem) engine.Wanted {
	w := engine.Wanted{
		Keep: engine.Keep(f.keep), Kind: entry.Kind(f.kind), Scale: f.scale, Tile: f.tile, Layout: tiles.Layout(f.layout), Predecessors: f.predecessors,
		Format: f.format, Columns: f.columns, NoArc: f.noArc, Base: f.baseText(cmd),
	}
	if f.keepsRowsNow(p) { // and is made anew, as the flags say
		w.Keep, w.Tile, w.Layout, w.Predecessors = "", 0, "", false
	}
	if f.directed || f.undirected {
		w.Directed = &f.directed
	}
	if f.sources != "" && !f.keepsRowsNow(p) {
		w.Sources = tiles.RowSet{} // which no store has: names that cannot be found in it are not those that it was made with
		if ids, err := p.IDs(); err == nil {
			if rows, _, err := sourcesOf(graph.Facts{N: p.Meta().N, IDs: ids}, f.sources, p.Meta().T); err == nil {
				w.Sources = rows
			}
		}
	}
	return w
}

// changed names the flag in which a store differs.
type changed struct {
	*engine.ChangedError
	input string
	graph string // that the store was made from
}

// otherwise is what to do about a store that cannot be continued.
const otherwise = "; solve it into another store with --out, or begin again with --restart"

func (c *changed) Error() string {
	if isStore(c.input) { // neither of both can be said of it
		return fmt.Sprintf("%s was made %s, and stays so; solve its graph, %s, into another store with --out, or over this one with --restart", c.Store, c.how(), c.graph)
	}
	return c.Store + " was made " + c.how() + otherwise
}

func (c *changed) how() string {
	switch c.In {
	case engine.OfInput:
		return "from another file, or " + c.input + " has changed since"
	case engine.OfPredecessors:
		return "without --predecessors"
	case engine.OfSources:
		return "with other --sources"
	case engine.OfDirection:
		return "of a " + c.Was + " graph"
	case engine.OfColumns:
		return fmt.Sprintf("with other --columns (%q)", c.Was)
	case engine.OfNoArc, engine.OfBase:
		return fmt.Sprintf("with another --%s (%q)", c.In, c.Was)
	}
	return fmt.Sprintf("with --%s %s", c.In, c.Was)
}
