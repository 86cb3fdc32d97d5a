// Package arrays keeps arrays in one file, which is written whole or not at all, is mapped to be read, and is
// compared with its checksums block by block as it is used.
package arrays

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/edsrzf/mmap-go"

	"ooc/kernels/entry"
	"ooc/tiles/disk"
	"ooc/tiles/internal/hook"
)

// File is an open file of arrays. Any number of goroutines may read it.
type File struct {
	header
	file *os.File
	mem  mmap.MMap
	want []uint32
	same []atomic.Uint32 // a bit for each block that was compared with its checksum
}

// remedy is what to do about a damaged file.
const remedy = "restore it, or solve again with --restart"

// Open maps the file at path. It fails with disk.ErrCorrupt where its header or its size do not check out, where it
// is that of another store than id, and where it is missing.
func Open(path string, id [16]byte) (*File, error) {
	file, err := disk.OpenRegular(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, disk.Corrupt(path, "it is missing; %s", remedy)
	}
	if err != nil {
		return nil, err
	}
	f := &File{file: file}
	if err = f.open(id); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

func (f *File) open(id [16]byte) error {
	if err := hook.AskPath("read", f.file.Name()); err != nil {
		return disk.ReadError(f.file.Name(), err)
	}
	head := make([]byte, headerLen)
	if _, err := io.ReadFull(f.file, head); err != nil {
		return disk.ReadError(f.file.Name(), err)
	}
	size, err := disk.FileSize(f.file)
	if err != nil {
		return err
	}
	if err := f.decode(head, size, id); err != nil {
		return err
	}
	tail := make([]byte, 4*f.blocks())
	if _, err := f.file.ReadAt(tail, f.Sums); err != nil {
		return disk.ReadError(f.file.Name(), err)
	}
	if disk.Checksum(tail) != f.Sum {
		return f.corrupt("the checksum of its checksums does not match")
	}
	f.want, f.same = entry.View[uint32](tail), make([]atomic.Uint32, (f.blocks()+31)/32)
	f.mem, err = disk.Map(f.file, f.Sums, mmap.RDONLY)
	return err
}

// decode reads the header, and checks it against the size of the file, so that counts that lie allocate nothing.
func (f *File) decode(b []byte, size int64, id [16]byte) error {
	ok := disk.Unseal(b, &f.header)
	switch {
	case string(f.Magic[:]) != magic:
		return f.corrupt("it holds no arrays")
	case !ok:
		return f.corrupt("the checksum of its header does not match")
	case f.Version != version || f.Count > maxArrays:
		return f.corrupt("its header says version %d, %d arrays", f.Version, f.Count)
	case f.ID != id:
		return f.corrupt("it belongs to another store")
	}
	at := int64(headerLen)
	for _, e := range f.arrays() {
		if e.Offset < at || e.Offset%alignment != 0 || e.Bytes < 0 || e.Bytes > size || e.Offset+e.Bytes > f.Sums {
			return f.corrupt("its header claims %d bytes at %d", e.Bytes, e.Offset)
		}
		at = e.Offset + e.Bytes
	}
	if f.Sums < at || f.Sums > size || f.fileBytes() != size {
		return f.corrupt("it has %d bytes, its header claims %d", size, f.fileBytes())
	}
	return nil
}

func (f *File) corrupt(format string, args ...any) error {
	return disk.Corrupt(f.file.Name(), "%s; %s", fmt.Sprintf(format, args...), remedy)
}

// Len is the number of arrays.
func (f *File) Len() int { return int(f.Count) }

// Bytes is the size of the file.
func (f *File) Bytes() int64 { return f.fileBytes() }

// Array returns the memory of array i, which stays mapped until Close. Call Need before it is read, and read it
// within Guard.
func (f *File) Array(i int) []byte {
	e := f.Table[i]
	return f.mem[e.Offset : e.Offset+e.Bytes : e.Offset+e.Bytes]
}

// Need compares the blocks that hold a part of an array with their checksums, unless it has done so before. It fails
// with disk.ErrCorrupt.
func (f *File) Need(part []byte) error {
	if len(part) == 0 {
		return nil
	}
	at := int64(uintptr(unsafe.Pointer(unsafe.SliceData(part))) -
		uintptr(unsafe.Pointer(unsafe.SliceData([]byte(f.mem)))))
	for b := (at - headerLen) / block; b <= (at+int64(len(part))-1-headerLen)/block; b++ {
		if word, bit := &f.same[b/32], uint32(1)<<(b%32); word.Load()&bit == 0 {
			if err := f.compare(b, f.mem[headerLen+b*block:min(headerLen+(b+1)*block, f.Sums)]); err != nil {
				return err
			}
			word.Or(bit)
		}
	}
	return nil
}

// compare compares the bytes of a block with its checksum.
func (f *File) compare(b int64, bytes []byte) error {
	if got := disk.Checksum(bytes); got != f.want[b] {
		return f.corrupt("bytes %d to %d are damaged: their checksum is %08x, they were written with %08x",
			headerLen+b*block, headerLen+b*block+int64(len(bytes))-1, got, f.want[b])
	}
	return nil
}

// Blocks is the number of parts that have a checksum each.
func (f *File) Blocks() int { return len(f.want) }

// Check reads block b, from the file and not the mapping, and compares it with its checksum. It fails with
// disk.ErrCorrupt.
func (f *File) Check(b int) error {
	first := headerLen + int64(b)*block
	bytes := make([]byte, min(block, f.Sums-first))
	if _, err := f.file.ReadAt(bytes, first); err != nil {
		return disk.ReadError(f.file.Name(), err)
	}
	return f.compare(int64(b), bytes)
}

// DropCache asks the system to forget what it has cached of the file, so that Check reads the disk.
func (f *File) DropCache() { disk.DropCache(f.file) }

// Guard runs what reads arrays. Where the file cannot be read any more, because it was cut or its medium fails, it
// fails with disk.ErrCorrupt.
func (f *File) Guard(do func() error) error {
	return disk.Guard(f.mem, do, func(off int64) error {
		if size, err := disk.FileSize(f.file); err == nil && size < f.fileBytes() {
			return f.corrupt("it was cut to %d of %d bytes", size, f.fileBytes())
		}
		return f.corrupt("offset %d: the medium returned an error; see the system's log", off)
	})
}

// Close unmaps the file. Nothing may read its arrays any more.
func (f *File) Close() error { return errors.Join(f.mem.Unmap(), f.file.Close()) }
