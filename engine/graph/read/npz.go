package read

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/input"
	"ooc/engine/graph/read/internal/npz"
)

// sciPy is what scipy.sparse.save_npz writes: a stored entry in row i and column j is the weight of the arc from i to
// j.
var sciPy = inputFormat{
	Name:       "npz",
	Title:      "sparse matrix of SciPy (.npz): CSR, CSC, COO",
	Extensions: []string{".npz"},
	Directed:   true,
	NoArc:      true, // it may hold zeros that were put there to mean none
	Detect:     detectNPZ,
	readAll:    readNPZ,
}

// detectNPZ looks for a zip file whose first member is an array.
func detectNPZ(head []byte) bool {
	const name = 30 // where it begins, and 4 bytes before that its length
	if len(head) <= name || !bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return false
	}
	end := name + int(binary.LittleEndian.Uint16(head[name-4:]))
	return end <= len(head) && bytes.HasSuffix(head[name:end], []byte(".npy"))
}

func readNPZ(in *input.Input, data io.Reader, out *sink) error {
	file, done, err := seekable(in, data, out.options)
	if err != nil {
		return err
	}
	defer done()
	m, err := npz.Open(file)
	if err != nil {
		return in.Fail("%v", err)
	}
	out.Expected = m.Entries
	if err := cmp.Or(out.declare(m.N), out.Believe(m.N, m.Entries)); err != nil {
		return err
	}
	if out.ids, err = m.IDs(out.first); err != nil {
		return in.Fail("%v", err)
	}
	if out.options.Base != nil && m.Named() {
		return in.Fail("the archive has ids of its own, without --base")
	}
	out.check = func(g *graph.Graph) error {
		_, _, found := g.OneWay()
		out.bothWays = !found
		if g.Parallel == 0 || m.Layout != "coo" || !g.Directed {
			return nil
		}
		// SciPy's shortest_path adds such entries up, in the order and the type that they have; in CSR and CSC it takes
		// the shortest.
		return in.Fail("%d of the stored entries have the place of another one (duplicates): in COO, SciPy takes "+
			"their "+"sum, and a graph the shortest of such arcs. For the sum, in Python: "+
			`import scipy.sparse as s; s.save_npz("NEW.npz", s.load_npz("FILE").tocsr())`, g.Parallel)
	}
	if m.Layout == "coo" && out.Undirected { // an edge may be there both ways, so duplicates show in arcs only
		once := *out
		once.Undirected = false
		if err := once.entries(in, m.Each); err != nil {
			return err
		}
		if _, err := once.finish(); err != nil {
			return err
		}
	}
	return out.entries(in, m.Each)
}

// entries adds the stored entries of a sparse matrix.
func (s *sink) entries(in *input.Input, each func(add func(row, col int32, x npz.Value) error) error) error {
	var buf [32]byte
	var bad error
	err := each(func(row, col int32, x npz.Value) error {
		if k, ok := x.Int32(); ok && row != col && s.options.NoArc == "" && s.Weigh.Scale == 1 {
			s.addInt(row, col, k)
			return nil
		}
		s.value = x
		bad = s.arc(row, col, x.Append(buf[:0]))
		if e := (*graph.InputError)(nil); errors.As(bad, &e) {
			e.Reason = fmt.Sprintf("row %d, column %d (from 0): %s", row, col, e.Reason)
		}
		return bad
	})
	switch {
	case bad != nil:
		return bad
	case err != nil:
		return in.Fail("%v", err)
	}
	return s.checkStored()
}

// seekable returns the archive as a file: a zip file ends with its list of contents. Errors do not name that file: an
// archive may ask for places before its start, or behind its end.
func seekable(in *input.Input, data io.Reader, o Options) (*io.SectionReader, func(), error) {
	if in.File != nil {
		start := make([]byte, 4)
		if _, err := in.File.ReadAt(start, 0); err == nil && bytes.HasPrefix(start, []byte("PK")) {
			return io.NewSectionReader(in.File, 0, in.Was.Size()), func() {}, nil
		}
	}
	f, err := o.NewSpool(0)
	if err != nil {
		return nil, nil, err
	}
	done := func() {
		f.Close()
		os.Remove(f.Name()) // where that was not possible while it was open
	}
	size, err := io.Copy(f, data)
	if err != nil {
		done()
		return nil, nil, in.Wrap(0, err)
	}
	return io.NewSectionReader(f, 0, size), done, nil
}
