package csr

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"
)

func FuzzHeader(f *testing.F) {
	s := &Store{Version: 4, ID: [16]byte{1}, N: 5, Arcs: 5, WeightBytes: 4}
	s.Check = func(_ string, version uint32, id [16]byte) error {
		if version != s.Version || id != s.ID {
			return errors.New("another store")
		}
		return nil
	}
	f.Add(header{n: 5, arcs: 5, weight: 4}.encode(s), int64(152))
	f.Add([]byte(graphMagic), int64(0))
	f.Fuzz(func(t *testing.T, b []byte, size int64) {
		try := [][]byte{b}
		if len(b) >= graphHead { // let the rest of the checks see it too
			sealed := bytes.Clone(b)
			copy(sealed, graphMagic)
			binary.LittleEndian.PutUint32(sealed[8:], s.Version)
			binary.LittleEndian.PutUint32(sealed[12:], 4)
			copy(sealed[headID:], s.ID[:])
			binary.LittleEndian.PutUint32(sealed[60:], crc32.Checksum(sealed[:60], castagnoli))
			try = append(try, sealed)
		}
		for _, b := range try {
			h, err := s.decodeHeader("graph.csr", b, size)
			if err == nil && (h.n != 5 || h.arcs != 5 || h.fileBytes() != size) {
				t.Fatalf("accepted %+v in %d bytes", h, size)
			}
		}
	})
}
