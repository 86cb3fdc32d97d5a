package read

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"ooc/engine/graph"
	"ooc/engine/graph/dense"
	"ooc/engine/graph/internal/arcs"
	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/read/internal/lines"
	"ooc/engine/graph/read/internal/npz"
	"ooc/kernels/entry"
)

// sink is what a reader hands vertices and arcs to. Vertices are rows where a header has declared them, else
// what a table makes of ids.
type sink struct {
	graph.Intake
	options Options
	in      *lines.Reader // the input's lines; without any, errors are in line 0
	words   [][]byte      // of the line in hand

	first    int64     // the id of the first vertex, where a header declares them
	ids      graph.IDs // where it has
	measure  bool      // only the size is wanted: reading ends once it is declared
	vertices vertexTable

	remarks  []string // see Source
	bothWays bool     // the input itself says both directions of each pair

	check func(*graph.Graph) error // what a format demands of the finished graph; may be nil

	also   reverse    // what else an arc stands for
	value  npz.Value  // of the weight in hand, where it is not only a text
	recs   []arcs.Arc // arcs that the intake does not have yet
	matrix stored

	announced announced
}

// reverse says what arc an arc from u to v brings along from v to u.
type reverse int

const (
	none     reverse = iota
	same             // of the same weight, though the graph is directed
	opposite         // of the opposite weight
)

// batch is how many arcs are handed on at once: enough for the goroutine that packs them.
const batch = 16384

// fail returns an *InputError about the current line.
func (s *sink) fail(format string, args ...any) error { return s.failAt(s.in.Line, format, args...) }

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

// announced is how many of something a line says that there are.
type announced struct {
	what        string
	line        int64
	most, found int64
}

// announce says what the line in hand announces.
func (s *sink) announce(most int64, what string) {
	s.announced = announced{what: what, line: s.in.Line, most: most}
}

// another counts one of what is announced, and refuses one too many.
func (s *sink) another() error {
	a := &s.announced
	if a.found++; a.found > a.most {
		return s.fail("line %d announces %d %s, and this is one more", a.line, a.most, a.what)
	}
	return nil
}

// complete refuses an input that ends before all was there that it announces, or before it does.
func (s *sink) complete(header string) error {
	switch a := s.announced; {
	case a.line == 0:
		return s.failAll("no %s", header)
	case a.found < a.most:
		return s.failAt(a.line, "%d %s are announced, but the file ends after %d", a.most, a.what, a.found)
	}
	return nil
}

// plainArc adds the announced arc from u to v, declared vertices, if they are and the arc is one of the many that need
// no more care.
func (s *sink) plainArc(u, v, weight uint32) bool {
	u, v = u-uint32(s.ids.Base), v-uint32(s.ids.Base)
	if max(u, v) >= uint32(s.N) || u == v || s.announced.found >= s.announced.most || !s.Weigh.IsSmall(uint64(weight)) {
		return false
	}
	s.announced.found++
	s.addInt(int32(u), int32(v), int32(weight))
	return true
}

// plainArcs is plainArc of many arcs that are no self-loops, of whose numbers the least and the most are given. It adds
// all or none.
func (s *sink) plainArcs(numbers [][3]uint32, least, most [3]uint32) bool {
	a, base, last := &s.announced, s.ids.Base, s.ids.Base+int64(s.N)-1
	if int64(min(least[0], least[1])) < base || int64(max(most[0], most[1])) > last || least[2] == 0 ||
		!s.Weigh.IsSmall(uint64(most[2])) || int64(len(numbers)) > a.most-a.found || s.also != none {
		return false
	}
	a.found += int64(len(numbers))
	s.matrix.off += int64(len(numbers))
	for len(numbers) > 0 {
		some := numbers[:min(len(numbers), batch-len(s.recs))]
		numbers = numbers[len(some):]
		for _, x := range some {
			s.recs = append(s.recs, arcs.Arc{From: int32(x[0] - uint32(base)), To: int32(x[1] - uint32(base)),
				Word: s.Weigh.IntWord(int32(x[2]))})
		}
		if len(s.recs) >= batch {
			s.flush()
		}
	}
	return true
}

