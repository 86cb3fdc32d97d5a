package tiles

import (
	"encoding/binary"
	"fmt"
	"os"

	"ooc/kernels/entry"
)

// IDs holds the outside id of each vertex, by row. At most one field is set;
// none means that ids are 0…N-1.
type IDs struct {
	Numeric []int64 // strictly ascending
	Text    []string
}

// Kinds of ids.
const (
	idsNumeric = "numeric"
	idsText    = "text"
)

// kindNumbers are the kinds as the head of the file has them.
var kindNumbers = map[string]uint32{idsNumeric: 1, idsText: 2}

const (
	idsMagic   = "OOCIDS\x00\x00"
	maxIDBytes = 1 << 40
)

// kind is idsNumeric or idsText; "" where there is no file of ids.
func (ids IDs) kind() string {
	switch {
	case ids.Numeric != nil:
		return idsNumeric
	case ids.Text != nil:
		return idsText
	}
	return ""
}

// validate says whether these are ids of n vertices.
func (ids IDs) validate(n int) error {
	if ids.Numeric != nil && ids.Text != nil {
		return fmt.Errorf("ids are both numeric and text")
	}
	if ids.kind() == "" {
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

// bytes is the size of the file of ids: a head and, for text, where each id ends and then the ids.
func (ids IDs) bytes() int64 {
	total := headBytes + 8*int64(len(ids.Numeric)+len(ids.Text))
	for _, t := range ids.Text {
		total += int64(len(t))
	}
	return total
}

// checkIDs looks at the head of ids, and at its size.
func (m *Meta) checkIDs(file string, b []byte, size int64) (head, error) {
	h, err := m.decodeHead(file, b, idsMagic, "it holds no ids of a store")
	if err != nil {
		return h, err
	}
	if h.N != uint64(m.N) || h.Size > maxIDBytes || h.Kind != kindNumbers[m.IDs] {
		return h, corruptInput(file, "its header claims %d ids of kind %d in %d bytes; store.json says %d, %s",
			h.N, h.Kind, h.Size, m.N, m.IDs)
	}
	payload, numbers := int64(h.Size), 8*int64(m.N)
	if size != headBytes+payload || payload < numbers || m.IDs == idsNumeric && payload != numbers {
		return h, corruptInput(file, "it has %d bytes, its header claims %d", size, headBytes+payload)
	}
	return h, nil
}

// writeIDs fills the reserved file f and leaves it to the caller to sync.
func (m *Meta) writeIDs(f *os.File, ids IDs) error {
	data, end := entry.Bytes(ids.Numeric), 0
	for _, t := range ids.Text {
		end += len(t)
		data = binary.LittleEndian.AppendUint64(data, uint64(end))
	}
	for _, t := range ids.Text {
		data = append(data, t...)
	}
	return m.writeInput(f, idsMagic, head{Kind: kindNumbers[ids.kind()], N: uint64(m.N), Size: uint64(len(data))}, data)
}

// readIDs reads the outside ids and checks them.
func (m *Meta) readIDs(f *os.File) (ids IDs, err error) {
	h, err := readHead(f, m.checkIDs)
	if err != nil {
		return IDs{}, err
	}
	words := make([]int64, (h.Size+7)/8)
	data := entry.Bytes(words)[:h.Size]
	if err := h.readParts(f, data); err != nil {
		return IDs{}, err
	}
	numbers, blob := words[:m.N], data[8*m.N:]
	if ids.Numeric = numbers; m.IDs == idsText {
		if ids, err = splitTexts(f.Name(), numbers, string(blob)); err != nil {
			return IDs{}, err
		}
	}
	if err := ids.validate(m.N); err != nil {
		return IDs{}, corruptInput(f.Name(), "%v", err)
	}
	return ids, nil
}

func splitTexts(file string, ends []int64, blob string) (IDs, error) {
	text, start := make([]string, len(ends)), int64(0)
	for i, end := range ends {
		if end < start || end > int64(len(blob)) {
			return IDs{}, corruptInput(file, "the id of row %d ends at %d of %d", i, end, len(blob))
		}
		text[i] = blob[start:end]
		start = end
	}
	return IDs{Text: text}, nil
}
