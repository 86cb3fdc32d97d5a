package arrays

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

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

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// extent is where an array is in the file.
type extent struct{ offset, bytes int64 }

// header is the head of a file, decoded.
type header struct {
	id     [16]byte
	arrays []extent
	sums   int64  // where the checksums begin, and the blocks end
	sum    uint32 // of the checksums
}

// blocks is the number of blocks, and so of checksums.
func (h *header) blocks() int64 { return (h.sums - headerLen + block - 1) / block }

func (h *header) fileBytes() int64 { return h.sums + 4*h.blocks() }

func newHeader(id [16]byte, list [][]byte) *header {
	h := &header{id: id, sums: headerLen}
	for _, a := range list {
		h.arrays = append(h.arrays, extent{h.sums, int64(len(a))})
		h.sums += (int64(len(a)) + alignment - 1) / alignment * alignment
	}
	return h
}

func (h *header) encode() []byte {
	b, le := make([]byte, headerLen), binary.LittleEndian
	copy(b, magic)
	le.PutUint32(b[8:], version)
	le.PutUint32(b[12:], uint32(len(h.arrays)))
	copy(b[16:], h.id[:])
	le.PutUint64(b[32:], uint64(h.sums))
	le.PutUint32(b[40:], h.sum)
	for i, a := range h.arrays {
		le.PutUint64(b[tableAt+16*i:], uint64(a.offset))
		le.PutUint64(b[tableAt+16*i+8:], uint64(a.bytes))
	}
	le.PutUint32(b[headerLen-4:], crc32.Checksum(b[:headerLen-4], castagnoli))
	return b
}

// Write makes the file at path hold the arrays, at most 64, durably and all or nothing. id is that of the store. What
// it needs of the volume is reserved first. Until the file is whole it has the name spare beside it, where what an
// earlier Write left is replaced; after an error the spare is removed. It adds the bytes that it has written to
// written. It fails with disk.ErrNoSpace.
func Write(path, spare string, id [16]byte, list [][]byte, written *atomic.Int64) (err error) {
	if len(list) > maxArrays {
		return fmt.Errorf("%s: %d arrays, want at most %d", path, len(list), maxArrays)
	}
	dir := filepath.Dir(path)
	tmp := filepath.Join(dir, spare)
	f, err := disk.OpenRegular(tmp, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(tmp)
			err = fmt.Errorf("writing %s: %w", path, disk.Classify(err))
		}
	}()
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
	if err := h.fill(f, list, written); err != nil {
		return err
	}
	if err := hook.For(dir).Synced(spare, f.Sync); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := hook.AskPath("rename", path); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return hook.For(dir).Synced(".", func() error { return disk.SyncDir(dir) })
}

// fill writes the arrays, their checksums and the header.
func (h *header) fill(f *os.File, list [][]byte, written *atomic.Int64) error {
	sums := make([]uint32, h.blocks())
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for first := int64(headerLen); first < h.sums; first += step {
		g.Go(func() error {
			for at := first; at < min(first+step, h.sums); at += block {
				sum, err := h.fillBlock(f, list, at)
				if err != nil {
					return err
				}
				sums[(at-headerLen)/block] = sum
			}
			written.Add(min(step, h.sums-first))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	tail := make([]byte, 4*len(sums))
	for i, s := range sums {
		binary.LittleEndian.PutUint32(tail[4*i:], s)
	}
	h.sum = crc32.Checksum(tail, castagnoli)
	if _, err := f.WriteAt(tail, h.sums); err != nil {
		return err
	}
	_, err := f.WriteAt(h.encode(), 0)
	return err
}

// fillBlock writes the block at an offset, and returns its checksum. Between arrays are zeros, as the file has them.
func (h *header) fillBlock(f *os.File, list [][]byte, at int64) (sum uint32, err error) {
	var zeros [alignment]byte
	end := min(at+block, h.sums)
	for i, a := range h.arrays {
		next := h.sums // where the next array begins
		if i+1 < len(h.arrays) {
			next = h.arrays[i+1].offset
		}
		lo, hi := max(at, a.offset), min(end, a.offset+a.bytes)
		if lo < hi {
			part := list[i][lo-a.offset : hi-a.offset]
			sum = crc32.Update(sum, castagnoli, part)
			if _, err := f.WriteAt(part, lo); err != nil {
				return 0, err
			}
		}
		if lo, hi := max(at, a.offset+a.bytes), min(end, next); lo < hi {
			sum = crc32.Update(sum, castagnoli, zeros[:hi-lo])
		}
	}
	return sum, nil
}
