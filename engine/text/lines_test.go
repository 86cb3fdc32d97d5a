package text

import (
	"errors"
	"strings"
	"testing"
)

// TestLongestLine takes a line of the length that the error names, and none that is longer.
func TestLongestLine(t *testing.T) {
	for _, end := range []string{"", "\n", "\nshort\n"} {
		for size, want := range map[int]error{longestLine: nil, longestLine + 1: ErrLongLine} {
			err := EachLine(strings.NewReader("short\n"+strings.Repeat("x", size)+end), "text",
				func(string) error { return nil })
			if !errors.Is(err, want) {
				t.Errorf("a line of %d bytes, %q: %v", size, end, err)
			}
		}
	}
}
