package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/dustin/go-humanize"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// MaxBins is the most bins that a histogram of bins of one width can be asked for.
const MaxBins = 1000

// histograms are of distances and of eccentricities.
var histograms = statistic{
	gather: gatherHistogram,
	derive: deriveEccentricityHistogram,
	summary: func(r *Result) []summaryValue {
		return []summaryValue{{"distance_histogram", r.DistanceHistogram},
			{"eccentricity_histogram", r.EccentricityHistogram}}
	},
	text: func(r *Result, t *textWriter) {
		if r.DistanceHistogram != nil {
			t.histogram("distances, by pairs", r.DistanceHistogram)
			t.histogram("eccentricities, by vertices", r.EccentricityHistogram)
		}
	},
}

// Histogram counts numbers in bins: Counts[i] of those with Edges[i] ≤ x < Edges[i+1], the last bin with its
// upper edge too, as numpy.histogram does.
type Histogram struct {
	Edges        []float64
	Counts       []int64 // one less than edges
	Below, Above int64   // what no bin holds
}

// binner fills a histogram. If the user wants a number of bins, the range is unknown until the pass is over. So it
// counts in many fine bins whose width is a power of ten, and when a number is beyond them it joins ten bins to one.
// The final bins, of that width or a larger one, are the same in whatever order numbers come.
type binner struct {
	edges        []float64 // of all bins, as numbers are compared with them
	counts       []int64
	below, above int64
	cells        []int32 // of each of as many equal cells: the bin of its middle
	low, perUnit float64 // where the first cell begins, and how many of them a unit has
	even         *evenBins

	user  []float64 // edges as the user gave them; nil: the rest is used
	most  int       // bins in the end
	level int       // bins are 10^level wide
	zero  int       // bins below 0
	round func(float64) float64
}

const (
	fineBins   = 25 * MaxBins // after ten became one, 2500 hold something: 1000 are at most 2.5 times too wide
	finestBins = -41          // 10^level at first, for floats: with finer bins, float32 edges would coincide
)

func (x *gathering) newBinner() *binner {
	b := &binner{user: x.o.Edges, most: x.o.Bins, round: x.rounded}
	if !x.float {
		b.even = &evenBins{scale: float64(x.meta.Scale)}
	}
	if b.user != nil {
		for _, e := range b.user {
			b.edges = append(b.edges, b.round(e))
		}
		b.counts = make([]int64, len(b.edges)-1)
		b.setCells(min(16*len(b.counts), 1<<14), b.user[0], b.user[len(b.user)-1])
		return b
	}
	bins := fineBins
	if x.meta.Negative {
		b.zero = fineBins
		bins += fineBins
	}
	b.counts, b.edges = make([]int64, bins), make([]float64, bins+1)
	b.setLevel(finestBins)
	if !x.float { // nothing lies between two integers
		b.setLevel(-int(math.Ceil(math.Log10(float64(x.meta.Scale)))))
	}
	return b
}

// usableEdges says whether edges, which are two or more, are finite and ascend.
func usableEdges(edges []float64) bool {
	for i, e := range edges {
		if math.IsNaN(e) || math.IsInf(e, 0) || i > 0 && e <= edges[i-1] {
			return false
		}
	}
	return len(edges) >= 2
}

// decimalEdge is the float64 nearest to i·10^level, for levels of at most 22 in magnitude; so bins ten times as
// wide share their edges with those they are made of.
func decimalEdge(i, level int) float64 {
	if level < 0 {
		return float64(i) / math.Pow10(-level)
	}
	return float64(i) * math.Pow10(level)
}

func (b *binner) setLevel(level int) {
	b.level = level
	for i := range b.edges {
		b.edges[i] = b.round(decimalEdge(i-b.zero, level))
	}
	b.setCells(len(b.counts), decimalEdge(-b.zero, level), decimalEdge(fineBins, level))
}

// setCells makes the table with which a bin is found: it is at most a step or two from that of the cell. The cells
// cover the range of the edges before these were rounded, possibly to infinity.
func (b *binner) setCells(cells int, low, high float64) {
	if len(b.cells) != cells {
		b.cells = make([]int32, cells)
	}
	b.low, b.perUnit = low, float64(cells)/(high-low)
	bin := 0
	for c := range b.cells {
		for bin < len(b.counts)-1 && b.edges[bin+1] <= low+(float64(c)+0.5)/b.perUnit {
			bin++
		}
		b.cells[c] = int32(bin)
	}
	if b.even != nil {
		b.even.set(b.edges)
	}
}

// add counts d, so many times.
func (b *binner) add(d float64, times int64) {
	if !(d >= b.edges[0] && d < b.edges[len(b.edges)-1]) {
		b.addOutside(d, times)
		return
	}
	i := int(b.cells[max(0, min(int((d-b.low)*b.perUnit), len(b.cells)-1))])
	for d < b.edges[i] {
		i--
	}
	for d >= b.edges[i+1] {
		i++
	}
	b.counts[i] += times
}

