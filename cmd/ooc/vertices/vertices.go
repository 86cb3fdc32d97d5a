// Package vertices finds the rows of vertices that users name: by an id, by a range of ids, in a list or in a file of
// lists or pairs.
package vertices

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"ooc/engine/graph"
	"ooc/engine/text"
	"ooc/tiles/class"
)

// errUsage is wrapped by the error of a list on the command line that names no vertices, whatever the ids are.
var errUsage = class.New(class.Usage, "a list that names no vertices")

// Of are the vertices of a store or of an input.
type Of struct {
	IDs  graph.IDs
	N    int
	Name string // what has them, for errors
}

// Find returns the row of a vertex. It fails with graph.ErrNoVertex.
func (v Of) Find(id string) (int, error) {
	row, ok := v.IDs.Row(id, v.N)
	if !ok {
		return 0, text.ErrorOf(graph.ErrNoVertex, "%s has no vertex %q", v.Name, id)
	}
	return row, nil
}

// Rows returns the rows of vertices, and fails as Find does.
func (v Of) Rows(ids ...string) (rows []int, err error) {
	for _, id := range ids {
		row, err := v.Find(id)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Set returns the rows that --sources or --targets names, ascending: a selection, a file of one, or random:K. "" is
// none, which means all.
func (v Of) Set(flag, list string) ([]int32, error) {
	if list == "" {
		return nil, nil
	}
	if text, ok := strings.CutPrefix(list, "random:"); ok {
		return randomSet(flag, text, v.N)
	}
	if _, err := v.Find(list); err != nil {
		if info, err := os.Stat(list); err == nil && info.Mode().IsRegular() {
			list = "@" + list
		}
	}
	at, err := v.Selection(flag, list)
	if err != nil {
		return nil, err
	}
	rows := make([]int32, len(at))
	for i, row := range at {
		rows[i] = int32(row)
	}
	slices.Sort(rows)
	return slices.Compact(rows), nil
}

// randomSet picks K of n vertices, the same in every run, so that the same command continues what it has begun.
func randomSet(flag, word string, n int) ([]int32, error) {
	k, err := strconv.Atoi(word)
	if err != nil || k < 1 || k > n {
		return nil, text.ErrorOf(errUsage, "--%s random:%s: want a number from 1 to %d", flag, word, n)
	}
	rows := make([]int32, 0, k)
	r := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	for v := range n { // Knuth's algorithm S
		if r.IntN(n-v) < k-len(rows) {
			rows = append(rows, int32(v))
		}
	}
	return rows, nil
}

// Selection reads --rows, --cols, --source, --sources and --targets: ids, ranges FIRST..LAST and @FILEs, separated by
// commas, ids with commas in double quotes. A text that is the id of a vertex means that vertex, whatever else it could
// mean. nil selects all.
func (v Of) Selection(flag, list string) (at []int, err error) {
	if list == "" {
		return nil, nil
	}
	if row, err := v.Find(list); err == nil { // an id that holds commas
		return []int{row}, nil
	}
	cells, err := text.Split(list, ',')
	if err != nil {
		return nil, text.ErrorOf(errUsage, "--%s %s: %w", flag, list, err)
	}
	for _, c := range cells {
		file, ok := strings.CutPrefix(c.Text, "@")
		if _, err := v.item(nil, c); err != nil && ok && !c.Quoted {
			if file == "" {
				return nil,
					text.ErrorOf(errUsage, "--%s %s: a file's name goes behind @, or - for standard input", flag, list)
			}
			rows, err := v.list(file,
				map[string]string{"rows": "row", "cols": "column", "source": "source", "sources": "source",
					"targets": "target"}[flag])
			if err != nil {
				return nil, fmt.Errorf("--%s: %w", flag, err)
			}
			at = append(at, rows...)
			continue
		}
		if at, err = v.item(at, c); errors.Is(err, errBackwards) {
			err = text.ErrorOf(errUsage, "%w", err)
		}
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", flag, err)
		}
	}
	if len(at) == 0 {
		return nil, text.ErrorOf(errUsage, "--%s %s: it names no vertex", flag, list)
	}
	return at, nil
}

var errBackwards = errors.New("ends before it starts")

// item adds the row of an id, or those of a range, which is not quoted.
func (v Of) item(at []int, c text.Cell) ([]int, error) {
	row, err := v.Find(c.Text)
	if err == nil {
		return append(at, row), nil
	}
	first, last, ok := strings.Cut(c.Text, "..")
	if !ok || c.Quoted || !errors.Is(err, graph.ErrNoVertex) {
		return nil, err
	}
	ends, err := v.Rows(first, last)
	if err != nil {
		return nil, err
	}
	if ends[0] > ends[1] {
		return nil, fmt.Errorf("the range %s %w", c.Text, errBackwards)
	}
	for row := ends[0]; row <= ends[1]; row++ {
		at = append(at, row)
	}
	return at, nil
}
