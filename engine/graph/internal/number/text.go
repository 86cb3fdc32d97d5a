package number

import "strconv"

// Quoted shortens a piece of the input and makes it printable, for error messages.
func Quoted(text []byte) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "…"
	}
	return strconv.Quote(string(text))
}