// addOutside is add for what no bin holds yet.
func (b *binner) addOutside(d float64, times int64) {
	switch last := b.edges[len(b.edges)-1]; {
	case math.IsNaN(d), math.IsInf(d, -1), d < 0 && b.user == nil && b.zero == 0: // no solve leaves that
		b.below += times
	case b.user == nil:
		b.reach(d)
		b.add(d, times)
	case d < b.edges[0]:
		b.below += times
	case d == last:
		b.counts[len(b.counts)-1] += times
	default:
		b.above += times
	}
}

// reach makes bins so wide that one of them has d.
func (b *binner) reach(d float64) {
	level := b.level
	for math.Abs(d) >= b.round(decimalEdge(fineBins, level)) {
		level++
	}
	b.widen(level)
}

// widen makes bins 10^level wide, which is no less than they are.
func (b *binner) widen(level int) {
	if level <= b.level {
		return
	}
	factor := 1
	for l := b.level; l < level && factor < 10*fineBins; l++ {
		factor *= 10
	}
	old := slices.Clone(b.counts)
	clear(b.counts)
	for i, count := range old {
		b.counts[floorDiv(i-b.zero, factor)+b.zero] += count
	}
	b.setLevel(level)
}

// merge adds what another binner with the same options has counted.
func (b *binner) merge(o *binner) {
	if b.user == nil {
		b.widen(o.level)
		o.widen(b.level)
	}
	for i, count := range o.counts {
		b.counts[i] += count
	}
	b.below += o.below
	b.above += o.above
}

func (b *binner) histogram() *Histogram {
	if b.user != nil {
		return &Histogram{Edges: b.user, Counts: b.counts, Below: b.below, Above: b.above}
	}
	held := func(count int64) bool { return count != 0 }
	if !slices.ContainsFunc(b.counts, held) {
		return &Histogram{Edges: []float64{0, 1}, Counts: []int64{0}, Below: b.below}
	}
	least, last := slices.IndexFunc(b.counts, held)-b.zero, len(b.counts)-1-b.zero
	for b.counts[last+b.zero] == 0 {
		last--
	}
	width := b.roundWidth(least, last)
	from, to := floorDiv(least, width), floorDiv(last, width)
	h := &Histogram{Counts: make([]int64, to-from+1), Below: b.below}
	for i := least; i <= last; i++ {
		h.Counts[floorDiv(i, width)-from] += b.counts[i+b.zero]
	}
	for i := from; i <= to+1; i++ {
		h.Edges = append(h.Edges, decimalEdge(i*width, b.level))
	}
	return h
}

// roundWidth is the least of 1, 2, 5, 10, 20, … such that so many fine bins as one leave not too many.
func (b *binner) roundWidth(least, last int) int {
	for unit := 1; ; unit *= 10 {
		for _, width := range []int{unit, 2 * unit, 5 * unit} {
			if floorDiv(last, width)-floorDiv(least, width) < b.most {
				return width
			}
		}
	}
}

// floorDiv is a/b rounded down, for positive b.
func floorDiv(a, b int) int {
	if a < 0 {
		return -((b - 1 - a) / b)
	}
	return a / b
}

// distanceHistogram gathers that of distances.
type distanceHistogram struct {
	x    *gathering
	all  *binner
	rest []int64 // what a binner has beside its counts
}

func gatherHistogram(x *gathering) (gatherer, error) {
	if x.o.Bins == 0 && x.o.Edges == nil {
		return nil, nil
	}
	g := &distanceHistogram{x: x, all: x.newBinner(), rest: make([]int64, 3)}
	g.keep()
	return g, nil
}

func (g *distanceHistogram) state() [][]byte {
	return [][]byte{entry.Bytes(g.all.counts), entry.Bytes(g.rest)}
}

// keep writes to rest what the binner has, take reads it, since rest may be that of an earlier gatherer.
func (g *distanceHistogram) keep() {
	g.rest[0], g.rest[1], g.rest[2] = int64(g.all.level), g.all.below, g.all.above
}

func (g *distanceHistogram) take() {
	if level := int(g.rest[0]); g.all.level != level {
		g.all.setLevel(level)
	}
	g.all.below, g.all.above = g.rest[1], g.rest[2]
}

func (g *distanceHistogram) finish() {
	g.take()
	g.all.add(0, -int64(g.x.r.count())) // the diagonal
	g.x.r.DistanceHistogram = g.all.histogram()
}

func (g *distanceHistogram) worker() taker {
	return &histogramWorker{distanceHistogram: g, binner: g.x.newBinner()}
}

// histogramWorker counts one band in a binner of its own.
type histogramWorker struct {
	*distanceHistogram
	*binner
	asked      []byte // its edges, as a device is asked with them
	askedLevel int    // and the level that they are of
}

