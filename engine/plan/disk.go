package plan

import (
	"errors"
	"runtime/debug"
	"time"

	"github.com/edsrzf/mmap-go"
	"golang.org/x/sync/errgroup"

	"ooc/tiles/disk"
)

// timeDisk times a sync of a new file of the given size, and copies by so many goroutines out of its mapping and into it
// where its pages are in memory and clean: bytes/s each. The file is in dir, has no name while it is timed where the
// system allows that, and is gone afterwards.
func timeDisk(dir string, size int64, goroutines int) (read, write, sync float64, err error) {
	f, remove, err := disk.Nameless(dir, ".ooc-rates-*")
	if err != nil {
		return 0, 0, 0, err
	}
	defer func() { err = errors.Join(err, f.Close(), remove()) }()
	if err := disk.Reserve(f, size); err != nil {
		return 0, 0, 0, err
	}
	mem, err := mmap.MapRegion(f, int(size), mmap.RDWR, 0, 0)
	if err != nil {
		return 0, 0, 0, err
	}
	defer func() { err = errors.Join(err, mem.Unmap()) }()
	rate := func(work func() error) (float64, error) {
		began := time.Now()
		err := work()
		return float64(size) / time.Since(began).Seconds(), err
	}
	// The first copy makes the system find memory and blocks, which happens once; the sync leaves pages clean,
	// as writing back does all the time.
	if err = copyMapping(mem, goroutines, true); err != nil {
		return 0, 0, 0, err
	}
	if sync, err = rate(func() error { return errors.Join(mem.Flush(), f.Sync()) }); err != nil {
		return 0, 0, 0, err
	}
	if write, err = rate(func() error { return copyMapping(mem, goroutines, true) }); err != nil {
		return 0, 0, 0, err
	}
	read, err = rate(func() error { return copyMapping(mem, goroutines, false) })
	return read, write, sync, err
}

// copyMapping copies all of a mapping to or from private memory.
func copyMapping(mem []byte, goroutines int, write bool) error {
	const block = 1 << 20
	var group errgroup.Group
	for g := range goroutines {
		group.Go(func() (err error) {
			private := make([]byte, block)
			for i := range private {
				private[i] = byte(i * 7)
			}
			defer func(old bool) {
				debug.SetPanicOnFault(old)
				if r := recover(); r != nil {
					err = errors.New("the disk failed while it was timed")
				}
			}(debug.SetPanicOnFault(true))
			for at := g * block; at < len(mem); at += goroutines * block {
				part := mem[at:min(at+block, len(mem))]
				if write {
					copy(part, private)
				} else {
					copy(private, part)
				}
			}
			return nil
		})
	}
	return group.Wait()
}
