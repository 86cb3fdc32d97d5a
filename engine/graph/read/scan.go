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

// naturals reads a line of nothing but numbers below 10⁹ without signs or zeros before them, at most three. They stand
// between single separators, or if sep is a blank, between blanks. It returns 0 for all other lines: most lines of most
// files are like that, and need not be cut into words first.
func naturals(line []byte, sep byte, x *[3]uint32) (n int) {
	for i := 0; n < len(x); {
		start, v := i, uint32(0)
		for i < len(line) && line[i]-'0' <= 9 {
			v = v*10 + uint32(line[i]-'0')
			i++
		}
		if uint(i-start-1) >= 9 || line[start] == '0' && i > start+1 {
			return 0
		}
		x[n] = v
		n++
		if i == len(line) {
			return n
		}
		if line[i] != sep && (sep != ' ' || line[i] != '\t') {
			return 0
		}
		for i++; i < len(line) && isBlank(line[i]); i++ {
		}
	}
	return 0
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
