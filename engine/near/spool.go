package near

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"ooc/engine/graph"
	"ooc/engine/text"
	"ooc/kernels/entry"
	"ooc/tiles/class"
	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

// A spool is the file in which rows wait until all are there. It begins with a line of JSON and its checksum
// (text.SumLine) that says what it is of (head), and goes on with records in any order. A record has the head of
// recordBytes, and then of each of its rows the number of pairs, the columns of all pairs, and their distances in the
// kind's entries of 4 or 8 bytes. Columns, and distances that are integers, take 2 bytes each where all of the record
// fit (narrow.go); the head says how many bytes. All numbers are little-endian. Each part has its CRC-32C. So nothing
// needs to be synced: what a power cut leaves half written is seen, and found again.
//
// A record without rows says that FILE was written: its pairs are FILE's size, its first checksum FILE's.
type spool struct {
	file    *os.File
	made    bool // it was not there before
	end     int64
	records []record
	wrote   *record // of FILE; nil: it was not written
	kind    entry.Kind
	dropped int64 // bytes behind the last whole record
}

// Extension is what the name of a spool has behind that of the file that it is for.
const Extension = ".near"

// errOther is wrapped by the error of a spool that is of another graph or question, or no spool.
var errOther = class.New(class.Input, "spool of something else")

// head is the first line of a spool. Two with the same line have the same rows.
type head struct {
	Format   string `json:"format"`
	Version  int    `json:"version"`
	Graph    string `json:"graph"` // its digest
	Vertices int    `json:"vertices"`
	Kind     string `json:"kind"`
	Scale    int64  `json:"scale"`
	Limit    string `json:"limit"` // in stored units
	Nearest  int    `json:"nearest"`
	Targets  string `json:"targets,omitempty"` // a digest of them
	Self     bool   `json:"self,omitempty"`
}

const (
	spoolFormat  = "ooc near spool"
	spoolVersion = 3 // heads of versions before it have no checksum
	longestHead  = 1024
)

func (h head) line() []byte {
	line, err := json.Marshal(h)
	if err != nil {
		panic(err) // it has text and integers only
	}
	return text.SumLine(line)
}

// parseHead reads the first line of a file, and reports whether it is that of a spool. It fails where that line is
// damaged.
func parseHead(file []byte) (h head, ok bool, err error) {
	first := []byte(`{"format":"` + spoolFormat + `"`)
	line, whole := text.CutSum(file[:bytes.IndexByte(file, '\n')+1])
	switch {
	case whole:
		err = json.Unmarshal(line, &h)
		ok = err == nil && h.Format == spoolFormat && entry.Kind(h.Kind).Valid() && h.Vertices > 0 &&
			h.Vertices <= graph.MaxVertices
		return h, ok, nil
	case bytes.HasPrefix(file, first):
		return h, true, nil // of a version before checksums
	case disk.BitsOff(file[min(len(file), len("00000000 ")):], first) <= len(first):
		err = errors.New("its first line differs from its checksum")
	}
	return h, false, err
}

// The parts of a record, in their order.
const (
	counts = iota
	columns
	distances
	parts
)

const columnBytes = 4 // of a column, and of a count

// record is some rows of a spool.
type record struct {
	row, rows, pairs int64         // the first row, how many, and pairs of all
	bytes            [parts]uint32 // of an entry of each part
	sums             [parts]uint32
	at               int64 // where its parts begin
}

const recordBytes = 3*8 + 2*parts*4 + 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (r *record) head() []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, [3]int64{r.row, r.rows, r.pairs}) // which do not fail
	b, _ = binary.Append(b, binary.LittleEndian, [2][parts]uint32{r.bytes, r.sums})
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// parse reads a head, and reports whether its checksum matches.
func (r *record) parse(b []byte) bool {
	var first [3]int64
	var lists [2][parts]uint32
	n, _ := binary.Decode(b, binary.LittleEndian, &first) // of as many bytes as there have to be
	_, _ = binary.Decode(b[n:], binary.LittleEndian, &lists)
	r.row, r.rows, r.pairs, r.bytes, r.sums = first[0], first[1], first[2], lists[0], lists[1]
	return crc32.Checksum(b[:recordBytes-4], castagnoli) == binary.LittleEndian.Uint32(b[recordBytes-4:])
}

// part returns where a part of a record is, and its size.
func (r *record) part(which int) (at, size int64) {
	at = r.at
	for i, n := range [parts]int64{r.rows, r.pairs, r.pairs} {
		size = n * int64(r.bytes[i])
		if i == which {
			break
		}
		at += size
	}
	return at, size
}

