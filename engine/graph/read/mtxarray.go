package read

import (
	"bytes"
	"math"

	"ooc/engine/graph"
	"ooc/engine/graph/dense"
	"ooc/engine/graph/internal/arcs"
	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/read/internal/lines"
)

// mtxArray reads a matrix that is written out column by column, an entry a line: of a symmetric one the
// part from the diagonal down, of a skew-symmetric one the part below it. As in every matrix, the diagonal
// is ignored unless it is negative.
type mtxArray struct {
	*mtxReader
	row, col int32      // of the next entry
	recs     []arcs.Arc // off the diagonal, of the batch in hand
}

// entryBatch is the entries of a block of lines.
type entryBatch struct {
	words []uint32
	float bool
	plain number.Plain // that they were read with
}

func (r *mtxReader) readArray() error {
	switch r.most = r.n * r.n; r.symmetry {
	case "symmetric":
		r.most = r.n * (r.n + 1) / 2
	case "skew-symmetric":
		r.most = r.n * (r.n - 1) / 2
	}
	a := &mtxArray{mtxReader: r}
	a.row = a.firstRow()
	if r.symmetry == "general" && r.out.Undirected { // as a matrix in any format
		r.out.Undirected, r.out.check = false, a.pairUp
	}
	r.out.publish()
	if err := (&lines.Bulk[entryBatch]{Lines: r.in, Parse: a.parse, Commit: a.commit, Slow: a.line}).Run(); err != nil {
		return err
	}
	if err := r.complete(); err != nil || r.o.NoArc != "" {
		return err
	}
	return dense.CheckZeros(r.out.File, a.zeros, a.off)
}

// firstRow returns the first row of which the current column has an entry.
func (a *mtxArray) firstRow() int32 {
	switch a.symmetry {
	case "symmetric":
		return a.col
	case "skew-symmetric":
		return a.col + 1
	}
	return 0
}

func (a *mtxArray) parse(text []byte, b *entryBatch) int {
	b.plain = *a.out.plain.Load()
	w := &b.plain
	b.float, b.words = w.Float, b.words[:0]
	i := 0
	for i < len(text) {
		word, next := w.ReadEntry(text, skipBlank(text, i))
		if next < 0 {
			return i
		}
		if next = plainEnd(text, next); next < 0 {
			return i
		}
		b.words = append(b.words, word)
		i = next
	}
	return i
}

func (a *mtxArray) commit(text []byte, b *entryBatch) error {
	a.out.Weigh.Rounding.Take(&b.plain, text, a.in.Line+1)
	a.recs = a.recs[:0]
	for _, word := range b.words {
		a.in.Line++
		row, col, err := a.next()
		switch {
		case err != nil:
			return err
		case word == number.NoArc:
			a.off += int64(btoi(row != col))
			continue
		case b.float != a.out.Weigh.Float:
			word = arcs.FloatWord(word)
		}
		switch {
		case row != col:
			a.off++
			a.zeros += int64(btoi(word == 0))
			a.recs = append(a.recs, arcs.Arc{From: row, To: col, Word: word})
		case a.out.Weigh.Value(word) < 0:
			a.out.add(row, col, word)
		}
	}
	a.out.addAll(a.recs, 0)
	if a.also != none && a.reversed(a.recs, a.out.Weigh.Float) {
		a.out.addAll(a.recs, 0)
	}
	return nil
}

// next returns the place of the next entry.
func (a *mtxArray) next() (row, col int32, err error) {
	if a.found == a.most {
		return 0, 0, a.oneMore()
	}
	a.found++
	row, col = a.row, a.col
	if a.row++; int64(a.row) == a.n {
		a.col++
		a.row = a.firstRow()
	}
	return row, col, nil
}

// line reads an entry of any kind.
func (a *mtxArray) line(line []byte) error {
	if isMTXComment(line) {
		return nil
	}
	fields := bytes.Fields(line)
	if len(fields) != 1 {
		return a.out.fail("an entry of an array has a line of its own, but this line has %d columns", len(fields))
	}
	row, col, err := a.next()
	if err != nil {
		return err
	}
	a.off += int64(btoi(row != col))
	tok := fields[0]
	if a.out.Weigh.IsNone(tok) || row == col && isIgnored(tok) {
		return nil
	}
	word, ok, err := a.out.word(tok)
	if !ok || word == a.out.plain.Load().None {
		return err
	}
	a.zeros += int64(btoi(row != col && word == 0))
	return a.add(row, col, word)
}

// pairUp makes the graph undirected, or says which two entries differ.
func (a *mtxArray) pairUp(g *graph.Graph) error {
	u, v, found := g.OneWay()
	if !found {
		g.Directed = false
		return nil
	}
	other := "no arc"
	if k := g.Find(v, u); k >= 0 {
		other = g.InputWeight(k)
	}
	return a.out.failAll("the matrix is not symmetric, as --undirected says: row %s, column %s has %s, but row %[2]s, column %[1]s has %[4]s",
		g.Name(u), g.Name(v), g.InputWeight(g.Find(u, v)), other)
}

// isIgnored reports whether an entry on the diagonal is: if it is a number that is not negative, or none.
func isIgnored(tok []byte) bool {
	x, isSpecial := number.Special(tok)
	return isSpecial && !math.IsInf(x, -1) || number.NotNegative(tok)
}
