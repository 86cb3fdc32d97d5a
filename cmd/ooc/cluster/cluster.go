// Package cluster is how the processes that mpirun or srun has started come together for one solve: they make sure
// that they can share it, before anything is given up, and part in order.
package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/exit"
	"ooc/engine"
	"ooc/engine/device"
	"ooc/engine/device/registry"
	"ooc/engine/live"
	"ooc/engine/mpi"
	"ooc/engine/ranks"
	"ooc/engine/rounds"
	"ooc/engine/task"
	"ooc/kernels"
	"ooc/tiles"
	"ooc/tiles/lock"
)

// Cluster are the processes that share a solve, as one of them sees them.
type Cluster struct {
	Group  *ranks.Group
	Device kernels.Device // of this process, once all have met; on rank 0 it stands for all
	// Memory: of its node that each may take for its host cache, as the node with the least has it; known to rank 0.
	Memory int64

	world *mpi.World
	made  string // the folder for the store, where this process has made it
	seats []seat // by rank
}

// Solve is what the processes are to share.
type Solve struct {
	Input   string
	Store   func() (string, error) // where it is, or will be
	Folder  func() error           // makes the folder for it; nil: that has to be there
	Grid    [2]int                 // of parts; zero: chosen
	Restart bool
	Open    func(registry.Local) (kernels.Device, error) // the device of a process
	Parts   *Parted                                      // nil: one store of all
}

// Start finds the other processes. It fails as mpi.Start does.
func Start() (*Cluster, error) {
	w, err := mpi.Start()
	if err != nil {
		return nil, err
	}
	return &Cluster{world: w, Group: ranks.NewGroup(w)}, nil
}

// Alone reports whether there are no others.
func (c *Cluster) Alone() bool { return c.world.Size() == 1 }

// Run has all processes meet, lead solve on rank 0, which calls Share, and the others follow with the options of a
// solve. Then they part in order, unless this one fails while they work: then its end ends all. Where rank 0 says why
// it has ended, the others have no error.
func (c *Cluster) Run(ctx context.Context, s *Solve, lead func() error, options func() engine.Options) error {
	rank := c.world.Rank()
	var err error
	if c.Alone() && s.Parts == nil {
		_, _, err = rounds.GridFor(1, s.Grid)
	} else {
		err = c.meet(s)
	}
	switch {
	case err != nil:
	case rank == 0:
		err = lead()
	default:
		err = c.follow(ctx, s, options)
	}
	if rank > 0 {
		if err != nil && !errors.Is(err, ranks.ErrOver) && !errors.Is(err, task.ErrInterrupted) {
			return c.by(rank, err)
		}
		exit.Over.Store(true)
		err = nil
	}
	if c.Group.Busy() {
		return err
	}
	if c.made != "" {
		_ = os.Remove(c.made) // where no store is in it
	}
	if c.Device != nil {
		err = errors.Join(err, c.Device.Close())
	}
	return errors.Join(err, c.Group.Leave(context.Background()), c.world.Close())
}

// follow solves what rank 0 does.
func (c *Cluster) follow(ctx context.Context, s *Solve, options func() engine.Options) error {
	p, err := c.joined(ctx, s, options)
	if err != nil {
		return err
	}
	o := options()
	o.Device, o.Ranks = c.Device, c.Group
	_, err = p.Solve(ctx, o)
	return errors.Join(err, p.Close())
}

// joined is the store that rank 0 solves, or the part store of this process.
func (c *Cluster) joined(ctx context.Context, s *Solve, options func() engine.Options) (*engine.Problem, error) {
	if s.Parts != nil {
		return c.OpenParts(ctx, s)
	}
	var id storeOfAll
	if err := c.spread(&id); err != nil {
		return nil, err
	}
	out, err := s.Store()
	var p *engine.Problem
	if err == nil {
		err = awaited(appears, func() (err error) {
			p, err = engine.OpenBeside(out, id.ID)
			return err
		})
	}
	if err == nil && id.New { // rank 0 hears of what is missing before it begins
		err = p.OpenInput(options().Input)
	}
	if err == nil && c.apart() {
		err = p.Store().ByFile()
	}
	if err = c.agree(err); err != nil {
		return nil, closed(p, err)
	}
	return p, nil
}

// seat is what rank 0 and a rank know of that one.
type seat struct {
	Host, Cores string
	PID         int
	Processors  int // that it may run on
	Unbound     int // that it might, if it were not bound to them
	Local       registry.Local
	Device      string
	Memory      int64 // of the device
	RAM         int64 // of the node, for this rank's host cache
}

func (s *seat) name(rank int) string {
	return fmt.Sprintf("rank %d on %s (process %d)", rank, s.Host, s.PID)
}

// fault is an error as ranks tell each other; of none, the text is empty.
type fault struct {
	Text string
	Code int
}

func faultOf(err error) fault {
	if err == nil {
		return fault{}
	}
	return fault{err.Error(), exit.Code(err)}
}

