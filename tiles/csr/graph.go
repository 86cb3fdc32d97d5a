package csr

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"ooc/kernels/entry"
	"ooc/tiles/disk"
	"ooc/tiles/shape"
)

// Graph is a graph in compressed sparse rows: the arcs of vertex u are entries
// Offsets[u]…Offsets[u+1]-1 of Targets and Weights.
type Graph struct {
	Offsets []int64 // N+1 of them, ascending from 0 to the number of arcs
	Targets []int32 // 0…N-1
	Weights []byte  // Store.WeightBytes of each arc, little endian
}

// Store is what is known of the store that has the files.
type Store struct {
	Version     uint32 // of the files
	ID          [16]byte
	N           int    // vertices
	Arcs        int64  // if it keeps a graph
	WeightBytes int    // of an arc
	IDs         string // Numeric, Text or ""
	// Check says whether a file with this version and id in its head is one of the store.
	Check func(file string, version uint32, id [16]byte) error
}

// corrupt is disk.Corrupt with what to do about it.
func corrupt(file, format string, args ...any) error {
	return disk.Corrupt(file, format+"; restore the file, or solve the graph again with --restart", args...)
}

// MaxArcs is the most arcs that a graph has.
const MaxArcs = 1 << 48

// graph.csr: a header of 64 bytes, then the three arrays.
const (
	graphMagic = "OOCGRAPH"
	graphHead  = 64
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header is the head of graph.csr, decoded and checked.
type header struct {
	n, arcs, weight int64     // weight: bytes of one
	sums            [3]uint32 // CRC-32C of offsets, targets, weights
}

// headID is where the heads of both files carry the store's id.
const headID = 44

// GraphBytes is the size of graph.csr.
func (s *Store) GraphBytes() int64 {
	return header{n: int64(s.N), arcs: s.Arcs, weight: int64(s.WeightBytes)}.fileBytes()
}

// fileBytes is the size that a file with this header has.
func (h header) fileBytes() int64 {
	return graphHead + 8*(h.n+1) + (4+h.weight)*h.arcs
}

func (h header) encode(s *Store) []byte {
	b := make([]byte, graphHead)
	copy(b, graphMagic)
	le := binary.LittleEndian
	le.PutUint32(b[8:], s.Version)
	le.PutUint32(b[12:], uint32(h.weight))
	le.PutUint64(b[16:], uint64(h.n))
	le.PutUint64(b[24:], uint64(h.arcs))
	for i, sum := range h.sums {
		le.PutUint32(b[32+4*i:], sum)
	}
	copy(b[headID:], s.ID[:])
	le.PutUint32(b[60:], crc32.Checksum(b[:60], castagnoli))
	return b
}

// decodeHeader checks the head of graph.csr against the store, and against
// the size of the file, so that counts that lie allocate nothing.
func (s *Store) decodeHeader(file string, b []byte, size int64) (header, error) {
	var h header
	if len(b) < graphHead || string(b[:8]) != graphMagic {
		return h, corrupt(file, "it is not a graph of a store")
	}
	le := binary.LittleEndian
	if got := crc32.Checksum(b[:60], castagnoli); got != le.Uint32(b[60:]) {
		return h, corrupt(file, "the checksum of its header does not match")
	}
	if err := s.Check(file, le.Uint32(b[8:]), [16]byte(b[headID:])); err != nil {
		return h, err
	}
	n, arcs := le.Uint64(b[16:]), le.Uint64(b[24:])
	h.weight = int64(s.WeightBytes)
	if int64(le.Uint32(b[12:])) != h.weight || n < 1 || n > shape.MaxN || arcs > MaxArcs {
		return h, corrupt(file, "its header claims %d vertices, %d arcs, %d bytes a weight",
			n, arcs, le.Uint32(b[12:]))
	}
	h.n, h.arcs = int64(n), int64(arcs)
	for i := range h.sums {
		h.sums[i] = le.Uint32(b[32+4*i:])
	}
	if want := h.fileBytes(); size != want {
		return h, corrupt(file, "it has %d bytes, its header claims %d", size, want)
	}
	if h.n != int64(s.N) || h.arcs != s.Arcs {
		return h, corrupt(file, "it has %d vertices and %d arcs, store.json says %d and %d",
			h.n, h.arcs, s.N, s.Arcs)
	}
	return h, nil
}

// Validate says whether the arrays form a graph of n vertices.
func (c *Graph) Validate(n, weightBytes int) error {
	arcs := int64(len(c.Targets))
	switch {
	case len(c.Offsets) != n+1:
		return fmt.Errorf("%d offsets for %d vertices", len(c.Offsets), n)
	case int64(len(c.Weights)) != int64(weightBytes)*arcs:
		return fmt.Errorf("%d bytes of weights for %d arcs", len(c.Weights), arcs)
	case c.Offsets[0] != 0 || c.Offsets[n] != arcs:
		return fmt.Errorf("offsets run from %d to %d, not from 0 to %d", c.Offsets[0], c.Offsets[n], arcs)
	}
	for u := range n {
		if c.Offsets[u] > c.Offsets[u+1] {
			return fmt.Errorf("the offsets of vertex %d descend", u)
		}
	}
	for a, v := range c.Targets {
		if v < 0 || int(v) >= n {
			return fmt.Errorf("arc %d leads to vertex %d of %d", a, v, n)
		}
	}
	return nil
}

// write writes b, and returns the CRC-32C of what had this sum so far and b.
func write(w io.Writer, sum uint32, b []byte) (uint32, error) {
	_, err := w.Write(b)
	return crc32.Update(sum, castagnoli, b), err
}

// WriteGraph fills the reserved file f and leaves it to the caller to sync.
func (s *Store) WriteGraph(f *os.File, c *Graph) (err error) {
	h := header{n: int64(len(c.Offsets)) - 1, arcs: int64(len(c.Targets)), weight: int64(s.WeightBytes)}
	if _, err = f.Seek(graphHead, io.SeekStart); err != nil {
		return err
	}
	for i, part := range [][]byte{entry.Bytes(c.Offsets), entry.Bytes(c.Targets), c.Weights} {
		if h.sums[i], err = write(f, 0, part); err != nil {
			return err
		}
	}
	_, err = f.WriteAt(h.encode(s), 0)
	return err
}

// readWords reads n numbers from r, and returns the CRC-32C of them too.
func readWords[E entry.Word](r io.Reader, n int64) ([]E, uint32, error) {
	v := make([]E, n)
	_, err := io.ReadFull(r, entry.Bytes(v))
	return v, crc32.Checksum(entry.Bytes(v), castagnoli), err
}

// ReadGraph reads graph.csr, and checks its checksums and its arrays. It fails with disk.ErrCorrupt where the file is
// damaged.
func (s *Store) ReadGraph(f *os.File) (*Graph, error) {
	h, err := s.readHeader(f)
	if err != nil {
		return nil, err
	}
	var c Graph
	var sums [3]uint32
	if c.Offsets, sums[0], err = readWords[int64](f, h.n+1); err != nil {
		return nil, disk.ReadError(f.Name(), err)
	}
	if c.Targets, sums[1], err = readWords[int32](f, h.arcs); err != nil {
		return nil, disk.ReadError(f.Name(), err)
	}
	if c.Weights, sums[2], err = readWords[byte](f, h.weight*h.arcs); err != nil {
		return nil, disk.ReadError(f.Name(), err)
	}
	if sums != h.sums {
		return nil, corrupt(f.Name(), "its checksum does not match")
	}
	if err := c.Validate(s.N, s.WeightBytes); err != nil {
		return nil, corrupt(f.Name(), "%v", err)
	}
	return &c, nil
}

// CheckGraph looks at the head of graph.csr, and at its size.
func (s *Store) CheckGraph(f *os.File) error {
	_, err := s.readHeader(f)
	return err
}

// readHeader reads the head of graph.csr and leaves f behind it.
func (s *Store) readHeader(f *os.File) (header, error) {
	b, size, err := readHead(f, graphHead)
	if err != nil {
		return header{}, err
	}
	return s.decodeHeader(f.Name(), b, size)
}

// readHead reads so many bytes at the front of a file, and its size.
func readHead(f *os.File, n int) (head []byte, size int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	head = make([]byte, n)
	if _, err := io.ReadFull(f, head); err != nil {
		return nil, 0, disk.ReadError(f.Name(), err)
	}
	return head, info.Size(), nil
}
