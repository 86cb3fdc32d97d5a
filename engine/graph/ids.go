package graph

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/text/unicode/norm"

	"ooc/engine/text"
)

// IDs are the names that vertices have in the input and everywhere outside the program. At most one of
// Numeric and Text is set; where neither is, row i is called Base+i.
type IDs struct {
	Base    int64    // the id of row 0 where ids are consecutive; 1 for DIMACS
	Numeric []int64  // ascending
	Text    []string // by first appearance in the input

	index func() map[string]int32 // the rows by Text; nil: Text is searched
}

// TextIDs returns the ids of rows called by text, which are distinct. Row is fast on IDs made by it.
func TextIDs(text []string) IDs {
	return IDs{Text: text, index: sync.OnceValue(func() map[string]int32 {
		rows := make(map[string]int32, len(text))
		for row, id := range slices.Backward(text) { // so that the first of two rows counts
			rows[id] = int32(row)
		}
		return rows
	})}
}

// Consecutive reports whether row i is called Base+i, so that nothing needs to be stored but Base.
func (ids IDs) Consecutive() bool { return ids.Numeric == nil && ids.Text == nil }

// Name returns the id of a row.
func (ids IDs) Name(row int) string {
	if ids.Text != nil {
		return ids.Text[row]
	}
	return string(ids.Append(nil, row))
}

// Append appends the id of a row.
func (ids IDs) Append(out []byte, row int) []byte {
	switch {
	case ids.Text != nil:
		return append(out, ids.Text[row]...)
	case ids.Numeric != nil:
		return strconv.AppendInt(out, ids.Numeric[row], 10)
	}
	return strconv.AppendInt(out, ids.Base+int64(row), 10)
}

// Row returns the row, of n, that an id belongs to. A text that is no id may be one in another form of Unicode: an é
// is one character to some keyboards, and an e and its accent to others. The first call on text ids builds an index,
// where the ids came from TextIDs; it may be called by several goroutines.
func (ids IDs) Row(name string, n int) (int, bool) {
	if ids.Text != nil {
		row, ok := ids.textRow(name)
		for _, form := range []norm.Form{norm.NFC, norm.NFD} {
			if !ok && !form.IsNormalString(name) {
				row, ok = ids.textRow(form.String(name))
			}
		}
		return row, ok
	}
	id, err := strconv.ParseInt(name, 10, 64)
	if err != nil {
		return 0, false
	}
	if ids.Numeric != nil {
		return slices.BinarySearch(ids.Numeric, id)
	}
	row := uint64(id) - uint64(ids.Base) // not negative, and so in range where int64 might overflow
	if id < ids.Base || row >= uint64(n) {
		return 0, false
	}
	return int(row), true
}

// Check fails where an id cannot be shown and typed again, or belongs to two rows, or numeric ids do not ascend.
func (ids IDs) Check() error {
	for i := 1; i < len(ids.Numeric); i++ {
		if before, id := ids.Numeric[i-1], ids.Numeric[i]; id <= before {
			return fmt.Errorf("ids do not ascend: %d is followed by %d", before, id)
		}
	}
	for row, id := range ids.Text {
		if id == "" || !text.Printable(id) {
			return fmt.Errorf("the id of row %d, %q, cannot be shown", row, id)
		}
	}
	if ids.index == nil {
		return nil
	}
	for row, id := range ids.Text {
		if first, _ := ids.textRow(id); first != row {
			return fmt.Errorf("rows %d and %d have the same id, %q", first, row, id)
		}
	}
	return nil
}

func (ids IDs) textRow(name string) (int, bool) {
	if ids.index == nil {
		row := slices.Index(ids.Text, name)
		return max(row, 0), row >= 0
	}
	row, ok := ids.index()[name]
	return int(row), ok
}
