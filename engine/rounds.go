package engine

import (
	"ooc/kernels"
	"ooc/tiles"
)

// rounds is a way to solve by steps over the tiles of the whole matrix: what is planned, scheduled, overlapped and
// resumed alike. What it has done is counted in units of its own.
type rounds struct {
	name string

	last     func(g tiles.Geometry) int                 // units of a whole solve
	vertices func(g tiles.Geometry, units int) int64    // what State.Done says of so many units
	units    func(g tiles.Geometry, vertices int64) int // units that are done for sure where it says that
	round    func(p *Plan) int                          // units of a round, for people
	work     func(g tiles.Geometry) int                 // how many times n³ relaxations a solve makes, at most

	// plan picks frames for what is left. It fails with ErrMemory, saying how much is needed.
	plan    func(geom tiles.Geometry, done int64, info kernels.Info, r Rates, l Limits) (Plan, error)
	pivots  bool                                                             // units are pivot tiles that every entry has finished: others that count those can go on from there
	tracks  bool                                                             // predecessors can be kept
	measure func(r *Rates, d kernels.Device, v kernels.Variant, n int) error // what its plan reckons with beside other rates; nil: nothing
	needs   func(d kernels.Device) error                                     // what a device must be able to do beyond Device; nil: nothing
	differs bool                                                             // steps ask whether tiles differ: a flag stands beside the slots
	// run emits the steps from s.done on, and counts that up to s.last, or to where s.goOn says no.
	run func(s *schedule)
}

// byRounds lists them. The first is what a plan compares with other ways, and what is taken where nothing else is
// asked for.
var byRounds = []*rounds{
	&blocked,
	&squaring,
	&singleStage,
}

// roundsNamed returns the rounds of that name, or nil.
func roundsNamed(name string) *rounds {
	for _, w := range byRounds {
		if w.name == name {
			return w
		}
	}
	return nil
}

// roundsOrFirst returns the rounds of that name, or the first where it is not one of theirs.
func roundsOrFirst(name string) *rounds {
	if w := roundsNamed(name); w != nil {
		return w
	}
	return byRounds[0]
}

// runsOn fails where a device cannot do what the rounds need.
func (w *rounds) runsOn(d kernels.Device) error {
	if w == nil || w.needs == nil {
		return nil
	}
	return w.needs(d)
}

// countPivots reports whether what one algorithm has done counts for the other.
func countPivots(a, b string) bool {
	x, y := roundsNamed(a), roundsNamed(b)
	return x != nil && y != nil && x.pivots && y.pivots
}

// AlgorithmBlocked is blocked Floyd–Warshall: n³ relaxations, whatever the graph.
const AlgorithmBlocked = "blocked"

var blocked = rounds{
	name: AlgorithmBlocked,
	last: tiles.Geometry.Side,
	vertices: func(g tiles.Geometry, units int) int64 {
		return min(int64(units)*int64(g.T), int64(g.N))
	},
	units:  func(g tiles.Geometry, vertices int64) int { return int(vertices) / g.T },
	round:  func(p *Plan) int { return p.Width },
	work:   func(tiles.Geometry) int { return 1 },
	pivots: true,
	tracks: true,
	plan:   MakePlan,
	run:    (*schedule).blocked,
}
