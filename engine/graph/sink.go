package graph

import (
	"fmt"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
)

// sink is what a reader hands vertices and arcs to. It applies the rules for weights, drops self-loops
// and non-arcs, and builds the CSR. Vertices are rows where a header has declared them, else provisional
// numbers (see vertexTable).
type sink struct {
	file       string
	undirected bool
	weigh      weighing
	lines      *lineReader // for line numbers; nil for graphs built in memory

	fixed    int   // the number of vertices that a header declared; 0 if none did
	expected int64 // how many arcs a header has declared
	ids      IDs   // with fixed
	measure  bool  // only the size is wanted: reading ends once it is declared
	table    vertexTable

	arcs, selfLoops, noArcs int64 // of the input: an undirected edge counts once
	loop                    *badLoop

	remark string // see Source

	check func(*Graph) error // what a format demands of the finished graph; may be nil

	collector *collector // nil before the first arc
	ahead     aheadArcs  // that parsers have collected

	plain atomic.Pointer[plainWeights] // what parsers that run ahead may do
}

// aheadArcs is what parsers that run ahead have collected, each by itself.
type aheadArcs struct {
	mu   sync.Mutex
	list []*collector // guarded by mu
}

// collector returns another one for arcs between the rows of a sink.
func (a *aheadArcs) collector(s *sink) *collector {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := newCollector(s.fixed, s.expectedArcs(), false)
	a.list = append(a.list, c)
	return c
}

// record is an arc.
type record struct {
	from, to int32
	word     uint32
}

// badLoop is the first negative self-loop.
type badLoop struct {
	vertex int32
	weight float64
	line   int64
}

func (s *sink) lineNumber() int64 {
	if s.lines == nil {
		return 0
	}
	return s.lines.line
}

// fail returns an *InputError about the current line.
func (s *sink) fail(format string, args ...any) error {
	return &InputError{File: s.file, Line: s.lineNumber(), Reason: fmt.Sprintf(format, args...)}
}

// failAll returns an *InputError about the whole input.
func (s *sink) failAll(format string, args ...any) error {
	return &InputError{File: s.file, Reason: fmt.Sprintf(format, args...)}
}

// arc adds the arc from u to v whose weight is written as tok.
func (s *sink) arc(u, v int32, tok []byte) error {
	word, ok, err := s.word(tok)
	if ok {
		s.add(u, v, word)
	}
	return err
}

// word reads a weight. It returns false where that is no arc, which it counts, or an error.
func (s *sink) word(tok []byte) (word uint32, ok bool, err error) {
	fraction := s.weigh.fraction
	word, verdict, reason := s.weigh.word(tok)
	if s.weigh.fraction != fraction {
		s.publish()
	}
	switch verdict {
	case isArc:
		return word, true, nil
	case isNoArc:
		s.noArcs++
		return 0, false, nil
	case isFirstFraction:
		s.toFloat()
		return s.word(tok)
	case isTooLarge:
		return s.tooLarge(tok)
	}
	return 0, false, s.fail("%s", reason)
}

// intArc is arc for an unscaled weight that is already known to be an int32.
func (s *sink) intArc(u, v, weight int32) { s.add(u, v, s.weigh.intWord(weight)) }

// tooLarge deals with an integer beyond int32. With KindAuto a later fraction may still make this an f32
// graph; without one, switching to f32 would lose digits without a word, so the end of the input refuses.
func (s *sink) tooLarge(tok []byte) (uint32, bool, error) {
	x, _ := strconv.ParseFloat(string(tok), 64)
	err := &RangeError{File: s.file, Line: s.lineNumber(), Kind: KindI32, Bound: math.Abs(x),
		Limit: float64(Unreachable), What: "the magnitude of weight " + quoted(tok), Hint: hintF32}
	if s.weigh.want != KindAuto {
		return 0, false, err
	}
	s.weigh.huge = err
	s.toFloat()
	return s.word(tok)
}

const hintF32 = "use --kind f32"

// toFloat turns what was collected so far into float32.
func (s *sink) toFloat() {
	s.weigh.float = true
	if s.collector != nil {
		s.collector.toFloat()
	}
	s.publish()
}

// publish tells the parsers that run ahead how weights are to be read from now on. What they have read
// otherwise before stays right: in integers, until commit turns them into float32.
func (s *sink) publish() { s.plain.Store(s.weigh.plain()) }

// add adds an arc. For a run of them addAll is faster.
func (s *sink) add(u, v int32, word uint32) {
	one := [1]record{{u, v, word}}
	s.addAll(one[:], s.lineNumber())
}

// addAll adds arcs, one a line, the first of them in line first. It may change recs.
func (s *sink) addAll(recs []record, first int64) {
	if s.measure { // the number is all that is wanted
		for _, r := range recs {
			if r.from != r.to {
				s.arcs++
			}
		}
		return
	}
	if s.collector == nil {
		s.collector = s.newCollector()
	}
	loops := s.collector.addAll(recs)
	s.selfLoops += loops
	s.arcs += int64(len(recs)) - loops
	if loops > 0 {
		s.noteLoops(recs, first)
	}
	if s.undirected {
		for i, r := range recs {
			recs[i].from, recs[i].to = r.to, r.from
		}
		s.collector.addAll(recs)
	}
}

func (s *sink) newCollector() *collector {
	c := newCollector(s.fixed, s.expectedArcs(), s.weigh.float)
	c.signed = s.fixed == 0 && !s.table.forced
	return c
}

func (s *sink) expectedArcs() int64 {
	if s.undirected {
		return 2 * s.expected
	}
	return s.expected
}

// noteLoops remembers the first negative self-loop.
func (s *sink) noteLoops(recs []record, first int64) {
	for i, r := range recs {
		if w := s.weigh.value(r.word); r.from == r.to && w < 0 && s.loop == nil {
			s.loop = &badLoop{vertex: r.from, weight: w, line: first + int64(i)}
		}
	}
}

// grow makes index i of a valid.
func grow[T any](a []T, i int) []T {
	return append(a, make([]T, max(i+1, len(a)+len(a)/4, 16)-len(a))...)
}

// declare fixes the number of vertices, called base, base+1, …, before any arc.
func (s *sink) declare(n, base int64) error {
	switch {
	case n == 0:
		return s.fail("the graph has no vertices")
	case n > MaxVertices:
		return s.fail("%d vertices; the most is %d", n, MaxVertices)
	}
	s.fixed, s.ids = int(n), IDs{Base: base}
	if s.measure {
		return errMeasured
	}
	return nil
}

// vertex reads the id of a declared vertex, and returns its row.
func (s *sink) vertex(tok []byte) (int32, error) {
	d, ok := scanDecimal(tok)
	if !ok {
		return 0, s.fail("vertex %s is not a number", quoted(tok))
	}
	base, n := s.ids.Base, int64(s.fixed)
	id, state := d.times(1, tok)
	switch {
	case state == isFraction:
		return 0, s.fail("vertex %s is not an integer", quoted(tok))
	case state == isInteger && id >= base && id-base < n:
		return int32(id - base), nil
	case state == isInteger && base == 1 && id == 0:
		return 0, s.fail("vertex %s is outside 1…%d; if ids start at 0, say --base 0", quoted(tok), n)
	case state == isInteger && base == 0 && id == n:
		return 0, s.fail("vertex %s is outside 0…%d; if ids start at 1, leave --base 0 away", quoted(tok), n-1)
	}
	return 0, s.fail("vertex %s is outside %d…%d", quoted(tok), base, base+n-1)
}
