package stats

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"runtime"

	"ooc/engine/between"
	"ooc/engine/device"
	"ooc/engine/graph"
	"ooc/engine/live"
	"ooc/engine/rows"
	"ooc/engine/text"
	"ooc/kernels/entry"
)

// betweenness is of a graph alone. It is added up after the pass over rows.
var betweenness = statistic{
	columns: func(r *Result) []column {
		if r.Between == nil || r.Between.sums.Vertices == nil {
			return nil
		}
		return []column{
			{Name: "betweenness", Number: func(v int) float64 { return r.Between.Vertex(v, false) }},
			{Name: "betweenness_centrality", Number: func(v int) float64 { return r.Between.Vertex(v, true) }},
		}
	},
	summary: func(r *Result) []summaryValue {
		if r.Between == nil {
			return []summaryValue{{"path_counts_rounded", nil}}
		}
		return []summaryValue{{"path_counts_rounded", r.Between.Rounded}}
	},
	text: func(r *Result, t *textWriter) {
		if b := r.Between; b != nil {
			b.text(t)
		}
	},
}

// pathShares is, of vertices and edges, the shares of shortest paths that lead through them: over all pairs s,t, the
// sum of their shortest paths through it / their shortest paths. Numbers are those of networkx, whose sources are k
// where only some are chosen.
type pathShares struct {
	Rounded bool // some pair has more than 2⁵³ shortest paths, and such counts are rounded

	r       *Result
	g       *graph.Graph
	q       between.Question
	sums    *between.Sums
	sampled bool // only some vertices are sources
}

// scale is what a sum is multiplied by, as networkx does: to the count of pairs where they are all taken, each once
// in undirected graphs; normalised to a share of all pairs. endpoints: paths that begin or end there count. source:
// the vertex is a source. Between some targets, it is what networkx multiplies the sums of a subset by.
func (b *pathShares) scale(normalised, endpoints, source bool) float64 {
	n, k, each := float64(b.r.N), float64(b.r.count()), 2.0
	if b.r.Directed {
		each = 1
	}
	if !endpoints {
		n--
	}
	if n < 2 {
		return 1
	}
	if len(b.q.Targets) > 0 {
		k = n
		if !normalised {
			return 1 / each
		}
	} else if !b.sampled {
		k = n
	} else if !endpoints && source {
		if k--; k == 0 { // a source tells nothing of itself
			return math.NaN()
		}
	}
	if normalised {
		return 1 / (k * (n - 1))
	}
	return n / (k * each)
}

// Vertex is the betweenness of a vertex. It is NaN for the only source, where endpoints do not count.
func (b *pathShares) Vertex(v int, normalised bool) float64 {
	return b.sums.Vertices[v] * b.scale(normalised, b.q.Endpoints, b.r.has(v))
}

// edge is the betweenness of an edge, in directed graphs of an arc.
type edge struct {
	From, To      int
	Plain, Scaled float64 // that is a share of all pairs
}

// Edges goes over all edges, those of undirected graphs once, with From < To.
func (b *pathShares) Edges() iter.Seq[edge] {
	plain, scaled := b.scale(false, true, false), b.scale(true, true, false)
	return func(yield func(edge) bool) {
		for u := range b.g.N {
			for k := b.g.Offsets[u]; k < b.g.Offsets[u+1]; k++ {
				v, sum := int(b.g.Targets[k]), b.sums.Arcs[k]
				if !b.g.Directed {
					if v < u {
						continue
					}
					sum += b.sums.Arcs[b.g.Find(v, u)]
				}
				if !yield(edge{u, v, sum * plain, sum * scaled}) {
					return
				}
			}
		}
	}
}

// text says which have most.
func (b *pathShares) text(t *textWriter) {
	if b.sums.Vertices != nil {
		best, at := 0.0, 0
		for v := range b.r.N {
			if x := b.Vertex(v, true); x > best {
				best, at = x, v
			}
		}
		t.row("betweenness", "at most %s at %s", text.Numbers{}.Text(best), t.ids.Name(at))
	}
	if best := (edge{Scaled: -1}); b.sums.Arcs != nil {
		for e := range b.Edges() {
			if e.Scaled > best.Scaled {
				best = e
			}
		}
		if best.Scaled >= 0 {
			t.row("of edges", "at most %s from %s to %s", text.Numbers{}.Text(best.Scaled), t.ids.Name(best.From),
				t.ids.Name(best.To))
		}
	}
	if b.Rounded {
		t.row("paths", "more than 2⁵³ between some vertices; such counts are rounded to 53 bits")
	}
}

// WriteEdgesCSV writes a table with one line for each edge.
func (r *Result) WriteEdgesCSV(w io.Writer, ids graph.IDs) error {
	out := bufio.NewWriterSize(w, 1<<16)
	line := []byte("source,target,betweenness,betweenness_centrality\n")
	for e := range r.Between.Edges() {
		if _, err := out.Write(line); err != nil {
			return err
		}
		line = append(text.AppendCell(line[:0], ids.Name(e.From)), ',')
		line = append(text.AppendCell(line, ids.Name(e.To)), ',')
		line = append(text.Numbers{}.Append(line, e.Plain), ',')
		line = append(text.Numbers{}.Append(line, e.Scaled), '\n')
	}
	if _, err := out.Write(line); err != nil {
		return err
	}
	return out.Flush()
}