// openSpool opens the spool of a file, or begins it, and has the lock of it. Of a spool that was damaged it keeps
// what precedes the damage.
func openSpool(path string, h head) (*spool, error) {
	f, made, err := lockedFile(path)
	if err != nil {
		return nil, err
	}
	s := &spool{file: f, made: made}
	err = s.open(h)
	if err == nil && s.dropped > 0 {
		if err = s.file.Truncate(s.end); err != nil {
			err = fmt.Errorf("spool: %w", err)
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// lockedFile is lock.OpenFile of a spool.
func lockedFile(path string) (f *os.File, made bool, err error) {
	f, made, err = lock.OpenFile(path)
	switch {
	case errors.Is(err, lock.ErrNoLocks):
		err = text.ErrorOf(lock.ErrNoLocks,
			"%s: this volume has no locks, and without them nothing keeps two processes from writing one file: name a "+
				"FILE on another volume", path)
	case err != nil:
		err = fmt.Errorf("spool: %w", err)
	}
	return f, made, err
}

// open reads the spool, or begins it.
func (s *spool) open(h head) error {
	s.kind = entry.Kind(h.Kind)
	line := h.line()
	was := make([]byte, max(longestHead, len(line)))
	n, err := s.file.ReadAt(was, 0)
	if err != nil && err != io.EOF {
		return disk.ReadError(s.file.Name(), err)
	}
	was = was[:n]
	if s.end = int64(len(line)); strings.HasPrefix(string(was), string(line)) {
		return s.scan(h)
	}
	if !strings.HasPrefix(string(line), string(was)) { // of which a kill may have left any part
		return s.other(was, h)
	}
	if _, err := s.file.WriteAt(line, 0); err != nil {
		return fmt.Errorf("spool: %w", disk.Classify(err))
	}
	return nil
}

// other says what the spool is of.
func (s *spool) other(was []byte, want head) error {
	name := s.file.Name()
	h, ok, err := parseHead(was)
	switch {
	case err != nil:
		const remedy = "remove it to begin again, or name another FILE"
		return text.ErrorOf(disk.ErrCorrupt, "%s is damaged: %w: %s", name, err, remedy)
	case !ok:
		return text.ErrorOf(errOther, "%s is no spool of ooc near, or damaged: move it away, or name another FILE",
			name)
	case h.Version != spoolVersion:
		return text.ErrorOf(errOther, "%s was begun by another version of ooc: remove it to begin again", name)
	case h.Graph != want.Graph:
		return text.ErrorOf(errOther,
			"%s was begun for another graph, or this one has changed or was read in another way: remove it to begin "+
				"again, or name another FILE", name)
	}
	return text.ErrorOf(errOther,
		"%s was begun for another question, %q: go on with that, remove it to begin again, or name another FILE", name,
		h.question())
}

// question names the flags of a spool.
func (h head) question() string {
	var words []string
	if limit, err := strconv.ParseFloat(h.Limit, 64); err == nil &&
		limit < greatestOf(entry.Kind(h.Kind), h.Scale, math.Inf(1)) {
		words = append(words, "--within "+string(text.Numbers{}.Append(nil, limit/float64(max(1, h.Scale)))))
	}
	if len(words) == 0 && h.Nearest == 0 {
		words = append(words, "--within inf")
	}
	if h.Nearest > 0 {
		words = append(words, fmt.Sprintf("--k-nearest %d", h.Nearest))
	}
	if h.Targets != "" {
		words = append(words, "--targets LIST")
	}
	return strings.Join(words, " ")
}

// scan reads all records and checks them, up to the first that is not whole, where the next one will be written. It
// changes nothing.
func (s *spool) scan(h head) error {
	size, err := s.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	seen := newSet(h.Vertices)
	var memory []byte
	for {
		r, ok, err := s.next(size)
		if err != nil {
			return err
		}
		if ok && r.rows != 0 {
			ok, memory, err = s.whole(r, h, &seen, memory)
		}
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if r.rows == 0 {
			s.wrote, s.end = r, r.at
			continue
		}
		s.records = append(s.records, *r)
		last, n := r.part(parts - 1)
		s.end = last + n
	}
	s.dropped = size - s.end
	return nil
}

// next reads the head of the record at the end, of a file of a size.
func (s *spool) next(size int64) (r *record, ok bool, err error) {
	var b [recordBytes]byte
	if s.end+recordBytes > size {
		return nil, false, nil
	}
	if _, err := s.file.ReadAt(b[:], s.end); err != nil {
		return nil, false, disk.ReadError(s.file.Name(), err)
	}
	r = &record{at: s.end + recordBytes}
	return r, r.parse(b[:]), nil
}

// whole reports whether a record is as it was written, of rows that no other has.
func (s *spool) whole(r *record, h head, seen *set, memory []byte) (bool, []byte, error) {
	n := int64(h.Vertices)
	size, err := s.file.Seek(0, io.SeekEnd)
	if err != nil || r.row < 0 || r.rows < 0 || r.row > n || r.rows > n-r.row || r.pairs < 0 || r.pairs > size ||
		!s.known(r.bytes) {
		return false, memory, err
	}
	if at, n := r.part(parts - 1); at+n > size {
		return false, memory, nil
	}
	for which := range parts {
		if memory, err = s.read(r, which, memory); err != nil {
			if errors.Is(err, disk.ErrCorrupt) {
				err = nil
			}
			return false, memory, err
		}
		if !plausible(which, memory, r, n) {
			return false, memory, nil
		}
	}
	for row := r.row; row < r.row+r.rows; row++ {
		if seen.has(int32(row)) {
			return false, memory, nil
		}
		seen.add(int32(row))
	}
	return true, memory, nil
}

// known reports whether parts have entries of such sizes.
func (s *spool) known(bytes [parts]uint32) bool {
	narrow := bytes[distances] == narrowBytes && !s.kind.Float()
	return bytes[counts] == columnBytes && (bytes[columns] == columnBytes || bytes[columns] == narrowBytes) &&
		(int(bytes[distances]) == s.kind.Bytes() || narrow)
}

// plausible refuses what no run writes, whatever its checksum says: counts that do not add up, and columns that are
// none of n.
func plausible(which int, memory []byte, r *record, n int64) bool {
	total := int64(0)
	switch which {
	case counts:
		for _, x := range entry.View[uint32](memory) {
			total += int64(x)
		}
		return total == r.pairs
	case columns:
		for _, x := range entry.View[uint32](memory) {
			if int64(x) >= n {
				return false
			}
		}
	}
	return true
}

// read reads a part of a record into memory, which it may replace by more, in entries of 4 bytes or the kind's. It
// fails with disk.ErrCorrupt where that has changed.
func (s *spool) read(r *record, which int, memory []byte) ([]byte, error) {
	at, size := r.part(which)
	narrow := r.bytes[which] == narrowBytes
	wide := size
	if narrow {
		wide = 2 * size
	}
	if int64(cap(memory)) < wide {
		memory = entry.Bytes(make([]uint64, wide/8+1))
	}
	memory = memory[:wide]
	part := memory[wide-size:]
	if _, err := s.file.ReadAt(part, at); err != nil {
		return memory, disk.ReadError(s.file.Name(), err)
	}
	ok := crc32.Checksum(part, castagnoli) == r.sums[which]
	switch {
	case !ok || !narrow:
	case which == distances:
		widenDistances(memory)
	default:
		of, err := s.read(r, counts, nil)
		if err != nil {
			return memory, err
		}
		ok = widenColumns(memory, int(r.row), entry.View[uint32](of))
	}
	if !ok {
		return memory, disk.Corrupt(s.file.Name(),
			"rows %d to %d differ from their checksum; the same command finds them again", r.row, r.row+r.rows-1)
	}
	return memory, nil
}

// append writes a record behind the others.
func (s *spool) append(r record, all [parts][]byte) error {
	for i, part := range all {
		r.sums[i] = crc32.Checksum(part, castagnoli)
	}
	r.at = s.end + recordBytes
	if err := s.write(r.head(), all[:]...); err != nil {
		return err
	}
	s.records = append(s.records, r)
	return nil
}

// written records that FILE has been written.
func (s *spool) written(size int64, sum uint32) error {
	return s.write((&record{pairs: size, sums: [parts]uint32{sum}}).head())
}

// write appends bytes, or nothing.
func (s *spool) write(head []byte, more ...[]byte) error {
	end := s.end
	for _, b := range slices.Concat([][]byte{head}, more) {
		if _, err := s.file.WriteAt(b, end); err != nil {
			return errors.Join(fmt.Errorf("spool: %w", disk.Classify(err)), s.file.Truncate(s.end))
		}
		end += int64(len(b))
	}
	s.end = end
	return nil
}

// order sorts the records by their rows, and returns the rows that none has, as pairs of a first row and the one
// after the last.
func (s *spool) order(n int) (missing [][2]int) {
	slices.SortFunc(s.records, func(a, b record) int { return int(a.row - b.row) })
	next := 0
	for _, r := range s.records {
		if int(r.row) > next {
			missing = append(missing, [2]int{next, int(r.row)})
		}
		next = int(r.row + r.rows)
	}
	if next < n {
		missing = append(missing, [2]int{next, n})
	}
	return missing
}

// held returns how many rows and pairs there are.
func (s *spool) held() (rows, pairs int64) {
	for _, r := range s.records {
		rows, pairs = rows+r.rows, pairs+r.pairs
	}
	return rows, pairs
}

// remove removes the spool, before anybody else can have it.
func (s *spool) remove() error { return lock.RemoveFile(s.file) }

// close keeps the spool for the next run, unless it holds nothing yet and was not there before.
func (s *spool) close() error {
	if s.made && len(s.records) == 0 {
		return s.remove()
	}
	return s.file.Close()
}
