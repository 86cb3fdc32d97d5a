package tiles

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// RowSet is a set of vertices, strictly ascending. In JSON it is a string of
// numbers and ranges, both ends included: "0..99,200,205..300".
type RowSet []int32

// Index gives the place of vertex v in the set. The empty set stands for all
// vertices.
func (r RowSet) Index(v int) (int, bool) {
	if len(r) == 0 {
		return v, true
	}
	return slices.BinarySearch(r, int32(v))
}

// Vertex is the vertex at a place; it undoes Index.
func (r RowSet) Vertex(place int) int {
	if len(r) == 0 {
		return place
	}
	return int(r[place])
}

func (r RowSet) Validate(n int) error {
	last := int32(-1)
	for _, v := range r {
		if v <= last || int64(v) >= int64(n) {
			return fmt.Errorf("sources do not ascend within 0…%d", n-1)
		}
		last = v
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (r RowSet) MarshalJSON() ([]byte, error) {
	var parts []string
	for i := 0; i < len(r); {
		end := i
		for end+1 < len(r) && r[end+1] == r[end]+1 {
			end++
		}
		part := strconv.Itoa(int(r[i]))
		if end > i {
			part += ".." + strconv.Itoa(int(r[end]))
		}
		parts, i = append(parts, part), end+1
	}
	return json.Marshal(strings.Join(parts, ","))
}

// UnmarshalJSON implements json.Unmarshaler. What it accepts ascends.
func (r *RowSet) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	*r = nil
	last := int64(-1)
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(part, "..")
		if !isRange {
			to = from
		}
		a, err1 := strconv.ParseInt(from, 10, 32)
		b, err2 := strconv.ParseInt(to, 10, 32)
		if err1 != nil || err2 != nil || a <= last || b < a || b >= maxN {
			return fmt.Errorf("sources: %q is no ascending number or range", part)
		}
		for v := a; v <= b; v++ {
			*r = append(*r, int32(v))
		}
		last = b
	}
	return nil
}
