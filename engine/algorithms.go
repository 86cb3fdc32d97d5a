package engine

import (
	"context"
	"slices"

	"ooc/engine/device"
	"ooc/engine/eliminate"
	"ooc/engine/live"
	"ooc/engine/plan"
	"ooc/engine/rounds"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
)

// solver is an algorithm that also solves.
type solver interface {
	plan.Algorithm
	// Run solves from the task's state to the end, or to where ctx ends: then it takes a checkpoint and fails with
	// ErrInterrupted.
	Run(ctx context.Context, t *task.Task) error
	// Left completes the status of a store that the algorithm has begun. Where the state does not count, it reports
	// whether the algorithm has left something else in the store to go on from.
	Left(st *live.Status, s *tiles.Store, counts bool) (bool, error)
}

// algorithms is the table of all algorithms, in the order in which equals are taken: a new one is one line here.
var algorithms = []solver{
	rounds.Blocked,
	eliminate.New(eliminate.Options{}),
	rounds.Squaring,
	rounds.SingleStage,
}

// Algorithms lists what Options.Algorithm may be.
var Algorithms = plan.Names(planned())

// planned is the table as plans take it.
func planned() []plan.Algorithm {
	list := make([]plan.Algorithm, len(algorithms))
	for i, a := range algorithms {
		list[i] = a
	}
	return list
}

// solverNamed returns the algorithm of that name, or nil.
func solverNamed(name string) solver {
	for _, a := range algorithms {
		if a.Name() == name {
			return a
		}
	}
	return nil
}

// Share shares a device between solves. What plans reckon with in most of them is measured now, while nothing runs
// beside it.
func Share(d kernels.Device) (*device.Shared, error) {
	s := device.Share(d)
	unasked := slices.DeleteFunc(planned(), func(a plan.Algorithm) bool { return !a.Traits().Unasked })
	for _, v := range []entry.Variant{entry.I32, entry.F32} { // others are rare: when they are asked for
		if _, err := plan.RatesFor(unasked, s.Part(0), v, 0); err != nil {
			return nil, err
		}
	}
	return s, nil
}
