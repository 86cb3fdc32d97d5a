package read

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"

	"golang.org/x/text/unicode/norm"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/number"
)

// vertexTable numbers the vertices of an edge list as they appear, and gives them rows once all are known. An id that
// is a small number is its own vertex, which costs a bit; others, in order of appearance, are -1, -2, …
type vertexTable struct {
	seen    []uint64         // bit i: vertex i appeared
	order   []int32          // vertices by first appearance
	numbers []int64          // of vertices -1, -2, …, their ids, if these are numbers
	names   []string         // and if they are not; "" for numbers
	ints    map[int64]int32  // vertices by numbers
	texts   map[string]int32 // and by names

	forced    bool  // ids are base, base+1, … up to the largest that appears, top: a vertex is its id less base
	base, top int64 // or if declared is not 0, up to base+declared-1
	declared  int64

	rank []int32 // of each word of seen, how many vertices the words before it have; set by freeze
}

const (
	// firstSmall: every id below it is small from the start.
	firstSmall = 1 << 24
	// perVertex ids a vertex may be small: how sparse ids may be before a map is smaller.
	perVertex = 16
)

// number returns the vertex of a numeric id, or false if that is one vertex too many, or below the base.
func (t *vertexTable) number(id int64) (int32, bool) {
	if v, ok := t.lookup(id); ok {
		return v, true
	}
	if t.forced {
		t.top = max(t.top, id)
		return int32(id - t.base), id >= t.base && id < t.base+graph.MaxVertices
	}
	if id >= 0 && id < max(firstSmall, min(perVertex*int64(len(t.order)), graph.MaxVertices)) {
		if at := int(id >> 6); at >= len(t.seen) {
			t.seen = append(t.seen, make([]uint64, max(at+1, len(t.seen)*5/4, 16)-len(t.seen))...)
		}
		t.seen[id>>6] |= 1 << (id & 63)
		return t.appeared(int32(id))
	}
	t.ints[id] = ^int32(len(t.numbers))
	return t.other(id, "")
}

// lookup returns the vertex of a numeric id, if it has appeared.
func (t *vertexTable) lookup(id int64) (int32, bool) {
	if at := uint64(id) >> 6; at < uint64(len(t.seen)) && t.seen[at]>>(id&63)&1 != 0 {
		return int32(id), true
	}
	v, ok := t.ints[id]
	return v, ok
}

// text is number for an id that is not one.
func (t *vertexTable) text(id []byte) (int32, bool) {
	if v, ok := t.texts[string(id)]; ok {
		return v, true
	}
	name := string(id)
	t.texts[name] = ^int32(len(t.numbers))
	return t.other(0, name)
}

// other adds the next of vertices -1, -2, …
func (t *vertexTable) other(id int64, name string) (int32, bool) {
	t.numbers, t.names = append(t.numbers, id), append(t.names, name)
	return t.appeared(^int32(len(t.numbers) - 1))
}

// appeared notes a new vertex. It returns false if that is one too many.
func (t *vertexTable) appeared(v int32) (int32, bool) {
	t.order = append(t.order, v)
	return v, len(t.order) <= graph.MaxVertices
}

// find returns the vertex of an id, if it has appeared.
func (t *vertexTable) find(id []byte) (int32, bool) {
	if v, ok := t.texts[string(id)]; ok {
		return v, true
	}
	x, ok := parseID(id)
	v, found := t.lookup(x)
	return v, ok && found
}

// toFront makes vertices the first that have appeared.
func (t *vertexTable) toFront(first ...int32) {
	rest := slices.DeleteFunc(t.order, func(v int32) bool { return slices.Contains(first, v) })
	t.order = append(slices.Compact(first), rest...)
}

// known returns how many vertices there are so far.
func (t *vertexTable) known() int64 {
	if t.forced {
		return t.top + 1 - t.base
	}
	return int64(len(t.order))
}

// id returns the number that a vertex is called.
func (t *vertexTable) id(v int32) int64 {
	if v < 0 {
		return t.numbers[^v]
	}
	return int64(v)
}

