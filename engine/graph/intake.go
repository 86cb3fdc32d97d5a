package graph

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"strconv"

	"ooc/engine/graph/internal/arcs"
	"ooc/engine/graph/internal/number"
	"ooc/kernels/entry"
)

// Intake takes arcs with their weights and makes a Graph of them, by the rules that hold for every input. Builder and
// the readers of package read use it; programs build graphs with these.
//
// Arcs are between rows 0…N-1. N is 0 while their number is not known: rows may then be named as they come, or be other
// numbers, which Renumber turns into rows in the end.
type Intake struct {
	File       string // the input's name, for errors; "" for graphs built in memory
	N          int
	Signed     bool // vertices are numbers, some of them negative, that are no rows yet
	Undirected bool
	Expected   int64 // how many arcs a header has announced
	// Free is how many vertices are believed without any arc; 0 stands for freeVertices. Beyond that, a graph has at
	// most isolatedPerArc vertices for each arc, so that a few bytes of input cannot claim gigabytes of memory.
	Free  int64
	Weigh number.Weighing

	Arcs, SelfLoops, NoArcs int64 // of the input: an undirected edge counts once

	loop   *NegativeCycleError // the first negative self-loop; its vertex gets its name in the end
	looped int32               // the vertex
	huge   *RangeError         // the first integer too large for an i32, with KindAuto

	packers [mostPackers]packer // Add gives arcs to one after another
	turn    int
}

// packer packs arcs while others go on.
type packer struct {
	arcs  *arcs.Collector // nil before the first arc
	batch []arcs.Arc      // what it was given last
	added chan struct{}   // closed once arcs has that; nil before the first
}

const (
	// mostPackers is how many goroutines pack arcs at most. Each may take 32 MB for what it has begun.
	mostPackers = 6

	freeVertices   = 1 << 26
	isolatedPerArc = 64
)

// packing is how many goroutines are to pack arcs: more than one take longer together, but where there are enough
// processors, one would take longer than what reads the input. It is a variable only for tests.
var packing = func() int { return runtime.GOMAXPROCS(0) / 4 }

// Word reads a weight, which stands on a line. It returns false if the weight means no arc, which is counted, or if
// it is an error.
func (in *Intake) Word(tok []byte, line int64) (word uint32, ok bool, err error) {
	word, verdict, reason := in.Weigh.Word(tok)
	switch verdict {
	case number.Arc:
		if r := &in.Weigh.Rounding; r.First != "" && r.Line == 0 {
			r.Line = line
		}
		return word, true, nil
	case number.NotArc:
		in.NoArcs++
		return 0, false, nil
	case number.TooLarge:
		return in.tooLarge(tok, line)
	}
	return 0, false, &InputError{File: in.File, Line: line, Reason: reason}
}

// IdleLoop reports whether the arc from u to v, whose weight is written as tok, is a self-loop that is on no shortest
// path, and counts it. Its weight does not choose the kind, and need not fit it.
func (in *Intake) IdleLoop(u, v int32, tok []byte) bool {
	if u != v || in.Weigh.IsNone(tok) || !number.NotNegative(tok) {
		return false
	}
	in.SelfLoops++
	return true
}

// tooLarge deals with an integer beyond int32. With KindAuto a later fraction may still make this an f32
// graph; without one, switching to f32 would silently lose digits, so the end of the input refuses.
func (in *Intake) tooLarge(tok []byte, line int64) (uint32, bool, error) {
	x, _ := strconv.ParseFloat(string(tok), 64)
	scale := in.Weigh.Scale
	err := &RangeError{File: in.File, Line: line, Kind: entry.KindI32, Bound: math.Abs(x) * float64(scale),
		Limit: float64(entry.Inf32), What: "the magnitude of weight " + number.Quoted(tok) + " is",
		Hint: kindHint(entry.KindI32, scale)}
	if in.Weigh.Want != KindAuto {
		return 0, false, err
	}
	in.huge, in.Weigh.Float = err, true
	return in.Word(tok, line)
}

// SelfLoop counts a self-loop on a line, and remembers the first negative one.
func (in *Intake) SelfLoop(v int32, word uint32, line int64) {
	in.SelfLoops++
	if w := in.Weigh.Value(word); w < 0 && in.loop == nil {
		in.loop, in.looped = &NegativeCycleError{File: in.File, Line: line, Length: w / float64(in.Weigh.Scale)}, v
	}
}

