package tiles

import (
	"bytes"
	"encoding/binary"
	"testing"

	"ooc/kernels/entry"
	"ooc/tiles/disk"
)

func FuzzHead(f *testing.F) {
	m := &Meta{ID: ID{1}, N: 5, Arcs: 5, Kind: entry.KindI32}
	f.Add(disk.Seal(&head{Magic: [8]byte([]byte(graphMagic)), Version: formatVersion, Kind: 4, N: 5, Size: 5,
		ID: m.ID}), int64(152))
	f.Add([]byte(graphMagic), int64(0))
	f.Fuzz(func(t *testing.T, b []byte, size int64) {
		try := [][]byte{b}
		if len(b) >= headBytes { // let the rest of the checks see it too
			sealed := bytes.Clone(b)
			copy(sealed, graphMagic)
			binary.LittleEndian.PutUint32(sealed[8:], formatVersion)
			binary.LittleEndian.PutUint32(sealed[12:], 4)
			copy(sealed[44:], m.ID[:])
			binary.LittleEndian.PutUint32(sealed[headBytes-4:], disk.Checksum(sealed[:headBytes-4]))
			try = append(try, sealed)
		}
		for _, b := range try {
			h, err := m.checkGraph("graph.csr", b, size)
			if err == nil && (h.N != 5 || h.Size != 5 || m.graphBytes() != size) {
				t.Fatalf("accepted %+v in %d bytes", h, size)
			}
		}
	})
}
