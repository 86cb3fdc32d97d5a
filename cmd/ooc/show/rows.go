package show

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"ooc/cmd/ooc/terminal"
	"ooc/engine/text"
)

// label is a name, padded as the beginning of a row.
func label(name string) string { return fmt.Sprintf("%-10s", name) }

// row is a row of parts under a name, as many as fit. Later parts are left out first; the first part is cut if it
// alone is too long.
func row(width int, name string, parts ...string) string {
	line := label(name)
	for i, p := range parts {
		sep := " · "
		if i == 0 {
			sep = ""
		}
		if i > 0 && utf8.RuneCountInString(line+sep+p) > width {
			break
		}
		line += sep + p
	}
	return terminal.Clip(line, width)
}

// escapes are what colours text.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// beside puts two blocks of rows beside each other, the left one so many characters wide.
func beside(left, right []string, width int) []string {
	rows := make([]string, max(len(left), len(right)))
	for i := range rows {
		if i < len(left) {
			rows[i] = left[i]
		}
		if i < len(right) {
			used := utf8.RuneCountInString(escapes.ReplaceAllString(rows[i], ""))
			rows[i] += strings.Repeat(" ", max(0, width-used)) + right[i]
		}
	}
	return rows
}

// timeLeft prints the seconds that are left; less than none are unknown.
func timeLeft(seconds float64) string {
	if seconds < 0 {
		return "time left unknown yet"
	}
	return text.Time(seconds) + " left"
}

func vertices(n int) string { return text.Count(n, "vertex", "vertices") }

func arcs(n int64) string { return text.Count(n, "arc", "arcs") }