// eachLine passes the words of each line that is left to line. Lines that begin with one of marks are comments. Those
// that begin with kind, and are plain arcs of n numbers whose weight is below most, are added at once. There must be a
// header, and all that it announces.
func (s *sink) eachLine(marks, kind string, n int, most uint32, header string, line func([][]byte) error) error {
	s.in.Expect(kind, ' ', n)
	plain := func(x *[3]uint32) bool { return x[2] < most && s.plainArc(x[0], x[1], x[2]) }
	all := func(numbers [][3]uint32, least, past [3]uint32) bool {
		return past[2] < most && s.plainArcs(numbers, least, past)
	}
	s.in.Plain(plain, all)
	err := s.in.Each(func(text []byte) (err error) {
		s.words = appendWords(s.words[:0], text)
		if len(s.words) > 0 && strings.IndexByte(marks, s.words[0][0]) < 0 {
			err = line(s.words)
		}
		if err == nil {
			s.in.Plain(plain, all)
		}
		return err
	})
	return cmp.Or(err, s.complete(header))
}

// word reads a weight, the text of value if that has a type. It returns false where that is no arc, or an error.
func (s *sink) word(tok []byte) (word uint32, ok bool, err error) {
	float, first := s.Weigh.Float, s.Weigh.Rounding.First
	word, ok, err = s.Word(tok, s.in.Line)
	if s.Weigh.Float != float {
		arcs.FloatWords(s.recs)
	}
	// As in a .npy, the word is that of the value, and not of its decimal.
	if f, floating := s.value.Float(); ok && floating && s.Weigh.Scale == 1 {
		switch single := float32(f) + 0; { // there is no −0
		case s.Weigh.Want == entry.KindF64:
			word = s.Weigh.Double(f)
		case s.Weigh.Float:
			word = math.Float32bits(single)
			if float64(single) == f {
				s.Weigh.Rounding.First = first
			}
		}
	}
	return word, ok, err
}

// add adds an arc.
func (s *sink) add(u, v int32, word uint32) {
	if u == v {
		s.SelfLoop(u, word, s.in.Line)
		return
	}
	s.recs = append(s.recs, arcs.Arc{From: u, To: v, Word: word})
	switch s.also {
	case same:
		s.recs = append(s.recs, arcs.Arc{From: v, To: u, Word: word})
	case opposite:
		s.recs = append(s.recs, arcs.Arc{From: v, To: u, Word: s.Weigh.Negated(word)})
	}
	if len(s.recs) >= batch {
		s.flush()
	}
}

// flush hands the arcs on. If only their number is wanted, it counts them.
func (s *sink) flush() {
	if s.measure {
		s.Arcs += int64(len(s.recs))
		s.recs = s.recs[:0]
	} else {
		s.recs = s.Add(s.recs)
	}
}

// stored is what has been seen of a matrix.
type stored struct {
	full       bool             // each place has an entry
	zeros, off int64            // entries off the diagonal: those that are 0, and all
	odd        map[string]int64 // entries that other programs write for no path, by their text; nil: nobody asks
	negative   bool             // there are others below 0 than −1
}

// addInt adds an arc between two vertices whose weight is a whole number, unscaled.
func (s *sink) addInt(u, v, weight int32) {
	s.matrix.off++
	s.matrix.zeros += int64(btoi(weight == 0))
	s.add(u, v, s.Weigh.IntWord(weight))
}

// arc adds the arc from u to v whose weight is written as tok. Of a full matrix the diagonal is ignored, unless it is
// negative.
func (s *sink) arc(u, v int32, tok []byte) error {
	m := &s.matrix
	k, ok := number.Digits(tok)
	if ok && u != v && s.Weigh.IsSmall(uint64(k)) && (k < number.FewNines || m.odd == nil) {
		s.addInt(u, v, int32(k))
		return nil
	}
	m.off += int64(btoi(u != v))
	x, special := number.Special(tok)
	switch {
	case s.Weigh.IsNone(tok) && (m.full || !(x > 0)):
		return nil
	case m.full && u == v && (special && !math.IsInf(x, -1) || number.NotNegative(tok)):
		return nil
	case s.also != opposite && s.IdleLoop(u, v, tok):
		return nil
	}
	word, ok, err := s.word(tok)
	weight := 0.0
	if ok {
		weight = s.Weigh.Value(word)
		m.zeros += int64(btoi(weight == 0 && u != v))
		m.negative = m.negative || weight < 0 && weight != -float64(s.Weigh.Scale)
	}
	if m.odd != nil && u != v && (err != nil || weight < 0 || weight >= number.FewNines) {
		if x, _ = number.Parse(tok); number.NoPath(x) {
			if m.odd[string(tok)]++; err != nil {
				return nil // checkStored refuses it
			}
		}
	}
	if ok && s.also == opposite && u == v && word != 0 {
		return s.fail("a skew-symmetric matrix has no entries on its diagonal but zeros")
	}
	if ok {
		s.add(u, v, word)
	}
	return err
}

