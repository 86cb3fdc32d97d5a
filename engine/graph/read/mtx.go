package read

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/number"
)

// matrixMarket is NIST's exchange format for matrices, the entry in row i and column j being the arc from
// vertex i to vertex j: https://math.nist.gov/MatrixMarket/formats.html
var matrixMarket = inputFormat{
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
var isMTX = regexp.MustCompile(`(?i)^%%?MatrixMarket\s`).Match

// mtxReader holds what the lines so far have said.
type mtxReader struct {
	*sink
	array, pattern, integer bool
	symmetry                string

	row, col int32 // of an array, where the next entry is
}

func readMTX(out *sink) error {
	r := &mtxReader{sink: out}
	if err := cmp.Or(r.banner(), r.direct()); err != nil {
		return err
	}
	r.Weigh.Integral = r.integer
	r.matrix.full, r.matrix.odd = r.array, map[string]int64{}
	r.bothWays = r.array || r.symmetry != "general"
	most := uint32(number.FewNines)
	if r.array {
		most = 0
	}
	err := r.eachLine("%", "", 3-btoi(r.pattern), most, "line with the size of the matrix, "+r.sizeLine(), r.line)
	return cmp.Or(err, r.checkStored())
}

// banner reads "%%MatrixMarket matrix FORMAT FIELD SYMMETRY".
func (r *mtxReader) banner() error {
	text, _ := r.in.Peek()
	remedy := withoutBanner(bytes.Split(text, []byte("\n")))
	line, err := r.in.Next()
	if err != nil && err != io.EOF {
		return err
	}
	words := bytes.Fields(bytes.ToLower(line))
	switch {
	case remedy != "" && !isMTX(line):
		return r.fail("the first line is not \"%s matrix coordinate|array FIELD SYMMETRY\"; %s", mtxBanner, remedy)
	case len(words) != 5 || string(words[1]) != "matrix" || !isMTX(line):
		return r.fail("the first line is not \"%s matrix coordinate|array FIELD SYMMETRY\"", mtxBanner)
	}
	layout, field, symmetry := string(words[2]), string(words[3]), string(words[4])
	r.array, r.pattern, r.symmetry = layout == "array", field == "pattern", symmetry
	r.integer = field == "integer" || field == "unsigned-integer"
	switch {
	case layout != "coordinate" && layout != "array":
		return r.fail("format %s is neither coordinate nor array", number.Quoted(words[2]))
	case field == "complex" || symmetry == "hermitian":
		return r.fail("a %s matrix: the length of an arc is one real number; write out its real part, or its "+
			"absolute values", map[bool]string{true: "complex", false: "hermitian"}[field == "complex"])
	case !r.pattern && !r.integer && field != "real" && field != "double":
		return r.fail("field %s is none of real, integer and pattern", number.Quoted(words[3]))
	case !slices.Contains([]string{"general", "symmetric", "skew-symmetric"}, symmetry):
		return r.fail("symmetry %s is none of general, symmetric and skew-symmetric", number.Quoted(words[4]))
	case r.pattern && (r.array || symmetry == "skew-symmetric"):
		return r.fail("a pattern can be neither an array nor skew-symmetric: it has no values")
	}
	return nil
}

// withoutBanner returns what makes a file of Matrix Market of lines that begin with its size, as far as that can be
// told from the line after that; else "".
func withoutBanner(data [][]byte) string {
	sized := false
	for _, line := range data {
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
		return r.fail("the size of the matrix is not %s", r.sizeLine())
	case sizes[0] != sizes[1]:
		return r.fail("a matrix of %d rows and %d columns is not square, as that of a graph is", sizes[0], sizes[1])
	}
	n := sizes[0]
	entries := map[string]int64{"general": n * n, "symmetric": n * (n + 1) / 2,
		"skew-symmetric": n * (n - 1) / 2}[r.symmetry]
	if r.Expected = (n*n + 1) / 2; !r.array { // Measure doubles it
		entries, r.Expected = sizes[2], sizes[2]
	}
	r.row = r.firstRow()
	r.announce(entries, "entries")
	return r.declare(n)
}

// sizeLine says how the size is written.
func (r *mtxReader) sizeLine() string {
	return map[bool]string{true: `"ROWS COLUMNS"`, false: `"ROWS COLUMNS ENTRIES"`}[r.array]
}

// firstRow returns the first row of which the current column has an entry.
func (r *mtxReader) firstRow() int32 {
	return map[string]int32{"general": 0, "symmetric": r.col, "skew-symmetric": r.col + 1}[r.symmetry]
}

// direct settles what the matrix's symmetry means for its arcs.
func (r *mtxReader) direct() error {
	switch {
	case r.symmetry == "skew-symmetric" && r.Undirected:
		return r.failAll("a skew-symmetric matrix cannot be --undirected: there and back, its weights are opposite")
	case r.symmetry == "skew-symmetric":
		r.also = opposite
	case r.symmetry == "general" && r.array:
		r.mustBeSymmetric()
	case r.symmetry == "general":
	case r.options.Directed == nil:
		r.Undirected = true
	case *r.options.Directed:
		r.also = same
	}
	return nil
}

// line reads a line that is no comment.
func (r *mtxReader) line(words [][]byte) error {
	switch {
	case r.N == 0:
		return r.size(words)
	case r.array && len(words) != 1:
		return r.fail("an entry of an array has a line of its own, but this line has %d columns", len(words))
	case r.array:
		u, v := r.row, r.col
		if r.row++; int(r.row) == r.N {
			r.col++
			r.row = r.firstRow()
		}
		if err := r.another(); err != nil {
			return err
		}
		return r.arc(u, v, words[0])
	case r.pattern:
		return r.arcOf(words, 2, `an entry is written "ROW COLUMN"`)
	}
	return r.arcOf(words, 3, `an entry is written "ROW COLUMN VALUE"`)
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
		"column %[1]s has %[4]s", g.Name(u), g.Name(v), g.InputWeight(g.Find(u, v)), other)
}
