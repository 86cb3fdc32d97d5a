package read

import (
	"fmt"
	"sync/atomic"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/arcs"
	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/read/internal/lines"
)

// sink is what a reader hands vertices and arcs to. Vertices are rows where a header has declared them, else
// what table makes of ids.
type sink struct {
	graph.Intake
	lines *lines.Reader // for line numbers

	ids     graph.IDs // where a header has declared the vertices
	measure bool      // only the size is wanted: reading ends once it is declared
	table   vertexTable

	remarks  []string // see Source
	bothWays bool     // the input itself says both directions of each pair

	check func(*graph.Graph) error // what a format demands of the finished graph; may be nil

	plain atomic.Pointer[number.Plain] // what parsers that run ahead may do
}

// fail returns an *InputError about the current line.
func (s *sink) fail(format string, args ...any) error { return s.failAt(s.lines.Line, format, args...) }

// failAll returns an *InputError about the whole input.
func (s *sink) failAll(format string, args ...any) error { return s.failAt(0, format, args...) }

// failAt returns an *InputError about a line.
func (s *sink) failAt(line int64, format string, args ...any) error {
	return &graph.InputError{File: s.File, Line: line, Reason: fmt.Sprintf(format, args...)}
}

// remark notes what was a guess.
func (s *sink) remark(format string, args ...any) {
	s.remarks = append(s.remarks, fmt.Sprintf(format, args...))
}

// arc adds the arc from u to v whose weight is written as tok.
func (s *sink) arc(u, v int32, tok []byte) error {
	if s.IdleLoop(u, v, tok) {
		return nil
	}
	word, ok, err := s.word(tok)
	if ok {
		s.add(u, v, word)
	}
	return err
}

// word reads a weight. It returns false where that is no arc, or an error.
func (s *sink) word(tok []byte) (word uint32, ok bool, err error) {
	float, fraction := s.Weigh.Float, s.Weigh.Fraction
	word, ok, err = s.Word(tok, s.lines.Line)
	if s.Weigh.Float != float || s.Weigh.Fraction != fraction {
		s.publish()
	}
	return word, ok, err
}

// publish tells the parsers that run ahead how weights are to be read from now on. What they have read
// otherwise before stays right: in integers, until commit turns them into float32.
func (s *sink) publish() { s.plain.Store(s.Weigh.Plain()) }

// add adds an arc. For a run of them addAll is faster.
func (s *sink) add(u, v int32, word uint32) {
	one := [1]arcs.Arc{{From: u, To: v, Word: word}}
	s.addAll(one[:], s.lines.Line)
}

// addAll adds arcs, one a line, the first of them in line first. It may change recs.
func (s *sink) addAll(recs []arcs.Arc, first int64) {
	if !s.measure {
		s.Add(recs, first)
		return
	}
	for _, r := range recs { // the number is all that is wanted
		if r.From == r.To {
			s.SelfLoops++
		} else {
			s.Arcs++
		}
	}
}

// declare fixes the number of vertices, called base, base+1, …, before any arc.
func (s *sink) declare(n, base int64) error {
	switch {
	case n == 0:
		return s.fail("the graph has no vertices")
	case n > graph.MaxVertices:
		return s.fail("%d vertices; the most is %d", n, graph.MaxVertices)
	}
	s.N, s.ids = int(n), graph.IDs{Base: base}
	if s.measure {
		return errMeasured
	}
	return nil
}

// vertex reads the id of a declared vertex, and returns its row.
func (s *sink) vertex(tok []byte) (int32, error) {
	d, ok := number.Scan(tok)
	if !ok {
		return 0, s.fail("vertex %s is not a number", number.Quoted(tok))
	}
	base, n := s.ids.Base, int64(s.N)
	id, state := d.Times(1, tok)
	switch {
	case state == number.Fraction:
		return 0, s.fail("vertex %s is not an integer", number.Quoted(tok))
	case state == number.Integer && id >= base && id-base < n:
		return int32(id - base), nil
	case state == number.Integer && base == 1 && id == 0:
		return 0, s.fail("vertex %s is outside 1…%d; if ids start at 0, say --base 0", number.Quoted(tok), n)
	case state == number.Integer && base == 0 && id == n:
		return 0, s.fail("vertex %s is outside 0…%d; if ids start at 1, leave --base 0 away", number.Quoted(tok), n-1)
	}
	return 0, s.fail("vertex %s is outside %d…%d", number.Quoted(tok), base, base+n-1)
}

// believed is Intake.Free. It is a variable only because fuzzing would spend its time on clearing memory.
var believed int64

// finish builds the graph.
func (s *sink) finish() (*graph.Graph, error) {
	ids := s.ids
	if s.N == 0 {
		ids = s.freeze()
	}
	g, err := s.Graph(ids)
	if err == nil && s.check != nil {
		err = s.check(g)
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// freeze makes the vertices of the table rows, and returns their ids.
func (s *sink) freeze() graph.IDs {
	if n, all := s.table.texts.Len(), len(s.table.order); n > 0 && n < all && !s.table.forced {
		s.remark("%d of %d ids are texts, such as %s, the others integers: each spelling is a vertex of its own", n, all, number.Quoted([]byte(s.table.texts.Name(0))))
	}
	if one, other, n := s.table.lookAlike(); n > 0 {
		more := ""
		if n > 1 {
			more = fmt.Sprintf(", and %d more such ids,", n-1)
		}
		s.remark("%+q and %+q%s are vertices of their own, though they differ only in their form of Unicode; to make them one, in Python: "+
			`import unicodedata; open("NEW.txt", "w").write(unicodedata.normalize("NFC", open("FILE").read()))`, one, other, more)
	}
	n, ids := s.table.freeze()
	if s.Signed {
		s.Renumber(n, s.table.row)
	}
	s.N, s.table = n, vertexTable{}
	return ids
}
