package number

import "strconv"

// Format prints a number without an exponent as long as that is readable.
func Format(x float64) string {
	if x == float64(int64(x)) && x < 1e18 && x > -1e18 {
		return strconv.FormatInt(int64(x), 10)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// Quoted shortens a piece of the input and makes it printable, for error messages.
func Quoted(text []byte) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "…"
	}
	return strconv.Quote(string(text))
}