// Add adds arcs, of which none is a self-loop, while the caller goes on. It keeps recs, and returns an empty slice for
// the next ones.
func (in *Intake) Add(recs []arcs.Arc) []arcs.Arc {
	in.Arcs += int64(len(recs))
	p := &in.packers[in.turn%max(1, min(mostPackers, packing()))]
	in.turn++
	c, undirected, added := in.collector(p), in.Undirected, make(chan struct{})
	spare := p.batch[:0]
	p.batch, p.added = recs, added
	go func() {
		defer close(added)
		collect(c, recs, undirected)
	}()
	return spare
}

// collect adds arcs, which it may change, to c.
func collect(c *arcs.Collector, recs []arcs.Arc, undirected bool) {
	c.AddAll(recs)
	if undirected {
		for i, r := range recs {
			recs[i].From, recs[i].To = r.To, r.From
		}
		c.AddAll(recs)
	}
}

// collector returns what has the arcs of a packer so far.
func (in *Intake) collector(p *packer) *arcs.Collector {
	if p.added != nil {
		<-p.added
	}
	if p.arcs == nil {
		expected := in.Expected
		if in.Undirected {
			expected *= 2
		}
		p.arcs = arcs.New(in.N, expected, in.Signed)
	}
	if in.Weigh.Float {
		p.arcs.ToFloat()
	}
	return p.arcs
}

// collected returns what has all arcs so far, and leaves none elsewhere.
func (in *Intake) collected() *arcs.Collector {
	c := in.collector(&in.packers[0])
	for i := range in.packers[1:] {
		if p := &in.packers[1+i]; p.arcs != nil {
			c.Join(in.collector(p))
			*p = packer{}
		}
	}
	return c
}

// Renumber turns the vertices so far into n rows.
func (in *Intake) Renumber(n int, row func(vertex int32) int32) {
	in.N, in.Signed, in.Expected = n, false, in.Arcs
	if in.packers[0].arcs != nil {
		was := in.collected() // with words of the type that they have by now
		in.packers[0].arcs = nil
		was.Renumber(in.collected(), row)
	}
	if in.loop != nil {
		in.looped = row(in.looped)
	}
}

// Graph builds the graph. The intake is spent.
func (in *Intake) Graph(ids IDs) (*Graph, error) {
	if in.huge != nil && !in.Weigh.Fraction {
		return nil, in.huge
	}
	g := &Graph{N: in.N, IDs: ids, Kind: in.Weigh.Kind(), Directed: !in.Undirected, Scale: in.Weigh.Scale,
		File: in.File}
	switch believed := in.Believe(int64(in.N), in.Arcs+in.SelfLoops+in.NoArcs); {
	case g.N == 0:
		return nil, &InputError{File: in.File, Reason: "no vertices"}
	case believed != nil:
		return nil, believed
	case in.loop != nil:
		in.loop.Cycle, in.loop.Numbers = []string{g.Name(int(in.looped))}, g.Facts().Numbers()
		return nil, in.loop
	}
	rows := in.collected().Rows(g.N, func(a, b uint32) bool { return in.Weigh.Value(a) < in.Weigh.Value(b) })
	g.Offsets, g.Targets, g.Parallel = rows.Offsets, rows.Targets, rows.Parallel
	if g.Kind == entry.KindF64 {
		g.F64 = make([]float64, len(rows.Words))
		for k, word := range rows.Words {
			g.F64[k] = in.Weigh.Value(word)
		}
	} else {
		g.SetWeights(entry.Bytes(rows.Words))
	}
	if in.Undirected {
		g.Parallel /= 2 // each edge was there twice
	}
	g.SelfLoops, g.NoArcs = in.SelfLoops, in.NoArcs
	g.summarize()
	return g, nil
}

// Believe returns an error if an input with so many arcs, of any kind, is not believed to have that many vertices.
func (in *Intake) Believe(n, arcs int64) error {
	free := cmp.Or(in.Free, freeVertices)
	if n <= MaxVertices && (n <= free || n/isolatedPerArc <= arcs) {
		return nil
	}
	return &InputError{File: in.File,
		Reason: fmt.Sprintf("%d vertices, but only %d arc(s): a number in it seems damaged", n, arcs)}
}
