package lines

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"ooc/tiles/crashtest"
)

// TestLongestLine holds the reader to the length that it names, wherever the line is and whether it has an end, and the
// documentation to the same.
func TestLongestLine(t *testing.T) {
	crashtest.Slow(t)
	text := make([]byte, 0, maxLine+32)
	for _, start := range []string{"", "short\n"} {
		for _, size := range []int{maxLine, maxLine + 1} {
			for _, end := range []string{"", "\nshort\n"} {
				text = append(text[:0], start...)
				for range size {
					text = append(text, 'x')
				}
				text = append(text, end...)
				lines := New(bytes.NewReader(text)) // which gives as much as is asked for
				longest, err := 0, error(nil)
				for err == nil {
					var line []byte
					line, err = lines.Next()
					longest = max(longest, len(line))
				}
				lines.Close()
				if size == maxLine && (err != io.EOF || longest != maxLine) {
					t.Errorf("%q, a line of %d bytes, %q: %d bytes, %v", start, size, end, longest, err)
				}
				if size > maxLine && !errors.Is(err, errLongLine) {
					t.Errorf("%q, a line of %d bytes, %q: %d bytes were taken, %v", start, size, end, longest, err)
				}
			}
		}
	}
	docs, err := os.ReadFile("../../../../../docs/graph-formats.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("a line longer than %d MiB", maxLine>>20); !bytes.Contains(docs, []byte(want)) {
		t.Errorf("docs/graph-formats.md does not say %q", want)
	}
}
