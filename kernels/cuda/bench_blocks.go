package cuda

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"unsafe"

	"ooc/kernels"
	"ooc/kernels/entry"
)

// blocks measures LaneBlocks: as many blocks of so many rows and terms as give 3·edge rows of lanes. Each block takes
// random rows of edge/2.
func (b *bench) blocks(v entry.Variant, edge, rows, terms int) error {
	const width = 512
	size, count := int64(v.Bytes()), 3*edge/rows
	blocks, list := make([]kernels.LaneBlock, count), make([]kernels.LaneTerm, count*terms)
	for i := range blocks {
		blocks[i] = kernels.LaneBlock{Row: int32(edge/2 + i*rows), Rows: int32(rows), First: int32(i * terms), Terms: int32(terms)}
	}
	for i := range list {
		list[i] = kernels.LaneTerm{Row: int32(rand.IntN(edge / 2)), Weights: int32(i * rows / kernels.LaneWeightUnit)}
	}
	weights := int64((edge/2 + count*rows) * width)
	host := slices.Concat(memoryOf(list), make([]byte, -8*len(list)&15), memoryOf(blocks))
	lists, err := b.Alloc(int64(len(host)))
	if err != nil {
		return err
	}
	err = b.copied(lists, host)
	if err == nil {
		p := kernels.LaneBlocks{Lanes: kernels.Tile{Buf: b.buffer}, Width: width, Weights: kernels.Tile{Buf: b.buffer, Off: weights * size}, Fresh: true,
			Terms: kernels.Tile{Buf: lists}, Blocks: kernels.Tile{Buf: lists, Off: int64((8*len(list) + 15) / 16 * 16)}, Count: count}
		what := fmt.Sprintf("%s %d blocks of %d rows, %d terms, %d lanes", v, count, rows, terms, width)
		err = b.relaxed(distances, v, what, float64(count*rows)*float64(terms)*width, func(s kernels.Stream) error { return b.LaneBlocks(s, v, p) })
	}
	return errors.Join(err, lists.Free())
}

// memoryOf is a list as it lies in memory.
func memoryOf[E any](list []E) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), len(list)*int(unsafe.Sizeof(list[0])))
}

// copied copies host memory to a buffer.
func (b *bench) copied(to kernels.Buffer, host []byte) (err error) {
	s, err := b.NewStream()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return errors.Join(s.CopyIn(kernels.Tile{Buf: to}, host), s.Sync())
}
