package read

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"golang.org/x/text/unicode/norm"

	"ooc/engine/graph"
	"ooc/engine/graph/read/internal/ids"
)

// vertexTable gives the vertices of an edge list provisional numbers as they appear, and rows once all
// are known. An id that is a small number is its own provisional number, which costs a bit; others, in
// order of appearance, are -1, -2, …
type vertexTable struct {
	seen   []uint64 // bit i: vertex i appeared
	limit  int64    // ids from here on are not small
	order  []int32  // provisional numbers by first appearance
	others []otherID
	ints   ids.Ints  // others that are numbers
	texts  ids.Texts // and that are not

	forced    bool // ids are base, base+1, … up to the largest that appears, top
	base, top int64
	declared  int64 // unless 0, ids are base, base+1, … base+declared-1

	// Set by freeze.
	rank     []int32 // of each word of seen, how many vertices the words before it have
	before   int32   // how many ids are below 0
	rowOf    []int32 // where some id is a text, the rows of small ids, in ascending order of these
	rowOther []int32 // rows of vertices -1, -2, …
}

// otherID is the id of vertex -1, -2, …: a number, or where text is not 0, that text, counted from 1.
type otherID struct {
	number int64
	text   int32
}

const (
	// firstLimit: every id below it is small from the start. It costs a bit each.
	firstLimit = 1 << 24
	// perVertex ids a vertex seen may be small: how sparse the ids may be before a map is the smaller.
	perVertex = 16
)

// number returns the provisional number of a numeric id, or false if that is one vertex too many, or
// below the base.
func (t *vertexTable) number(id int64) (int32, bool) {
	if t.forced {
		if id < t.base || id >= t.base+graph.MaxVertices {
			return 0, false
		}
		t.top = max(t.top, id)
		return int32(id - t.base), true
	}
	if id>>6 < int64(len(t.seen)) && id >= 0 && t.seen[id>>6]>>(id&63)&1 != 0 {
		return int32(id), true
	}
	if k, ok := t.ints.Find(id); ok {
		return ^k, true
	}
	if id >= 0 && id < max(firstLimit, t.limit) {
		if int(id>>6) >= len(t.seen) {
			t.seen = append(t.seen, make([]uint64, max(int(id>>6)+1, len(t.seen)+len(t.seen)/4, 16)-len(t.seen))...)
		}
		t.seen[id>>6] |= 1 << (id & 63)
		return int32(id), t.appeared(int32(id))
	}
	t.ints.Add(id, int32(len(t.others)))
	return t.other(otherID{number: id})
}

// text is number for an id that is not one.
func (t *vertexTable) text(id []byte) (int32, bool) {
	var key ids.Key
	t.texts.SetKey(&key, id, 0, len(id))
	if k, ok := t.texts.Find(&key, id); ok {
		return ^k, true
	}
	return t.newText(&key, id)
}

// newText is text for one that is not there.
func (t *vertexTable) newText(key *ids.Key, block []byte) (int32, bool) {
	t.texts.Add(key, block, int32(len(t.others)))
	return t.other(otherID{text: int32(t.texts.Len())})
}

func (t *vertexTable) other(id otherID) (int32, bool) {
	t.others = append(t.others, id)
	p := ^int32(len(t.others) - 1)
	return p, t.appeared(p)
}

// appeared notes a new vertex. It returns false if that is one too many.
func (t *vertexTable) appeared(p int32) bool {
	t.order = append(t.order, p)
	t.limit = min(perVertex*int64(len(t.order)), graph.MaxVertices)
	return len(t.order) <= graph.MaxVertices
}

// lookAlike returns how many texts are the same as another one once both are in Unicode's form NFC, and the first two.
func (t *vertexTable) lookAlike() (one, other string, count int) {
	var composed map[string]string // by their form NFC, the texts that are in another one
	for i := range t.texts.Len() {
		name := t.texts.Name(int32(i))
		if norm.NFC.IsNormalString(name) {
			continue
		}
		nfc := norm.NFC.String(name)
		twin, found := composed[nfc]
		var key ids.Key
		t.texts.SetKey(&key, []byte(nfc), 0, len(nfc))
		if _, there := t.texts.Find(&key, []byte(nfc)); there {
			twin, found = nfc, true
		}
		if composed == nil {
			composed = map[string]string{}
		}
		composed[nfc] = name
		if !found {
			continue
		}
		if count++; count == 1 {
			one, other = twin, name
		}
	}
	return one, other, count
}

// row returns the row of a provisional number, once the table is frozen.
func (t *vertexTable) row(p int32) int32 {
	switch {
	case t.forced:
		return p
	case t.declared > 0 && p < 0:
		return int32(t.others[^p].number - t.base)
	case t.declared > 0:
		return p - int32(t.base)
	case p < 0:
		return t.rowOther[^p]
	case t.rowOf != nil:
		return t.rowOf[t.smaller(p)]
	}
	return t.before + t.smaller(p)
}

