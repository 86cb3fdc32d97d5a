package stats

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"ooc/engine/rows"
	"ooc/kernels"
	"ooc/kernels/entry"
)

// levelReader gathers bands of rows by their distances: it counts the vertices at each, and looks at no vertex's
// distance by itself. It tells takers what devices do.
type levelReader struct {
	rowReader    // for takers that cannot be told
	levels       rows.LevelWorker
	leads        []int32           // the source of each row, as rows.LevelReady tells
	vertices     []int32           // as levels number them
	places       []int32           // their numbers there, by vertex; set when they are needed
	variant      entry.Variant     // of the entries that takers ask with
	rowSums      []kernels.LaneSum // of a band
	columnSums   []kernels.LaneSum // nil: none are wanted
	sources      []int32           // of the lanes of a band
	band         []levelRow        // its rows
	distances    []uint64          // of its levels
	before       rows.Level        // the level before
	counts, last [rows.Lanes]int32 // of each lane: the vertices of a level, and of the one before
	farthest     [rows.Lanes]int32 // of each lane: the first of the vertices of the last level; -1: its source
	counters     [32]rows.Bits     // the same while it is counted, bit by bit
	used         int               // counters that are not zero
	asked        []levelQuestion
	sorted       []int32 // vertices of a level, for questions that go by them
}

// levelRow is a row of a band.
type levelRow struct {
	lane  int32
	late  bool  // the vertex is not the source of the lane: each other is a level farther from it
	count int32 // vertices of the level
}

// levelQuestion is a question with what is known of its answer.
type levelQuestion struct {
	asker
	kernels.LaneQuestion
	answer []byte             // but of LaneBins
	near   []kernels.LaneNear // of LaneNearest: the answer of lanes
	listed [rows.Lanes]int32  // how many there are, of each lane
	totals []levelTotal       // of LaneBins
}

// levelTotal is how many entries of all rows are a distance.
type levelTotal struct {
	distance float64
	count    int64
}

// mostRows is how many rows of a band there are at most where some are of one source.
const mostRows = 16 * rows.Lanes

// startsOf cuts rows of these sources into bands of few enough sources.
func startsOf(sources []int32) (starts []int32) {
	lanes := rows.Lanes // those before the first band
	for i, v := range sources {
		if i == 0 || v != sources[i-1] {
			lanes++
		}
		if lanes > rows.Lanes || i-int(starts[len(starts)-1]) == mostRows {
			starts, lanes = append(starts, int32(i)), 1
		}
	}
	return append(starts, int32(len(sources)))
}

func newLevelReader(byRow rowReader, leads, vertices []int32, kind entry.Kind, columns bool) *levelReader {
	r := &levelReader{rowReader: byRow, leads: leads, vertices: vertices, variant: kind.Variant(false)}
	r.levels, _ = byRow.Worker.(rows.LevelWorker) // nil: levels are counted elsewhere
	if columns {
		r.columnSums = make([]kernels.LaneSum, len(vertices))
	}
	return r
}

func (r *levelReader) read(ctx context.Context, lo, hi int, takers takers) error {
	r.begin(lo, hi)
	others := r.askAll(takers)
	err := r.levels.Levels(r.sources, func(l rows.Level) error {
		r.add(l)
		return context.Cause(ctx)
	})
	if err != nil {
		return err
	}
	r.tellAll(takers)
	if len(others) > 0 {
		return r.rowReader.read(ctx, lo, hi, others)
	}
	return nil
}

// askAll begins to answer what takers ask, and returns those that cannot be told.
func (r *levelReader) askAll(takers takers) (others []taker) {
	for _, t := range takers {
		if _, sums := t.(sumTaker); !sums && !r.ask(t) {
			others = append(others, t)
		}
	}
	return others
}

// tellAll gives takers what there is of a band.
func (r *levelReader) tellAll(takers takers) {
	for i, row := range r.band {
		r.rowSums[i].Farthest = r.farthest[row.lane]
	}
	for _, t := range takers {
		if s, ok := t.(sumTaker); ok {
			s.addSums(r.rowSums, r.columnSums)
		}
	}
	for i := range r.asked {
		r.tell(&r.asked[i])
	}
}

// begin begins a band.
func (r *levelReader) begin(lo, hi int) {
	r.sources, r.band, r.rowSums, r.distances = r.sources[:0], r.band[:0], r.rowSums[:0], r.distances[:0]
	r.asked, r.before, r.last = r.asked[:0], rows.Level{}, [rows.Lanes]int32{}
	entry.Fill(r.farthest[:], -1)
	for i, v := range r.leads[lo:hi] {
		if i == 0 || v != r.leads[lo+i-1] {
			r.sources = append(r.sources, v)
		}
		r.band = append(r.band, levelRow{lane: int32(len(r.sources) - 1), late: v != r.order[lo+i]})
		r.rowSums = append(r.rowSums, kernels.LaneSum{Missing: int32(len(r.vertices))})
	}
	for i := range r.columnSums {
		r.columnSums[i] = kernels.LaneSum{Missing: int32(hi - lo)}
	}
}

