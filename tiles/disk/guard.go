package disk

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"unsafe"

	"github.com/edsrzf/mmap-go"

	"ooc/tiles/internal/hook"
)

// Map maps the first bytes of a file.
func Map(f *os.File, size int64, prot int) (mem mmap.MMap, err error) {
	if int64(int(size)) != size {
		return nil, fmt.Errorf("%s: %d bytes do not fit the address space of this program; use a 64-bit build",
			f.Name(), size)
	}
	if err = hook.AskPath("map", f.Name()); err == nil {
		mem, err = mmap.MapRegion(f, int(size), prot, 0, 0)
	}
	if errors.Is(err, syscall.ENOMEM) {
		err = fmt.Errorf("%w: %s of address space are needed; raise or lift the limit on it (ulimit -v)", err,
			Size(size))
	}
	if err != nil {
		return nil, fmt.Errorf("mapping %s: %w", f.Name(), err)
	}
	return mem, nil
}

// Guard runs what touches the mapping of a file. Where a part of that cannot be touched, because the file was cut or
// its medium fails, it returns what fault says of the offset. Any other panic is somebody's bug and goes on.
func Guard(mem []byte, touch func() error, fault func(off int64) error) (err error) {
	defer func(old bool) {
		debug.SetPanicOnFault(old)
		r := recover()
		if r == nil {
			return
		}
		at, ok := r.(interface {
			runtime.Error
			Addr() uintptr
		})
		base := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
		if !ok || at.Addr() < base || at.Addr()-base >= uintptr(len(mem)) {
			panic(r)
		}
		err = fault(int64(at.Addr() - base))
	}(debug.SetPanicOnFault(true))
	return touch()
}
