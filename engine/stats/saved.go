package stats

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ooc/engine/text"
	"ooc/tiles/class"
	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

// errOther is wrapped by the error of a file that was begun for another graph or with other options, or is none of
// ours.
var errOther = class.New(class.Input, "file of something else")

// saved is the file from which statistics of a graph go on. It begins with a line of JSON that says what they are of
// (savedHead), in headBytes of which the last four are the checksum of the rest. Two slots follow, each at a multiple
// of headBytes and written in turn: a slotHead, and the gatherers' memory after the bands that it counts. All numbers
// are little-endian, all checksums CRC-32C. So a kill or a power cut at any time leaves one slot as it was. Whoever
// has the file has its lock.
type saved struct {
	file  *os.File
	state [][]byte // of all gatherers
	begun bool     // this process has begun to write it
	seq   int64    // of the newest slot; 0: none was written
}

const (
	headBytes    = 4096
	savedFormat  = "ooc stats"
	savedVersion = 5
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// savedHead says what a file is of. Two with the same have gatherers of the same memory.
type savedHead struct {
	Format   string `json:"format"`
	Version  int    `json:"version"`
	Graph    string `json:"graph"`   // its digest
	Sources  string `json:"sources"` // a digest of the list; "" for all
	Bins     int    `json:"bins"`
	Edges    string `json:"edges"`
	Nearest  int    `json:"k_nearest"`
	Within   string `json:"within"`
	Values   string `json:"values,omitempty"` // a digest of them
	Decay    string `json:"decay,omitempty"`
	Vertices int    `json:"vertices"`

	Betweenness string `json:"betweenness"`
	Targets     string `json:"targets,omitempty"` // a digest of the list
}

// slotHead is what a slot has before the memory.
type slotHead struct {
	Seq        int64 // the greater is the newer
	Bands      int64 // that have ended
	Eliminated int64 // vertices, on which the order of bands depends and, in f32 and f64, the rounding of distances
	Elapsed    time.Duration
	Units      int64    // of betweenness, which begins when all bands have ended
	Pieces     int64    // those of rows.Question, on which the order of bands depends, too
	Order      [32]byte // a digest of the vertices of all rows and columns
	Engine     [16]byte // the name of the engine of rows, and zeros
	Memory     uint32   // its checksum
	Sum        uint32   // of all before it
}

var slotHeadBytes = binary.Size(slotHead{})

func (h *slotHead) bytes() []byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, h) // to memory
	binary.LittleEndian.PutUint32(b.Bytes()[slotHeadBytes-4:], crc32.Checksum(b.Bytes()[:slotHeadBytes-4], castagnoli))
	return b.Bytes()
}

// engine returns the name of the engine.
func (h *slotHead) engine() string { return string(bytes.TrimRight(h.Engine[:], "\x00")) }

// openSaved opens a file, or makes it, and takes its lock. It fails with errOther, disk.ErrCorrupt or
// lock.ErrLocked, and changes nothing then. It asks for the head only if the file has one.
func openSaved(path string, head func() savedHead) (s *saved, err error) {
	file, made, err := lock.OpenFile(path)
	if errors.Is(err, lock.ErrNoLocks) {
		return nil, text.ErrorOf(lock.ErrNoLocks,
			"%s: this volume has no locks, and without them nothing keeps two processes from writing one file: name a "+
				"file on another volume with --out", path)
	}
	if errors.Is(err, lock.ErrLocked) {
		return nil, text.ErrorOf(lock.ErrLocked,
			"%s: it is locked by another process, which gathers the same; wait for that to end, or stop it", path)
	}
	if err != nil {
		return nil, err
	}
	s = &saved{file: file}
	if err := s.check(head); err != nil {
		give := file.Close
		if made {
			give = func() error { return lock.RemoveFile(file) }
		}
		return nil, errors.Join(err, give())
	}
	return s, nil
}

// encode returns the first bytes of a file.
func (h *savedHead) encode() []byte {
	line, _ := json.Marshal(h) // which has text and integers only
	b := make([]byte, headBytes)
	copy(b[:headBytes-4], append(line, '\n'))
	binary.LittleEndian.PutUint32(b[headBytes-4:], crc32.Checksum(b[:headBytes-4], castagnoli))
	return b
}

// check reads the head. A file without one is as a kill leaves it before that is written: empty, or of zeros.
func (s *saved) check(head func() savedHead) error {
	name := s.file.Name()
	b := make([]byte, headBytes)
	n, err := s.file.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return disk.ReadError(name, err)
	}
	if n == 0 || n == headBytes && !slices.ContainsFunc(b, func(x byte) bool { return x != 0 }) {
		return nil
	}
	const first = `{"format":"` + savedFormat + `"`
	line, _, _ := bytes.Cut(b, []byte("\n"))
	var h savedHead
	whole := n == headBytes &&
		crc32.Checksum(b[:headBytes-4], castagnoli) == binary.LittleEndian.Uint32(b[headBytes-4:])
	switch err := json.Unmarshal(line, &h); {
	case !whole && disk.BitsOff(b, []byte(first)) <= len(first):
		return damaged(name, "its head differs from its checksum")
	case !whole || err != nil || h.Format != savedFormat:
		return text.ErrorOf(errOther, "%s: it is no file that ooc stats has begun; name another one with --out", name)
	case h.Version != savedVersion:
		return text.ErrorOf(errOther,
			"%s: it is of version %d, and this program knows %d; go on with the program that began it, or name "+
				"another file with --out", name, h.Version, savedVersion)
	}
	if want := head(); h != want {
		return text.ErrorOf(errOther,
			"%s: it was begun %s; go on with what it was begun with, name another file with --out, or remove it", name,
			h.differs(want))
	}
	return nil
}

