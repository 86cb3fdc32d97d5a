package read

import (
	"bytes"
	"io"
	"slices"

	"ooc/engine/graph/dense"
	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/read/internal/lines"
)

// matrixMarket is NIST's exchange format for matrices, the entry in row i and column j being the arc from
// vertex i to vertex j: https://math.nist.gov/MatrixMarket/formats.html
var matrixMarket = Format{
	Name:       "mtx",
	Title:      "Matrix Market (.mtx), coordinate or array",
	Extensions: []string{".mtx"},
	Directed:   true, // a symmetric matrix is not
	NoArc:      true,
	Detect:     detectMTX,
	read:       readMTX,
}

const mtxBanner = "%%MatrixMarket"

func detectMTX(head []byte) match {
	if len(head) > len(mtxBanner) && bytes.EqualFold(head[:len(mtxBanner)], []byte(mtxBanner)) {
		return yes
	}
	return no
}

// mtxReader holds what the lines so far have said.
type mtxReader struct {
	arcLines
	in *lines.Reader
	o  Options

	array, pattern, integer bool
	symmetry                string

	base, n int64
	sizeAt  int64 // the line that says so
}

func readMTX(in *lines.Reader, o Options, out *sink) error {
	r := &mtxReader{in: in, o: o, base: o.base(1)}
	r.out, r.tooMany, r.slow = out, r.oneMore, r.line
	if err := r.banner(); err != nil {
		return err
	}
	if err := r.size(); err != nil {
		return err
	}
	if err := r.direct(); err != nil {
		return err
	}
	out.Weigh.Integral = r.integer
	out.bothWays = r.array || r.symmetry != "general"
	if err := out.Weigh.SetNone(o.NoArc); err != nil {
		return err
	}
	if r.array {
		return r.readArray()
	}
	r.entries = !r.pattern
	r.plain = plainArcs{base: uint64(r.base), n: uint64(r.n), weighted: !r.pattern}
	if r.pattern {
		word, ok, err := out.word([]byte("1"))
		if !ok {
			return err
		}
		r.plain.unit = word
	}
	if err := r.run(); err != nil {
		return err
	}
	if err := r.complete(); err != nil {
		return err
	}
	return out.checkStored(r.zeros, r.off, o)
}

// checkStored refuses a sparse matrix with many zeros, unless somebody has said what they are, and says that there
// are some.
func (s *sink) checkStored(zeros, entries int64, o Options) error {
	if o.NoArc != "" {
		return nil
	}
	if zeros > 0 {
		s.remark("%d of the stored entries are 0 and are arcs of length 0, as in scipy.sparse.csgraph; --no-arc 0 leaves them out", zeros)
	}
	return dense.CheckZeros(s.File, zeros, entries)
}

// banner reads "%%MatrixMarket matrix FORMAT FIELD SYMMETRY".
func (r *mtxReader) banner() error {
	line, err := r.in.Next()
	if err != nil && err != io.EOF {
		return err
	}
	words := bytes.Fields(bytes.ToLower(line))
	if len(words) != 5 || detectMTX(line) != yes || string(words[1]) != "matrix" {
		return r.out.fail("the first line is not \"%s matrix coordinate|array FIELD SYMMETRY\"", mtxBanner)
	}
	layout, field, symmetry := string(words[2]), string(words[3]), string(words[4])
	r.array, r.pattern, r.symmetry = layout == "array", field == "pattern", symmetry
	r.integer = field == "integer" || field == "unsigned-integer"
	switch {
	case layout != "coordinate" && layout != "array":
		return r.out.fail("format %s is neither coordinate nor array", number.Quoted(words[2]))
	case field == "complex" || symmetry == "hermitian":
		return r.out.fail("a %s matrix: the length of an arc is one real number; write out its real part, or its absolute values",
			map[bool]string{true: "complex", false: "hermitian"}[field == "complex"])
	case !r.pattern && !r.integer && field != "real" && field != "double":
		return r.out.fail("field %s is none of real, integer and pattern", number.Quoted(words[3]))
	case !slices.Contains([]string{"general", "symmetric", "skew-symmetric"}, symmetry):
		return r.out.fail("symmetry %s is none of general, symmetric and skew-symmetric", number.Quoted(words[4]))
	case r.pattern && (r.array || symmetry == "skew-symmetric"):
		return r.out.fail("a pattern can be neither an array nor skew-symmetric: it has no values")
	}
	return nil
}

