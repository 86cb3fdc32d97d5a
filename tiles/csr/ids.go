package csr

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"ooc/kernels/entry"
	"ooc/tiles/disk"
)

// IDs holds the outside id of each vertex, by row. At most one field is set;
// none means that ids are 0…N-1.
type IDs struct {
	Numeric []int64 // strictly ascending
	Text    []string
}

// Kinds of ids.
const (
	Numeric = "numeric"
	Text    = "text"
)

const (
	idsMagic   = "OOCIDS\x00\x00"
	idsHead    = 64
	maxIDBytes = 1 << 40
)

// Kind is Numeric or Text; "" where there is no file of ids.
func (ids IDs) Kind() string {
	switch {
	case ids.Numeric != nil:
		return Numeric
	case ids.Text != nil:
		return Text
	}
	return ""
}

// Validate says whether these are ids of n vertices.
func (ids IDs) Validate(n int) error {
	if ids.Numeric != nil && ids.Text != nil {
		return fmt.Errorf("ids are both numeric and text")
	}
	if ids.Kind() == "" {
		return nil
	}
	if got := len(ids.Numeric) + len(ids.Text); got != n {
		return fmt.Errorf("%d ids for %d vertices", got, n)
	}
	for i := 1; i < len(ids.Numeric); i++ {
		if ids.Numeric[i-1] >= ids.Numeric[i] {
			return fmt.Errorf("ids do not ascend at row %d", i)
		}
	}
	return nil
}

// Bytes is the size of the file of ids.
func (ids IDs) Bytes() int64 { return idsHead + ids.payload() }

// payload is the size of what follows the header: for text, where each id ends
// and then the ids.
func (ids IDs) payload() int64 {
	total := 8 * int64(len(ids.Numeric)+len(ids.Text))
	for _, t := range ids.Text {
		total += int64(len(t))
	}
	return total
}

type idsHeader struct {
	kind       uint32 // 1 numeric, 2 text
	n, payload int64
	sum        uint32
}

func (h idsHeader) encode(s *Store) []byte {
	b := make([]byte, idsHead)
	copy(b, idsMagic)
	le := binary.LittleEndian
	le.PutUint32(b[8:], s.Version)
	le.PutUint32(b[12:], h.kind)
	le.PutUint64(b[16:], uint64(h.n))
	le.PutUint64(b[24:], uint64(h.payload))
	le.PutUint32(b[32:], h.sum)
	copy(b[headID:], s.ID[:])
	le.PutUint32(b[60:], crc32.Checksum(b[:60], castagnoli))
	return b
}

// decodeIDs checks the head of the file against its size and against the store.
func (s *Store) decodeIDs(file string, b []byte, size int64) (idsHeader, error) {
	var h idsHeader
	if len(b) < idsHead || string(b[:8]) != idsMagic {
		return h, corrupt(file, "it holds no ids of a store")
	}
	le := binary.LittleEndian
	if crc32.Checksum(b[:60], castagnoli) != le.Uint32(b[60:]) {
		return h, corrupt(file, "the checksum of its header does not match")
	}
	if err := s.Check(file, le.Uint32(b[8:]), [16]byte(b[headID:])); err != nil {
		return h, err
	}
	h = idsHeader{kind: le.Uint32(b[12:]), sum: le.Uint32(b[32:])}
	n, payload := le.Uint64(b[16:]), le.Uint64(b[24:])
	if n != uint64(s.N) || payload > maxIDBytes || h.kind != kindNumber(s.IDs) {
		return h, corrupt(file, "its header claims %d ids of kind %d in %d bytes; store.json says %d, %s",
			n, h.kind, payload, s.N, s.IDs)
	}
	h.n, h.payload = int64(n), int64(payload)
	if size != idsHead+h.payload || h.payload < 8*h.n || h.kind == 1 && h.payload != 8*h.n {
		return h, corrupt(file, "it has %d bytes, its header claims %d", size, idsHead+h.payload)
	}
	return h, nil
}

func kindNumber(kind string) uint32 {
	switch kind {
	case Numeric:
		return 1
	case Text:
		return 2
	}
	return 0
}

// WriteIDs fills the reserved file f and leaves it to the caller to sync.
func (s *Store) WriteIDs(f *os.File, ids IDs) error {
	h := idsHeader{kind: kindNumber(ids.Kind()), n: int64(len(ids.Numeric) + len(ids.Text)), payload: ids.payload()}
	if _, err := f.Seek(idsHead, io.SeekStart); err != nil {
		return err
	}
	numbers, blob := ids.Numeric, []byte(nil)
	for _, t := range ids.Text {
		blob = append(blob, t...)
		numbers = append(numbers, int64(len(blob)))
	}
	sum, err := write(f, 0, entry.Bytes(numbers))
	if err == nil {
		h.sum, err = write(f, sum, blob)
	}
	if err == nil {
		_, err = f.WriteAt(h.encode(s), 0)
	}
	return err
}

// ReadIDs reads the outside ids and checks them. It fails with disk.ErrCorrupt where the file is damaged.
func (s *Store) ReadIDs(f *os.File) (IDs, error) {
	h, err := s.readIDsHeader(f)
	if err != nil {
		return IDs{}, err
	}
	numbers, sum, err := readWords[int64](f, h.n)
	if err != nil {
		return IDs{}, disk.ReadError(f.Name(), err)
	}
	blob := make([]byte, h.payload-8*h.n)
	if _, err := io.ReadFull(f, blob); err != nil {
		return IDs{}, disk.ReadError(f.Name(), err)
	}
	if crc32.Update(sum, castagnoli, blob) != h.sum {
		return IDs{}, corrupt(f.Name(), "its checksum does not match")
	}
	ids := IDs{Numeric: numbers}
	if s.IDs == Text {
		if ids, err = splitTexts(f.Name(), numbers, string(blob)); err != nil {
			return IDs{}, err
		}
	}
	if err := ids.Validate(s.N); err != nil {
		return IDs{}, corrupt(f.Name(), "%v", err)
	}
	return ids, nil
}

func splitTexts(file string, ends []int64, blob string) (IDs, error) {
	text, start := make([]string, len(ends)), int64(0)
	for i, end := range ends {
		if end < start || end > int64(len(blob)) {
			return IDs{}, corrupt(file, "the id of row %d ends at %d of %d", i, end, len(blob))
		}
		text[i] = blob[start:end]
		start = end
	}
	return IDs{Text: text}, nil
}

// CheckIDs looks at the head of ids, and at its size.
func (s *Store) CheckIDs(f *os.File) error {
	_, err := s.readIDsHeader(f)
	return err
}

// readIDsHeader reads the head of ids and leaves f behind it.
func (s *Store) readIDsHeader(f *os.File) (idsHeader, error) {
	b, size, err := readHead(f, idsHead)
	if err != nil {
		return idsHeader{}, err
	}
	return s.decodeIDs(f.Name(), b, size)
}

// headBytes is how long the heads of both files are.
const headBytes = graphHead

// HeadID returns the version and the store's id in a head of graph.csr or ids, if that is one and checks out.
func HeadID(b []byte) (version uint32, id [16]byte, ok bool) {
	if len(b) < headBytes || string(b[:8]) != graphMagic && string(b[:8]) != idsMagic {
		return 0, id, false
	}
	le := binary.LittleEndian
	return le.Uint32(b[8:]), [16]byte(b[headID:]), crc32.Checksum(b[:60], castagnoli) == le.Uint32(b[60:])
}
