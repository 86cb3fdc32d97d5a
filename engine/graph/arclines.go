package graph

// arcLines reads an arc a line, between vertices that a header has declared.
type arcLines struct {
	plain plainArcs
	out   *sink
	also  reverse // what else an arc on a line stands for

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
	recs  []record
	arcs  *collector // of this block and earlier ones
	loops int64
	odd   *badLoop // the first self-loop that is not just dropped, its line counted from the block's first
}

// run reads the lines that are left.
func (a *arcLines) run() error {
	a.out.publish()
	return (&bulk[arcBatch]{lines: a.out.lines, parse: a.parse, commit: a.commit, slow: a.slow}).run()
}

func (a *arcLines) parse(text []byte, b *arcBatch) (read int) {
	w := a.out.plain.Load()
	if b.arcs == nil {
		b.arcs = a.out.ahead.collector(a.out)
	}
	if w.float && !b.arcs.layout.float {
		b.arcs.toFloat()
	}
	b.recs, read = a.plain.read(text, w, b.recs[:0])
	b.odd = nil
	if b.loops = b.arcs.addAll(b.recs); b.loops > 0 {
		b.odd = a.oddLoop(b.recs, w.float)
	}
	if a.turn(b.recs, w.float) {
		b.arcs.addAll(b.recs)
	}
	return read
}

// oddLoop returns the first self-loop that is negative, or not 0 in a skew-symmetric matrix.
func (a *arcLines) oddLoop(recs []record, float bool) *badLoop {
	w := weighing{float: float}
	for i, r := range recs {
		if x := w.value(r.word); r.from == r.to && (x < 0 || x > 0 && a.also == opposite) {
			return &badLoop{vertex: r.from, weight: x, line: int64(i)}
		}
	}
	return nil
}

// turn turns arcs into those that they bring along. It returns false if they bring none.
func (a *arcLines) turn(recs []record, float bool) bool {
	if a.also == none && !a.out.undirected {
		return false
	}
	w := weighing{float: float}
	for i, r := range recs {
		if a.also == opposite {
			r.word = w.negated(r.word)
		}
		recs[i] = record{r.to, r.from, r.word}
	}
	return true
}

func (a *arcLines) commit(_ []byte, b *arcBatch) error {
	lines, out, n := a.out.lines, a.out, int64(len(b.recs))
	left := a.most - a.found
	if b.odd != nil && a.also == opposite && b.odd.line < left {
		lines.line += b.odd.line + 1
		return a.onDiagonal()
	}
	if n > left {
		lines.line += left + 1
		return a.tooMany()
	}
	if b.odd != nil && out.loop == nil {
		b.odd.line += lines.line + 1
		out.loop = b.odd
	}
	out.selfLoops += b.loops
	out.arcs += n - b.loops
	a.found += n
	lines.line += n
	return nil
}

func (a *arcLines) onDiagonal() error {
	return a.out.fail("a skew-symmetric matrix has no entries on its diagonal but zeros")
}

// arc adds what the line in hand says.
func (a *arcLines) arc(u, v int32, tok []byte) error {
	word, ok, err := a.out.word(tok)
	if !ok {
		return err
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
		a.out.add(v, u, a.out.weigh.negated(word))
	}
	return nil
}
