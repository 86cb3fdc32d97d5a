package text

import "strings"

// AppendCell quotes an id that a reader might split or trim otherwise.
func AppendCell(out []byte, id string) []byte {
	if !strings.ContainsAny(id, "\",;\t\r\n") && strings.TrimSpace(id) == id && id != "" {
		return append(out, id...)
	}
	out = append(out, '"')
	out = append(out, strings.ReplaceAll(id, `"`, `""`)...)
	return append(out, '"')
}
