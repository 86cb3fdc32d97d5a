package read

import (
	"bytes"

	"ooc/engine/graph/internal/arcs"
	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/read/internal/ids"
	"ooc/engine/graph/read/internal/lines"
	"ooc/engine/text"
)

// plainEdges reads lines of an edge list: what the first line with data has settled of it.
type plainEdges struct {
	sep   byte
	parts []part // of each column as far as lines are sure to have them
	exact bool   // lines have no further columns
	loose bool   // see edgeReader.loose
	unit  uint32 // the word of every arc, where no column is its weight
}

// part is what a column is.
type part uint8

const (
	isSkip part = iota
	isFrom
	isTo
	isWeight
)

// edge is what a line says. An id is a number below 10^18, or where its highest bit is set, a text: where
// in the block it begins and, in the last textBits, how long it is.
type edge struct {
	from, to uint64
	word     uint32
}

const (
	textBits = 24
	textFlag = 1 << 63
)

// edgeBatch is what plainEdges has read from a block.
type edgeBatch struct {
	edges []edge
	texts bool         // some id is a text
	float bool         // the words are float32
	plain number.Plain // that they were read with
}

// readPlainEdges reads the lines that are left.
func (r *edgeReader) readPlainEdges() error {
	r.plain = plainEdges{sep: r.sep, parts: make([]part, max(r.Least, r.width*btoi(!r.named))), exact: !r.named, loose: r.loose()}
	r.plain.parts[r.From], r.plain.parts[r.To] = isFrom, isTo
	if r.Weight >= 0 {
		r.plain.parts[r.Weight] = isWeight
	} else {
		word, ok, err := r.out.word([]byte("1"))
		if !ok {
			return err
		}
		r.plain.unit = word
	}
	r.out.publish()
	return (&lines.Bulk[edgeBatch]{Lines: r.in, Parse: r.parse, Commit: r.commit, Slow: r.line}).Run()
}

func (r *edgeReader) parse(text []byte, b *edgeBatch) (read int) {
	b.plain = *r.out.plain.Load()
	w := &b.plain
	b.float = w.Float
	b.edges, read = r.plain.read(text, w, b.edges[:0])
	flags := uint64(0)
	for _, e := range b.edges {
		flags |= e.from | e.to
	}
	b.texts = flags&textFlag != 0
	return read
}

// commit adds edges, of which a line has one. A line with an id that gets no vertex is read again, so that
// the error says why.
func (r *edgeReader) commit(text []byte, b *edgeBatch) error {
	first := r.in.Line + 1
	r.out.Weigh.Rounding.Take(&b.plain, text, first)
	r.recs = r.recs[:0]
	for i, e := range b.edges {
		k := i % lookAhead
		if k == 0 && (b.texts || r.table.ints.Len() > 0) {
			r.lookAhead(text, b.edges[i:min(i+lookAhead, len(b.edges))])
		}
		u, ok := r.known(text, e.from, &r.keys[k][0])
		v, also := r.known(text, e.to, &r.keys[k][1])
		if !ok || !also {
			r.in.Line = first + int64(i)
			for range i {
				text = text[bytes.IndexByte(text, '\n')+1:]
			}
			line, _, _ := bytes.Cut(text, []byte("\n"))
			return r.arc(bytes.TrimSuffix(line, []byte("\r")))
		}
		r.recs = append(r.recs, arcs.Arc{From: u, To: v, Word: e.word})
	}
	if r.out.Weigh.Float && !b.float {
		arcs.FloatWords(r.recs)
	}
	r.out.addAll(r.recs, first)
	r.in.Line += int64(len(b.edges))
	return nil
}

// lookAhead edges have their ids prepared at once: these may be anywhere in the tables, and the processor
// waits for many places at a time if it is asked for nothing else in between.
const lookAhead = 32

func (r *edgeReader) lookAhead(block []byte, edges []edge) {
	texts, ints := &r.table.texts, &r.table.ints
	found := r.wanted[:0]
	for i, e := range edges {
		for end, id := range [2]uint64{e.from, e.to} {
			if id&textFlag != 0 {
				k := &r.keys[i][end]
				texts.SetKey(k, block, int(id&^textFlag>>textBits), int(id&(1<<textBits-1)))
				found = append(found, k)
			} else if ints.Len() > 0 {
				r.fetched += ints.Fetch(int64(id))
			}
		}
	}
	for _, k := range found {
		texts.FetchSlot(k)
	}
	for _, k := range found {
		r.fetched += texts.Fetch(k)
	}
}

// known returns the vertex of an id, whose key lookAhead has set if it is a text.
func (r *edgeReader) known(block []byte, id uint64, key *ids.Key) (int32, bool) {
	if id&textFlag == 0 {
		return r.table.number(int64(id))
	}
	if r.table.forced {
		return 0, false
	}
	if place, ok := r.table.texts.Find(key, block); ok {
		return ^place, true
	}
	if !text.Printable(key.In(block)) {
		return 0, false
	}
	return r.table.newText(key, block)
}

