package sparse

import "context"

// ending sees now and then whether a context has ended. It is for one goroutine.
type ending struct {
	ctx   context.Context
	steps int64 // since it last looked
}

const (
	// lookAfter is how many steps, of some nanoseconds each, are done between two looks: a few milliseconds' worth.
	lookAfter = 1 << 20
	// estimateSteps is what the estimate of one stopping point counts for.
	estimateSteps = 256
)

// after counts steps and returns why the context ended, if it has.
func (e *ending) after(steps int64) error {
	if e.steps += steps; e.steps < lookAfter {
		return nil
	}
	e.steps = 0
	return context.Cause(e.ctx)
}
