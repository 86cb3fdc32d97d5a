package engine

import (
	"context"
	"fmt"
	"slices"

	"ooc/engine/eliminate"
	"ooc/engine/factors"
	"ooc/engine/graph"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/rounds"
	"ooc/engine/rows"
	"ooc/engine/rowtiles"
	"ooc/engine/searches"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// solver is an algorithm that plans solves and runs them.
type solver interface {
	plan.Algorithm
	// Run solves from the task's state to the end, or to where ctx ends: then it takes a checkpoint and fails with
	// ErrInterrupted.
	Run(ctx context.Context, t *task.Task) error
	// Left completes the status of a store that the algorithm has begun. If the state does not count, it reports
	// whether the algorithm has left anything else in the store to continue from.
	Left(st *live.Status, s *tiles.Store, counts bool) (bool, error)
}

// algorithms is the table of all algorithms. If plans promise the same time, the first of them is taken. A new
// algorithm is one line here.
var algorithms = slices.Concat([]solver{rounds.Blocked}, rowSolvers(), []solver{
	rounds.Squaring,
	rounds.SingleStage,
})

// rowEngines is the table of what computes rows of sparse graphs. A new one is one line here, and an algorithm too, but
// for factors: package eliminate solves by them, on devices and with cores that are larger than memory. Each engine is
// told what those before it take, and need not look for more.
var rowEngines = []rows.Engine{
	searches.Engine{},
	factors.Engine{},
	searches.CoreEngine{},
}

func rowSolvers() (list []solver) {
	for _, e := range rowEngines {
		if e == (factors.Engine{}) {
			list = append(list, eliminate.Algorithm{})
		} else {
			list = append(list, rowtiles.Algorithm{Engine: e})
		}
	}
	return list
}

// RowEngines lists what Options.Algorithm may be in stores of layout tiles.Factors, apart from "auto".
var RowEngines = plan.Names(rowEngines)[1:]

// enginesNamed returns the engine of rows of that name; "" or plan.Auto: all. It fails with plan.ErrAlgorithm.
func enginesNamed(name string) ([]rows.Engine, error) {
	if name == "" || name == plan.Auto {
		return rowEngines, nil
	}
	i := slices.IndexFunc(rowEngines, func(e rows.Engine) bool { return e.Name() == name })
	if i < 0 {
		return nil, fmt.Errorf("%w %q of a store without a matrix: there are %v", plan.ErrAlgorithm, name, RowEngines)
	}
	return rowEngines[i : i+1], nil
}

// OfferRows returns the offer of the engine that answers a question in least time, or that it names. Errors are those
// of rows.Choose.
func OfferRows(ctx context.Context, g *graph.Graph, q rows.Question) (rows.Offer, error) {
	return rows.Choose(ctx, rowEngines, g, q)
}

// OffersOfRows returns what engines take to answer a question, as rows.Offers has it.
func OffersOfRows(ctx context.Context, g *graph.Graph, q rows.Question) ([]rows.Offer, error) {
	return rows.Offers(ctx, rowEngines, g, q)
}

// Algorithms lists what Options.Algorithm may be.
var Algorithms = plan.Names(algorithms)

// planned returns the table in the type that package plan takes.
func planned() []plan.Algorithm {
	list := make([]plan.Algorithm, len(algorithms))
	for i, a := range algorithms {
		list[i] = a
	}
	return list
}

// noPlans are those of algorithms that have made none.
func noPlans() (l plan.Plans) {
	for _, a := range algorithms {
		l = l.With(a.Traits().Plan)
	}
	return l
}

// solverNamed returns the algorithm of that name, or nil.
func solverNamed(name string) solver { return plan.Named(algorithms, name) }

// TraitsOf says what the algorithm of that name can do: nothing if there is none.
func TraitsOf(name string) (t plan.Traits) {
	if a := solverNamed(name); a != nil {
		t = a.Traits()
	}
	return t
}

// AlgorithmThat returns the name of the first algorithm that can do something.
func AlgorithmThat(can func(plan.Traits) bool) string {
	i := slices.IndexFunc(algorithms, func(a solver) bool { return can(a.Traits()) })
	return algorithms[i].Name()
}

// MeasureShared measures the rates that most plans need for graphs of up to n vertices now, while nothing else runs
// on a shared device.
func MeasureShared(d kernels.Device, n int) error {
	unasked := slices.DeleteFunc(planned(), func(a plan.Algorithm) bool { return !a.Traits().Automatic })
	for _, v := range []entry.Variant{entry.I32, entry.F32} { // others are rare: when they are asked for
		if _, err := plan.RatesFor(unasked, d, v, n); err != nil {
			return err
		}
	}
	return nil
}
