package read

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"ooc/engine/graph"
	"ooc/engine/graph/internal/input"
	"ooc/engine/graph/read/internal/npz"
	"ooc/kernels/entry"
)

// sciPy is what scipy.sparse.save_npz writes: a stored entry in row i and column j is the weight of the arc from i to
// j.
var sciPy = Format{
	Name:       "npz",
	Title:      "sparse matrix of SciPy (.npz): CSR, CSC, COO",
	Extensions: []string{".npz"},
	Directed:   true,
	NoArc:      true, // it may hold zeros that were put there to mean none
	Detect:     detectNPZ,
	readAll:    readNPZ,
}

// detectNPZ looks for a zip file whose first member is an array.
func detectNPZ(head []byte) match {
	const name = 30 // where it begins, and 4 bytes before that its length
	if len(head) > name && bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		end := name + int(binary.LittleEndian.Uint16(head[name-4:]))
		if end <= len(head) && bytes.HasSuffix(head[name:end], []byte(".npy")) {
			return yes
		}
	}
	return no
}

func readNPZ(in *input.Input, data io.Reader, o Options, out *sink) error {
	file, size, done, err := seekable(in, data, o)
	if err != nil {
		return err
	}
	defer done()
	m, err := npz.Open(file, size)
	if err != nil {
		return in.Fail("%v", err)
	}
	out.Expected = m.Entries
	if err := out.declare(m.N); err != nil {
		return err
	}
	if err := out.Believe(m.N, m.Entries); err != nil {
		return err
	}
	if out.ids, err = m.IDs(out.first); err != nil {
		return in.Fail("%v", err)
	}
	if o.Base != nil && m.Named() {
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
			"their "+
			"sum, and a graph the shortest of such arcs. For the sum, in Python: "+
			`import scipy.sparse as s; s.save_npz("NEW.npz", s.load_npz("FILE").tocsr())`, g.Parallel)
	}
	if m.Layout == "coo" && out.Undirected { // an edge may be there both ways, so duplicates show in arcs only
		once := *out
		once.Undirected = false
		if err := once.entries(in, m.Each, o); err != nil {
			return err
		}
		if _, err := once.finish(); err != nil {
			return err
		}
	}
	return out.entries(in, m.Each, o)
}

// entries adds the stored entries of a sparse matrix.
func (s *sink) entries(in *input.Input, each func(add func(row, col int32, x npz.Value) error) error, o Options) error {
	var bad error
	err := each(func(row, col int32, x npz.Value) error {
		s.matrix.off += int64(btoi(row != col))
		word, ok, err := s.value(row, col, x, o.NoArc != "")
		if err != nil {
			bad = err
			if e := (*graph.InputError)(nil); errors.As(err, &e) {
				e.Reason = fmt.Sprintf("row %d, column %d (from 0): %s", row, col, e.Reason)
			}
			return bad
		}
		if ok {
			s.matrix.zeros += int64(btoi(word == 0 && row != col))
			s.add(row, col, word)
		}
		return nil
	})
	switch {
	case bad != nil:
		return bad
	case err != nil:
		return in.Fail("%v", err)
	}
	return s.checkStored(o)
}

// value turns the entry at a place into a word; none says that some number is no arc. It returns false where there is
// none to add, or an error.
func (s *sink) value(row, col int32, x npz.Value, none bool) (word uint32, ok bool, err error) {
	if k, ok := x.Int32(); ok && !none && s.Weigh.Scale == 1 {
		return s.Weigh.IntWord(k), true, nil
	}
	var buf [32]byte
	tok := x.Append(buf[:0])
	if none && s.Weigh.IsNone(tok) || s.IdleLoop(row, col, tok) {
		return 0, false, nil
	}
	first := s.Weigh.Rounding.First
	word, ok, err = s.word(tok)
	// As in a .npy, the word is that of the value, and not of its decimal.
	if f, floating := x.Float(); ok && floating && s.Weigh.Scale == 1 {
		switch single := float32(f) + 0; { // there is no −0
		case s.Weigh.Want == entry.KindF64:
			word = s.Weigh.Double(f)
		case s.Weigh.Float:
			word = math.Float32bits(single)
			if float64(single) == f {
				s.Weigh.Rounding.First = first
			}
		}
	}
	return word, ok, err
}

// seekable returns the archive as a file: a zip file ends with its list of contents.
func seekable(in *input.Input, data io.Reader, o Options) (io.ReaderAt, int64, func(), error) {
	if in.File != nil {
		start := make([]byte, 4)
		if _, err := in.File.ReadAt(start, 0); err == nil && bytes.HasPrefix(start, []byte("PK")) {
			info, err := in.File.Stat()
			if err != nil {
				return nil, 0, nil, err
			}
			return section(in.File, info.Size()), info.Size(), func() {}, nil
		}
	}
	f, err := o.NewSpool(0)
	if err != nil {
		return nil, 0, nil, err
	}
	done := func() {
		f.Close()
		os.Remove(f.Name()) // where that was not possible while it was open
	}
	size, err := io.Copy(f, data)
	if err != nil {
		done()
		return nil, 0, nil, in.Wrap(0, err)
	}
	return section(f, size), size, done, nil
}

// section is a file whose errors do not name it: an archive may ask for places before its start, or behind its end.
func section(f *os.File, size int64) io.ReaderAt { return io.NewSectionReader(f, 0, size) }
