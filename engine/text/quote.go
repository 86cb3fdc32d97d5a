package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Quote makes a word safe to show, and to paste into a shell. What is not printable is written as bash, zsh and POSIX
// 2024 have it: $'\x1b'.
func Quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_./=:,+@%", r)
	}
	if word != "" && strings.TrimFunc(word, plain) == "" {
		return word
	}
	if !Printable(word) {
		return quoteHidden(word)
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// quoteHidden is Quote for words that are not printable.
func quoteHidden(word string) string {
	out := []byte("$'")
	for len(word) > 0 {
		_, size := utf8.DecodeRuneInString(word)
		switch c := word[:size]; {
		case c == "'" || c == `\`:
			out = append(append(out, '\\'), c...)
		case Printable(c):
			out = append(out, c...)
		default:
			for _, b := range []byte(c) {
				out = fmt.Appendf(out, `\x%02x`, b)
			}
		}
		word = word[size:]
	}
	return string(append(out, '\''))
}
