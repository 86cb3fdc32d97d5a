package read

import (
	"ooc/engine/graph"
	"ooc/engine/graph/internal/arcs"
	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/read/internal/lines"
)

// arcLines reads an arc a line, between vertices that a header has declared.
type arcLines struct {
	plain plainArcs
	out   *sink
	also  reverse // what else an arc on a line stands for

	// entries says that arcs are what a matrix stores: what Options.NoArc names is none of them, and those that are 0
	// are counted.
	entries    bool
	zeros, off int64 // off the diagonal: those that are 0, and all

	found, most int64                   // arcs so far, and as many as the header announces
	tooMany     func() error            // is asked for the error where one more follows
	slow        func(line []byte) error // reads any line; it counts the arcs that it finds
}

// reverse says what arc an arc from u to v brings along from v to u.
type reverse int

const (
	none     reverse = iota
	same             // of the same weight, though the graph is directed
	opposite         // of the opposite weight
)

// arcBatch is what plainArcs has read from a block. The arcs are collected at once, while they are in the
// cache of the processor that has read them: their order means nothing, and if a line before them is
// refused, so is all.
type arcBatch struct {
	recs  []arcs.Arc
	arcs  *arcs.Collector // of this block and earlier ones
	loops int64
	nones int64 // of these, that were no arcs: parse has put self-loops in their places

	zeros, off int64
	plain      number.Plain // that they were read with
	// odd: the first self-loop that is not just dropped, its line counted from the block's first.
	odd *graph.NegativeLoop
}

// run reads the lines that are left.
func (a *arcLines) run() error {
	a.out.publish()
	return (&lines.Bulk[arcBatch]{Lines: a.out.lines, Parse: a.parse, Commit: a.commit, Slow: a.slow}).Run()
}

func (a *arcLines) parse(text []byte, b *arcBatch) (read int) {
	b.plain = *a.out.plain.Load()
	w := &b.plain
	if b.arcs == nil {
		b.arcs = a.out.Ahead()
	}
	if w.Float && !b.arcs.Float() {
		b.arcs.ToFloat()
	}
	b.recs, read = a.plain.read(text, w, b.recs[:0])
	b.odd = nil
	if a.entries {
		b.survey(w.None)
	}
	if b.loops = b.arcs.AddAll(b.recs); b.loops > 0 {
		b.odd = a.oddLoop(b.recs, w.Float)
	}
	if a.reversed(b.recs, w.Float) {
		b.arcs.AddAll(b.recs)
	}
	return read
}

// survey counts entries that are 0, and puts self-loops, which are dropped, in the places of those that are no arcs.
func (b *arcBatch) survey(none uint32) {
	b.nones, b.zeros, b.off = 0, 0, 0
	for i, r := range b.recs {
		switch {
		case r.Word == none:
			b.recs[i] = arcs.Arc{}
			b.nones++
		case r.From != r.To:
			b.off++
			b.zeros += int64(btoi(r.Word == 0))
		}
	}
}

// oddLoop returns the first self-loop that is negative, or not 0 in a skew-symmetric matrix.
func (a *arcLines) oddLoop(recs []arcs.Arc, float bool) *graph.NegativeLoop {
	w := number.Weighing{Float: float}
	for i, r := range recs {
		if x := w.Value(r.Word); r.From == r.To && (x < 0 || x > 0 && a.also == opposite) {
			return &graph.NegativeLoop{Vertex: r.From, Weight: x, Line: int64(i)}
		}
	}
	return nil
}

// reversed replaces arcs by the reverse arcs that they imply. It returns false if they imply none.
func (a *arcLines) reversed(recs []arcs.Arc, float bool) bool {
	if a.also == none && !a.out.Undirected {
		return false
	}
	w := number.Weighing{Float: float}
	for i, r := range recs {
		if a.also == opposite {
			r.Word = w.Negated(r.Word)
		}
		recs[i] = arcs.Arc{From: r.To, To: r.From, Word: r.Word}
	}
	return true
}

func (a *arcLines) commit(text []byte, b *arcBatch) error {
	in, out, n := a.out.lines, a.out, int64(len(b.recs))
	out.Weigh.Rounding.Take(&b.plain, text, in.Line+1)
	left := a.most - a.found
	if b.odd != nil && a.also == opposite && b.odd.Line < left {
		in.Line += b.odd.Line + 1
		return a.onDiagonal()
	}
	if n > left {
		in.Line += left + 1
		return a.tooMany()
	}
	if b.odd != nil && out.Loop == nil {
		b.odd.Line += in.Line + 1
		out.Loop = b.odd
	}
	a.zeros += b.zeros
	a.off += b.off
	out.SelfLoops += b.loops - b.nones
	out.Arcs += n - b.loops
	a.found += n
	in.Line += n
	return nil
}

func (a *arcLines) onDiagonal() error {
	return a.out.fail("a skew-symmetric matrix has no entries on its diagonal but zeros")
}

// arc adds what the line in hand says.
func (a *arcLines) arc(u, v int32, tok []byte) error {
	if x, _ := number.Special(tok); a.entries && !(x > 0) && a.out.Weigh.IsNone(tok) {
		return nil
	}
	if a.also != opposite && a.out.IdleLoop(u, v, tok) {
		return nil
	}
	word, ok, err := a.out.word(tok)
	if !ok || a.entries && word == a.out.plain.Load().None {
		return err
	}
	if a.entries && u != v {
		a.off++
		a.zeros += int64(btoi(word == 0))
	}
	return a.add(u, v, word)
}

func (a *arcLines) add(u, v int32, word uint32) error {
	if a.also == opposite && u == v && word != 0 {
		return a.onDiagonal()
	}
	a.out.add(u, v, word)
	switch {
	case u == v || a.also == none:
	case a.also == same:
		a.out.add(v, u, word)
	default:
		a.out.add(v, u, a.out.Weigh.Negated(word))
	}
	return nil
}
