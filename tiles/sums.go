package tiles

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
)

// sums: a header of 32 bytes, then a CRC-32C per tile, row-major.
const (
	sumsMagic     = "OOCSUMS\x00"
	sumsHeaderLen = 32
)

func encodeSums(sums []uint32, g Geometry) []byte {
	b := make([]byte, sumsHeaderLen+4*len(sums))
	copy(b, sumsMagic)
	le := binary.LittleEndian
	le.PutUint32(b[8:], FormatVersion)
	le.PutUint32(b[12:], uint32(g.T))
	le.PutUint64(b[16:], uint64(g.N))
	for i, s := range sums {
		le.PutUint32(b[sumsHeaderLen+4*i:], s)
	}
	le.PutUint32(b[24:], crc32.Checksum(b[sumsHeaderLen:], castagnoli))
	le.PutUint32(b[28:], crc32.Checksum(b[:28], castagnoli))
	return b
}

func decodeSums(file string, b []byte, g Geometry) ([]uint32, error) {
	le := binary.LittleEndian
	if len(b) < sumsHeaderLen || string(b[:8]) != sumsMagic || crc32.Checksum(b[:28], castagnoli) != le.Uint32(b[28:]) {
		return nil, corrupt(file, "its header does not check out")
	}
	if v := le.Uint32(b[8:]); v != FormatVersion {
		return nil, fmt.Errorf("%s: %w: format version %d, this program reads %d", file, ErrVersion, v, FormatVersion)
	}
	if le.Uint32(b[12:]) != uint32(g.T) || le.Uint64(b[16:]) != uint64(g.N) || len(b) != sumsHeaderLen+4*g.Tiles() {
		return nil, corrupt(file, "it belongs to a matrix of another shape")
	}
	if crc32.Checksum(b[sumsHeaderLen:], castagnoli) != le.Uint32(b[24:]) {
		return nil, corrupt(file, "its own checksum does not match")
	}
	sums := make([]uint32, g.Tiles())
	for i := range sums {
		sums[i] = le.Uint32(b[sumsHeaderLen+4*i:])
	}
	return sums, nil
}

// WriteSums stores the CRC-32C of every tile, row-major, Tiles of them,
// durably and all or nothing. Its space was reserved by Create.
func (s *Store) WriteSums(sums []uint32) error {
	s.syncMu.Lock()
	defer s.syncMu.Unlock()
	if err := s.writeError(); err != nil {
		return err
	}
	if err := s.mayWrite(); err != nil {
		return err
	}
	if len(sums) != s.geo.Tiles() {
		return fmt.Errorf("%s: %d checksums for %d tiles", s.dir, len(sums), s.geo.Tiles())
	}
	return s.replaceFile(nameSums, nameSumsSpare, encodeSums(sums, s.geo))
}

// Sums gives the CRC-32C of every tile, row-major. It fails with
// fs.ErrNotExist where no solve has ended yet.
func (s *Store) Sums() ([]uint32, error) {
	path := s.path(nameSums)
	b, err := readSmall(path, sumsHeaderLen+4*int64(s.geo.Tiles()))
	if err != nil {
		return nil, err
	}
	return decodeSums(path, b, s.geo)
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
		return fmt.Errorf("removing %s: %w", s.path(nameSums), classify(err))
	}
	return nil
}
