package graph

import (
	"fmt"
	"math"
	"runtime/debug"
	"strconv"
)

// A file is read in two passes, the first counting the arcs of each row and the second placing them, so
// that nothing but the CSR itself is ever in memory. What can be read only once is collected instead.
type pass int

const (
	collecting pass = iota
	counting
	placing
)

// sink is what a reader hands vertices and arcs to. It applies the rules for weights, drops self-loops
// and non-arcs, and builds the CSR. Vertices are provisional numbers in the passes that collect and
// count, and rows in the one that places (see vertexTable).
type sink struct {
	file       string
	undirected bool
	weigh      weighing
	lines      *lineReader // for line numbers; nil for graphs built in memory
	pass       pass

	fixed int // the number of vertices that a header declared; 0 if none did
	ids   IDs // with fixed
	table vertexTable

	arcs, selfLoops, noArcs int64 // of the input: an undirected edge counts once
	loop                    *badLoop

	chunks  [][]record // collecting
	batch   []record   // counting and placing: not yet done
	degrees degrees    // counting
	csr     *Graph     // placing: Offsets[r] is where the next arc of row r goes
	words   []uint32
}

// record is a collected arc.
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

const chunkRecords = 1 << 16

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
	word, verdict, reason := s.weigh.word(tok)
	switch verdict {
	case isArc:
		return s.add(u, v, word)
	case isNoArc:
		s.noArcs++
		return nil
	case isFirstFraction:
		s.toFloat()
		return s.arc(u, v, tok)
	case isTooLarge:
		return s.tooLarge(u, v, tok)
	}
	return s.fail("%s", reason)
}

// intArc is arc for an unscaled weight that is already known to be an int32.
func (s *sink) intArc(u, v, weight int32) error { return s.add(u, v, s.weigh.intWord(weight)) }

// tooLarge deals with an integer beyond int32. With KindAuto a later fraction may still make this an f32
// graph; without one, switching to f32 would lose digits without a word, so the end of the input refuses.
func (s *sink) tooLarge(u, v int32, tok []byte) error {
	x, _ := strconv.ParseFloat(string(tok), 64)
	err := &RangeError{File: s.file, Line: s.lineNumber(), Kind: KindI32, Bound: math.Abs(x),
		Limit: float64(Unreachable), What: "the magnitude of weight " + quoted(tok), Hint: hintF32}
	if s.weigh.want != KindAuto {
		return err
	}
	s.weigh.huge = err
	s.toFloat()
	return s.arc(u, v, tok)
}

const hintF32 = "use --kind f32"

// toFloat turns what was collected so far into float32. int32 to float32 rounds as the text would.
func (s *sink) toFloat() {
	s.weigh.float = true
	for _, chunk := range s.chunks {
		for i := range chunk {
			chunk[i].word = math.Float32bits(float32(int32(chunk[i].word)))
		}
	}
}

func (s *sink) add(u, v int32, word uint32) error {
	if u == v {
		s.addLoop(u, word)
		return nil
	}
	s.arcs++
	if s.pass == collecting {
		s.collect(record{u, v, word})
		return nil
	}
	if s.batch == nil {
		s.batch = make([]record, 0, batchRecords)
	}
	s.batch = append(s.batch, record{u, v, word})
	if len(s.batch) == batchRecords {
		return s.flush()
	}
	return nil
}

// batchRecords arcs are counted or placed at once: nearly each one misses the cache, and in a loop of
// nothing else the processor waits for several misses at a time.
const batchRecords = 2048

// flush counts or places the waiting arcs.
func (s *sink) flush() error {
	batch := s.batch
	s.batch = batch[:0]
	if s.pass == counting {
		s.degrees.addAll(batch, s.undirected)
		return nil
	}
	if s.pass == placing && !s.placeAll(batch) {
		return ErrChanged
	}
	return nil
}

func (s *sink) addLoop(u int32, word uint32) {
	w := s.weigh.value(word)
	if w < 0 && s.loop == nil {
		s.loop = &badLoop{vertex: u, weight: w, line: s.lineNumber()}
	}
	s.selfLoops++
}

func (s *sink) collect(r record) {
	last := len(s.chunks) - 1
	if last < 0 || len(s.chunks[last]) == chunkRecords {
		size := chunkRecords
		if last < 0 {
			size = 256 // most graphs built in tests and by hand are small
		} else if cap(s.chunks[last]) < chunkRecords {
			s.chunks[last] = append(s.chunks[last], r)
			return
		}
		s.chunks = append(s.chunks, make([]record, 0, size))
		last++
	}
	s.chunks[last] = append(s.chunks[last], r)
}

// placeAll reports whether there was room: a file that changed between the passes may bring more arcs.
func (s *sink) placeAll(batch []record) bool {
	next, targets, words := s.csr.Offsets, s.csr.Targets, s.words
	for _, r := range batch {
		k := next[r.from]
		if k >= int64(len(targets)) || k >= int64(len(words)) {
			return false
		}
		next[r.from] = k + 1
		targets[k], words[k] = r.to, r.word
	}
	if s.undirected {
		for _, r := range batch {
			k := next[r.to]
			if k >= int64(len(targets)) || k >= int64(len(words)) {
				return false
			}
			next[r.to] = k + 1
			targets[k], words[k] = r.from, r.word
		}
	}
	return true
}

// degrees counts the arcs of provisional vertices.
type degrees struct {
	dense []int64 // of vertices 0, 1, …
	extra []int64 // of vertices -1, -2, …
}

func (d *degrees) addAll(batch []record, undirected bool) {
	for _, r := range batch {
		if uint(r.from) < uint(len(d.dense)) {
			d.dense[r.from]++
		} else {
			d.add(r.from)
		}
	}
	if undirected {
		for _, r := range batch {
			d.add(r.to)
		}
	}
}

func (d *degrees) add(p int32) {
	if p >= 0 {
		if int(p) >= len(d.dense) {
			d.dense = grow(d.dense, int(p))
		}
		d.dense[p]++
		return
	}
	if int(^p) >= len(d.extra) {
		d.extra = grow(d.extra, int(^p))
	}
	d.extra[^p]++
}

// grow makes index i of a valid.
func grow[T any](a []T, i int) []T {
	return append(a, make([]T, max(i+1, len(a)+len(a)/4, 1024)-len(a))...)
}

// releaseAbove is the number of arcs from which memory that a pass left behind is given back at once:
// the collector would let it stand beside the CSR.
const releaseAbove = 1 << 21

func (s *sink) release() {
	if s.arcs >= releaseAbove {
		debug.FreeOSMemory()
	}
}

// declare fixes the number of vertices, called base, base+1, …, before any arc.
func (s *sink) declare(n, base int64) error {
	switch {
	case n == 0:
		return s.fail("the graph has no vertices")
	case n > MaxVertices:
		return s.fail("%d vertices; the most is %d", n, MaxVertices)
	case s.pass == placing && int(n) != s.fixed:
		return ErrChanged
	}
	s.fixed, s.ids = int(n), IDs{Base: base}
	if n > freeVertices && s.pass == counting {
		s.pass = collecting // until the arcs have shown that n may be believed
	}
	return nil
}