// span returns the least and the largest id, or false if some are texts.
func (t *vertexTable) span() (low, high int64, numeric bool) {
	if t.forced || len(t.texts) > 0 || len(t.order) == 0 {
		return t.base, t.top, t.forced || len(t.texts) == 0
	}
	low, high = t.id(t.order[0]), t.id(t.order[0])
	for _, v := range t.order {
		low, high = min(low, t.id(v)), max(high, t.id(v))
	}
	return low, high, true
}

// lookAlike returns the texts that are the same as one before once both are in Unicode's form NFC, behind that one.
func (t *vertexTable) lookAlike() (pairs [][2]string) {
	composed := map[string]string{} // by their form NFC, the texts that are in another one
	for _, name := range t.names {
		if norm.NFC.IsNormalString(name) {
			continue
		}
		nfc := norm.NFC.String(name)
		twin, found := composed[nfc]
		if _, there := t.texts[nfc]; there {
			twin, found = nfc, true
		}
		if composed[nfc] = name; found {
			pairs = append(pairs, [2]string{twin, name})
		}
	}
	return pairs
}

// freeze fixes the rows: ascending where all ids are numbers, else by first appearance. It returns the number of
// vertices, their ids and their rows.
func (t *vertexTable) freeze() (n int, ids graph.IDs, row func(v int32) int32) {
	n = len(t.order)
	low, high, numeric := t.span()
	switch {
	case t.forced:
		return int(t.known()), graph.IDs{Base: t.base}, func(v int32) int32 { return v }
	case t.declared > 0:
		return int(t.declared), graph.IDs{Base: t.base}, func(v int32) int32 { return int32(t.id(v) - t.base) }
	case numeric && high-low == int64(n)-1, n == 0: // wraps to a negative number where the ids span more
		return n, graph.IDs{Base: low}, func(v int32) int32 { return int32(t.id(v) - low) }
	case numeric:
		t.ascend()
		ids.Numeric = make([]int64, n)
	default:
		ids = graph.TextIDs(make([]string, n))
	}
	t.rankSmall()
	rows := make([]int32, n)
	for row, v := range t.order {
		switch {
		case numeric:
			ids.Numeric[row] = t.id(v)
		case v < 0 && t.names[^v] != "":
			ids.Text[row] = t.names[^v]
		default:
			ids.Text[row] = strconv.FormatInt(t.id(v), 10)
		}
		rows[t.place(v)] = int32(row)
	}
	if numeric && len(t.numbers) == 0 {
		return n, ids, t.place // which is nearer to the processor than rows
	}
	return n, ids, func(v int32) int32 { return rows[t.place(v)] }
}

// place returns a number of its own for each vertex: small ids from the first one on, others from the last one down.
func (t *vertexTable) place(v int32) int32 {
	if v < 0 {
		return int32(len(t.order)) + v
	}
	return t.rank[v>>6] + int32(bits.OnesCount64(t.seen[v>>6]&(1<<(v&63)-1)))
}

// rankSmall prepares place.
func (t *vertexTable) rankSmall() {
	t.rank = make([]int32, len(t.seen))
	n := int32(0)
	for i, set := range t.seen {
		t.rank[i] = n
		n += int32(bits.OnesCount64(set))
	}
}

// ascend sorts the vertices, which are numbers, by their ids.
func (t *vertexTable) ascend() {
	t.order = t.order[:0]
	for i, set := range t.seen {
		for ; set != 0; set &= set - 1 {
			t.order = append(t.order, int32(64*i+bits.TrailingZeros64(set)))
		}
	}
	for i := range t.numbers {
		t.order = append(t.order, ^int32(i))
	}
	slices.SortFunc(t.order, func(a, b int32) int { return cmp.Compare(t.id(a), t.id(b)) })
}

// parseID reads an integer in the one way that strconv prints it, so that the id "007" keeps its zeros
// as a text.
func parseID(tok []byte) (int64, bool) {
	if x, ok := number.Digits(tok); ok {
		return x, tok[0] != '0' || len(tok) == 1
	}
	if len(tok) == 0 || len(tok) > 20 {
		return 0, false
	}
	x, err := strconv.ParseInt(string(tok), 10, 64)
	return x, err == nil && strconv.FormatInt(x, 10) == string(tok)
}
