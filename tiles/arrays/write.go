package arrays

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ooc/kernels/entry"
	"ooc/tiles/disk"
	"ooc/tiles/internal/hook"
)

const (
	magic     = "OOCARRAY"
	version   = 4
	headerLen = 4096
	tableAt   = 64
	maxArrays = 64
	alignment = 64 // of each array in the file
	block     = BlockBytes
	step      = 4 << 20 // bytes that a goroutine writes at a time
)

// BlockBytes is how many bytes of a file a checksum covers; of the last block, those that are left.
const BlockBytes = 64 << 10

// extent is where an array is in the file.
type extent struct{ Offset, Bytes int64 }

// header is the head of a file.
type header struct {
	Magic          [8]byte
	Version, Count uint32
	ID             [16]byte
	Sums           int64  // where the checksums begin, and the blocks end
	Sum            uint32 // of the checksums
	_              [tableAt - 44]byte
	Table          [maxArrays]extent
	_              [headerLen - 4 - tableAt - 16*maxArrays]byte
	_              uint32 // checksum
}

// arrays are those that there are.
func (h *header) arrays() []extent { return h.Table[:h.Count] }

// blocks is the number of blocks, and so of checksums.
func (h *header) blocks() int64 { return (h.Sums - headerLen + block - 1) / block }

func (h *header) fileBytes() int64 { return h.Sums + 4*h.blocks() }

func newHeader(id [16]byte, list [][]byte) *header {
	h := &header{Magic: [8]byte([]byte(magic)), Version: version, Count: uint32(len(list)), ID: id, Sums: headerLen}
	for i, a := range list {
		h.Table[i] = extent{h.Sums, int64(len(a))}
		h.Sums += (int64(len(a)) + alignment - 1) / alignment * alignment
	}
	return h
}

// Write makes the file at path hold the arrays, at most 64, durably and all or nothing. id is that of the store. What
// it needs of the volume is reserved first. Until the file is whole it has its name and ".tmp" beside it, where what an
// earlier Write left is replaced; after an error that is removed. It adds the bytes that it has written to written. It
// fails with disk.ErrNoSpace.
func Write(path string, id [16]byte, list [][]byte, written *atomic.Int64) error {
	if len(list) > maxArrays {
		return fmt.Errorf("%s: %d arrays, want at most %d", path, len(list), maxArrays)
	}
	tmp := ""
	err := disk.Replace(path, func(f *os.File) error {
		tmp = f.Name()
		if err := f.Truncate(0); err != nil {
			return err
		}
		h := newHeader(id, list)
		if err := disk.Reserve(f, h.fileBytes()); err != nil {
			return err
		}
		if err := hook.AskPath("write", tmp); err != nil {
			return err
		}
		return h.fill(f, list, written)
	})
	if err != nil && tmp != "" {
		os.Remove(tmp)
	}
	return err
}

// fill writes the arrays, their checksums and the header.
func (h *header) fill(f *os.File, list [][]byte, written *atomic.Int64) error {
	sums := make([]uint32, h.blocks())
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for first := int64(headerLen); first < h.Sums; first += step {
		g.Go(func() error {
			for at := first; at < min(first+step, h.Sums); at += block {
				sum, err := h.fillBlock(f, list, at)
				if err != nil {
					return err
				}
				sums[(at-headerLen)/block] = sum
			}
			written.Add(min(step, h.Sums-first))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	tail := entry.Bytes(sums)
	h.Sum = disk.Checksum(tail)
	if _, err := f.WriteAt(tail, h.Sums); err != nil {
		return err
	}
	_, err := f.WriteAt(disk.Seal(h), 0)
	return err
}

// fillBlock writes the block at an offset, and returns its checksum. Between arrays are zeros, as the file has them.
func (h *header) fillBlock(f *os.File, list [][]byte, at int64) (sum uint32, err error) {
	var zeros [alignment]byte
	end := min(at+block, h.Sums)
	for i, a := range h.arrays() {
		next := h.Sums // where the next array begins
		if i+1 < len(list) {
			next = h.Table[i+1].Offset
		}
		lo, hi := max(at, a.Offset), min(end, a.Offset+a.Bytes)
		if lo < hi {
			part := list[i][lo-a.Offset : hi-a.Offset]
			sum = disk.AddChecksum(sum, part)
			if _, err := f.WriteAt(part, lo); err != nil {
				return 0, err
			}
		}
		if lo, hi := max(at, a.Offset+a.Bytes), min(end, next); lo < hi {
			sum = disk.AddChecksum(sum, zeros[:hi-lo])
		}
	}
	return sum, nil
}