// checkStored refuses a matrix with many zeros, or with entries that mean no path elsewhere, unless somebody has said
// what they are. Of a sparse one it says that there are zeros.
func (s *sink) checkStored() error {
	m := &s.matrix
	if s.options.NoArc != "" {
		return nil
	}
	for _, text := range slices.Sorted(maps.Keys(m.odd)) {
		if x, _ := number.Parse([]byte(text)); x != -1 || !m.negative {
			return dense.MayBeNoPath(s.File, text, m.odd[text])
		}
	}
	if m.zeros > 0 && !m.full {
		s.remark("%d of the stored entries are 0 and are arcs of length 0, as in scipy.sparse.csgraph; --no-arc 0 "+
			"leaves them out", m.zeros)
	}
	return dense.CheckZeros(s.File, m.zeros, m.off)
}

// declare fixes the number of vertices, called first, first+1, …, before any arc.
func (s *sink) declare(n int64) error {
	switch {
	case n == 0:
		return s.fail("the graph has no vertices")
	case n > graph.MaxVertices:
		return s.fail("%d vertices; the most is %d", n, graph.MaxVertices)
	}
	s.N, s.ids = int(n), graph.IDs{Base: s.first}
	if s.measure {
		return errMeasured
	}
	return nil
}

// arcOf adds an arc that was announced: its columns are its ends and, if there are to be three, its weight, as the text
// written says.
func (s *sink) arcOf(columns [][]byte, want int, written string) error {
	err := s.another()
	switch {
	case err != nil:
		return err
	case len(columns) == 2 && want == 3:
		return s.fail("the weight is missing")
	case len(columns) != want:
		return s.fail("%s, but the line has %d columns", written, len(s.words))
	}
	u, err := s.vertex(columns[0])
	if err != nil {
		return err
	}
	v, err := s.vertex(columns[1])
	if err != nil {
		return err
	}
	return s.arc(u, v, append(columns, []byte("1"))[2])
}

// vertex reads the id of a declared vertex, and returns its row.
func (s *sink) vertex(tok []byte) (int32, error) {
	base, n := s.ids.Base, int64(s.N)
	if id, ok := number.Digits(tok); ok && id >= base && id-base < n {
		return int32(id - base), nil
	}
	if !isDecimal(tok) {
		return 0, s.fail("vertex %s is not a number", number.Quoted(tok))
	}
	id, state := number.Times(tok, 1)
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
	s.flush()
	ids := s.ids
	if s.N == 0 {
		ids = s.freeze()
	}
	g, err := s.Graph(ids)
	if err == nil && s.check != nil {
		err = s.check(g)
	}
	return g, err
}

// freeze makes the vertices of the table rows, and returns their ids.
func (s *sink) freeze() graph.IDs {
	t := &s.vertices
	if n, all := len(t.texts), int(t.known()); n > 0 && n < all && !t.forced {
		first := slices.IndexFunc(t.names, func(name string) bool { return name != "" })
		s.remark("%d of %d ids are texts, such as %s, the others integers: each spelling is a vertex of its own", n,
			all, number.Quoted([]byte(t.names[first])))
	}
	if pairs := t.lookAlike(); len(pairs) > 0 {
		more := ""
		if n := len(pairs) - 1; n > 0 {
			more = fmt.Sprintf(", and %d more such ids,", n)
		}
		s.remark("%+q and %+q%s are vertices of their own, though they differ only in their form of Unicode; to "+
			"make them one, in Python: "+
			`import unicodedata; open("NEW.txt", "w").write(unicodedata.normalize("NFC", open("FILE").read()))`,
			pairs[0][0], pairs[0][1], more)
	}
	n, ids, row := t.freeze()
	if s.Signed {
		s.Renumber(n, row)
	}
	s.N, s.vertices = n, vertexTable{}
	return ids
}
