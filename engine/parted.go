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
	"ooc/tiles/class"
)

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
	ctx, here := context.Background(), true
	if err := g.Spread(ctx, &here); err != nil { // nobody sends rank 0 anything before it is there
		return least, false, err
	}
	mine, counts, err := p.store.Recover()
	if err = p.agree(g, err); err != nil {
		return least, false, err
	}
	all, err := ranks.All(ctx, g, mine)
	if err != nil {
		return least, false, err
	}
	// None is done where a state does not count.
	least = slices.MinFunc(all, func(a, b tiles.State) int { return cmp.Compare(a.Done, b.Done) })
	for _, state := range all {
		least.Elapsed = max(least.Elapsed, state.Elapsed)
	}
	if mine.Done == int64(p.geom.N) && least.Done < mine.Done {
		// Without this, after a kill, the part's slot would vouch for bytes that the rounds have changed and nobody
		// synced.
		if err = p.store.Unfinish(); err == nil {
			point := least
			if point.Algorithm == "" { // a part has no restore point
				point.Algorithm = mine.Algorithm
			}
			err = p.store.Checkpoint(point)
		}
	}
	return least, counts, err
}

// end is how a step has ended in a process.
type end struct {
	Text  string // of an error; "": none
	Class int
}

// agree fails in all processes that have a part store where a step has failed in any: on rank 0 with that error, and
// with ranks.ErrOver in the others. All of them call it; where there are no parts, it fails as the step did.
func (p *Problem) agree(g *ranks.Group, err error) error {
	if !p.store.IsPart() {
		return err
	}
	mine := end{}
	if err != nil && !errors.Is(err, ranks.ErrOver) { // that one has been said
		mine = end{err.Error(), class.Of(err)}
	}
	all, gerr := ranks.All(context.Background(), g, mine)
	switch {
	case gerr != nil:
		return errors.Join(err, gerr)
	case !slices.ContainsFunc(all, func(e end) bool { return e.Text != "" }):
		return nil
	case g.Rank() > 0:
		return ranks.ErrOver
	}
	g.Over()
	for rank, e := range all {
		switch interrupted := e.Class == class.Interrupted; {
		// This rank has not failed, or the error at hand is what has stopped it: that one counts.
		case e.Text == "" || err != nil && (rank == 0 || interrupted || !errors.Is(err, task.ErrInterrupted)):
		case interrupted:
			err = fmt.Errorf("rank %d: %w", rank, task.ErrInterrupted)
		default:
			err = class.New(e.Class, fmt.Sprintf("rank %d: %s", rank, e.Text))
		}
	}
	return err
}

// ClusterCommand is how the processes are started that go on with a part store, or with all parts.
func (p *Problem) ClusterCommand() string {
	q, keep := p.Part(), ""
	if p.meta.Predecessors {
		keep = " --predecessors"
	}
	return fmt.Sprintf("mpirun -n %d ooc solve %s --cluster mpi --grid %s --part-dir %s%s", q.Of(),
		text.Quote(p.meta.Input.Name), q.Grid(), text.Quote(filepath.Dir(p.allParts())), keep)
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
