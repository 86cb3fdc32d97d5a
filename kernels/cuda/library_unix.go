//go:build !gorgonia && !windows

package cuda

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// openLibrary finds the library that the NVIDIA driver installs. Where CUDA does not exist it finds none.
func openLibrary() (uintptr, error) {
	runtime.LockOSThread() // the text of an error is kept by thread
	defer runtime.UnlockOSThread()
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