func (w *histogramWorker) begin([]int32) {}

func (w *histogramWorker) end() {
	w.take()
	w.all.merge(w.binner)
	w.keep()
	clear(w.counts)
	w.below, w.above = 0, 0
}

// question has bins that all of a band's distances are in. Sums do not tell how far negative ones go.
func (w *histogramWorker) question(sums []kernels.LaneSum) kernels.LaneQuestion {
	if w.user == nil && w.zero > 0 {
		return nil
	}
	if sums == nil {
		return kernels.LaneBins{Edges: w.x.inLanes.Make(len(w.edges))}
	}
	for _, s := range sums {
		if w.user == nil {
			w.reach(w.x.meta.Distance(s.Top))
		}
	}
	if w.asked == nil || w.askedLevel != w.level {
		w.asked, w.askedLevel = w.x.entries(w.firstKeys()), w.level
	}
	return kernels.LaneBins{Edges: w.asked}
}

// firstKeys are those of the least distance in each bin and of the least beyond the last, as far as there are such
// distances.
func (w *histogramWorker) firstKeys() (keys []int64) {
	none := w.x.kind.Key(w.x.none)
	for i, edge := range w.edges {
		closed := w.user != nil && i == len(w.edges)-1 // the last bin has its upper edge, too
		key := w.x.leastKey(func(d float64) bool { return d > edge || !closed && d == edge })
		if key == none || w.x.inLanes == entry.KindU16 && key >= int64(entry.Inf16) {
			break
		}
		keys = append(keys, key)
	}
	return keys
}

func (w *histogramWorker) answered(answer []byte, _ int) {
	counts := entry.View[int64](answer)
	w.below += counts[0]
	for i, count := range counts[1:] {
		if i < len(w.counts) {
			w.counts[i] += count
		} else {
			w.above += count
		}
	}
}

func (w *histogramWorker) add(b *part) {
	for r := range b.rows {
		switch {
		case w.x.kind == entry.KindF64:
			addLine(w.binner, line[uint64](b, r), w.x)
		case w.even != nil:
			w.addIntegers(line[uint32](b, r), w.x)
		default:
			addLine(w.binner, line[uint32](b, r), w.x)
		}
	}
}

// addLine is add for a line of stored entries. It keeps everything in local variables, because it would take twice
// the time otherwise.
func addLine[W word](b *binner, line []W, x *gathering) {
	edges, counts, cells := b.edges, b.counts, b.cells
	first, last, low, perUnit := edges[0], edges[len(edges)-1], b.low, b.perUnit
	float, none, scale := x.float, W(x.none), float64(x.meta.Scale)
	for _, bits := range line {
		if bits == none {
			continue
		}
		d := float64(int32(bits))
		switch {
		case unsafe.Sizeof(bits) == 8:
			d = math.Float64frombits(uint64(bits))
		case float:
			d = float64(math.Float32frombits(uint32(bits)))
		}
		if scale != 1 {
			d /= scale
		}
		if !(d >= first && d < last) {
			b.addOutside(d, 1)
			first, last, low, perUnit = edges[0], edges[len(edges)-1], b.low, b.perUnit
			continue
		}
		i := int(cells[max(0, min(int((d-low)*perUnit), len(cells)-1))])
		for d < edges[i] {
			i--
		}
		for d >= edges[i+1] {
			i++
		}
		counts[i]++
	}
}

// deriveEccentricityHistogram counts the longest distances in bins of the same kind as those of distances.
func deriveEccentricityHistogram(x *gathering) error {
	if x.r.DistanceHistogram == nil {
		return nil
	}
	b := x.newBinner()
	for v := range x.r.Rows() { // a vertex without a row has no longest distance
		b.add(x.r.Longest[v], 1)
	}
	x.r.EccentricityHistogram = b.histogram()
	return nil
}

func (t *textWriter) histogram(name string, h *Histogram) {
	most, total, width := int64(1), h.Below+h.Above, 0
	edges := make([]string, len(h.Edges))
	for i, e := range h.Edges {
		edges[i] = t.number(e)
		width = max(width, len(edges[i]))
	}
	for _, count := range h.Counts {
		most, total = max(most, count), total+count
	}
	t.row("\n"+name, "")
	line := func(interval string, count int64) {
		share := 100 * float64(count) / float64(max(total, 1))
		bar := strings.Repeat("█", int(40*count/most))
		t.row("", "%s %15s %5.1f %% %s", interval, humanize.Comma(count), share, bar)
	}
	if h.Below > 0 {
		line(fmt.Sprintf("%*s … %*s", width, "", width, edges[0]), h.Below)
	}
	for i, count := range h.Counts {
		line(fmt.Sprintf("%*s … %*s", width, edges[i], width, edges[i+1]), count)
	}
	if h.Above > 0 {
		line(fmt.Sprintf("%*s … %*s", width, edges[len(edges)-1], width, ""), h.Above)
	}
}
