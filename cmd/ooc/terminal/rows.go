package terminal

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ooc/engine/text"
)

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