// by is the error of a rank, which it names where it is known.
func (c *Cluster) by(rank int, err error) error {
	if rank >= len(c.seats) {
		return err
	}
	return fmt.Errorf("%s: %w", c.seats[rank].name(rank), err)
}

// refuse is by for an input that cannot be used.
func (c *Cluster) refuse(rank int, format string, args ...any) error {
	return c.by(rank, exit.InputError(fmt.Errorf(format, args...)))
}

// failed is the error that a rank has told of, nil if it has none.
func (c *Cluster) failed(rank int, f fault) error {
	if f == (fault{}) {
		return nil
	}
	return c.by(rank, exit.WithCode(errors.New(f.Text), f.Code))
}

// Host names the node of a process.
var Host = os.Hostname

// meet makes sure that all processes can share the solve, and opens their devices. Nothing is given up before.
func (c *Cluster) meet(s *Solve) error {
	me, v := c.world.Rank(), about.Version()
	err := same(c, v, v, func(rank int, its string) error {
		return exit.Refuse(true, "rank %d runs version %s of ooc, and rank 0 version %s: all have to be of one",
			rank, its, v)
	})
	if err != nil { // nothing else is said before
		return err
	}
	host, err := Host()
	if err != nil {
		return err
	}
	mine := &seat{Host: host, PID: os.Getpid()}
	mine.Cores, mine.Processors, mine.Unbound = mpi.Cores()
	if c.seats, err = ranks.All(context.Background(), c.Group, *mine); err != nil {
		return err
	}
	place(c.seats)
	_, _, err = rounds.GridFor(len(c.seats), s.Grid)
	if err := c.agree(err); err != nil {
		return err
	}
	if err := c.sameFiles(s); err != nil {
		return err
	}
	mine = &c.seats[me]
	c.Device, err = s.Open(mine.Local)
	if err := c.agree(err); err != nil {
		return err
	}
	info := c.Device.Info()
	mine.Device, mine.Memory, mine.RAM = info.Name+": "+info.Model, info.Memory,
		device.FreeMemory()/2/int64(mine.Local.Of)
	seats, err := ranks.Gather(context.Background(), c.Group, *mine)
	if err != nil || me > 0 {
		return err
	}
	c.seats = seats
	memory := mine.Memory
	c.Memory = mine.RAM
	for _, s := range seats {
		memory, c.Memory = min(memory, s.Memory), min(c.Memory, s.RAM)
	}
	c.Device = device.Ranked(c.Device, len(seats), memory)
	return nil
}

// place counts the ranks of each host and of each set of cores.
func place(seats []seat) {
	for i := range seats {
		s := &seats[i]
		s.Local = registry.Local{}
		for j, other := range seats {
			if other.Host != s.Host {
				continue
			}
			if s.Local.Of++; j < i {
				s.Local.Index++
			}
			if other.Cores == s.Cores {
				s.Local.Cores++
			}
		}
	}
}

// spread gives all what rank 0 has.
func (c *Cluster) spread(v any) error { return c.Group.Spread(context.Background(), v) }

// same fails on rank 0 with what differs says of the first rank that has not what rank 0 wants, and then on the others
// with what rank 0 says next. Nobody goes on before rank 0 has said that all may: else two could wait for each other,
// each with something to say.
func same[T comparable](c *Cluster, mine, want T, differs func(rank int, its T) error) error {
	all, err := ranks.Gather(context.Background(), c.Group, mine)
	if err != nil {
		return err
	}
	for rank, its := range all { // of rank 0, which is told of all
		if its != want {
			return differs(rank, its)
		}
	}
	goOn := true
	return c.spread(&goOn)
}

// agree fails if any rank has an error: on rank 0 with its own, else with that of the first.
func (c *Cluster) agree(mine error) error {
	return same(c, faultOf(mine), fault{}, func(rank int, f fault) error { return cmp.Or(mine, c.failed(rank, f)) })
}

// view is what a rank sees of the files of the solve.
type view struct {
	IsStore bool
	ID      tiles.ID
	Size    int64 // of the input
}

