package tiles

import (
	"errors"
	"fmt"
	"io/fs"

	"ooc/kernels/entry"
	"ooc/tiles/disk"
)

// sums: a header, then checksums.
const (
	sumsMagic     = "OOCSUMS\x00"
	sumsHeaderLen = 64

	// stripRows is how many rows of a tile a checksum covers.
	stripRows = grain

	sumsRemedy = "put this store's own back, or, if ooc verify --full proves the distances, remove it and solve " +
		"again, which makes it anew"
)

// sumCount is how many checksums there are.
func (m *Meta) sumCount() int {
	_, held := m.places()
	return held * m.SumsPerTile()
}

// sumsBytes is how long sums is.
func (m *Meta) sumsBytes() int64 { return sumsHeaderLen + 4*int64(m.sumCount()) }

// sumsHead is the header of sums.
type sumsHead struct {
	Magic      [8]byte
	Version, T uint32
	N          uint64
	Sum, _     uint32 // of the checksums
	ID         ID
	_          [3]uint32
	_          uint32 // checksum
}

func encodeSums(sums []uint32, m *Meta) []byte {
	body := entry.Bytes(sums)
	h := sumsHead{Magic: [8]byte([]byte(sumsMagic)), Version: formatVersion, T: uint32(m.T), N: uint64(m.N),
		Sum: disk.Checksum(body), ID: m.ID}
	return append(disk.Seal(&h), body...)
}

func decodeSums(file string, b []byte, m *Meta) ([]uint32, error) {
	var h sumsHead
	ok := disk.Unseal(b, &h)
	if string(h.Magic[:]) != sumsMagic {
		return nil, disk.Corrupt(file, "it holds no checksums; %s", sumsRemedy)
	}
	// The checksum first: the version of a damaged header says nothing.
	if !ok {
		return nil, disk.Corrupt(file, "its header does not check out; %s", sumsRemedy)
	}
	if err := m.checkHead(file, h.Version, h.ID, sumsRemedy); err != nil {
		return nil, err
	}
	if h.T != uint32(m.T) || h.N != uint64(m.N) || int64(len(b)) != m.sumsBytes() {
		return nil, disk.Corrupt(file, "it belongs to a matrix of another shape; %s", sumsRemedy)
	}
	if disk.Checksum(b[sumsHeaderLen:]) != h.Sum {
		return nil, disk.Corrupt(file, "its own checksum does not match; %s", sumsRemedy)
	}
	return entry.View[uint32](b[sumsHeaderLen:]), nil
}

// WriteSums stores the checksums of every stored tile, SumsPerTile of each, in
// their order, durably and all or nothing. Its space was reserved by Create.
func (s *Store) WriteSums(sums []uint32) error {
	s.syncMu.Lock()
	defer s.syncMu.Unlock()
	if err := s.writeError(); err != nil {
		return err
	}
	if err := s.mayWrite(); err != nil {
		return err
	}
	if len(sums) != s.geo.Tiles()*s.meta.SumsPerTile() {
		return fmt.Errorf("%s: %d checksums for %d tiles of %d", s.dir, len(sums), s.geo.Tiles(), s.meta.SumsPerTile())
	}
	if s.IsPart() {
		here := make([]uint32, s.held*s.meta.SumsPerTile())
		s.eachHeld(func(t, at int) { here[at] = sums[t] })
		sums = here
	}
	if err := s.replaceFile(nameSums, encodeSums(sums, &s.meta)); err != nil {
		return err
	}
	s.checks.Store(nil)
	return nil
}

// Sums gives what WriteSums has stored; of a part store, nothing of tiles that others have. It fails with
// fs.ErrNotExist where no solve has ended yet.
func (s *Store) Sums() (_ []uint32, err error) {
	defer func() { err = s.anew(err) }()
	if s.joined != nil {
		return s.joinedSums()
	}
	path := s.path(nameSums)
	b, err := disk.ReadSmall(path, sumsHeaderLen+4*int64(s.geo.Tiles()*s.geo.T/stripRows)) // as long as in any version
	if err != nil {
		return nil, err
	}
	sums, err := decodeSums(path, b, &s.meta)
	if err != nil || !s.IsPart() {
		return sums, err
	}
	all := make([]uint32, s.geo.Tiles()*s.meta.SumsPerTile())
	s.eachHeld(func(t, at int) { all[t] = sums[at] })
	return all, nil
}

// dropSums makes the checksums the spare again, so that their space stays
// reserved.
func (s *Store) dropSums() error {
	if err := s.rename(nameSums, nameSumsSpare); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing %s: %w", s.path(nameSums), disk.Classify(err))
	}
	return nil
}
