package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Plan is what an algorithm means to do, which it says itself. Algorithms whose plans are of one type share a member
// of JSON objects.
type Plan interface {
	// Member is the name of the plan in JSON objects. A plan that was not made is there, too: as Traits.Plan.
	Member() string
	// Lines is how people read the plan of a solve that q asks for. The last line ends with the time.
	Lines(q *Basis) []Line
}

// Line is a line of a plan for people.
type Line struct{ Name, Text string }

// Plans are plans in the order of their members in JSON objects, one of each.
type Plans []Plan

// With returns the plans with p in its place.
func (l Plans) With(p Plan) Plans {
	l = slices.Clone(l)
	i := slices.IndexFunc(l, func(q Plan) bool { return q.Member() == p.Member() })
	if i < 0 {
		return append(l, p)
	}
	l[i] = p
	return l
}

// Of returns the plan of a type; its zero value if there is none.
func Of[P Plan](l Plans) (p P) {
	for _, q := range l {
		if q, ok := q.(P); ok {
			return q
		}
	}
	return p
}

// JSON is the JSON of a struct, and a member for each plan behind its own.
func (l Plans) JSON(v any) ([]byte, error) {
	out, err := json.Marshal(v)
	for _, p := range l {
		if err != nil {
			return nil, err
		}
		var body []byte
		body, err = json.Marshal(p)
		out = fmt.Appendf(out[:len(out)-1], ",%q:%s}", p.Member(), body)
	}
	return out, err
}

// read is a plan that comes from a file. It can be written again, and that is all.
type read struct {
	json.RawMessage
	member string
}

func (r read) Member() string      { return r.member }
func (r read) Lines(*Basis) []Line { return nil }

// Read takes the plans from what JSON has made of a struct: all members that are not fields of v, by their names.
func (l *Plans) Read(data []byte, v any) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		delete(all, name)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		*l = append(*l, read{all[name], name})
	}
	return nil
}
