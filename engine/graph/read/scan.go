package read

import (
	"bytes"

	"ooc/engine/graph/internal/number"
)

// What all text formats have in common.

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// trimBlank removes blanks and tabs at both ends.
func trimBlank(text []byte) []byte { return bytes.Trim(text, " \t") }

// next returns the first word of a line, between blanks, and what follows it; an empty word at the end.
func next(line []byte) (word, rest []byte) {
	i := 0
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	start := i
	for i < len(line) && !isBlank(line[i]) {
		i++
	}
	return line[start:i], line[i:]
}

// appendWords appends the words of a line to words.
func appendWords(words [][]byte, line []byte) [][]byte {
	for word, rest := next(line); len(word) > 0; word, rest = next(rest) {
		words = append(words, word)
	}
	return words
}

// counted reads the numbers of a header, up to the first word that is none.
func counted(words [][]byte) (counts []int64, ok bool) {
	for _, w := range words {
		x, isNumber := number.Digits(w)
		if !isNumber {
			return counts, false
		}
		counts = append(counts, x)
	}
	return counts, true
}

// isDecimal reports whether tok is a number.
func isDecimal(tok []byte) bool {
	_, ok := number.Parse(tok)
	return ok
}

// isNumber reports whether tok is a number, or an infinity or NaN.
func isNumber(tok []byte) bool {
	_, ok := number.Special(tok)
	return ok || isDecimal(tok)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
