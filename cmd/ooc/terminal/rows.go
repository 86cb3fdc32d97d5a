package terminal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"ooc/engine/text"
)

// Label is a name, padded as the beginning of a row.
func Label(name string) string { return fmt.Sprintf("%-10s", name) }

// Row is a row of parts under a name, as many as fit. Later parts are left out first; the first part is cut if it
// alone is too long.
func Row(width int, name string, parts ...string) string {
	text := Label(name)
	for i, p := range parts {
		sep := " · "
		if i == 0 {
			sep = ""
		}
		if i > 0 && utf8.RuneCountInString(text+sep+p) > width {
			break
		}
		text += sep + p
	}
	return Clip(text, width)
}

// escapes are what colours text.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Beside puts two blocks of rows beside each other, the left one so many characters wide.
func Beside(left, right []string, width int) []string {
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

// Clip cuts a row to a number of characters, in which all that is not printable is escaped.
func Clip(row string, width int) string {
	row = text.Line(row)
	if utf8.RuneCountInString(row) <= width {
		return row
	}
	return string([]rune(row)[:max(0, width-1)]) + "…"
}

// Command is a command of ooc to paste into a shell: its name, flags that are ready to paste, and names of any kind.
// Where a name begins with -, it says that no flags follow.
func Command(name string, flags []string, names ...string) string {
	words := append([]string{"ooc", name}, flags...)
	if slices.ContainsFunc(names, func(n string) bool { return len(n) > 1 && n[0] == '-' }) {
		words = append(words, "--")
	}
	for _, n := range names {
		words = append(words, text.Quote(n))
	}
	return strings.Join(words, " ")
}
