package tiles

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// field is a part of each entry.
type field struct{ off, size int } // bytes

func (s *Store) distances() field { return field{0, s.meta.Kind.Bytes()} }

// wide reads distances into the last part of dst, and makes entries of Kind.Wide of them, which fill dst.
func (s *Store) wide(dst []byte, read func(dst []byte) error) error {
	if len(dst)%s.meta.Kind.Wide().Bytes() != 0 {
		return fmt.Errorf("read %s: %d bytes are no whole number of entries", s.dir, len(dst))
	}
	if err := read(s.meta.Kind.Narrow(dst)); err != nil {
		return err
	}
	s.meta.Kind.Widen(dst)
	return nil
}

// predecessors returns the field of predecessors, or why there is none.
func (s *Store) predecessors() (field, error) {
	if !s.meta.Predecessors {
		return field{}, fmt.Errorf("%s: %w", s.dir, errNoPredecessors)
	}
	return field{s.meta.Kind.Bytes(), PredecessorBytes}, nil
}

// errNoPredecessors is wrapped by the error of a call for the predecessors of a
// store that keeps distances alone.
var errNoPredecessors = errors.New("the store keeps no predecessors")

// copy gathers the field of entries that begin stride bytes apart in src, as
// many as dst has room for.
func (f field) copy(dst, src []byte, stride int) {
	if f.size == stride {
		copy(dst, src)
		return
	}
	switch f.size { // each by itself: a copy of few bytes that is not known to be short would be a call
	case 1:
		for to, from := 0, f.off; to < len(dst); to, from = to+1, from+stride {
			dst[to] = src[from]
		}
	case 2:
		for to, from := 0, f.off; to < len(dst); to, from = to+2, from+stride {
			binary.LittleEndian.PutUint16(dst[to:], binary.LittleEndian.Uint16(src[from:]))
		}
	case 4:
		for to, from := 0, f.off; to < len(dst); to, from = to+4, from+stride {
			binary.LittleEndian.PutUint32(dst[to:], binary.LittleEndian.Uint32(src[from:]))
		}
	default:
		for to, from := 0, f.off; to < len(dst); to, from = to+8, from+stride {
			binary.LittleEndian.PutUint64(dst[to:], binary.LittleEndian.Uint64(src[from:]))
		}
	}
}

// ReadRowPredecessors is ReadRow for predecessors: row numbers, int32, or
// NoPredecessor. It fails where the store keeps none.
func (m matrix) ReadRowPredecessors(dst []byte, u int) error {
	return m.before(func(f field) error { return m.readLine(dst, u, false, f) })
}

// ReadColPredecessors is ReadCol for predecessors.
func (m matrix) ReadColPredecessors(dst []byte, v int) error {
	return m.before(func(f field) error { return m.readLine(dst, v, true, f) })
}

// ReadEntriesPredecessors is ReadEntries for predecessors.
func (m matrix) ReadEntriesPredecessors(dst []byte, i, j, first int) error {
	return m.before(func(f field) error { return m.readFields(dst, i, j, first, f) })
}

// before reads the field of predecessors.
func (m matrix) before(read func(f field) error) error {
	f, err := m.s.predecessors()
	if err != nil {
		return err
	}
	return read(f)
}

// ReadHere copies what a store, which may be a part store, has of line u, a row or a column: of each of its tiles
// there, one after another, T distances and then T predecessors, padding included. It returns how many bytes these
// are.
func (m matrix) ReadHere(dst []byte, u int, column bool) (n int, err error) {
	s := m.s
	pred, err := s.predecessors()
	if err != nil {
		return 0, err
	}
	if err := s.lineError("line", u, s.geo.N, 0, 0); err != nil {
		return 0, err
	}
	for x := range s.geo.Side() {
		i, j := u/s.geo.T, x
		if column {
			i, j = j, i
		}
		if !s.Holds(i, j) {
			continue
		}
		for _, f := range []field{s.distances(), pred} {
			end := n + s.geo.T*f.size
			if err := m.readPart(dst[n:end], i, j, u%s.geo.T, column, f); err != nil {
				return 0, err
			}
			n = end
		}
	}
	return n, nil
}

// WritePredecessors replaces the predecessors of some columns of row u, which
// ascend, and leaves the distances. It is not durable before the next
// Checkpoint.
func (s *Store) WritePredecessors(u int, columns, predecessors []int32) error {
	f, err := s.predecessors()
	if err != nil {
		return err
	}
	if err := s.mayWrite(); err != nil {
		return err
	}
	t := s.geo.T
	for len(columns) > 0 {
		if v := int(columns[0]); u < 0 || u >= s.geo.RowCount() || v < 0 || int(columns[len(columns)-1]) >= s.geo.N {
			return fmt.Errorf("write %s: there are no entries of row %d from column %d to %d", s.dir, u, v,
				columns[len(columns)-1])
		}
		j, n := int(columns[0])/t, 1
		for n < len(columns) && int(columns[n])/t == j {
			n++
		}
		s.changed()
		first, last := int(columns[0])%t, int(columns[n-1])%t
		err := s.touch("write", u/t, j, int64((u%t*t+first)*s.geo.EntryBytes), int64((last-first+1)*s.geo.EntryBytes),
			func(part []byte) {
				for k, v := range columns[:n] {
					binary.LittleEndian.PutUint32(part[(int(v)%t-first)*s.geo.EntryBytes+f.off:],
						uint32(predecessors[k]))
				}
			})
		if err != nil {
			return err
		}
		columns, predecessors = columns[n:], predecessors[n:]
	}
	return nil
}
