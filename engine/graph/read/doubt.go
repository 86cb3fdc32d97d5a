package read

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"ooc/engine/graph/internal/number"
	"ooc/engine/graph/packed"
)

// What speaks against the plain reading of a table of arcs. Each case was read without a word, and wrong.

// missing are what programs write for a value that they do not have.
var missing = strings.Fields(`NA N/A n/a NaN nan NAN NULL null None <NA> \N`)

// doubtID refuses a text that is hardly the id of a vertex. Quotes say that it is one.
func (r *edgeReader) doubtID(f field, column string) error {
	id := string(f.text)
	before, behind, _ := strings.Cut(id, strings.TrimFunc(id, invisible))
	odd := before + behind
	if strings.ContainsRune(id, '\ufeff') {
		odd = "\ufeff"
	}
	switch {
	case r.held == nil && r.names != nil && slices.Equal(textsOf(r.fields), r.names):
		return r.fail("the line is the header again: awk '!seen[$0]++' FILE > NEW leaves each line there once")
	case odd != "":
		c := []rune(odd)[0]
		return r.fail("vertex %s has the character %U, which cannot be seen: remove it, sed 's/\\x%s//g' FILE > NEW",
			number.Quoted(f.text), c, strings.ReplaceAll(fmt.Sprintf("% X", string(c)), " ", `\x`))
	case f.quoted:
		return nil
	case slices.Contains(missing, id):
		return r.fail("the %s vertex is missing (%s); if it is called so, write it in double quotes", column, id)
	case strings.Trim(id, "{}<>-–—|&+:=~/\\.,;_") == "":
		how := "remove it, or if a vertex is called so, write it in double quotes"
		if r.width > 2 && !r.named && r.To == 1 {
			how = "if it stands between two vertices, say --columns from=1,to=3; if it is one, write it in double " +
				"quotes"
		}
		return r.fail("vertex %s is only a mark: %s", number.Quoted(f.text), how)
	}
	return nil
}

// invisible reports whether a character at the end of an id is not seen.
func invisible(c rune) bool {
	return c > '~' && (unicode.IsSpace(c) || strings.ContainsRune("\u200b\u200c\u200d\u2060\ufeff", c))
}

// amount is how words begin that are amounts with a unit or a mark, and no names of columns.
var amount = regexp.MustCompile(`^[$€£~<>≈±]?\d`)

// doubtHeader reports whether a first line of words, whose names are not known, is an arc: one of its ids is a vertex
// of another line, or its weight is no name.
func (r *edgeReader) doubtHeader() bool {
	at := 2
	if r.named {
		at = r.Weight
	}
	return r.recurs() || at < len(r.fields) && !r.hasIDs &&
		(amount.Match(r.fields[at].text) || slices.Contains(missing, string(r.fields[at].text)))
}

const decimal = `[-+]?((\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|(?i:inf|infinity|nan))`

// like returns a test for a pattern.
func like(pattern string) func(text string) bool { return regexp.MustCompile(pattern).MatchString }