// differs says in what.
func (h *savedHead) differs(want savedHead) string {
	for _, d := range []struct{ flag, was, is string }{
		{"", h.Graph, want.Graph},
		{"sources", h.Sources, want.Sources},
		{"bins", fmt.Sprint(h.Bins, h.Edges), fmt.Sprint(want.Bins, want.Edges)},
		{"k-nearest", fmt.Sprint(h.Nearest), fmt.Sprint(want.Nearest)},
		{"within", h.Within, want.Within},
		{"betweenness", h.Betweenness, want.Betweenness},
		{"targets", h.Targets, want.Targets},
		{"values", h.Values, want.Values},
		{"decay", h.Decay, want.Decay},
	} {
		switch {
		case d.was == d.is:
		case d.flag == "":
			return "for another graph"
		default:
			return "with other --" + d.flag
		}
	}
	return "for something else"
}

// slots returns where the first slot is, and the bytes from it to the second.
func (s *saved) slots() (first, each int64) {
	each = int64(slotHeadBytes)
	for _, b := range s.state {
		each += int64(len(b))
	}
	return headBytes, (each + headBytes - 1) / headBytes * headBytes
}

// load returns the head of the newest slot whose memory is whole, nil if there is none yet. It fails with
// disk.ErrCorrupt where none is. It fills the memory of the gatherers.
func (s *saved) load() (*slotHead, error) {
	first, each := s.slots()
	var list []slotHead // that are whole
	b, torn := make([]byte, slotHeadBytes), false
	for i := range int64(2) {
		clear(b)
		if _, err := s.file.ReadAt(b, first+i*each); err != nil && err != io.EOF {
			return nil, disk.ReadError(s.file.Name(), err)
		}
		var h slotHead
		_ = binary.Read(bytes.NewReader(b), binary.LittleEndian, &h) // which is as long
		switch {
		case h == slotHead{}:
		case bytes.Equal(h.bytes(), b) && h.Seq > 0 && h.Seq%2 == i && h.Bands > 0:
			list = append(list, h)
		default:
			torn = true
		}
	}
	slices.SortFunc(list, func(a, b slotHead) int { return cmp.Compare(b.Seq, a.Seq) }) // the newest first
	for _, h := range list {
		in := io.NewSectionReader(s.file, first+h.Seq%2*each+int64(slotHeadBytes), each)
		sum, err := uint32(0), error(nil)
		for _, b := range s.state {
			if _, err = io.ReadFull(in, b); err != nil {
				break
			}
			sum = crc32.Update(sum, castagnoli, b)
		}
		if err == nil && sum == h.Memory {
			s.seq = h.Seq
			return &h, nil
		}
		torn = true
	}
	if !torn {
		return nil, nil
	}
	return nil, damaged(s.file.Name(), "what it holds differs from its checksums")
}

func damaged(file, how string) error {
	return text.ErrorOf(disk.ErrCorrupt, "%s is damaged: %s; remove it, and the same command begins again", file, how)
}

// begin gives a new file its head and room for both slots.
func (s *saved) begin(h savedHead) error {
	s.begun = true
	first, each := s.slots()
	fi, err := s.file.Stat()
	if err == nil && fi.Size() == 0 {
		err = disk.Reserve(s.file, first+2*each)
	}
	if err == nil {
		_, err = s.file.WriteAt(h.encode(), 0)
	}
	if err == nil {
		err = s.file.Sync()
	}
	if err == nil {
		err = disk.SyncDir(filepath.Dir(s.file.Name()))
	}
	return s.named(err)
}

// save writes the memory to the slot that is not the newest.
func (s *saved) save(h slotHead) error {
	h.Seq = s.seq + 1
	first, each := s.slots()
	out := io.NewOffsetWriter(s.file, first+h.Seq%2*each+int64(slotHeadBytes))
	for _, b := range s.state {
		h.Memory = crc32.Update(h.Memory, castagnoli, b)
		if _, err := out.Write(b); err != nil {
			return s.named(err)
		}
	}
	_, err := s.file.WriteAt(h.bytes(), first+h.Seq%2*each)
	if err == nil {
		err = s.file.Sync()
	}
	if err == nil {
		s.seq = h.Seq
	}
	return s.named(err)
}

func (s *saved) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", s.file.Name(), disk.Classify(err))
}

// close gives the file back. It removes one that is of no use: where all is done, or nothing was saved in what this
// process has begun.
func (s *saved) close(done bool) error {
	if fi, err := s.file.Stat(); !done && (s.seq > 0 || !s.begun && err == nil && fi.Size() > 0) {
		return s.file.Close()
	}
	return lock.RemoveFile(s.file) // before anybody else can have it
}
