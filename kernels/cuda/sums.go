package cuda

import (
	"hash/crc32"

	"ooc/kernels"
)

// sumsParam is Sums of sums.cuh.
type sumsParam struct {
	data, sums address
	words      int64
	advance    [4]uint32
	round      uint32
	tree       [8]uint32
	zeros      uint32
	count, pad int32
}

const (
	sumBytes  = 4096 // that a block of threads sums at a time
	sumBlocks = 1024 // at most: each makes tables for itself
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumZeros returns the checksum after the given number of further zero bytes.
func sumZeros(sum uint32, bytes int64) uint32 {
	var zeros [sumBytes]byte
	for ; bytes > 0; bytes -= sumBytes {
		sum = crc32.Update(sum, castagnoli, zeros[:min(bytes, sumBytes)])
	}
	return sum
}

// power returns x to the power of the number of bits in so many words. That is what the state 1 becomes after as many
// zeros; a checksum is the complement of such a state.
func power(words int64) uint32 { return ^sumZeros(^uint32(1<<31), 4*words) }

// Checksums implements kernels.LaneOps.
func (d *Device) Checksums(on kernels.Stream, dst, src kernels.Tile, bytes int64, count int) error {
	c := d.on(on, forAll)
	c.Want(bytes > 0 && bytes%sumBytes == 0 && count >= 0, "%d blocks of %d bytes: want a multiple of %d", count, bytes,
		sumBytes)
	p := &sumsParam{words: bytes / 4, count: int32(count), sums: c.vector("result", dst, count),
		data: c.aligned("blocks", src, bytes*int64(count))}
	if c.Err == nil && count > 0 {
		for i := range p.advance {
			p.advance[i] = power(int64(i + 1))
		}
		for i := range p.tree {
			p.tree[i] = power(4 << i)
		}
		p.round, p.zeros = power(sumBytes/4), sumZeros(0, bytes)
		c.launch(tileSums, min(count, sumBlocks), paramOf(p))
	}
	return c.end("checksums")
}
