package rounds

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"

	"ooc/engine/device"
	"ooc/engine/plan"
	"ooc/kernels/entry"
	"ooc/tiles"
)

const blockedName = "blocked"

// Blocked is blocked Floyd–Warshall: n³ relaxations, whatever the graph.
var Blocked = &blocked

var blocked = algorithm{
	name:       blockedName,
	iterations: tiles.Geometry.Side,
	toVertices: func(g tiles.Geometry, iterations int) int64 {
		return min(int64(iterations)*int64(g.T), int64(g.N))
	},
	fromVertices: func(g tiles.Geometry, vertices int64) int { return int(vertices) / g.T },
	round:        func(p *Plan) int { return p.Width },
	roundStart:   func(done, _, _ int) int { return done },
	work:         func(tiles.Geometry) int { return 1 },
	traits: plan.Traits{Automatic: true, Pivots: true, Predecessors: true, Devices: true, Parts: true,
		Upper: true},
	plan:  planBlocked,
	count: countBlocked,
	steps: (*schedule).blocked,
}

// planBlocked picks round width, slots and pages for what is left of a solve. It fails with device.ErrMemory, naming
// the memory it would need, where a limit is too small.
func planBlocked(q *plan.Basis, geom tiles.Geometry) (Plan, error) {
	list, err := candidates(q, geom)
	if err != nil {
		return Plan{}, err
	}
	return fastest(list), nil
}

// BlockedFits fails as planBlocked would, and plans nothing.
func BlockedFits(q *plan.Basis, geom tiles.Geometry) error {
	_, err := candidates(q, geom)
	return err
}

// candidates returns every plan with tiles of one edge that fits the limits; one at least, unless it fails.
func candidates(q *plan.Basis, geom tiles.Geometry) ([]Plan, error) {
	info, side, start := q.Info, geom.Side(), int(q.State.Done)/geom.T
	if err := checkRound(q, geom); err != nil {
		return nil, err
	}
	left := max(1, side-start) // a round over all tiles at once needs less than one over almost all
	lo, hi := 1, max(1, min(left, maxRound/geom.T, side/leastRounds))
	wide := hi // rounds wider than this have to be short
	if !info.SharedCores {
		hi = max(hi, min(left, maxRound/geom.T, side/leastShortRounds))
	}
	if q.Round > 0 {
		lo = min(q.Round/geom.T, left)
		hi, wide = lo, lo
	}
	room := int((info.Memory - info.Scratch) / geom.TileBytes())
	var list []Plan
	short := false // of pages
	needed := 0    // slots for the narrowest rounds
	for width := lo; width <= hi; width++ {
		for _, look := range []bool{true, false} {
			for _, cache := range []bool{true, false} { // with little left to do, locking a host cache may not pay
				p, need, ok := planned(q, geom, start, width, look, cache, room)
				if width == lo {
					needed = need
				}
				if width > wide && p.roundsSeconds() > shortRound*float64(p.Rounds) {
					continue
				}
				short = short || ok
				if ok = ok && p.Pages >= minPages; ok && (cache || p.Pages != list[len(list)-1].Pages) {
					list = append(list, p)
				}
			}
		}
	}
	switch {
	case len(list) > 0:
		return list, nil
	case short:
		return nil, tooFewPages(q, geom)
	case q.Round > 0 && lo > 1 && lo == left:
		// What is left is narrower than the round asked for, and a block that is not the whole matrix needs
		// room for panels: a resumed run must not fail where the first did not.
		narrower := *q
		narrower.Round = (lo - 1) * geom.T
		return candidates(&narrower, geom)
	}
	need := int64(needed)*geom.TileBytes() + info.Scratch
	return nil, fmt.Errorf("%w: device memory %d bytes; n = %d with tiles of %d and rounds of %d needs at least %d "+
		"bytes (%s)",
		device.ErrMemory, info.Memory, geom.N, geom.T, lo*geom.T, need, ib(need))
}

// fastest returns the plan that should end first.
func fastest(list []Plan) Plan {
	return slices.MinFunc(list, func(a, b Plan) int { return cmp.Compare(a.Seconds, b.Seconds) })
}

// planned plans one round width, with or without look-ahead, with a host cache or with pages for tiles in transit
// only. It fails where there is no room for the slots that it needs.
func planned(q *plan.Basis, geom tiles.Geometry, start, width int, look, cache bool, room int) (p Plan, need int,
	ok bool) {
	tb := geom.TileBytes()
	p = newPlan(q, geom)
	g := gridOfPlan(q, &p, geom, start, width)
	e := g.largest(geom)
	p.Width, p.Rounds, p.LookAhead = width, entry.CeilDiv(geom.Side()-start, width), look
	p.Largest = float64(e.own) / float64(p.Tiles)
	all := g.inCoreSlots(geom, e)
	p.Slots = min(room, all)
	p.InCore = p.Slots == all
	need = g.minSlots(geom, e)
	if look && !p.InCore {
		// A stream needs a slot to fill while another computes; without that, look-ahead gains nothing.
		need = g.lookAheadSlots(geom, e) + 2*fewStreams
	}
	if p.Slots < need || look && p.synchronous() {
		return p, need, false
	}
	if p.Streams == 0 {
		p.Streams = fewStreams
		if !q.Info.SharedCores {
			p.Streams = manyStreams
		}
	}
	held := p.Slots - g.beside(geom, e, look)
	p.hostCache(q, tb, p.Tiles-max(0, e.own-held))
	if !cache {
		p.Pages = min(p.Pages, p.staging())
		p.HostBytes = int64(p.perNode()) * int64(p.Pages) * tb
	}
	estimate(q, &p, g, e, held, geom, start)
	return p, need, true
}