// smaller returns how many small ids are below p.
func (t *vertexTable) smaller(p int32) int32 {
	below := t.seen[p>>6] & (1<<(p&63) - 1)
	return t.rank[p>>6] + int32(bits.OnesCount64(below))
}

// rankSmall prepares smaller. It returns the number of small ids.
func (t *vertexTable) rankSmall() int32 {
	t.rank = make([]int32, len(t.seen))
	n := int32(0)
	for i, set := range t.seen {
		t.rank[i] = n
		n += int32(bits.OnesCount64(set))
	}
	return n
}

// freeze fixes the rows: ascending where all ids are numbers, else by first appearance. It returns the
// number of vertices and their ids.
func (t *vertexTable) freeze() (int, graph.IDs) {
	switch {
	case t.forced:
		return int(t.top - t.base + 1), graph.IDs{Base: t.base}
	case t.declared > 0:
		return int(t.declared), graph.IDs{Base: t.base}
	case t.texts.Len() > 0:
		return len(t.order), t.freezeText()
	}
	n := len(t.order)
	t.order = nil
	return n, t.freezeNumbers(n)
}

func (t *vertexTable) freezeText() graph.IDs {
	names := make([]string, len(t.order))
	t.rowOf = make([]int32, t.rankSmall())
	t.rowOther = make([]int32, len(t.others))
	for row, p := range t.order {
		switch {
		case p >= 0:
			names[row] = strconv.Itoa(int(p))
			t.rowOf[t.smaller(p)] = int32(row)
			continue
		case t.others[^p].text > 0:
			names[row] = t.texts.Name(t.others[^p].text - 1)
		default:
			names[row] = strconv.FormatInt(t.others[^p].number, 10)
		}
		t.rowOther[^p] = int32(row)
	}
	t.order = nil
	return graph.TextIDs(names)
}

// freezeNumbers makes the rows ascend by id. Ids below 0 come first, then those with a bit in seen, then
// the rest. Numbers that are in the map only because they came before the limit had grown get a bit now.
func (t *vertexTable) freezeNumbers(n int) graph.IDs {
	top := 64 * int64(len(t.seen))
	var below, above []int32 // indices into others
	for k, id := range t.others {
		switch {
		case id.number < 0:
			below = append(below, int32(k))
		case id.number >= top:
			above = append(above, int32(k))
		default:
			t.seen[id.number>>6] |= 1 << (id.number & 63)
		}
	}
	t.before = int32(len(below))
	small := t.rankSmall()
	t.rowOther = make([]int32, len(t.others))
	for k, id := range t.others {
		if id.number >= 0 && id.number < top {
			t.rowOther[k] = t.row(int32(id.number))
		}
	}
	t.rankOthers(below, 0)
	t.rankOthers(above, t.before+small)
	return t.numericIDs(n, below, above)
}

// rankOthers sorts indices into others by id and gives them rows from first on.
func (t *vertexTable) rankOthers(indices []int32, first int32) {
	type place struct {
		number int64
		index  int32
	}
	places := make([]place, len(indices)) // side by side, which sorts faster than where they are
	for i, k := range indices {
		places[i] = place{t.others[k].number, k}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.number, b.number) })
	for i, p := range places {
		indices[i] = p.index
		t.rowOther[p.index] = first + int32(i)
	}
}

// numericIDs lists the ids in ascending order, unless they are consecutive.
func (t *vertexTable) numericIDs(n int, below, above []int32) graph.IDs {
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	t.eachNumber(below, above, func(id int64) { least, most = min(least, id), max(most, id) })
	if n == 0 || most-least == int64(n)-1 { // wraps to a negative number where the ids span more
		return graph.IDs{Base: least}
	}
	ids := make([]int64, 0, n)
	t.eachNumber(below, above, func(id int64) { ids = append(ids, id) })
	return graph.IDs{Numeric: ids}
}

// eachNumber calls f with every id in ascending order.
func (t *vertexTable) eachNumber(below, above []int32, f func(int64)) {
	for _, k := range below {
		f(t.others[k].number)
	}
	for i, set := range t.seen {
		for ; set != 0; set &= set - 1 {
			f(64*int64(i) + int64(bits.TrailingZeros64(set)))
		}
	}
	for _, k := range above {
		f(t.others[k].number)
	}
}

// parseID reads an integer in the one way that strconv prints it, so that the id "007" keeps its zeros
// as a text.
func parseID(tok []byte) (int64, bool) {
	if len(tok) == 0 || len(tok) > 20 {
		return 0, false
	}
	start := 0
	if tok[0] == '-' {
		start = 1
	}
	if x, next := digits(tok, start); next == len(tok) && next > start {
		switch {
		case tok[start] == '0' && (next > start+1 || start == 1):
			return 0, false
		case start == 1:
			return -x, true
		}
		return x, true
	}
	x, err := strconv.ParseInt(string(tok), 10, 64)
	return x, err == nil && strconv.FormatInt(x, 10) == string(tok)
}