// read appends the edges of lines from the start of text, as far as they are plain. It returns where it
// stopped.
func (p *plainEdges) read(text []byte, w *number.Plain, edges []edge) ([]edge, int) {
	i := 0
	for i < len(text) {
		line := i
		e := edge{word: p.unit}
		if text[i] <= ' ' {
			i = plainGap(text, i)
		}
		for c, kind := range p.parts {
			if c > 0 {
				if i = p.column(text, i); i < 0 {
					return edges, line
				}
			}
			next := i
			switch kind {
			case isFrom:
				e.from, next = p.id(text, i)
			case isTo:
				e.to, next = p.id(text, i)
			case isWeight:
				e.word, next = p.weight(text, i, w)
			case isSkip:
				if next = p.skip(text, i); c == 0 && isSkipped(text[i:next]) {
					next = i
				}
			}
			if next == i {
				return edges, line
			}
			i = next
		}
		if text[i] == '\n' {
			i++
		} else if i = p.end(text, i); i < 0 {
			return edges, line
		}
		if p.loose && bytes.IndexByte(text[line:i], '\t') >= 0 && !onlyTabs(text[line:i]) {
			return edges, line
		}
		edges = append(edges, e)
	}
	return edges, i
}

// column returns where the column after the one that ends at text[i] begins, or -1.
func (p *plainEdges) column(text []byte, i int) int {
	if p.sep == 0 {
		if text[i] == ' ' && text[i+1] > ' ' {
			return i + 1
		}
		if next := plainGap(text, i); next > i {
			return next
		}
		return -1
	}
	if text[i] <= ' ' {
		i = plainGap(text, i)
	}
	if text[i] != p.sep {
		return -1
	}
	if i++; text[i] <= ' ' {
		i = plainGap(text, i)
	}
	return i
}

// ends reports whether a column may end before text[i].
func (p *plainEdges) ends(text []byte, i int) bool {
	switch c := text[i]; c {
	case ' ', '\n', '\t':
		return true
	case '\r':
		return text[i+1] == '\n'
	default:
		return c == p.sep && c != 0
	}
}

// end returns where the next line begins, text[i] being behind the last column that matters, or -1.
func (p *plainEdges) end(text []byte, i int) int {
	if p.exact {
		return plainEnd(text, i)
	}
	if p.sep != 0 { // what follows a blank belongs to the column
		next := skipBlank(text, i)
		if c := text[next]; c != p.sep && c != '\n' && (c != '\r' || text[next+1] != '\n') {
			return -1
		}
	}
	n := bytes.IndexByte(text[i:], '\n')
	if bytes.IndexByte(text[i:i+n], '"') >= 0 { // quotes may be wrong
		return -1
	}
	return i + n + 1
}

// id reads the id of a vertex at text[i:]. It returns i where that is not a plain one.
func (p *plainEdges) id(text []byte, i int) (id uint64, next int) {
	if text[i] == '"' {
		return p.quoted(text, i)
	}
	id, next = number.Natural(text, i)
	switch digits := next - i; {
	case digits == 0:
		return p.text(text, i, i)
	case digits >= number.MaxDigits || text[i] == '0' && digits > 1:
		return 0, i
	case p.ends(text, next):
		return id, next
	case text[next] >= '@' && text[next]|0x20 != 'e': // not 1e5, which may be a number
		return p.text(text, i, next)
	}
	return 0, i
}

// text reads a text at text[i:] that cannot be a number, or only if it ends before text[from]. A number
// begins with a digit, a sign or a point.
func (p *plainEdges) text(text []byte, i, from int) (id uint64, next int) {
	next = from
	if text[next] < '@' {
		return 0, i
	}
	end := next
	for ; ; next++ {
		c := text[next]
		if c > ' ' && c != p.sep {
			if c == '"' || c == 0x7f {
				return 0, i
			}
			end = next + 1
			continue
		}
		if c == ' ' && p.sep != 0 {
			continue // inside the text or behind it
		}
		if !p.ends(text, next) || end-i >= 1<<textBits {
			return 0, i
		}
		return textFlag | uint64(i)<<textBits | uint64(end-i), next
	}
}

// quoted reads an id in quotes that has none inside.
func (p *plainEdges) quoted(text []byte, i int) (id uint64, next int) {
	start := i + 1
	end := start
	for text[end] != '"' {
		if text[end] < ' ' || text[end] == 0x7f {
			return 0, i
		}
		end++
	}
	if !p.ends(text, end+1) || end == start || end-start >= 1<<textBits {
		return 0, i
	}
	id, after := number.Natural(text, start)
	switch {
	case after == end && end-start < number.MaxDigits && (text[start] != '0' || end == start+1):
		return id, end + 1
	case text[start] >= '@':
		return textFlag | uint64(start)<<textBits | uint64(end-start), end + 1
	}
	return 0, i
}

// weight reads a weight at text[i:], which may stand in quotes. It returns i where that is not a plain one.
func (p *plainEdges) weight(text []byte, i int, w *number.Plain) (word uint32, next int) {
	inside := btoi(text[i] == '"')
	word, next = w.Read(text, i+inside)
	if next == i+inside || inside == 1 && text[next] != '"' || !p.ends(text, next+inside) {
		return 0, i
	}
	return word, next + inside
}

// skip returns where the column at text[i:] ends, whatever it holds, or i.
func (p *plainEdges) skip(text []byte, i int) int {
	if text[i] == '"' {
		return i
	}
	for c := text[i]; c != '\n' && c != p.sep && (p.sep != 0 || !isBlank(c)); c = text[i] {
		i++
	}
	return i
}
