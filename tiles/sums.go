package tiles

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ooc/tiles/disk"
)

// sums: a header, then checksums.
const (
	sumsMagic     = "OOCSUMS\x00"
	sumsID        = 32
	sumsHeaderLen = 64

	// stripRows is how many rows of a tile a checksum covers.
	stripRows = grain

	sumsRemedy = "put this store's own back, or, if ooc verify --full proves the distances, remove it and solve again, which makes it anew"
)

// sumCount is how many checksums there are.
func (m *Meta) sumCount() int {
	_, held := m.places()
	return held * m.SumsPerTile()
}

// sumsBytes is how long sums is.
func (m *Meta) sumsBytes() int64 { return sumsHeaderLen + 4*int64(m.sumCount()) }

func encodeSums(sums []uint32, m *Meta) []byte {
	b := make([]byte, m.sumsBytes())
	copy(b, sumsMagic)
	le := binary.LittleEndian
	le.PutUint32(b[8:], FormatVersion)
	le.PutUint32(b[12:], uint32(m.T))
	le.PutUint64(b[16:], uint64(m.N))
	copy(b[sumsID:], m.ID[:])
	for i, s := range sums {
		le.PutUint32(b[sumsHeaderLen+4*i:], s)
	}
	le.PutUint32(b[24:], Checksum(b[sumsHeaderLen:]))
	le.PutUint32(b[sumsHeaderLen-4:], Checksum(b[:sumsHeaderLen-4]))
	return b
}

func decodeSums(file string, b []byte, m *Meta) ([]uint32, error) {
	le := binary.LittleEndian
	if len(b) < sumsHeaderLen || string(b[:8]) != sumsMagic {
		return nil, disk.Corrupt(file, "it holds no checksums; %s", sumsRemedy)
	}
	// The checksum first: the version of a damaged header says nothing.
	if Checksum(b[:sumsHeaderLen-4]) != le.Uint32(b[sumsHeaderLen-4:]) {
		return nil, disk.Corrupt(file, "its header does not check out; %s", sumsRemedy)
	}
	if err := m.checkHead(file, le.Uint32(b[8:]), ID(b[sumsID:]), sumsRemedy); err != nil {
		return nil, err
	}
	if le.Uint32(b[12:]) != uint32(m.T) || le.Uint64(b[16:]) != uint64(m.N) || int64(len(b)) != m.sumsBytes() {
		return nil, disk.Corrupt(file, "it belongs to a matrix of another shape; %s", sumsRemedy)
	}
	if Checksum(b[sumsHeaderLen:]) != le.Uint32(b[24:]) {
		return nil, disk.Corrupt(file, "its own checksum does not match; %s", sumsRemedy)
	}
	sums := make([]uint32, m.sumCount())
	for i := range sums {
		sums[i] = le.Uint32(b[sumsHeaderLen+4*i:])
	}
	return sums, nil
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
	if err := s.replaceFile(nameSums, nameSumsSpare, encodeSums(sums, &s.meta)); err != nil {
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
	err := s.hooks.Ask("rename", nameSums)
	if err == nil {
		err = os.Rename(s.path(nameSums), s.path(nameSumsSpare))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = s.syncNames()
	}
	if err != nil {
		return fmt.Errorf("removing %s: %w", s.path(nameSums), disk.Classify(err))
	}
	return nil
}
