// Package cancel lets long loops look now and then whether their context has ended, and count what
// they have done.
package cancel

import "context"

// interval is how many steps, of some nanoseconds each, are done between two looks: a few milliseconds' worth.
const interval = 1 << 20

// Poll looks now and then whether a context has ended. It is for one goroutine. A nil Poll never ends anything.
type Poll struct {
	Ctx   context.Context
	steps int64 // since it last looked
}

// After counts steps and returns why the context ended, if it has.
func (p *Poll) After(steps int64) error {
	if p == nil {
		return nil
	}
	if p.steps += steps; p.steps < interval {
		return nil
	}
	p.steps = 0
	return context.Cause(p.Ctx)
}
