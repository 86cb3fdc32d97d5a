package read

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"

	"ooc/engine/graph"
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
	first:      1,
	Detect:     isMTX,
	read:       readMTX,
}

const mtxBanner = "%%MatrixMarket"

// isMTX also takes a banner with one % for one, as some collections have it.
var isMTX = like(`(?i)^%%?MatrixMarket\s`)

// like returns a Detect that looks for a pattern of bytes.
func like(pattern string) func(head []byte) match {
	r := regexp.MustCompile(pattern)
	return func(head []byte) match {
		if r.Match(head) {
			return yes
		}
		return no
	}
}

// mtxReader holds what the lines so far have said.
type mtxReader struct {
	in  *lines.Reader
	o   Options
	out *sink

	array, pattern, integer bool
	symmetry                string

	n, found, most int64 // rows, and entries so far and in all
	sizeAt         int64 // the line that says so
	row, col       int32 // of an array, where the next entry is
}

func readMTX(in *lines.Reader, o Options, out *sink) error {
	r := &mtxReader{in: in, o: o, out: out}
	if err := r.banner(); err != nil {
		return err
	}
	if err := r.direct(); err != nil {
		return err
	}
	out.Weigh.Integral = r.integer
	out.matrix.full = r.array
	out.bothWays = r.array || r.symmetry != "general"
	if err := out.Weigh.SetNone(o.NoArc); err != nil {
		return err
	}
	if err := out.eachLine("%", r.plain, r.line); err != nil {
		return err
	}
	switch {
	case r.sizeAt == 0:
		return out.failAll("the line with the matrix's size is missing")
	case r.found < r.most:
		return out.failAt(r.sizeAt, "%d entries are announced, but the file ends after %d", r.most, r.found)
	}
	return out.checkStored(out.matrix.zeros, out.matrix.off, o)
}

