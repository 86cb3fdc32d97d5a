package engine

import (
	"context"
	"slices"

	"ooc/engine/eliminate"
	"ooc/engine/graph"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/rows"
	"ooc/kernels"
)

// elimination is that in the table.
var elimination eliminate.Algorithm

// ChangeElimination has solves eliminate with other options, and returns what takes that back.
func ChangeElimination(change func(o *eliminate.Algorithm)) (back func()) {
	was := elimination
	set := func(o eliminate.Algorithm) {
		elimination = o
		algorithms[slices.IndexFunc(algorithms, func(a solver) bool { return a.Name() == eliminate.Name })] = o
	}
	o := was
	change(&o)
	set(o)
	return func() { set(was) }
}

// What external tests take from the inside of the package.

// ChooseBy chooses with rates that nobody measured.
func ChooseBy(ctx context.Context, w graph.Weights, info kernels.Info, r plan.Rates, l plan.Request) (*plan.Choice,
	error) {
	q := basisFor(w, l.WithDefaults(info))
	q.Info, q.Rates = info, r
	return q.Choose(ctx, planned())
}

// CoreLeft, RootTrees, TreesRooted and StoreSums are steps of a solve.
func (p *Problem) CoreLeft() (bool, error) {
	return solverNamed(eliminate.Name).Left(new(live.Status), p.store, false)
}

func (p *Problem) RootTrees(ctx context.Context, c *live.Control) ([]bool, error) {
	l := &storeLines{p.store, make([]bool, p.geom.Tiles())}
	err := p.rootTrees(ctx, c, l)
	return l.tiles, err
}

func (p *Problem) TreesRooted() (bool, error) { return p.treesRooted() }

func (p *Problem) StoreSums(sums []uint32, known []bool) error { return p.storeSums(sums, known) }

// AddRowEngine puts an engine into the table of those that compute rows, and returns what takes it out again.
func AddRowEngine(e rows.Engine) (back func()) {
	was := rowEngines
	rowEngines = append(slices.Clone(was), e)
	return func() { rowEngines = was }
}
