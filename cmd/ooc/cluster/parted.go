package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/ranks"
	"ooc/engine/rounds"
	"ooc/engine/task"
	"ooc/engine/text"
	"ooc/tiles"
	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

// Parted is a solve of which each process keeps its own part in a store on a disk of its node.
type Parted struct {
	Dir     string // of the stores of all parts; each process may have another folder of that name
	Restart bool
	// Read reads the graph; on rank 0 it makes a plan, too.
	Read func() (graph.Weights, engine.CreateOptions, error)
	// Same fails where a store is not what is wanted. Rank 0 calls it.
	Same func(p *engine.Problem) error
	Made func(p *engine.Problem) // is told on rank 0 what was made
}

// found is a part store that a process sees in its folder.
type found struct {
	tiles.Part
	Dir   string
	Began bool // it has a restore point
	Fault fault
	rank  int // that sees it, as rank 0 notes
}

// seen is what a process sees in its folder.
type seen struct {
	Dir   string
	Parts []found
}

// look lists the part stores in a folder. What is no store yet is none.
func look(dir string) (s seen, err error) {
	if s.Dir, err = filepath.Abs(dir); err != nil {
		return s, err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	for _, e := range entries {
		f := found{Dir: filepath.Join(s.Dir, e.Name())}
		if !f.SetName(e.Name()) || !tiles.IsStore(f.Dir) {
			continue
		}
		st, err := tiles.OpenReadOnly(f.Dir)
		if err == nil {
			if p := st.Meta().Part; p == nil || p.Name() != f.Name() {
				err = fmt.Errorf("%s is not what its name says; move it away", f.Dir)
			} else {
				f.Part = *p
				_, f.Began, err = st.Ahead()
			}
			err = errors.Join(err, st.Close())
		}
		f.Fault = faultOf(err)
		s.Parts = append(s.Parts, f)
	}
	return s, nil
}

// decision is what rank 0 has decided about part stores.
type decision struct {
	Rows, Cols int
	Make       bool // anew, whatever is there
}

// OpenParts opens the part store of this process, or makes it. All processes call it, after they have met.
func (c *Cluster) OpenParts(ctx context.Context, s *Solve) (*engine.Problem, error) {
	mine, err := look(s.Parts.Dir)
	if err := c.agree(err); err != nil {
		return nil, err
	}
	all, err := ranks.Gather(ctx, c.Group, mine)
	if err != nil {
		return nil, err
	}
	var d decision
	if c.world.Rank() == 0 {
		if d, err = c.decide(all, s); err != nil {
			return nil, err
		}
	}
	if err := c.spread(&d); err != nil {
		return nil, err
	}
	part := tiles.Part{Dealt: tiles.Dealt{Rows: d.Rows, Cols: d.Cols, Index: c.world.Rank()}}
	if d.Make {
		return c.makeParts(ctx, s, part)
	}
	p, err := engine.Open(filepath.Join(s.Parts.Dir, part.Name()))
	var opened tiles.Part // zero: none
	if err == nil && p.Meta().Part != nil {
		opened = *p.Meta().Part
	}
	parts, gerr := ranks.Gather(ctx, c.Group, opened)
	if gerr != nil {
		return nil, closed(p, errors.Join(err, gerr))
	}
	if err == nil && part.Index == 0 {
		if err = c.oneSolve(parts); err == nil {
			err = s.Parts.Same(p)
		}
	}
	if err := c.agree(err); err != nil {
		return nil, closed(p, err)
	}
	return p, nil
}

// oneSolve fails unless the parts that the ranks have opened are still those of one solve: others may have made them
// again since they were looked at. A rank that could open none says so itself.
func (c *Cluster) oneSolve(parts []tiles.Part) error {
	for rank, q := range parts {
		want := parts[0]
		if want.Index = rank; q != want && q != (tiles.Part{}) {
			return c.refuse(rank, "its part, %s of blocks of %d tiles, is not one of the solve of rank 0, %s of "+
				"blocks of %d: put back that of the same solve, or begin again with --restart", &q, q.Block, &parts[0],
				parts[0].Block)
		}
	}
	return nil
}

func closed(p *engine.Problem, err error) error {
	if p != nil {
		err = errors.Join(err, p.Close())
	}
	return err
}

// decide chooses the grid, and whether part stores are made or go on. Where it fails, all is as it was.
func (c *Cluster) decide(all []seen, s *Solve) (d decision, err error) {
	size := len(all)
	if d.Rows, d.Cols, err = rounds.GridFor(size, s.Grid); err != nil {
		return d, err
	}
	var parts []*found
	for rank, seen := range all {
		for _, f := range seen.Parts {
			f.rank = rank
			parts = append(parts, &f)
			if s.Grid[0] == 0 && f.Of() == size { // the grid that it was begun with
				d.Rows, d.Cols = f.Rows, f.Cols
			}
		}
	}
	own := make([]*found, size)
	for _, f := range parts {
		if f.Rows != d.Rows || f.Cols != d.Cols {
			dir := all[f.rank].Dir
			return d, c.refuse(f.rank, "%s holds %s, and this is a grid of %dx%d: go on with %d ranks and --grid %s; "+
				"or put all parts together, ooc merge NEW.ooc %s, when they are solved; or name another --part-dir",
				dir, &f.Part, d.Rows, d.Cols, f.Of(), f.Grid(), text.Quote(dir))
		}
		if f.Index == f.rank {
			own[f.rank] = f
		}
	}
	if d.Make = s.Parts.Restart; d.Make {
		return d, nil
	}
	var began *found
	look := own
	for range 2 {
		for _, f := range look {
			if f == nil {
				continue
			}
			if f.Began {
				began = f
			}
			if err := c.failed(f.rank, f.Fault); err != nil {
				return d, err
			}
		}
		if began != nil || !slices.Contains(own, nil) {
			break
		}
		look = parts // nodes may have come in another order
	}
	for rank, f := range own {
		switch {
		case began == nil: // imports that came to nothing
			d.Make = d.Make || f == nil || own[0] == nil || f.Solve != own[0].Solve
		case f == nil:
			p := tiles.Dealt{Rows: d.Rows, Cols: d.Cols, Index: rank}
			return d, c.refuse(rank, "%s has no %s, and other parts of that solve are there (%s sees %s): put it "+
				"back from where that rank ran before, start the ranks on the same nodes in the same order, or begin "+
				"again with --restart", all[rank].Dir, p.Name(), c.seats[began.rank].name(began.rank), began.Dir)
		case f.Solve != began.Solve:
			return d, c.refuse(rank, "%s and %s are parts of different solves: put back that of the same solve, or "+
				"begin again with --restart", f.Dir, began.Dir)
		}
	}
	return d, nil
}

// spec is what rank 0 has chosen for the stores of all parts.
type spec struct {
	Block, Tile  int
	Layout       tiles.Layout
	Predecessors bool
	Solve        tiles.ID
}

// makeParts makes the stores of all parts. They are made once all processes have read the same graph, and have room
// for their part.
func (c *Cluster) makeParts(ctx context.Context, s *Solve, part tiles.Part) (p *engine.Problem, err error) {
	if err = disk.MakeFolder(s.Parts.Dir); err == nil {
		defer os.Remove(s.Parts.Dir) // if nothing is made there
	}
	leads := part.Index == 0
	var w graph.Weights
	var o engine.CreateOptions
	if err == nil {
		w, o, err = s.Parts.Read()
	}
	defer func() {
		if closer, ok := w.(io.Closer); ok && p == nil {
			err = errors.Join(err, closer.Close())
		}
	}()
	if err := c.agree(err); err != nil {
		return nil, err
	}
	digest := digestOf(w, &o)
	if err := same(c, digest, digest, func(rank int, _ string) error {
		return c.refuse(rank, "%s is another graph here than on rank 0: give all ranks the same flags", s.Input)
	}); err != nil {
		return nil, err
	}
	sp := spec{}
	if leads {
		ch := o.Choice
		sp = spec{ch.Plan.(*rounds.Plan).Width, ch.Tile, ch.Layout, o.Predecessors, tiles.NewID()}
	}
	if err := c.spread(&sp); err != nil {
		return nil, err
	}
	part.Block, part.Solve = sp.Block, sp.Solve
	o.Tile, o.Layout, o.Predecessors, o.Part = sp.Tile, sp.Layout, sp.Predecessors, &part
	dir := filepath.Join(s.Parts.Dir, part.Name())
	var old *engine.Problem
	if err = w.Check(ctx); err != nil && ctx.Err() != nil { // before any rank gives up what it has
		err = fmt.Errorf("%w: %w", task.ErrInterrupted, err)
	}
	o.Checked = true
	if err == nil {
		old, err = clear(dir, s)
	}
	if err := c.agree(err); err != nil {
		return nil, closed(old, err)
	}
	rooms, err := ranks.Gather(ctx, c.Group, c.roomOf(dir, w, &o))
	if err == nil {
		err = c.roomForAll(rooms)
	}
	if err := c.agree(err); err != nil {
		return nil, closed(old, err)
	}
	if old != nil {
		p, err = old.Replace(ctx, w, o)
	} else {
		p, err = engine.Create(ctx, dir, w, o)
	}
	if err := c.agree(err); err != nil {
		return nil, unmake(p, err)
	}
	if leads {
		s.Parts.Made(p)
	}
	return p, nil
}

// clear opens what is to be replaced, nil if there is nothing.
func clear(dir string, s *Solve) (old *engine.Problem, err error) {
	if !tiles.IsStore(dir) {
		return nil, tiles.Vacant(dir)
	}
	old, err = engine.Open(dir)
	if s.Parts.Restart && tiles.Damaged(err) {
		old, err = engine.OpenDamaged(dir)
	}
	if err == nil && !s.Parts.Restart { // there was none, or none that had begun, before the graph was read
		var counts bool
		if _, counts, err = old.Store().Ahead(); err == nil && counts {
			err = fmt.Errorf("%w: another process has begun %s meanwhile: run the same command again, which goes on "+
				"with it", lock.ErrLocked, dir)
		}
	}
	if err == nil {
		err = old.Store().CheckOwn()
	}
	return old, err
}

// unmake removes a store that was just made, since other parts could not be.
func unmake(p *engine.Problem, err error) error {
	if p != nil {
		err = errors.Join(err, p.Remove())
	}
	return err
}

// digestOf tells graphs and matrices from others, as they were read.
func digestOf(w graph.Weights, o *engine.CreateOptions) string {
	if g, ok := w.(*graph.Graph); ok {
		return fmt.Sprint(g.Digest(), g.IDs.Base)
	}
	f := w.Facts()
	return fmt.Sprint(o.Input.SHA256, f.N, f.Kind, f.Scale, f.Symmetric, f.MinWeight, f.MaxWeight)
}

// room is what the part store of a rank is to take of a volume, and what that has.
type room struct {
	Dir    string // of the part stores
	Volume string // the same for ranks that share one; "": nothing is known
	Source string // what that was mounted from
	Free   int64
	Need   int64 // beyond what the store that is replaced gives back
}

// roomOf looks at the volume of a part store that is to be made in dir.
func (c *Cluster) roomOf(dir string, w graph.Weights, o *engine.CreateOptions) room {
	_, sparse := w.(*graph.Graph)
	f := w.Facts()
	m := tiles.Meta{N: f.N, Arcs: f.Arcs, Kind: f.Kind, Dense: !sparse, T: o.Tile, Layout: o.Layout,
		Predecessors: o.Predecessors, Part: o.Part}
	r := room{Need: m.StoreBytes(tiles.IDs{Numeric: f.IDs.Numeric, Text: f.IDs.Text}) - tiles.GivesBack(dir)}
	id, free, err := disk.Volume(dir)
	if r.Dir, _ = filepath.Abs(filepath.Dir(dir)); err != nil {
		return r // making the store will tell
	}
	r.Free, r.Volume = free, c.seats[o.Part.Index].Host+" "+id
	source, everywhere := disk.Source(dir)
	if r.Source = cmp.Or(source, id); everywhere {
		r.Volume = source
	}
	return r
}

// roomForAll fails where a volume lacks room for all stores that ranks are to make on it. They make them at once:
// what one gives back may come too late for another.
func (c *Cluster) roomForAll(rooms []room) error {
	for _, r := range rooms {
		if r.Volume == "" || r.Need <= 0 {
			continue
		}
		need, free, on := int64(0), r.Free, []string(nil)
		for rank, q := range rooms {
			if q.Volume == r.Volume && q.Need > 0 {
				need, free = need+q.Need, min(free, q.Free)
				on = append(on, fmt.Sprintf("%s for %s in %s", disk.Size(q.Need), c.seats[rank].name(rank), q.Dir))
			}
		}
		if need > free {
			return fmt.Errorf("%w on the volume %s: %s needed, %s free (%s); free some, or name another --part-dir",
				disk.ErrNoSpace, r.Source, disk.Size(need), disk.Size(free), strings.Join(on, ", "))
		}
	}
	return nil
}
