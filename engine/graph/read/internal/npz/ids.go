package npz

import (
	"bufio"
	"errors"
	"fmt"

	"ooc/engine/graph"
)

// longest is how many bytes an id may have: a file should not make a reader take memory without end.
const longest = 1 << 16

// Named reports whether the archive says how the vertices are called.
func (m *matrix) Named() bool { return m.members["ids"] != nil }

// IDs reads how the vertices are called, if the archive says so: in an array of int64, which ascend, or in one of
// bytes, where each id ends with a line feed. Else they are base, base+1, ….
func (m *matrix) IDs(base int64) (graph.IDs, error) {
	if !m.Named() {
		return graph.IDs{Base: base}, nil
	}
	a, err := m.list("ids")
	if err != nil {
		return graph.IDs{}, err
	}
	read := m.numbers
	if a.Code == "u1" {
		read = m.texts
	} else if a.Code != "i8" {
		return graph.IDs{}, errors.Join(fmt.Errorf("ids is of type %q, and not of int64 or of bytes", a.Descr), a.close())
	}
	ids, err := read(a)
	if err == nil {
		err = a.end()
	}
	if err == nil {
		err = ids.Check()
	}
	return ids, errors.Join(err, a.close())
}

func (m *matrix) numbers(a *array) (graph.IDs, error) {
	if a.length != m.N {
		return graph.IDs{}, fmt.Errorf("there are %d ids for %d vertices", a.length, m.N)
	}
	var all []int64 // not of a size that is not there yet
	for range m.N {
		id, err := a.nextIndex()
		if err != nil {
			return graph.IDs{}, err
		}
		if len(all) > 0 && id <= all[len(all)-1] {
			return graph.IDs{}, fmt.Errorf("ids do not ascend: %d is followed by %d", all[len(all)-1], id)
		}
		all = append(all, id)
	}
	if uint64(all[len(all)-1])-uint64(all[0]) == uint64(m.N-1) {
		return graph.IDs{Base: all[0]}, nil
	}
	return graph.IDs{Numeric: all}, nil
}

func (m *matrix) texts(a *array) (graph.IDs, error) {
	var all []string
	for range m.N {
		id, err := line(a.data)
		if err != nil {
			return graph.IDs{}, fmt.Errorf("id %d of %d: %w", len(all), m.N, err)
		}
		all = append(all, id)
	}
	return graph.TextIDs(all), nil
}

// line reads up to a line feed.
func line(r *bufio.Reader) (string, error) {
	var id []byte
	for len(id) <= longest {
		b, err := r.ReadByte()
		if err != nil {
			return "", fmt.Errorf("it does not end: %w", err)
		}
		if b == '\n' {
			return string(id), nil
		}
		id = append(id, b)
	}
	return "", fmt.Errorf("it has more than %d bytes", longest)
}
