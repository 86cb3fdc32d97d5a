package flagvalue

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"

	"ooc/cmd/ooc/exit"
)

// Plainly is what a user has typed, quoted if it might be taken for something else.
func Plainly(text string) string {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r == ' ' || !strconv.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// Numbers parses what was given to a flag: numbers with commas between them, or nothing.
func Numbers(flag, list string) (numbers []float64, err error) {
	if list == "" {
		return nil, nil
	}
	for word := range strings.SplitSeq(list, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil {
			return nil, exit.UsageError(fmt.Errorf("--%s %s: %q is no number", flag, list, word))
		}
		numbers = append(numbers, x)
	}
	return numbers, nil
}

// Within parses what was given to --within: a distance, or nothing, which is any.
func Within(text string) (float64, error) {
	if text == "" {
		return math.Inf(1), nil
	}
	r, err := strconv.ParseFloat(text, 64)
	return r, exit.Refuse(err != nil || math.IsNaN(r), "--within %s: want a distance", text)
}

// NewFolder fails if the folder that a flag names is something else. It need not be there, or be named.
func NewFolder(flag, dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil && !errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("--%s: %w", flag, err)
	case err != nil || !info.IsDir():
		return exit.UsageError(fmt.Errorf("--%s %s is no folder; name one, or leave it to be made", flag, dir))
	}
	return nil
}
