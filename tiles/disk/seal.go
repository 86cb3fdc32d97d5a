package disk

import (
	"encoding/binary"
	"hash/crc32"
)

// castagnoli is the polynomial of every checksum of our files: CRC-32C has an instruction on amd64 and arm64.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum is the CRC-32C of bytes.
func Checksum(data []byte) uint32 { return AddChecksum(0, data) }

// AddChecksum is the checksum of all that sum is of, and of the bytes behind that.
func AddChecksum(sum uint32, data []byte) uint32 { return crc32.Update(sum, castagnoli, data) }

// Seal returns the bytes of the head of a file: those of a struct of fixed size, little endian. Its last field, of 4
// bytes, is for the checksum of the others.
func Seal(head any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, head)
	if err != nil {
		panic(err) // it is no struct of fixed size
	}
	rest := b[:len(b)-4]
	return binary.LittleEndian.AppendUint32(rest, Checksum(rest))
}

// Unseal fills in a head from bytes that begin with it. It reports whether they do, and their checksum matches.
func Unseal(b []byte, head any) bool {
	n, err := binary.Decode(b, binary.LittleEndian, head)
	return err == nil && Checksum(b[:n-4]) == binary.LittleEndian.Uint32(b[n-4:])
}