// ask begins to answer what a taker asks, and reports whether it can.
func (r *levelReader) ask(t taker) bool {
	a, ok := t.(asker)
	if !ok {
		return false
	}
	q := levelQuestion{asker: a, LaneQuestion: a.question(nil)}
	if q.LaneQuestion == nil {
		return false
	}
	q.answer = entry.KindF64.Make(entry.CeilDiv(q.Room(r.variant, len(r.band), 0).Answer, 8))
	if x, ok := q.LaneQuestion.(kernels.LaneNearest); ok {
		q.near = make([]kernels.LaneNear, x.K*rows.Lanes)
		for i := range q.near {
			q.near[i].Name = entry.NoVertex
		}
	}
	r.asked = append(r.asked, q)
	return true
}

// add adds a level.
func (r *levelReader) add(l rows.Level) {
	if l.Counts == nil {
		r.count(l)
	} else {
		r.take(l)
	}
	distance := r.kind.Value(l.Distance)
	total, ended := int64(0), rows.Bits{}
	for i := range r.band {
		count := r.countOf(&r.band[i])
		if total += int64(count); count > 0 {
			r.rowSums[i].Missing -= count
			r.rowSums[i].Top = l.Distance
			r.addTo(&r.rowSums[i], distance, count)
		}
	}
	for i := range r.sources {
		if r.counts[i] == 0 && r.last[i] > 0 {
			ended[i/64] |= 1 << (i % 64)
		}
	}
	if r.columnSums != nil {
		for _, c := range l.At {
			count := int32(0)
			for _, b := range l.Of[c] {
				count += int32(bits.OnesCount64(b))
			}
			s := &r.columnSums[r.vertices[c]]
			s.Missing -= count
			r.addTo(s, distance, count)
		}
	}
	if l.Counts == nil && r.before.Distance > 0 && ended != (rows.Bits{}) {
		r.findFarthest(ended)
	}
	for i := 0; i < len(r.asked) && total > 0; i++ {
		r.addAnswer(&r.asked[i], l, distance, total)
	}
	r.before, r.last, r.distances = l, r.counts, append(r.distances, l.Distance)
}

// take takes what a device has counted.
func (r *levelReader) take(l rows.Level) {
	copy(r.counts[:], l.Counts)
	for i, count := range l.Counts {
		if count > 0 && l.Distance > 0 {
			r.farthest[i] = l.First[i]
		}
	}
}

// countOf counts the vertices of a level in a row.
func (r *levelReader) countOf(row *levelRow) int32 {
	row.count = r.counts[row.lane]
	if level := len(r.distances); row.late && level > 0 {
		if row.count = r.last[row.lane]; level == 2 {
			row.count-- // without the vertex itself
		}
	}
	return row.count
}

// addTo adds as many entries of a distance.
func (r *levelReader) addTo(s *kernels.LaneSum, distance float64, count int32) {
	if distance == 0 {
		return
	}
	s.Inverse += float64(count) / distance
	if r.kind.Float() {
		s.Sum = math.Float64bits(math.Float64frombits(s.Sum) + float64(count)*distance)
	} else {
		s.Sum += uint64(count) * uint64(distance)
	}
}

// count counts the vertices of a level by lanes. It adds up bits in columns: a carry-save adder adds eight lines at a
// time to counters of three bits, and what is carried over to the others (W. Muła, N. Kurz and D. Lemire, Faster
// population counts using AVX2 instructions, 2018).
func (r *levelReader) count(l rows.Level) {
	clear(r.counters[:r.used])
	r.used = 3
	words := entry.CeilDiv(len(r.sources), 64)
	at := l.At
	for ; len(at) >= 8; at = at[8:] {
		a, b, c, d := &l.Of[at[0]], &l.Of[at[1]], &l.Of[at[2]], &l.Of[at[3]]
		e, f, g, h := &l.Of[at[4]], &l.Of[at[5]], &l.Of[at[6]], &l.Of[at[7]]
		ones, twos, fours := &r.counters[0], &r.counters[1], &r.counters[2]
		for w := range words {
			one, two := ones[w], twos[w]
			one, ab := addBits(one, a[w], b[w])
			one, cd := addBits(one, c[w], d[w])
			two, abcd := addBits(two, ab, cd)
			one, ef := addBits(one, e[w], f[w])
			one, gh := addBits(one, g[w], h[w])
			two, efgh := addBits(two, ef, gh)
			four, eight := addBits(fours[w], abcd, efgh)
			ones[w], twos[w], fours[w] = one, two, four
			r.carry(eight, w, 3)
		}
	}
	for _, v := range at {
		for w := range words {
			r.carry(l.Of[v][w], w, 0)
		}
	}
	r.counts = [rows.Lanes]int32{}
	for i := range r.used {
		for w, b := range r.counters[i][:words] {
			for ; b != 0; b &= b - 1 {
				r.counts[64*w+bits.TrailingZeros64(b)] += 1 << i
			}
		}
	}
}