// sameFiles makes sure that all see one store, or one folder for it, and one graph.
func (c *Cluster) sameFiles(s *Solve) (err error) {
	var out string
	var mine view
	var changed time.Time
	if s.Parts == nil {
		out, err = s.Store()
		if err := c.agree(err); err != nil {
			return err
		}
		if err := c.sameFolder(out, s.Folder); err != nil {
			return err
		}
		mine.IsStore = tiles.IsStore(out)
	}
	if s.Input != "-" && !tiles.IsStore(s.Input) {
		var info fs.FileInfo
		if info, err = os.Stat(s.Input); err == nil {
			mine.Size, changed = info.Size(), info.ModTime()
		}
	}
	if err == nil && mine.IsStore {
		var there *tiles.Store
		if there, err = tiles.OpenReadOnly(out); err == nil {
			mine.ID = there.Meta().ID
			err = there.Close()
		} else if s.Restart && tiles.Damaged(err) {
			err = nil
		}
	}
	if err := c.agree(err); err != nil {
		return err
	}
	otherGraph := func(rank int) error {
		return c.refuse(rank, "%s is another file here than on rank 0: give all nodes the same graph", s.Input)
	}
	err = same(c, mine, mine, func(rank int, its view) error {
		if its.IsStore == mine.IsStore && its.ID == mine.ID {
			return otherGraph(rank)
		}
		return c.refuse(rank, "%s is another store here than on rank 0: --cluster mpi needs a folder that all nodes "+
			"share", out)
	})
	if err != nil {
		return err
	}
	times, err := ranks.All(context.Background(), c.Group, changed)
	if err != nil || !slices.ContainsFunc(times, func(t time.Time) bool { return !t.Equal(times[0]) }) {
		return err
	}
	sum, err := sumOf(s.Input)
	if err := c.agree(err); err != nil {
		return err
	}
	return same(c, sum, sum, func(rank int, _ [sha256.Size]byte) error { return otherGraph(rank) })
}

func sumOf(path string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return [sha256.Size]byte(h.Sum(nil)), err
}

// awaited tries to find what another rank has made, for a time in which it may not be seen yet on this node.
func awaited(within time.Duration, try func() error) (err error) {
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		err = try()
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, lock.ErrNotStore) || time.Since(began) > within {
			return err
		}
	}
}

// sameFolder makes sure that all see one folder in which the store is, or will be: rank 0 makes a file there, which
// the others look for.
func (c *Cluster) sameFolder(out string, makeIt func() error) error {
	dir, base, leads := filepath.Dir(out), ".ooc-ranks-"+rand.Text(), c.world.Rank() == 0
	var err error
	if leads {
		if _, serr := os.Stat(dir); makeIt != nil && errors.Is(serr, fs.ErrNotExist) {
			if err = makeIt(); err == nil {
				c.made = dir
			}
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, base), nil, 0o666)
			defer os.Remove(filepath.Join(dir, base))
		}
	}
	if err := c.agree(err); err != nil {
		return err
	}
	if err := c.spread(&base); err != nil {
		return err
	}
	err = awaited(appearsAnew, func() error { _, err := os.Stat(filepath.Join(dir, base)); return err })
	if err != nil {
		err = exit.InputError(fmt.Errorf("%s is another folder here than on rank 0: --cluster mpi needs one for %s"+
			" that all nodes share", dir, filepath.Base(out)))
	}
	return c.agree(err)
}

// Times that files may take to be seen on other hosts: one for which nothing was looked for before, and one that was
// looked for in vain, which network file systems remember for as long as a minute.
const (
	appearsAnew = 2 * time.Second
	appears     = time.Minute
)

// storeOfAll is what rank 0 tells of the store that it has opened.
type storeOfAll struct {
	ID  tiles.ID
	New bool // its tiles are still to be filled from its input
}

// Share has the other ranks open the store that rank 0 has opened, and notes who they are.
func (c *Cluster) Share(p *engine.Problem, note func(format string, args ...any)) error {
	if p.Store().IsPart() { // and the others have opened theirs
		c.introduce(note)
		return nil
	}
	if p.Geometry().Factors {
		return exit.UsageError(fmt.Errorf(
			"%s keeps factors, which one process makes and asks: leave --cluster mpi away", p.Dir()))
	}
	st, err := p.Status()
	if err != nil {
		return err
	}
	if err := c.spread(&storeOfAll{p.Meta().ID, st.State == live.New}); err != nil {
		return err
	}
	if c.apart() {
		note("several nodes write to %s: it is not mapped", p.Dir())
		err = p.Store().ByFile()
	}
	c.introduce(note)
	return c.agree(err)
}

// introduce notes who the ranks are.
func (c *Cluster) introduce(note func(format string, args ...any)) {
	if !c.Alone() {
		note("%d ranks over %s", len(c.seats), c.world.Library())
	}
	for rank, s := range c.seats {
		note("  %s: %s", s.name(rank), s.Device)
	}
	if i := slices.IndexFunc(c.seats, func(s seat) bool { return s.confined() }); i >= 0 {
		note("%s may run on one processor of %d, and solves slowly: let mpirun have --bind-to none, or srun "+
			"--cpus-per-task", c.seats[i].name(i), c.seats[i].Unbound)
	}
}

// confined reports whether a rank is bound to a single processor, as Open MPI binds two ranks by default, where there
// are more for each rank of the host.
func (s *seat) confined() bool { return s.Processors == 1 && s.Unbound >= 2*s.Local.Of }

// apart reports whether ranks are on several hosts. What one of them maps need not be what another writes, whatever
// the file system is called.
func (c *Cluster) apart() bool {
	return slices.ContainsFunc(c.seats, func(s seat) bool { return s.Host != c.seats[0].Host })
}