// doubts refuses a first arc, in line, if all lines of the sample make the same mistake.
func (r *edgeReader) doubts(line []byte) error {
	var rows [][]field
	for _, l := range append([][]byte{line}, r.sample[:min(len(r.sample), 1000)]...) {
		if cells, _ := r.split(endsOf(l), nil); len(cells) > max(r.From, r.To, r.Weight, r.back) {
			rows = append(rows, cells)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	alike := func(column int, is func(text string) bool) bool { // -1 is the last
		return !slices.ContainsFunc(rows, func(cells []field) bool {
			c := cells[(column+len(cells))%len(cells)]
			return c.quoted || !is(string(c.text))
		})
	}
	sep := string(r.sep)
	shownLine := number.Quoted(bytes.TrimSpace(line))
	for _, pair := range []string{"()", "[]", "{}"} {
		if alike(0, like(`^\`+pair[:1])) && alike(-1, like(`\`+pair[1:]+`$`)) {
			return r.fail("%s stands in brackets, as all lines: tr -d '%s' < FILE > NEW", shownLine, pair)
		}
	}
	for _, column := range []int{r.From, r.To} {
		id := string(rows[0][column].text)
		shown := number.Quoted([]byte(id))
		for _, end := range []string{",", ";", ":"} {
			if !alike(column, like(`.`+end+`$`)) {
				continue
			}
			how := fmt.Sprintf(`if it is no part of it: sed 's/%s\([[:blank:]]\)/\1/g' FILE > NEW`, end)
			if r.sep == ',' || r.sep == ';' {
				how = fmt.Sprintf("if it is no part of it: sed 's/%s%s/%[2]s/g' FILE > NEW", end, sep)
			}
			if end == ":" && column == r.From && r.sep == ' ' {
				how += `; if all that follows it are its neighbours: ` +
					`awk '{sub(/:/, ""); for (i = 2; i <= NF; i++) print $1, $i}' FILE > NEW`
			}
			return r.fail("vertex %s ends with %q, as on all lines: %s", shown, end, how)
		}
		for _, joint := range arrows {
			if !r.named && alike(column, like(`.`+joint+`.`)) {
				return r.fail("%s may be two vertices: if %s separates them, sed 's/%[2]s/%[3]s/' FILE > NEW; if "+
					"it is one, name the columns with --columns", shown, joint, sep)
			}
		}
	}
	if r.named {
		return nil
	}
	isID := func(text string) bool { _, ok := parseID([]byte(text)); return ok }
	isText := func(text string) bool { return !isNumber([]byte(text)) }
	from, to, list := rows[0][r.From], rows[0][r.To], like(`^`+decimal+`(,`+decimal+`)+$`)
	switch {
	case r.doubtSize(line):
		return r.fail("%s may be the size of a matrix: sed %dd FILE > NEW and --format matrix if so, --columns "+
			"from=1,to=2,weight=3 if each line is an arc", r.counts, r.counts.line)
	case r.names == nil && r.width == 3 && numbersLines(rows):
		return r.fail("%s: column 1 counts the lines, so column 2 may be from: --columns from=2,to=3 if so, "+
			"--columns from=1,to=2,weight=3 if column 1 is", shownLine)
	case alike(r.From, list) && alike(r.To, isID), alike(r.To, list) && alike(r.From, isID):
		return r.fail("%s is cut only at %q: if a comma separates columns too, tr , '%[2]s' < FILE > NEW; if it "+
			"does not, name the columns with --columns", shownLine, sep)
	case r.sep == ',' && r.Weight < 0 && alike(r.From, like(`\S\s+\S+\s+`+decimal+`$`)) && alike(r.To, like(`^\d*$`)):
		return r.fail("%s has a comma between digits: tr , . < FILE > NEW if it is a decimal comma, tr -d , < "+
			"FILE > NEW if it separates thousands", shownLine)
	case r.names == nil && r.width == 3 && r.Weight == 2 && len(rows) > 1 && isText(string(to.text)) &&
		alike(1, func(id string) bool { return id == string(to.text) }) &&
		(alike(0, isID) && alike(2, isID) || alike(0, isText) && alike(2, isText)):
		return r.fail("column 2 is %s on all lines, and may say how %s and %s are joined: --columns from=1,to=3 "+
			"if so, --columns from=1,to=2,weight=3 if it is a vertex", number.Quoted(to.text), number.Quoted(from.text),
			number.Quoted(rows[0][2].text))
	}
	return r.doubtClosed(rows)
}

// doubtClosed refuses costs that are 1,000,000 where a way is closed, as osm2po writes them.
func (r *edgeReader) doubtClosed(rows [][]field) error {
	if r.back < 0 {
		return nil
	}
	closed, others := false, 0.
	for _, cells := range rows {
		for _, column := range []int{r.Weight, r.back} {
			if x, _ := number.Parse(cells[column].text); x == 1e6 {
				closed = true
			} else {
				others = max(others, x)
			}
		}
	}
	if !closed || others > 1e5 {
		return nil
	}
	return r.fail("some costs are 1000000, as osm2po writes where a way is closed; -1 says so here: awk -F'%[1]c' "+
		"-v OFS='%[1]c' '$%[2]d == 1000000 {$%[2]d = -1} $%[3]d == 1000000 {$%[3]d = -1} 1' FILE > NEW", r.sep,
		r.Weight+1, r.back+1)
}

// konectNoLength is what column 3 of a network of KONECT holds that is no length, by the kind of its weights.
var konectNoLength = map[string]string{
	"positive":    "counts parallel arcs",
	"signed":      "is 1 for a friend and -1 for a foe",
	"multisigned": "is 1 for a friend and -1 for a foe",
	"dynamic":     "says whether an arc appears or goes",
}

// noPath are marks that matrices have where there is no path.
var noPath = append(strings.Fields("- -- . x X * ∞ ?"), missing...)

// doubtLabels returns what speaks against taking the first line of a matrix, with a corner, for labels: a mark of no
// path among numbers.
func doubtLabels(sep byte, first []field) string {
	mark, numbers := "", 0
	for i, c := range first {
		text := string(c.text)
		switch {
		case isNumber(c.text):
			numbers++
		case c.quoted, mark != "" && mark != text, i > 0 && !isNumber(first[0].text), !slices.Contains(noPath, text):
			return ""
		default:
			mark = text
		}
	}
	if mark == "" || numbers == 0 {
		return ""
	}
	return fmt.Sprintf("%q in its first line may say that there is no arc, or belong to labels: for the first, awk "+
		`-F'%c' -v OFS='%[2]c' '{for (i = 1; i <= NF; i++) {t = $i; gsub(/[ \t\r]/, "", t); `+
		`if (t == "%[3]s") $i = "inf"}} 1' `+"FILE > NEW; for the second, say --format matrix",
		mark, sep, strings.ReplaceAll(mark, `\`, `\\`))
}

// doubtLists says that a file is read as METIS, where it could as well be two numbers and arcs, and its name does not
// say which.
func (r *metisReader) doubtLists() {
	ext := strings.ToLower(filepath.Ext(packed.TrimExt(r.File)))
	if int64(r.N) == r.m && r.columns == 2 && r.arcs+r.self == 2*r.m && ext != ".graph" && ext != ".metis" {
		r.remark("read as METIS: line 1 is the numbers of vertices and edges, and each line after it lists the " +
			"neighbours of a vertex; --format edgelist reads each line as an arc")
	}
}

// doubtPair reports whether two lines with zeros on the diagonal are one graph as a matrix, and another as arcs.
func doubtPair(rows [][]field) bool {
	return len(rows) == 2 && (string(rows[0][1].text) != "1" || string(rows[1][0].text) != "1")
}

// doubtSize reports whether a first line of one number is the size of the matrix that follows.
func (r *edgeReader) doubtSize(line []byte) bool {
	return r.counts != nil && r.counts.edges < 0 && r.whole && int64(len(r.sample)+1) == r.counts.vertices &&
		squareOf(append([][]byte{line}, r.sample...), true, false) != nil
}

// numbersLines reports whether the first cells are in quotes and count the lines, as R writes them, and no others are.
func numbersLines(rows [][]field) bool {
	first, _ := parseID(rows[0][0].text)
	for i, cells := range rows {
		x, ok := parseID(cells[0].text)
		if !ok || x != first+int64(i) || !cells[0].quoted || cells[1].quoted || first > 1 {
			return false
		}
	}
	return len(rows) > 1
}