// gridOfPlan lays out the parts of a plan: the devices of one process share the rows, and several processes, one for
// each device, stand as squarely as they can.
func gridOfPlan(q *plan.Basis, p *Plan, geom tiles.Geometry, start, width int) part {
	g := whole(geom, width)
	if g.first = start; q.Block > 0 {
		g.width, g.first = q.Block, 0
	}
	p.Nodes = max(1, q.Nodes)
	p.Devices = p.Nodes * max(1, q.Info.Devices)
	switch {
	case q.Grid[0] > 0:
		g.rows, g.cols = q.Grid[0], q.Grid[1]
	case p.Nodes > 1:
		g.rows, g.cols, _ = GridFor(p.Devices, q.Grid)
	default:
		g.rows = p.Devices
	}
	p.GridRows, p.GridCols = g.rows, g.cols
	return g
}

// estimate predicts traffic and time from counts per round; countBlocked counts step by step. held is how many tiles
// of its own a device holds between rounds.
func estimate(q *plan.Basis, p *Plan, g part, e extent, held int, geom tiles.Geometry, start int) {
	all, devices, tb := int64(p.Tiles), int64(p.Devices), geom.TileBytes()
	missDevice := min(all, devices*int64(max(0, e.own-held)))
	missHost := max(0, missDevice-devices*int64(p.Pages))
	if p.InCore {
		missDevice, missHost = 0, 0
	}
	again := int64(max(0, p.Rounds-1))
	p.BytesIn, p.BytesRead = tb*(all+again*missDevice), tb*(all+again*missHost)
	p.BytesOut, p.BytesWritten = p.BytesIn, p.BytesRead
	if devices > 1 { // each round's pivot block and panels go out once, and into each other device that needs them
		p.BytesTaken = tb * int64(p.Rounds) * int64(g.taken(p.Side))
		p.BytesLink = int64(float64(p.BytesTaken) / float64(p.Nodes) * (1 - g.near(p.perNode())))
		sent := tb * int64(p.Rounds) * int64(p.Width) * int64(p.Side)
		if g.rows > 1 && g.cols > 1 && !geom.Upper {
			sent *= 2
		}
		p.BytesOut, p.BytesIn = p.BytesOut+sent, p.BytesIn+p.BytesTaken
	}
	predict(q, p, geom, start)
}

// predict turns traffic and counts into times. Where copies and kernels share cores their times add up;
// else kernels, copies and the issuing of operations overlap.
func predict(q *plan.Basis, p *Plan, geom tiles.Geometry, start int) {
	info, r := q.Info, &q.Rates
	padded, b := float64(p.Side*geom.T), float64(p.Width*geom.T)
	left, rounds := float64(p.Side-start)/float64(p.Side), float64(p.Rounds)
	rate := r.Kernel * r.Efficiency(geom.T)
	crowd := 1.0
	if info.SharedCores { // more devices than cores compute no more than the cores
		crowd = max(1, float64(p.perNode())/float64(runtime.GOMAXPROCS(0)))
	}
	p.KernelSeconds = crowd * padded * padded * padded * left * share(geom) * p.Largest / rate
	closure := r.ClosureSeconds(b)
	if closures := rounds * closure; !p.LookAhead {
		p.KernelSeconds += closures
	} else if info.SharedCores {
		p.KernelSeconds += max(0, closures-rounds*b*b*b/r.Kernel) / float64(p.Devices) // hidden, but the cores did it
	}
	if p.Devices > 1 {
		p.PanelSeconds = rounds * panelSeconds(p, closure, b, padded, rate, r)
		rows, cols := float64(p.GridRows), float64(p.GridCols)
		// The strips of a row panel are made by one row of the grid, those of a column panel by one column. The
		// others wait, unless these come early: the owner of the pivot block makes all that others need where the
		// parts stand in one row or column.
		if line := p.GridRows == 1 || p.GridCols == 1; !line || !p.early() {
			p.WaitSeconds = waits * rounds * b * b * padded * ((1-1/rows)/cols + (1-1/cols)/rows) / rate
		}
	}
	p.times(q, p.Rounds*p.Tiles)
	if !info.SharedCores && !p.InCore && !p.LookAhead {
		// The panels' tiles are copied in while little else can run.
		p.Seconds += 2 * left * float64(p.DiskBytes) / r.In
	}
	if again := p.BytesRead - p.DiskBytes; !info.SharedCores && again > 0 && p.Pages <= p.staging() {
		// Without a host cache, what is issued waits for each read.
		p.Seconds += float64(again) / r.Read
	}
}

