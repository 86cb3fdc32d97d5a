//go:build !gorgonia && !windows

package cuda

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// openLibrary finds the library that the NVIDIA driver installs. Where CUDA does not exist it finds none.
func openLibrary() (uintptr, error) {
	runtime.LockOSThread() // the text of an error is kept by thread
	defer runtime.UnlockOSThread()
	moreQueues()
	lib, err := purego.Dlopen("libcuda.so.1", purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err == nil {
		return lib, nil
	}
	// Windows' Linux keeps it where the loader does not look.
	if lib, again := purego.Dlopen("/usr/lib/wsl/lib/libcuda.so.1", purego.RTLD_NOW|purego.RTLD_LOCAL); again == nil {
		return lib, nil
	}
	return 0, err
}

func findSymbol(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }

// moreQueues asks the driver for as many hardware queues as it can give, unless the user has asked for some number.
// It has 8 by default, so streams share them, and what waits in one stream holds up the others of its queue. The
// driver looks at the environment of the C library, which os.Setenv does not change.
func moreQueues() {
	setenv, err := purego.Dlsym(purego.RTLD_DEFAULT, "setenv")
	if err != nil {
		return // fewer queues are slower, no more
	}
	name, value := []byte("CUDA_DEVICE_MAX_CONNECTIONS\x00"), []byte("32\x00")
	const keep = 0 // what the user has set
	purego.SyscallN(setenv, uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(&value[0])), keep)
	runtime.KeepAlive(name)
	runtime.KeepAlive(value)
}
