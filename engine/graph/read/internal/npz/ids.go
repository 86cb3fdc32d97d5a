package npz

import (
	"bufio"
	"errors"

	"ooc/engine/graph"
)

// Named reports whether the archive says how the vertices are called.
func (m *matrix) Named() bool { return m.members["ids"] != nil }

// IDs reads how the vertices are called, if the archive says so: in an array of int64, which ascend, or in one of
// bytes, where each id ends with a line feed. Else they are base, base+1, ….
func (m *matrix) IDs(base int64) (ids graph.IDs, err error) {
	if !m.Named() {
		return graph.IDs{Base: base}, nil
	}
	a := m.list("ids")
	switch a.Code {
	case "u1":
		ids = m.texts(a)
	case "i8":
		ids = m.numbers(a)
	default:
		m.fail("ids is of type %q, and not of int64 or of bytes", a.Descr)
	}
	a.end()
	if m.err == nil {
		m.err = ids.Check()
	}
	if n := ids.Numeric; m.err == nil && n != nil && uint64(n[m.N-1])-uint64(n[0]) == uint64(m.N-1) {
		ids = graph.IDs{Base: n[0]}
	}
	return ids, m.err
}

func (m *matrix) numbers(a *array) graph.IDs {
	if a.length != m.N {
		m.fail("there are %d ids for %d vertices", a.length, m.N)
	}
	var all []int64 // not of a size that is not there yet
	for m.err == nil && len(all) < int(m.N) {
		all = append(all, a.next())
	}
	return graph.IDs{Numeric: all}
}

func (m *matrix) texts(a *array) graph.IDs {
	var all []string
	for m.err == nil && len(all) < int(m.N) {
		id, err := a.data.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			m.fail("id %d of %d: it has more than %d bytes", len(all), m.N, longest)
		case err != nil:
			m.fail("id %d of %d: it does not end: %w", len(all), m.N, err)
		default:
			all = append(all, string(id[:len(id)-1]))
		}
	}
	return graph.TextIDs(all)
}