// writeEdges writes the member of JSON.
func (b *pathShares) writeEdges(out *bufio.Writer, ids graph.IDs) error {
	if b == nil || b.sums.Arcs == nil {
		_, err := out.WriteString(`,"edges":null`)
		return err
	}
	line := []byte(`,"edges":{`)
	for i, c := range []struct {
		name   string
		append func(line []byte, e edge) []byte
	}{
		{"source", func(line []byte, e edge) []byte { return appendJSONVertex(line, e.From, ids) }},
		{"target", func(line []byte, e edge) []byte { return appendJSONVertex(line, e.To, ids) }},
		{"betweenness", func(line []byte, e edge) []byte { return append(line, text.Numbers{}.JSON(e.Plain)...) }},
		{"betweenness_centrality", func(line []byte, e edge) []byte {
			return append(line, text.Numbers{}.JSON(e.Scaled)...)
		}},
	} {
		if i > 0 {
			line = append(line, "],"...)
		}
		line = fmt.Appendf(line, "%q:[", c.name)
		first := true
		for e := range b.Edges() {
			if !first {
				line = append(line, ',')
			}
			first = false
			if _, err := out.Write(c.append(line, e)); err != nil {
				return err
			}
			line = line[:0]
		}
	}
	_, err := out.Write(append(line, "]}"...))
	return err
}

// betweenHand adds up, for one goroutine of a run.
type betweenHand struct {
	*between.Worker
	x *graphGathering
}

// Do adds up some units, and adds each to those before in its turn.
func (h *betweenHand) Do(ctx context.Context, first, count int) error {
	err := h.Worker.Do(ctx, first, count)
	for i := 0; i < count && err == nil; i++ {
		err = h.x.run.InTurn(ctx, first+i, func() error {
			h.AddTo(h.x.sums, i)
			if h.x.each != nil {
				h.x.each()
			}
			return nil
		})
	}
	return err
}

// betweenFits fails with device.ErrMemory where betweenness takes more bytes than the call may. It says how many are
// enough.
func (o *GraphOptions) betweenFits(least, enough int64) error {
	if o.Memory > 0 && least > o.Memory {
		return fmt.Errorf("%w: betweenness takes %d bytes at least; give --host-memory %d", device.ErrMemory, least,
			enough)
	}
	return nil
}

// prepareBetween makes ready what adds up betweenness.
func (x *graphGathering) prepareBetween(ctx context.Context) error {
	ready, err := between.New(ctx, x.g, x.o.Betweenness, x.o.Sources, x.ready, x.o.offer)
	if err != nil {
		return err
	}
	x.between = ready
	return x.o.betweenFits(ready.WorkerBytes(), ready.WorkerBytes())
}

// addBetween adds up betweenness, from what the file has on. It calls at when that begins.
func (x *graphGathering) addBetween(ctx context.Context, at func(live.Stage, live.StageShares)) error {
	bands := x.run.Units()
	sources, height := x.between.Sources()
	x.run = &rows.Run{Rows: sources, Height: height, Columns: x.g.N, First: int(x.slot.Units), Control: x.o.Control,
		Every: x.o.Checkpoint, Save: func(units int) error {
			x.slot.Units = int64(units)
			return x.save(bands)
		}}
	x.run.Start()
	at(live.StageBetween, live.StageShares{})
	hands := min(runtime.GOMAXPROCS(0), x.run.Units()-x.run.First)
	if memory := cmp.Or(x.o.Memory, device.FreeMemory()/computedShare); memory > 0 {
		hands = min(hands, max(1, int(memory/x.between.WorkerBytes())))
	}
	if x.o.onDevice {
		hands = 0
	}
	workers, atOnce, why, err := x.between.OnDevices(ctx, x.device, x.run.First, hands)
	if err != nil {
		return err
	}
	open := make([]func() (rows.Hand, error), max(hands, len(workers), 1))
	for i := range open {
		open[i] = func() (rows.Hand, error) {
			w, err := x.between.NewWorker()
			return &betweenHand{w, x}, err
		}
	}
	if x.sum.BetweenAlone = why; len(workers) > 0 {
		open = open[:len(workers)]
		for i, w := range workers {
			open[i] = func() (rows.Hand, error) { return &betweenHand{w, x}, nil }
		}
		// For all workers to have some in the end.
		x.run.AtOnce = func(left int) int { return min(atOnce, entry.CeilDiv(left, len(workers))) }
	}
	err = x.run.Do(ctx, open)
	if err == nil && x.run.Left() > 0 {
		err = context.Cause(ctx)
	}
	done, made, _ := x.run.Counts()
	x.sum.BetweenResumed, x.sum.BetweenSeconds = done-made, x.run.Seconds()
	x.r.Between = &pathShares{Rounded: x.sums.Rounded[0] != 0, r: x.r, g: x.g, q: x.o.Betweenness, sums: x.sums,
		sampled: len(x.o.Sources) > 0 && len(x.o.Sources) < x.g.N}
	return err
}