// addBits adds three numbers of one bit each, 64 times.
func addBits(a, b, c uint64) (sum, carry uint64) {
	x := a ^ b
	return x ^ c, a&b | x&c
}

// carry adds word w of a line to the counters from bit i on.
func (r *levelReader) carry(b uint64, w, i int) {
	for ; b != 0; i++ {
		r.used = max(r.used, i+1)
		r.counters[i][w], b = r.counters[i][w]^b, r.counters[i][w]&b
	}
}

// findFarthest finds the first vertex of the level before in each of some lanes.
func (r *levelReader) findFarthest(of rows.Bits) {
	if len(r.before.At) > len(r.vertices)/16 { // the first vertices have most lanes' bits
		r.findFirst(of)
		return
	}
	for _, c := range r.before.At {
		at := &r.before.Of[c]
		for w := range at {
			for b := at[w] & of[w]; b != 0; b &= b - 1 {
				first := &r.farthest[64*w+bits.TrailingZeros64(b)]
				if v := r.vertices[c]; *first < 0 || v < *first {
					*first = v
				}
			}
		}
	}
}

// findFirst is findFarthest in the order of vertices, until each lane has one.
func (r *levelReader) findFirst(left rows.Bits) {
	if r.places == nil {
		r.places = make([]int32, len(r.vertices))
		for c, v := range r.vertices {
			r.places[v] = int32(c)
		}
	}
	for v, c := range r.places {
		for w, b := range r.before.Of[c] {
			b &= left[w]
			left[w] ^= b
			for ; b != 0; b &= b - 1 {
				r.farthest[64*w+bits.TrailingZeros64(b)] = int32(v)
			}
		}
		if left == (rows.Bits{}) {
			return
		}
	}
}

// addAnswer adds a level to an answer. total is how many entries there are of the distance.
func (r *levelReader) addAnswer(q *levelQuestion, l rows.Level, distance float64, total int64) {
	switch x := q.LaneQuestion.(type) {
	case kernels.LaneBins:
		q.totals = append(q.totals, levelTotal{distance, total})
	case kernels.LaneBelow:
		below, kind := entry.View[int32](q.answer), r.variant.Kind()
		for i := range len(x.Edges) / kind.Bytes() {
			if distance < kind.Value(kind.At(x.Edges, i)) {
				for k, row := range r.band {
					below[i*len(r.band)+k] += row.count
				}
			}
		}
	case kernels.LaneNearest:
		r.addNear(q, l, x.K)
	}
}

// addNear lists the first vertices of a level in each lane whose list is not full.
func (r *levelReader) addNear(q *levelQuestion, l rows.Level, most int) {
	var room rows.Bits
	for i, count := range q.listed[:len(r.sources)] {
		if int(count) < most {
			room[i/64] |= 1 << (i % 64)
		}
	}
	if room == (rows.Bits{}) {
		return
	}
	r.sorted = append(r.sorted[:0], l.At...)
	slices.SortFunc(r.sorted, func(a, b int32) int { return int(r.vertices[a] - r.vertices[b]) })
	for _, c := range r.sorted {
		of := &l.Of[c]
		for w := range of {
			for b := of[w] & room[w]; b != 0; b &= b - 1 {
				lane := 64*w + bits.TrailingZeros64(b)
				at := int(q.listed[lane])*rows.Lanes + lane
				q.near[at] = kernels.LaneNear{Distance: l.Distance, Name: r.vertices[c]}
				if q.listed[lane]++; int(q.listed[lane]) == most {
					room[w] &^= b & -b
				}
			}
		}
	}
}

// tell gives a taker its answer.
func (r *levelReader) tell(q *levelQuestion) {
	switch x := q.question(r.rowSums).(type) {
	case kernels.LaneBins:
		kind := r.variant.Kind()
		edges := len(x.Edges) / kind.Bytes()
		counts, bin := make([]int64, edges+1), 0
		for _, t := range q.totals { // distances ascend, as edges do
			for bin < edges && kind.Value(kind.At(x.Edges, bin)) <= t.distance {
				bin++
			}
			counts[bin] += t.count
		}
		q.answer = entry.Bytes(counts)
	case kernels.LaneNearest:
		near := kernels.LaneNearIn(q.answer)
		for at := range near {
			row := r.band[at%len(r.band)]
			n := q.near[at/len(r.band)*rows.Lanes+int(row.lane)]
			if row.late && n.Name >= 0 { // the vertex itself is of no matter
				n.Distance = r.distances[slices.Index(r.distances, n.Distance)+1]
			}
			near[at] = n
		}
	}
	q.answered(q.answer, len(r.band))
}
