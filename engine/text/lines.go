package text

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// longestLine bounds the memory that a file of lines takes.
const longestLine = 1 << 20

// ErrLongLine is wrapped by EachLine's error where a line is too long to be believed.
var ErrLongLine = fmt.Errorf("a line of over %d bytes", longestLine)

// EachLine calls do with every line of a text, without a byte-order mark, until one fails. Errors name the text and
// the line.
func EachLine(in io.Reader, name string, do func(line string) error) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine+1) // with its end
	n := 1
	for ; lines.Scan(); n++ {
		line := lines.Text()
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if err := do(line); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	err := lines.Err()
	var path *fs.PathError
	if errors.Is(err, bufio.ErrTooLong) {
		err = ErrLongLine
	} else if errors.As(err, &path) {
		return fmt.Errorf("%s: %w", name, path.Err) // which has the name too, and is about no line
	}
	if err != nil {
		return fmt.Errorf("%s:%d: %w", name, n, err)
	}
	return nil
}
