package plan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/text"
	"ooc/kernels"
	"ooc/kernels/entry"
	"ooc/tiles"
	"ooc/tiles/class"
	"ooc/tiles/disk"
)

// Algorithm is what planning needs to know about an algorithm. Package engine has the table of all algorithms.
type Algorithm interface {
	Name() string // that users give to --algorithm
	Traits() Traits
	// Measure adds the rates that only this algorithm's plan needs, for n vertices. It fails with ErrAlgorithm if the
	// device lacks an operation that the algorithm needs.
	Measure(r *Rates, d kernels.Device, v entry.Variant, n int) error
	// Plan returns its offer, given those of the algorithms before it in the table. It fails with device.ErrMemory
	// where a limit is too small; then what the offer Lacks counts all the same.
	Plan(ctx context.Context, q *Basis, before []Offer) (Offer, error)
	// Size returns the tile edge of a new store and the most bytes beside it, of a graph that was not read.
	Size(q *Basis) (tile int, beside int64, err error)
}

// Traits say what an algorithm can do.
type Traits struct {
	Title string // in sentences
	Plan  Plan   // where it has made none

	Automatic    bool // the plan may pick it when the user names no algorithm
	Predecessors bool // it can keep them
	Sources      bool // it can solve the rows of chosen sources alone
	Arcs         bool // it needs a sparse graph
	Kernels      bool // it computes in entries as they are stored, by kernels for them
	Pivots       bool // its progress is in pivot vertices, so that others of this trait can resume its solves
	Devices      bool // it can use several devices of a process
	Parts        bool // several processes can share it, and plans can be made for other machines
	Upper        bool // it can solve one half of a symmetric matrix: layout upper
	Rows         bool // it counts rows that are final, and leaves the others empty until then
}

// Offer is what algorithms are compared by, and what they mean to do.
type Offer struct {
	Algorithm string
	Plan      Plan
	Left      float64 // seconds that are left, with the final sync
	// Seconds: until all distances are computed, without the final sync, by the rates of Basis.Chooser; +Inf: not worth
	// considering.
	Seconds float64
	Tile    int   // the tile edge that the plan uses
	Beside  int64 // extra bytes on disk during the solve, apart from the store's matrix
	Memory  int64 // about the bytes of host memory that it takes, beside those of Facts.Memory
	Lacks   error // why what would be faster is not done: the volume has no room; nil: nothing would
	// Short: why it cannot be carried out now, if it is the best: another choice would round floats differently.
	Short error
}

// Auto, as the name of an algorithm in Request and Options, leaves the choice to the plan.
const Auto = "auto"

// ErrAlgorithm is wrapped by errors about an algorithm that does not exist, or cannot solve this problem.
var ErrAlgorithm = class.New(class.Usage, "wrong algorithm")

// Basis is what a plan is made of: the request, and what it is for.
type Basis struct {
	Request // Layout is that of the store once Measure has set it
	Facts   graph.Facts
	Graph   *graph.Graph // nil: the input is a matrix, or was not read
	Dense   bool         // it is a matrix, or planned as one
	Info    kernels.Info // of the device
	Rates   Rates
	Stored  bool         // the store is there, and has its space
	Store   *tiles.Store // with what earlier runs have left; nil: the solve begins
	State   tiles.State  // what they have done
	Exact   bool         // count traffic step by step, if that is quick
}

// Least is the least that any of these takes in seconds; 0: there are none.
func Least(offers []Offer) (seconds float64) {
	for i, o := range offers {
		if i == 0 || o.Seconds < seconds {
			seconds = o.Seconds
		}
	}
	return seconds
}

// Choice is how a problem will be solved.
type Choice struct {
	Offer          // that is taken
	Offers []Offer // of all algorithms that are worth considering
	Info   kernels.Info
	Rates  Rates // that it was made by, of a device with this Info
	Layout tiles.Layout
}

// Named returns that of a list which has a name: its zero value if none has.
func Named[A interface{ Name() string }](list []A, name string) (found A) {
	for _, a := range list {
		if a.Name() == name {
			return a
		}
	}
	return found
}

// Names lists the values of Request.Algorithm that a list gives, Auto first.
func Names[A interface{ Name() string }](list []A) []string {
	names := []string{Auto}
	for _, a := range list {
		names = append(names, a.Name())
	}
	return names
}