// size reads the line of the numbers of rows, columns and, but for arrays, entries.
func (r *mtxReader) size() error {
	for {
		line, err := r.in.Next()
		if err == io.EOF {
			return r.out.failAll("the line with the matrix's size is missing")
		}
		if err != nil {
			return err
		}
		if isMTXComment(line) {
			continue
		}
		want := []string{"ROWS COLUMNS ENTRIES", "ROWS COLUMNS"}[btoi(r.array)]
		fields := bytes.Fields(line)
		sizes := make([]int64, 3)
		ok := len(fields) == 3-btoi(r.array)
		for i := 0; ok && i < len(fields); i++ {
			var end int
			sizes[i], end = digits(fields[i], 0)
			ok = end == len(fields[i])
		}
		switch {
		case !ok:
			return r.out.fail("the size of the matrix is not \"%s\"", want)
		case sizes[0] != sizes[1]:
			return r.out.fail("a matrix of %d rows and %d columns is not square, as that of a graph is", sizes[0], sizes[1])
		}
		r.n, r.most, r.sizeAt = sizes[0], sizes[2], r.in.Line
		if r.out.Expected = r.most; r.array {
			r.out.Expected = (r.n*r.n + 1) / 2 // Measure doubles it
		}
		return r.out.declare(r.n, r.base)
	}
}

// isMTXComment reports whether line is blank or a comment.
func isMTXComment(line []byte) bool {
	i := skipBlank(line, 0)
	return i == len(line) || line[i] == '%'
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// direct settles what the matrix's symmetry means for its arcs.
func (r *mtxReader) direct() error {
	switch {
	case r.symmetry == "skew-symmetric" && r.out.Undirected:
		return r.out.failAll("a skew-symmetric matrix cannot be --undirected: there and back, its weights are opposite")
	case r.symmetry == "skew-symmetric":
		r.also = opposite
	case r.symmetry == "general":
	case r.o.Directed == nil:
		r.out.Undirected = true
	case *r.o.Directed:
		r.also = same
	}
	return nil
}

func (r *mtxReader) oneMore() error {
	return r.out.fail("line %d announces %d entries, and this is one more", r.sizeAt, r.most)
}

// complete reports an input that ends before its last entry.
func (r *mtxReader) complete() error {
	if r.found == r.most {
		return nil
	}
	return r.out.failAt(r.sizeAt, "%d entries are announced, but the file ends after %d", r.most, r.found)
}

// line reads a line of a coordinate matrix: any weight, and anything that may be wrong.
func (r *mtxReader) line(line []byte) error {
	if isMTXComment(line) {
		return nil
	}
	if r.found++; r.found > r.most {
		return r.oneMore()
	}
	fields := bytes.Fields(line)
	switch want := 3 - btoi(r.pattern); {
	case len(fields) == 2 && want == 3:
		return r.out.fail("the weight is missing")
	case len(fields) != want:
		return r.out.fail("an entry is written \"%s\", but the line has %d columns",
			[]string{"ROW COLUMN VALUE", "ROW COLUMN"}[btoi(r.pattern)], len(fields))
	}
	u, err := r.out.vertex(fields[0])
	if err != nil {
		return err
	}
	v, err := r.out.vertex(fields[1])
	if err != nil {
		return err
	}
	tok := []byte("1")
	if !r.pattern {
		tok = fields[2]
	}
	return r.arc(u, v, tok)
}
