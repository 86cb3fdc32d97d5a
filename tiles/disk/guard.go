package disk

import (
	"runtime"
	"runtime/debug"
	"unsafe"
)

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