// Candidates returns the algorithms of a list that can serve the request. It fails with ErrAlgorithm if there is none.
func (q *Basis) Candidates(list []Algorithm) ([]Algorithm, error) {
	sources := len(q.Sources) > 0
	if k := q.Facts.Kind; q.Predecessors && k.PairBytes() == 0 {
		return nil, text.ErrorOf(ErrAlgorithm,
			"no predecessors are kept beside distances of kind %s: use --kind i32; %s", k, notKept)
	}
	if sources && q.Predecessors {
		return nil, text.ErrorOf(ErrAlgorithm, "predecessors are kept of every row, not only those of chosen sources; "+
			"leave --predecessors away: ooc path and ooc export --predecessors find them by the graph's arcs")
	}
	if name := q.Algorithm; !q.automatic() {
		a := Named(list, name)
		if a == nil {
			return nil, fmt.Errorf("%w %q: there are %v", ErrAlgorithm, name, Names(list))
		}
		can := a.Traits()
		switch {
		case can.Arcs && q.Dense:
			return nil, text.ErrorOf(ErrAlgorithm,
				"a matrix has no sparse graph to eliminate vertices of; leave the algorithm to the plan")
		case !q.Facts.Kind.Kernels() && can.Kernels:
			return nil, text.ErrorOf(ErrAlgorithm, "%s does not compute in kind %s: use --kind u16, "+
				"or leave the algorithm to the plan", name, q.Facts.Kind)
		case q.Predecessors && !can.Predecessors:
			return nil, KeepsNoPredecessors(list, a)
		case sources && !can.Sources:
			return nil, text.ErrorOf(ErrAlgorithm,
				"%s needs every row, not only those of chosen sources; leave the algorithm to the plan", name)
		}
		return []Algorithm{a}, nil
	}
	if sources && q.Dense {
		return nil, text.ErrorOf(ErrAlgorithm,
			"chosen sources need a sparse graph, and the input is a matrix; solve all of it")
	}
	var left []Algorithm
	for _, a := range list {
		can := a.Traits()
		if can.Automatic && (q.Facts.Kind.Kernels() || !can.Kernels) && (can.Predecessors || !q.Predecessors) &&
			(can.Sources || !sources) && !(can.Arcs && q.Dense) {
			left = append(left, a)
		}
	}
	if len(left) == 0 {
		return nil, text.ErrorOf(ErrAlgorithm,
			"distances of kind %s are found by searches of a sparse graph: give a list of arcs", q.Facts.Kind)
	}
	return left, nil
}

// notKept is how to do without predecessors in the store.
const notKept = "or do without them: ooc path and ooc export --predecessors find those of a sparse graph by its arcs"

// KeepsNoPredecessors returns the error for an algorithm that cannot keep predecessors and was asked to.
func KeepsNoPredecessors(list []Algorithm, a Algorithm) error {
	keeps := slices.IndexFunc(list, func(b Algorithm) bool { return b.Traits().Predecessors })
	return text.ErrorOf(ErrAlgorithm, "%s keeps no predecessors, %s does: leave the algorithm to the plan; %s",
		a.Name(), list[keeps].Name(), notKept)
}

// ChooseOn measures the device and picks the algorithm of a list that should end first; of equals, the one listed
// first.
func (q Basis) ChooseOn(ctx context.Context, list []Algorithm, d kernels.Device) (*Choice, error) {
	if err := q.Measure(list, d); err != nil {
		return nil, err
	}
	return q.Choose(ctx, list)
}

// Measure sets Info, Rates, Layout and the defaults of the request from a device, unless it has the rates of that
// device already. It fails with ErrLayout where the problem cannot have the layout that the request asks for.
func (q *Basis) Measure(list []Algorithm, d kernels.Device) error {
	candidates, err := q.Candidates(list)
	if err != nil {
		return err
	}
	if q.Layout, err = q.layout(candidates, d); err != nil {
		return err
	}
	info := d.Info()
	if q.Devices > 0 {
		info.Devices = q.Devices
	}
	known := q.Info == info && q.Rates.Kernel > 0
	q.Info, q.Request = info, q.WithDefaults(info)
	if known {
		return nil
	}
	if q.Rates, err = RatesFor(candidates, d, q.Facts.Kind.Variant(q.Facts.Negative), q.Facts.N); err == nil &&
		q.Nodes > 0 {
		q.Rates.Link, q.Rates.Disk, q.Rates.Dirty, q.Rates.Uncached = q.Link, q.Disk, 0, q.Disk > 0
	}
	return err
}

// Choose is ChooseOn for a request whose rates are set.
func (q *Basis) Choose(ctx context.Context, list []Algorithm) (*Choice, error) {
	candidates, err := q.Candidates(list)
	if err != nil {
		return nil, err
	}
	c, best := &Choice{Layout: q.Layout, Info: q.Info, Rates: q.Rates}, math.Inf(1)
	var short error        // of memory or of room
	var noRoom error       // of the fastest algorithm for which the volume has no room
	without := math.Inf(1) // its seconds
	var lacks error        // what any of them lacks
	for _, a := range candidates {
		offer, err := a.Plan(ctx, q, c.Offers)
		if offer.Lacks != nil {
			lacks = offer.Lacks
		}
		if err == nil && !math.IsInf(offer.Seconds, 1) {
			offer.Algorithm = a.Name()
			c.Offers = append(c.Offers, offer)
			if err = q.Fits(q.StoreBytes(offer.Tile)+offer.Beside, "a solve by "+a.Name()); err != nil &&
				offer.Seconds < without {
				noRoom, without = err, offer.Seconds
			}
		}
		if err != nil && (len(candidates) == 1 || !errors.Is(err, device.ErrMemory) &&
			!errors.Is(err, disk.ErrNoSpace)) {
			return nil, err
		}
		if err != nil {
			short = errors.Join(short, err)
		} else if offer.Seconds < best {
			c.Offer, best = offer, offer.Seconds
		}
	}
	if c.Algorithm == "" {
		return nil, short
	}
	if c.Short != nil {
		return nil, c.Short
	}
	if c.Lacks = lacks; without < best {
		c.Lacks = noRoom
	}
	return c, nil
}
