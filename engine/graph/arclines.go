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

// arcBatch is what plainArcs has read from a block.
type arcBatch struct {
	recs  []record
	float bool // the words are float32
}

// run reads the lines that are left.
func (a *arcLines) run() error {
	a.out.publish()
	return (&bulk[arcBatch]{lines: a.out.lines, parse: a.parse, commit: a.commit, slow: a.slow}).run()
}

func (a *arcLines) parse(text []byte, b *arcBatch) (read int) {
	w := a.out.plain.Load()
	b.float = w.float
	b.recs, read = a.plain.read(text, w, b.recs[:0])
	return read
}

func (a *arcLines) commit(_ []byte, b *arcBatch) error {
	lines, n := a.out.lines, int64(len(b.recs))
	if a.found+n > a.most {
		lines.line += a.most - a.found + 1
		return a.tooMany()
	}
	if a.out.weigh.float && !b.float {
		toFloatWords(b.recs)
	}
	a.out.addAll(b.recs, lines.line+1)
	if err := a.addReverses(b.recs); err != nil {
		return err
	}
	a.found += n
	lines.line += n
	return nil
}

// addReverses adds what arcs, one a line, bring along.
func (a *arcLines) addReverses(recs []record) error {
	if a.also == none {
		return nil
	}
	turned := recs[:0]
	for i, r := range recs {
		switch {
		case a.also == same:
		case r.from == r.to && r.word != 0:
			a.out.lines.line += int64(i) + 1
			return a.onDiagonal()
		default:
			r.word = a.out.weigh.negated(r.word)
		}
		if r.from != r.to {
			turned = append(turned, record{r.to, r.from, r.word})
		}
	}
	a.out.addAll(turned, 0)
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
