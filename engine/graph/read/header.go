package read

import "ooc/engine/graph/read/internal/columns"

// Ends returns which columns of a header name the ends of an arc, by the names that edge lists may have for them; false if it
// does not name both.
func Ends(header []string) (from, to int, ok bool) {
	c, ok, err := columns.Named(header)
	return c.From, c.To, ok && err == nil
}
