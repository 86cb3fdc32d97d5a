package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hidden reports whether a character must not be shown as it is: it moves a terminal's cursor, ends a line or turns the
// direction of writing (https://trojansource.codes).
func hidden(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' &&
		r <= '\u2069'
}

// Printable reports whether a text can be shown in a line, and typed again.
func Printable[T string | []byte](s T) bool {
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
		if r == utf8.RuneError && size <= 1 || hidden(r) {
			return false
		}
		i += size
	}
	return true
}

// AppendPrintable appends text with all that is not printable escaped as in JSON, but for line ends and tabs. What is
// no UTF-8 becomes \x and two digits. It returns what begins a character that text does not end, at most three bytes.
func AppendPrintable(out, text []byte) (printable, rest []byte) {
	for len(text) > 0 {
		plain := 0
		for plain < len(text) &&
			(text[plain] >= ' ' && text[plain] < 0x7f || text[plain] == '\n' || text[plain] == '\t') {
			plain++
		}
		out, text = append(out, text[:plain]...), text[plain:]
		if len(text) == 0 {
			break
		}
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && !utf8.FullRune(text):
			return out, text
		case r == utf8.RuneError && size <= 1:
			out = fmt.Appendf(out, `\x%02x`, text[0])
		case hidden(r):
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = append(out, text[:size]...)
		}
		text = text[size:]
	}
	return out, nil
}

// Line returns a text in which all that is not printable is escaped, line ends and tabs too.
func Line(s string) string {
	if Printable(s) {
		return s
	}
	out, rest := AppendPrintable(nil, []byte(s))
	for _, b := range rest {
		out = fmt.Appendf(out, `\x%02x`, b)
	}
	return lineEnds.Replace(string(out))
}

// lineEnds escapes what AppendPrintable leaves.
var lineEnds = strings.NewReplacer("\n", `\u000a`, "\t", `\u0009`)

// OneLine reports whether a text has no line end, the one character that AppendPrintable cannot escape: nobody knows
// there who has written it.
func OneLine(s string) bool { return !strings.Contains(s, "\n") }
