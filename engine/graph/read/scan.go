package read

// What the parsers of plain lines have in common.

// skipBlank returns the index of the first byte of line, from i on, that is neither space nor tab.
func skipBlank(line []byte, i int) int {
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	return i
}

// digits reads a number of 1 to 18 digits at i and returns it with the index behind it; where there is
// none, or a longer one, it returns i itself.
func digits(line []byte, i int) (x int64, next int) {
	next = i
	for next < len(line) {
		c := line[next] - '0'
		if c > 9 {
			break
		}
		x = x*10 + int64(c)
		next++
	}
	if next-i > 18 {
		return 0, i
	}
	return x, next
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// plainGap returns where the column behind the blanks at text[i:] begins; i if there are none. It is kept
// out of the loops that call it, which see to a single blank by themselves.
//
//go:noinline
func plainGap(text []byte, i int) int { return skipBlank(text, i) }

// plainEnd returns where the line after text[i:] begins, or -1 if more than blanks is left of this one.
func plainEnd(text []byte, i int) int {
	i = skipBlank(text, i)
	if text[i] == '\r' {
		i++
	}
	if text[i] != '\n' {
		return -1
	}
	return i + 1
}