// waits is how many times as long as it takes to make strips other devices wait for them. Streams run in order, so what
// is enqueued behind a tile that comes from another device waits, too. It is fitted to solves on two parts of a
// processor (docs/cluster.md).
const waits = 3

// panelSeconds is the time of a round in which panels are made and carried to other devices, one thing after the
// other: the pivot block is closed and carried, and those that have its row or its column make their strips. With
// look-ahead they first finish the round before on the tiles of these strips.
func panelSeconds(p *Plan, closure, b, padded, rate float64, r *plan.Rates) float64 {
	block := b * b * float64(p.DiskBytes) / (float64(p.Tiles) * float64(p.Tile) * float64(p.Tile))
	carry := block/r.Out + block/r.In + block/r.Read
	if r.Link > 0 {
		carry += block / r.Link
	}
	if !p.LookAhead { // the rest counts as computing, or as waiting
		return carry
	}
	strips := b * b * padded / float64(min(p.GridRows, p.GridCols)) / rate
	return closure + carry + 2*strips
}

// share is how much of a matrix is stored: as much of the relaxations is done.
func share(geom tiles.Geometry) float64 {
	return float64(geom.Tiles()) / (float64(geom.Side()) * float64(geom.Side()))
}

// counter is a driver that counts the bytes that steps move, and runs none.
type counter struct {
	p         *Plan
	tileBytes int64
}

func (c counter) do(s step) error {
	switch s.kind {
	case stepRead:
		c.p.BytesRead += c.tileBytes
	case stepIn:
		c.p.BytesIn += c.tileBytes
	case stepOut:
		c.p.BytesOut += c.tileBytes
	case stepWrite:
		c.p.BytesWritten += c.tileBytes
	}
	return nil
}

func (counter) pace() pace              { return goOn }
func (counter) wait() error             { return nil }
func (counter) due(int, bool) bool      { return false }
func (counter) room() bool              { return true }
func (counter) opens(int) bool          { return true }
func (counter) differed() (bool, error) { return true, nil }

// countBlocked replaces the plan's estimated traffic by a count over its whole schedule, step by step, and
// its times by what follows from that.
func countBlocked(a *algorithm, q *plan.Basis, p *Plan, geom tiles.Geometry) error {
	start := int(q.State.Done) / geom.T
	p.BytesIn, p.BytesOut, p.BytesRead, p.BytesWritten = 0, 0, 0, 0
	s := newSchedule(a, geom, p, start, counter{p, geom.TileBytes()})
	if start > 0 {
		s.resume()
	}
	if err := s.run(); err != nil {
		return err
	}
	predict(q, p, geom, start)
	return nil
}

// panel is how many slots a round's panels take at most, of a part with an extent. Of a symmetric matrix, their tiles
// that are not stored take slots, too.
func (p *part) panel(geom tiles.Geometry, e extent) int {
	m := min(p.width, geom.Side())
	switch {
	case p.alone():
		return 2 * m * (geom.Side() - m)
	case geom.Upper: // strips, and their transposes
		return 2 * m * min(geom.Side(), e.rows+e.cols)
	}
	return m * (e.rows + e.cols)
}

// minSlots returns the fewest slots that rounds can run in: the pivot block, both panels, and one strip that is being
// made out of place.
func (p *part) minSlots(geom tiles.Geometry, e extent) int {
	m := min(p.width, geom.Side())
	if m == geom.Side() {
		return m * m
	}
	return m*m + p.panel(geom, e) + m
}

// lookAheadSlots returns the fewest slots with which two rounds' panels can stand side by side.
func (p *part) lookAheadSlots(geom tiles.Geometry, e extent) int {
	return p.minSlots(geom, e) + p.panel(geom, e)
}

// beside is how many slots hold no tiles of a part's own between rounds: transposes of tiles of a symmetric matrix,
// and tiles of panels that other parts send.
func (p *part) beside(geom tiles.Geometry, e extent, look bool) int {
	n := 0
	switch m := min(p.width, geom.Side()); {
	case !p.alone():
		n = p.panel(geom, e)
	case geom.Upper:
		n = m * (geom.Side() - m)
	}
	if look {
		n *= 2
	}
	return n
}

// inCoreSlots returns the slots with which no tile ever leaves the device before the end: beside the tiles, where the
// panels of two rounds cross, and a strip. Of a symmetric matrix panels cross once, but there are transposes of the
// tiles of both panels and of one pivot block. Of several parts, there are both panels of two rounds, most of which
// others send, and what is made out of place.
func (p *part) inCoreSlots(geom tiles.Geometry, e extent) int {
	side := geom.Side()
	m := min(p.width, side)
	switch {
	case !p.alone():
		return e.own + 2*p.lookAheadSlots(geom, e)
	case m == side:
		return side * side
	case geom.Upper:
		return geom.Tiles() + 2*m*(side-m) + m*m + m*(m-1)/2 + m
	}
	return geom.Tiles() + 2*m*m + m
}
