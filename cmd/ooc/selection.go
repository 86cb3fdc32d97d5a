package main

import (
	"errors"
	"fmt"
	"strings"

	"ooc/engine/graph"
)

// lookup finds the row of an id.
type lookup func(id string) (int, error)

// selection reads --rows and --cols: ids, ranges FIRST..LAST and @FILEs, separated by commas. A text that is the id of a
// vertex means that vertex, whatever else it could mean. nil selects all.
func selection(find lookup, flag, list string) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	var at []int
	if err := pickOne(find, &at, list); err == nil { // an id that holds commas
		return at, nil
	}
	for word := range strings.SplitSeq(list, ",") {
		var err error
		if file, ok := strings.CutPrefix(word, "@"); ok && pickOne(find, new([]int), word) != nil {
			err = pickFile(find, &at, file)
		} else {
			err = pickOne(find, &at, word)
		}
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", flag, err)
		}
	}
	if len(at) == 0 {
		return nil, usageError{fmt.Errorf("--%s %s: it names no vertex", flag, list)}
	}
	return at, nil
}

// pickOne adds the row of an id, or those of a range.
func pickOne(find lookup, at *[]int, word string) error {
	row, err := find(word)
	if err == nil {
		*at = append(*at, row)
		return nil
	}
	first, last, ok := strings.Cut(word, "..")
	if !ok || !errors.Is(err, graph.ErrNoVertex) {
		return err
	}
	lo, err := find(first)
	if err != nil {
		return err
	}
	hi, err := find(last)
	if err != nil {
		return err
	}
	if lo > hi {
		return usageError{fmt.Errorf("the range %s ends before it starts", word)}
	}
	for row := lo; row <= hi; row++ {
		*at = append(*at, row)
	}
	return nil
}

// pickFile adds what the lines of a file name. Those that start with # and name no vertex are skipped.
func pickFile(find lookup, at *[]int, file string) error {
	return readLines(file, func(line string) error {
		if err := pickOne(find, at, line); err != nil && !strings.HasPrefix(line, "#") {
			return badInput{err}
		}
		return nil
	})
}
