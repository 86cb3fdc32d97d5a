package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"ooc/engine/ranks"
	"ooc/engine/task"
	"ooc/engine/text"
	"ooc/tiles"
)

// recovered is what a process has found in its part store.
type recovered struct {
	State  tiles.State
	Counts bool
	Fault  string
}

// recoverAll finds out where a solve goes on: of a store in parts, whose processes call it together, after what all
// parts have done. Values only ever fall, so that parts may be ahead. counts is of the part of this process.
func (p *Problem) recoverAll(g *ranks.Group) (least tiles.State, counts bool, err error) {
	part := p.meta.Part
	if part == nil {
		return p.store.Recover()
	}
	if g == nil || g.Size() != part.Of() || g.Rank() != part.Index {
		return least, false, fmt.Errorf("%w; or solve all of them: %s", p.store.OtherPart(), p.ClusterCommand())
	}
	ctx := context.Background()
	if err := begun(ctx, g); err != nil {
		return least, false, err
	}
	mine := recovered{}
	mine.State, mine.Counts, err = p.store.Recover()
	if err != nil {
		mine.Fault = err.Error()
	}
	all, gerr := ranks.Gather(ctx, g, mine)
	if err = errors.Join(err, gerr); err != nil {
		return least, false, err
	}
	if g.Rank() > 0 {
		if err := g.Hear(ctx, &least); err != nil {
			return least, false, err
		}
	} else {
		least = mine.State
		for rank, r := range all {
			if r.Fault != "" {
				return least, false, fmt.Errorf("rank %d: %s", rank, r.Fault)
			}
			elapsed := max(least.Elapsed, r.State.Elapsed)
			if r.State.Done < least.Done { // none, where it does not count
				least = r.State
			}
			least.Elapsed = elapsed
		}
		if err := g.Tell(ctx, least); err != nil {
			return least, false, err
		}
	}
	if mine.State.Done == int64(p.geom.N) && least.Done < mine.State.Done {
		// Without this, after a kill, the part's slot would vouch for bytes that the rounds have changed and nobody
		// synced.
		if err = p.store.Unfinish(); err == nil {
			point := least
			if point.Algorithm == "" { // a part has no restore point
				point.Algorithm = mine.State.Algorithm
			}
			err = p.store.Checkpoint(point)
		}
	}
	return least, mine.Counts, err
}

// begun returns once rank 0 is there: nobody sends it anything before.
func begun(ctx context.Context, g *ranks.Group) error {
	if g.Rank() > 0 {
		return g.Hear(ctx, new(bool))
	}
	return g.Tell(ctx, true)
}

// together fails on rank 0 where a step has failed in any process. All processes that have a part store call it; in
// others it does nothing.
func (p *Problem) together(g *ranks.Group, err error) error {
	if !p.store.IsPart() {
		return err
	}
	said := ""
	if err != nil {
		said = err.Error()
	}
	all, gerr := ranks.Gather(context.Background(), g, said)
	if err == nil {
		err = gerr
	}
	for rank, said := range all {
		if err == nil && said != "" {
			err = fmt.Errorf("rank %d: %s", rank, said)
		}
	}
	return err
}

// end is how a step has ended in a process.
type end struct {
	Text        string // of an error; "": none
	Interrupted bool
}

// agree fails in all processes where a step has failed in any: on rank 0 with that error, and with ranks.ErrOver in
// the others.
func agree(g *ranks.Group, err error) error {
	ctx, mine := context.Background(), end{}
	if err != nil {
		mine = end{err.Error(), errors.Is(err, task.ErrInterrupted)}
	}
	all, gerr := ranks.Gather(ctx, g, mine)
	if gerr != nil {
		return errors.Join(err, gerr)
	}
	goOn := true
	if g.Rank() > 0 {
		if herr := g.Hear(ctx, &goOn); herr != nil || !goOn {
			return cmp.Or(herr, ranks.ErrOver)
		}
		return nil
	}
	for rank, e := range all {
		switch {
		// This rank has not failed, or the error at hand is what has stopped it: that one counts.
		case e.Text == "" || err != nil && (rank == 0 || e.Interrupted || !errors.Is(err, task.ErrInterrupted)):
		case e.Interrupted:
			err = fmt.Errorf("rank %d: %w", rank, task.ErrInterrupted)
		default:
			err = fmt.Errorf("rank %d: %s", rank, e.Text)
		}
	}
	if goOn = err == nil; !goOn {
		g.Over()
	}
	return errors.Join(err, g.Tell(ctx, goOn))
}

// someHave reports to all whether any process has something.
func someHave(g *ranks.Group, mine bool) (some bool, err error) {
	all, err := ranks.Gather(context.Background(), g, mine)
	if err != nil {
		return false, err
	}
	if g.Rank() > 0 {
		err = g.Hear(context.Background(), &some)
		return some, err
	}
	some = slices.Contains(all, true)
	return some, g.Tell(context.Background(), some)
}

// ClusterCommand is how the processes are started that go on with a part store, or with all parts.
func (p *Problem) ClusterCommand() string {
	q, keep := p.Part(), ""
	if p.meta.Predecessors {
		keep = " --predecessors"
	}
	return fmt.Sprintf("mpirun -n %d ooc solve %s --cluster mpi --grid %s --part-dir %s%s", q.Of(), text.Quote(p.meta.Input.Name), q.Grid(), text.Quote(filepath.Dir(p.allParts())), keep)
}

// Part is which part this store has, or the first of all of its parts; nil if there are none.
func (p *Problem) Part() *tiles.Part {
	if all := p.store.Parts(); all != nil {
		return all[0].Meta().Part
	}
	return p.meta.Part
}

// allParts is the folder that holds all parts.
func (p *Problem) allParts() string {
	if p.store.IsPart() {
		return filepath.Dir(p.Dir())
	}
	return filepath.Clean(p.Dir())
}

// OpenParts opens the part stores of a solve as one, for questions.
func OpenParts(dir string, dirs []string) (*Problem, error) { return wrap(tiles.OpenParts(dir, dirs)) }
