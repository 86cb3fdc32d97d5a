package vertices

import (
	"errors"
	"fmt"
	"strings"

	"ooc/engine/graph"
	"ooc/engine/text"
)

// Selection reads --rows, --cols, --source and --sources: ids, ranges FIRST..LAST and @FILEs, separated by commas,
// ids with commas in double quotes. A text that is the id of a vertex means that vertex, whatever else it could mean.
// nil selects all.
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
				return nil, text.ErrorOf(errUsage, "--%s %s: a file's name goes behind @, or - for standard input", flag, list)
			}
			rows, err := v.list(file, map[string]string{"rows": "row", "cols": "column", "source": "source", "sources": "source"}[flag])
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
	lo, err := v.Find(first)
	if err != nil {
		return nil, err
	}
	hi, err := v.Find(last)
	if err != nil {
		return nil, err
	}
	if lo > hi {
		return nil, fmt.Errorf("the range %s %w", c.Text, errBackwards)
	}
	for row := lo; row <= hi; row++ {
		at = append(at, row)
	}
	return at, nil
}