// banner reads "%%MatrixMarket matrix FORMAT FIELD SYMMETRY".
func (r *mtxReader) banner() error {
	text, _ := r.in.Peek()
	remedy := withoutBanner(text)
	line, err := r.in.Next()
	if err != nil && err != io.EOF {
		return err
	}
	words := bytes.Fields(bytes.ToLower(line))
	switch {
	case remedy != "" && isMTX(line) == no:
		return r.out.failAt(1, "the first line is not \"%s matrix coordinate|array FIELD SYMMETRY\"; %s", mtxBanner,
			remedy)
	case len(words) != 5 || string(words[1]) != "matrix" || isMTX(line) == no:
		return r.out.fail("the first line is not \"%s matrix coordinate|array FIELD SYMMETRY\"", mtxBanner)
	}
	layout, field, symmetry := string(words[2]), string(words[3]), string(words[4])
	r.array, r.pattern, r.symmetry = layout == "array", field == "pattern", symmetry
	r.integer = field == "integer" || field == "unsigned-integer"
	switch {
	case layout != "coordinate" && layout != "array":
		return r.out.fail("format %s is neither coordinate nor array", number.Quoted(words[2]))
	case field == "complex" || symmetry == "hermitian":
		return r.out.fail("a %s matrix: the length of an arc is one real number; write out its real part, or its "+
			"absolute values",
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

// withoutBanner returns what makes a file of Matrix Market of a text that begins with its size, as far as that can be
// told from the line after that; else "".
func withoutBanner(text []byte) string {
	sized := false
	for line := range bytes.Lines(text) {
		words := bytes.Fields(line)
		counts, ok := counted(words)
		switch {
		case len(words) == 0 || words[0][0] == '%':
		case sized && (len(words) == 2 || len(words) == 3):
			field := []string{"pattern", "real"}[len(words)-2]
			return fmt.Sprintf("if it is a matrix, add the banner: { echo '%s matrix coordinate %s general'; "+
				"sed '1s/^[^0-9%%]*//' FILE; } > NEW.mtx; or symmetric in the place of general, if each edge is "+
				"there once", mtxBanner, field)
		case sized || !ok || len(counts) != 3 || counts[0] != counts[1]:
			return ""
		default:
			sized = true
		}
	}
	return ""
}

// size reads the line of the numbers of rows, columns and, but for arrays, entries.
func (r *mtxReader) size(words [][]byte) error {
	sizes, ok := counted(words)
	switch {
	case !ok || len(sizes) != 3-btoi(r.array):
		return r.out.fail("the size of the matrix is not \"%s\"", []string{"ROWS COLUMNS ENTRIES",
			"ROWS COLUMNS"}[btoi(r.array)])
	case sizes[0] != sizes[1]:
		return r.out.fail("a matrix of %d rows and %d columns is not square, as that of a graph is", sizes[0], sizes[1])
	}
	r.n, r.sizeAt = sizes[0], r.in.Line
	switch {
	case !r.array:
		r.most = sizes[2]
	case r.symmetry == "symmetric":
		r.most = r.n * (r.n + 1) / 2
	case r.symmetry == "skew-symmetric":
		r.most = r.n * (r.n - 1) / 2
	default:
		r.most = r.n * r.n
	}
	r.out.Expected = r.most
	if r.array {
		r.out.Expected = (r.n*r.n + 1) / 2 // Measure doubles it
		r.row = r.firstRow()
	}
	return r.out.declare(r.n)
}

// firstRow returns the first row of which the current column has an entry.
func (r *mtxReader) firstRow() int32 {
	switch r.symmetry {
	case "symmetric":
		return r.col
	case "skew-symmetric":
		return r.col + 1
	}
	return 0
}

// direct settles what the matrix's symmetry means for its arcs.
func (r *mtxReader) direct() error {
	switch {
	case r.symmetry == "skew-symmetric" && r.out.Undirected:
		return r.out.failAll("a skew-symmetric matrix cannot be --undirected: there and back, its weights are opposite")
	case r.symmetry == "skew-symmetric":
		r.out.also = opposite
	case r.symmetry == "general" && r.array:
		r.out.mustBeSymmetric()
	case r.symmetry == "general":
	case r.o.Directed == nil:
		r.out.Undirected = true
	case *r.o.Directed:
		r.out.also = same
	}
	return nil
}

// plain reads most lines of sparse matrices.
func (r *mtxReader) plain(line []byte) bool {
	if r.found >= r.most || r.array || r.pattern {
		return false
	}
	var x [3]uint32
	ok := naturals(line, ' ', &x) == 3 && x[2] < number.FewNines && r.out.plainArc(x[0], x[1], x[2])
	if ok {
		r.found++
		r.out.matrix.off++
		r.out.matrix.zeros += int64(btoi(x[2] == 0))
	}
	return ok
}

// line reads a line that is no comment.
func (r *mtxReader) line(words [][]byte) error {
	want := 3 - btoi(r.pattern)
	switch {
	case r.sizeAt == 0:
		return r.size(words)
	case r.array && len(words) != 1:
		return r.out.fail("an entry of an array has a line of its own, but this line has %d columns", len(words))
	}
	if r.found++; r.found > r.most {
		return r.out.fail("line %d announces %d entries, and this is one more", r.sizeAt, r.most)
	}
	switch {
	case r.array:
		u, v := r.row, r.col
		if r.row++; int64(r.row) == r.n {
			r.col++
			r.row = r.firstRow()
		}
		return r.out.entry(u, v, words[0])
	case len(words) == 2 && want == 3:
		return r.out.fail("the weight is missing")
	case len(words) != want:
		return r.out.fail("an entry is written \"%s\", but the line has %d columns",
			[]string{"ROW COLUMN VALUE", "ROW COLUMN"}[btoi(r.pattern)], len(words))
	}
	u, v, err := r.out.ends(words[0], words[1])
	switch {
	case err != nil:
		return err
	case r.pattern:
		return r.out.arc(u, v, []byte("1"))
	}
	return r.out.entry(u, v, words[2])
}

// mustBeSymmetric makes a full matrix symmetric or refused, if its graph shall be undirected.
func (s *sink) mustBeSymmetric() {
	if s.Undirected {
		s.Undirected, s.check = false, s.pairUp
	}
}

// pairUp makes the graph undirected, or says which two entries differ.
func (s *sink) pairUp(g *graph.Graph) error {
	u, v, found := g.OneWay()
	if !found {
		g.Directed = false
		return nil
	}
	other := "no arc"
	if k := g.Find(v, u); k >= 0 {
		other = g.InputWeight(k)
	}
	return s.failAll("the matrix is not symmetric, as --undirected says: row %s, column %s has %s, but row %[2]s, "+
		"column %[1]s has %[4]s",
		g.Name(u), g.Name(v), g.InputWeight(g.Find(u, v)), other)
}
