package terminal

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ooc/engine/text"
)

// Label is a name, padded as the beginning of a row.
func Label(name string) string { return fmt.Sprintf("%-10s", name) }

// Row is a row of parts under a name, as many as fit. Later parts are left out first; the first part is cut if it alone is
// too long.
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

// Clip cuts a row to a number of characters, in which all that is not printable is escaped.
func Clip(row string, width int) string {
	row = text.Line(row)
	if utf8.RuneCountInString(row) <= width {
		return row
	}
	return string([]rune(row)[:max(0, width-1)]) + "…"
}

// Command is a command of ooc to paste into a shell: its name, flags that are ready to paste, and names of any kind. Where a
// name begins with -, it says that no flags follow.
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
